//! Controls a quadrotor by the speeds of its four propellers (MORSE's `QuadrotorDynamicControl`).
use morse_api::{prelude::*, state::Stateful};

use crate::rotorcraft::{check_body, tamed};

/// Applies the forces and torques of four propellers to a robot, each with a thrust and a drag proportional to the square of
/// its speed. There is no autopilot.
///
/// The mixing matrix is MORSE's. Propellers 1 and 3 turn the robot clockwise seen from above, 2 and 4 counter-clockwise.
/// Force and torque act at the centre of mass; propellers have no inertia.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuadrotorDynamicControl {
    /// Thrust of a propeller divided by the square of its speed.
    #[reflect(@Unit("N·s²"), @ValueRange(0.0, 1000.0), @Property("ThrustFactor"))]
    pub thrust_factor: f64,
    /// Reaction torque of a propeller divided by the square of its speed.
    #[reflect(@Unit("N·m·s²"), @ValueRange(0.0, 1000.0), @Property("DragFactor"))]
    pub drag_factor: f64,
    /// Distance from the centre of mass to a propeller.
    #[reflect(@Unit("m"), @ValueRange(0.0, 100.0), @Property("Lever"))]
    pub lever: f64,
    /// Arrangement of the propellers.
    #[reflect(@Property("Configuration"), @Form::Words(&[("+", "plus"), ("x", "x")]))]
    pub configuration: Configuration,
}

/// Arrangement of the propellers; x is forward.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Configuration {
    /// MORSE's `+`, on the axes: 1 behind, 2 right, 3 front, 4 left.
    #[default]
    Plus,
    /// Between the axes: 1 front left, 2 front right, 3 rear right, 4 rear left.
    X,
}

impl Default for QuadrotorDynamicControl {
    fn default() -> Self {
        Self {
            thrust_factor: 9.169e-6,
            drag_factor: 2.4e-7,
            lever: 0.18,
            configuration: Configuration::Plus,
        }
    }
}

/// Speeds of the propellers, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuadrotorDynamicControlCommand {
    /// Speeds of propellers 1 to 4; the thrust does not depend on the sign.
    #[reflect(@Unit("rad/s"), @ValueRange(-1e4, 1e4))]
    pub engines: [f64; 4],
}

impl Stateful for QuadrotorDynamicControlCommand {}

impl Actuator for QuadrotorDynamicControl {
    const KIND: &'static str = "quadrotor_dynamic_control";
    const MORSE_CLASS: Option<&'static str> = Some("QuadrotorDynamicControl");
    type Command = QuadrotorDynamicControlCommand;

    fn check(&self, world: &World, entity: Entity) -> Result<(), CheckError> {
        check_body(world, entity)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<QuadrotorDynamicControl, _>(default_action);
}

fn default_action(
    mut actuators: Query<(
        &QuadrotorDynamicControl,
        &Due,
        &QuadrotorDynamicControlCommand,
        &mut Drive,
    )>,
) {
    for (settings, due, command, mut drive) in &mut actuators {
        *drive = if due.0 {
            settings.thrust(command)
        } else {
            drive.between_actions()
        };
    }
}

impl QuadrotorDynamicControl {
    /// Returns force and torque of the propellers on the body that carries them.
    fn thrust(&self, command: &QuadrotorDynamicControlCommand) -> Drive {
        if command.engines == [0.0; 4] {
            return Drive::None;
        }
        let [one, two, three, four] = command.engines.map(|speed| tamed(speed) * tamed(speed));
        let lift = self.thrust_factor;
        let arm = lift * self.lever;
        let diagonal = arm * std::f64::consts::FRAC_1_SQRT_2;
        let (roll, pitch) = match self.configuration {
            Configuration::Plus => (arm * (four - two), arm * (one - three)),
            Configuration::X => (
                diagonal * (one - two - three + four),
                diagonal * (three + four - one - two),
            ),
        };
        let yaw = self.drag_factor * (two - one - three + four);
        Drive::Thrust {
            force: Vector3::z() * tamed(lift * (one + two + three + four)),
            torque: Vector3::new(roll, pitch, yaw).map(tamed),
        }
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::{TestWorld, settings};
    use proptest::prelude::*;

    use super::*;

    const PATH: &str = "rover.engines";

    fn wrench(text: &str, engines: [f64; 4]) -> [Vector3<f64>; 2] {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let control = test.actuator::<QuadrotorDynamicControl>(PATH, text, Isometry3::identity());
        test.send(control, QuadrotorDynamicControlCommand { engines });
        test.step(BodyState::default());
        match *test.get::<Drive>(control) {
            Drive::Thrust { force, torque } => [force, torque],
            _ => [Vector3::zeros(); 2],
        }
    }

    /// Returns the sums of `r × F` and of the reaction torques over propellers at positions (m), with their directions of
    /// rotation.
    fn by_hand(positions: [[f64; 2]; 4], engines: [f64; 4]) -> [Vector3<f64>; 2] {
        let mut sums = [Vector3::zeros(); 2];
        for (number, ([x, y], speed)) in positions.into_iter().zip(engines).enumerate() {
            let force = Vector3::z() * 9.169e-6 * speed * speed;
            let sense = if number % 2 == 0 { -1.0 } else { 1.0 };
            let drag = Vector3::z() * sense * 2.4e-7 * speed * speed;
            sums[0] += force;
            sums[1] += Vector3::new(x, y, 0.0).cross(&force) + drag;
        }
        sums
    }

    fn near(actual: [Vector3<f64>; 2], expected: [Vector3<f64>; 2]) {
        for (actual, expected) in actual.iter().zip(&expected) {
            assert!((actual - expected).norm() < 1e-12, "{actual} {expected}");
        }
    }

    #[test]
    fn the_matrix_is_the_sum_over_the_propellers() {
        let side = 0.18 / std::f64::consts::SQRT_2;
        let plus = [[-0.18, 0.0], [0.0, -0.18], [0.18, 0.0], [0.0, 0.18]];
        let cross = [[side, side], [side, -side], [-side, -side], [-side, side]];
        for engines in [
            [700.0, 0.0, 0.0, 0.0],
            [0.0, 700.0, 0.0, 0.0],
            [0.0, 0.0, 700.0, 0.0],
            [0.0, 0.0, 0.0, 700.0],
            [731.0, 725.0, -701.0, 712.0],
        ] {
            near(wrench("()", engines), by_hand(plus, engines));
            near(
                wrench("(configuration: x)", engines),
                by_hand(cross, engines),
            );
        }
    }

    #[test]
    fn four_equal_speeds_carry_the_weight() {
        let weight: f64 = 2.0 * 9.81;
        let speed = libm::sqrt(weight / (4.0 * 9.169e-6));
        let [force, torque] = wrench("()", [speed; 4]);
        assert!((force - Vector3::z() * weight).norm() < 1e-9, "{force}");
        assert!(torque.norm() < 1e-12);
        assert_eq!(wrench("()", [0.0; 4]), [Vector3::zeros(); 2]);
    }

    proptest! {
        #[test]
        fn what_comes_out_is_a_number(engines in prop::array::uniform4(prop::num::f64::NORMAL)) {
            for text in ["()", "(configuration: x)"] {
                let control: QuadrotorDynamicControl = settings(text);
                let drive = control.thrust(&QuadrotorDynamicControlCommand { engines });
                let Drive::Thrust { force, torque } = drive else { panic!("no thrust") };
                prop_assert!(force.iter().chain(&torque).all(|value| value.is_finite()));
            }
        }
    }
}
