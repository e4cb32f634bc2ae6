"""Poses: Blender's Euler angles (Rz Ry Rx, which are roll, pitch and yaw) and how they follow each other."""
from __future__ import annotations

import math
from typing import List, Sequence, Tuple

Matrix = List[List[float]]
Pose = Tuple[Sequence[float], Sequence[float]]
"""Translation, and the three angles."""


def matrix(angles: Sequence[float]) -> Matrix:
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(each), math.sin(each)) for each in angles)
    return [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]


def product(one: Matrix, other: Matrix) -> Matrix:
    return [[sum(one[row][k] * other[k][column] for k in range(3)) for column in range(3)] for row in range(3)]


def turned(rotation: Matrix, point: Sequence[float]) -> List[float]:
    return [sum(row[k] * point[k] for k in range(3)) for row in rotation]


def angles(rotation: Matrix) -> List[float]:
    """Roll, pitch and yaw; looking straight up or down there is no roll."""
    level = math.hypot(rotation[0][0], rotation[1][0])
    pitch = math.atan2(-rotation[2][0], level)
    if level < 1e-9:
        return [0.0, pitch, math.atan2(-rotation[0][1], rotation[1][1])]
    return [
        math.atan2(rotation[2][1], rotation[2][2]),
        pitch,
        math.atan2(rotation[1][0], rotation[0][0]),
    ]


def compose(outer: Pose, inner: Pose) -> Pose:
    """The pose of what is posed in what is posed."""
    if not any(outer[1]):
        return [a + b for a, b in zip(outer[0], inner[0])], list(inner[1])
    rotation = matrix(outer[1])
    position = [a + b for a, b in zip(outer[0], turned(rotation, inner[0]))]
    return position, angles(product(rotation, matrix(inner[1])))
