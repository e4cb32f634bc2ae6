"""Environments to learn in."""
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import warnings
from typing import Any

from . import ROOT
from .native import needs_native
from .require import needs
from .support import Room

ROOM = """
Simulation(
    scene: "ground.robray",
    environment: (rate: 60, seed: 7),
    robots: { "rover": (
        model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 0, 0.1)),
        sensors: {
            "scan": (kind: "laser_scanner", mount: (translation: (0.45, 0, 0.5))),
            "pose": (kind: "pose", modifiers: [(kind: "pose_noise")]),
        },
        actuators: { "motion": (kind: "v_omega") },
    ) },
)
"""


@needs_native
@needs("python", importlib.util.find_spec("gymnasium"), "there is no gymnasium: environments")
class Environments(Room):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.write("room.ron", ROOM)

    def task(self, **changes: Any) -> Any:
        import morse_sim as ms

        settings: Any = {
            "observe": ["rover.scan.range_list", "rover.pose.x", "rover.pose.y"],
            "act": ["rover.motion.v", "rover.motion.w"],
            "limits": {"rover.motion.v": (-1.0, 1.0), "rover.motion.w": (-1.0, 1.0)},
            "reward": lambda simulation: simulation["rover.pose"].data.x,
            "terminated": lambda simulation: simulation["rover.pose"].data.x > 0.5,
            "seconds": 2.0,
        }
        return ms.gym.Task(**{**settings, **changes})

    def test_the_checker_accepts_it(self) -> None:
        import morse_sim as ms
        from gymnasium.utils.env_checker import check_env

        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            check_env(ms.gym.Env(self.file, self.task(), "rgb_array"), skip_render_check=False)
        unknown = [str(each.message) for each in found if "infinity" not in str(each.message) and "Gymnasium" not in str(each.message)]
        self.assertFalse([each for each in unknown if "symmetric" not in each and "spec" not in each], unknown)

    def test_equal_seeds_give_equal_bits(self) -> None:
        import morse_sim as ms
        import numpy

        def episode(seed: int) -> Any:
            environment = ms.gym.Env(self.file, self.task())
            observed = [environment.reset(seed=seed)[0]]
            for _ in range(5):
                observed.append(environment.step(numpy.array([0.5, 0.1]))[0])
            return numpy.stack(observed).tobytes()

        self.assertEqual(episode(1), episode(1))
        self.assertNotEqual(episode(1), episode(2))

    def test_episodes_end(self) -> None:
        import morse_sim as ms
        import numpy

        environment = ms.gym.Env(self.file, self.task(seconds=0.5, terminated=lambda _: False))
        environment.reset(seed=1)
        ends = [environment.step(numpy.zeros(2))[2:4] for _ in range(5)]
        # One tick before the first action, and six per action: 31 ticks are more than half a second.
        self.assertEqual(ends, [(False, False)] * 4 + [(False, True)])

    def test_a_vector_of_them_equals_single_ones(self) -> None:
        import morse_sim as ms
        import numpy

        task = self.task(terminated=lambda simulation: simulation.time > 0.35)
        vector = ms.gym.VectorEnv(self.file, task, 3)
        observed, infos = vector.reset(seed=4)
        self.assertTrue(vector.observation_space.contains(observed))
        self.assertEqual(len(infos["seed"]), 3)
        singles = [ms.gym.Env(self.file, task) for _ in range(3)]
        wanted = numpy.stack([single.reset(seed=4 + i)[0] for i, single in enumerate(singles)])
        ended = [False] * 3
        for step in range(7):
            self.assertEqual(observed.tobytes(), wanted.tobytes(), step)
            actions = numpy.array([[0.1 * i, 0.2] for i in range(3)])
            observed, rewards, terminated, truncated, _infos = vector.step(actions)
            rows = []
            for i, single in enumerate(singles):
                if ended[i]:
                    rows.append(single.reset()[0])
                    self.assertEqual((rewards[i], terminated[i], truncated[i]), (0.0, False, False))
                    ended[i] = False
                    continue
                outcome = single.step(actions[i])
                rows.append(outcome[0])
                self.assertEqual((rewards[i], terminated[i], truncated[i]), outcome[1:4])
                ended[i] = outcome[2] or outcome[3]
            wanted = numpy.stack(rows)
        self.assertEqual(sum(ended), 0)

    def test_wrong_tasks_are_refused(self) -> None:
        import morse_sim as ms

        for changes, why in (
            ({"observe": ["rover.pose.q"]}, "no field `q`"),
            ({"observe": ["rover.posse.x"]}, "did you mean `rover.pose`"),
            ({"observe": ["x"]}, "a component and a field"),
            ({"act": ["rover.motion.u"]}, "no field `u`"),
            ({"frequency": 7.0}, "does not divide"),
        ):
            with self.subTest(why), self.assertRaisesRegex(Exception, why):
                ms.gym.Env(self.file, self.task(**changes))
        with self.assertRaisesRegex(ValueError, "rgb_array"):
            ms.gym.Env(self.file, self.task(), "human")

    @needs("python", importlib.util.find_spec("mypy"), "there is no mypy")
    def test_mypy_accepts_it(self) -> None:
        source = os.path.join(ROOT, "src")
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", self.path("cache"), "--follow-imports", "silent"]
        ran = subprocess.run(
            [*command, os.path.join(source, "morse_sim", "gym.py")],
            env={**os.environ, "MYPYPATH": source}, capture_output=True, text=True,
        )
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
