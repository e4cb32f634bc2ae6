//! Computed torque control: efforts from the dynamics of the arm, so that its joints follow independently of each other.
//!
//! `τ = M(q)·(q̈d + kd·ė + kp·e) + h(q, q̇)`. Errors are predicted for the end of the tick from the accelerations of the
//! path alone, so that no gains are too stiff for the tick; `M` and `h` are those in the middle of the tick.
use bevy::ecs::system::SystemParam;
use morse_api::{
    body::{BodyState, Gravity},
    joint::{JointState, JointTarget},
    mechanism::{Drive, Mechanism, Mechanisms},
    prelude::*,
    state::Stateful,
};
use morse_kinematics::Chain;
use morse_mechanisms::{Base, State, Workspace};

use super::{Armature, Control, Convention, motion::ArmMotion};

/// Path of the joints so far. Part of the state.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Course {
    /// Set point of each joint at the beginning of this tick, rad or m.
    now: Vec<f64>,
    /// Set point of each joint at the beginning of the previous tick, rad or m.
    before: Vec<f64>,
    /// Velocity of each set point at the beginning of this tick, rad/s or m/s.
    speeds: Vec<f64>,
}

impl Stateful for Course {}

/// Workspace of the calculations, and indices of the chain's joints in the mechanism; not state.
#[derive(Component)]
pub(super) struct Torque {
    /// Index of the mechanism.
    mechanism: usize,
    /// Index of the tree's variable, for each joint of the chain.
    indices: Vec<usize>,
    /// Index of the velocity, for each joint of the chain.
    speeds: Vec<usize>,
    workspace: Workspace,
    state: State,
    /// Requested acceleration of each velocity, rad/s² or m/s².
    accelerations: Vec<f64>,
    efforts: Vec<f64>,
}

/// System parameters: the world of an arm.
#[derive(SystemParam)]
pub(super) struct Surroundings<'w, 's> {
    mechanisms: Option<Res<'w, Mechanisms>>,
    gravity: Option<Res<'w, Gravity>>,
    bodies: Query<'w, 's, &'static BodyState>,
    states: Query<'w, 's, &'static JointState>,
    targets: Query<'w, 's, &'static mut JointTarget>,
}

impl Surroundings<'_, '_> {
    /// Returns the pose of a body.
    pub(super) fn pose_of(&self, body: Entity) -> Isometry3<f64> {
        let body = self.bodies.get(body);
        body.map_or_else(|_| Isometry3::identity(), |body| body.pose)
    }

    /// Returns the position of a variable, rad or m.
    pub(super) fn position(&self, variable: Entity) -> f64 {
        let state = self.states.get(variable);
        state.map_or(0.0, |state| state.position)
    }

    /// Sets the targets of the motors to the set points.
    pub(super) fn pull(&mut self, chain: &Chain, motion: &ArmMotion) {
        for (joint, &point) in chain.joints.iter().zip(&motion.set_points) {
            if let Ok(mut target) = self.targets.get_mut(joint.variable) {
                *target = if motion.jumps {
                    JointTarget::Jump(point)
                } else {
                    JointTarget::Position(point)
                };
            }
        }
    }

    /// Sets the efforts of the motors that bring the joints to the set points at the end of a tick of `dt` seconds.
    pub(super) fn exert(
        &mut self,
        settings: &Armature,
        chain: &Chain,
        motion: &ArmMotion,
        (torque, course): (&mut Torque, &mut Course),
        dt: f64,
    ) {
        let mechanism = self
            .mechanisms
            .as_ref()
            .and_then(|all| all.0.get(torque.mechanism));
        let Some((mechanism, base)) =
            mechanism.and_then(|known| Some((known, self.bodies.get(known.base).ok()?)))
        else {
            return;
        };
        let gravity = self.gravity.as_deref().copied().unwrap_or_default();
        let around = Around {
            mechanism,
            base: mechanism.base_state(base, gravity.0),
            dt,
        };
        let joint = |variable| self.states.get(variable).ok().copied();
        mechanism.read(base, joint, &mut torque.state);
        if motion.jumps {
            course.start(&motion.set_points);
        }
        torque.accelerate(settings, &motion.set_points, course, &around);
        torque.exert(course, &around);
        for (joint, speed) in chain.joints.iter().zip(&torque.speeds) {
            if let Ok(mut target) = self.targets.get_mut(joint.variable) {
                *target = JointTarget::Effort(torque.efforts[*speed]);
            }
        }
    }
}

/// Mechanism and base in a tick.
struct Around<'a> {
    mechanism: &'a Mechanism,
    base: Base,
    dt: f64,
}

/// Checks the requirements of computed torque, if the settings request it.
pub(super) fn check(settings: &Armature, world: &World, chain: &Chain) -> Result<(), CheckError> {
    if settings.control == Control::Position {
        return Ok(());
    }
    if settings.convention == Convention::Morse {
        return Err(CheckError::setting(
            "`control: computed_torque` needs `convention: tip`: with `morse` the joints jump"
                .to_owned(),
        ));
    }
    let Some(mechanisms) = world.get_resource::<Mechanisms>() else {
        return Ok(());
    };
    let mut first = None;
    for joint in &chain.joints {
        let (name, mechanism_index) = (&joint.name, mechanisms.index_of(joint.variable));
        let Some(mechanism) =
            mechanism_index.and_then(|mechanism_index| mechanisms.0.get(mechanism_index))
        else {
            return Err(CheckError::unmet(format!(
                "`control: computed_torque` needs the dynamics of the joint `{name}`, which has none"
            )));
        };
        let variables = mechanism.variables.iter().zip(&mechanism.drives);
        let drive = variables
            .into_iter()
            .find(|(variable, _)| **variable == joint.variable);
        match drive.map(|(_, drive)| *drive) {
            Some(Drive::Motor { compensates: false }) => {}
            Some(Drive::Motor { compensates: true }) => {
                return Err(CheckError::unmet(format!(
                    "`control: computed_torque` carries the weight of the arm itself: remove `gravity_compensation` from \
                     the joint `{name}`"
                )));
            }
            Some(Drive::Posed) | None => {
                return Err(CheckError::unmet(format!(
                    "`control: computed_torque` exerts efforts, and the joint `{name}` is kinematic: make it `mode: dynamic`"
                )));
            }
        }
        if *first.get_or_insert(mechanism_index) != mechanism_index {
            return Err(CheckError::unmet(format!(
                "`control: computed_torque` needs joints of one mechanism: `{name}` is of another"
            )));
        }
    }
    Ok(())
}

impl Torque {
    /// Looks up the joints of a chain.
    pub(super) fn new(mechanisms: &Mechanisms, chain: &Chain) -> Option<Self> {
        let mechanism_index = mechanisms.index_of(chain.joints.first()?.variable)?;
        let mechanism = mechanisms.0.get(mechanism_index)?;
        let of = |joint: &morse_kinematics::chain::Joint| {
            let mut all = mechanism.variables.iter();
            all.position(|variable| *variable == joint.variable)
        };
        let tree = &mechanism.tree;
        let indices: Vec<usize> = chain.joints.iter().map(of).collect::<Option<_>>()?;
        Some(Self {
            mechanism: mechanism_index,
            speeds: indices
                .iter()
                .map(|index| tree.variables()[*index].speed)
                .collect(),
            indices,
            workspace: Workspace::new(tree),
            state: tree.at_zero(),
            accelerations: vec![0.0; tree.velocity_count()],
            efforts: vec![0.0; tree.velocity_count()],
        })
    }

    /// Computes the accelerations of the joints, and advances the path by a tick. Other joints, and a base that forces move,
    /// are assumed to continue their motion.
    fn accelerate(
        &mut self,
        settings: &Armature,
        set_points: &[f64],
        course: &mut Course,
        around: &Around<'_>,
    ) {
        self.accelerations.fill(0.0);
        let (variables, dt) = (around.mechanism.tree.variables(), around.dt);
        let (stiff, damped) = (settings.proportional_gain, settings.derivative_gain);
        for (index, (variable_index, &next)) in self.indices.iter().zip(set_points).enumerate() {
            let variable = variables[*variable_index];
            let (position, speed) = (
                self.state.positions[variable.position],
                self.state.velocities[variable.speed],
            );
            // Velocity at the end of the tick, by second-order backward differences.
            let (now, before) = (course.now[index], course.before[index]);
            let end = (3.0 * next - 4.0 * now + before) / (2.0 * dt);
            let along = (end - course.speeds[index]) / dt;
            let displacement = next - position - dt * speed - dt * dt / 2.0 * along;
            let slower = course.speeds[index] - speed;
            let back = (stiff * displacement + damped * slower)
                / (1.0 + damped * dt + stiff * dt * dt / 2.0);
            self.accelerations[variable.speed] = along + back;
            (
                course.before[index],
                course.now[index],
                course.speeds[index],
            ) = (now, next, end);
        }
    }

    /// Computes the efforts for these accelerations (inverse dynamics), with rotors, damping and dry friction.
    fn exert(&mut self, course: &Course, around: &Around<'_>) {
        let Around {
            mechanism,
            base,
            dt,
        } = *around;
        let tree = &mechanism.tree;
        let State {
            positions,
            velocities,
        } = &mut self.state;
        tree.integrate(positions, velocities, dt / 2.0);
        for (speed, acceleration) in velocities.iter_mut().zip(&self.accelerations) {
            *speed += acceleration * dt / 2.0;
        }
        self.workspace.forward_kinematics(tree, &base, &self.state);
        let accelerations = Some(self.accelerations.as_slice());
        self.workspace
            .inverse_dynamics(tree, &base, accelerations, &[], &mut self.efforts);
        for (index, known) in tree.variables().iter().enumerate() {
            let (resistance, acceleration) = (
                &mechanism.joint_dynamics[index],
                self.accelerations[known.speed],
            );
            let end = self.state.velocities[known.speed] + acceleration * dt / 2.0;
            self.efforts[known.speed] +=
                resistance.armature * acceleration + resistance.damping * end;
        }
        for (index, speed) in self.indices.iter().zip(&course.speeds) {
            if *speed != 0.0 {
                let friction = mechanism.joint_dynamics[*index].friction;
                self.efforts[tree.variables()[*index].speed] += friction.copysign(*speed);
            }
        }
    }
}

impl Course {
    /// Resets the path to rest at these positions.
    pub(super) fn start(&mut self, positions: &[f64]) {
        self.now.clear();
        self.now.extend_from_slice(positions);
        self.before.clone_from(&self.now);
        self.speeds.clear();
        self.speeds.resize(positions.len(), 0.0);
    }
}
