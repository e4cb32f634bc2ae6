"""Shapes that a script builds from, passive objects and zones."""
from __future__ import annotations

import math
import os
from typing import Any, Dict, List, Optional

from .component import AbstractComponent
from .errors import MorseBuilderError, suggestion, warn
from .things import THINGS, THINGS_OF, Part, PositionedThing, Thing
from .worlds import GRASPABLE


class Mesh(AbstractComponent):
    """A shape. Nothing collides with it unless its object gets a `game.physics_type` that does."""

    _part: Optional[Part] = None

    def __init__(self, name: str):
        super().__init__()
        self._bpy_object.name = name
        self.rgb = (0.8, 0.8, 0.8)

    def color(self, r: float = 0.1, g: float = 0.1, b: float = 0.1) -> None:
        self.rgb = (r, g, b)

    def part(self) -> Optional[Part]:
        """The shape as it is scaled; none where there is nothing but a position."""
        if self._part is None:
            return None
        part = self._part.scaled(self._bpy_object.scale, self.rgb)
        return part._replace(collides=self._bpy_object.game.physics_type != "NO_COLLISION")


class Plane(Mesh):
    """2 x 2 m."""

    _part = Part("box", (2.0, 2.0, 0.002))


class Cube(Mesh):
    """From -1 to 1."""

    _part = Part("box", (2.0, 2.0, 2.0))


class Sphere(Mesh):
    """Of 1 m radius."""

    _part = Part("sphere", (1.0,))


class IcoSphere(Sphere):
    """Of 1 m radius."""


class Cylinder(Mesh):
    """Of 1 m radius, from -1 to 1 along z."""

    _part = Part("cylinder", (1.0, 2.0))


class Cone(Mesh):
    """Of 1 m radius at z = -1, pointed at z = 1."""

    _part = Part("cone", (1.0, 0.0, 2.0))


class Torus(Mesh):
    """Drawn in Blender; here there is nothing to draw."""


class Empty(Mesh):
    """A position."""


class Coordsys(Mesh):
    """A position with axes."""


class Spot(AbstractComponent):
    """A lamp, which is for the eye only."""

    def __init__(self, name: str, lamp_type: str = "SPOT"):
        super().__init__()
        self._bpy_object.name = name
        self.rotate(y=-math.pi / 2)


class Camera(AbstractComponent):
    """A view, which is for the eye only."""

    def __init__(self, name: str):
        super().__init__()
        self._bpy_object.name = name


class PassiveObject(AbstractComponent):
    """A thing of MORSE's library, or a scene file (`.robray`)."""

    def __init__(
        self, filename: str = "props/objects", prefix: Optional[str] = None, keep_pose: bool = False
    ):
        super().__init__(filename=filename)
        self.keep_pose = keep_pose
        self.file: Optional[str] = None
        self.thing: Optional[Thing] = None
        if filename.endswith(".robray"):
            self.file = os.path.abspath(filename)
            if not os.path.isfile(self.file):
                raise FileNotFoundError(f"PassiveObject: there is no file `{filename}`")
        elif filename.endswith(".blend"):
            raise MorseBuilderError(
                f"`{filename}` is a Blender file, which nothing here can read; write the thing as a scene "
                "(`.robray`) and name that instead"
            )
        else:
            self.thing, at = self._find(filename, prefix)
            if keep_pose:
                self.location = at
        self._bpy_object.name = prefix or os.path.splitext(os.path.basename(filename))[0]
        self._defaults(Label=self._bpy_object.name, Description="", Type="Object", Graspable=False)
        if filename.startswith("environments/"):
            # What it has in its file.
            self._defaults(Object=True, Graspable=prefix in GRASPABLE)

    @staticmethod
    def _find(filename: str, prefix: Optional[str]) -> PositionedThing:
        folder, _, environment = filename.partition("/")
        things: Dict[str, PositionedThing] = {name: (thing, (0.0, 0.0, 0.0)) for name, thing in THINGS.items()}
        if folder == "environments":
            things = THINGS_OF.get(environment) or THINGS_OF.get(f"{environment}/{environment}") or {}
            if not things:
                raise MorseBuilderError(
                    f"there are no objects to take out of `{filename}`{suggestion(environment, THINGS_OF)} "
                    f"(known: {', '.join(f'environments/{name}' for name in THINGS_OF)})"
                )
        # As in MORSE, the beginning of a name will do.
        matches: List[str] = [name for name in things if prefix and name.startswith(prefix)]
        if not matches and prefix:
            matches = [name for name in things if prefix.startswith(name)]
        if not matches:
            wanted = prefix or filename
            raise MorseBuilderError(
                f"there is no object `{wanted}` of `{filename}`{suggestion(wanted, things)} "
                f"(known: {', '.join(sorted(things))})"
            )
        return things[matches[0]]

    def setgraspable(self) -> None:
        """Lets grippers take it."""
        self.properties(Object=True, Graspable=True)


class Zone(AbstractComponent):
    """A box along the axes that nothing sees or touches; `size` is half of its sides."""

    def __init__(self, type: str):
        super().__init__()
        self.type = type
        self._bpy_object.name = "Zone"
        self._defaults(Zone_Tag=True, Type=type)

    @property
    def size(self) -> List[float]:
        return self._bpy_object.scale

    @size.setter
    def size(self, value: Any) -> None:
        self.scale = value

    def rotate(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        warn("zones lie along the axes: rotate has no effect")
