"""Questions about a scene at a configuration, without a simulation, for planners.

    query = ms.SceneQuery("arm.robray")
    hand, rotation = query.pose("hand", [0.1, 0.2])
"""
from __future__ import annotations

import os
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy
import numpy.typing

from . import _native
from .mechanism import _matrix, _numbers

Array = numpy.typing.NDArray[numpy.float64]


class Collision(NamedTuple):
    """Two frames whose geometry overlaps."""

    one: str
    other: str
    #: Depth of the penetration, m.
    depth: float


class SceneQuery:
    """A scene that answers questions at configurations. A configuration has one value (rad or m) for each of `variables`.

    `path` is a scene (`.robray`) or a robot description (`.urdf`), or `text` is the text of a scene, whose files are searched
    in `directory`. Threads may ask at the same time."""

    def __init__(
        self,
        path: Optional[Union[str, "os.PathLike[str]"]] = None,
        *,
        text: Optional[str] = None,
        directory: Union[str, "os.PathLike[str]"] = ".",
    ):
        if (path is None) == (text is None):
            raise TypeError("expected a path or the text of a scene")
        self._query = _native.Query(path, text, directory)

    @property
    def variables(self) -> List[str]:
        """Names of the configuration variables, sorted."""
        return self._query.variables

    @property
    def limits(self) -> Array:
        """Lower and upper limit of each variable, a row per variable; infinite without limits."""
        return numpy.array(self._query.limits).reshape(-1, 2)

    @property
    def allowed(self) -> List[Tuple[str, str]]:
        """Pairs of frames that may overlap: `allow_collision` of the scene, and those that were allowed since."""
        return [(one, other) for one, other in self._query.allowed]

    def pose(self, frame: str, values: Sequence[float]) -> Tuple[Array, Array]:
        """Position of a frame in the root frame, m, and its rotation as a quaternion x, y, z, w."""
        position, rotation = self._query.pose(frame, _numbers(values))
        return numpy.array(position), numpy.array(rotation)

    def jacobian(self, frame: str, values: Sequence[float]) -> Array:
        """Velocity of a frame's origin (rows 0 to 2) and its angular velocity (rows 3 to 5), both in root axes, per velocity
        of each variable."""
        return _matrix(self._query.jacobian(frame, _numbers(values)))

    def distance(self, one: str, other: str, values: Sequence[float]) -> Optional[float]:
        """Distance between the geometry of two frames, m; the negative depth where they overlap; `None` without geometry."""
        return self._query.distance(one, other, _numbers(values))

    def collisions(self, values: Sequence[float]) -> List[Collision]:
        """Pairs of frames that overlap, without those of one rigid link and those that are `allowed`."""
        return [Collision(*overlap) for overlap in self._query.collisions(_numbers(values))]

    def inverse(
        self, frame: str, position: Sequence[float], rotation: Sequence[float], start: Sequence[float]
    ) -> Array:
        """A configuration near `start`, within the limits, at which a frame has a pose (damped least squares). Raises an
        `AccessError` if none is found."""
        return numpy.array(self._query.inverse(frame, _numbers(position), _numbers(rotation), _numbers(start)))

    def allow_at(self, values: Sequence[float]) -> None:
        """Allows the pairs that overlap at a configuration which is known to be free of collisions."""
        self._query.allow_at(_numbers(values))

    def allow_sampled(self, count: int, seed: int = 0) -> List[Tuple[str, str]]:
        """Allows the pairs that overlap at all of `count` random configurations, such as links that meet at a joint. Returns
        them."""
        return [(one, other) for one, other in self._query.allow_sampled(count, seed)]

    def __repr__(self) -> str:
        return f"<SceneQuery of {', '.join(self.variables)}>"


__all__: List[Any] = ["Collision", "SceneQuery"]
