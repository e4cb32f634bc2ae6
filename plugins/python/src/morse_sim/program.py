"""The program `morse-sim`, which is part of the native core."""
from __future__ import annotations

import signal
import sys


def main() -> int:
    """Runs the command line. Signals end it as they end the program that is built without Python."""
    from . import _native

    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    return _native.program(["morse-sim", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
