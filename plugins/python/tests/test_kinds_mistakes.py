"""Mistakes in components that are written in Python: exceptions with places, and a simulation that goes on."""
from __future__ import annotations

import sys
import threading
from typing import Any, List

from .kinds import Falling
from .native import needs_native


@needs_native
class Mistakes(Falling):
    def test_settings_are_checked_with_their_positions(self) -> None:
        import morse_sim as ms

        for sensor, why in (
            ('(kind: "py_altimeter", references: 1)', "did you mean `reference`"),
            ('(kind: "py_altimeter", reference: 11)', "-10 to 10 m"),
            ('(kind: "py_altimeter", reference: "high")', "reference|number"),
            ('(kind: "py_altimeter", names: [1])', "names|text|string"),
            ('(kind: "py_altimetre")', "did you mean `py_altimeter`"),
            ('(kind: "pose", modifiers: [(kind: "py_echo", gian: 1)])', "did you mean `gain`"),
            ('(kind: "clock", modifiers: [(kind: "py_echo")])', "a field `z`"),
        ):
            with self.subTest(why), self.assertRaisesRegex(ms.SceneError, why) as caught:
                self.fall(f'"up": {sensor}')
            self.assertTrue(all(each["line"] for each in caught.exception.diagnostics))

    def test_exceptions_name_the_component_and_the_line(self) -> None:
        import morse_sim as ms

        simulation = self.fall('"up": (kind: "py_failing"), "other": (kind: "py_altimeter")')
        with self.assertRaisesRegex(ms.ComponentFault, r"`ball\.up` of the kind `py_failing` failed: .*kinds\.py:\d+: in `measure`: ZeroDivisionError: on purpose") as caught:
            simulation.step(60)
        self.assertIsInstance(caught.exception.__cause__, ZeroDivisionError)
        # The tick is complete, and the data of the component are those before.
        self.assertEqual((simulation.tick, simulation["ball.up"].data.value, simulation["ball.other"].data.count), (3, 2, 3))
        simulation.step(60)
        self.assertEqual(simulation["ball.up"].data.value, 63)
        fresh = self.fall('"up": (kind: "py_failing"), "other": (kind: "py_altimeter")')
        for _ in range(2):
            with self.assertRaises(ms.ComponentFault):
                fresh.step(3)
            fresh.reset()

    def test_mistakes_of_classes_are_exceptions(self) -> None:
        import morse_sim as ms

        def sensor(body: Any, **fields: Any) -> Any:
            number = len(cases)
            made = type("Odd", (ms.Sensor,), {"kind": f"py_odd_{number}", "x": ms.output(0.0), "measure": body, **fields})
            ms.register(made)
            return made.kind

        cases: List[Any] = []
        for body, why in (
            (lambda self, context: setattr(self, "x", "far"), "`x`: expected a number, found 'far'"),
            (lambda self, context: delattr(self, "x"), "`x`: expected a number"),
            (lambda self: None, "TypeError"),
            (lambda self, context: context.read("ball.nothing"), "no sensor `ball.nothing`"),
            (lambda self, context: context.cast([(0, 0, 0)], 1.0), "not zero"),
            (lambda self, context: context.cast([(0, 0, 1)], float("nan")), "finite range"),
            (lambda self, context: context.nothing, "nothing"),
            (lambda self, context: sys.exit(3), "SystemExit"),
            (lambda self, context: self.measure(context), "RecursionError"),
        ):
            cases.append(body)
            simulation = self.fall(f'"up": (kind: "{sensor(body)}")')
            with self.subTest(why), self.assertRaisesRegex(ms.ComponentFault, why):
                simulation.step()

        def fails(self: Any) -> None:
            raise RuntimeError("no licence")

        with self.assertRaisesRegex(ms.SceneError, "ball.up.*no licence"):
            self.fall(f'"up": (kind: "{sensor(lambda self, context: None, __init__=fails)}")')

        class Odd(ms.Actuator):
            kind = "py_odd"

            def act(self, context: ms.Context) -> Any:
                return answers[-1]

        ms.register(Odd)
        answers: List[Any] = []
        for answer, why in (
            (3, "returned a `int`"),
            (ms.Drive.velocity((1, 2), (0, 0, 0)), "three finite numbers"),
            (ms.Drive.wrench((float("inf"), 0, 0), (0, 0, 0)), "three finite numbers"),
            (ms.Drive.pose((0, 0, 0), (0, 0, 0, 0)), "no quaternion"),
            (ms.Drive.efforts({"elbow": 1.0}), "joint `elbow`"),
        ):
            answers.append(answer)
            simulation = self.fall("", '"odd": (kind: "py_odd")')
            with self.subTest(why), self.assertRaisesRegex(ms.ComponentFault, why):
                simulation.step()

    def test_wrong_classes_are_refused(self) -> None:
        import morse_sim as ms

        def measure(self: Any, context: Any) -> None:
            pass

        def made(base: Any = ms.Sensor, **fields: Any) -> Any:
            return type("Odd", (base,), {"kind": "py_odd", "measure": measure, **fields})

        for wrong, why in (
            (3, "expected a subclass"),
            (object, "expected a subclass"),
            (made(kind=""), "expected a name"),
            (made(kind="A b"), "expected a name"),
            (made(kind="gps"), "built-in sensor `gps`"),
            (made(measure=ms.Sensor.measure), "does not define `measure`"),
            (made(ms.Actuator), "does not define `act`"),
            (made(x=ms.command(0.0)), "a sensor has no field declared by `command`"),
            (made(x=ms.setting(None)), "found None"),
            (made(x=ms.setting((1.0, 2.0))), "found"),
            (made(x=ms.setting([1, "a"])), "found"),
            (made(x=ms.setting(2**70)), "x"),
            (made(kind="py_odd", mount=ms.setting(1.0)), "cannot have this name"),
            (made(x=ms.setting(1.0, low=2, high=1)), "greater than"),
            (made(frequency=-1), "positive"),
            (made(frequency="often"), "often"),
        ):
            with self.subTest(why), self.assertRaisesRegex((TypeError, ValueError, OverflowError), why):
                ms.register(wrong)

    def test_a_context_ends_with_its_call(self) -> None:
        import morse_sim as ms

        kept: List[Any] = []
        errors: List[Any] = []

        @ms.register
        class Keeper(ms.Sensor):
            kind = "py_keeper"
            x = ms.output(0.0)

            def measure(self, context: ms.Context) -> None:
                def use() -> None:
                    try:
                        context.position
                    except RuntimeError as error:
                        errors.append(str(error))

                thread = threading.Thread(target=use)
                thread.start()
                thread.join()
                kept.append(context)

        @ms.register
        class Caller(ms.Sensor):
            kind = "py_caller"
            x = ms.output(0.0)

            def measure(self, context: ms.Context) -> None:
                kept[0].step()

        simulation = self.fall('"up": (kind: "py_keeper")')
        simulation.step()
        for use in (lambda: kept[0].position, lambda: kept[0].cast([(1, 0, 0)], 1.0), lambda: kept[0].normal()):
            with self.assertRaisesRegex(RuntimeError, "call"):
                use()
        self.assertIn("thread of that call", errors[0])
        # A component that steps its own simulation would wait for itself.
        kept[:] = [self.fall('"up": (kind: "py_caller")')]
        with self.assertRaisesRegex(ms.ComponentFault, "its own simulation"):
            kept[0].step()
