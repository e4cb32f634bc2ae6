"""MORSE's passive objects: shapes, sizes and weights, as in the models `objects/*.robray`."""
from __future__ import annotations

from typing import Dict, NamedTuple, Optional, Sequence, Tuple

Triple = Tuple[float, float, float]


class Part(NamedTuple):
    """One shape: full sides of a box, radius of a sphere, radius and height, two radii and height."""

    shape: str
    size: Tuple[float, ...]
    at: Triple = (0.0, 0.0, 0.0)
    """The middle, but the foot of things with a height."""
    color: Triple = (0.8, 0.8, 0.8)
    mass: Optional[float] = None
    friction: float = 0.5
    restitution: Optional[float] = None
    collides: bool = True
    drawn: bool = True

    def scaled(self, scale: Sequence[float], color: Triple) -> "Part":
        """The same shape with other sides; round shapes take the mean of what makes them round."""
        x, y, z = (abs(each) for each in scale)
        round_ = (x + y) / 2
        if self.shape == "box":
            size: Tuple[float, ...] = tuple(a * b for a, b in zip(self.size, (x, y, z)))
        elif self.shape == "sphere":
            size = (self.size[0] * (x + y + z) / 3,)
        else:
            size = tuple(each * round_ for each in self.size[:-1]) + (self.size[-1] * z,)
        # Blender's cylinders and cones are centred, ours stand on their feet.
        foot = -size[-1] / 2 if self.shape in ("cylinder", "cone") else 0.0
        return self._replace(size=size, at=(0.0, 0.0, foot), color=color)


class Thing(NamedTuple):
    """A thing of several parts; who moves it is forces, or nobody."""

    parts: Tuple[Part, ...]
    is_dynamic: bool = False


def _box(size: Triple, at: Triple, color: Triple, mass: float, friction: float = 0.5) -> Part:
    return Part("box", size, at, color, mass, friction)


def _tape(color: Triple) -> Thing:
    return Thing((_box((0.04, 0.12, 0.2), (0.0, 0.0, 0.1), color, 1.0),), True)


def _bin(color: Triple) -> Thing:
    thin, wide = (0.006, 0.16, 0.19), (0.148, 0.006, 0.19)
    return Thing(
        (
            _box((0.16, 0.16, 0.01), (0.0, 0.0, 0.005), color, 0.06),
            _box(thin, (0.077, 0.0, 0.105), color, 0.06),
            _box(thin, (-0.077, 0.0, 0.105), color, 0.06),
            _box(wide, (0.0, 0.077, 0.105), color, 0.06),
            _box(wide, (0.0, -0.077, 0.105), color, 0.06),
        ),
        True,
    )


_METAL, _OAK, _PINE, _DARK = (0.45, 0.47, 0.5), (0.72, 0.6, 0.42), (0.8, 0.7, 0.52), (0.2, 0.16, 0.13)
_BLACK, _BLUE = (0.1, 0.1, 0.12), (0.15, 0.2, 0.45)

THINGS: Dict[str, Thing] = {
    "BlackVideotape": _tape((0.06, 0.06, 0.06)),
    "GreyVideotape": _tape((0.5, 0.5, 0.5)),
    "WhiteVideotape": _tape((0.92, 0.92, 0.92)),
    "BlueToyTrashbin": _bin((0.25, 0.45, 0.85)),
    "PinkToyTrashbin": _bin((0.95, 0.5, 0.7)),
    "BoxStand": Thing((_box((0.4, 0.4, 0.8), (0.0, 0.0, 0.4), (0.85, 0.84, 0.8), 15.0),)),
    "CardboardBox": Thing((_box((0.4, 0.3, 0.25), (0.0, 0.0, 0.125), (0.76, 0.62, 0.42), 1.0),), True),
    "Crate": Thing((_box((0.5, 0.5, 0.5), (0.0, 0.0, 0.25), (0.62, 0.45, 0.26), 8.0),), True),
    "Ball": Thing((Part("sphere", (0.25,), (0.0, 0.0, 0.25), (0.9, 0.15, 0.12), 0.2, 1.0, 0.8),), True),
    "Bottle": Thing(
        (
            Part("cylinder", (0.035, 0.2), (0.0, 0.0, 0.0), (0.15, 0.45, 0.2), 0.55, 0.4),
            Part("cone", (0.035, 0.014, 0.08), (0.0, 0.0, 0.2), (0.15, 0.45, 0.2), 0.05, 0.4),
        ),
        True,
    ),
    "Desk": Thing(
        (
            _box((0.8, 1.6, 0.04), (0.0, 0.0, 0.72), _OAK, 18.0),
            _box((0.7, 0.05, 0.7), (0.0, 0.72, 0.35), _METAL, 6.0),
            _box((0.7, 0.05, 0.7), (0.0, -0.72, 0.35), _METAL, 6.0),
        )
    ),
    "IKEAShelf": Thing(
        tuple(_box((0.3, 0.74, 0.03), (0.0, 0.0, z), _PINE, 3.0) for z in (0.05, 0.48, 0.92, 1.35, 1.785))
        + tuple(_box((0.3, 0.03, 1.8), (0.0, y, 0.9), _PINE, 5.0) for y in (0.385, -0.385))
    ),
    "SmallTable": Thing(
        (_box((0.55, 0.55, 0.05), (0.0, 0.0, 0.425), _DARK, 4.0),)
        + tuple(
            _box((0.05, 0.05, 0.4), (x, y, 0.2), _DARK, 0.5)
            for x, y in ((0.25, 0.25), (-0.25, 0.25), (-0.25, -0.25), (0.25, -0.25))
        )
    ),
    "RollingChair": Thing(
        (
            _box((0.6, 0.63, 0.1), (0.0, 0.0, 0.05), _BLACK, 5.0, 0.05),
            _box((0.08, 0.08, 0.32), (0.0, 0.0, 0.26), _BLACK, 1.5, 0.3),
            _box((0.48, 0.48, 0.08), (0.0, 0.0, 0.46), _BLUE, 3.5, 0.3),
            _box((0.06, 0.44, 0.43), (-0.22, 0.0, 0.715), _BLUE, 2.0, 0.3),
        ),
        True,
    ),
}

MARGIN = 0.06
"""What Bullet keeps between MORSE's floors and boxes that lie on them, m."""


def _tall(color: Triple) -> Thing:
    """A box of the hall, which stands on its margin. Rays and eyes do not get to see that."""
    gap = Part("box", (1.0, 1.0, MARGIN), (0.0, 0.0, -0.9 - MARGIN / 2), mass=0.0, drawn=False)
    return Thing((_box((1.0, 1.0, 1.8), (0.0, 0.0, 0.0), color, 1.0), gap), True)


def _cube(side: float, color: Triple, mass: float) -> Thing:
    return Thing((_box((side, side, side), (0.0, 0.0, 0.0), color, mass),), True)


def _bottle() -> Thing:
    glass = (0.15, 0.45, 0.2)
    neck = Part("cone", (0.035, 0.014, 0.08), (0.0, 0.0, 0.2), glass, 0.0, collides=False)
    return Thing((Part("cylinder", (0.035, 0.2), color=glass, mass=0.6), neck), True)


PositionedThing = Tuple[Thing, Triple]
"""A thing, and where it begins."""

THINGS_OF: Dict[str, Dict[str, PositionedThing]] = {
    "indoors-1/boxes": {
        "RedBox": (_tall((0.95, 0.11, 0.05)), (-7.5, 0.0, 0.99)),
        "BlueBox": (_tall((0.0, 0.35, 0.95)), (-3.5, -3.0, 0.97)),
        "GreenBox": (_tall((0.0, 0.95, 0.02)), (-6.5, 6.0, 1.0)),
    },
    "indoors-1/indoor-1": {
        "GreenBox": (_cube(0.5, (0.0, 0.8, 0.05), 4.0), (-11.9, 4.1, 0.25)),
        "PinkBox": (_cube(0.5, (0.95, 0.45, 0.65), 3.0), (-11.0, 1.5, 0.25)),
        "RedBox": (_cube(1.0, (0.85, 0.1, 0.05), 5.0), (-1.47, 1.69, 0.5)),
        "YellowBox": (_cube(0.845, (0.95, 0.85, 0.1), 5.0), (-5.0, -4.0, 0.4225)),
        "Bottle1": (_bottle(), (-10.0, 13.2, 0.74)),
    },
}
"""What environments have in them, and scripts take out of their files."""
