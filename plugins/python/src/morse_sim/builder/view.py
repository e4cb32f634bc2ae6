"""From where people look on: the camera of MORSE's window, which is that of the page and of the window here."""
from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence, Tuple

from .component import AbstractComponent, vector
from .errors import MorseBuilderError, warn
from .rotation import matrix, turned
from .ron import Fields

LOCATION, ROTATION = (5.0, -5.0, 5.0), (0.7854, 0.0, 0.7854)
"""Where MORSE's camera is unless it is put elsewhere; it looks along its own -z."""

HALF_HEIGHT = 12.0
"""Of what is behind the lens, mm: MORSE's windows are of 4:3, and 32 mm wide."""


class ViewCamera:
    """The calls of an environment that are about its camera."""

    _location: Optional[List[float]] = None
    _rotation: Optional[List[float]] = None
    _clip: Optional[Tuple[float, float]] = None
    _focal: Optional[float] = None
    _displayed: Any = None

    def set_camera_location(self, location: Sequence[float]) -> None:
        """Where it is, m."""
        self._location = vector(location, "set_camera_location")

    def set_camera_rotation(self, rotation: Sequence[float]) -> None:
        """Its three angles, rad."""
        self._rotation = vector(rotation, "set_camera_rotation")

    place_camera = set_camera_location
    aim_camera = set_camera_rotation

    def set_camera_clip(self, clip_start: float = 0.1, clip_end: float = 100) -> None:
        """What is nearer, and what is farther away, is not drawn, m."""
        near, far, _ = vector((clip_start, clip_end, 0), "set_camera_clip")
        if not 0 < near < far:
            raise MorseBuilderError(f"set_camera_clip takes two growing distances above 0, not {near:g} and {far:g}")
        self._clip = (near, far)

    def set_camera_focal_length(self, focal_length: float = 20.0) -> None:
        """Of a lens before a picture of 32 mm by 24 mm, mm."""
        focal, _, _ = vector((focal_length, 0, 0), "set_camera_focal_length")
        if focal <= 0:
            raise MorseBuilderError(f"set_camera_focal_length takes a length above 0, not {focal:g}")
        self._focal = focal

    def set_camera_speed(self, speed: float = 2.0) -> None:
        """How fast keys move it."""
        vector((speed, 0, 0), "set_camera_speed")
        warn("set_camera_speed has no effect: keys move the window's view the faster the farther it is from what it looks at")

    def select_display_camera(self, robot_camera: AbstractComponent) -> None:
        """The camera whose image is shown."""
        if not isinstance(robot_camera, AbstractComponent):
            raise MorseBuilderError(f"select_display_camera takes a camera of the script, not {robot_camera!r}")
        self._displayed = robot_camera

    def view(self, paths: Any) -> Fields:
        """It in the simulation file; `paths` are those of components, by their identity."""
        fields = Fields()
        if self._location or self._rotation:
            eye, axes = self._location or LOCATION, matrix(self._rotation or ROTATION)
            ahead = turned(axes, (0.0, 0.0, -1.0))
            if abs(axes[2][0]) > 1e-6:
                warn("set_camera_rotation: page and window keep the horizon level, the camera's roll is left out")
            # What it looks at and turns about lies on the ground, if that is near.
            distance = eye[2] / -ahead[2] if eye[2] * ahead[2] < 0 else math.inf
            distance = distance if 0.5 <= distance <= 50.0 else 10.0
            fields["eye"] = tuple(float(f"{each:.9g}") for each in eye)
            fields["look"] = tuple(float(f"{at + way * distance:.6f}") + 0.0 for at, way in zip(eye, ahead))
        if self._focal:
            fields["angle"] = float(f"{2 * math.atan(HALF_HEIGHT / self._focal):.6g}")
        if self._clip:
            fields["near"], fields["far"] = self._clip
        if self._displayed is not None:
            path = paths.get(id(self._displayed))
            if path is None:
                raise MorseBuilderError("select_display_camera: the camera is on no robot")
            fields["selected"] = path
        return fields
