"""Errors of simulations in process."""
from __future__ import annotations

import json
from typing import Any, Dict, List, Optional


class MorseError(Exception):
    """Base class of all errors of simulations in process."""

    #: Diagnostics of files: `code`, `severity`, `message`, position, labels, notes and help, as in `morse-sim check --json`.
    diagnostics: List[Dict[str, Any]]

    def __init__(self, text: str, diagnostics: Optional[str] = None):
        super().__init__(text)
        parsed = json.loads(diagnostics) if diagnostics else []
        self.diagnostics = parsed if isinstance(parsed, list) else parsed.get("diagnostics", [parsed])

    def __reduce__(self) -> Any:
        return type(self), (str(self), json.dumps(self.diagnostics))


class SceneError(MorseError, ValueError):
    """The files are invalid; `diagnostics` has all errors, with their positions."""


class AccessError(MorseError, LookupError):
    """A wrong path, field, type or number; or a sensor that has measured nothing yet."""


class ServiceFailed(MorseError):
    """A service failed, was interrupted, or did not answer in time."""


class StateError(MorseError):
    """The snapshot is of another simulation, or there is no state to return to."""


class EnvironmentFault(MorseError, OSError):
    """A file, a port or a thread that cannot be had."""

    def __init__(self, text: str, diagnostics: Optional[str] = None):
        MorseError.__init__(self, text, diagnostics)

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ComponentFault(MorseError):
    """A component that is written in Python raised an exception, which is the cause (`__cause__`). The tick is complete, and
    the simulation can be used: the component's data and drive stayed as they were."""


class ClosedError(MorseError):
    """Use of a simulation after its end, or in a child of its process."""


class InternalError(MorseError):
    """A defect of the simulator. Please report it; the simulation cannot be used any more."""
