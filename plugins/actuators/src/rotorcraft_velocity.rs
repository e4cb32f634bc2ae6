//! Controls the velocity of a rotorcraft (MORSE's `RotorcraftVelocity`).
use morse_api::{
    angles::{normalized, yaw_pitch_roll},
    command::give,
    prelude::*,
    state::Stateful,
};

use crate::rotorcraft::{Airframe, Airframes, Gains, Pilot, Setpoint, check_weight, tamed};

/// Holds a velocity by tilting: the bank is proportional to the velocity error, up to a maximum.
///
/// Only the velocity error tilts the robot, so without drag it reaches the velocity exactly, though slowly: with MORSE's
/// gains, which are the defaults, the error falls to a third in 4.5 s. Gravity is that of the scene, and the weight that of
/// the body that carries the actuator. Unlike in MORSE the heading is integrated from the commanded rate (MORSE continued
/// from the measured heading, which never reached the rate and drifted), the service `setvel` works, and `max_velocity` has
/// an effect. MORSE's `VerticalDgain` of 2 had no effect; here it has one, and is 0 by default.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Steering)]
pub struct RotorcraftVelocity {
    /// Bank per error of horizontal velocity.
    #[reflect(@Unit("rad·s/m"), @ValueRange(0.0, 1e6), @Property("HorizontalPgain"))]
    pub horizontal_p_gain: f64,
    /// Bank against horizontal acceleration.
    #[reflect(@Unit("rad·s²/m"), @ValueRange(0.0, 1e6), @Property("HorizontalDgain"))]
    pub horizontal_d_gain: f64,
    /// Thrust per error of vertical velocity.
    #[reflect(@Unit("N·s/m"), @ValueRange(0.0, 1e6), @Property("VerticalPgain"))]
    pub vertical_p_gain: f64,
    /// Thrust against vertical acceleration.
    #[reflect(@Unit("kg"), @ValueRange(0.0, 1e6), @Property("VerticalDgain"))]
    pub vertical_d_gain: f64,
    /// Angular acceleration per error of yaw.
    #[reflect(@Unit("1/s²"), @ValueRange(0.0, 1e6), @Property("YawPgain"))]
    pub yaw_p_gain: f64,
    /// Angular acceleration per rate of an error of yaw.
    #[reflect(@Unit("1/s"), @ValueRange(0.0, 1e6), @Property("YawDgain"))]
    pub yaw_d_gain: f64,
    /// Angular acceleration per error of roll or pitch.
    #[reflect(@Unit("1/s²"), @ValueRange(0.0, 1e6), @Property("RollPitchPgain"))]
    pub roll_pitch_p_gain: f64,
    /// Angular acceleration per rate of an error of roll or pitch.
    #[reflect(@Unit("1/s"), @ValueRange(0.0, 1e6), @Property("RollPitchDgain"))]
    pub roll_pitch_d_gain: f64,
    /// Maximum bank.
    #[reflect(@Unit("rad"), @ValueRange(0.001, 1.575), @Property("MaxBankAngle"))]
    pub max_bank_angle: f64,
    /// Maximum commanded speed; faster commands are reduced to it. No limit by default.
    #[reflect(@Unit("m/s"), @ValueRange(0.0, 1e4), @Property("MaxVelocity"))]
    pub max_velocity: Option<f64>,
}

impl Default for RotorcraftVelocity {
    fn default() -> Self {
        Self {
            horizontal_p_gain: 0.2,
            horizontal_d_gain: 0.8,
            vertical_p_gain: 8.0,
            vertical_d_gain: 0.0,
            yaw_p_gain: 12.0,
            yaw_d_gain: 8.0,
            roll_pitch_p_gain: 9.7,
            roll_pitch_d_gain: 2.0,
            max_bank_angle: 30.0_f64.to_radians(),
            max_velocity: None,
        }
    }
}

/// Velocity in level axes that rotate with the robot's heading, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RotorcraftVelocityCommand {
    /// Forward velocity.
    #[reflect(@Unit("m/s"))]
    pub vx: f64,
    /// Velocity to the left.
    #[reflect(@Unit("m/s"))]
    pub vy: f64,
    /// Upward velocity.
    #[reflect(@Unit("m/s"))]
    pub vz: f64,
    /// Rate of the heading, clockwise seen from above, as in MORSE.
    #[reflect(@Unit("rad/s"))]
    pub vyaw: f64,
    /// Velocity error within which the velocity counts as reached, for the reply of `setvel`.
    #[reflect(@Unit("m/s"))]
    pub tolerance: f64,
}

impl Default for RotorcraftVelocityCommand {
    fn default() -> Self {
        Self {
            vx: 0.0,
            vy: 0.0,
            vz: 0.0,
            vyaw: 0.0,
            tolerance: 0.2,
        }
    }
}

impl Stateful for RotorcraftVelocityCommand {}

/// State of the control law. Part of the state of the simulation.
#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Steering {
    /// Heading to hold, rad; the robot's own before the first action.
    yaw: Option<f64>,
    /// Attitude errors at the last action, rad.
    before: Option<[f64; 3]>,
    /// Velocity at the last action, world axes, m/s.
    velocity: Option<[f64; 3]>,
}

impl Stateful for Steering {}

impl Actuator for RotorcraftVelocity {
    const KIND: &'static str = "rotorcraft_velocity";
    const MORSE_CLASS: Option<&'static str> = Some("RotorcraftVelocity");
    type Command = RotorcraftVelocityCommand;

    fn check(&self, world: &World, entity: Entity) -> Result<(), CheckError> {
        check_weight(world, entity)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<RotorcraftVelocity, _>(default_action)
        .register_state::<Steering>()
        .add_service::<RotorcraftVelocity>(Service::new(
            "setvel",
            "Sets the velocity; true unless it is reached already.",
            setvel,
        ));
}

fn default_action(
    airframes: Airframes,
    mut actuators: Query<(
        &RotorcraftVelocity,
        (&Due, &UpdateRate, &Mount),
        &RotorcraftVelocityCommand,
        &mut Steering,
        &mut Drive,
    )>,
) {
    for (settings, (due, rate, mount), command, mut steering, mut drive) in &mut actuators {
        if !due.0 {
            *drive = drive.between_actions();
        } else if let Some(airframe) = airframes.of(mount) {
            *drive = settings.fly(&airframe, command, &mut steering, rate.frequency);
        }
    }
}

/// Returns the commanded velocity in world axes, m/s.
fn target_velocity(command: &RotorcraftVelocityCommand, yaw: f64) -> Vector3<f64> {
    let (sin, cos) = libm::sincos(yaw);
    let [x, y, z] = [command.vx, command.vy, command.vz].map(tamed);
    Vector3::new(cos * x - sin * y, sin * x + cos * y, z)
}

impl RotorcraftVelocity {
    fn fly(
        &self,
        airframe: &Airframe<'_>,
        command: &RotorcraftVelocityCommand,
        steering: &mut Steering,
        frequency: f64,
    ) -> Drive {
        let [_, _, yaw] = airframe.attitude();
        let velocity = airframe.state.linear_velocity;
        let mut wanted = target_velocity(command, yaw);
        if let Some(limit) = self.max_velocity
            && wanted.norm() > limit
        {
            wanted *= limit / wanted.norm();
        }
        let error = wanted - velocity;
        let before = steering.velocity.map_or(velocity, Vector3::from);
        let acceleration = (velocity - before) * frequency;
        steering.velocity = Some(velocity.into());
        let heading = steering.yaw.unwrap_or(yaw);
        let heading = normalized(heading - tamed(command.vyaw / frequency));
        steering.yaw = Some(heading);
        let lean = |axis: usize| {
            self.horizontal_p_gain * error[axis] - self.horizontal_d_gain * acceleration[axis]
        };
        let setpoint = Setpoint {
            lean: [lean(0), lean(1)],
            climb: self.vertical_p_gain * error.z - self.vertical_d_gain * acceleration.z,
            yaw: heading,
        };
        let pilot = Pilot {
            gains: Gains {
                roll_pitch: [self.roll_pitch_p_gain, self.roll_pitch_d_gain],
                yaw: [self.yaw_p_gain, self.yaw_d_gain],
            },
            max_bank_angle: self.max_bank_angle,
        };
        pilot.fly(airframe, &setpoint, &mut steering.before, frequency)
    }
}

/// Arguments of `setvel`.
#[derive(Reflect, Deserialize)]
struct SetVelocity {
    /// Forward velocity, m/s.
    vx: f64,
    /// Velocity to the left, m/s.
    vy: f64,
    /// Upward velocity, m/s.
    vz: f64,
    /// Rate of the heading, clockwise seen from above, rad/s.
    vyaw: f64,
    /// Velocity error within which the velocity counts as reached, m/s; 0.1 by default.
    #[serde(default)]
    tolerance: Option<f64>,
}

fn setvel(
    world: &mut World,
    entity: Entity,
    setpoint: SetVelocity,
) -> Result<Outcome, ServiceError> {
    let command = RotorcraftVelocityCommand {
        vx: setpoint.vx,
        vy: setpoint.vy,
        vz: setpoint.vz,
        vyaw: setpoint.vyaw,
        tolerance: setpoint.tolerance.unwrap_or(0.1),
    };
    give(world, entity, command)?;
    let body = world
        .get::<Mount>(entity)
        .and_then(|mount| world.get::<BodyState>(mount.body));
    let is_away = body.is_none_or(|body| {
        let [yaw, ..] = yaw_pitch_roll(&body.pose.rotation);
        (target_velocity(&command, yaw) - body.linear_velocity).norm() > command.tolerance
    });
    Ok(Outcome::Done(is_away.into()))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_api::service::Status;
    use morse_testing::{TestWorld, moving, settings};
    use nalgebra::Matrix3;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const PATH: &str = "rover.flight";

    fn state(yaw: f64, velocity: [f64; 3]) -> BodyState {
        BodyState {
            mass: 2.0,
            ..moving([0.0; 3], yaw, velocity, [0.0; 3])
        }
    }

    fn test_world(text: &str, state: BodyState) -> (TestWorld, Entity) {
        let mut test = TestWorld::new(60.0, plugin, state);
        let inertia = Inertia(Matrix3::from_diagonal(&Vector3::new(0.08, 0.09, 0.16)));
        test.app.world_mut().entity_mut(test.robot).insert(inertia);
        let actuator = test.actuator::<RotorcraftVelocity>(PATH, text, Isometry3::identity());
        (test, actuator)
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
        // Heads north at 1 m/s; commanded velocity: forward 2, left 0.5 and up 0.25 m/s.
        let start = state(FRAC_PI_2, [0.0, 1.0, 0.0]);
        let (mut test, flight) = test_world("()", start);
        let command = RotorcraftVelocityCommand {
            vx: 2.0,
            vy: 0.5,
            vz: 0.25,
            ..RotorcraftVelocityCommand::default()
        };
        test.send(flight, command);
        test.step(start);
        let thrust = 2.0 * 9.81 + 8.0 * 0.25;
        let share = thrust / 19.62;
        // Forward error 1 m/s: nose down by 0.2; left error 0.5 m/s: roll by -0.1.
        let twist = [-0.08 * 9.7 * 0.1 * share, 0.09 * 9.7 * 0.2 * share, 0.0];
        near(&test, flight, thrust, twist);
        // 0.02 m/s more in 1/60 s are 1.2 m/s²: the bank is 0.2·0.98 - 0.8·1.2.
        let next = state(FRAC_PI_2, [0.0, 1.02, 0.0]);
        test.step(next);
        test.step(next);
        // The second step uses the new velocity; the following one has no acceleration.
        let bank: f64 = 0.2 * 0.98 - 0.8 * 1.2;
        let bank = bank.max(-30.0_f64.to_radians());
        let rate = (bank - 0.2) * 60.0;
        let twist = [
            -0.08 * 9.7 * 0.1 * share,
            0.09 * (9.7 * bank + 2.0 * rate) * share,
            0.0,
        ];
        near(&test, flight, thrust, twist);
    }

    #[test]
    fn the_heading_moves_clockwise_at_the_rate() {
        let start = state(0.5, [0.0; 3]);
        let (mut test, flight) = test_world("()", start);
        test.step(start);
        near(&test, flight, 19.62, [0.0; 3]);
        drop(test.call(PATH, "setvel", json!([0.0, 0.0, 0.0, 0.6])));
        test.step(start);
        near(
            &test,
            flight,
            19.62,
            [0.0, 0.0, -0.16 * (12.0 * 0.01 + 8.0 * 0.6)],
        );
        test.step(start);
        near(
            &test,
            flight,
            19.62,
            [0.0, 0.0, -0.16 * (12.0 * 0.02 + 8.0 * 0.6)],
        );
    }

    #[test]
    fn setvel_says_whether_there_is_anything_to_do() {
        let start = state(FRAC_PI_2, [0.0, 1.0, 0.0]);
        let (mut test, flight) = test_world("()", start);
        test.step(start);
        for (arguments, is_away) in [
            (json!([1.05, 0.0, 0.0, 0.0]), false),
            (json!([1.05, 0.0, 0.0, 0.0, 0.01]), true),
            (json!({"vx": 0.0, "vy": 1.0, "vz": 0.0, "vyaw": 0.2}), true),
        ] {
            let reply = test.call(PATH, "setvel", arguments).reply().unwrap();
            assert_eq!(
                (reply.status, reply.value),
                (Status::Success, json!(is_away))
            );
        }
        let command = *test.get::<RotorcraftVelocityCommand>(flight);
        assert!((command.vy - 1.0).abs() + (command.vyaw - 0.2).abs() < 1e-12);
        let reply = test.call(PATH, "setvel", json!([1.0])).reply().unwrap();
        assert_eq!(reply.status, Status::Failed);
    }

    #[test]
    fn a_fast_command_is_slowed_down() {
        let start = state(0.0, [0.0; 3]);
        let (mut test, flight) = test_world("(max_velocity: 1)", start);
        drop(test.call(PATH, "setvel", json!([3.0, 0.0, 4.0, 0.0])));
        test.step(start);
        let thrust = 19.62 + 8.0 * 0.8;
        let pitch = 0.09 * 9.7 * 0.2 * 0.6 * thrust / 19.62;
        near(&test, flight, thrust, [0.0, pitch, 0.0]);
    }

    proptest! {
        #[test]
        fn what_comes_out_is_a_number(
            setpoint in prop::array::uniform5(prop::num::f64::NORMAL),
            velocity in prop::array::uniform3(-1e30..1e30_f64),
            gain in 0.0..1e300_f64,
        ) {
            let mut law: RotorcraftVelocity = settings("(max_velocity: 1e200)");
            law.horizontal_p_gain = gain;
            law.vertical_d_gain = gain;
            let [vx, vy, vz, vyaw, tolerance] = setpoint;
            let command = RotorcraftVelocityCommand { vx, vy, vz, vyaw, tolerance };
            let body = state(1.0, velocity);
            let inertia = Inertia(Matrix3::identity());
            let airframe = Airframe::new(&body, &inertia, Vector3::new(0.0, 0.0, -9.81));
            let mut steering = Steering { velocity: Some([0.0; 3]), ..Steering::default() };
            for _ in 0..3 {
                let Drive::Thrust { force, torque } = law.fly(&airframe, &command, &mut steering, 60.0) else {
                    panic!("no thrust")
                };
                prop_assert!(force.iter().chain(&torque).all(|value| value.is_finite()));
                prop_assert!(steering.yaw.unwrap().is_finite());
            }
        }
    }
}
