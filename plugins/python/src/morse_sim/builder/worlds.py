"""What MORSE's robots and environments are called here, and how they start. To correct besides `table`."""
from __future__ import annotations

import math
import re
from typing import Any, Dict, NamedTuple, Optional, Tuple

from .physics import PHYSICS, Physics


class Model(NamedTuple):
    """A robot: its model, and how MORSE has it."""

    file: str
    root: str = "base"
    """Its first frame, on which arms stand."""
    base: str = "dynamic"
    start: Tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where it is before it is moved."""
    faces: float = 0.0
    """The angle by which MORSE's axes are turned against those of the model, rad."""
    is_ground: bool = True
    """Falls and tilts while a velocity is commanded."""
    joints: Tuple[str, ...] = ()
    """What its armatures pose."""
    physics: Physics = Physics()
    is_own: bool = False
    """A file of the user's, of whose frames nothing is known."""


_HUMAN_SIDES = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist", "hip_pitch", "hip_roll",
                "hip_yaw", "knee", "ankle")
HUMAN_JOINTS = ("spine_yaw", "spine_pitch", "neck_yaw", "neck_pitch") + tuple(
    f"{joint}_{side}" for side in ("left", "right") for joint in _HUMAN_SIDES
)
HUMAN_TARGETS = {
    "neck_pitch": "head", "wrist_left": "wrist_L", "wrist_right": "wrist_R", "ankle_left": "foot_L", "ankle_right": "foot_R",
}
"""What the targets of a person's inverse kinematics are called in MORSE, by the last joint before each."""
_PR2_ARM = ("shoulder_pan", "shoulder_lift", "upper_arm_roll", "elbow_flex", "forearm_roll", "wrist_flex",
            "wrist_roll")
PR2_ARMATURES: Dict[str, Tuple[str, ...]] = {
    "torso_armature": ("torso_lift_joint",),
    "head_armature": ("head_pan_joint", "head_tilt_joint"),
    "l_arm_armature": tuple(f"l_{joint}_joint" for joint in _PR2_ARM),
    "r_arm_armature": tuple(f"r_{joint}_joint" for joint in _PR2_ARM),
}
_PR2_GRIPPERS = ("l_gripper_joint", "r_gripper_joint")
_PR2_JOINTS = tuple(joint for joints in PR2_ARMATURES.values() for joint in joints) + _PR2_GRIPPERS

ROBOTS: Dict[str, Model] = {
    "ATRV": Model("robots/atrv.robray", start=(0.0, 0.0, 0.1)),
    "B21": Model("robots/b21.robray"),
    "BarePR2": Model("robots/pr2.robray", "base_footprint", "kinematic", joints=_PR2_JOINTS),
    "FakeRobot": Model("robots/fake_robot.robray", base="kinematic", is_ground=False),
    "Hummer": Model("robots/hummer.robray", faces=-math.pi / 2),
    "Human": Model("robots/human.robray", "pelvis", "kinematic", joints=HUMAN_JOINTS),
    "Jido": Model("robots/jido.robray"),
    "Morsy": Model("robots/morsy.robray"),
    "PatrolBot": Model("robots/patrolbot.robray", start=(0.0, 0.0, 0.17)),
    "Pioneer3DX": Model("robots/pioneer3dx.robray", start=(0.0, 0.0, 0.1)),
    "QUAD2012": Model("robots/quad2012.robray", base="kinematic", is_ground=False),
    "Quadrotor": Model("robots/quadrotor.robray", is_ground=False),
    "RMax": Model("robots/rmax.robray", is_ground=False),
    "SegwayRMP400": Model("robots/segway_rmp400.robray", start=(0.0, 0.0, 0.15)),
    "Submarine": Model("robots/submarine.robray", is_ground=False),
    "Victim": Model("robots/victim.robray"),
}

for _class, _physics in PHYSICS.items():
    ROBOTS[_class] = ROBOTS[_class]._replace(physics=_physics)

BLENDER_FILES = {
    "atrv": "ATRV", "b21": "B21", "pr2": "BarePR2", "hummer": "Hummer", "human_rig": "Human", "jido": "Jido",
    "morsy": "Morsy", "patrolbot": "PatrolBot", "pioneer3dx": "Pioneer3DX", "quadrotor": "QUAD2012",
    "quadrotor_dynamic": "Quadrotor", "rmax": "RMax", "segwayrmp400": "SegwayRMP400", "submarine": "Submarine",
    "victim": "Victim",
}
"""MORSE's files of robots, which scripts may name instead of classes: `Robot("atrv")`."""

ARMS: Dict[str, Dict[str, Any]] = {
    "kuka_lwr": {
        "file": "arms/kuka_lwr.robray",
        "root": "kuka_base",
        "tip": "kuka_tip",
        "joints": tuple(f"kuka_{number}" for number in range(1, 8)),
    },
    "pa_10": {
        "file": "arms/pa10.robray",
        "root": "pa10_base",
        "tip": "pa10_tip",
        "joints": tuple(f"seg{number}" for number in range(6)),
    },
}
"""Models of arms, which are put on robots as parts of them."""

INTERNAL = {
    "classpath", "Robot_Tag", "Component_Tag", "GroundRobot", "NoGravity", "HasSuspension", "HasSteering",
    "Influence", "Friction", "FixTurningSpeed", "WheelFLName", "WheelFRName", "WheelRLName", "WheelRRName",
    "CasterWheelName", "COLOR", "brakes", "friction", "force", "steer", "init", "cid", "frequency",
    "abstraction_level", "External_Robot_Tag",
}
"""Properties of robots by which nobody else knows them."""


class Lamp(NamedTuple):
    """Shines to all sides, with half of its strength at a distance."""

    at: Tuple[float, float, float]
    distance: float
    strength: float = 1.0


class World(NamedTuple):
    """An environment."""

    scene: str
    boxes: Tuple[Tuple[str, float], ...] = ()
    """What forces move in it, and its mass, kg."""
    stand_in: Optional[str] = None
    """What is to be said of an environment that is not MORSE's."""
    floor: str = "ground"
    """The frame that answers to `Ground`; none if it is empty."""
    furniture: Tuple[str, ...] = ()
    """What forces do not move, but clients do."""
    lamps: Tuple["Lamp", ...] = ()
    """Its only light, if there are any."""


GROUND = "Ground"
"""What MORSE calls the floors of its environments."""


def floor_of(path: str) -> str:
    """The floor of a scene file: its frame of that name, if there is one."""
    with open(path, encoding="utf-8") as file:
        ground = re.search(r'^frame\s+"?(ground)\b', file.read(), re.MULTILINE | re.IGNORECASE)
    return ground.group(1) if ground else ""


_OTHER = "MORSE's `{name}` is not here; `{scene}` stands in for it"
_HALL_BOXES = (("RedBox", 1.0), ("BlueBox", 1.0), ("GreenBox", 1.0))
_INDOOR_FURNITURE = (*(f"desk_{n}" for n in range(1, 5)), "shelf_1", "shelf_2", "shelf_3", "whiteboard")
_SCREENS = tuple(f"screen_{n}" for n in range(1, 5))
_INDOOR_BOXES = (("GreenBox", 4.0), ("PinkBox", 3.0), ("RedBox", 5.0), ("YellowBox", 5.0), ("Bottle1", 0.6))

ENVIRONMENTS: Dict[str, World] = {
    "empty": World("environments/empty.robray", lamps=(Lamp((3.30, -7.71, 10.49), 25.0),)),
    "indoors-1/boxes": World("environments/boxes_of_morse.robray", _HALL_BOXES),
    "indoors-1/indoor-1": World("environments/indoors.robray", _INDOOR_BOXES, furniture=_INDOOR_FURNITURE),
    "sandbox": World("environments/sandbox.robray", tuple((f"ball_{n}", 0.2) for n in range(1, 9)), furniture=_SCREENS),
    "apartment": World("environments/apartment.robray", floor="apartment"),
    "human_tut/tutorial_scene": World("environments/room.robray", stand_in=_OTHER),
    "laas/grande_salle": World("environments/room.robray", stand_in=_OTHER),
    "tum_kitchen/tum_kitchen": World("environments/apartment.robray", stand_in=_OTHER, floor="apartment"),
    "outdoors": World("environments/outdoors.robray", stand_in=_OTHER, floor="terrain"),
    "land-1/trees": World("environments/outdoors.robray", stand_in=_OTHER, floor="terrain"),
    "land-1/buildings_1": World("environments/outdoors.robray", stand_in=_OTHER, floor="terrain"),
    "land-1/buildings_2": World("environments/outdoors.robray", stand_in=_OTHER, floor="terrain"),
    "land-1/rosace_1": World("environments/outdoors.robray", stand_in=_OTHER, floor="terrain"),
    "water-1/deep_water": World("environments/water.robray", floor="sea_bed"),
    "water-1/water_scene": World("environments/water.robray", floor="sea_bed", stand_in=_OTHER),
}

PROPERTIES_OF_BOXES = ("GreenBox", "PinkBox", "RedBox", "YellowBox", "BlueBox", "Bottle1")
"""What has MORSE's property `Object`, with its own name as label."""

GRASPABLE = ("PinkBox", "Bottle1") + tuple(f"ball_{n}" for n in range(1, 9))
