"""Arms that a script puts on robots: parts of them, each with frames and joints of its own."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

from .rotation import compose
from .ron import Fields
from .scenery import first_frame, raised
from .worlds import ARMS


class Arm(NamedTuple):
    """An arm on a robot."""

    name: str
    """Its name there."""
    file: str
    root: str
    """Its first frame."""
    tip: Optional[str]
    component: Any

    def prefixed(self, name: str) -> str:
        """What the robot calls one of its frames or joints."""
        return f"{self.name}.{name}"

    def fields(self, robot: Any) -> Fields:
        """Where it is, in the simulation file."""
        from .fields import pose_fields

        pose = (self.component.location, self.component.rotation_euler)
        model = robot.model
        if model.faces:
            pose = compose(((0.0, 0.0, 0.0), (0.0, 0.0, model.faces)), pose)
        pose = (raised(model, pose[0]), pose[1])
        fields = Fields(model=self.file)
        if not model.is_own:
            fields["frame"] = model.root
        if any(pose[0]) or any(pose[1]):
            fields["at"] = pose_fields(pose)
        return fields


def carried(named: Any) -> Optional[Arm]:
    """The arm that a component is, if it is one."""
    component = named.component
    arm, file = getattr(component, "arm", None), getattr(component, "file", None)
    # Sounds have files, too.
    if not hasattr(component, "arm") or not (arm or file):
        return None
    name = named.name.replace(".", "_")
    if arm:
        return Arm(name, ARMS[arm]["file"], ARMS[arm]["root"], ARMS[arm]["tip"], component)
    return Arm(name, file, first_frame(file), None, component)
