"""Joints of a robot for controllers: kinematics and dynamics.

    arm = simulation.mechanism("arm")
    efforts = arm.inverse_dynamics(accelerations)
"""
from __future__ import annotations

from typing import Any, List, Sequence, Tuple

import numpy
import numpy.typing

from . import _native

Array = numpy.typing.NDArray[numpy.float64]


class Mechanism:
    """Joints of a robot in the state that they had when it was made: later ticks do not change it.

    Vectors are in the order of `coordinates`. If forces move the base, its six coordinates come first."""

    def __init__(self, joints: "_native.Joints"):
        self._joints = joints

    @property
    def coordinates(self) -> List[str]:
        """Names of the coordinates: those of a floating base, then the variables."""
        return self._joints.coordinates

    @property
    def links(self) -> List[str]:
        """Names of the links, parents first; a floating base comes first."""
        return self._joints.links

    @property
    def positions(self) -> Array:
        """Positions of the variables, rad or m."""
        return numpy.array(self._joints.positions)

    @property
    def velocities(self) -> Array:
        """Velocities of the coordinates, rad/s or m/s."""
        return numpy.array(self._joints.velocities)

    def set(self, positions: Sequence[float], velocities: Sequence[float]) -> None:
        """Sets positions and velocities, for planning and predictive controllers; the simulation is not changed."""
        self._joints.set(_numbers(positions), _numbers(velocities))

    @property
    def mass_matrix(self) -> Array:
        """Mass matrix with the armatures, kg·m², kg·m or kg (composite rigid body algorithm)."""
        return _matrix(self._joints.mass_matrix())

    @property
    def bias(self) -> Array:
        """Efforts for zero accelerations, N·m or N: against gravity, Coriolis and centrifugal forces."""
        return numpy.array(self._joints.bias())

    @property
    def gravity(self) -> Array:
        """Efforts that hold the mechanism at rest, N·m or N."""
        return numpy.array(self._joints.gravity())

    def inverse_dynamics(self, accelerations: Sequence[float]) -> Array:
        """Efforts for these accelerations, with the damping of the joints (recursive Newton–Euler algorithm)."""
        return numpy.array(self._joints.inverse_dynamics(_numbers(accelerations)))

    def forward_dynamics(self, efforts: Sequence[float]) -> Array:
        """Accelerations from these efforts, without contacts, motors, dry friction and limits."""
        return numpy.array(self._joints.forward_dynamics(_numbers(efforts)))

    def jacobian(self, link: str, point: Sequence[float] = (0.0, 0.0, 0.0)) -> Array:
        """Jacobian of a point of a link (in the link's frame, m): linear above angular rows in world axes, a column per
        coordinate."""
        return _matrix(self._joints.jacobian(link, _numbers(point)))

    def pose(self, link: str) -> Tuple[Array, Array]:
        """Position of a link in the world, m, and its rotation as a quaternion x, y, z, w."""
        position, rotation = self._joints.pose(link)
        return numpy.array(position), numpy.array(rotation)

    @property
    def center_of_mass(self) -> Tuple[float, Array]:
        """Mass of the links, kg, and their centre of mass in the world, m."""
        mass, center = self._joints.center_of_mass()
        return mass, numpy.array(center)

    def __repr__(self) -> str:
        return f"<Mechanism of {', '.join(self.coordinates)}>"


def _numbers(values: Any) -> List[float]:
    numbers: List[float] = numpy.asarray(values, numpy.float64).ravel().tolist()
    return numbers


def _matrix(matrix: Tuple[List[float], int]) -> Array:
    numbers, columns = matrix
    return numpy.array(numbers).reshape(-1, columns)


__all__ = ["Mechanism"]
