"""A long run in process with commands, readings, snapshots, forks, images, errors, environments and components in Python. It prints
the number of ticks, and the resident memory of the process after each fifth, in bytes.

    python plugins/python/tests/long_run.py scenes/patrol.ron 1000000
"""
from __future__ import annotations

import os
import sys
from typing import Any, List

import morse_sim as ms

SECTIONS, TICKS = 5, 10


def memory() -> int:
    """Resident memory of the process, B."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@ms.register
class Height(ms.Sensor):
    """Height above the ground."""

    kind = "height_of_the_long_run"
    height: float = ms.output(0.0, unit="m", docs="Height.")

    def __init__(self) -> None:
        self.last: List[float] = []

    def measure(self, context: ms.Context) -> None:
        self.last = [*self.last[-9:], context.position[2]]
        self.height = sum(self.last) / len(self.last)
        context.cast([(0.0, 0.0, -1.0)], 5.0)


GUEST = '(model: "g.robray", at: (translation: (0, 0, 9)), base: fixed, sensors: { "height": (kind: "height_of_the_long_run") })'
SPHERE = {"g.robray": "frame g { geometry { shape sphere; radius 0.1; } }"}


def more(simulation: Any) -> None:
    """Calls that are less frequent than ticks."""
    kept = simulation.snapshot()
    simulation.restore(kept)
    simulation.fork().close()
    simulation.render(64, 36)
    for wrong in ("nothing", "a.b"):
        try:
            simulation[wrong]
        except ms.AccessError:
            continue
        raise SystemExit(f"there is `{wrong}`")
    simulation.warnings()


def main() -> None:
    scene, ticks = sys.argv[1], int(sys.argv[2])
    simulation = ms.Simulation(scene, seed=3)
    simulation.spawn("guest", GUEST, SPHERE)
    components = [simulation[each] for each in simulation.components]
    sensors = [each for each in components if each.family == "sensor"]
    simulation.step()
    memories = []
    for _ in range(SECTIONS):
        for call in range(ticks // SECTIONS // TICKS):
            simulation.step(TICKS)
            for sensor in sensors:
                if sensor.data.timestamp <= 0.0:
                    raise SystemExit(f"`{sensor.path}` has no time")
            if call % 100 == 0:
                more(simulation)
        memories.append(memory())
    print(simulation.tick - 1, *memories)


if __name__ == "__main__":
    main()
