"""MORSE's robots."""
from __future__ import annotations

import os
from typing import Any, Optional, Sequence

from .actuators import Armature, Keyboard, MotionXYW
from .component import AbstractComponent, middleware
from .errors import MorseBuilderError, warn
from .sensors import ArmaturePose, CompoundSensor, Hokuyo, Odometry, Pose
from .table import JOINT_STATE
from .worlds import BLENDER_FILES, HUMAN_JOINTS, HUMAN_TARGETS, PR2_ARMATURES, ROBOTS, Model


class Robot(AbstractComponent):
    """A robot; `filename` may be a model (`.robray`)."""

    overlay: Optional[str] = None
    """The kind of overlay that has the services of its class."""

    def __init__(self, filename: str = "", name: Optional[str] = None):
        self._blender_name = type(self).__name__
        super().__init__(filename=filename, category="robots")
        self.model = self._model(filename)
        self._bpy_object.location = list(self.model.start)
        self._bpy_object.rotation_euler = [0.0, 0.0, self.model.faces]
        physics = {"dynamic": "RIGID_BODY", "kinematic": "NO_COLLISION"}
        self._bpy_object.game.physics_type = physics[self.model.base]
        self._defaults(Robot_Tag=True)
        self.default_interface: Optional[str] = None
        self.friction: Optional[float] = None
        if name:
            self.name = name

    def _model(self, filename: str) -> Model:
        if filename.endswith(".robray"):
            path = os.path.abspath(filename)
            if not os.path.isfile(path):
                raise FileNotFoundError(f"{type(self).__name__}: there is no file `{filename}`")
            return Model(path, is_own=True)
        for ancestor in type(self).__mro__:
            if ancestor.__name__ in ROBOTS:
                return ROBOTS[ancestor.__name__]
        if filename in BLENDER_FILES:
            return ROBOTS[BLENDER_FILES[filename]]
        if filename:
            raise MorseBuilderError(
                f"the robot `{filename}` is a Blender file, which nothing here can read; write its model as "
                "a scene (`.robray`) and name that instead"
            )
        return ROBOTS["FakeRobot"]

    def set_friction(self, friction: float = 0.0) -> None:
        """Of all its surfaces."""
        self.friction = float(friction)

    def set_mass(self, mass: float) -> None:
        self._bpy_object.game.mass = float(mass)

    def add_default_interface(self, stream: str) -> None:
        """Streams and services for every component that has none, also of later ones."""
        if middleware(stream):
            self.default_interface = stream

    def add_interface(self, interface: str, **settings: Any) -> None:
        """A robot has services, but no data of its own."""
        del settings
        self.add_service(interface)

    def set_rigid_body(self) -> None:
        self._bpy_object.game.physics_type = "RIGID_BODY"

    def set_dynamic(self) -> None:
        self._bpy_object.game.physics_type = "DYNAMIC"

    def set_no_collision(self) -> None:
        self._bpy_object.game.physics_type = "NO_COLLISION"

    def set_physics_type(self, physics_type: str = "STATIC") -> None:
        self._bpy_object.game.physics_type = physics_type

    def set_collision_bounds(self) -> None:
        """The models have their shapes."""

    def set_use_record_animation(self, value: bool = True) -> None:
        del value
        warn("set_use_record_animation has no effect: there is no animation")

    def make_external(self) -> None:
        self.set_no_collision()
        warn(f"{self.name}: robots of other nodes stay where they are: there is one node")

    def make_ghost(self, alpha: float = 0.3) -> None:
        del alpha
        self.set_no_collision()
        warn(f"{self.name}: a ghost moves past physics here, but is still seen and touched")

    def make_grasper(self, obj_name: str) -> None:
        warn(f"make_grasper({obj_name!r}) has no effect: use a Gripper")


class GroundRobot(Robot):
    """A robot that falls and tilts while it is driven."""

    def __init__(self, filename: str = "", name: Optional[str] = None):
        super().__init__(filename, name)
        self._defaults(GroundRobot=True)


class WheeledRobot(GroundRobot):
    """A robot whose wheels turn."""

    def unparent_wheels(self) -> None:
        """The wheels are joints of the model."""


def _make(name: str, parent: type, file: str, doc: str, **properties: Any) -> type:
    """A class of robot that only differs by its model."""

    def __init__(self: Any, name: Optional[str] = None) -> None:
        parent.__init__(self, file, name)
        self._defaults(**properties)

    return type(name, (parent,), {"__init__": __init__, "__doc__": doc, "__module__": __name__})


ATRV = _make("ATRV", GroundRobot, "atrv", "Four wheels, skid-steered.")
B21 = _make("B21", GroundRobot, "b21", "A round column.")
FakeRobot = _make("FakeRobot", Robot, "", "Nothing but a place for sensors.")
Hummer = _make("Hummer", GroundRobot, "hummer", "A car.")
Jido = _make("Jido", GroundRobot, "jido", "A mobile manipulator's base.")
PatrolBot = _make("PatrolBot", WheeledRobot, "patrolbot", "Two wheels and a load.")
Pioneer3DX = _make(
    "Pioneer3DX", WheeledRobot, "pioneer3dx", "Two wheels and a caster.", FixTurningSpeed=0.52
)
QUAD2012 = _make("QUAD2012", Robot, "quadrotor", "A quadrotor that is calculated.")
Quadrotor = _make("Quadrotor", Robot, "quadrotor_dynamic", "A quadrotor that physics moves.")
RMax = _make("RMax", Robot, "rmax", "A helicopter.", NoGravity=True)
SegwayRMP400 = _make(
    "SegwayRMP400", WheeledRobot, "segwayrmp400", "Four driven wheels.", FixTurningSpeed=1.16
)
Submarine = _make("Submarine", Robot, "submarine", "A torpedo with fins.", NoGravity=True)


class Morsy(GroundRobot):
    """The mascot."""

    def __init__(self, name: Optional[str] = None):
        super().__init__("morsy", name)

    def set_color(self, color: Sequence[float] = (0.0, 0.0, 0.8)) -> None:  # type: ignore[override]
        super().set_color(*color)


class Victim(GroundRobot):
    """Somebody who needs help."""

    def __init__(self, name: Optional[str] = None):
        super().__init__("victim", name)
        self._defaults(Victim_Tag=True, Requirements="1,2,3", Injured=True, Severity=10)


class Human(GroundRobot):
    """A person with a posture."""

    overlay = "human"

    def __init__(self, filename: str = "human_rig", name: Optional[str] = None):
        super().__init__(filename, name)
        self.skeleton = Armature(armature_name="HumanSkeleton")
        self.skeleton.joints = HUMAN_JOINTS
        self.skeleton.targets = dict(HUMAN_TARGETS)
        self.append(self.skeleton)
        self.joint_states = ArmaturePose("joint_states")
        self.skeleton.append(self.joint_states)

    def add_interface(self, interface: str, **settings: Any) -> None:
        self.joint_states.add_stream(interface, **settings)
        self.joint_states.add_service(interface)
        self.skeleton.add_service(interface)


class BarePR2(GroundRobot):
    """A PR2 as it stands."""

    def __init__(self, name: Optional[str] = None):
        super().__init__("pr2", name)

    def set_color(self, color: Sequence[float] = (0.0, 0.0, 0.8)) -> None:  # type: ignore[override]
        super().set_color(*color)


class BasePR2(BarePR2):
    """With its four armatures, and all joints in one sensor."""

    overlay = "pr2"

    def __init__(self, name: Optional[str] = None):
        super().__init__(name)
        self.torso, self.torso_pose = self._armature("torso", self)
        self.head, self.head_pose = self._armature("head", self.torso)
        self.l_arm, self.l_arm_pose = self._armature("l_arm", self.torso)
        self.r_arm, self.r_arm_pose = self._armature("r_arm", self.torso)
        poses = [self.torso_pose, self.head_pose, self.l_arm_pose, self.r_arm_pose]
        self.joint_state = CompoundSensor(poses)
        self.joint_state.basename = "joint_state"
        self.append(self.joint_state)

    @staticmethod
    def _armature(name: str, parent: AbstractComponent) -> Any:
        armature = Armature(armature_name=f"{name}_armature")
        armature.joints = PR2_ARMATURES[f"{name}_armature"]
        armature.basename = name
        pose = ArmaturePose()
        pose.basename = "pose"
        armature.append(pose)
        parent.append(armature)
        return armature, pose

    def add_interface(self, interface: str, **settings: Any) -> None:
        if interface == "socket":
            self.joint_state.add_stream("socket", JOINT_STATE, **settings)
            for armature in (self.torso, self.head, self.l_arm, self.r_arm):
                armature.add_service("socket")
        else:
            middleware(interface)

    def _driven(self, with_keyboard: bool) -> None:
        self.motion = MotionXYW()
        self.motion.properties(ControlType="Position")
        self.motion.basename = "motion"
        self.append(self.motion)
        if with_keyboard:
            keyboard = Keyboard()
            self.append(keyboard)


class LocalizedPR2(BasePR2):
    """That drives, and knows where it is."""

    def __init__(self, name: Optional[str] = None, with_keyboard: bool = True, show_laser: bool = False):
        del show_laser
        super().__init__(name)
        self._driven(with_keyboard)
        self.pose = Pose()
        self.append(self.pose)


class NavPR2(BasePR2):
    """That drives, counts its way, and scans."""

    def __init__(self, name: Optional[str] = None, with_keyboard: bool = True, show_laser: bool = False):
        super().__init__(name)
        self._driven(with_keyboard)
        self.odometry = Odometry()
        self.append(self.odometry)
        self.base_scan = Hokuyo()
        self.base_scan.translate(x=0.275, z=0.252)
        self.base_scan.properties(
            Visible_arc=show_laser, laser_range=30.0, resolution=1.0, scan_window=180.0
        )
        self.append(self.base_scan)
