"""What MORSE's classes and properties are called here. The one place to correct."""
from __future__ import annotations

import math
import re
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

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
    """Degrees become radians, to 12 digits."""
    return float(f"{math.radians(float(value)):.12g}")


def word(value: Any) -> Word:
    return Word(re.sub(r"[^a-z0-9]+", "_", str(value).lower()).strip("_"))


def names(value: Any) -> list:
    """One name, or several with commas between."""
    parts = value.split(",") if isinstance(value, str) else value
    return [str(part).strip() for part in parts if str(part).strip()]


def numbers(value: Any) -> list:
    return [int(part) for part in re.findall(r"-?\d+", value)] if isinstance(value, str) else list(value)


def color(value: Any) -> tuple:
    found = re.findall(r"[-\d.]+", value) if isinstance(value, str) else value
    return tuple(float(part) for part in found)


def millimetres(value: Any) -> float:
    return float(value) / 1000


def configuration(value: Any) -> Word:
    return Word({"+": "plus", "x": "x", "X": "x"}.get(str(value), str(value)))


Settings = Dict[str, Tuple[str, Convert]]


class Kind(NamedTuple):
    """A sensor or actuator."""

    kind: str
    classpath: str
    settings: Settings = {}
    """MORSE's property: setting, and how its value changes."""
    always: Dict[str, Any] = {}
    """Properties that MORSE's builder gives it, where they are not what the kind has by itself."""
    hertz: float = 60.0
    silent: Tuple[str, ...] = ()
    """Properties that mean nothing here, and of which nothing is said."""
    is_own: bool = False
    """Of a simulator of one's own: every property is a setting."""


MODE: Settings = {"ComputationMode": ("computation_mode", word)}
CONTROL: Settings = {"ControlType": ("control", word)}
NORTH: Settings = {"UseAngleAgainstNorth": ("use_angle_against_north", flag)}
LASER: Settings = {
    "scan_window": ("scan_window", degrees),
    "resolution": ("resolution", degrees),
    "laser_range": ("laser_range", real),
    "layers": ("layers", whole),
    "layer_separation": ("layer_separation", degrees),
    "layer_offset": ("layer_offset", degrees),
}
CAMERA: Settings = {
    "cam_width": ("width", whole),
    "cam_height": ("height", whole),
    "cam_focal": ("focal", millimetres),
    "cam_fov": ("fov", degrees),
    "cam_near": ("near", real),
    "cam_far": ("far", real),
}
DRAWN = ("Visible_arc", "Vertical_Flip", "retrieve_depth", "retrieve_zbuffer", "capturing", "NOT_F9_ABLE")
"""Of what draws no picture."""
PICTURE: Settings = {"Vertical_Flip": ("vertical_flip", flag), "capturing": ("capturing", flag)}
PROPORTIONAL: Settings = {
    "HorizontalPgain": ("horizontal_p_gain", real),
    "HorizontalDgain": ("horizontal_d_gain", real),
    "VerticalPgain": ("vertical_p_gain", real),
    "VerticalDgain": ("vertical_d_gain", real),
    "YawPgain": ("yaw_p_gain", real),
    "YawDgain": ("yaw_d_gain", real),
    "RollPitchPgain": ("roll_pitch_p_gain", real),
    "RollPitchDgain": ("roll_pitch_d_gain", real),
    "MaxBankAngle": ("max_bank_angle", real),
}
_SENSOR, _ACTUATOR = "morse.sensors.", "morse.actuators."
_LASER = _SENSOR + "laserscanner.LaserScanner"


def _laser(kind: str, hertz: float = 10.0) -> Kind:
    return Kind(kind, _LASER, LASER, hertz=hertz, silent=DRAWN)


def _camera(kind: str, path: str, more: Optional[Settings] = None, **fields: Any) -> Kind:
    return Kind(kind, _SENSOR + path, {**CAMERA, **(more or {})}, hertz=20.0, silent=DRAWN, **fields)


def _pictures(kind: str, path: str, more: Optional[Settings] = None, **fields: Any) -> Kind:
    return _camera(kind, path, {**PICTURE, **(more or {})}, **fields)


DEPTH: Settings = {"keep_list": ("keep_list", numbers), "keep_resolution": ("keep_resolution", flag)}

SENSORS: Dict[str, Kind] = {
    "Accelerometer": Kind("accelerometer", _SENSOR + "accelerometer.Accelerometer", MODE),
    "Airspeed": Kind("airspeed", _SENSOR + "airspeed.Airspeed", MODE),
    "ArmaturePose": Kind("armature_pose", _SENSOR + "armature_pose.ArmaturePose"),
    "Attitude": Kind("attitude", _SENSOR + "attitude.Attitude", {**MODE, **NORTH}),
    "Barometer": Kind(
        "barometer", _SENSOR + "barometer.Barometer", {"ReferencePressure": ("reference_pressure", real)}
    ),
    "Battery": Kind(
        "battery", _SENSOR + "battery.Battery", {"DischargingRate": ("discharging_rate", real)}
    ),
    "Clock": Kind("clock", _SENSOR + "clock.Clock"),
    "Collision": Kind(
        "collision",
        _SENSOR + "collision.Collision",
        {"only_objects_with_property": ("only_objects_with_property", str)},
    ),
    "CompoundSensor": Kind(
        "compound", _SENSOR + "compound.CompoundSensor", {"sensors": ("sensors", names)}
    ),
    "DepthCamera": _pictures("depth_camera", "depth_camera.DepthCamera", DEPTH),
    "DepthVideoCamera": Kind(
        "depth_video_camera",
        _SENSOR + "depth_camera.DepthVideoCamera",
        {**CAMERA, **PICTURE},
        hertz=20.0,
        silent=(*DRAWN, "keep_list", "keep_resolution"),
    ),
    "GPS": Kind("gps", _SENSOR + "gps.GPS"),
    "Gyroscope": Kind("gyroscope", _SENSOR + "gyroscope.Gyroscope"),
    "Hokuyo": _laser("hokuyo"),
    "HumanPosture": Kind("human_posture", _SENSOR + "human_posture.HumanPosture"),
    "IMU": Kind("imu", _SENSOR + "imu.IMU", silent=("ComputationMode",)),
    "Infrared": _laser("infrared"),
    "LaserSensorWithArc": _laser("laser_scanner"),
    "Magnetometer": Kind("magnetometer", _SENSOR + "magnetometer.Magnetometer", {"date": ("date", real)}),
    "Odometry": Kind("odometry", _SENSOR + "odometry.Odometry"),
    "PTUPosture": Kind("ptu_posture", _SENSOR + "ptu_posture.PTUPosture"),
    "Pose": Kind("pose", _SENSOR + "pose.Pose"),
    "Proximity": Kind(
        "proximity",
        _SENSOR + "proximity.Proximity",
        {"Range": ("range", real), "Track": ("track", str)},
        always={"Range": 30.0},
        hertz=12.0,
    ),
    "RadarAltimeter": Kind(
        "radar_altimeter", _SENSOR + "radar_altimeter.RadarAltimeter", {"MaxRange": ("max_range", real)}
    ),
    "RawImage": _pictures(
        "depth_video_camera",
        "depth_camera.RawImage",
        {"values": ("values", word)},
        always={"values": "zbuffer", "cam_near": 0.1, "cam_far": 100.0, "Vertical_Flip": True},
    ),
    "SearchAndRescue": Kind(
        "search_and_rescue",
        _SENSOR + "search_and_rescue.SearchAndRescue",
        {
            "Heal_range": ("heal_range", real),
            "Abilities": ("abilities", numbers),
            "Angle": ("angle", degrees),
            "Distance": ("distance", real),
        },
        always={"Heal_range": 2.0, "Abilities": "1,2"},
        hertz=6.0,
        silent=("Freq",),
    ),
    "SemanticCamera": _camera(
        "semantic_camera",
        "semantic_camera.SemanticCamera",
        {"relative": ("relative", flag), "noocclusion": ("noocclusion", flag), "tag": ("tag", str)},
        always={"cam_width": 512, "cam_height": 512},
    ),
    "Sick": _laser("sick"),
    "SickLDMRS": _laser("sick_ldmrs", 4.0),
    "StereoUnit": Kind("stereo_unit", _SENSOR + "stereo_unit.StereoUnit"),
    "Thermometer": Kind(
        "thermometer",
        _SENSOR + "thermometer.Thermometer",
        {
            "FireTag": ("fire_tag", str),
            "DefaultTemperature": ("default_temperature", real),
            "FireTemperature": ("fire_temperature", real),
            "Range": ("range", real),
            "Alpha": ("alpha", real),
        },
    ),
    "VLP16_180": Kind("depth_camera_aggregator", _SENSOR + "depth_camera.DepthCameraAggregator", hertz=10.0),
    "Velocity": Kind("velocity", _SENSOR + "velocity.Velocity", silent=("ComputationMode",)),
    "Velodyne": _pictures(
        "velodyne_zb", "depth_camera.DepthCameraRotationZ", {**DEPTH, "rotation": ("rotation", real)}
    ),
    "VelodyneRayCast": Kind(
        "velodyne",
        _SENSOR + "laserscanner.LaserScannerRotationZ",
        {name: LASER[name] for name in ("scan_window", "resolution", "laser_range")},
        silent=DRAWN,
    ),
    "VideoCamera": _pictures("video_camera", "video_camera.VideoCamera"),
}

ARM: Settings = {
    "DistanceTolerance": ("distance_tolerance", real),
    "AngleTolerance": ("angle_tolerance", real),
    "RotationSpeed": ("rotation_speed", real),
    "LinearSpeed": ("linear_speed", real),
    "IKRotationSpeed": ("ik_rotation_speed", real),
    "IKLinearSpeed": ("ik_linear_speed", real),
}

ACTUATORS: Dict[str, Kind] = {
    "Armature": Kind("armature", _ACTUATOR + "armature.Armature", ARM),
    "Arucomarker": Kind(
        "arucomarker",
        _ACTUATOR + "arucomarker.Arucomarker",
        {name: (name, real) for name in ("xoffset", "yoffset", "zoffset")},
    ),
    "Destination": Kind(
        "destination",
        _ACTUATOR + "destination.Destination",
        {
            **CONTROL,
            "Speed": ("speed", real),
            "Tolerance": ("tolerance", real),
            "RemainAtDestination": ("remain_at_destination", flag),
        },
    ),
    "Drag": Kind(
        "drag",
        _ACTUATOR + "drag.Drag",
        {f"DragCoeff{axis}": (f"drag_coeff_{axis.lower()}", real) for axis in "XYZ"},
    ),
    "ExternalForce": Kind(
        "external_force", _ACTUATOR + "external_force.ExternalForce", silent=("RobotFrame",)
    ),
    "ForceTorque": Kind(
        "force_torque", _ACTUATOR + "force_torque.ForceTorque", {"RobotFrame": ("robot_frame", flag)}
    ),
    "Gripper": Kind(
        "gripper",
        _ACTUATOR + "gripper.Gripper",
        {"Angle": ("angle", degrees), "Distance": ("distance", real)},
        always={"Angle": 60.0, "Distance": 0.5},
    ),
    "Joystick": Kind("joystick", _ACTUATOR + "joystick.Joystick", {**CONTROL, "Speed": ("speed", real)}),
    "Keyboard": Kind("keyboard", _ACTUATOR + "keyboard.Keyboard", {**CONTROL, "Speed": ("speed", real)}),
    "Light": Kind(
        "light",
        _ACTUATOR + "light.Light",
        {
            "emit": ("emit", flag),
            "Emit": ("emit", flag),
            "distance": ("distance", real),
            "color": ("color", color),
            "size": ("size", real),
            "energy": ("energy", real),
        },
    ),
    "MotionVW": Kind("v_omega", _ACTUATOR + "v_omega.MotionVW", CONTROL),
    "MotionVWDiff": Kind("v_omega_diff", _ACTUATOR + "v_omega_diff_drive.MotionVWDiff"),
    "MotionXYW": Kind("xy_omega", _ACTUATOR + "xy_omega.MotionXYW", CONTROL),
    "Orientation": Kind(
        "orientation",
        _ACTUATOR + "orientation.Orientation",
        {**CONTROL, "speed": ("speed", real), "tolerance": ("tolerance", real)},
    ),
    "PA10": Kind(
        "pa_10", _ACTUATOR + "pa_10.PA10", {"Speed": ("speed", real), "Tolerance": ("tolerance", real)}
    ),
    "PTU": Kind(
        "ptu",
        _ACTUATOR + "ptu.PTU",
        {"Speed": ("speed", real), "Tolerance": ("tolerance", real), "Manual": ("manual", flag)},
        always={"Speed": 1.0, "Tolerance": 0.01},
    ),
    "QuadrotorDynamicControl": Kind(
        "quadrotor_dynamic_control",
        _ACTUATOR + "quadrotor_dynamic_control.QuadrotorDynamicControl",
        {
            "ThrustFactor": ("thrust_factor", real),
            "DragFactor": ("drag_factor", real),
            "Lever": ("lever", real),
            "Configuration": ("configuration", configuration),
        },
    ),
    "RotorcraftAttitude": Kind(
        "rotorcraft_attitude",
        _ACTUATOR + "rotorcraft_attitude.RotorcraftAttitude",
        {
            **NORTH,
            **{
                name: PROPORTIONAL[name]
                for name in ("RollPitchPgain", "RollPitchDgain", "YawPgain", "YawDgain")
            },
            "ThrustFactor": ("thrust_factor", real),
            "LinearThrust": ("linear_thrust", flag),
            "YawRateControl": ("yaw_rate_control", flag),
        },
    ),
    "RotorcraftVelocity": Kind(
        "rotorcraft_velocity",
        _ACTUATOR + "rotorcraft_velocity.RotorcraftVelocity",
        {**PROPORTIONAL, "MaxVelocity": ("max_velocity", real)},
    ),
    "RotorcraftWaypoint": Kind(
        "rotorcraft_waypoint",
        _ACTUATOR + "rotorcraft_waypoint.RotorcraftWaypoint",
        {**PROPORTIONAL, "RemainAtDestination": ("remain_at_destination", flag)},
        silent=("Target",),
    ),
    "Sound": Kind("sound", _ACTUATOR + "sound.Sound", {"mode": ("mode", word), "file": ("file", str)}),
    "StabilizedQuadrotor": Kind(
        "stabilized_quadrotor", _ACTUATOR + "stabilized_quadrotor.StabilizedQuadrotor"
    ),
    "SteerForce": Kind("steer_force", _ACTUATOR + "steer_force.SteerForce"),
    "Teleport": Kind("teleport", _ACTUATOR + "teleport.Teleport"),
    "Waypoint": Kind(
        "waypoint",
        _ACTUATOR + "waypoint.Waypoint",
        {
            **CONTROL,
            "ObstacleAvoidance": ("obstacle_avoidance", flag),
            "FreeZ": ("free_z", flag),
            "AngleTolerance": ("angle_tolerance", real),
            "Speed": ("speed", real),
            "RemainAtDestination": ("remain_at_destination", flag),
            "Ignore": ("ignore", names),
        },
        silent=("Target",),
    ),
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
