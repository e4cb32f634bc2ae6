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

ARM = """
Simulation(
    scene: "ground.robray",
    environment: (rate: 240),
    robots: { "arm": (
        model: "arms/kuka_lwr.robray", base: fixed,
        sensors: { "joints": (kind: "joint_state") },
        actuators: { "motors": (kind: "joints") },
    ) },
)
"""
BALL = """
Simulation(
    scene: "ball.robray",
    robots: { "ball": (
        frame: "ball",
        sensors: { "pose": (kind: "pose") },
        actuators: { "motion": (kind: "force_torque") },
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
            "reward": lambda readings: readings["rover.pose.x"],
            "terminated": "rover.pose.x > 0.5",
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

        environment = ms.gym.Env(self.file, self.task(seconds=0.5, terminated=None))
        environment.reset(seed=1)
        ends = [environment.step(numpy.zeros(2))[2:4] for _ in range(5)]
        # One tick before the first action, and six per action: 31 ticks are more than half a second.
        self.assertEqual(ends, [(False, False)] * 4 + [(False, True)])

    def test_a_vector_of_them_equals_single_ones(self) -> None:
        import morse_sim as ms
        import numpy

        task = self.task(terminated=lambda readings: readings.time > 0.35)
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

    def test_values_of_the_file_are_drawn_from_the_seed(self) -> None:
        import morse_sim as ms
        import numpy

        place = "robots.rover.at.translation"
        task = self.task(
            observe=["rover.odometry.x"], read=["rover.pose.x", "rover.pose.y"],
            reward=lambda readings: readings["rover.pose.x"],
            randomize={place: ((-3.0, -2.0, 0.1), (3.0, 2.0, 0.1)), "robots.rover.actuators.motion.start.v": (0.0, 0.5)},
        )
        file = self.write("odometry.ron", ROOM.replace("sensors: {", 'sensors: { "odometry": (kind: "odometry"),'))
        vector = ms.gym.VectorEnv(file, task, 3)
        still = numpy.zeros((3, 2))

        def begins(seed: int) -> Any:
            vector.reset(seed=seed)
            found = [simulation["rover.pose"].data for simulation in vector.simulations]
            return numpy.array([[each.x, each.y] for each in found]), vector.step(still)[1]

        first, rewards = begins(3)
        self.assertTrue(numpy.all(abs(first) < [3.2, 2.2]), first)
        self.assertEqual(len({tuple(place) for place in first.tolist()}), 3)
        self.assertLess(abs(rewards - first[:, 0]).max(), 0.2)
        again, _ = begins(3)
        self.assertEqual(first.tobytes(), again.tobytes())
        self.assertNotEqual(first.tobytes(), begins(4)[0].tobytes())
        # The file and the values of the episode repeat it.
        simulation = vector.simulations[1]
        repeated = simulation.fork()
        self.assertEqual(repeated.state_hash, simulation.state_hash)
        for wrong in ((1.0, 0.0), ((0, 0), (1, 1, 1)), (0.0, float("inf"))):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, "a least and a greatest"):
                ms.gym.Env(self.file, self.task(randomize={place: wrong})).reset()

    def test_shared_observations_are_the_memory_of_the_simulations(self) -> None:
        import morse_sim as ms
        import numpy

        vector = ms.gym.VectorEnv(self.file, self.task(), 2, copy=False)
        before, _ = vector.reset(seed=1)
        kept = before.copy()
        after = vector.step(numpy.full((2, 2), 0.5))[0]
        self.assertTrue(numpy.shares_memory(before, after))
        self.assertFalse(numpy.array_equal(before, kept))
        self.assertEqual(vector.simulations[1]["rover.pose"].data.y, after[1, -1])
        vector.close()
        # The array keeps its memory.
        self.assertTrue(numpy.all(numpy.isfinite(after[:, -2:])))

    def test_actions_contain_lists(self) -> None:
        import morse_sim as ms
        import numpy

        arm = self.write("arm.ron", ARM)
        task = ms.gym.Task(
            observe=["arm.joints.positions"], act=[f"arm.motors.positions.{i}" for i in range(7)],
            limits={f"arm.motors.positions.{i}": (-1.0, 1.0) for i in range(7)},
        )
        environment = ms.gym.Env(arm, task)
        observed, _ = environment.reset(seed=1)
        self.assertEqual(observed.shape, (7,))
        action = numpy.array([0.1, -0.2, 0.3, -0.3, 0.2, -0.1, 0.05])
        for _ in range(20):
            observed = environment.step(action)[0]
        self.assertLess(abs(observed - action).max(), 0.02, observed)
        with self.assertRaisesRegex(Exception, r"positions.*in order"):
            ms.gym.Env(arm, ms.gym.Task(observe=[], act=["arm.motors.positions.1"]))

    def test_failures_of_the_physics_end_an_episode(self) -> None:
        import morse_sim as ms
        import numpy

        self.write("ball.robray", "frame ball { translation [0, 0, 5]; geometry { shape sphere; radius 0.01; density 1; } }")
        file = self.write("ball.ron", BALL)
        force = [f"ball.motion.force.{axis}" for axis in range(3)]
        task = ms.gym.Task(observe=["ball.pose.x"], act=force, limits=dict.fromkeys(force, (-1e8, 1e8)), reward=lambda _: 1.0)
        vector = ms.gym.VectorEnv(file, task, 2)
        vector.reset(seed=1)
        thrown = numpy.array([[0.0, 0.0, 0.0], [1e8, 0.0, 0.0]])
        _observed, rewards, terminated, truncated, infos = vector.step(thrown)
        self.assertEqual((terminated.tolist(), truncated.tolist(), rewards[1]), ([False, False], [False, True], 0.0))
        self.assertIn("`ball`", infos["fault"][1])
        self.assertEqual(infos["_fault"].tolist(), [False, True])
        # The next step begins an episode in a new simulation.
        observed, _rewards, _terminated, truncated, infos = vector.step(numpy.zeros((2, 3)))
        self.assertEqual((truncated.tolist(), infos["_seed"].tolist()), ([False, False], [False, True]))
        self.assertLess(abs(observed[1, 0]), 0.1)
        self.assertNotIn("fault", infos)

    def test_wrong_actions_are_refused(self) -> None:
        import morse_sim as ms
        import numpy

        environment = ms.gym.Env(self.file, self.task(reward=lambda readings: numpy.zeros(3)))
        environment.reset(seed=1)
        for action in (numpy.array([numpy.nan, 0.0]), numpy.array([0.0, numpy.inf])):
            with self.assertRaisesRegex(ms.AccessError, "not finite"):
                environment.step(action)
        for action in (0.5, numpy.zeros(3), numpy.zeros((1, 2)), None, "left", [[1], [2, 3]]):
            with self.subTest(action), self.assertRaises((ValueError, TypeError)):
                environment.step(action)
        with self.assertRaisesRegex(ValueError, r"a reward per environment.*\(1,\).*\(3,\)"):
            environment.step(numpy.zeros(2))
        environment.close()
        with self.assertRaises(ms.ClosedError):
            environment.reset()

    def test_wrong_tasks_are_refused(self) -> None:
        import morse_sim as ms

        for changes, why in (
            ({"observe": ["rover.pose.q"]}, "no field `q`"),
            ({"observe": ["rover.posse.x"]}, "did you mean `rover.pose`"),
            ({"observe": ["x"]}, "a component and a field"),
            ({"observe": ["rover.motion.v"]}, "`rover.motion` does not hold"),
            ({"read": ["rover.pose.z.z"]}, "no component `rover.pose.z`"),
            ({"terminated": "rover.pose.q > 1"}, "no field `q`"),
            ({"terminated": "rover.pose.x >"}, "condition `rover.pose.x >`: expected a value"),
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
            [*command, os.path.join(source, "morse_sim", "gym")],
            env={**os.environ, "MYPYPATH": source}, capture_output=True, text=True,
        )
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
