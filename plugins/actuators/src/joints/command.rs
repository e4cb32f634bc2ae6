//! Command of the motors of a robot's joints.
use morse_api::{
    joint::{Impedance, JointTarget},
    prelude::*,
    state::Stateful,
};

/// Targets of joints: lists in the same order, as in ROS's `JointState`. If a joint has several targets, the position takes
/// precedence, then the velocity. A list is empty, or as long as the names.
///
/// With `stiffnesses`, the command is an impedance control, as that of legged robots: the effort of each joint is
/// `stiffness·(position − q) + damping·(velocity − v) + effort`, and lists that are empty are zero.
#[derive(Component, Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("JointState", "JointTrajectoryPoint", "ctrl"))]
pub struct JointsCommand {
    /// Names of the joints within the robot; if empty, all joints of this actuator, in the order of the model (`joint_state`
    /// lists their names).
    #[reflect(@Unit(""))]
    pub names: Vec<String>,
    /// Positions to reach and hold, within the joints' limits.
    #[reflect(@Unit("rad or m"))]
    pub positions: Vec<f64>,
    /// Velocities to reach and hold.
    #[reflect(@Unit("rad/s or m/s"))]
    pub velocities: Vec<f64>,
    /// Efforts to exert.
    #[reflect(@Unit("N·m or N"))]
    pub efforts: Vec<f64>,
    /// Stiffnesses of an impedance control, 0 or more; requires `positions`.
    #[reflect(@Unit("N·m/rad or N/m"))]
    pub stiffnesses: Vec<f64>,
    /// Dampings of an impedance control, 0 or more; requires `stiffnesses`.
    #[reflect(@Unit("N·m·s/rad or N·s/m"))]
    pub dampings: Vec<f64>,
    /// Duration of the motion to the positions, at constant speed, from the current set points; 0 for as fast as the motors
    /// can. If commands are less frequent than ticks, use the time between two commands.
    #[reflect(@Unit("s"))]
    pub duration: f64,
}

impl Stateful for JointsCommand {}

impl Clone for JointsCommand {
    fn clone(&self) -> Self {
        let mut command = Self::default();
        command.clone_from(self);
        command
    }

    /// Copies a command, and keeps the memory of the lists: commands may arrive at every tick.
    fn clone_from(&mut self, source: &Self) {
        let Self {
            names,
            positions,
            velocities,
            efforts,
            stiffnesses,
            dampings,
            duration,
        } = source;
        self.names.clone_from(names);
        self.positions.clone_from(positions);
        self.velocities.clone_from(velocities);
        self.efforts.clone_from(efforts);
        self.stiffnesses.clone_from(stiffnesses);
        self.dampings.clone_from(dampings);
        self.duration = *duration;
    }
}

impl JointsCommand {
    pub(super) fn is_empty(&self) -> bool {
        let lists = [&self.positions, &self.velocities, &self.efforts];
        let gains = [&self.stiffnesses, &self.dampings];
        lists.iter().chain(&gains).all(|list| list.is_empty())
    }

    /// Returns the target of the joint at an index of its lists.
    pub(super) fn target(&self, index: usize) -> Option<JointTarget> {
        if let Some(&stiffness) = self.stiffnesses.get(index) {
            let of = |list: &[f64]| list.get(index).copied().unwrap_or(0.0);
            return Some(JointTarget::Impedance(Impedance {
                position: of(&self.positions),
                velocity: of(&self.velocities),
                stiffness,
                damping: of(&self.dampings),
                effort: of(&self.efforts),
            }));
        }
        let position = self.positions.get(index).map(|&x| JointTarget::Position(x));
        let velocity = || {
            self.velocities
                .get(index)
                .map(|&x| JointTarget::Velocity(x))
        };
        let effort = || self.efforts.get(index).map(|&x| JointTarget::Effort(x));
        position.or_else(velocity).or_else(effort)
    }

    /// Returns true if each list is empty or has one number for each of `count` joints.
    pub(super) fn fits(&self, count: usize) -> bool {
        let motion = [&self.positions, &self.velocities, &self.efforts];
        let gains = [&self.stiffnesses, &self.dampings];
        motion
            .iter()
            .chain(&gains)
            .all(|list| list.is_empty() || list.len() == count)
    }

    /// Returns the error in the gains of an impedance control, if there is one.
    pub(super) fn wrong_gains(&self) -> Option<&'static str> {
        let is_gain = |gain: &f64| gain.is_finite() && *gain >= 0.0;
        if self.stiffnesses.is_empty() {
            return (!self.dampings.is_empty()).then_some("`dampings` require `stiffnesses`");
        }
        if self.positions.is_empty() {
            return Some("`stiffnesses` require `positions`");
        }
        let is_valid = self.stiffnesses.iter().chain(&self.dampings).all(is_gain);
        (!is_valid).then_some("stiffnesses and dampings must be numbers, 0 or more")
    }

    /// Clears the command, and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.positions.clear();
        self.velocities.clear();
        self.efforts.clear();
        self.stiffnesses.clear();
        self.dampings.clear();
        self.duration = 0.0;
    }
}
