"""Environments to learn in."""
from __future__ import annotations

import importlib.util
import os
import sys
import unittest
import warnings
from typing import Any

from . import ROOT
from .native import needs_native
from .require import needs
from .support import Room, execute

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


TWO = """
Simulation(
    scene: "ground.robray",
    robots: {
        "left": (
            model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 2, 0.1)),
            sensors: { "pose": (kind: "pose", modifiers: [(kind: "pose_noise")]) }, actuators: { "motion": (kind: "v_omega") },
        ),
        "right": (
            model: "robots/atrv.robray", base: dynamic, at: (translation: (0, -2, 0.1)),
            sensors: { "pose": (kind: "pose") }, actuators: { "motion": (kind: "v_omega") },
        ),
    },
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

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            check_env(ms.gym.Env(self.file, self.task(), "rgb_array"), skip_render_check=False)
        unknown = [str(each.message) for each in caught if "infinity" not in str(each.message) and "Gymnasium" not in str(each.message)]
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

    def test_readings_have_several_fields_side_by_side(self) -> None:
        import morse_sim as ms
        import numpy

        seen = []

        def reward(readings: Any) -> Any:
            x, y = readings["rover.pose.x"], readings["rover.pose.y"]
            for names, expected in ((("rover.pose.x", "rover.pose.y"), [x, y]), (("rover.pose.y", "rover.pose.x"), [y, x])):
                self.assertEqual(readings.vector(*names).tolist(), numpy.stack(expected, axis=1).tolist())
            self.assertEqual(readings.vector("rover.scan.range_list", "rover.pose.x")[:, -1].tolist(), x.tolist())
            self.assertEqual(readings.vector().shape, (1, 0))
            with self.assertRaisesRegex(ms.AccessError, "neither observes nor reads `rover.pose.up`"):
                readings.vector("rover.pose.x", "rover.pose.up")
            seen.append(float(x[0]))
            return readings.vector("rover.pose.x", "rover.pose.y")[:, 0]

        environment = ms.gym.Env(self.file, self.task(reward=reward))
        environment.reset(seed=1)
        rewards = [environment.step(numpy.array([0.5, 0.1]))[1] for _ in range(3)]
        self.assertEqual(rewards, seen)
        self.assertLess(rewards[0], rewards[2])

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

        field = "robots.rover.at.translation"
        task = self.task(
            observe=["rover.odometry.x"], read=["rover.pose.x", "rover.pose.y"],
            reward=lambda readings: readings["rover.pose.x"],
            randomize={field: ((-3.0, -2.0, 0.1), (3.0, 2.0, 0.1)), "robots.rover.actuators.motion.start.v": (0.0, 0.5)},
        )
        file = self.write("odometry.ron", ROOM.replace("sensors: {", 'sensors: { "odometry": (kind: "odometry"),'))
        vector = ms.gym.VectorEnv(file, task, 3)
        still = numpy.zeros((3, 2))

        def begins(seed: int) -> Any:
            vector.reset(seed=seed)
            poses = [simulation["rover.pose"].data for simulation in vector.simulations]
            return numpy.array([[each.x, each.y] for each in poses]), vector.step(still)[1]

        first, rewards = begins(3)
        self.assertTrue(numpy.all(abs(first) < [3.2, 2.2]), first)
        self.assertEqual(len({tuple(position) for position in first.tolist()}), 3)
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
                ms.gym.Env(self.file, self.task(randomize={field: wrong})).reset()

    def test_measurements_that_are_missing_from_the_start_are_nan(self) -> None:
        import morse_sim as ms
        import numpy

        drops = ROOM.replace('(kind: "pose_noise")', '(kind: "dropout", probability: 0)')
        probability = "robots.rover.sensors.pose.modifiers.0.probability"
        file = self.write("drops.ron", drops)
        environment = ms.gym.Env(file, self.task(reward=None, terminated=None, randomize={probability: (1.0, 1.0)}))
        for observed in (environment.reset(seed=1)[0], environment.step(numpy.array([0.5, 0.0]))[0]):
            self.assertFalse(numpy.isnan(observed[:-2]).any())
            self.assertTrue(numpy.isnan(observed[-2:]).all(), observed[-2:])
        # What is missing when the environment is made has no length.
        with self.assertRaisesRegex(ms.AccessError, "rover.pose.x` has no data yet.*`missing: last`"):
            ms.gym.Env(file, self.task(), set=[f"{probability}=1"])

    def test_episodes_with_another_rate_are_refused(self) -> None:
        import morse_sim as ms

        drawn = self.write("rates.ron", ROOM.replace("rate: 60", "rate: one_of(60, 120)"))
        for file, randomize in ((self.file, {"environment.rate": (100.0, 300.0)}), (drawn, {})):
            environment = ms.gym.Env(file, self.task(randomize=randomize))
            with self.subTest(file), self.assertRaisesRegex(ms.AccessError, "the rate of this episode is .* Hz, that of the first"):
                for seed in range(20):
                    environment.reset(seed=seed)
        # A rate that is the same in all episodes gives the ticks of an action.
        environment = ms.gym.Env(self.file, self.task(), set=["environment.rate=120"])
        for seed in (1, 2):
            environment.reset(seed=seed)
            before = environment.simulation.tick
            environment.step(environment.action_space.sample())
            self.assertEqual(environment.simulation.tick - before, 12)

    def test_ranges_of_the_file_are_drawn_for_each_episode(self) -> None:
        import morse_sim as ms
        import numpy

        text = ROOM.replace("translation: (0, 0, 0.1)", "translation: (between(-2, 2), between(-1, 1), 0.1)")
        file = self.write("ranges.ron", text.replace('base: dynamic,', 'base: dynamic, mass: one_of(20, 30),'))
        task = self.task(observe=["rover.pose.x"], terminated=None, seconds=0.3, reward=None)
        vector = ms.gym.VectorEnv(file, task, 3)
        vector.reset(seed=5)

        def drawn() -> Any:
            return [simulation.drawn for simulation in vector.simulations]

        first = drawn()
        names = ["robots.rover.at.translation.0", "robots.rover.at.translation.1", "robots.rover.mass"]
        self.assertEqual(sorted(first[0]), names)
        self.assertEqual(len({each[names[0]] for each in first}), 3)
        for each, simulation in zip(first, vector.simulations):
            self.assertTrue(-2 <= float(each[names[0]]) <= 2 and each[names[2]] in ("20", "30"), each)
            self.assertAlmostEqual(simulation["rover.pose"].data.x, float(each[names[0]]), delta=0.3)
        # The values make the same world again, with another seed for the draws.
        again = ms.Simulation(file, seed=vector.simulations[1].seed, set=[f"{path}={value}" for path, value in first[1].items()])
        again.step()
        self.assertEqual((again.drawn, again.state_hash), ({}, vector.simulations[1].state_hash))
        for _ in range(4):
            vector.step(numpy.zeros((3, 2)))
        self.assertNotEqual(drawn()[0][names[0]], first[0][names[0]])
        vector.reset(seed=5)
        self.assertEqual(drawn(), first)
        wrong = self.write("wrong.ron", ROOM.replace("translation: (0, 0, 0.1)", "translation: (between(2, -2), 0, 0.1)"))
        with self.assertRaisesRegex(ms.SceneError, "a least and a greatest number"):
            ms.gym.Env(wrong, task)

    def test_episodes_may_begin_in_the_step_in_which_others_end(self) -> None:
        """With the observations of single environments, whose episodes begin by a call."""
        import gymnasium
        import morse_sim as ms
        import numpy

        task = self.task(terminated=lambda readings: readings.time > 0.35, seconds=0.25)
        mode = gymnasium.vector.AutoresetMode.SAME_STEP
        vector = ms.gym.VectorEnv(self.file, task, 2, autoreset_mode=mode)
        self.assertEqual(vector.metadata["autoreset_mode"], mode)
        singles = [ms.gym.Env(self.file, task) for _ in range(2)]
        observed, _ = vector.reset(seed=8)
        wanted = [single.reset(seed=8 + i)[0] for i, single in enumerate(singles)]
        ends = 0
        for step in range(8):
            self.assertEqual(observed.tobytes(), numpy.stack(wanted).tobytes(), step)
            actions = numpy.array([[0.3, 0.2 * i] for i in range(2)])
            observed, rewards, terminated, truncated, infos = vector.step(actions)
            for i, single in enumerate(singles):
                wanted[i], reward, *end, _ = single.step(actions[i])
                self.assertEqual((rewards[i], terminated[i], truncated[i]), (reward, *end))
                if any(end):
                    self.assertEqual(infos["final_obs"][i].tobytes(), wanted[i].tobytes())
                    self.assertEqual((infos["_final_obs"].tolist(), infos["_seed"].tolist()), ([True, True], [True, True]))
                    wanted[i] = single.reset()[0]
                    ends += 1
        self.assertEqual(ends, 2 * (8 // 3))
        mode_without_name: Any = "some step"
        with self.assertRaisesRegex(ValueError, "some step"):
            ms.gym.VectorEnv(self.file, task, 2, autoreset_mode=mode_without_name)

    def test_a_mask_begins_some_episodes(self) -> None:
        """With the observations of single environments, of which some are reset; Gymnasium's vectors accept the same masks."""
        import gymnasium
        import morse_sim as ms
        import numpy

        mode = gymnasium.vector.AutoresetMode.DISABLED
        task = self.task(terminated=None, seconds=0.35)
        vector = ms.gym.VectorEnv(self.file, task, 3, autoreset_mode=mode)
        singles = [ms.gym.Env(self.file, task) for _ in range(3)]
        vector.reset(seed=8)
        wanted = [single.reset(seed=8 + i)[0] for i, single in enumerate(singles)]
        for step, reset in enumerate(([], [1], [], [0, 2], [], [1], [], [0, 2])):
            actions = numpy.array([[0.3, 0.2 * i] for i in range(3)])
            observed, *_, ended, _infos = vector.step(actions)
            ends = []
            for i, single in enumerate(singles):
                wanted[i], *_, end, _info = single.step(actions[i])
                ends.append(end)
            self.assertEqual(ended.tolist(), ends, step)
            if reset:
                mask = numpy.isin(numpy.arange(3), reset)
                seeds = [20 + step if i == 1 else None for i in range(3)]
                observed, infos = vector.reset(seed=seeds, options={"reset_mask": mask})
                self.assertEqual((infos["_seed"].tolist(), infos["_time"].tolist()), (mask.tolist(), (~mask).tolist()))
                for i in reset:
                    wanted[i] = singles[i].reset(seed=seeds[i])[0]
            self.assertEqual(observed.tobytes(), numpy.stack(wanted).tobytes(), step)
        for _ in range(3):
            observed, *_, ended, _infos = vector.step(numpy.zeros((3, 2)))
            if ended.any():
                break
        with self.assertRaisesRegex(gymnasium.error.ResetNeeded, "1"):
            vector.step(numpy.zeros((3, 2)))
        for mask in ([True, False, False], numpy.array([1, 0, 0]), numpy.zeros(3, bool), numpy.ones(2, bool)):
            with self.assertRaisesRegex((TypeError, ValueError), "reset_mask"):
                vector.reset(options={"reset_mask": mask})
        vector.close()

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
        import gymnasium
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
        # A reset of another environment does not end the failure.
        vector = ms.gym.VectorEnv(file, task, 2, autoreset_mode=gymnasium.vector.AutoresetMode.DISABLED)
        vector.reset(seed=1)
        vector.step(thrown)
        _observed, infos = vector.reset(options={"reset_mask": numpy.array([True, False])})
        self.assertEqual((infos["_seed"].tolist(), infos["_fault"].tolist()), ([True, False], [False, True]))
        with self.assertRaisesRegex(gymnasium.error.ResetNeeded, "reset them: 1"):
            vector.step(numpy.zeros((2, 3)))
        _observed, infos = vector.reset(options={"reset_mask": numpy.array([False, True])})
        self.assertNotIn("fault", infos)
        observed, *_rest, truncated, infos = vector.step(numpy.zeros((2, 3)))
        self.assertEqual((truncated.tolist(), infos["time"].tolist()), ([False, False], [infos["time"][0]] * 2))
        self.assertLess(abs(observed[1, 0]), 0.1)

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

    def test_one_number_of_a_list_is_observed(self) -> None:
        import morse_sim as ms

        environment = ms.gym.Env(self.file, self.task(observe=["rover.scan.range_list.3", "rover.pose.x"], read=["rover.scan.range_list"]))
        observed, _ = environment.reset(seed=1)
        self.assertEqual(environment.observation_space.shape, (2,))
        data = environment.simulation["rover.scan"].data
        self.assertEqual(observed[0], data.range_list[3])
        environment.close()

    def test_wrong_tasks_are_refused(self) -> None:
        import morse_sim as ms

        for changes, why in (
            ({"observe": ["rover.pose.q"]}, "no field `q`"),
            ({"observe": ["rover.posse.x"]}, "did you mean `rover.pose`"),
            ({"observe": ["x"]}, "a component and a field"),
            ({"observe": ["rover.motion.v"]}, "`rover.motion` does not hold"),
            ({"observe": ["rover.scan.range_list.1000"]}, "`rover.scan.range_list` has [0-9]+ numbers, counted from 0"),
            ({"observe": ["rover.scan.range_list." + 5000 * "9"]}, "at most 9 digits"),
            ({"act": ["rover.motion.v." + 30 * "9"]}, "at most 9 digits"),
            ({"read": ["rover.pose.z.z"]}, "no component `rover.pose.z`"),
            ({"terminated": "rover.pose.q > 1"}, "no field `q`"),
            ({"terminated": "rover.pose.x >"}, "condition `rover.pose.x >`: expected a value"),
            ({"act": ["rover.motion.u"]}, "no field `u`"),
            ({"frequency": 7.0}, "does not divide"),
        ):
            with self.subTest(why), self.assertRaisesRegex(Exception, why):
                ms.gym.Env(self.file, self.task(**changes))
        with self.assertRaisesRegex(ValueError, "rgb_array"):
            ms.gym.Env(self.file, self.task(), "ansi")

    @unittest.skipUnless(importlib.util.find_spec("pygame"), "there is no pygame: the render mode `human`")
    def test_a_window_shows_the_scene(self) -> None:
        script = """
import sys
from tests import native
native.load()
import morse_sim as ms, numpy
from gymnasium.utils.env_checker import check_env
task = ms.gym.Task(observe=["rover.pose.x"], act=["rover.motion.v"], limits={"rover.motion.v": (-1, 1)}, frequency=60)
environment = ms.gym.Env(sys.argv[1], task, "human", size=(160, 90))
environment.reset(seed=1)
environment.step(numpy.array([0.5]))
shown = environment._window.image()
assert shown.shape == (90, 160, 3) and numpy.array_equal(shown, environment.simulation.render(160, 90))
environment.close()
environment.close()
"""
        for driver, code, why in (("dummy", 0, ""), ("x11", 1, "there is no screen for the render mode `human`")):
            environment = {**os.environ, "SDL_VIDEODRIVER": driver, "DISPLAY": ":987", "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
            ran = execute([sys.executable, "-c", script, self.file], cwd=ROOT, env=environment)
            self.assertEqual(ran.returncode, code, ran.stderr)
            self.assertIn(why, ran.stderr)

    def test_shipped_tasks_are_registered_and_checked(self) -> None:
        import gymnasium
        import morse_sim as ms
        import numpy
        from gymnasium.utils.env_checker import check_env

        for name in ms.gym.tasks.TASKS:
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                environment = gymnasium.make(f"morse_sim/{name}")
                check_env(environment.unwrapped, skip_render_check=True)
                vector = gymnasium.make_vec(f"morse_sim/{name}", num_envs=2)
                observed, _ = vector.reset(seed=3)
                self.assertEqual(environment.reset(seed=4)[0].tobytes(), observed[1].tobytes())
                actions = vector.action_space.sample()
                rows, rewards, *_ = vector.step(actions)
                row, reward, *_ = environment.step(actions[1])
                self.assertEqual((row.tobytes(), reward), (rows[1].tobytes(), rewards[1]))
                self.assertTrue(numpy.isfinite(rows).all())
                environment.close()
                vector.close()

    def test_the_pole_falls_as_its_equations_say(self) -> None:
        """Barto, Sutton and Anderson (1983) without friction, with the inertia of a rod; integrated by Runge and Kutta."""
        import morse_sim as ms
        import numpy

        def change(state: Any, force: float) -> Any:
            _x, v, angle, rate = state
            gravity, pole, both, half = 9.81, 0.1, 1.1, 0.5
            sine, cosine = numpy.sin(angle), numpy.cos(angle)
            pushed = (force + pole * half * rate**2 * sine) / both
            turned = (gravity * sine - cosine * pushed) / (half * (4 / 3 - pole * cosine**2 / both))
            return numpy.array([v, pushed - pole * half * turned * cosine / both, rate, turned])

        environment = ms.gym.tasks.make("Balance-v0")
        observed, _ = environment.reset(seed=5)
        x, angle, v, rate = observed
        state, step = numpy.array([x, v, angle, rate]), 0.02 / 40
        for number in range(12):
            force = (8.0, -3.0, 5.0)[number % 3]
            observed, reward, terminated, *_ = environment.step(numpy.array([force]))
            for _ in range(40):
                k1 = change(state, force)
                k2 = change(state + step / 2 * k1, force)
                k3 = change(state + step / 2 * k2, force)
                k4 = change(state + step * k3, force)
                state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            self.assertLess(abs(observed[[0, 2, 1, 3]] - state).max(), 0.03, number)
        self.assertGreater(abs(state).max(), 0.5)

    @needs("python", importlib.util.find_spec("mypy"), "there is no mypy")
    def test_mypy_accepts_it(self) -> None:
        source = os.path.join(ROOT, "src")
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", self.path("cache"), "--follow-imports", "silent"]
        ran = execute(
            [*command, os.path.join(source, "morse_sim", "gym")],
            env={**os.environ, "MYPYPATH": source},
        )
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)


@needs_native
@needs("python", importlib.util.find_spec("pettingzoo"), "there is no pettingzoo: environments of several agents")
class Agents(Room):
    def environment(self, **options: Any) -> Any:
        import morse_sim as ms
        import numpy

        def task(name: str, other: str, end: Any) -> Any:
            return ms.gym.Task(
                observe=[f"{name}.pose.x", f"{name}.pose.y"], read=[f"{other}.pose.x"], act=[f"{name}.motion.v", f"{name}.motion.w"],
                limits={f"{name}.motion.v": (-1.0, 1.0), f"{name}.motion.w": (-1.0, 1.0)},
                derive=lambda readings: numpy.stack([readings[f"{other}.pose.x"] - readings[f"{name}.pose.x"]], axis=1),
                # What is derived is the difference of this agent.
                reward=lambda readings: readings[f"{other}.pose.x"] - readings.derived[:, 0], terminated=end,
            )

        agents = {
            "left": task("left", "right", "left.pose.x > 0.6"),
            "right": task("right", "left", lambda readings: readings["right.pose.x"] > 5),
        }
        return ms.gym.ParallelEnv(self.write("two.ron", TWO), agents, **{"seconds": 2.0, **options})

    def test_its_own_tests_accept_it(self) -> None:
        from pettingzoo.test import parallel_api_test, parallel_seed_test

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parallel_api_test(self.environment(), num_cycles=100)
            parallel_seed_test(self.environment)

    def test_agents_end_by_themselves(self) -> None:
        import numpy

        environment = self.environment()
        observed, infos = environment.reset(seed=2)
        self.assertEqual({agent: each.shape for agent, each in observed.items()}, {"left": (3,), "right": (3,)})
        ahead = {"left": numpy.array([1.0, 0.0]), "right": numpy.array([0.5, 0.0])}
        ended = {}
        for step in range(30):
            if not environment.agents:
                break
            observed, rewards, terminations, truncations, infos = environment.step({a: ahead[a] for a in environment.agents})
            for agent in observed:
                self.assertAlmostEqual(rewards[agent], observed[agent][0])
                if terminations[agent] or truncations[agent]:
                    ended[agent] = (step, terminations[agent], truncations[agent])
        # The left one passes 0.6 m; it then stands still while the right one goes on until the time is up.
        self.assertTrue(5 <= ended["left"][0] < 15 and ended["left"][1], ended)
        self.assertEqual(ended["right"][1:], (False, True))
        pose = environment.simulation["left.pose"].data
        self.assertLess(pose.x, 1.2)
        with self.assertRaisesRegex(ValueError, "none of: right"):
            environment.reset()
            environment.step({"left": ahead["left"]})
