"""A sensor, an actuator and a modifier in Python: a balloon that holds its height by what it measures."""
import morse_sim as ms


@ms.register
class Altimeter(ms.Sensor):
    """Height above the ground, by a beam downwards."""

    kind = "beam_altimeter"
    frequency = 20.0
    range_max: float = ms.setting(50.0, unit="m", docs="Greatest height.", low=0.0)
    height: float = ms.output(0.0, unit="m", docs="Height above the ground.")

    def measure(self, context: ms.Context) -> None:
        self.height = min(context.cast([(0.0, 0.0, -1.0)], self.range_max)[0], self.range_max)


@ms.register
class Smooth(ms.Modifier):
    """Averages the last heights, with an error of each."""

    kind = "smooth_height"
    fields = ["height"]
    sigma: float = ms.setting(0.0, unit="m", docs="Standard deviation of the errors.", low=0.0)

    def __init__(self) -> None:
        self.last: list = []

    def modify(self, data: dict, context: ms.Context) -> None:
        self.last = [*self.last[-4:], data["height"] + self.sigma * context.normal()]
        data["height"] = sum(self.last) / len(self.last)


@ms.register
class Burner(ms.Actuator):
    """Lifts in proportion to the missing height."""

    kind = "burner"
    height: float = ms.command(2.0, unit="m", docs="Height to hold.", low=0.0, high=40.0)

    def act(self, context: ms.Context) -> ms.Drive:
        seen = context.read("balloon.altimeter").height if context.time > 0.2 else self.height
        lift = 9.81 + 2.0 * (self.height - seen) - 3.0 * context.linear_velocity[2]
        return ms.Drive.wrench((0.0, 0.0, lift), (0.0, 0.0, 0.0))


BALLOON = """(
    model: "balloon.robray", at: (translation: (-8, -3, 2)),
    sensors: { "altimeter": (kind: "beam_altimeter", modifiers: [(kind: "smooth_height", sigma: 0.02)]) },
    actuators: { "burner": (kind: "burner", start: (height: 5)) },
)"""
SPHERE = "frame envelope { mass 1; geometry { shape sphere; radius 0.3; } }"

if __name__ == "__main__":
    simulation = ms.Simulation("scenes/boxes.robray", seed=3)
    simulation.spawn("balloon", BALLOON, {"balloon.robray": SPHERE})
    simulation.run(10.0)
    altimeter = simulation["balloon.altimeter"]
    print(f"{altimeter.data.height:.1f} {altimeter.fields['height'].unit} above the ground")
