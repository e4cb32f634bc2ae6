"""MORSE's builder: a script says what there is, and a simulation file comes of it.

`from morse.builder import *` in a script that `morse run` starts is this. What can be said is MORSE's; what
has no meaning without Blender is accepted with a warning; what nobody knows is an error.
"""
from .actuators import *  # noqa: F401,F403
from .blender import bpymorse
from .component import AbstractComponent, timer
from .creator import ActuatorCreator, ComponentCreator, SensorCreator
from .environment import Environment, TimeStrategies
from .errors import *  # noqa: F401,F403
from .primitives import (
    Camera,
    Cone,
    Coordsys,
    Cube,
    Cylinder,
    Empty,
    IcoSphere,
    Mesh,
    PassiveObject,
    Plane,
    Sphere,
    Spot,
    Torus,
    Zone,
)
from .robots import *  # noqa: F401,F403
from .sensors import *  # noqa: F401,F403

__all__ = [  # noqa: PLE0604
    name
    for name, value in list(globals().items())
    if not name.startswith("_")
    and (isinstance(value, type) or value is bpymorse)
    and name not in ("Any", "Model", "Optional", "Sequence", "Tuple", "List", "Warnings")
]
