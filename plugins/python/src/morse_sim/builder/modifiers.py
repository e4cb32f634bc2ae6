"""`alter`: which of MORSE's modifiers a key stands for, and what it is called here."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, Optional, Tuple

from .blender import stored
from .errors import MorseBuilderError, suggestion
from .ron import Fields, Word

_COORDINATES = ("pose", "gps", "destination", "waypoint", "teleport")
_UTM = ("pose", "gps", "destination", "waypoint")

KEYS: Dict[str, Dict[str, str]] = {
    "NED": {
        **{kind: "ned.Coordinates" for kind in _COORDINATES},
        "gyroscope": "ned.Angles",
        "orientation": "ned.Angles",
    },
    "ECEF": {kind: "ecef" for kind in _COORDINATES},
    "geodetic": {kind: "geodetic" for kind in _COORDINATES},
    "geocentric": {kind: "geocentric" for kind in _COORDINATES},
    "feet": {kind: "feet" for kind in _COORDINATES},
    "UTM": {kind: "utm" for kind in _UTM},
    "PoseNoise": {"pose": "pose", "odometry": "pose", "gps": "position", "gyroscope": "orientation"},
    "IMUNoise": {"imu": "imu"},
    "Noise": {
        "pose": "pose", "odometry": "pose", "gps": "position", "gyroscope": "orientation", "imu": "imu",
    },
}
"""For each key, which kinds it fits, and the law."""

CLASSES: Dict[str, Tuple[str, Optional[str]]] = {
    "ned.CoordinatesToNED": ("ned.Coordinates", "to"),
    "ned.CoordinatesFromNED": ("ned.Coordinates", "from"),
    "ned.AnglesToNED": ("ned.Angles", "to"),
    "ned.AnglesFromNED": ("ned.Angles", "from"),
    "ecef.CoordinatesToECEF": ("ecef", "to"),
    "ecef.CoordinatesFromECEF": ("ecef", "from"),
    "geodetic.CoordinatesToGeodetic": ("geodetic", "to"),
    "geodetic.CoordinatesFromGeodetic": ("geodetic", "from"),
    "geocentric.CoordinatesToGeocentric": ("geocentric", "to"),
    "geocentric.CoordinatesFromGeocentric": ("geocentric", "from"),
    "utm.CoordinatesToUTM": ("utm", "to"),
    "utm.CoordinatesFromUTM": ("utm", "from"),
    "feet.MeterToFeet": ("feet", "to"),
    "feet.FeetToMeter": ("feet", "from"),
    "pose_noise.PositionNoiseModifier": ("position", None),
    "pose_noise.OrientationNoiseModifier": ("orientation", None),
    "pose_noise.PoseNoiseModifier": ("pose", None),
    "imu_noise.IMUNoiseModifier": ("imu", None),
    "odometry_noise.OdometryNoiseModifier": ("odometry", None),
}
"""MORSE's classes, below `morse.modifiers.`: the law, and the direction."""


def _three(value: Any, keys: Tuple[str, str, str]) -> Tuple[float, float, float]:
    """One number for all axes, or one for each by name; an axis that is not named has none."""
    if isinstance(value, dict):
        strange = [key for key in value if key not in keys]
        if strange:
            raise MorseBuilderError(f"noise has no `{strange[0]}`{suggestion(strange[0], keys)}")
        return tuple(float(value.get(key, 0.0)) for key in keys)  # type: ignore[return-value]
    return (float(value),) * 3


def _position(given: Callable[[str, Any], Any]) -> Tuple[float, float, float]:
    return _three(given("pos_std", 0.05), ("x", "y", "z"))


def _orientation(given: Callable[[str, Any], Any]) -> Tuple[float, float, float]:
    return _three(given("rot_std", math.radians(5)), ("roll", "pitch", "yaw"))


def _one(value: Any, name: str) -> float:
    if isinstance(value, dict):
        sizes = {float(each) for each in value.values()}
        if len(sizes) != 1:
            raise MorseBuilderError(f"{name}: the noise of an IMU is the same about all axes here")
        return sizes.pop()
    return float(value)


def _noise(law: str, given: Callable[[str, Any], Any]) -> Fields:
    if law == "imu":
        return Fields(
            kind="imu_noise",
            gyro_sigma=_one(given("gyro_std", 0.5), "gyro_std"),
            accel_sigma=_one(given("accel_std", 0.5), "accel_std"),
        )
    if law == "odometry":
        names = {"factor": 1.05, "factor_sigma": 0.0, "gyro_drift": 0.0, "gyro_drift_sigma": 0.0}
        values = {name: float(given(name, default)) for name, default in names.items()}
        return Fields(kind="odometry_noise", **values, convention=Word("morse"))
    planar = bool(given("_2D", False))
    fields = {
        "position": lambda: Fields(kind="position_noise", sigma=_position(given)),
        "orientation": lambda: Fields(kind="orientation_noise", sigma=_orientation(given)),
        "pose": lambda: Fields(
            kind="pose_noise", position_sigma=_position(given), orientation_sigma=_orientation(given)
        ),
    }[law]()
    if planar:
        fields["planar"] = True
    return fields


def _law(law: str, given: Callable[[str, Any], Any]) -> Fields:
    if law.startswith("ned."):
        is_angles = law == "ned.Angles"
        fields = Fields(kind="ned", coordinates=not is_angles, angles=is_angles, vectors=False)
        if is_angles:
            fields["convention"] = Word("morse")
        return fields
    if law == "utm":
        offsets = {
            f"{axis}_offset": float(given(f"{axis}_offset", given(f"UTM{axis.upper()}Offset", 0.0)))
            for axis in "xyz"
        }
        return Fields(kind="utm_offset", **offsets)
    if law in ("ecef", "geodetic", "geocentric", "feet"):
        return Fields(kind=law)
    return _noise(law, given)


def modifier(asked: Dict[str, Any], component: str, kind: str, environment: Dict[str, Any]) -> Fields:
    """What `alter` asked for, as fields of a modifier."""
    settings = asked["settings"]

    def given(name: str, default: Any) -> Any:
        return settings[name] if name in settings else stored(environment.get(name, default))

    direction = None
    if asked["classpath"]:
        path = asked["classpath"].replace("morse.modifiers.", "", 1)
        if path not in CLASSES:
            raise MorseBuilderError(
                f"{component}: unknown modifier `{asked['classpath']}`{suggestion(path, CLASSES)}"
            )
        law, direction = CLASSES[path]
    else:
        key = asked["key"]
        if key not in KEYS:
            raise MorseBuilderError(f"{component}: unknown modifier `{key}`{suggestion(str(key), KEYS)}")
        if kind not in KEYS[key]:
            fit = ", ".join(KEYS[key])
            raise MorseBuilderError(f"{component}: `{key}` does not fit `{kind}`, but these: {fit}")
        law = KEYS[key][kind]
    fields = _law(law, given)
    if direction:
        fields["direction"] = Word(direction)
    return fields
