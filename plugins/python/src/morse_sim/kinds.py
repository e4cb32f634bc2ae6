"""Sensors, actuators and modifiers that are written in Python.

    @ms.register
    class Altimeter(ms.Sensor):
        \"""Height above a reference.\"""

        kind = "altimeter"
        reference: float = ms.setting(0.0, unit="m", docs="Height that is measured as zero.")
        height: float = ms.output(0.0, unit="m", docs="Height above the reference.")

        def measure(self, context: ms.Context) -> None:
            self.height = context.position[2] - self.reference

Simulation files name it as any other kind: `"altitude": (kind: "altimeter", reference: 0.5)`. Each call costs some
microseconds, and calls of all threads take turns: what runs in each tick of many simulations is better written in Rust.
"""
from __future__ import annotations

import keyword
import re
import sys
import traceback
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type, TypeVar

import numpy

from . import _native

if TYPE_CHECKING:
    from ._native import Context as Context
else:
    Context = _native.Context

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
#: Names that components in simulation files have besides the settings of their kind.
_COMMON = ("kind", "mount", "frequency", "on", "modifiers", "outputs", "inputs", "services", "active", "level", "start", "properties")


class _Field(NamedTuple):
    """Declaration of a field."""

    role: str
    default: Any
    unit: Optional[str]
    docs: str
    low: Optional[float]
    high: Optional[float]


def setting(
    default: Any, *, unit: Optional[str] = None, docs: str = "", low: Optional[float] = None, high: Optional[float] = None
) -> Any:
    """Declares a setting of a kind. Its type is that of the default: a number, an integer, `True` or `False`, a text, a tuple
    of three numbers, a list of numbers, or a list of texts."""
    return _Field("setting", default, unit, docs, low, high)


def output(default: Any, *, unit: Optional[str] = None, docs: str = "") -> Any:
    """Declares a field of a sensor's data, by its value at the start."""
    return _Field("output", default, unit, docs, None, None)


def command(
    default: Any, *, unit: Optional[str] = None, docs: str = "", low: Optional[float] = None, high: Optional[float] = None
) -> Any:
    """Declares a field of an actuator's command, by its value before the first command. Commands beyond `low` and `high` are
    refused."""
    return _Field("command", default, unit, docs, low, high)


class Drive(NamedTuple):
    """What an actuator does to its robot, or to the robot's joints."""

    form: str
    first: Sequence[float] = ()
    second: Sequence[float] = ()
    joints: Sequence[Tuple[str, float]] = ()

    @classmethod
    def velocity(cls, linear: Sequence[float], angular: Sequence[float]) -> "Drive":
        """Sets the velocity of the robot, in its own axes, m/s and rad/s."""
        return cls("velocity", _numbers(linear), _numbers(angular))

    @classmethod
    def wrench(cls, force: Sequence[float], torque: Sequence[float]) -> "Drive":
        """Exerts a force and a torque at the centre of mass, in world axes, N and N·m."""
        return cls("wrench", _numbers(force), _numbers(torque))

    @classmethod
    def thrust(cls, force: Sequence[float], torque: Sequence[float]) -> "Drive":
        """Exerts a force and a torque that turn with the robot, in its own axes, N and N·m."""
        return cls("thrust", _numbers(force), _numbers(torque))

    @classmethod
    def pose(cls, position: Sequence[float], rotation: Sequence[float] = (0.0, 0.0, 0.0, 1.0)) -> "Drive":
        """Puts the robot at a position, m, with a rotation as a quaternion x, y, z, w."""
        return cls("pose", _numbers(position), _numbers(rotation))

    @classmethod
    def positions(cls, joints: Mapping[str, float]) -> "Drive":
        """Moves joints to positions, rad or m."""
        return cls("positions", joints=list(joints.items()))

    @classmethod
    def velocities(cls, joints: Mapping[str, float]) -> "Drive":
        """Moves joints at velocities, rad/s or m/s."""
        return cls("velocities", joints=list(joints.items()))

    @classmethod
    def efforts(cls, joints: Mapping[str, float]) -> "Drive":
        """Exerts efforts of joints, N·m or N."""
        return cls("efforts", joints=list(joints.items()))


def _numbers(values: Any) -> List[float]:
    numbers: List[float] = numpy.asarray(values, numpy.float64).ravel().tolist()
    return numbers


class _Component:
    """What all components have. An object is made for each component of a simulation: its settings are attributes before
    `__init__(self)` is called.

    All other attributes of the object are its state: they are part of hashes, snapshots, resets and forks. They are numbers,
    texts, bytes, lists, tuples, dicts and arrays of numpy. A class with other state defines `__getstate__`, which returns such
    a value, and `__setstate__`."""

    #: Name of the kind in simulation files.
    kind: str = ""


class Sensor(_Component):
    """Base class of sensors. Fields of the data are attributes, declared by `output`."""

    #: Measurements per second; `None` for each tick.
    frequency: Optional[float] = None

    def measure(self, context: Context) -> None:
        """Measures: writes the attributes of the data."""
        raise NotImplementedError


class Actuator(_Component):
    """Base class of actuators. Fields of the command are attributes, declared by `command`, that have the newest values."""

    #: True if the drive sets velocity or pose of the robot: of several such actuators on a robot, one drives at a time.
    moves_robot: bool = False

    def act(self, context: Context) -> Optional[Drive]:
        """Returns the drive until the next call, or `None` to let go."""
        raise NotImplementedError


class Modifier(_Component):
    """Base class of modifiers, of the data of sensors and of the commands of actuators."""

    #: Fields that it requires; it gets only these. By default it gets all fields, whatever they are.
    fields: Sequence[str] = ()

    def modify(self, data: Dict[str, Any], context: Context) -> Optional[bool]:
        """Changes the data in place. The data are lost if it returns `False`."""
        raise NotImplementedError


#: Base classes: name of the family, method that a class defines, and role of its fields besides the settings.
_FAMILIES: Dict[type, Tuple[str, str, Optional[str]]] = {
    Sensor: ("sensor", "measure", "output"), Actuator: ("actuator", "act", "command"), Modifier: ("modifier", "modify", None),
}
C = TypeVar("C", bound=Type[_Component])


def register(cls: C) -> C:
    """Registers a class as a kind, for simulations that are made from now on in this process. A class that is registered later
    under the same name replaces it."""
    base = next((base for base in _FAMILIES if isinstance(cls, type) and issubclass(cls, base)), None)
    if base is None:
        raise TypeError(f"expected a subclass of `Sensor`, `Actuator` or `Modifier`, found {cls!r}")
    family, method, role = _FAMILIES[base]
    if not isinstance(cls.kind, str) or not _NAME.match(cls.kind):
        raise ValueError(f"`{cls.__name__}.kind`: expected a name of small letters, digits and `_`, found {cls.kind!r}")
    if getattr(cls, method) is getattr(base, method):
        raise TypeError(f"`{cls.__name__}` does not define `{method}`")
    fields = _fields(cls)
    wrong = next((name for name, field in fields.items() if field.role not in ("setting", role)), None)
    if wrong is not None:
        raise TypeError(f"`{cls.__name__}.{wrong}`: a {family} has no field declared by `{fields[wrong].role}`")
    frequency = getattr(cls, "frequency", None)
    if frequency is not None and not 0.0 < float(frequency) < float("inf"):
        raise ValueError(f"`{cls.__name__}.frequency`: expected a positive number, found {frequency}")
    _native.register_kind(cls, {
        "family": family, "kind": cls.kind, "docs": _docs(cls), "frequency": frequency,
        "settings": [_declared(cls, name, field) for name, field in fields.items() if field.role == "setting"],
        "data": [_declared(cls, name, field) for name, field in fields.items() if field.role != "setting"],
        "moves_robot": bool(getattr(cls, "moves_robot", False)), "fields": list(getattr(cls, "fields", ())),
    })
    return cls


def _docs(cls: type) -> str:
    return "\n".join(line.strip() for line in (cls.__doc__ or "").strip().splitlines())


def _fields(cls: type) -> Dict[str, _Field]:
    """Declared fields, those of base classes first."""
    declared: Dict[str, _Field] = {}
    for each in reversed(cls.__mro__):
        for name, value in vars(each).items():
            if isinstance(value, _Field):
                declared[name] = value
            else:
                declared.pop(name, None)
    return declared


def _declared(cls: type, name: str, field: _Field) -> Dict[str, Any]:
    attribute = f"`{cls.__name__}.{name}`"
    if not _NAME.match(name) or keyword.iskeyword(name) or (field.role == "setting" and name in _COMMON):
        raise ValueError(f"{attribute}: a field cannot have this name")
    form = _form(field.default)
    if form is None:
        raise TypeError(
            f"{attribute}: expected a number, an integer, `True` or `False`, a text, a tuple of three numbers, a list of numbers or a "
            f"list of texts as the default, found {field.default!r}"
        )
    limits = None
    if field.low is not None or field.high is not None:
        low, high = (float(limit) if limit is not None else bound for limit, bound in ((field.low, -1e9), (field.high, 1e9)))
        if not low <= high:
            raise ValueError(f"{attribute}: the least number, {low}, is greater than the greatest one, {high}")
        limits = (low, high)
    unit = field.unit if field.unit is not None or form in ("flag", "text", "texts") else "1"
    return {"name": name, "form": form, "default": field.default, "unit": unit, "docs": field.docs.strip(), "range": limits}


def _form(default: Any) -> Optional[str]:
    """Name of the type of a field."""
    if isinstance(default, bool):
        return "flag"
    if isinstance(default, int):
        return "integer"
    if isinstance(default, float):
        return "number"
    if isinstance(default, str):
        return "text"
    if not isinstance(default, (list, tuple)):
        return None
    are_numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in default)
    if isinstance(default, tuple):
        return "vector" if are_numbers and len(default) == 3 else None
    if are_numbers:
        return "numbers"
    return "texts" if all(isinstance(each, str) for each in default) else None


def _make(cls: Type[_Component], settings: Dict[str, Any], data: Dict[str, Any]) -> _Component:
    """Makes the object of a component."""
    made = cls.__new__(cls)
    for name, value in (*settings.items(), *data.items()):
        setattr(made, name, value)
    made.__init__()  # type: ignore[misc]
    return made


def _constant(instance: _Component) -> List[str]:
    """Attributes that the simulator sets."""
    return [name for name, field in _fields(type(instance)).items() if field.role != "output"]


def _state(instance: _Component) -> Any:
    """The state of an object, for snapshots and hashes."""
    own = getattr(type(instance), "__getstate__", None)
    if own is not getattr(object, "__getstate__", None):
        return instance.__getstate__()  # type: ignore[attr-defined, unused-ignore]
    constant = _constant(instance)
    return {name: value for name, value in vars(instance).items() if name not in constant}


def _restore(instance: _Component, state: Any) -> None:
    """Sets the state of an object."""
    if hasattr(instance, "__setstate__"):
        instance.__setstate__(state)
        return
    constant = _constant(instance)
    for name in [name for name in vars(instance) if name not in constant and name not in state]:
        delattr(instance, name)
    for name, value in state.items():
        setattr(instance, name, value)


def _own(value: Any) -> Any:
    """A value of the simulator for a modifier, which may change it: arrays are copies."""
    from .simulation import _value

    value = _value(value, {})
    return value.copy() if isinstance(value, numpy.ndarray) else value


def _reading(fields: Dict[str, Any]) -> Any:
    """Data of another sensor."""
    from .simulation import _value

    return _value(fields, {})


def _explained(error: BaseException) -> str:
    """An exception with the file, line and function that raised it."""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    own = sys.modules[__name__].__file__
    frames = traceback.StackSummary.from_list([frame for frame in frames if frame.filename != own])
    return f"{frames[-1].filename}:{frames[-1].lineno}: in `{frames[-1].name}`: {text}" if frames else text


__all__ = ["Actuator", "Context", "Drive", "Modifier", "Sensor", "command", "output", "register", "setting"]
