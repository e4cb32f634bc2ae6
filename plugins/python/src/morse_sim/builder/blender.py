"""What builder scripts touch of Blender: objects with a pose and game settings, and `bpymorse`."""
from __future__ import annotations

import struct
from typing import Any, Dict, Iterable, List, Optional

from .errors import MorseBuilderNoComponentError, suggestion, warn

GAME = {
    "physics_type": "NO_COLLISION",
    "mass": None,
    "radius": None,
    "form_factor": None,
    "use_actor": False,
    "use_ghost": False,
    "use_sleep": False,
    "use_collision_bounds": False,
    "use_collision_compound": False,
    "collision_bounds_type": "BOX",
    "collision_margin": None,
    "damping": None,
    "rotation_damping": None,
    "lock_location_x": False,
    "lock_location_y": False,
    "lock_location_z": False,
    "lock_rotation_x": False,
    "lock_rotation_y": False,
    "lock_rotation_z": False,
    "velocity_max": None,
    "velocity_min": None,
}
"""Blender's settings of physics, and what they are at first."""

WITHOUT_EFFECT = {"radius", "form_factor", "collision_margin", "velocity_max", "velocity_min"}


def stored(value: Any) -> Any:
    """A property as Blender keeps it: numbers with a point have 32 bits."""
    return struct.unpack("f", struct.pack("f", value))[0] if isinstance(value, float) else value


class Property:
    """A property of an object, as Blender shows it."""

    def __init__(self, owner: Dict[str, Any], name: str):
        self._owner, self._name = owner, name

    @property
    def name(self) -> str:
        return self._name

    @property
    def value(self) -> Any:
        return self._owner[self._name]

    @value.setter
    def value(self, value: Any) -> None:
        self._owner[self._name] = value


class Properties:
    """The properties of an object, by name."""

    def __init__(self, owner: Dict[str, Any]):
        self._owner = owner

    def __getitem__(self, name: str) -> Property:
        if name not in self._owner:
            raise KeyError(name)
        return Property(self._owner, name)

    def __contains__(self, name: object) -> bool:
        return name in self._owner

    def keys(self) -> Iterable[str]:
        return self._owner.keys()

    def items(self) -> List[Any]:
        return [(name, Property(self._owner, name)) for name in self._owner]


class Game:
    """`obj.game`."""

    physics_type: str
    mass: Optional[float]

    def __init__(self, properties: Dict[str, Any]):
        object.__setattr__(self, "properties", Properties(properties))
        for name, value in GAME.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in GAME:
            raise AttributeError(f"Blender's game settings have no `{name}`{suggestion(name, GAME)}")
        if name in WITHOUT_EFFECT:
            warn(f"`game.{name}` has no effect here")
        object.__setattr__(self, name, value)


class Object:
    """A Blender object, as far as scripts can tell."""

    def __init__(self, name: str):
        self.name = name
        self.location = [0.0, 0.0, 0.0]
        self.rotation_euler = [0.0, 0.0, 0.0]
        self.scale = [1.0, 1.0, 1.0]
        self.children: List[Object] = []
        self.parent: Optional[Object] = None
        self.hide = False
        self.hide_render = False
        self.values: Dict[str, Any] = {}
        self.game = Game(self.values)

    def __repr__(self) -> str:
        return f"<object {self.name}>"


class _Module:
    """The functions of MORSE's `bpymorse` that scripts use."""

    def __init__(self) -> None:
        self.named: Dict[str, Object] = {}

    def get_object(self, name: str) -> Object:
        named = self.get_objects().get(name)
        if named is None:
            raise MorseBuilderNoComponentError(
                f"there is no object `{name}`{suggestion(name, self.get_objects())}"
            )
        return named

    def get_objects(self) -> Dict[str, Object]:
        """All objects of the script, and the ones that an environment brings along."""
        from .component import AbstractComponent

        objects = dict(self.named)
        objects.update({each._bpy_object.name: each._bpy_object for each in AbstractComponent.components})
        return objects

    @staticmethod
    def properties(obj: Object, **values: Any) -> None:
        obj.values.update(values)

    @staticmethod
    def get_properties(obj: Object) -> Dict[str, Any]:
        return dict(obj.values)

    @staticmethod
    def version() -> Any:
        return (2, 79, 0)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def nothing(*_arguments: Any, **_named: Any) -> None:
            warn(f"`bpymorse.{name}` has no effect: there is no Blender")

        return nothing


bpymorse = _Module()
