//! Flies to a point of the world (MORSE's `RotorcraftWaypoint`).
//!
//! - `requests`: the services;
//! - this file: settings, command, and the control law.
use morse_api::{
    angles::yaw_pitch_roll,
    command::{BadCommand, Received, give},
    prelude::*,
    service::Status,
    state::Stateful,
};

use crate::rotorcraft::{Airframe, Airframes, Gains, Pilot, Setpoint, check_weight, tamed};

mod requests;

/// Flies the robot's origin to a point of the world and holds it there, with a separate heading.
///
/// The bank is proportional to the remaining distance, minus a term proportional to the velocity; before the first command
/// the goal is the robot's own position. As in MORSE, with these differences: gravity is that of the scene (MORSE's was
/// 9.81); the goal is reached when the robot's origin is there, not the actuator's mount, which a law for the origin need
/// not bring there; a cancelled `goto` ends at the robot's current position (MORSE's continued to the goal); the actuator
/// has its own status (MORSE's was shared by the robot's actuators); a `target`, an object that shows the goal, is not
/// moved. The weight is that of the body that carries the actuator.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Journey, Task)]
pub struct RotorcraftWaypoint {
    /// Bank per remaining horizontal distance.
    #[reflect(@Unit("rad/m"), @ValueRange(0.0, 1e6), @Property("HorizontalPgain"))]
    pub horizontal_p_gain: f64,
    /// Bank against horizontal velocity.
    #[reflect(@Unit("rad·s/m"), @ValueRange(0.0, 1e6), @Property("HorizontalDgain"))]
    pub horizontal_d_gain: f64,
    /// Thrust per remaining height.
    #[reflect(@Unit("N/m"), @ValueRange(0.0, 1e6), @Property("VerticalPgain"))]
    pub vertical_p_gain: f64,
    /// Thrust against vertical velocity.
    #[reflect(@Unit("N·s/m"), @ValueRange(0.0, 1e6), @Property("VerticalDgain"))]
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
    /// True if the robot is held at the goal; otherwise the rotors are left to another actuator there.
    #[reflect(@Property("RemainAtDestination"))]
    pub remain_at_destination: bool,
}

impl Default for RotorcraftWaypoint {
    fn default() -> Self {
        Self {
            horizontal_p_gain: 6.0_f64.to_radians(),
            horizontal_d_gain: 8.0_f64.to_radians(),
            vertical_p_gain: 8.0,
            vertical_d_gain: 8.0,
            yaw_p_gain: 12.0,
            yaw_d_gain: 6.0,
            roll_pitch_p_gain: 9.7,
            roll_pitch_d_gain: 2.0,
            max_bank_angle: 30.0_f64.to_radians(),
            remain_at_destination: true,
        }
    }
}

/// Goal, kept until the next command. Initially the robot's own pose.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RotorcraftWaypointCommand {
    /// Position of the goal along the world's x axis.
    #[reflect(@Unit("m"))]
    pub x: f64,
    /// Position of the goal along the world's y axis.
    #[reflect(@Unit("m"))]
    pub y: f64,
    /// Position of the goal along the world's z axis.
    #[reflect(@Unit("m"))]
    pub z: f64,
    /// Heading, from the world's x axis to the left.
    #[reflect(@Unit("rad"))]
    pub yaw: f64,
    /// Distance from the goal within which it is reached.
    #[reflect(@Unit("m"))]
    pub tolerance: f64,
}

impl Default for RotorcraftWaypointCommand {
    fn default() -> Self {
        Self {
            x: 0.0,
            y: 0.0,
            z: 0.0,
            yaw: 0.0,
            tolerance: TOLERANCE,
        }
    }
}

impl Stateful for RotorcraftWaypointCommand {}

/// Default distance from the goal within which it is reached, m.
const TOLERANCE: f64 = 0.2;

/// Progress of a flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Progress {
    /// Flying to the goal.
    Transit,
    /// At the goal.
    #[default]
    Arrived,
}

impl Progress {
    /// Returns MORSE's name of the status.
    fn word(self) -> &'static str {
        match self {
            Self::Transit => "Transit",
            Self::Arrived => "Arrived",
        }
    }
}

/// Flight of an actuator. Part of the state.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Journey {
    progress: Progress,
    /// Goal that `progress` refers to, m.
    goal: [f64; 3],
    /// Command with the robot's own pose, until the first action or another command.
    own: Option<RotorcraftWaypointCommand>,
    /// Attitude errors at the last action, rad; `None` while the rotors are left to others.
    before: Option<[f64; 3]>,
}

impl Stateful for Journey {}

impl Actuator for RotorcraftWaypoint {
    const KIND: &'static str = "rotorcraft_waypoint";
    const MORSE_CLASS: Option<&'static str> = Some("RotorcraftWaypoint");
    type Command = RotorcraftWaypointCommand;

    fn check(&self, world: &World, entity: Entity) -> Result<(), CheckError> {
        check_weight(world, entity)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<RotorcraftWaypoint, _>(default_action)
        .register_state::<Journey>()
        .add_systems(Startup, begin);
    requests::add(app);
}

/// Returns the pose of a body as a goal.
fn here(body: &BodyState) -> RotorcraftWaypointCommand {
    let [x, y, z] = body.pose.translation.vector.into();
    let [yaw, ..] = yaw_pitch_roll(&body.pose.rotation);
    RotorcraftWaypointCommand {
        x,
        y,
        z,
        yaw,
        tolerance: TOLERANCE,
    }
}

/// The initial goal is the robot's own pose, also for the missing fields of incomplete commands.
fn begin(
    bodies: Query<&BodyState>,
    mut actuators: Query<
        (
            &Mount,
            &mut Journey,
            &mut RotorcraftWaypointCommand,
            &mut Received<RotorcraftWaypointCommand>,
        ),
        With<RotorcraftWaypoint>,
    >,
) {
    for (mount, mut journey, mut command, mut received) in &mut actuators {
        let Ok(body) = bodies.get(mount.body) else {
            continue;
        };
        if received.0 != RotorcraftWaypointCommand::default() {
            // The simulation file gives a first goal.
            journey.progress = Progress::Transit;
            journey.goal = [command.x, command.y, command.z];
            continue;
        }
        *command = here(body);
        received.0 = *command;
        journey.own = Some(*command);
        journey.goal = [command.x, command.y, command.z];
    }
}

fn default_action(
    airframes: Airframes,
    mut actuators: Query<(
        &RotorcraftWaypoint,
        (&Due, &UpdateRate, &Mount),
        (
            &mut RotorcraftWaypointCommand,
            &mut Received<RotorcraftWaypointCommand>,
        ),
        &mut Journey,
        &mut Task,
        &mut Drive,
    )>,
) {
    for (settings, (due, rate, mount), command, mut journey, mut task, mut drive) in &mut actuators
    {
        if !due.0 {
            *drive = drive.between_actions();
            continue;
        }
        let Some(airframe) = airframes.of(mount) else {
            continue;
        };
        let (mut command, mut received) = command;
        if journey.own.take().is_some_and(|own| own == *command) {
            // If the actuator was activated late, the robot may have moved since the start.
            *command = here(airframe.state);
            received.0 = *command;
            journey.goal = [command.x, command.y, command.z];
        }
        let frequency = rate.frequency;
        *drive = settings.advance(&airframe, &command, &mut journey, frequency);
        if journey.progress == Progress::Arrived {
            task.end(Status::Success, Progress::Arrived.word());
        }
    }
}

impl RotorcraftWaypoint {
    /// Returns the drive for this action.
    fn advance(
        &self,
        airframe: &Airframe<'_>,
        command: &RotorcraftWaypointCommand,
        journey: &mut Journey,
        frequency: f64,
    ) -> Drive {
        let goal = [command.x, command.y, command.z];
        let is_new = goal != journey.goal;
        journey.goal = goal;
        if journey.progress == Progress::Arrived && !is_new && !self.remain_at_destination {
            journey.before = None;
            return Drive::None;
        }
        let displacement = Vector3::from(goal.map(tamed)) - airframe.state.pose.translation.vector;
        journey.progress = if displacement.norm() <= command.tolerance {
            Progress::Arrived
        } else {
            Progress::Transit
        };
        self.fly(
            airframe,
            &displacement,
            command.yaw,
            &mut journey.before,
            frequency,
        )
    }

    /// Returns the drive for the remaining displacement, m in world axes.
    fn fly(
        &self,
        airframe: &Airframe<'_>,
        displacement: &Vector3<f64>,
        yaw: f64,
        before: &mut Option<[f64; 3]>,
        frequency: f64,
    ) -> Drive {
        let velocity = airframe.state.linear_velocity;
        let lean = |axis: usize| {
            self.horizontal_p_gain * displacement[axis] - self.horizontal_d_gain * velocity[axis]
        };
        let setpoint = Setpoint {
            lean: [lean(0), lean(1)],
            climb: self.vertical_p_gain * displacement.z - self.vertical_d_gain * velocity.z,
            yaw,
        };
        let pilot = Pilot {
            gains: Gains {
                roll_pitch: [self.roll_pitch_p_gain, self.roll_pitch_d_gain],
                yaw: [self.yaw_p_gain, self.yaw_d_gain],
            },
            max_bank_angle: self.max_bank_angle,
        };
        pilot.fly(airframe, &setpoint, before, frequency)
    }
}

/// Sets a goal, also if it is unchanged: a robot that was moved away returns.
fn set_goal(
    world: &mut World,
    entity: Entity,
    command: RotorcraftWaypointCommand,
) -> Result<(), BadCommand> {
    give(world, entity, command)?;
    if let Some(mut journey) = world.get_mut::<Journey>(entity) {
        journey.own = None;
        journey.goal = [command.x, command.y, command.z];
        journey.progress = Progress::Transit;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
