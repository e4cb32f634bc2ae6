"""Kinds of component in Python for tests."""
from __future__ import annotations

import os
from typing import Any, List

from . import ROOT
from .support import Room

BALL = "frame ball { translation [0, 0, 5]; mass 2; geometry { shape sphere; radius 0.1; } }\n"
FALL = """
Simulation(
    scene: "ball.robray",
    environment: (rate: 60, seed: 5),
    robots: { "ball": (frame: "ball", sensors: { SENSORS }, actuators: { ACTUATORS }) },
)
"""
BALANCE = os.path.join(ROOT, "src", "morse_sim", "gym", "tasks", "balance.ron")


def classes() -> Any:
    """Registers the classes of the tests; the module is imported without the native core, too."""
    import morse_sim as ms

    class Classes:
        @ms.register
        class Altimeter(ms.Sensor):
            """Height above a reference.

            Counts its measurements."""

            kind = "py_altimeter"
            reference: float = ms.setting(0.0, unit="m", docs="Height that is measured as zero.", low=-10, high=10)
            names: List[str] = ms.setting(["a"], docs="Names.")
            height: float = ms.output(0.0, unit="m", docs="Height above the reference.")
            count: int = ms.output(0, docs="Number of measurements.")
            speed = ms.output((0.0, 0.0, 0.0), unit="m/s", docs="Velocity.")
            track: List[float] = ms.output([], unit="m", docs="The last heights.")

            def __init__(self) -> None:
                self.last = [self.reference]

            def measure(self, context: ms.Context) -> None:
                self.height = context.position[2] - self.reference
                self.speed = context.linear_velocity
                self.count += 1
                self.last = [*self.last[-2:], self.height]
                self.track = self.last

        @ms.register
        class Failing(ms.Sensor):
            """Fails at a tick."""

            kind = "py_failing"
            at: int = ms.setting(3, docs="The tick.")
            value: int = ms.output(0, docs="The last tick.")

            def measure(self, context: ms.Context) -> None:
                if context.tick == self.at:
                    raise ZeroDivisionError("on purpose")
                self.value = context.tick

        @ms.register
        class Hover(ms.Actuator):
            """Holds a height by a force."""

            kind = "py_hover"
            stiffness: float = ms.setting(20.0, unit="N/m", docs="Stiffness.")
            height: float = ms.command(5.0, unit="m", docs="Height to hold.", low=0.0, high=100.0)

            def act(self, context: ms.Context) -> ms.Drive:
                up = self.stiffness * (self.height - context.position[2]) - 12.0 * context.linear_velocity[2] + 2 * 9.81
                return ms.Drive.wrench((0, 0, up), (0, 0, 0))

        @ms.register
        class Push(ms.Actuator):
            """Exerts efforts of joints."""

            kind = "py_push"
            effort: float = ms.command(0.0, unit="N", docs="Effort of the cart.")

            def act(self, context: ms.Context) -> ms.Drive:
                return ms.Drive.efforts({"cart": self.effort})

        @ms.register
        class Echo(ms.Modifier):
            """Adds the mean of the last numbers, noise, and loses some data."""

            kind = "py_echo"
            fields = ["z"]
            gain: float = ms.setting(0.0, docs="Gain.")
            every: int = ms.setting(0, docs="Measurements between lost ones; 0 for none.")

            def __init__(self) -> None:
                self.seen: List[float] = []

            def modify(self, data: Any, context: ms.Context) -> bool:
                self.seen = [*self.seen[-9:], data["z"]]
                data["z"] += self.gain * context.normal() + sum(self.seen)
                return not (self.every and len(self.seen) % self.every == 0)

    return Classes


class Falling(Room):
    """A ball that falls, with components."""

    def setUp(self) -> None:
        super().setUp()
        self.write("ball.robray", BALL)
        self.classes = classes()

    def fall(self, sensors: str = "", actuators: str = "", **options: Any) -> Any:
        import morse_sim as ms

        text = FALL.replace("SENSORS", sensors).replace("ACTUATORS", actuators)
        return ms.Simulation(text=text, directory=self.folder, **options)
