//! Tolerances of trajectories: distances of joints from their set points that end a motion.
use morse_api::prelude::*;

use super::{Joints, Trajectory, Wanted, spread};

/// Tolerances of a trajectory; 0 for none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Tolerances {
    /// Maximum distance of each joint from its set point on the way, rad or m.
    path: Vec<f64>,
    /// Maximum distance of each joint from the last point at the end, rad or m.
    goal: Vec<f64>,
    /// Maximum time from the last point to the arrival, s.
    time: f64,
}

impl Tolerances {
    /// Returns the tolerances in a request, for all joints.
    ///
    /// # Errors
    ///
    /// A tolerance is negative or not finite, or their number differs from that of the joints.
    pub(super) fn read(
        wanted: &Wanted,
        indices: &[usize],
        count: usize,
    ) -> Result<Self, ServiceError> {
        let wrong =
            |why: String| ServiceError::Failed(format!("Error: invalid trajectory: {why}."));
        let is_tolerance = |number: &f64| number.is_finite() && *number >= 0.0;
        let list = |name: &str, numbers: &Option<Vec<f64>>| {
            let mut all = vec![0.0; count];
            if let Some(numbers) = numbers {
                if numbers.len() != indices.len() || !numbers.iter().all(is_tolerance) {
                    let of = indices.len();
                    return Err(wrong(format!("'{name}' must be {of} numbers, 0 or more")));
                }
                spread(indices, numbers, &mut all);
            }
            Ok(all)
        };
        let time = wanted.goal_time_tolerance.unwrap_or_default();
        if !is_tolerance(&time) {
            return Err(wrong("'goal_time_tolerance' must be 0 or more".to_owned()));
        }
        Ok(Self {
            path: list("path_tolerances", &wanted.path_tolerances)?,
            goal: list("goal_tolerances", &wanted.goal_tolerances)?,
            time,
        })
    }
}

impl Trajectory {
    /// Returns the reason of a failure if a joint is farther from its set point than the path tolerance. `set_points` are
    /// those of the tick before, which the joints should have reached.
    pub(crate) fn leaves_path(
        &self,
        clock: &Clock,
        joints: &impl Joints,
        (set_points, measured): (&[f64], &[f64]),
    ) -> Option<String> {
        if self.start.is_none_or(|start| clock.seconds() <= start) {
            return None;
        }
        let joints_and_limits = set_points.iter().zip(measured).zip(&self.tolerances.path);
        let mut joints_and_limits = joints_and_limits.enumerate();
        joints_and_limits.find_map(|(index, ((set_point, position), &allowed))| {
            let distance = (position - set_point).abs();
            (allowed > 0.0 && distance > allowed).then(|| {
                let name = joints.names().swap_remove(index);
                format!(
                    "path tolerance violated: joint `{name}` is {distance:.6} from its set point; {allowed} is allowed"
                )
            })
        })
    }

    /// Returns the result once the last point is commanded: whether the joints are there, or the reason of a failure if they
    /// are late; `None` while there is time. `usual` returns the tolerance of a joint without one in the request.
    pub(crate) fn arrives(
        &self,
        clock: &Clock,
        joints: &impl Joints,
        (set_points, measured): (&[f64], &[f64]),
        usual: impl Fn(usize) -> f64,
    ) -> Option<Result<(), String>> {
        let joints_and_limits = set_points.iter().zip(measured).zip(&self.tolerances.goal);
        let mut joints_and_limits = joints_and_limits.enumerate();
        let away = joints_and_limits.find_map(|(index, ((set_point, position), &own))| {
            let allowed = if own > 0.0 { own } else { usual(index) };
            let distance = (position - set_point).abs();
            // A distance that is no number is no arrival.
            let is_there = distance < allowed;
            (!is_there).then_some((index, distance, allowed))
        });
        let Some((index, distance, allowed)) = away else {
            return Some(Ok(()));
        };
        let limit = self.tolerances.time;
        let is_late = limit > 0.0 && self.overdue(clock) > limit;
        is_late.then(|| {
            let name = joints.names().swap_remove(index);
            Err(format!(
                "goal tolerance violated: joint `{name}` is {distance:.6} from its goal {limit} s after the last point; \
                 {allowed} is allowed"
            ))
        })
    }
}
