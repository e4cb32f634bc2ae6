"""The roots of MORSE's sensors and actuators, from which scripts may derive."""
from __future__ import annotations

from typing import Any, Optional

from .blender import Object
from .component import AbstractComponent
from .errors import MorseBuilderError, suggestion
from .table import ACTUATORS, SENSORS, Kind, by_classpath


class ComponentCreator(AbstractComponent):
    """A sensor or an actuator."""

    _kind: Optional[str] = None
    """A kind of one's own, which a simulator of one's own has: its properties are its settings."""

    _classpath: Optional[str] = None
    _blendname: Optional[str] = None

    APPEND_EMPTY = 0
    USE_BLEND = 1
    LINK_EXISTING_OBJECT = 2

    def __init__(
        self,
        name: Optional[str],
        category: str,
        action: int = APPEND_EMPTY,
        blendfile: Optional[str] = "",
        blendobject: Optional[str] = None,
        make_morseable: bool = True,
    ):
        del action, blendobject, make_morseable
        self._blender_name = type(self).__name__
        super().__init__(Object(type(self).__name__), filename=blendfile or "", category=category)
        if name:
            self._bpy_object.name = name
            self.basename = name
        entry = self.entry()
        self._defaults(Component_Tag=True, classpath=entry.classpath, **entry.always)
        self.hertz = entry.hertz

    def entry(self) -> Kind:
        """What it is here: by its class, or by the class path that a script gave it."""
        if self._kind:
            return Kind(self._kind, "", is_own=True)
        path = self.set.get("classpath") or type(self).__dict__.get("_classpath")
        named = by_classpath(path) if path else None
        for ancestor in type(self).__mro__:
            for family, table in (("sensors", SENSORS), ("actuators", ACTUATORS)):
                known = table.get(ancestor.__name__)
                if family == self._category and known and path in (None, known.classpath):
                    return known
        if named and named[0] == self._category:
            return named[1]
        own = path or type(self).__name__
        paths = [each.classpath for table in (SENSORS, ACTUATORS) for each in table.values()]
        raise MorseBuilderError(
            f"`{own}` is a component in Python for Blender, which does not run here{suggestion(own, paths)}"
        )


class SensorCreator(ComponentCreator):
    """A sensor."""

    def __init__(self, name: Optional[str] = None, action: int = 0, make_morseable: bool = True):
        super().__init__(name, "sensors", action, self._blendname, make_morseable=make_morseable)


class ActuatorCreator(ComponentCreator):
    """An actuator."""

    def __init__(
        self,
        name: Optional[str] = None,
        action: int = 0,
        blendfile: Optional[str] = None,
        blendobject: Optional[str] = None,
        make_morseable: bool = True,
        **_more: Any,
    ):
        super().__init__(
            name, "actuators", action, blendfile or self._blendname, blendobject, make_morseable
        )
