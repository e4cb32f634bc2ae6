"""morse-sim from Python: simulations in process (`Simulation`), environments to learn in (`gym`), batches of runs
(`batch`), MORSE's builder scripts
(`builder`), its launcher, and a client (`client`)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import batch as batch
    from . import gym as gym
    from .errors import AccessError as AccessError
    from .errors import ClosedError as ClosedError
    from .errors import ComponentFault as ComponentFault
    from .errors import EnvironmentFault as EnvironmentFault
    from .errors import InternalError as InternalError
    from .errors import MorseError as MorseError
    from .errors import SceneError as SceneError
    from .errors import ServiceFailed as ServiceFailed
    from .errors import StateError as StateError
    from .kinds import Actuator as Actuator
    from .kinds import Context as Context
    from .kinds import Drive as Drive
    from .kinds import Modifier as Modifier
    from .kinds import Sensor as Sensor
    from .kinds import command as command
    from .kinds import output as output
    from .kinds import register as register
    from .kinds import setting as setting
    from .mechanism import Mechanism as Mechanism
    from .scene import Collision as Collision
    from .scene import SceneQuery as SceneQuery
    from .simulation import Component as Component
    from .simulation import Data as Data
    from .simulation import Field as Field
    from .simulation import Film as Film
    from .simulation import Page as Page
    from .simulation import Simulation as Simulation
    from .simulation import Snapshot as Snapshot

_FROM = {
    **dict.fromkeys(
        (
            "AccessError", "ClosedError", "ComponentFault", "EnvironmentFault", "InternalError", "MorseError", "SceneError",
            "ServiceFailed", "StateError",
        ),
        "errors",
    ),
    **dict.fromkeys(
        ("Actuator", "Context", "Drive", "Modifier", "Sensor", "command", "output", "register", "setting"), "kinds",
    ),
    "Mechanism": "mechanism",
    **dict.fromkeys(("Collision", "SceneQuery"), "scene"),
    **dict.fromkeys(("Component", "Data", "Field", "Film", "Page", "Simulation", "Snapshot"), "simulation"),
    "batch": "batch",
    "gym": "gym",
}


def __getattr__(name: str) -> Any:
    """Imports the native core at its first use, which builder scripts and clients do not need."""
    import importlib

    if name not in _FROM:
        raise AttributeError(f"module `morse_sim` has no attribute `{name}`")
    module = importlib.import_module(f"{__name__}.{_FROM[name]}")
    return module if _FROM[name] == name else getattr(module, name)


def __dir__() -> List[str]:
    return sorted({*globals(), *_FROM})
