"""The program `morse-sim`, which is part of the native core."""
from __future__ import annotations

import importlib
import importlib.util
import os
import signal
import sys


def main() -> int:
    """Runs the command line. Signals end it as they end the program that is built without Python.

    `MORSE_SIM_KINDS` names modules and files of Python, with commas between, whose kinds of component (`morse_sim.register`) the
    program then has."""
    from . import _native

    try:
        for name in filter(None, os.environ.get("MORSE_SIM_KINDS", "").split(",")):
            _import(name.strip())
    except Exception as error:
        print(f"morse-sim: MORSE_SIM_KINDS: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    return _native.program(["morse-sim", *sys.argv[1:]])


def _import(name: str) -> None:
    """Imports a module by its name, or a file by its path."""
    if not name.endswith(".py"):
        importlib.import_module(name)
        return
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(name))[0], name)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import `{name}`")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


if __name__ == "__main__":
    sys.exit(main())
