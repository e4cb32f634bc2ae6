"""The native core for tests: `MORSE_NATIVE` is the library that Cargo has built."""
from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import shutil
import sys
from typing import Any, Optional

from . import ROOT
from .require import needs

LIBRARY = os.environ.get("MORSE_NATIVE", "")
REPOSITORY = os.path.realpath(os.path.join(ROOT, "..", ".."))
SCENES = os.path.join(REPOSITORY, "scenes")


def load() -> Optional[str]:
    """Loads it as part of the package. Returns why that is impossible."""
    if not os.path.isfile(LIBRARY):
        return "there is no native core: set MORSE_NATIVE to lib_native.so"
    if importlib.util.find_spec("numpy") is None:
        return "there is no numpy: simulations in process"
    if "morse_sim._native" not in sys.modules:
        import morse_sim

        loader = importlib.machinery.ExtensionFileLoader("morse_sim._native", LIBRARY)
        spec = importlib.util.spec_from_file_location("morse_sim._native", LIBRARY, loader=loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        sys.modules["morse_sim._native"] = module
        setattr(morse_sim, "_native", module)
    return None


def needs_native(test: Any) -> Any:
    """For tests of simulations in process."""
    why = load()
    return needs("python", why is None, str(why))(test)


def site(folder: str) -> str:
    """A folder with the package as the wheel installs it, for other processes."""
    package = os.path.join(folder, "site", "morse_sim")
    shutil.copytree(os.path.join(ROOT, "src", "morse_sim"), package, ignore=shutil.ignore_patterns("__pycache__"))
    os.symlink(LIBRARY, os.path.join(package, "_native.abi3.so"))
    return os.path.dirname(package)
