"""Puts `pymorse` and `morse` in reach of every program, once morse-sim is installed: for who has no MORSE.

What is installed under these names, or lies beside a program, comes first: only where nobody finds such a package do the
ones that are here stand in for it. An installed pymorse that cannot work, because Python 3.12 has dropped `asyncore`
and `asynchat`, is the one exception: that is said, and the client that is here takes its place.
"""
import importlib.machinery
import os
import sys

NAMES = ("pymorse", "morse")
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compat")


def _ours(name, target=None):
    return importlib.machinery.PathFinder.find_spec(name, [HERE], target)


class Last:
    """Asked when all others have found nothing."""

    def find_spec(self, name, path=None, target=None):
        if name not in NAMES:
            return None
        # Who came later, as installations do that stay where they are, is asked before.
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        return _ours(name, target)


class First:
    """Passes over a pymorse that cannot work."""

    def find_spec(self, name, path=None, target=None):
        if name != "pymorse":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None:
            return None
        folder = os.path.dirname(spec.origin)
        if os.path.dirname(folder) == HERE or not _lacks_asyncore(folder):
            return None
        import warnings

        warnings.warn(
            f"{folder} needs asyncore and asynchat, which Python 3.12 has dropped: morse_sim's own client takes its "
            "place (`pip install pyasyncore pyasynchat` brings MORSE's back)",
            RuntimeWarning,
            stacklevel=2,
        )
        return _ours(name, target)


def _lacks_asyncore(folder):
    if all(importlib.machinery.PathFinder.find_spec(name) is not None for name in ("asyncore", "asynchat")):
        return False
    try:
        with open(os.path.join(folder, "pymorse.py"), encoding="utf-8") as file:
            return "import asyncore" in file.read()
    except (OSError, UnicodeDecodeError):
        return False


if sys.version_info >= (3, 12):
    sys.meta_path.insert(0, First())
sys.meta_path.append(Last())
