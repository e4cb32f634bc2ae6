//! Computed torque: efforts by the dynamics of the arm, so that its joints follow as if each were alone.
//!
//! `τ = M(q)·(q̈d + kd·ė + kp·e) + h(q, q̇)`. Errors are those at the end of the tick, as far as the accelerations of the path
//! alone would lead, so that no gains are too stiff for the tick; `M` and `h` are those in its middle.
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

/// The path of the joints so far. It is state.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Course {
    /// Of each joint, where it was to be at the begin of this tick, rad or m.
    now: Vec<f64>,
    /// And a tick before.
    before: Vec<f64>,
    /// And how fast at the begin of this tick, rad/s or m/s.
    speeds: Vec<f64>,
}

impl Stateful for Course {}

/// Memory for calculations, and which joints of the mechanism are those of the chain: no state.
#[derive(Component)]
pub(super) struct Torque {
    /// Place of the mechanism among all.
    mechanism: usize,
    /// For each joint of the chain, the place of its variable in the tree.
    places: Vec<usize>,
    /// And of its speed.
    speeds: Vec<usize>,
    workspace: Workspace,
    state: State,
    /// Of each speed: wanted, rad/s² or m/s².
    accelerations: Vec<f64>,
    efforts: Vec<f64>,
}

/// The world that an arm is in.
#[derive(SystemParam)]
pub(super) struct Surroundings<'w, 's> {
    mechanisms: Option<Res<'w, Mechanisms>>,
    gravity: Option<Res<'w, Gravity>>,
    bodies: Query<'w, 's, &'static BodyState>,
    states: Query<'w, 's, &'static JointState>,
    targets: Query<'w, 's, &'static mut JointTarget>,
}

impl Surroundings<'_, '_> {
    /// Pose of a body.
    pub(super) fn pose_of(&self, body: Entity) -> Isometry3<f64> {
        let body = self.bodies.get(body);
        body.map_or_else(|_| Isometry3::identity(), |body| body.pose)
    }

    /// Position of a variable, rad or m.
    pub(super) fn position(&self, variable: Entity) -> f64 {
        let state = self.states.get(variable);
        state.map_or(0.0, |state| state.position)
    }

    /// Has the motors pull towards the set points.
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

    /// Has the motors exert what brings the joints to the set points at the end of a tick of `dt` seconds.
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

/// Circumstances of a tick.
struct Around<'a> {
    mechanism: &'a Mechanism,
    base: Base,
    dt: f64,
}

/// Tells what is missing for computed torque, where the settings ask for it.
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
        let (name, place) = (&joint.name, mechanisms.index_of(joint.variable));
        let Some(mechanism) = place.and_then(|place| mechanisms.0.get(place)) else {
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
        if *first.get_or_insert(place) != place {
            return Err(CheckError::unmet(format!(
                "`control: computed_torque` needs joints of one mechanism: `{name}` is of another"
            )));
        }
    }
    Ok(())
}

impl Torque {
    /// Finds the joints of a chain.
    pub(super) fn new(mechanisms: &Mechanisms, chain: &Chain) -> Option<Self> {
        let place = mechanisms.index_of(chain.joints.first()?.variable)?;
        let mechanism = mechanisms.0.get(place)?;
        let of = |joint: &morse_kinematics::chain::Joint| {
            let mut all = mechanism.variables.iter();
            all.position(|variable| *variable == joint.variable)
        };
        let tree = &mechanism.tree;
        let places: Vec<usize> = chain.joints.iter().map(of).collect::<Option<_>>()?;
        Some(Self {
            mechanism: place,
            speeds: places
                .iter()
                .map(|at| tree.variables()[*at].speed)
                .collect(),
            places,
            workspace: Workspace::new(tree),
            state: tree.at_zero(),
            accelerations: vec![0.0; tree.velocity_count()],
            efforts: vec![0.0; tree.velocity_count()],
        })
    }

    /// Finds the accelerations of the joints, and takes the path a tick on. Other joints, and a base that forces move, are taken
    /// to go on as they do.
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
        for (at, (place, &next)) in self.places.iter().zip(set_points).enumerate() {
            let variable = variables[*place];
            let (position, speed) = (
                self.state.positions[variable.position],
                self.state.velocities[variable.speed],
            );
            // The speed at the end of the tick, to the second order.
            let (now, before) = (course.now[at], course.before[at]);
            let end = (3.0 * next - 4.0 * now + before) / (2.0 * dt);
            let along = (end - course.speeds[at]) / dt;
            let way = next - position - dt * speed - dt * dt / 2.0 * along;
            let slower = course.speeds[at] - speed;
            let back =
                (stiff * way + damped * slower) / (1.0 + damped * dt + stiff * dt * dt / 2.0);
            self.accelerations[variable.speed] = along + back;
            (course.before[at], course.now[at], course.speeds[at]) = (now, next, end);
        }
    }

    /// Finds the efforts that give these accelerations, with rotors, damping and dry friction.
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
        self.workspace.inverse_dynamics(
            tree,
            &base,
            &self.state,
            accelerations,
            &[],
            &mut self.efforts,
        );
        for (place, known) in tree.variables().iter().enumerate() {
            let (resistance, acceleration) = (
                &mechanism.joint_dynamics[place],
                self.accelerations[known.speed],
            );
            let end = self.state.velocities[known.speed] + acceleration * dt / 2.0;
            self.efforts[known.speed] +=
                resistance.armature * acceleration + resistance.damping * end;
        }
        for (place, speed) in self.places.iter().zip(&course.speeds) {
            if *speed != 0.0 {
                let friction = mechanism.joint_dynamics[*place].friction;
                self.efforts[tree.variables()[*place].speed] += friction.copysign(*speed);
            }
        }
    }
}

impl Course {
    /// Rests at these positions.
    pub(super) fn start(&mut self, positions: &[f64]) {
        self.now.clear();
        self.now.extend_from_slice(positions);
        self.before.clone_from(&self.now);
        self.speeds.clear();
        self.speeds.resize(positions.len(), 0.0);
    }
}
