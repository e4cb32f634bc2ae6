"""MORSE's actuators."""
from __future__ import annotations

import os
from typing import Any, Dict, Optional, Tuple

from .creator import ActuatorCreator
from .errors import MorseBuilderError, suggestion
from .worlds import ARMS


def _make(name: str, doc: str) -> type:
    """A class of actuator that only differs by its kind."""
    return type(name, (ActuatorCreator,), {"__doc__": doc, "__module__": __name__})


Arucomarker = _make("Arucomarker", "A marker that is put somewhere.")
Destination = _make("Destination", "Straight to a point.")
ExternalForce = _make("ExternalForce", "A force in the world's axes.")
ForceTorque = _make("ForceTorque", "A force.")
Gripper = _make("Gripper", "Takes what is near.")
Light = _make("Light", "A lamp.")
MotionVW = _make("MotionVW", "Speed ahead, and turning rate.")
MotionVWDiff = _make("MotionVWDiff", "Speed and turning rate by the wheels.")
MotionXYW = _make("MotionXYW", "Speed ahead and to the left, and turning rate.")
Orientation = _make("Orientation", "Angles.")
PTU = _make("PTU", "Pan and tilt.")
QuadrotorDynamicControl = _make("QuadrotorDynamicControl", "Speeds of four propellers.")
RotorcraftAttitude = _make("RotorcraftAttitude", "Angles and thrust.")
RotorcraftVelocity = _make("RotorcraftVelocity", "Speed in the air.")
RotorcraftWaypoint = _make("RotorcraftWaypoint", "Flies to a point.")
StabilizedQuadrotor = _make("StabilizedQuadrotor", "Angles and height.")
SteerForce = _make("SteerForce", "Steering, force and brake of a car.")
Teleport = _make("Teleport", "Puts the robot somewhere.")


class Waypoint(ActuatorCreator):
    """Drives to a point."""

    def add_lr_radars(self) -> None:
        """It has its two radars."""


class _Silent(ActuatorCreator):
    """Neither streams nor commands."""

    def __init__(self, name: Optional[str] = None):
        super().__init__(name)
        self.mark_unexportable()


class Drag(_Silent):
    """What the air takes."""


class Keyboard(_Silent):
    """Driving by keys."""


class Joystick(_Silent):
    """Driving by a stick."""

    def __init__(self, name: Optional[str] = None, index: int = 0):
        super().__init__(name)
        self.index = index


class Sound(ActuatorCreator):
    """A sound."""

    def open(self, filepath: str) -> None:
        with open(filepath, "rb"):
            pass
        self.properties(file=os.path.abspath(filepath))


class MocapControl(ActuatorCreator):
    """There is none in MORSE either."""

    def __init__(self, name: Optional[str] = None):
        del name
        raise MorseBuilderError("MocapControl has no implementation in MORSE, and none here")


class Armature(ActuatorCreator):
    """Moves the joints of a robot, or of an arm that is put on it."""

    def __init__(
        self,
        name: Optional[str] = None,
        armature_name: Optional[str] = None,
        model_name: Optional[str] = None,
    ):
        if not armature_name and not model_name:
            raise MorseBuilderError("an Armature needs `armature_name` or `model_name`")
        super().__init__(name)
        self.joints: Tuple[str, ...] = ()
        self.targets: Dict[str, str] = {}
        self.arm: Optional[str] = None
        self.file: Optional[str] = None
        self._defaults(armature_name=armature_name or "")
        if not model_name:
            return
        if model_name.endswith(".robray"):
            self.file = os.path.abspath(model_name)
        elif model_name in ARMS:
            self.arm = model_name
            self.joints = ARMS[model_name]["joints"]
        else:
            raise MorseBuilderError(
                f"there is no arm `{model_name}`{suggestion(model_name, ARMS)} (known: {', '.join(ARMS)})"
            )

    def create_ik_targets(self, bones: Any) -> None:
        """Every joint can be a target of inverse kinematics."""
        del bones


class KukaLWR(Armature):
    """An arm of seven joints."""

    def __init__(self, name: Optional[str] = None):
        super().__init__(name, model_name="kuka_lwr")


class PA10(ActuatorCreator):
    """An arm of six joints."""

    def __init__(self, name: Optional[str] = None):
        super().__init__(name)
        self.arm: Optional[str] = "pa_10"
        self.file: Optional[str] = None
        self.joints: Tuple[str, ...] = ARMS["pa_10"]["joints"]
