//! Trajectories of joints: the motors follow positions over time.
use morse_api::{
    joint::{JointState, JointTarget},
    prelude::*,
    service::{NoArguments, Status},
    state::Stateful,
};
use serde_json::{Value as Json, json};

use super::{Interpolations, Joints, Motor, Motors, set_point};
use crate::trajectory::{self, Trajectory, Wanted};

/// The trajectory that joints follow. Part of the state.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Following(pub(super) Option<Course>);

impl Stateful for Following {}

/// A trajectory, and the positions along it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Course {
    trajectory: Trajectory,
    /// Set points of all joints of the actuator, rad or m.
    set_points: Vec<f64>,
    /// Measured positions, rad or m; memory that ticks reuse.
    #[serde(skip)]
    measured: Vec<f64>,
}

impl trajectory::Joints for Motors {
    fn names(&self) -> Vec<String> {
        self.0.iter().map(|motor| motor.name.clone()).collect()
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|motor| motor.name == name)
    }

    fn limited(&self, index: usize, position: f64) -> f64 {
        let [lowest, highest] = self
            .0
            .get(index)
            .map_or([f64::NEG_INFINITY, f64::INFINITY], |motor| motor.limits);
        position.max(lowest).min(highest)
    }
}

impl Following {
    /// Advances the set points of the joints by one tick; returns the result at the end of the trajectory.
    ///
    /// Joints that the trajectory does not name keep their targets. Without tolerances in the request, the motion ends with
    /// the last point, wherever the joints are.
    pub(super) fn advance(
        &mut self,
        clock: &Clock,
        motors: &Motors,
        joints: &mut Query<(&mut JointTarget, &JointState)>,
    ) -> Option<(Status, Json)> {
        let course = self.0.as_mut()?;
        let states = motors.0.iter().map(|motor| joints.get(motor.joint));
        course.measured.clear();
        course
            .measured
            .extend(states.map(|state| state.map_or(f64::NAN, |(_, state)| state.position)));
        let Course {
            trajectory,
            set_points,
            measured,
        } = course;
        if let Some(why) = trajectory.leaves_path(clock, motors, (set_points, measured)) {
            self.0 = None;
            return Some((Status::Failed, why.into()));
        }
        let is_over = trajectory.sample(clock, motors, set_points);
        for &index in trajectory.indices() {
            let joint = motors.0.get(index).map(|motor| motor.joint);
            let target = joint.and_then(|joint| joints.get_mut(joint).ok());
            if let (Some((mut target, _)), Some(&position)) = (target, set_points.get(index)) {
                *target = JointTarget::Position(position);
            }
        }
        if !is_over {
            return None;
        }
        let usual = |_| f64::INFINITY;
        let result = trajectory.arrives(clock, motors, (set_points, measured), usual)?;
        self.0 = None;
        Some(match result {
            Ok(()) => (Status::Success, Json::Null),
            Err(why) => (Status::Failed, why.into()),
        })
    }
}

/// Adds the services.
pub(super) fn add(app: &mut App) {
    app.add_service::<Joints>(
        Service::new(
            "trajectory",
            "Follows a trajectory: linear between points, or cubic if points have velocities. Joints that it does not name \
             keep their targets.",
            start,
        )
        .cancellable(|world, actuator| {
            if let Some(mut following) = world.get_mut::<Following>(actuator) {
                following.0 = None;
            }
        }),
    )
    .add_service::<Joints>(
        Service::new(
            "get_positions",
            "Returns `names`, `positions` and `set_points` of the joints, rad or m; the set point of a joint without one is \
             its position.",
            get_positions,
        )
        .read_only(),
    );
}

/// Arguments of `trajectory`.
#[derive(Reflect, Deserialize)]
struct Follow {
    /// Points of the trajectory over time.
    trajectory: Wanted,
}

/// Returns the set point and the position of a joint.
fn positions(world: &World, motor: &Motor) -> [f64; 2] {
    let state = world.get::<JointState>(motor.joint);
    let position = state.map_or(0.0, |state| state.position);
    let target = world.get::<JointTarget>(motor.joint);
    let wanted = target.and_then(set_point);
    [wanted.unwrap_or(position), position]
}

fn start(
    world: &mut World,
    actuator: Entity,
    Follow { trajectory }: Follow,
) -> Result<Outcome, ServiceError> {
    let motors = world.get::<Motors>(actuator);
    let motors = motors.ok_or_else(|| ServiceError::failed("the actuator has no joints"))?;
    let set_points: Vec<f64> = motors
        .0
        .iter()
        .map(|motor| positions(world, motor)[0])
        .collect();
    let trajectory = trajectory.read(&set_points, motors, world.resource::<Clock>())?;
    let indices = trajectory.indices().to_vec();
    let count = set_points.len();
    let course = Course {
        trajectory,
        set_points,
        measured: Vec::with_capacity(count),
    };
    // Motions of joints to single positions end.
    if let Some(mut interpolations) = world.get_mut::<Interpolations>(actuator) {
        interpolations
            .0
            .retain(|interpolation| !indices.contains(&interpolation.motor));
    }
    world.entity_mut(actuator).insert(Following(Some(course)));
    Ok(Outcome::Pending)
}

fn get_positions(
    world: &mut World,
    actuator: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    let motors = world.get::<Motors>(actuator);
    let motors = motors.map_or(&[][..], |motors| &motors.0);
    let both: Vec<[f64; 2]> = motors.iter().map(|motor| positions(world, motor)).collect();
    let names: Vec<&str> = motors.iter().map(|motor| motor.name.as_str()).collect();
    let [set_points, positions] =
        [0, 1].map(|one| both.iter().map(|pair| pair[one]).collect::<Vec<_>>());
    Ok(Outcome::Done(json!({
        "names": names,
        "positions": positions,
        "set_points": set_points,
    })))
}
