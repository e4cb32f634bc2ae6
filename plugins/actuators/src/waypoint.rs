//! Drives a robot to a point, avoiding obstacles (MORSE's `Waypoint`).
//!
//! - [`law`]: velocity for a goal;
//! - [`radar`]: obstacles ahead;
//! - `requests`: services;
//! - here: settings, command, and state of a journey.
use bevy::prelude::{Changed, IntoScheduleConfigs as _};
use morse_api::{
    arbitration::Contender,
    body::{BodyKind, Robot},
    command::Received,
    motion::MotionMode,
    object::Objects,
    prelude::*,
    rays::Rays,
    service::Status,
    state::Stateful,
};

pub mod law;
pub mod radar;
mod requests;

use law::Step;
use radar::{Names, Radar};

/// Drives to a point of the world, at a constant speed, and stops within a tolerance of it.
///
/// As in MORSE, with these differences: it has its own status (MORSE's was shared by the robot's actuators); a robot that
/// avoids an obstacle does so at the full turning rate, where MORSE's rate decreased with the heading error; it can follow a
/// route; `stop` stops the robot, and lets it coast only in MORSE's motion; obstacles are detected at every action, by rays
/// instead of cones. A `target`, an object that shows the goal, is not moved.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Journey, Task, Unseen)]
pub struct Waypoint {
    /// True to avoid obstacles.
    #[reflect(@Property("ObstacleAvoidance"))]
    pub obstacle_avoidance: bool,
    /// True to control the height as well, for robots that fly or dive.
    #[reflect(@Property("FreeZ"))]
    pub free_z: bool,
    /// Heading errors below this are ignored.
    #[reflect(@Unit("rad"), @ValueRange(0.0, 6.3), @Property("AngleTolerance"))]
    pub angle_tolerance: f64,
    /// Default speed of commands and requests.
    #[reflect(@Unit("m/s"), @ValueRange(0.0, 1e4), @Property("Speed"))]
    pub speed: f64,
    /// True if the robot is held at the goal; otherwise another actuator may move it.
    #[reflect(@Property("RemainAtDestination"))]
    pub remain_at_destination: bool,
    /// Goals that are visited in order from the start, until a command or request sets another one.
    #[reflect(@Unit("m"), @ValueRange(-1e8, 1e8))]
    pub route: Vec<[f64; 3]>,
    /// True if the route starts again at its end.
    pub repeat: bool,
    /// Ignored obstacles: properties of objects and robots, and names of bodies, in which `*` stands for any text.
    #[reflect(@Property("Ignore"), @Changeable)]
    pub ignore: Vec<String>,
    /// Pose of the left one of two radars, which look ahead, in the actuator's frame; the right one mirrors it.
    #[reflect(@Unit("m"), @ValueRange(-1000.0, 1000.0))]
    pub radar_at: [f64; 3],
    /// Range of the radars.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1e4))]
    pub radar_range: f64,
    /// Full opening angle of their cones.
    #[reflect(@Unit("rad"), @ValueRange(0.0, 6.3))]
    pub radar_angle: f64,
    /// Control mode: the velocity is applied by physics, or the robot is displaced past it.
    #[reflect(@Property("ControlType"), @Form::CONTROL)]
    pub control: Control,
}

impl Default for Waypoint {
    fn default() -> Self {
        Self {
            obstacle_avoidance: true,
            free_z: false,
            angle_tolerance: 10.0_f64.to_radians(),
            speed: 1.0,
            remain_at_destination: false,
            route: Vec::new(),
            repeat: false,
            ignore: Vec::new(),
            radar_at: [0.7, 0.4, 0.8],
            radar_range: 3.0,
            radar_angle: 5.0_f64.to_radians(),
            control: Control::Velocity,
        }
    }
}

/// A goal with its parameters, in force until the next command. Initially the actuator's own position.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WaypointCommand {
    /// Goal along the world's x axis.
    #[reflect(@Unit("m"))]
    pub x: f64,
    /// Goal along the world's y axis.
    #[reflect(@Unit("m"))]
    pub y: f64,
    /// Goal along the world's z axis.
    #[reflect(@Unit("m"))]
    pub z: f64,
    /// Distance from the goal within which it is reached.
    #[reflect(@Unit("m"))]
    pub tolerance: f64,
    /// Speed.
    #[reflect(@Unit("m/s"))]
    pub speed: f64,
}

impl Default for WaypointCommand {
    fn default() -> Self {
        Self {
            x: 0.0,
            y: 0.0,
            z: 0.0,
            tolerance: TOLERANCE,
            speed: 1.0,
        }
    }
}

impl Stateful for WaypointCommand {}

/// Default distance from the goal within which it is reached, m.
const TOLERANCE: f64 = 0.5;

/// Progress of a journey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Progress {
    /// Stopped before the goal.
    Stop,
    /// Moving to the goal.
    Transit,
    /// At the goal.
    #[default]
    Arrived,
}

impl Progress {
    /// Returns MORSE's name of the progress.
    fn word(self) -> &'static str {
        match self {
            Self::Stop => "Stop",
            Self::Transit => "Transit",
            Self::Arrived => "Arrived",
        }
    }
}

/// State of a journey.
#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Journey {
    progress: Progress,
    /// Goal to which `progress` refers.
    goal: [f64; 3],
    /// Speed that `resume` sets, m/s.
    speed_to_resume: f64,
    /// Index of the goal in the route; `None` for another goal, or after the end of the route.
    leg: Option<usize>,
}

impl Stateful for Journey {}

/// Geometries of ignored objects, sorted. Computed from the scene.
#[derive(Component, Clone, Debug, Default)]
struct Unseen(Vec<Entity>);

impl Actuator for Waypoint {
    const KIND: &'static str = "waypoint";
    const MOVES_ROBOT: bool = true;
    const MORSE_CLASS: Option<&'static str> = Some("Waypoint");
    type Command = WaypointCommand;

    fn check(&self, world: &World, entity: Entity) -> Result<(), CheckError> {
        let Some(mount) = world.get::<Mount>(entity).filter(|_| self.free_z) else {
            return Ok(());
        };
        let is_on_ground = world
            .get::<Robot>(mount.robot)
            .is_some_and(|robot| robot.is_ground_robot);
        let is_dynamic = world.get::<BodyKind>(mount.robot) == Some(&BodyKind::Dynamic);
        if is_on_ground && is_dynamic && self.control == Control::Velocity {
            return Err(CheckError::unmet(
                "`free_z` needs a robot that leaves the ground: this one leaves its height to gravity; give \
                 it `locomotion: free`, or leave `free_z` out",
            ));
        }
        Ok(())
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<Waypoint, _>(|| (look, default_action).chain())
        .register_state::<Journey>()
        .register_state::<Task>()
        .init_resource::<Objects>()
        .add_systems(Startup, begin);
    requests::add(app);
}

/// Sets the first goal to the position of the actuator, also for partial commands.
fn begin(
    mut actuators: Query<(
        &Waypoint,
        &WorldPose,
        &mut Journey,
        &mut WaypointCommand,
        &mut Received<WaypointCommand>,
        Option<&mut Contender>,
    )>,
) {
    for (settings, pose, mut journey, mut command, mut received, contender) in &mut actuators {
        if received.0 != WaypointCommand::default() {
            // The simulation file gives a first goal.
            journey.progress = Progress::Transit;
            journey.goal = [command.x, command.y, command.z];
            journey.speed_to_resume = command.speed;
            continue;
        }
        let [x, y, z] = pose.0.translation.vector.into();
        *command = WaypointCommand {
            x,
            y,
            z,
            speed: settings.speed,
            tolerance: TOLERANCE,
        };
        received.0 = *command;
        journey.goal = [x, y, z];
        journey.speed_to_resume = settings.speed;
        if let Some(&first) = settings.route.first() {
            set_goal(&mut command, &mut received, first);
            Contender::note(contender);
            journey.progress = Progress::Transit;
            journey.goal = first;
            journey.leg = Some(0);
        }
    }
}

/// Collects the ignored obstacles.
fn look(objects: Res<Objects>, mut actuators: Query<(&Waypoint, &mut Unseen), Changed<Waypoint>>) {
    for (settings, mut unseen) in &mut actuators {
        let objects = objects.all().iter();
        let ignored = objects.filter(|object| settings.ignore.iter().any(|tag| object.has(tag)));
        unseen.0 = ignored.flat_map(|object| object.geometry.clone()).collect();
        unseen.0.sort_unstable();
    }
}

fn set_goal(
    command: &mut WaypointCommand,
    received: &mut Received<WaypointCommand>,
    [x, y, z]: [f64; 3],
) {
    *command = WaypointCommand {
        x,
        y,
        z,
        ..*command
    };
    received.0 = *command;
}

fn default_action(
    rays: Option<Res<Rays>>,
    names: Names,
    motion: Option<Res<MotionMode>>,
    mut actuators: Query<(
        &Waypoint,
        (&Due, &UpdateRate, &Mount, &WorldPose, &Unseen),
        (&mut WaypointCommand, &mut Received<WaypointCommand>),
        &mut Journey,
        &mut Task,
        &mut Drive,
    )>,
) {
    let coasts = motion.is_some_and(|motion| motion.is_morse());
    for (settings, at, (mut command, mut received), mut journey, mut task, mut drive) in
        &mut actuators
    {
        let (due, rate, mount, pose, unseen) = at;
        if !due.0 {
            *drive = drive.between_actions();
            continue;
        }
        let radar = Radar {
            settings,
            rays: rays.as_deref(),
            names: &names,
            unseen: &unseen.0,
            pose: &pose.0,
            robot: mount.robot,
        };
        let mut law = law::Law {
            settings,
            command: *command,
            pose: &pose.0,
            period: rate.period(),
            radar: &radar,
        };
        let mut step = journey.advance(&law);
        if step == Step::Arrive
            && let Some(goal) = journey.next_leg(settings)
        {
            set_goal(&mut command, &mut received, goal);
            law.command = *command;
            step = law.go(&law.course());
        }
        *drive = match step {
            Step::Leave => Drive::None,
            Step::Halt if coasts => Drive::None,
            Step::Halt => halt(*drive),
            Step::Arrive => {
                task.end(Status::Success, Progress::Arrived.word());
                settings
                    .control
                    .drive(Vector3::zeros(), Vector3::zeros(), rate.period())
            }
            Step::Go { linear, turn } => {
                let robot_from_actuator = mount.robot_from_component.rotation;
                settings.control.drive(
                    robot_from_actuator * linear,
                    Vector3::z() * turn,
                    rate.period(),
                )
            }
        };
    }
}

/// Stops a robot that is moving, and then releases it.
fn halt(drive: Drive) -> Drive {
    let still = Drive::Velocity {
        linear: Vector3::zeros(),
        angular: Vector3::zeros(),
    };
    match drive {
        Drive::Velocity { .. } if drive != still => still,
        _ => Drive::None,
    }
}

impl Journey {
    /// Returns the next goal of the route, if there is one.
    fn next_leg(&mut self, settings: &Waypoint) -> Option<[f64; 3]> {
        let next = self.leg? + 1;
        let is_over = next >= settings.route.len();
        self.leg = if !is_over {
            Some(next)
        } else if settings.repeat {
            Some(0)
        } else {
            None
        };
        self.goal = *settings.route.get(self.leg?)?;
        self.progress = Progress::Transit;
        Some(self.goal)
    }

    /// Returns the step of this action.
    fn advance(&mut self, law: &law::Law<'_>) -> Step {
        let goal = [law.command.x, law.command.y, law.command.z];
        let is_new = goal != self.goal;
        if is_new {
            self.goal = goal;
            self.leg = None;
        }
        if self.progress == Progress::Arrived && !is_new && !law.settings.remain_at_destination {
            return Step::Leave;
        }
        let course = law.course();
        if course.distance <= law.command.tolerance {
            self.progress = Progress::Arrived;
            return Step::Arrive;
        }
        if law.command.speed <= 0.0 {
            return Step::Halt;
        }
        self.progress = Progress::Transit;
        law.go(&course)
    }
}

#[cfg(test)]
mod tests;
