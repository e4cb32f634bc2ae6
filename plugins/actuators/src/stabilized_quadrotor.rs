//! Model of a stabilised quadrotor that moves a robot directly, without physics (MORSE's `StabilizedQuadrotor`).
use morse_api::{
    angles::{from_yaw_pitch_roll, normalized, yaw_pitch_roll},
    command::{Received, give},
    prelude::*,
    service::NoArguments,
    state::Stateful,
};

use crate::rotorcraft::tamed;

/// Moves a robot as a quadrotor whose autopilot is part of the model: angles follow their commands through second-order
/// filters, the height is regulated, and there is no drag, so that a moving robot keeps moving.
///
/// It sets the pose of the robot; obstacles do not stop it. The model's gravity is 10 m/s², as in MORSE, whatever the
/// scene's. A constant `psi_c` turns the robot at -7.14 times its value per second. Unlike in MORSE the initial heading and
/// height are the robot's own instead of 0, and the service `stop` works: the robot keeps its position. An actuator with
/// less than 60 Hz is computed in steps of at least 60 Hz.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"model: "robots/quadrotor.robray", base: kinematic, locomotion: free,
actuators: { "stabilized_quadrotor": (kind: "stabilized_quadrotor") }"#))]
#[require(Flight)]
pub struct StabilizedQuadrotor {}

/// Set points of the autopilot, kept until the next command. Initially the robot's height is held.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StabilizedQuadrotorCommand {
    /// Pitch, nose down: accelerates forwards.
    #[reflect(@Unit("rad"))]
    pub theta_c: f64,
    /// Roll to the right: accelerates to the right.
    #[reflect(@Unit("rad"))]
    pub phi_c: f64,
    /// Input of the yaw filter: turns the robot clockwise seen from above.
    #[reflect(@Unit("rad"))]
    pub psi_c: f64,
    /// Height of the robot's origin in the world.
    #[reflect(@Unit("m"))]
    pub h_c: f64,
}

impl Stateful for StabilizedQuadrotorCommand {}

/// Natural frequency of the angles, rad/s.
const FREQUENCY: f64 = 10.0;
/// Damping ratio of the angles.
const DAMPING: f64 = 0.7;
/// The model's gravity, m/s².
const GRAVITY: f64 = 10.0;
/// Square of the natural frequency of the height, 3 rad/s, in 1/s².
const HEIGHT_STIFFNESS: f64 = 9.0;
/// Damping of the vertical velocity, 1/s: twice 0.7 times 3 rad/s.
const HEIGHT_DAMPING: f64 = 4.2;
/// Minimum frequency of the model's steps, Hz.
const SLOWEST: f64 = 60.0;
/// Maximum number of steps of the model in one action.
const MOST_STEPS: f64 = 10_000.0;

/// Second-order filter, integrated as in MORSE: by the mean of the last two rates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Filter {
    value: f64,
    rate: f64,
    rate_before: f64,
    acceleration_before: f64,
}

impl Filter {
    /// Returns a filter at rest at a value.
    fn at(value: f64) -> Self {
        Self {
            value,
            ..Self::default()
        }
    }

    /// Advances by a time (s), driven by the difference of an input from the value.
    fn advance(&mut self, difference: f64, dt: f64) {
        let pull = FREQUENCY * FREQUENCY * tamed(difference);
        let acceleration = pull - 2.0 * DAMPING * FREQUENCY * self.rate;
        let rate = self.rate + (self.acceleration_before + acceleration) * dt / 2.0;
        self.value += (self.rate_before + self.rate) * dt / 2.0;
        self.acceleration_before = acceleration;
        self.rate_before = self.rate;
        self.rate = rate;
    }
}

/// State of the flight. Part of the state of the simulation.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Flight {
    roll: Filter,
    pitch: Filter,
    yaw: Filter,
    /// Velocity in world axes, m/s.
    velocity: [f64; 3],
}

impl Stateful for Flight {}

impl Actuator for StabilizedQuadrotor {
    const KIND: &'static str = "stabilized_quadrotor";
    const MOVES_ROBOT: bool = true;
    const MORSE_CLASS: Option<&'static str> = Some("StabilizedQuadrotor");
    type Command = StabilizedQuadrotorCommand;

    fn check(&self, world: &World, entity: Entity) -> Result<(), CheckError> {
        let robot = world.get::<Mount>(entity).map(|mount| mount.robot);
        if robot.is_some_and(|robot| world.get::<Inertia>(robot).is_some()) {
            return Err(CheckError::unmet(
                "it poses the robot, which forces move as well; give the robot `base: kinematic`, or \
                 fly it by `rotorcraft_attitude`",
            ));
        }
        Ok(())
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<StabilizedQuadrotor, _>(default_action)
        .register_state::<Flight>()
        .add_systems(Startup, begin)
        .add_service::<StabilizedQuadrotor>(Service::new(
            "set_cons",
            "Sets roll, pitch and height, and adds to the yaw's command.",
            set_cons,
        ))
        .add_service::<StabilizedQuadrotor>(Service::new(
            "stop",
            "Stops the robot at its current position, level.",
            stop,
        ));
}

/// Sets the initial heading and height to the robot's own.
fn begin(
    bodies: Query<&BodyState>,
    mut actuators: Query<
        (
            &Mount,
            &mut Flight,
            &mut StabilizedQuadrotorCommand,
            &mut Received<StabilizedQuadrotorCommand>,
        ),
        With<StabilizedQuadrotor>,
    >,
) {
    for (mount, mut flight, mut command, mut received) in &mut actuators {
        let Ok(robot) = bodies.get(mount.robot) else {
            continue;
        };
        let [yaw, ..] = yaw_pitch_roll(&robot.pose.rotation);
        flight.yaw = Filter::at(yaw);
        // Otherwise the simulation file gives a first command.
        if received.0 == StabilizedQuadrotorCommand::default() {
            command.h_c = robot.pose.translation.z;
            received.0 = *command;
        }
    }
}

fn default_action(
    bodies: Query<&BodyState>,
    mut actuators: Query<
        (
            (&Due, &UpdateRate, &Mount),
            &StabilizedQuadrotorCommand,
            &mut Flight,
            &mut Drive,
        ),
        With<StabilizedQuadrotor>,
    >,
) {
    for ((due, rate, mount), command, mut flight, mut drive) in &mut actuators {
        if !due.0 {
            *drive = drive.between_actions();
        } else if let Ok(robot) = bodies.get(mount.robot) {
            let from = robot.pose.translation.vector;
            let to = flight.advance(command, from, rate.period());
            // Moved by a velocity: a pose alone would be a jump.
            let mut displacement = robot.pose.inverse() * to;
            // Rounding errors must not accumulate.
            displacement.rotation.renormalize();
            *drive = Drive::Displacement(displacement);
        }
    }
}

impl Flight {
    /// Returns the robot's pose after a time (s), from a position (m).
    fn advance(
        &mut self,
        command: &StabilizedQuadrotorCommand,
        from: Vector3<f64>,
        seconds: f64,
    ) -> Isometry3<f64> {
        let steps = libm::ceil(seconds * SLOWEST - 1e-9).clamp(1.0, MOST_STEPS);
        let dt = seconds / steps;
        let mut position = from;
        let mut rotation = UnitQuaternion::identity();
        for _ in 0..steps as u32 {
            let (roll, pitch) = (tamed(command.phi_c), tamed(command.theta_c));
            self.roll.advance(roll - self.roll.value, dt);
            self.pitch.advance(pitch - self.pitch.value, dt);
            // The input is the yaw itself minus the command, so that the command is a constant input.
            self.yaw.advance(-tamed(command.psi_c), dt);
            self.yaw.value = normalized(tamed(self.yaw.value));
            rotation =
                from_yaw_pitch_roll([self.yaw.value, self.pitch.value, self.roll.value].map(tamed));
            let error = tamed(command.h_c - position.z);
            let lift = GRAVITY + HEIGHT_STIFFNESS * error - HEIGHT_DAMPING * self.velocity[2];
            let acceleration = rotation * Vector3::new(0.0, 0.0, lift) - Vector3::z() * GRAVITY;
            let velocity = (Vector3::from(self.velocity) + acceleration * dt).map(tamed);
            self.velocity = velocity.into();
            position += velocity * dt;
        }
        Isometry3::from_parts(position.into(), rotation)
    }
}

/// Arguments of `set_cons`.
#[derive(Reflect, Deserialize)]
struct SetCons {
    /// Roll to the right, rad.
    phi: f64,
    /// Pitch, nose down, rad.
    theta: f64,
    /// Added to the input of the yaw filter, clockwise, rad.
    psi: f64,
    /// Height in the world, m.
    h: f64,
}

fn set_cons(
    world: &mut World,
    entity: Entity,
    SetCons { phi, theta, psi, h }: SetCons,
) -> Result<Outcome, ServiceError> {
    let old = world
        .get::<StabilizedQuadrotorCommand>(entity)
        .copied()
        .unwrap_or_default();
    let sum = old.psi_c + psi;
    if !sum.is_finite() {
        let path = world
            .get::<ComponentPath>(entity)
            .cloned()
            .unwrap_or_default();
        return Err(ServiceError::Failed(format!(
            "`{path}`: with this `psi` the sum is no longer finite"
        )));
    }
    let command = StabilizedQuadrotorCommand {
        theta_c: theta,
        phi_c: phi,
        psi_c: sum,
        h_c: h,
    };
    give(world, entity, command)?;
    Ok(Outcome::NOTHING)
}

fn stop(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let robot = world
        .get::<Mount>(entity)
        .and_then(|mount| world.get::<BodyState>(mount.robot));
    let command = StabilizedQuadrotorCommand {
        h_c: robot.map_or(0.0, |robot| robot.pose.translation.z),
        ..StabilizedQuadrotorCommand::default()
    };
    give(world, entity, command)?;
    if let Some(mut flight) = world.get_mut::<Flight>(entity) {
        *flight = Flight {
            yaw: Filter::at(flight.yaw.value),
            ..Flight::default()
        };
    }
    Ok(Outcome::NOTHING)
}

#[cfg(test)]
mod tests {
    use morse_api::service::Status;
    use morse_testing::{TestWorld, moving};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const PATH: &str = "rover.flight";

    fn test_world(rate: f64, start: BodyState) -> (TestWorld, Entity) {
        let mut test = TestWorld::new(rate, plugin, start);
        let actuator = test.actuator::<StabilizedQuadrotor>(PATH, "()", Isometry3::identity());
        (test, actuator)
    }

    fn angles(test: &TestWorld) -> [f64; 3] {
        yaw_pitch_roll(&test.body().pose.rotation)
    }

    #[test]
    fn angles_answer_a_step_like_a_system_of_second_order() {
        let (mut test, flight) =
            test_world(1000.0, moving([0.0, 0.0, 5.0], 0.0, [0.0; 3], [0.0; 3]));
        drop(test.call(PATH, "set_cons", json!([0.1, 0.2, 0.0, 5.0])));
        let (mut worst, mut highest) = (0.0_f64, 0.0_f64);
        for tick in 1..=1500_u32 {
            test.drive(flight, 1);
            let time = f64::from(tick) / 1000.0;
            let damped = 10.0 * libm::sqrt(1.0 - 0.49);
            let ratio = 0.7 / libm::sqrt(1.0 - 0.49);
            let (sin, cos) = libm::sincos(damped * time);
            let expected = 1.0 - libm::exp(-7.0 * time) * (cos + ratio * sin);
            let [_, pitch, roll] = angles(&test);
            worst = worst.max((roll / 0.1 - expected).abs());
            worst = worst.max((pitch / 0.2 - expected).abs());
            highest = highest.max(pitch / 0.2);
        }
        assert!(worst < 0.01, "{worst}");
        // The overshoot for a damping ratio of 0.7 is 4.6 %.
        assert!((highest - 1.046).abs() < 0.003, "{highest}");
    }

    #[test]
    fn a_step_of_the_filter_by_hand() {
        let mut filter = Filter::at(0.0);
        filter.advance(1.0, 0.1);
        // 100·(1 - 0) for half a period: there is no previous rate.
        assert!((filter.rate - 5.0).abs() < 1e-12 && filter.value == 0.0);
        filter.advance(1.0, 0.1);
        // 100 - 14·5 = 30, with the previous 100: 6.5; and half of the rate of 5.
        assert!((filter.rate - 11.5).abs() < 1e-12, "{filter:?}");
        assert!((filter.value - 0.25).abs() < 1e-12, "{filter:?}");
    }

    #[test]
    fn a_constant_psi_turns_at_a_constant_rate() {
        let (mut test, flight) = test_world(60.0, moving([0.0; 3], 3.0, [0.0; 3], [0.0; 3]));
        test.drive(flight, 1);
        let [yaw, ..] = angles(&test);
        assert!((yaw - 3.0).abs() < 1e-9, "it starts with its own heading");
        drop(test.call(PATH, "set_cons", json!([0.0, 0.0, 0.1, 0.0])));
        test.drive(flight, 120);
        for _ in 0..60 {
            let [before, ..] = angles(&test);
            test.drive(flight, 1);
            let [yaw, ..] = angles(&test);
            let rate = normalized(yaw - before) * 60.0;
            assert!((rate + 10.0 * 0.1 / 1.4).abs() < 1e-5, "{rate}");
        }
        // The command is incremented: the sum is zero.
        drop(test.call(PATH, "set_cons", json!([0.0, 0.0, -0.1, 0.0])));
        test.drive(flight, 120);
        let [before, ..] = angles(&test);
        test.drive(flight, 1);
        assert!((angles(&test)[0] - before).abs() < 1e-6);
    }

    #[test]
    fn the_height_is_reached_and_a_lean_accelerates() {
        let (mut test, flight) = test_world(60.0, moving([0.0, 0.0, 2.0], 0.0, [0.0; 3], [0.0; 3]));
        test.drive(flight, 60);
        assert!(
            (test.body().pose.translation.z - 2.0).abs() < 1e-12,
            "it holds its height"
        );
        drop(test.call(PATH, "set_cons", json!([0.0, 0.1, 0.0, 3.0])));
        test.drive(flight, 600);
        let speed = test.get::<Flight>(flight).velocity;
        test.drive(flight, 60);
        let after = test.get::<Flight>(flight).velocity;
        // At a tilt of θ the lift that carries the weight is 10/cos θ: the forward component is 10·tan θ.
        let gain = 10.0 * libm::tan(0.1);
        assert!((after[0] - speed[0] - gain).abs() < 1e-4, "{after:?}");
        // It sinks to the height where 9·(h_c - z)·cos θ compensates the cosine.
        let cos = libm::cos(0.1);
        let sag = 10.0 * (1.0 - cos) / (9.0 * cos);
        let z = test.body().pose.translation.z;
        assert!((3.0 - z - sag).abs() < 1e-6, "{z}");
    }

    #[test]
    fn stop_holds_it_where_it_is() {
        let (mut test, flight) = test_world(60.0, moving([0.0, 0.0, 2.0], 1.0, [0.0; 3], [0.0; 3]));
        drop(test.call(PATH, "set_cons", json!([0.1, 0.2, 0.1, 4.0])));
        test.drive(flight, 60);
        let before = test.body().pose;
        let yaw = angles(&test)[0];
        let reply = test.call(PATH, "stop", json!([])).reply().unwrap();
        assert_eq!(reply.status, Status::Success);
        test.drive(flight, 60);
        let after = test.body().pose;
        let displacement = after.translation.vector - before.translation.vector;
        assert!(displacement.norm() < 1e-9, "{displacement}");
        let [yaw_after, pitch, roll] = angles(&test);
        assert!((yaw_after - yaw).abs() + pitch.abs() + roll.abs() < 1e-9);
    }

    #[test]
    fn a_slow_actuator_stays_stable() {
        let mut flight = Flight::default();
        let command = StabilizedQuadrotorCommand {
            theta_c: 0.1,
            h_c: 1.0,
            ..StabilizedQuadrotorCommand::default()
        };
        let mut position = Vector3::zeros();
        for _ in 0..20 {
            position = flight.advance(&command, position, 0.5).translation.vector;
        }
        assert!((flight.pitch.value - 0.1).abs() < 1e-6, "{flight:?}");
        assert!((position.z - 1.0).abs() < 0.01, "{position}");
    }

    #[test]
    fn a_sum_that_is_no_number_is_refused() {
        let (mut test, flight) = test_world(60.0, BodyState::default());
        drop(test.call(PATH, "set_cons", json!([0.0, 0.0, 1e308, 0.0])));
        let before = *test.get::<StabilizedQuadrotorCommand>(flight);
        let reply = test
            .call(PATH, "set_cons", json!([0.0, 0.0, 1e308, 0.0]))
            .reply();
        assert_eq!(reply.unwrap().status, Status::Failed);
        assert_eq!(*test.get::<StabilizedQuadrotorCommand>(flight), before);
    }

    proptest! {
        #[test]
        fn what_comes_out_is_a_number(
            wish in prop::array::uniform4(prop::num::f64::NORMAL),
            seconds in 1e-4..1.0_f64,
        ) {
            let [theta_c, phi_c, psi_c, h_c] = wish;
            let command = StabilizedQuadrotorCommand { theta_c, phi_c, psi_c, h_c };
            let (mut flight, mut position) = (Flight::default(), Vector3::zeros());
            for _ in 0..20 {
                let pose = flight.advance(&command, position, seconds);
                position = pose.translation.vector;
                prop_assert!(position.iter().all(|value| value.is_finite()));
                prop_assert!(pose.rotation.coords.iter().all(|value| value.is_finite()));
            }
        }
    }
}
