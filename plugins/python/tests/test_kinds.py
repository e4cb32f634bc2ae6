"""Sensors, actuators and modifiers that are written in Python."""
from __future__ import annotations

import importlib.util
import json
import os
import sys
from typing import Any, List

from . import ROOT
from .kinds import BALANCE, FALL, Falling
from .native import needs_native, site
from .require import needs
from .support import execute


@needs_native
class Kinds(Falling):
    def test_a_sensor_measures(self) -> None:
        simulation = self.fall('"up": (kind: "py_altimeter", reference: 1.5), "slow": (kind: "py_altimeter", frequency: 20)')
        simulation.step(30)
        sensor = simulation["ball.up"]
        # A body falls with constant acceleration within each tick.
        rate, ticks = 60.0, 30
        height = 5 - 9.81 * (ticks / rate) ** 2 / 2
        self.assertAlmostEqual(sensor.data.height, height - 1.5, places=6)
        self.assertAlmostEqual(sensor.data.speed[2], -9.81 * ticks / rate, places=6)
        self.assertEqual((sensor.data.count, len(sensor.data.track), sensor.data.timestamp), (30, 3, 0.5))
        self.assertEqual(simulation["ball.slow"].data.count, 10)
        self.assertEqual((sensor.kind, sensor.family), ("py_altimeter", "sensor"))
        field = sensor.fields["height"]
        self.assertEqual((field.unit, field.docs, field.type), ("m", "Height above the reference.", "f64"))

    def test_modifiers_in_rust_change_data_in_python(self) -> None:
        sensors = '"up": (kind: "py_altimeter", modifiers: [(kind: "bias", fields: ["height"], value: 0.25, sigma: 0)]), "raw": (kind: "py_altimeter")'
        simulation = self.fall(sensors)
        simulation.step(5)
        self.assertAlmostEqual(simulation["ball.up"].data.height - simulation["ball.raw"].data.height, 0.25)

    def test_rays_are_those_of_the_scanner(self) -> None:
        import math

        import morse_sim as ms

        @ms.register
        class Fan(ms.Sensor):
            """Rays around."""

            kind = "py_fan"
            ranges: List[float] = ms.output([], unit="m", docs="Ranges.")
            pose: float = ms.output(0.0, unit="m", docs="Another sensor.")

            def measure(self, context: ms.Context) -> None:
                angles = [math.radians(degree) for degree in range(-90, 91)]
                self.ranges = context.cast([(math.cos(angle), math.sin(angle), 0.0) for angle in angles], 30.0)
                self.pose = context.read("rover.pose").x if context.tick > 1 else 0.0

        text = """Simulation(scene: "boxes.robray", robots: { "rover": (
            model: "robots/atrv.robray", at: (translation: (-8, -3, 0.1)),
            sensors: {
                "pose": (kind: "pose"),
                "scan": (kind: "sick", frequency: 60, mount: (translation: (0.45, 0, 0.5))),
                "fan": (kind: "py_fan", mount: (translation: (0.45, 0, 0.5))),
            },
        ) })"""
        scenes = os.path.join(os.path.dirname(os.path.dirname(ROOT)), "scenes")
        simulation = ms.Simulation(text=text, directory=scenes)
        simulation.step(3)
        wanted = simulation["rover.scan"].data.range_list
        fan = simulation["rover.fan"].data
        hits = [(a, b) for a, b in zip(wanted, fan.ranges) if math.isfinite(b)]
        self.assertGreater(len(hits), 20)
        self.assertLess(max(abs(a - b) for a, b in hits), 1e-3)
        self.assertAlmostEqual(fan.pose, simulation["rover.pose"].data.x, places=3)

    def test_an_actuator_drives(self) -> None:
        import morse_sim as ms

        simulation = self.fall('"pose": (kind: "pose")', '"hover": (kind: "py_hover", start: (height: 6.0))')
        simulation.run(8.0)
        self.assertAlmostEqual(simulation["ball.pose"].data.z, 6.0, delta=0.02)
        hover = simulation["ball.hover"]
        self.assertEqual((hover.family, hover.fields["height"].high), ("actuator", 100.0))
        hover.command(height=4.0)
        simulation.run(8.0)
        self.assertAlmostEqual(simulation["ball.pose"].data.z, 4.0, delta=0.02)
        with self.assertRaisesRegex(ms.AccessError, "101 in `height` is out of range: 0 to 100 m"):
            hover.command(height=101.0)
        with self.assertRaisesRegex(ms.AccessError, "no field `up`"):
            hover.command(up=1.0)

    def test_efforts_are_those_of_the_kind_in_rust(self) -> None:
        import morse_sim as ms

        with open(BALANCE, encoding="utf-8") as file:
            text = file.read()
        folder = os.path.dirname(BALANCE)
        own = text.replace('"motor": (kind: "joints", joints: ["cart"])', '"motor": (kind: "py_push")')
        self.assertNotEqual(own, text)
        simulations = [ms.Simulation(text=each, directory=folder) for each in (text, own)]
        simulations[0]["balance.motor"].command(efforts=[3.0])
        simulations[1]["balance.motor"].command(effort=3.0)
        positions = []
        for simulation in simulations:
            simulation.step(40)
            positions.append(simulation["balance.joints"].data.positions.tobytes())
        self.assertEqual(positions[0], positions[1])

    def test_a_modifier_changes_and_loses_data(self) -> None:
        sensors = '"seen": (kind: "pose", modifiers: [(kind: "py_echo", every: 4)]), "pose": (kind: "pose")'
        simulation = self.fall(sensors)
        heights = []
        for tick in range(1, 9):
            simulation.step()
            heights.append(simulation["ball.pose"].data.z)
            seen = simulation["ball.seen"].data
            if tick in (4, 8):
                self.assertAlmostEqual(seen.timestamp, (tick - 1) / 60)
            else:
                self.assertAlmostEqual(seen.z, heights[-1] + sum(heights[-10:]))
        with_noise = '"seen": (kind: "pose", modifiers: [(kind: "py_echo", gain: 1)])'
        noisy = [self.fall(with_noise, seed=seed) for seed in (1, 1, 2)]
        for each in noisy:
            each.step(20)
        self.assertEqual(noisy[0].state_hash, noisy[1].state_hash)
        self.assertNotEqual(noisy[0]["ball.seen"].data.z, noisy[2]["ball.seen"].data.z)

    def test_all_state_is_saved(self) -> None:
        sensors = '"up": (kind: "py_altimeter"), "seen": (kind: "pose", modifiers: [(kind: "py_echo", gain: 1)])'
        simulation = self.fall(sensors, '"hover": (kind: "py_hover")')
        start = simulation.state_hash
        simulation.step(7)
        kept, middle = simulation.snapshot(), simulation.state_hash
        fork = simulation.fork()
        self.assertEqual(fork.state_hash, middle)
        simulation.step(20)
        fork.step(20)
        end = simulation.state_hash
        self.assertEqual(fork.state_hash, end)
        self.assertEqual(fork["ball.up"].data.count, 27)
        simulation.restore(kept)
        self.assertEqual(simulation.state_hash, middle)
        simulation.step(20)
        self.assertEqual((simulation.state_hash, simulation["ball.up"].data.track.tolist()), (end, fork["ball.up"].data.track.tolist()))
        simulation.reset()
        self.assertEqual(simulation.state_hash, start)
        simulation.step(27)
        self.assertEqual(simulation.state_hash, end)

    def test_state_of_ones_own_form(self) -> None:
        import collections

        import morse_sim as ms
        import numpy

        class Base(ms.Sensor):
            value: float = ms.output(0.0, unit="m", docs="Sum.")

            def __init__(self) -> None:
                self.queue = collections.deque([0.0, 1.0], maxlen=3)

            def measure(self, context: ms.Context) -> None:
                self.queue.append(context.time)
                self.value = float(sum(self.queue))

        @ms.register
        class Wrong(Base):
            """It cannot be saved."""

            kind = "py_wrong"

        @ms.register
        class Right(Base):
            """It saves its queue."""

            kind = "py_right"

            def __getstate__(self) -> Any:
                return {"queue": numpy.array(self.queue), "more": (None, True, b"x", {"a": 1})}

            def __setstate__(self, state: Any) -> None:
                if state["more"] != (None, True, b"x", {"a": 1}):
                    raise ValueError(state)
                self.queue = collections.deque(state["queue"].tolist(), maxlen=3)

        wrong = self.fall('"up": (kind: "py_wrong")')
        wrong.step(2)
        with self.assertRaisesRegex(ms.StateError, r"ball\.up.*`queue` is of the type `deque`.*__getstate__"):
            wrong.snapshot()
        right = self.fall('"up": (kind: "py_right")')
        right.step(2)
        fork = right.fork()
        for each in (right, fork):
            each.step(1)
        self.assertEqual((right.state_hash, right["ball.up"].data.value), (fork.state_hash, (1 + 2 + 3) / 60))

    def test_a_class_replaces_an_earlier_one_for_new_simulations(self) -> None:
        import morse_sim as ms

        def version(number: int, **fields: Any) -> None:
            def measure(self: Any, context: Any) -> None:
                self.version = number

            ms.register(type("Version", (ms.Sensor,), {"kind": "py_version", "version": ms.output(0), "measure": measure, **fields}))

        version(1)
        old = self.fall('"up": (kind: "py_version")')
        version(2, more=ms.output("x"))
        new = self.fall('"up": (kind: "py_version")')
        for each in (old, new):
            each.step()
        self.assertEqual((old["ball.up"].data.version, new["ball.up"].data.version, new["ball.up"].data.more), (1, 2, "x"))
        self.assertNotIn("more", old["ball.up"].data)

    @needs("python", importlib.util.find_spec("gymnasium"), "there is no gymnasium: environments")
    def test_environments_in_threads_take_turns(self) -> None:
        import morse_sim as ms
        import numpy

        text = FALL.replace("SENSORS", '"up": (kind: "py_altimeter")').replace("ACTUATORS", '"hover": (kind: "py_hover")')
        task = ms.gym.Task(
            observe=["ball.up.height"], act=["ball.hover.height"], limits={"ball.hover.height": (1.0, 9.0)}, seconds=1.0,
        )
        vector = ms.gym.VectorEnv(self.write("fall.ron", text), task, 4)
        vector.reset(seed=1)
        for _ in range(20):
            observed = vector.step(numpy.full((4, 1), 6.0))[0]
        self.assertEqual(len({row.tobytes() for row in observed}), 1)
        vector.close()

    def test_the_program_has_the_kinds_of_a_file(self) -> None:
        module = self.write("mine.py", """
            import morse_sim as ms

            @ms.register
            class Tick(ms.Sensor):
                \"\"\"Counts ticks.\"\"\"

                kind = "py_tick"
                last: int = ms.setting(10**6, docs="The last tick.")
                tick: int = ms.output(0, docs="The tick.")

                def measure(self, context):
                    self.tick = context.tick
                    if self.tick > self.last:
                        raise RuntimeError("too many ticks")
        """)
        self.write("fall.ron", FALL.replace("SENSORS", '"up": (kind: "py_tick")').replace("ACTUATORS", ""))
        environment = {
            **os.environ, "PYTHONPATH": site(self.folder), "PYTHONDONTWRITEBYTECODE": "1", "MORSE_SIM_KINDS": module,
        }

        def run(*arguments: str, **more: str) -> Any:
            command = [sys.executable, "-m", "morse_sim.program", *arguments]
            return execute(command, cwd=self.folder, env={**environment, **more}, timeout=120)

        described = run("describe", "py_tick")
        self.assertEqual(described.returncode, 0, described.stderr)
        self.assertIn("Counts ticks.", described.stdout)
        ran = run("fall.ron", "--until", "1s", "--json")
        self.assertEqual(json.loads(ran.stdout.splitlines()[-1])["steps"], 60, ran.stdout + ran.stderr)
        failed = run("fall.ron", "--until", "1s", "--set", "robots.ball.sensors.up.last=20")
        self.assertNotEqual(failed.returncode, 0)
        self.assertRegex(failed.stderr + failed.stdout, r"`ball\.up` of the kind `py_tick` failed: .*mine\.py:\d+: in `measure`: RuntimeError: too many ticks")
        unknown = run("fall.ron", MORSE_SIM_KINDS="nowhere.py")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("MORSE_SIM_KINDS", unknown.stderr)
