"""The program that simulates: where it is, and whether it works."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import warnings

from ..builder.errors import MorseEnvironmentError


COMPAT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "compat")


def morse_sim() -> str:
    """Its path: `MORSE_SIM`, or `morse-sim` from PATH."""
    named = os.environ.get("MORSE_SIM")
    path = shutil.which(named or "morse-sim")
    if path:
        return path
    if named:
        raise MorseEnvironmentError(f"MORSE_SIM is `{named}`, which is no program")
    raise MorseEnvironmentError(
        "there is no program `morse-sim` in PATH: install it (`cargo install --path .` in its repository), or set MORSE_SIM to "
        "where it is"
    )


def check() -> int:
    """`morse check`."""
    version = sys.version.split()[0]
    print(f"* Python {version}: fine")
    try:
        program = morse_sim()
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30, check=True)
    except MorseEnvironmentError as error:
        print(f"* {error}")
        return 1
    except (OSError, subprocess.SubprocessError) as error:
        print(f"* `{program}` does not run: {error}")
        return 1
    print(f"* {program}: {said.stdout.strip()}: fine")
    print(f"* {_client()}")
    print("Your environment is correctly setup to run MORSE.")
    return 0


def _client() -> str:
    """What `from pymorse import Morse` brings."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pymorse  # type: ignore[import-not-found]
    except ImportError as error:
        return f"MORSE's own client is not there ({error}); `morse_sim.client` does the same"
    folder = os.path.dirname(os.path.abspath(str(pymorse.__file__)))
    if folder == os.path.join(COMPAT, "pymorse"):
        return "pymorse: morse_sim's own client: fine"
    return f"pymorse: MORSE's own client ({folder}): fine"
