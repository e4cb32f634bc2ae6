//! Trajectories: positions of all joints at given times, as in ROS's `JointTrajectory`; `tolerances`: distances from them.
mod tolerances;

use morse_api::prelude::*;

use tolerances::Tolerances;

/// Joints that a trajectory moves, in their order.
pub(crate) trait Joints {
    /// Returns the names of the joints.
    fn names(&self) -> Vec<String>;

    /// Returns the index of the joint with a name.
    fn index(&self, name: &str) -> Option<usize>;

    /// Returns a position within the limits of a joint.
    fn limited(&self, index: usize, position: f64) -> f64;
}

/// A running trajectory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Trajectory {
    /// Start, s of simulated time; `None` for the next tick.
    start: Option<f64>,
    /// Positions of the joints at the start.
    from: Vec<f64>,
    points: Vec<Waypoint>,
    /// Indices of the joints that the request names.
    indices: Vec<usize>,
    tolerances: Tolerances,
}

/// Positions and velocities of all joints at one time.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Waypoint {
    /// Positions, rad or m.
    positions: Vec<f64>,
    /// Velocities, rad/s or m/s; empty if they were not given.
    velocities: Vec<f64>,
    /// Time since the start, s.
    time: f64,
}

impl Trajectory {
    /// Writes the positions of the joints at the end of this tick; returns true at the end of the trajectory.
    pub(crate) fn sample(
        &mut self,
        clock: &Clock,
        joints: &impl Joints,
        values: &mut [f64],
    ) -> bool {
        let before = clock.tick.saturating_sub(1) as f64 / clock.rate;
        let start = *self.start.get_or_insert(before);
        let time = clock.seconds() - start;
        if time < 0.0 {
            return false;
        }
        let next = self.points.iter().position(|point| point.time > time);
        for (index, value) in values.iter_mut().enumerate() {
            let wanted = match next {
                Some(next) => self.between(next, index, time),
                None => self
                    .points
                    .last()
                    .map_or(*value, |last| number(&last.positions, index)),
            };
            *value = joints.limited(index, wanted);
        }
        next.is_none()
    }

    /// Returns the indices of the joints that the request names.
    pub(crate) fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// Returns the time since the end of the trajectory, s; negative before it.
    fn overdue(&self, clock: &Clock) -> f64 {
        let end = self.points.last().map_or(0.0, |last| last.time);
        self.start
            .map_or(f64::NEG_INFINITY, |start| clock.seconds() - start - end)
    }

    /// Returns the position of a joint between two points: linear, or cubic between velocities. It starts at rest.
    fn between(&self, next: usize, index: usize, time: f64) -> f64 {
        let Some(to) = self.points.get(next) else {
            return number(&self.from, index);
        };
        let from = next.checked_sub(1).and_then(|index| self.points.get(index));
        let (begin, p0, v0) = match from {
            Some(from) => (
                from.time,
                number(&from.positions, index),
                from.velocities.get(index).copied(),
            ),
            None => (0.0, number(&self.from, index), Some(0.0)),
        };
        let (p1, v1) = (
            number(&to.positions, index),
            to.velocities.get(index).copied(),
        );
        let length = to.time - begin;
        if length <= 0.0 {
            return p1;
        }
        let s = (time - begin) / length;
        let (Some(v0), Some(v1)) = (v0, v1) else {
            return p0 + (p1 - p0) * s;
        };
        // Cubic Hermite polynomial.
        let (s2, s3) = (s * s, s * s * s);
        (2.0 * s3 - 3.0 * s2 + 1.0) * p0
            + (s3 - 2.0 * s2 + s) * length * v0
            + (3.0 * s2 - 2.0 * s3) * p1
            + (s3 - s2) * length * v1
    }
}

fn number(numbers: &[f64], index: usize) -> f64 {
    numbers.get(index).copied().unwrap_or(0.0)
}

/// Trajectory in a request.
#[derive(Reflect, Deserialize)]
pub(crate) struct Wanted {
    /// Start, s of simulated time; at once by default.
    #[serde(default)]
    starttime: Option<f64>,
    /// Names of the joints, in the order of the numbers of the points; by default all joints from root to tip. Other joints
    /// stay where they are.
    #[serde(default)]
    joint_names: Option<Vec<String>>,
    /// Points of the trajectory, ordered by time.
    #[serde(default)]
    points: Option<Vec<WantedPoint>>,
    /// Maximum distance of each joint from its set point on the way, rad or m, in the order of the numbers of the points; 0
    /// for any distance. A greater distance ends the motion as a failure.
    #[serde(default)]
    path_tolerances: Option<Vec<f64>>,
    /// Maximum distance of each joint from the last point at the end, rad or m; 0 for the usual tolerance.
    #[serde(default)]
    goal_tolerances: Option<Vec<f64>>,
    /// Time after the last point within which the joints have to be there, s; 0 for any time. Later, the motion ends as a
    /// failure.
    #[serde(default)]
    goal_time_tolerance: Option<f64>,
    /// True to refuse positions outside the joints' limits, at which joints stop by default, and trajectories that are over
    /// already, or begin more than a day later.
    #[serde(default)]
    strict: Option<bool>,
}

/// Point of a trajectory in a request.
#[derive(Reflect, Deserialize)]
struct WantedPoint {
    /// Positions of the joints, rad or m.
    #[serde(default)]
    positions: Option<Vec<f64>>,
    /// Velocities of the joints, rad/s or m/s.
    #[serde(default)]
    velocities: Option<Vec<f64>>,
    /// Ignored.
    #[serde(default)]
    #[serde(rename = "accelerations")]
    _accelerations: Option<Vec<f64>>,
    /// Time of the point, s after the start.
    #[serde(default)]
    time_from_start: Option<f64>,
}

/// Returns the error message for an invalid trajectory.
fn wrong(why: &str) -> ServiceError {
    ServiceError::Failed(format!("Error: invalid trajectory: {why}."))
}

impl Wanted {
    /// Returns the trajectory from the current positions of the joints.
    ///
    /// # Errors
    ///
    /// The error in the request.
    pub(crate) fn read(
        self,
        from: &[f64],
        joints: &impl Joints,
        clock: &Clock,
    ) -> Result<Trajectory, ServiceError> {
        let indices = indices(self.joint_names.as_deref(), joints, from.len())?;
        let tolerances = Tolerances::read(&self, &indices, from.len())?;
        let is_strict = self.strict == Some(true);
        if self.starttime.is_some_and(|start| !start.is_finite()) {
            return Err(wrong("'starttime' is not finite"));
        }
        let mut points: Vec<Waypoint> = Vec::new();
        for point in self.points.ok_or_else(|| missing("points"))? {
            if is_strict {
                let positions = point.positions.as_deref().unwrap_or_default();
                check_limits(&indices, positions, joints).map_err(|why| wrong(&why))?;
            }
            let last = points.last().map(|last| last.time);
            points.push(point.read(from, &indices, last)?);
        }
        let Some(end) = points.last().map(|last| last.time) else {
            return Err(wrong("it has no points"));
        };
        if let Some(start) = self.starttime.filter(|_| is_strict) {
            check_times(start, start + end, clock.seconds()).map_err(|why| wrong(&why))?;
        }
        Ok(Trajectory {
            start: self.starttime,
            from: from.to_vec(),
            points,
            indices,
            tolerances,
        })
    }
}

/// Returns the error message for a missing field.
fn missing(key: &str) -> ServiceError {
    wrong(&format!("key '{key}' was expected"))
}

impl WantedPoint {
    /// Returns the point, given the positions of all joints at the start, the indices of those that move, and the time of the
    /// point before it.
    ///
    /// # Errors
    ///
    /// The error in the request.
    fn read(
        self,
        from: &[f64],
        indices: &[usize],
        last: Option<f64>,
    ) -> Result<Waypoint, ServiceError> {
        let count = indices.len();
        let is_fine = |numbers: &[f64]| {
            numbers.len() == count && numbers.iter().all(|number| number.is_finite())
        };
        let positions = self.positions.ok_or_else(|| missing("positions"))?;
        let time = self
            .time_from_start
            .ok_or_else(|| missing("time_from_start"))?;
        let velocities = self.velocities.unwrap_or_default();
        if !is_fine(&positions) {
            let why = format!("'positions' must be {count} finite numbers");
            return Err(wrong(&why));
        }
        if !(velocities.is_empty() || is_fine(&velocities)) {
            let why = format!("'velocities' must be {count} finite numbers");
            return Err(wrong(&why));
        }
        let is_later = last.map_or(time >= 0.0, |last| time > last);
        if !(is_later && time.is_finite()) {
            return Err(wrong("'time_from_start' must grow from point to point"));
        }
        let mut at = Waypoint {
            positions: from.to_vec(),
            velocities: vec![0.0; if velocities.is_empty() { 0 } else { from.len() }],
            time,
        };
        spread(indices, &positions, &mut at.positions);
        spread(indices, &velocities, &mut at.velocities);
        Ok(at)
    }
}

/// Returns the index of each named joint; of all joints without names.
///
/// # Errors
///
/// A joint does not exist, or is named twice.
fn indices(
    names: Option<&[String]>,
    joints: &impl Joints,
    count: usize,
) -> Result<Vec<usize>, ServiceError> {
    let Some(names) = names else {
        return Ok((0..count).collect());
    };
    let mut indices = Vec::new();
    for name in names {
        let index = joints.index(name);
        let index = index.ok_or_else(|| ServiceError::Failed(no_joint(joints, name)))?;
        if indices.contains(&index) {
            let text = format!("Error: invalid trajectory: the joint `{name}` is named twice.");
            return Err(ServiceError::Failed(text));
        }
        indices.push(index);
    }
    Ok(indices)
}

/// Distance from a limit that may be rounding, rad or m.
const ROUNDING: f64 = 1e-6;

/// Checks that positions are within the limits of their joints.
///
/// # Errors
///
/// The first joint that cannot be at its position, and its limit.
fn check_limits(indices: &[usize], positions: &[f64], joints: &impl Joints) -> Result<(), String> {
    for (index, position) in indices.iter().zip(positions) {
        let limit = joints.limited(*index, *position);
        if (limit - position).abs() > ROUNDING {
            let names = joints.names();
            let name = names.get(*index).map_or("", String::as_str);
            return Err(format!(
                "the position {position} of `{name}` is outside its limits: it ends at {limit}"
            ));
        }
    }
    Ok(())
}

/// Longest time until a trajectory begins, s: a later start is a time of another clock.
const LATEST: f64 = 86_400.0;

/// Checks that a trajectory is not over, and begins within a day.
///
/// # Errors
///
/// The times that are wrong.
fn check_times(start: f64, end: f64, now: f64) -> Result<(), String> {
    if end < now {
        return Err(format!(
            "it ends at {end:.3} s, and the simulated time is {now:.3} s already"
        ));
    }
    if start - now > LATEST {
        return Err(format!(
            "it begins at {start:.3} s, and the simulated time is {now:.3} s: stamps are simulated time (`use_sim_time` in ROS)"
        ));
    }
    Ok(())
}

/// Writes numbers to their indices in a list of all joints.
fn spread(indices: &[usize], numbers: &[f64], all: &mut [f64]) {
    for (index, number) in indices.iter().zip(numbers) {
        if let Some(joint) = all.get_mut(*index) {
            *joint = *number;
        }
    }
}

/// Returns the error message for an unknown joint.
pub(crate) fn no_joint(joints: &impl Joints, name: &str) -> String {
    format!(
        "there is no joint `{name}`; there are: {}",
        joints.names().join(", ")
    )
}

#[cfg(test)]
mod tests;
