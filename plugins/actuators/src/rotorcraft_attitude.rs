//! Controls roll, pitch, yaw and thrust of a rotorcraft (MORSE's `RotorcraftAttitude`).
use morse_api::{
    angles::{normalized, yaw_pitch_roll},
    prelude::*,
    state::Stateful,
};
use morse_geodesy::Origin;

use crate::rotorcraft::{Airframe, Airframes, Gains, check_body, tamed};

/// Holds an attitude and applies a thrust along the body's z axis, as the inner loop of an autopilot does.
///
/// Angles follow aviation (NED), as in MORSE: roll to the right, pitch with the nose up, yaw clockwise from above. The
/// torque is proportional to the thrust, so the gains are those at full thrust. Unlike in MORSE the initial heading is the
/// robot's own instead of 0, the thrust is limited to 1, and the mount of the actuator has no effect. Without thrust the
/// rotors stand still, and the heading to hold stays unchanged.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Steering)]
pub struct RotorcraftAttitude {
    /// Angular acceleration per error of roll or pitch.
    #[reflect(@Unit("1/s²"), @ValueRange(0.0, 1e6), @Property("RollPitchPgain"))]
    pub roll_pitch_p_gain: f64,
    /// Angular acceleration per rate of an error of roll or pitch.
    #[reflect(@Unit("1/s"), @ValueRange(0.0, 1e6), @Property("RollPitchDgain"))]
    pub roll_pitch_d_gain: f64,
    /// Angular acceleration per error of yaw.
    #[reflect(@Unit("1/s²"), @ValueRange(0.0, 1e6), @Property("YawPgain"))]
    pub yaw_p_gain: f64,
    /// Angular acceleration per rate of an error of yaw.
    #[reflect(@Unit("1/s"), @ValueRange(0.0, 1e6), @Property("YawDgain"))]
    pub yaw_d_gain: f64,
    /// Force at full thrust.
    #[reflect(@Unit("N"), @ValueRange(0.0, 1e6), @Property("ThrustFactor"))]
    pub thrust_factor: f64,
    /// True if the force is proportional to the thrust; otherwise to its square.
    #[reflect(@Property("LinearThrust"))]
    pub linear_thrust: bool,
    /// True if `yaw` is a rate; otherwise it is an angle.
    #[reflect(@Property("YawRateControl"))]
    pub yaw_rate_control: bool,
    /// True if yaw is measured from geographic north; otherwise from the scene's x axis.
    #[reflect(@Property("UseAngleAgainstNorth"))]
    pub use_angle_against_north: bool,
}

impl Default for RotorcraftAttitude {
    fn default() -> Self {
        Self {
            roll_pitch_p_gain: 100.0,
            roll_pitch_d_gain: 20.0,
            yaw_p_gain: 16.0,
            yaw_d_gain: 4.0,
            thrust_factor: 40.0,
            linear_thrust: true,
            yaw_rate_control: true,
            use_angle_against_north: false,
        }
    }
}

/// Attitude and thrust, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RotorcraftAttitudeCommand {
    /// Roll to the right.
    #[reflect(@Unit("rad"))]
    pub roll: f64,
    /// Pitch, nose up.
    #[reflect(@Unit("rad"))]
    pub pitch: f64,
    /// Yaw, clockwise seen from above: a rate or an angle, according to `yaw_rate_control`.
    #[reflect(@Unit("rad/s or rad"))]
    pub yaw: f64,
    /// Thrust from 0, rotors off, to 1, full thrust.
    #[reflect(@Unit(""))]
    pub thrust: f64,
}

impl Stateful for RotorcraftAttitudeCommand {}

/// State of the control law. Part of the state of the simulation.
#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Steering {
    /// Yaw to hold, clockwise, rad; `None` before the first thrust.
    yaw: Option<f64>,
    /// Errors at the last action, rad; `None` without thrust.
    before: Option<[f64; 3]>,
}

impl Stateful for Steering {}

impl Actuator for RotorcraftAttitude {
    const KIND: &'static str = "rotorcraft_attitude";
    const MORSE_CLASS: Option<&'static str> = Some("RotorcraftAttitude");
    type Command = RotorcraftAttitudeCommand;

    fn check(&self, world: &World, entity: Entity) -> Result<(), CheckError> {
        check_body(world, entity)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<RotorcraftAttitude, _>(default_action)
        .register_state::<Steering>();
}

fn default_action(
    origin: Option<Res<Origin>>,
    airframes: Airframes,
    mut actuators: Query<(
        &RotorcraftAttitude,
        (&Due, &UpdateRate, &Mount),
        &RotorcraftAttitudeCommand,
        &mut Steering,
        &mut Drive,
    )>,
) {
    for (settings, (due, rate, mount), command, mut steering, mut drive) in &mut actuators {
        if !due.0 {
            *drive = drive.between_actions();
            continue;
        }
        let Some(airframe) = airframes.of(mount) else {
            continue;
        };
        let [yaw, ..] = yaw_pitch_roll(&airframe.state.pose.rotation);
        let yaw = if settings.use_angle_against_north {
            let origin = origin.as_deref().copied().unwrap_or_default();
            normalized(origin.angle_against_north.to_radians() - yaw)
        } else {
            -yaw
        };
        *drive = settings.fly(&airframe, yaw, command, &mut steering, rate.frequency);
    }
}

impl RotorcraftAttitude {
    /// Returns the drive for a command, with the current yaw, clockwise (rad).
    fn fly(
        &self,
        airframe: &Airframe<'_>,
        yaw: f64,
        command: &RotorcraftAttitudeCommand,
        steering: &mut Steering,
        frequency: f64,
    ) -> Drive {
        let thrust = command.thrust.min(1.0);
        if thrust.is_nan() || thrust <= 0.0 {
            steering.before = None;
            return Drive::None;
        }
        let wanted = if self.yaw_rate_control {
            let from = steering.yaw.unwrap_or(yaw);
            normalized(from + tamed(command.yaw / frequency))
        } else {
            normalized(tamed(command.yaw))
        };
        steering.yaw = Some(wanted);
        let [roll, pitch, _] = airframe.attitude();
        let error = [
            tamed(command.roll) - roll,
            tamed(command.pitch) + pitch,
            wanted - yaw,
        ];
        let gains = Gains {
            roll_pitch: [self.roll_pitch_p_gain, self.roll_pitch_d_gain],
            yaw: [self.yaw_p_gain, self.yaw_d_gain],
        };
        let turn = gains.turn(error, &mut steering.before, frequency);
        let turn = Vector3::new(turn.x, -turn.y, -turn.z) * thrust;
        let share = if self.linear_thrust {
            thrust
        } else {
            thrust * thrust
        };
        airframe.thrust(share * self.thrust_factor, &turn)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use morse_api::angles::from_yaw_pitch_roll;
    use morse_testing::TestWorld;
    use nalgebra::Matrix3;

    use super::*;

    const PATH: &str = "rover.flight";

    fn leaning(angles: [f64; 3]) -> BodyState {
        BodyState {
            pose: Isometry3::from_parts(Vector3::zeros().into(), from_yaw_pitch_roll(angles)),
            mass: 2.0,
            ..BodyState::default()
        }
    }

    fn test_world(text: &str, state: BodyState) -> (TestWorld, Entity) {
        let mut test = TestWorld::new(60.0, plugin, state);
        let inertia = Inertia(Matrix3::from_diagonal(&Vector3::new(0.08, 0.09, 0.16)));
        test.app.world_mut().entity_mut(test.robot).insert(inertia);
        let actuator = test.actuator::<RotorcraftAttitude>(PATH, text, Isometry3::identity());
        (test, actuator)
    }

    fn command(roll: f64, pitch: f64, yaw: f64, thrust: f64) -> RotorcraftAttitudeCommand {
        RotorcraftAttitudeCommand {
            roll,
            pitch,
            yaw,
            thrust,
        }
    }

    fn near(test: &TestWorld, actuator: Entity, up: f64, twist: [f64; 3]) {
        let Drive::Thrust { force, torque } = *test.get::<Drive>(actuator) else {
            panic!("no thrust")
        };
        assert!((force - Vector3::z() * up).norm() < 1e-9, "{force}");
        assert!((torque - Vector3::from(twist)).norm() < 1e-9, "{torque}");
    }

    #[test]
    fn one_step_by_hand() {
        // Yaw, pitch (nose down) and roll of the body.
        let state = leaning([0.0, 0.05, 0.1]);
        let (mut test, flight) = test_world("(yaw_rate_control: false)", state);
        test.send(flight, command(0.3, 0.2, 0.25, 0.5));
        test.step(state);
        // Errors: roll 0.2; pitch, nose up, 0.25; yaw 0.25, clockwise.
        near(
            &test,
            flight,
            20.0,
            [
                0.08 * 100.0 * 0.2 * 0.5,
                -0.09 * 100.0 * 0.25 * 0.5,
                -0.16 * 16.0 * 0.25 * 0.5,
            ],
        );
        // The command changes by 0.01 rad per 1/60 s: rates of 0.6 rad/s.
        test.send(flight, command(0.31, 0.21, 0.26, 0.5));
        test.step(state);
        near(
            &test,
            flight,
            20.0,
            [
                0.08 * (21.0 + 20.0 * 0.6) * 0.5,
                -0.09 * (26.0 + 20.0 * 0.6) * 0.5,
                -0.16 * (16.0 * 0.26 + 4.0 * 0.6) * 0.5,
            ],
        );
    }

    #[test]
    fn the_heading_at_the_start_is_held_and_rates_move_it() {
        let state = leaning([1.0, 0.0, 0.0]);
        let (mut test, flight) = test_world("()", state);
        test.send(flight, command(0.0, 0.0, 0.0, 1.0));
        test.step(state);
        near(&test, flight, 40.0, [0.0; 3]);
        test.send(flight, command(0.0, 0.0, 0.6, 1.0));
        test.step(state);
        // The heading to hold moves by 0.01 rad clockwise per action.
        near(&test, flight, 40.0, [0.0, 0.0, -0.16 * (0.16 + 4.0 * 0.6)]);
        test.step(state);
        near(&test, flight, 40.0, [0.0, 0.0, -0.16 * (0.32 + 4.0 * 0.6)]);
    }

    #[test]
    fn without_thrust_nothing_and_the_heading_stays() {
        let state = leaning([0.0; 3]);
        let (mut test, flight) = test_world("()", state);
        test.send(flight, command(0.0, 0.0, 0.6, 1.0));
        test.step(state);
        for thrust in [0.0, -0.5] {
            test.send(flight, command(0.5, 0.0, 0.6, thrust));
            test.step(state);
            assert_eq!(*test.get::<Drive>(flight), Drive::None);
        }
        test.send(flight, command(0.0, 0.0, 0.0, 1.0));
        test.step(state);
        near(&test, flight, 40.0, [0.0, 0.0, -0.16 * 16.0 * 0.01]);
    }

    #[test]
    fn a_heading_across_south_goes_the_short_way() {
        let state = leaning([PI - 0.1, 0.0, 0.0]);
        let (mut test, flight) = test_world("(yaw_rate_control: false)", state);
        // The body's yaw is 0.1 - π clockwise; the goal is 0.1 rad beyond ±π.
        test.send(flight, command(0.0, 0.0, PI - 0.1 + 2.0 * PI, 1.0));
        test.step(state);
        near(&test, flight, 40.0, [0.0, 0.0, 0.16 * 16.0 * 0.2]);
    }

    #[test]
    fn a_square_of_thrust_and_a_compass_heading() {
        // Looks east, in a scene whose x axis points north.
        let state = leaning([-FRAC_PI_2, 0.0, 0.0]);
        let text = "(linear_thrust: false, yaw_rate_control: false, use_angle_against_north: true)";
        let (mut test, flight) = test_world(text, state);
        test.app.insert_resource(Origin {
            angle_against_north: 0.0,
            ..Origin::default()
        });
        test.send(flight, command(0.0, 0.0, FRAC_PI_2 + 0.1, 0.5));
        test.step(state);
        near(&test, flight, 10.0, [0.0, 0.0, -0.16 * 16.0 * 0.1 * 0.5]);
    }
}
