"""The program that simulates: where it is, and whether it works."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys

from ..builder.errors import MorseEnvironmentError


def morse_sim() -> str:
    """Its path: `MORSE_SIM`, or `morse-sim` from PATH."""
    named = os.environ.get("MORSE_SIM")
    found = shutil.which(named or "morse-sim")
    if found:
        return found
    if named:
        raise MorseEnvironmentError(f"MORSE_SIM is `{named}`, which is no program")
    raise MorseEnvironmentError(
        "there is no program `morse-sim` in PATH: install it (`cargo install morse-sim`), or set MORSE_SIM to "
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
    try:
        import pymorse  # type: ignore[import-not-found]  # noqa: F401
    except ImportError as error:
        print(f"* MORSE's own client is not there ({error}); `morse_sim.client` does the same")
    else:
        print("* MORSE's own client, pymorse: fine")
    print("Your environment is correctly setup to run MORSE.")
    return 0
