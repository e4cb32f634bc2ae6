"""Simulations in process."""
from __future__ import annotations

import importlib.util
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import Any, List

from . import ROOT
from .native import REPOSITORY, SCENES, needs_native, site
from .require import needs
from .support import Room, execute, needs_program, program

ROVER = """
Simulation(
    scene: "ground.robray",
    environment: (rate: 60, seed: 5),
    robots: { "rover": (
        model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 0, 0.1)),
        sensors: {
            "pose": (kind: "pose", modifiers: [(kind: "pose_noise")]),
            "eye": (kind: "video_camera", width: 16, height: 8, frequency: 10),
        },
        actuators: { "motion": (kind: "v_omega"), "go": (kind: "destination") },
    ) },
)
"""


class Rover(Room):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.write("rover.ron", ROVER)

    def rover(self, **options: Any) -> Any:
        import morse_sim as ms

        return ms.Simulation(self.file, **options)

    def python(self, script: str, **options: Any) -> "subprocess.Popen[str]":
        """Starts a script with the package as it is installed."""
        environment = {**os.environ, "PYTHONPATH": site(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        pipe = subprocess.PIPE
        command = [sys.executable, *options.pop("arguments", ["-c", script])]
        process = subprocess.Popen(command, cwd=self.folder, env=environment, stdout=pipe, stderr=pipe, text=True)
        self.addCleanup(process.kill)
        return process


@needs_native
class Simulations(Rover):
    @needs_program
    def test_it_is_the_program_bit_for_bit(self) -> None:
        import morse_sim as ms

        for scene in ("patrol.ron", "arm.ron"):
            path = os.path.join(SCENES, scene)
            said = execute(
                [str(program()), path, "--seed", "3", "--until", "1s", "--json"],
                cwd=self.folder,
            )
            simulation = ms.Simulation(path, seed=3)
            simulation.run(1.0)
            self.assertEqual(simulation.state_hash, json.loads(said.stdout.splitlines()[-1])["state_hash"])

    def test_sensors_are_arrays_and_attributes(self) -> None:
        import morse_sim as ms
        import numpy

        simulation = ms.Simulation(os.path.join(SCENES, "patrol.ron"), seed=3)
        simulation.step(63)
        data = simulation["rover.scan"].data
        self.assertEqual(data.range_list.shape, (181,))
        self.assertEqual(data.point_list.shape, (181, 3))
        self.assertEqual(data.range_list.dtype, numpy.float64)
        # At 10 Hz with 60 ticks per second, the last measurement is that of tick 61, the first one that of tick 1.
        self.assertAlmostEqual(data.timestamp, 61 / 60)
        hits = data.range_list < 29.0
        lengths = numpy.linalg.norm(data.point_list[hits], axis=1)
        self.assertTrue(hits.any() and numpy.allclose(lengths, data.range_list[hits], atol=1e-6))
        self.assertIn("range_list", data.as_dict())
        with self.assertRaisesRegex(AttributeError, "no field `ranges`.*range_list"):
            data.ranges
        with self.assertRaises(ValueError):
            data.range_list[0] = 1.0
        pose = simulation["rover.pose"]
        self.assertEqual((pose.kind, pose.family, pose.fields["x"].unit), ("pose", "sensor", "m"))
        self.assertTrue(pose.fields["x"].docs)

    def test_commands_drive(self) -> None:
        import numpy

        simulation = self.rover()
        simulation["rover.motion"].command(v=numpy.float64(0.5), w=0.0)
        simulation.run(2.0)
        before = simulation["rover.pose"].data.x
        simulation.run(2.0)
        self.assertAlmostEqual(simulation["rover.pose"].data.x - before, 1.0, delta=0.3)

    def test_services_answer_at_once_or_later(self) -> None:
        import morse_sim as ms

        simulation = self.rover()
        simulation.step()
        self.assertIn("rover.pose", json.dumps(simulation.call("details")))
        with self.assertRaisesRegex(ms.ServiceFailed, "no service|unknown|nonsense"):
            simulation["rover.motion"].call("nonsense")

    def test_cameras_are_arrays(self) -> None:
        import numpy
        from morse_sim.simulation import png

        simulation = self.rover()
        simulation.step(10)
        image = simulation["rover.eye"].image
        self.assertEqual((image.shape, image.dtype), ((8, 16, 3), numpy.uint8))
        self.assertGreater(len(numpy.unique(image)), 3)
        picture = simulation.render(64, 36)
        self.assertEqual(picture.shape, (36, 64, 3))
        self.assertEqual(png(picture)[:8], b"\x89PNG\r\n\x1a\n")

    def test_reset_restore_and_fork_are_exact(self) -> None:
        simulation = self.rover()
        simulation["rover.motion"].command(v=1.0, w=0.2)
        simulation.step(30)
        first = simulation.state_hash
        kept = simulation.snapshot()
        fork = simulation.fork()
        simulation.step(30)
        fork.step(30)
        self.assertEqual(fork.state_hash, simulation.state_hash)
        self.assertNotEqual(first, simulation.state_hash)
        simulation.restore(kept)
        self.assertEqual((simulation.state_hash, simulation.tick), (first, 30))
        for each in (simulation, fork):
            each.reset()
            each["rover.motion"].command(v=1.0, w=0.2)
            each.step(30)
            self.assertEqual(each.state_hash, first)

    def test_robots_come_and_go(self) -> None:
        import morse_sim as ms

        simulation, alone = self.rover(), self.rover()
        simulation.step(10)
        before = simulation.snapshot()
        guest = '(model: "guest.robray", at: (translation: (9, 9, 1)), base: fixed, sensors: { "pose": (kind: "pose") })'
        files = {"guest.robray": "frame box { mass 2; geometry { shape sphere; radius 0.1; } }"}
        self.assertEqual(simulation.spawn("guest", guest, files), [])
        simulation.step(10)
        self.assertEqual(simulation["guest.pose"].data.x, 9.0)
        fork = simulation.fork()
        self.assertIn("guest.pose", fork)
        with self.assertRaisesRegex(ms.SceneError, "there is a robot `guest` already"):
            simulation.spawn("guest", guest, files)
        simulation.delete("guest")
        self.assertNotIn("guest.pose", simulation)
        # The name may be that of another kind of component.
        simulation.spawn("guest", guest.replace('"pose")', '"clock")'), files)
        self.assertEqual(simulation["guest.pose"].kind, "clock")
        simulation.restore(before)
        self.assertNotIn("guest.pose", simulation)
        alone.step(30)
        simulation.step(20)
        self.assertEqual(simulation.state_hash, alone.state_hash)

    def test_seeds_differ_and_repeat(self) -> None:
        def hashed(seed: int) -> str:
            simulation = self.rover(seed=seed)
            simulation.step(20)
            return str(simulation.state_hash)

        self.assertEqual(hashed(1), hashed(1))
        self.assertNotEqual(hashed(1), hashed(2))

    def test_threads_share_a_simulation(self) -> None:
        simulation, heights = self.rover(), []

        def use() -> None:
            for _ in range(25):
                simulation.step()
                heights.append(simulation["rover.pose"].data.x)

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        alone = self.rover()
        alone.step(100)
        self.assertEqual((len(heights), simulation.state_hash), (100, alone.state_hash))

    @needs("python", os.path.isdir("/proc/self/task"), "threads are counted on Linux only")
    def test_a_simulation_runs_in_the_thread_that_calls_it(self) -> None:
        # In a process of its own: threads of other tests may end meanwhile.
        script = f"""if True:
            import os, time, numpy, morse_sim as ms
            before = os.listdir("/proc/self/task")
            simulation = ms.Simulation({self.file!r})
            simulation.step(10)
            # The system lists a thread that has ended, as that of the build, a moment longer.
            while len(os.listdir("/proc/self/task")) > len(before):
                time.sleep(0.01)
        """
        process = self.python(script)
        self.assertEqual((*process.communicate(timeout=120), process.returncode), ("", "", 0))

    def test_another_thread_can_go_on(self) -> None:
        simulation = self.rover()
        simulation.step(10)
        ended: List[str] = []
        thread = threading.Thread(target=lambda: (simulation.step(10), ended.append(simulation.state_hash), simulation.close()))
        thread.start()
        thread.join()
        alone = self.rover()
        alone.step(20)
        self.assertEqual(ended, [alone.state_hash])

    def test_errors_of_files_have_positions(self) -> None:
        import morse_sim as ms

        with self.assertRaises(ms.SceneError) as caught:
            ms.Simulation(text='Simulation(robots: {"a": (models: 3)})')
        diagnostics = {(each["code"], each["line"], each["column"]) for each in caught.exception.diagnostics}
        self.assertIn(("simulation::unknown-field", 1, 27), diagnostics)
        self.assertIn("did you mean `model`", str(caught.exception))
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(again.diagnostics, caught.exception.diagnostics)

    @needs("python", os.name == "posix", "there is no os.fork")
    def test_a_child_of_the_process_has_no_simulation(self) -> None:
        script = f"""if True:
            import os, morse_sim as ms
            simulation = ms.Simulation({self.file!r})
            child = os.fork()
            if child == 0:
                try:
                    simulation.step()
                except ms.ClosedError as error:
                    os._exit(7)
                os._exit(1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            simulation.step()
        """
        process = self.python(script)
        self.assertEqual((*process.communicate(timeout=120), process.returncode), ("", "", 0))

    def test_ctrl_c_ends_a_long_step(self) -> None:
        script = f"""if True:
            import signal
            import morse_sim as ms
            # A background job of a shell ignores the signal.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            simulation = ms.Simulation({self.file!r})
            print("begins", flush=True)
            try:
                simulation.step(10**12)
            except KeyboardInterrupt:
                simulation.step()
                print("ended", simulation.tick > 1)
        """
        process = self.python(script)
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "begins\n")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual((process.communicate(timeout=120)[0], process.returncode), ("ended True\n", 0))


@needs_native
class Queries(Room):
    """An arm of two links in a plane, 1 m and 0.5 m long, before a wall."""

    ARM = """
    frame upper { type revolute; axis [0, 0, 1]; variable a; limit_position [-3, 3];
      frame rod { translation [0.5, 0, 0]; geometry { shape box; dimension [1, 0.1, 0.1]; } }
      frame lower { translation [1, 0, 0]; type revolute; axis [0, 0, 1]; variable b;
        frame cap { geometry { shape sphere; radius 0.2; } }
        frame hand { translation [0.5, 0, 0]; geometry { shape sphere; radius 0.1; } } } }
    frame wall { translation [0, 1.65, 0]; geometry { shape box; dimension [4, 0.2, 1]; } }
    """

    def test_poses_distances_and_collisions_are_those_of_the_plane(self) -> None:
        import morse_sim as ms
        import numpy

        query = ms.SceneQuery(text=self.ARM)
        self.assertEqual(query.variables, ["a", "b"])
        numpy.testing.assert_array_equal(query.limits, [[-3, 3], [-numpy.inf, numpy.inf]])
        a, b = 0.3, 0.4
        position, rotation = query.pose("hand", [a, b])
        expected = [numpy.cos(a) + 0.5 * numpy.cos(a + b), numpy.sin(a) + 0.5 * numpy.sin(a + b), 0]
        numpy.testing.assert_allclose(position, expected, atol=1e-12)
        numpy.testing.assert_allclose(rotation, [0, 0, numpy.sin((a + b) / 2), numpy.cos((a + b) / 2)], atol=1e-12)
        jacobian = query.jacobian("hand", [a, b])
        self.assertEqual(jacobian.shape, (6, 2))
        numpy.testing.assert_allclose(jacobian[:2, 0], [-expected[1], expected[0]], atol=1e-12)
        numpy.testing.assert_allclose(jacobian[5], [1, 1])
        up = [numpy.pi / 2, 0.0]
        self.assertAlmostEqual(query.distance("hand", "wall", up), -0.05, places=5)
        self.assertIsNone(query.distance("upper", "wall", up))
        solution = query.inverse("hand", position, rotation, start=[0.1, 0.1])
        numpy.testing.assert_allclose(solution, [a, b], atol=1e-6)

        def pairs(values: Any) -> Any:
            return [(overlap.one, overlap.other) for overlap in query.collisions(values)]

        self.assertEqual(pairs([1.2, 0.0]), [("rod", "cap")])
        self.assertEqual(query.allow_sampled(100, seed=4), [("rod", "cap")])
        self.assertEqual(query.allowed, [("rod", "cap")])
        self.assertEqual(pairs([1.2, 0.0]), [])
        self.assertEqual(pairs([1.6, 0.1]), [("hand", "wall")])
        query.allow_at([1.6, 0.1])
        self.assertEqual(pairs([1.6, 0.1]), [])

    def test_absurd_questions(self) -> None:
        import morse_sim as ms

        query = ms.SceneQuery(text=self.ARM)
        unit = [0.0, 0.0, 0.0, 1.0]
        for call in (
            lambda: ms.SceneQuery(),
            lambda: ms.SceneQuery("a", text="b"),
            lambda: ms.SceneQuery("nowhere.robray"),
            lambda: ms.SceneQuery(text="frame {"),
            lambda: query.pose("hand", [1]),
            lambda: query.pose("hand", [1, 2, 3]),
            lambda: query.pose("foot", [1, 2]),
            lambda: query.pose(3, [1, 2]),
            lambda: query.pose("hand", ["x", None]),
            lambda: query.jacobian("foot", [1, 2]),
            lambda: query.distance("hand", "foot", [1, 2]),
            lambda: query.collisions([]),
            lambda: query.inverse("hand", [9, 9, 9], unit, [0, 0]),
            lambda: query.inverse("hand", [float("nan"), 0, 0], unit, [0, 0]),
            lambda: query.inverse("hand", [1, 0, 0], [0, 0, 0, 0], [0, 0]),
            lambda: query.inverse("hand", [1, 0], unit, [0, 0]),
            lambda: query.allow_sampled(-1),
            lambda: query.allow_sampled(2**70),
        ):
            with self.assertRaises(Exception) as caught:
                call()
            self.assertNotIsInstance(caught.exception, ms.InternalError)
        self.assertTrue(query.collisions([float("nan"), 0.0]) is not None)


@needs_native
class Absurd(Rover):
    """Calls that make no sense raise exceptions; the simulation goes on as if they had not been."""

    def test_absurd_calls(self) -> None:
        import morse_sim as ms
        import numpy

        nan, inf = float("nan"), float("inf")
        odd: List[Any] = [None, -1, 2**64, 2**200, 1.5, nan, inf, "x", b"x", [], [1], {}, (), object(), bool, numpy.zeros(3)]

        def without(*values: Any) -> List[Any]:
            return [each for each in odd if not any(type(each) is type(value) and each == value for value in values)]

        simulation = self.rover()
        simulation.step()
        other = ms.Simulation(text="Simulation()")
        other.step()
        motion = simulation["rover.motion"]
        calls = [
            *(lambda value=value: simulation.step(value) for value in odd),
            *(lambda value=value: simulation.run(value) for value in without(1.5)),
            *(lambda value=value: simulation[value] for value in odd),
            *(lambda value=value: motion.command(v=value) for value in without(-1, 1.5)),
            *(lambda value=value: motion.command(**{"speed": value}) for value in odd),
            *(lambda value=value: simulation.restore(value) for value in odd),
            *(lambda value=value: simulation.spawn(value, "()") for value in odd),
            *(lambda value=value: simulation.spawn("guest", value) for value in odd),
            *(lambda value=value: simulation.spawn("guest", "()", value) for value in odd),
            *(lambda value=value: simulation.delete(value) for value in odd),
            *(lambda value=value: simulation.render(value, 10) for value in odd),
            *(lambda value=value: simulation.render(10, value) for value in odd),
            *(lambda value=value: simulation["rover.motion"].call(value) for value in odd),
            *(lambda value=value: ms.Simulation(text=value) for value in odd),
            *(lambda value=value: ms.Simulation(value) for value in odd),
            *(lambda value=value: self.rover(set=value) for value in without([], (), {})),
            *(lambda value=value: self.rover(seed=value) for value in without(None)),
            lambda: simulation["rover.motion"].data,
            lambda: simulation["rover.pose"].command(x=1.0),
            lambda: simulation["rover.pose"].image,
            lambda: simulation["ground"].data,
            lambda: ms.Simulation(),
            lambda: ms.Simulation(self.file, text=""),
            lambda: ms.Simulation("nowhere.ron"),
            lambda: ms.Simulation(self.folder),
            lambda: self.rover(set=["environment.rate=-1"]),
            lambda: self.rover(threads=10**9),
            lambda: other.restore(simulation.snapshot()),
            lambda: ms.nothing,
        ]
        self.assertGreaterEqual(len(calls), 200)
        for number, call in enumerate(calls):
            with self.subTest(number=number), self.assertRaises(Exception) as caught:
                call()
            self.assertNotIsInstance(caught.exception, ms.InternalError)
        fresh = self.rover()
        fresh.step()
        simulation.step(10)
        fresh.step(10)
        self.assertEqual(simulation.state_hash, fresh.state_hash)
        simulation.close()
        simulation.close()
        with self.assertRaises(ms.ClosedError):
            simulation.step()
        with self.assertRaises(ms.ClosedError):
            motion.command(v=1.0)


@needs_native
class Program(Rover):
    """The program in the native core."""

    def test_it_runs_and_returns_exit_codes(self) -> None:
        for words, code in ((["check", self.file], 0), (["check", "nowhere.ron"], 2), (["--nonsense"], 2), (["--version"], 0)):
            process = self.python("", arguments=["-m", "morse_sim.program", *words])
            said = process.communicate(timeout=120)
            self.assertEqual(process.returncode, code, said)
            shutil.rmtree(self.path("site"))

    def test_a_signal_ends_it(self) -> None:
        process = self.python("", arguments=["-m", "morse_sim.program", self.file, "--rtf", "1", "--until", "1h"])
        time.sleep(2.0)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
        self.assertIn(process.returncode, (143, -signal.SIGTERM))


@needs_native
class Until(Room):
    def test_a_run_ends_in_the_tick_of_the_event(self) -> None:
        import morse_sim as ms

        self.write("ball.robray", "frame ball { translation [0, 0, 5]; geometry { shape sphere; radius 0.1; } }")
        text = 'Simulation(scene: "ball.robray", robots: { "ball": (frame: "ball", sensors: { "pose": (kind: "pose") }) })'
        simulation = ms.Simulation(text=text, directory=self.folder)
        self.assertTrue(simulation.run_until("ball.z < 3"))
        # After n ticks it has fallen by g t² / 2.
        self.assertEqual(simulation.tick, next(n for n in range(1000) if 9.81 * (n / simulation.rate) ** 2 / 2 > 2))
        before = simulation.tick
        self.assertTrue(simulation.run_until("ball.pose.z < 3"))
        self.assertEqual(simulation.tick, before)
        self.assertFalse(simulation.run_until("ball.z > 3", timeout=0.5))
        self.assertEqual(simulation.tick, before + 30)
        for expression, why in (("ball.z", "not `true` or `false`|number"), ("bell.z > 1", "did you mean `ball"), ("ball.z >", "expected a value")):
            with self.subTest(expression), self.assertRaisesRegex(ms.AccessError, why):
                simulation.run_until(expression)


@needs_native
class Mechanisms(Room):
    """The cart and pole of the tasks, whose dynamics have a formula."""

    def test_dynamics_are_those_of_the_formula(self) -> None:
        import morse_sim as ms
        import numpy

        file = os.path.join(ROOT, "src", "morse_sim", "gym", "tasks", "balance.ron")
        simulation = ms.Simulation(file, set=["joints.pole.position=0.3"])
        mechanism = simulation.mechanism("balance")
        self.assertEqual(mechanism.coordinates, ["cart", "pole"])
        self.assertTrue(numpy.allclose(mechanism.positions, [0.0, 0.3], atol=1e-7))
        cart, pole, half, angle, rate = 1.0, 0.1, 0.5, 0.3, 2.0
        mechanism.set([0.2, angle], [0.5, rate])
        coupled = pole * half * numpy.cos(angle)
        masses = numpy.array([[cart + pole, coupled], [coupled, pole * half**2 + pole / 12]])
        self.assertTrue(numpy.allclose(mechanism.mass_matrix, masses, rtol=1e-9))
        gravity = numpy.array([0.0, -pole * 9.81 * half * numpy.sin(angle)])
        self.assertTrue(numpy.allclose(mechanism.gravity, gravity, rtol=1e-9))
        bias = gravity + [-pole * half * numpy.sin(angle) * rate**2, 0.0]
        self.assertTrue(numpy.allclose(mechanism.bias, bias, rtol=1e-9))
        accelerations = numpy.array([0.7, -1.1])
        efforts = mechanism.inverse_dynamics(accelerations)
        self.assertTrue(numpy.allclose(efforts, masses @ accelerations + bias, rtol=1e-9))
        self.assertTrue(numpy.allclose(mechanism.forward_dynamics(efforts), accelerations, rtol=1e-9))
        tip, _ = mechanism.pose("pole")
        jacobian = mechanism.jacobian("pole", [0.0, 0.0, 1.0])
        self.assertEqual(jacobian.shape, (6, 2))
        self.assertTrue(numpy.allclose(jacobian[:3, 1], [numpy.cos(angle), 0.0, -numpy.sin(angle)], atol=1e-12))
        self.assertAlmostEqual(tip[0], 0.2)
        mass, center = mechanism.center_of_mass
        self.assertAlmostEqual(mass, cart + pole)
        self.assertAlmostEqual(center[0], 0.2 + pole / (cart + pole) * half * numpy.sin(angle))

    def test_mistakes_are_exceptions(self) -> None:
        import morse_sim as ms

        file = os.path.join(ROOT, "src", "morse_sim", "gym", "tasks", "balance.ron")
        mechanism = ms.Simulation(file).mechanism("balance")
        for call, why in (
            (lambda: ms.Simulation(file).mechanism("arm"), "no robot or body `arm`"),
            (lambda: mechanism.set([0.0], [0.0, 0.0]), "expected 2 positions, found 1"),
            (lambda: mechanism.inverse_dynamics([0.0, float("nan")]), "finite accelerations"),
            (lambda: mechanism.jacobian("pool"), "no link `pool`; there are: cart, pole"),
        ):
            with self.subTest(why), self.assertRaisesRegex(ms.AccessError, why):
                call()


@needs("python", importlib.util.find_spec("mypy"), "there is no mypy")
class Types(Room):
    def test_mypy_accepts_the_package(self) -> None:
        source = os.path.join(ROOT, "src", "morse_sim")
        files = [os.path.join(source, name) for name in ("__init__.py", "batch.py", "errors.py", "kinds.py", "mechanism.py", "program.py", "simulation.py", "_native.pyi")]
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", self.path("cache"), "--follow-imports", "silent", *files]
        environment = {**os.environ, "MYPYPATH": os.path.join(ROOT, "src")}
        ran = execute(command, cwd=REPOSITORY, env=environment)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
