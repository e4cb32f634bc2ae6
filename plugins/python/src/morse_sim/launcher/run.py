"""`morse run` and `morse migrate`: a script is recorded, and what it says is simulated."""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from types import CodeType
from typing import Any, List, Optional, Sequence

from ..builder.errors import MorseBuilderError, MorseError, suggestion
from .program import COMPAT, morse_sim
from .skeleton import own_simulator

PATIENCE = 0.02
"""How often a running simulation is looked at, s."""


def say(text: str) -> None:
    """A line that clients of MORSE wait for."""
    print(text, flush=True)


def record(script: str, options: List[str], folder: Optional[str] = None) -> Any:
    """Runs a builder script; what it says."""
    sys.path.insert(0, COMPAT)
    if folder:
        sys.path.insert(1, os.path.join(folder, "src"))
    sys.path.insert(1, os.path.dirname(os.path.abspath(script)))
    for name in [name for name in sys.modules if name == "morse" or name.startswith("morse.")]:
        del sys.modules[name]
    with open(script, encoding="utf-8") as file:
        code = compile(file.read(), script, "exec")
    from ..builder.write import Recording

    old, sys.argv = sys.argv, [script, *options]
    try:
        _execute(code, script)
    finally:
        sys.argv = old
    return Recording.of_script()


def _execute(code: CodeType, script: str) -> None:
    space = {"__name__": "__main__", "__file__": script, "__builtins__": __builtins__}
    try:
        exec(code, space)  # noqa: S102
    except SystemExit as end:
        # A script may say that it is done, but not that it failed.
        if end.code not in (None, 0):
            raise MorseBuilderError(f"the script ended with {end.code}") from None
    except NameError as error:
        import morse_sim.builder as builder

        named = getattr(error, "name", None) or str(error).split("'")[1::2][0:1]
        word = named if isinstance(named, str) else "".join(named)
        near = suggestion(word, builder.__all__)
        if not near:
            raise
        raise MorseBuilderError(f"{error}{near}").with_traceback(error.__traceback__) from None


def failure(error: BaseException, script: str) -> None:
    """Says what is wrong with a script, in a line that starts as MORSE's errors do."""
    line = None
    for entry in traceback.extract_tb(error.__traceback__):
        if entry.filename == script:
            line = entry.lineno
    where = f"{script}:{line}: " if line else f"{script}: "
    if not isinstance(error, MorseError):
        traceback.print_exception(type(error), error, error.__traceback__)
    sys.stderr.flush()
    say(f"[ERROR][MORSE] INITIALIZATION ERROR: {where}{type(error).__name__}: {error}")


def run(
    script: str, options: List[str], folder: Optional[str], rtf: Optional[str], simulator: Sequence[str] = ()
) -> int:
    """`morse run`; `simulator` are options of morse-sim."""
    with tempfile.TemporaryDirectory(prefix="morse-") as directory:
        pace, allowed = "1", set()
        path = script
        if not script.endswith((".ron", ".robray")):
            if script.endswith(".blend"):
                raise MorseBuilderError(f"`{script}` is a Blender file, which nothing here can read")
            try:
                recording = record(script, options, folder)
                stem = os.path.splitext(os.path.basename(script))[0]
                path = recording.save(directory, _plain(stem))
            except Exception as error:  # noqa: BLE001
                failure(error, script)
                return 1
            pace, allowed = recording.environment.pace(), recording.allowed
        more = [*(word for each in sorted(allowed) for word in ("--allow-path", each)), *simulator]
        return simulate(path, rtf or pace, more, directory, folder)


def _plain(stem: str) -> str:
    """A name for files: temporary ones may be called anything."""
    return "".join(each if each.isalnum() or each in "_-" else "_" for each in stem) or "script"


def _outlive_nobody() -> None:
    """In the child: who kills the launcher ends the simulation, too, where the system can do that."""
    try:
        import ctypes

        set_signal_of_parents_death = 1
        ctypes.CDLL(None).prctl(set_signal_of_parents_death, signal.SIGTERM)
    except (AttributeError, ImportError, OSError):
        # Only Linux has it.
        return


def simulate(path: str, rtf: str, more: List[str], directory: str, folder: Optional[str]) -> int:
    """Starts the program, says what clients of MORSE wait for, and passes on how it ends."""
    try:
        program = own_simulator(folder) or morse_sim()
    except MorseError as error:
        say(f"[ERROR][MORSE] INITIALIZATION ERROR: {error}")
        return 1
    ports = os.path.join(directory, "ports.json")
    command = [program, "run", path, "--rtf", rtf, "--port-file", ports, *more]
    # A signal that arrives before there is a child is kept for it.
    asked: List[int] = []
    child: List[subprocess.Popen] = []

    def relay(number: int, _frame: Any) -> None:
        asked.append(number)
        if child and child[0].poll() is None:
            child[0].send_signal(number)

    for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(kind, relay)
    # In a group of its own: ctrl-C reaches it once, through here.
    child.append(
        subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL, preexec_fn=_outlive_nobody)
    )
    for number in asked:
        child[0].send_signal(number)
    say(f"PID: {child[0].pid}")
    while child[0].poll() is None and not os.path.exists(ports):
        time.sleep(PATIENCE)
    if child[0].poll() is None or os.path.exists(ports):
        _announce(ports)
        code = child[0].wait()
        return _ended(code, bool(asked))
    code = child[0].returncode
    if asked:
        return _ended(code, True)
    say(f"[ERROR][MORSE] INITIALIZATION ERROR: morse-sim ended with {code} before it had begun; see above")
    return code if code > 0 else 128 - code


def _announce(ports: str) -> None:
    with open(ports, encoding="utf-8") as file:
        known = json.load(file)
    for entry in known:
        if entry["what"] == "requests":
            say(f"{entry['middleware']}: requests are answered at port {entry['port']}")
    say("SCENE INITIALIZED")


def _ended(code: int, is_asked: bool) -> int:
    if code < 0:
        code = 128 - code
    if code != 0 and not is_asked and code < 128:
        say(f"[ERROR][MORSE] morse-sim ended with {code}; see above")
    say("EXITING SIMULATION")
    return code


def migrate(script: str, output: Optional[str], is_forced: bool) -> int:
    """`morse migrate`."""
    target = output or os.path.splitext(script)[0] + ".ron"
    directory, name = os.path.split(os.path.abspath(target))
    stem = os.path.splitext(name)[0]
    try:
        recording = record(script, [])
        with tempfile.TemporaryDirectory(prefix="morse-") as draft:
            title = f"What {os.path.basename(script)} stands for. Pace: --rtf {recording.environment.pace()}"
            recording.save(draft, stem, title)
            files = sorted(os.listdir(draft))
            existing = [each for each in files if os.path.exists(os.path.join(directory, each))]
            if existing and not is_forced:
                raise MorseBuilderError(f"`{existing[0]}` exists already; --force replaces it")
            for each in files:
                shutil.copyfile(os.path.join(draft, each), os.path.join(directory, each))
    except Exception as error:  # noqa: BLE001
        failure(error, script)
        return 1
    for each in files:
        print(os.path.join(directory, each))
    print(f"Run it with: morse-sim run {target} --rtf {recording.environment.pace()}")
    return 0
