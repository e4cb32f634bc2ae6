"""Scenes and models of a script's own: what it adds to an environment, and arms that it puts on robots."""
from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .blender import bpymorse
from .errors import MorseBuilderError
from .primitives import PassiveObject
from .rotation import Pose
from .ron import number
from .things import Part
from .worlds import Model


def first_frame(path: str) -> str:
    """The root of a model."""
    with open(path, encoding="utf-8") as file:
        frame = re.search(r'^frame\s+"?([^"\s{]+)', file.read(), re.MULTILINE)
    if frame is None:
        raise MorseBuilderError(f"`{path}` has no frame")
    return frame.group(1)


def _numbers(values: Sequence[float]) -> str:
    return "[" + ", ".join(number(float(f"{float(value):.12g}") + 0.0) for value in values) + "]"


def _name(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) else f'"{name}"'


def _pose(at: Sequence[float], rotation: Sequence[float]) -> List[str]:
    lines = []
    if any(at):
        lines.append(f"translation {_numbers(at)};")
    if any(rotation):
        lines.append(f"rpy {_numbers(rotation)};")
    return lines


def _shape(part: Part) -> str:
    words = {
        "box": lambda size: f"shape box; dimension {_numbers(size)};",
        "sphere": lambda size: f"shape sphere; radius {number(size[0])};",
        "cylinder": lambda size: f"shape cylinder; radius {number(size[0])}; height {number(size[1])};",
        "cone": lambda size: (
            f"shape cone; start_radius {number(size[0])}; end_radius {number(size[1])}; "
            f"height {number(size[2])};"
        ),
    }
    line = f"geometry {{ {words[part.shape](part.size)} color {_numbers(part.color)}; friction {number(part.friction)};"
    if part.restitution is not None:
        line += f" restitution {number(part.restitution)};"
    if not part.collides:
        line += " collision 0;"
    if not part.drawn:
        line += " visual 0;"
    return line + " }"


def _frame(name: str, lines: List[str]) -> List[str]:
    return [f"frame {_name(name)} {{", *(f"  {line}" for line in lines), "}"]


def raised(model: Model, at: Sequence[float]) -> Sequence[float]:
    """The position in the frame of the model, whose origin may be lower than that of the robot."""
    return (at[0], at[1], at[2] + model.physics.origin)


class Scenery:
    """What is added to an environment."""

    def __init__(self, environment: str):
        self.environment = environment
        self.frames: List[List[str]] = []
        self.names: set = set(bpymorse.named)
        self.models: Dict[str, Tuple[Model, Dict[str, Pose]]] = {}

    def add(self, thing: Any) -> Optional[bool]:
        """Adds a thing; whether forces move it, or nothing if there is no need to know of it."""
        parts: List[Part] = []
        lines = _pose(thing.location, thing.rotation_euler)
        is_dynamic = False
        if isinstance(thing, PassiveObject):
            if thing.file:
                # Of two frames of one name the first says where it is: the file's own comes second.
                return self._add_file(thing, lines)
            if thing.thing:
                parts, is_dynamic = list(thing.thing.parts), thing.thing.is_dynamic
        else:
            part = thing.part()
            if part is None and not thing.set:
                return None
            parts = [part] if part else []
        name, count = re.sub(r"[^A-Za-z0-9_-]", "_", thing.name), 0
        while name in self.names:
            count += 1
            name = f"{thing.name}_{count:03d}"
        self.names.add(name)
        thing._bpy_object.name = name
        for index, part in enumerate(parts, 1):
            inner = _pose(part.at, (0.0, 0.0, 0.0))
            if part.mass is not None:
                inner.append(f"mass {number(part.mass)};")
            lines += _frame(f"{name}_part_{index}", [*inner, _shape(part)])
        self.frames.append(_frame(name, lines))
        return is_dynamic

    def _add_file(self, thing: Any, lines: List[str]) -> bool:
        name = first_frame(thing.file)
        if name in self.names:
            raise MorseBuilderError(f"`{thing.file}` is there twice, and would have the frame `{name}` twice")
        self.names.add(name)
        thing._bpy_object.name = name
        self.frames.append([*_frame(name, lines), f'include "{thing.file}"'])
        return False

    def scene(self) -> str:
        """The text of the scene."""
        blocks = [f'include "{self.environment}"', *("\n".join(frame) for frame in self.frames)]
        return "\n\n".join(blocks) + "\n"

    @staticmethod
    def model(model: Model, marks: Dict[str, Pose]) -> str:
        """The text of a robot with frames that others name."""
        blocks = [f'include "{model.file}"']
        for name, pose in marks.items():
            at, rotation = pose
            lines = [f"parent {_name(model.root)};", *_pose(raised(model, at), rotation)]
            blocks.append("\n".join(_frame(name, lines)))
        return "\n\n".join(blocks) + "\n"
