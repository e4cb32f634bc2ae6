"""Physics of MORSE's robots.

Out of the program's own table, by `UPDATE_GOLDEN=1` and tests/test_table.py: nothing is to be changed here.
"""
from typing import Dict, NamedTuple, Optional, Tuple


class Physics(NamedTuple):
    """What scripts count on."""

    mass: Optional[float] = None
    """Of the base, kg; that of the model unless it is known."""
    origin: float = 0.0
    """Height of its origin in the model, m: its mass is there."""
    friction: Optional[float] = None
    """Of all its surfaces; that of the model unless it is known."""
    damping: Tuple[float, float] = (0.04, 0.1)
    """The share of its speed, and of its turning rate, that it loses in a second; Blender's unless it says otherwise."""


PHYSICS: Dict[str, Physics] = {
    "ATRV": Physics(20.0, 0.0, 0.5, (0.0254, 0.18)),
    "B21": Physics(6.0, 0.0, 0.5, (0.04, 0.1)),
    "Hummer": Physics(10.0, 0.0, 0.5, (0.4, 0.0)),
    "Jido": Physics(1.0, 0.0, 0.5, (0.04, 0.1)),
    "Morsy": Physics(15.0, 0.0, 0.5, (0.493, 0.658)),
    "PatrolBot": Physics(1.0, 0.17, 0.5, (0.04, 0.1)),
    "Pioneer3DX": Physics(9.0, 0.1, 0.5, (0.04, 0.1)),
    "Quadrotor": Physics(2.0, 0.0, 0.5, (0.04, 0.1)),
    "RMax": Physics(1.0, 0.0, 0.5, (0.04, 0.1)),
    "SegwayRMP400": Physics(90.0, 0.15, 0.5, (0.04, 0.1)),
    "Submarine": Physics(1.0, 0.0, 0.5, (0.04, 0.1)),
    "Victim": Physics(1.0, 0.0, 0.5, (0.0254, 0.159)),
}
