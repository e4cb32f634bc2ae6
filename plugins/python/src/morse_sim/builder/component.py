"""What all parts of a builder script have in common: pose, name, properties, streams, services."""
from __future__ import annotations

import inspect
import math
from typing import Any, Dict, List, Optional, Sequence

from .blender import Object
from .errors import (
    MorseBuilderAttributeError,
    MorseBuilderBadSyntaxError,
    MorseBuilderError,
    MorseBuilderUnexportableError,
    suggestion,
    warn,
)

MIDDLEWARES = ("socket", "text")
"""Middlewares that there are here."""

ABSENT = ("ros", "yarp", "yarp_json", "moos", "pocolibs", "hla", "mavlink", "pprzlink")
"""Middlewares of MORSE that are not here."""


class timer(float):
    """A number that Blender counts up; here it is a number."""


def middleware(name: str) -> bool:
    """Whether a middleware is here; a name that MORSE does not know either is an error."""
    # MORSE also takes the path of the manager's class.
    word = {
        "morse.middleware.socket_datastream.SocketDatastreamManager": "socket",
        "morse.middleware.socket_request_manager.SocketRequestManager": "socket",
        "morse.middleware.text_datastream.TextDatastreamManager": "text",
    }.get(name, name)
    if word in MIDDLEWARES:
        return True
    if word in ABSENT or word.startswith("morse."):
        warn(f"there is no middleware `{name}` here: what was to go over it stays")
        return False
    raise MorseBuilderError(
        f"unknown middleware `{name}`{suggestion(name, MIDDLEWARES + ABSENT)}"
    )


def vector(values: Sequence[float], what: str) -> List[float]:
    """Three finite numbers."""
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 3 or not all(math.isfinite(value) for value in numbers):
        raise MorseBuilderError(f"{what} takes three numbers, not {values!r}")
    return numbers


class AbstractComponent:
    """Anything that a script creates."""

    components: List["AbstractComponent"] = []
    """All of them, in the order of their creation."""

    _blender_name = "Empty"
    parent: "AbstractComponent"

    def __init__(self, obj: Optional[Object] = None, filename: str = "", category: str = ""):
        self._bpy_object = obj or Object(self._blender_name)
        self._blender_filename = filename
        self._category = category
        self.basename: Optional[str] = None
        self.children: List[AbstractComponent] = []
        self.streams: List[Dict[str, Any]] = []
        self.services: List[str] = []
        self.modifiers: List[Dict[str, Any]] = []
        self.hertz: Optional[float] = None
        self.set: Dict[str, Any] = {}
        self._exportable = True
        AbstractComponent.components.append(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "parent":
            raise AttributeError(name)
        known = [each for each in dir(type(self)) if not each.startswith("_")]
        raise MorseBuilderAttributeError(f"{type(self).__name__} has no `{name}`{suggestion(name, known)}")

    # Names ---------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._bpy_object.name

    @name.setter
    def name(self, value: str) -> None:
        if not value:
            return
        if "." in value:
            raise MorseBuilderBadSyntaxError(f"the name `{value}` has a dot: names are parts of paths")
        self.basename = value
        self._bpy_object.name = value

    def __str__(self) -> str:
        return self.name

    def append(self, obj: "AbstractComponent", child: Optional[str] = None, level: int = 1) -> None:
        """Puts another component on this one; its name is that of the variable that holds it."""
        if child and self.get_child(child) is None:
            raise MorseBuilderError(f"{self.name} has no part `{child}`")
        obj.parent = self
        obj._bpy_object.parent = self._bpy_object
        self.children.append(obj)
        if obj.basename:
            return
        frame = inspect.currentframe()
        for _ in range(level):
            frame = frame.f_back if frame else None
        if frame is None:
            return
        for name, value in named_values(frame).items():
            if value is obj:
                obj.basename = name
                break

    @staticmethod
    def close_context(level: int = 1) -> None:
        """Names what the caller's variables hold; loops need it once a turn."""
        frame = inspect.currentframe()
        for _ in range(level):
            frame = frame.f_back if frame else None
        if frame is not None:
            name_variables(frame)

    def get_child(self, name: str, objects: Any = None, recursive: bool = True) -> Optional[Object]:
        """The part of this name; parts of Blender models are not here."""
        for each in self.children:
            if each.name == name or each.basename == name:
                return each._bpy_object
        for each in self.children if recursive else []:
            child = each.get_child(name)
            if child is not None:
                return child
        return None

    # Pose ----------------------------------------------------------------------------------------

    @property
    def location(self) -> List[float]:
        return self._bpy_object.location

    @location.setter
    def location(self, xyz: Sequence[float]) -> None:
        self._bpy_object.location = vector(xyz, "location")

    @property
    def rotation_euler(self) -> List[float]:
        return self._bpy_object.rotation_euler

    @rotation_euler.setter
    def rotation_euler(self, xyz: Sequence[float]) -> None:
        self._bpy_object.rotation_euler = vector(xyz, "rotation_euler")

    @property
    def scale(self) -> List[float]:
        return self._bpy_object.scale

    @scale.setter
    def scale(self, xyz: Sequence[float]) -> None:
        self._bpy_object.scale = vector(xyz, "scale")

    def translate(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """Moves it; several calls add up."""
        step = vector((x, y, z), "translate")
        self.location = [old + new for old, new in zip(self._bpy_object.location, step)]

    def rotate(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """Adds to its three angles, rad."""
        turn = vector((x, y, z), "rotate")
        self.rotation_euler = [old + new for old, new in zip(self._bpy_object.rotation_euler, turn)]

    # Properties ----------------------------------------------------------------------------------

    def properties(self, **values: Any) -> None:
        """Settings of the component, and properties by which others know it."""
        self._bpy_object.values.update(values)
        self.set.update(values)

    def _defaults(self, **values: Any) -> None:
        """Properties that a class has from the start: they are no user's wish."""
        self._bpy_object.values.update(values)

    def property_value(self, name: str) -> Any:
        return self._bpy_object.values.get(name)

    def level(self, level: str) -> None:
        """How idealised it is."""
        self.properties(abstraction_level=level)

    def frequency(self, frequency: Optional[float] = None) -> None:
        """How often it acts, Hz."""
        if frequency:
            self.hertz = float(frequency)
            self._bpy_object.values["frequency"] = frequency

    # Middlewares -----------------------------------------------------------------------------------

    def add_stream(
        self,
        datastream: str,
        method: Optional[str] = None,
        path: Optional[str] = None,
        classpath: Optional[str] = None,
        direction: Optional[str] = None,
        **settings: Any,
    ) -> None:
        """Sends its readings, or takes its commands, over a middleware."""
        del path, classpath, direction
        self._err_if_not_exportable()
        if middleware(datastream):
            self.streams.append({"middleware": datastream, "method": method, "settings": settings})

    def add_service(self, interface: str, component: Any = None, config: Any = None) -> None:
        """Lets clients of a middleware call its services."""
        del component, config
        if middleware(interface) and interface not in self.services:
            self.services.append(interface)

    def add_interface(self, interface: str, **settings: Any) -> None:
        """Both."""
        self.add_service(interface)
        if self._exportable:
            self.add_stream(interface, **settings)

    def add_overlay(self, datastream: str, overlay: Any, config: Any = None, **settings: Any) -> None:
        del datastream, config, settings
        warn(
            f"{self.name}: the overlay `{overlay}` is written in Python for Blender, and does not run "
            "here; `overlays` of the simulation file do the same"
        )

    def alter(
        self,
        modifier_name: Optional[str] = None,
        classpath: Optional[str] = None,
        direction: Optional[str] = None,
        **settings: Any,
    ) -> None:
        """Changes its data on the way out, or its commands on the way in."""
        del direction
        self.modifiers.append({"key": modifier_name, "classpath": classpath, "settings": settings})

    def is_exportable(self) -> bool:
        return self._exportable

    def mark_unexportable(self) -> None:
        self._exportable = False

    def _err_if_not_exportable(self) -> None:
        if not self._exportable:
            raise MorseBuilderUnexportableError(
                f"{type(self).__name__} `{self.name}` has neither streams nor commands"
            )

    # Looks -----------------------------------------------------------------------------------------

    def set_color(self, r: float = 0.0, g: float = 0.0, b: float = 0.0) -> None:
        warn("set_color has no effect: the models have their colours")

    def profile(self) -> None:
        warn("profile has no effect: there is no window to show it in")

    def select(self) -> None:
        """In Blender, what is selected is worked on; here nothing is."""

    def morseable(self, calling_module: Any = None) -> None:
        """Every component acts."""

    def is_morseable(self) -> bool:
        return self._category in ("sensors", "actuators", "robots")

    def append_meshes(self, objects: Any = None, component: Any = None, prefix: Any = None) -> List[Object]:
        warn(f"{self.name}: meshes out of Blender files are not drawn")
        return [Object(str(each)) for each in objects or ["Mesh"]]

    append_collada = append_meshes


def named_values(frame: Any) -> Dict[str, Any]:
    """Variables of a function, and attributes of the object whose method it is."""
    values = dict(frame.f_locals)
    own = values.get("self")
    if own is not None and hasattr(own, "__dict__"):
        values = {**own.__dict__, **values}
    return values


def name_variables(frame: Any) -> None:
    """Gives what a function's variables hold the names of these variables."""
    for name, value in named_values(frame).items():
        if not isinstance(value, AbstractComponent) or value.basename or name == "self":
            continue
        if "parent" not in value.__dict__:
            value.basename = name
            value._bpy_object.name = name
