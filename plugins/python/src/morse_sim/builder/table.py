"""What MORSE's classes are called here. Its properties are in `properties`."""
from __future__ import annotations

import math
import re
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

from .properties import PROPERTIES
from .ron import Word

Convert = Callable[[Any], Any]


def real(value: Any) -> float:
    """A number, also out of a text."""
    return float(value)


def whole(value: Any) -> int:
    return int(value)


def flag(value: Any) -> bool:
    return value.strip().lower() in ("true", "1", "yes") if isinstance(value, str) else bool(value)


def degrees(value: Any) -> float:
    """Degrees become radians."""
    return math.radians(float(value))


def word(value: Any) -> Word:
    return Word(re.sub(r"[^a-z0-9]+", "_", str(value).lower()).strip("_"))


def names(value: Any) -> list:
    """One name, or several with commas between."""
    words = value.split(",") if isinstance(value, str) else value
    return [str(word).strip() for word in words if str(word).strip()]


def numbers(value: Any) -> list:
    return [int(digits) for digits in re.findall(r"-?\d+", value)] if isinstance(value, str) else list(value)


def vector(value: Any) -> tuple:
    words = re.findall(r"[-\d.]+", value) if isinstance(value, str) else value
    return tuple(float(word) for word in words)


def millimetres(value: Any) -> float:
    return float(value) / 1000


def choice(words: Dict[str, str]) -> Convert:
    """One of MORSE's words, however it is spelt, or one of ours."""
    known = {theirs.lower(): ours for theirs, ours in words.items()}
    return lambda value: Word(known.get(str(value).lower(), str(value)))


Settings = Dict[str, Tuple[str, Convert]]
"""MORSE's property: setting, and how its value changes."""

FORMS: Dict[str, Convert] = {
    "number": real, "whole": whole, "flag": flag, "text": str, "names": names, "numbers": numbers, "vector": vector,
    "degrees": degrees, "millimetres": millimetres,
}


def _convert(form: Any) -> Convert:
    return choice(form) if isinstance(form, dict) else FORMS[form]


class Kind(NamedTuple):
    """A sensor or actuator. Its properties are those that the program knows it to have in MORSE."""

    kind: str
    classpath: str
    more: Settings = {}
    """What scripts may also say."""
    always: Dict[str, Any] = {}
    """Properties that MORSE's builder gives it, where they are not what the kind has by itself."""
    hertz: float = 60.0
    silent: Tuple[str, ...] = ()
    """Properties that mean nothing here, and of which nothing is said."""
    is_own: bool = False
    """Of a simulator of one's own: every property is a setting."""

    @property
    def settings(self) -> Settings:
        known = PROPERTIES.get(self.kind, {})
        return {**{name: (setting, _convert(form)) for name, (setting, form) in known.items()}, **self.more}


DRAWN = ("Visible_arc", "Vertical_Flip", "retrieve_depth", "retrieve_zbuffer", "capturing", "NOT_F9_ABLE")
"""Of what draws no picture."""
_SENSOR, _ACTUATOR = "morse.sensors.", "morse.actuators."
_LASER = _SENSOR + "laserscanner.LaserScanner"


def _laser(kind: str, hertz: float = 10.0) -> Kind:
    return Kind(kind, _LASER, hertz=hertz, silent=DRAWN)


def _camera(kind: str, path: str, **fields: Any) -> Kind:
    return Kind(kind, _SENSOR + path, **{"hertz": 20.0, "silent": DRAWN, **fields})

SENSORS: Dict[str, Kind] = {
    "Accelerometer": Kind("accelerometer", _SENSOR + "accelerometer.Accelerometer"),
    "Airspeed": Kind("airspeed", _SENSOR + "airspeed.Airspeed"),
    "ArmaturePose": Kind("armature_pose", _SENSOR + "armature_pose.ArmaturePose"),
    "Attitude": Kind("attitude", _SENSOR + "attitude.Attitude"),
    "Barometer": Kind("barometer", _SENSOR + "barometer.Barometer"),
    "Battery": Kind("battery", _SENSOR + "battery.Battery"),
    "Clock": Kind("clock", _SENSOR + "clock.Clock"),
    "Collision": Kind("collision", _SENSOR + "collision.Collision"),
    "CompoundSensor": Kind("compound", _SENSOR + "compound.CompoundSensor"),
    "DepthCamera": _camera("depth_camera", "depth_camera.DepthCamera"),
    "DepthVideoCamera": _camera(
        "depth_video_camera",
        "depth_camera.DepthVideoCamera",
        silent=(*DRAWN, "keep_list", "keep_resolution"),
    ),
    "GPS": Kind("gps", _SENSOR + "gps.GPS"),
    "Gyroscope": Kind("gyroscope", _SENSOR + "gyroscope.Gyroscope"),
    "Hokuyo": _laser("hokuyo"),
    "HumanPosture": Kind("human_posture", _SENSOR + "human_posture.HumanPosture"),
    "IMU": Kind("imu", _SENSOR + "imu.IMU"),
    "Infrared": _laser("infrared"),
    "LaserSensorWithArc": _laser("laser_scanner"),
    "Magnetometer": Kind("magnetometer", _SENSOR + "magnetometer.Magnetometer"),
    "Odometry": Kind("odometry", _SENSOR + "odometry.Odometry"),
    "PTUPosture": Kind("ptu_posture", _SENSOR + "ptu_posture.PTUPosture"),
    "Pose": Kind("pose", _SENSOR + "pose.Pose"),
    "Proximity": Kind("proximity", _SENSOR + "proximity.Proximity", always={"Range": 30.0}, hertz=12.0),
    "RadarAltimeter": Kind("radar_altimeter", _SENSOR + "radar_altimeter.RadarAltimeter"),
    "RawImage": _camera(
        "depth_video_camera",
        "depth_camera.RawImage",
        more={"values": ("values", word)},
        always={"values": "zbuffer", "cam_near": 0.1, "cam_far": 100.0, "Vertical_Flip": True},
    ),
    "SearchAndRescue": Kind(
        "search_and_rescue",
        _SENSOR + "search_and_rescue.SearchAndRescue",
        always={"Heal_range": 2.0, "Abilities": "1,2"},
        hertz=6.0,
        silent=("Freq",),
    ),
    "SemanticCamera": _camera(
        "semantic_camera", "semantic_camera.SemanticCamera", always={"cam_width": 512, "cam_height": 512}
    ),
    "Sick": _laser("sick"),
    "SickLDMRS": _laser("sick_ldmrs", 4.0),
    "StereoUnit": Kind("stereo_unit", _SENSOR + "stereo_unit.StereoUnit"),
    "Thermometer": Kind("thermometer", _SENSOR + "thermometer.Thermometer"),
    "VLP16_180": _camera("depth_camera_aggregator", "depth_camera.DepthCameraAggregator", hertz=10.0),
    "Velocity": Kind("velocity", _SENSOR + "velocity.Velocity"),
    "Velodyne": _camera("velodyne_zb", "depth_camera.DepthCameraRotationZ"),
    "VelodyneRayCast": Kind("velodyne", _SENSOR + "laserscanner.LaserScannerRotationZ", silent=DRAWN),
    "VideoCamera": _camera("video_camera", "video_camera.VideoCamera"),
}

ACTUATORS: Dict[str, Kind] = {
    "Armature": Kind("armature", _ACTUATOR + "armature.Armature"),
    "Arucomarker": Kind("arucomarker", _ACTUATOR + "arucomarker.Arucomarker"),
    "Destination": Kind("destination", _ACTUATOR + "destination.Destination"),
    "Drag": Kind("drag", _ACTUATOR + "drag.Drag"),
    "ExternalForce": Kind(
        "external_force", _ACTUATOR + "external_force.ExternalForce", silent=("RobotFrame",)
    ),
    "ForceTorque": Kind("force_torque", _ACTUATOR + "force_torque.ForceTorque"),
    "Gripper": Kind("gripper", _ACTUATOR + "gripper.Gripper", always={"Angle": 60.0, "Distance": 0.5}),
    "Joystick": Kind("joystick", _ACTUATOR + "joystick.Joystick"),
    "Keyboard": Kind("keyboard", _ACTUATOR + "keyboard.Keyboard"),
    "Light": Kind("light", _ACTUATOR + "light.Light", more={"Emit": ("emit", flag)}),
    "MotionVW": Kind("v_omega", _ACTUATOR + "v_omega.MotionVW"),
    "MotionVWDiff": Kind("v_omega_diff", _ACTUATOR + "v_omega_diff_drive.MotionVWDiff"),
    "MotionXYW": Kind("xy_omega", _ACTUATOR + "xy_omega.MotionXYW"),
    "Orientation": Kind("orientation", _ACTUATOR + "orientation.Orientation"),
    "PA10": Kind("pa_10", _ACTUATOR + "pa_10.PA10"),
    "PTU": Kind("ptu", _ACTUATOR + "ptu.PTU", always={"Speed": 1.0, "Tolerance": 0.01}),
    "QuadrotorDynamicControl": Kind(
        "quadrotor_dynamic_control", _ACTUATOR + "quadrotor_dynamic_control.QuadrotorDynamicControl"
    ),
    "RotorcraftAttitude": Kind("rotorcraft_attitude", _ACTUATOR + "rotorcraft_attitude.RotorcraftAttitude"),
    "RotorcraftVelocity": Kind("rotorcraft_velocity", _ACTUATOR + "rotorcraft_velocity.RotorcraftVelocity"),
    "RotorcraftWaypoint": Kind(
        "rotorcraft_waypoint", _ACTUATOR + "rotorcraft_waypoint.RotorcraftWaypoint", silent=("Target",)
    ),
    "Sound": Kind("sound", _ACTUATOR + "sound.Sound", more={"file": ("file", str)}),
    "StabilizedQuadrotor": Kind(
        "stabilized_quadrotor", _ACTUATOR + "stabilized_quadrotor.StabilizedQuadrotor"
    ),
    "SteerForce": Kind("steer_force", _ACTUATOR + "steer_force.SteerForce"),
    "Teleport": Kind("teleport", _ACTUATOR + "teleport.Teleport"),
    "Waypoint": Kind("waypoint", _ACTUATOR + "waypoint.Waypoint", silent=("Target",)),
}

JOINT_STATE = "morse.middleware.sockets.jointstate.PR2JointStatePublisher"
"""MORSE's method by which a compound of armature poses becomes one record of all joints."""


def by_classpath(path: str) -> Optional[Tuple[str, Kind]]:
    """Family and kind of MORSE's Python class."""
    for family, table in (("sensors", SENSORS), ("actuators", ACTUATORS)):
        for kind in table.values():
            if kind.classpath == path:
                return family, kind
    return None
