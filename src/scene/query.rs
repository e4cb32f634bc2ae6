//! Questions about a scene at a configuration, without a world: forward and inverse kinematics, Jacobians, distances and
//! collisions, for planners.
//!
//! ```
//! use morse_sim::scene::{load::{LoadOptions, parse_str}, query::SceneQuery};
//!
//! let text = "frame arm { type revolute; axis [0, 0, 1]; frame hand { translation [1, 0, 0]; } }";
//! let scene = parse_str(text, "arm", ".".as_ref(), &LoadOptions::default())?.scene;
//! let query = SceneQuery::new(&scene)?;
//! let hand = query.pose("hand", &[std::f64::consts::FRAC_PI_2])?;
//! assert!((hand.translation.vector.y - 1.0).abs() < 1e-12);
//! let jacobian = query.jacobian("hand", &[0.0])?;
//! assert_eq!((jacobian[(1, 0)], jacobian[(5, 0)]), (1.0, 1.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
use std::{collections::BTreeSet, f64::consts::PI};

use morse_api::random::Random;
use morse_physics::{
    distance::{distance, sphere},
    shapes::{Meshes, ShapeError, Solid, solid},
};
use morse_scene::model::{Joint, Scene};
use nalgebra::{Isometry3, Matrix6xX, Point3, Vector3, Vector6};

/// Reason why a question about a scene has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The parents of frames form a cycle.
    #[error("the parents of `{0}` form a cycle")]
    Cycle(String),
    /// A mesh cannot be read.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// There is no such frame.
    #[error("there is no frame `{0}`")]
    UnknownFrame(String),
    /// The configuration has the wrong number of values.
    #[error("{count} values for {wanted} variables")]
    Length {
        /// Number of values.
        count: usize,
        /// Number of variables of the scene.
        wanted: usize,
    },
    /// No configuration was found for a pose.
    #[error("no configuration was found: {position} m and {rotation} rad remain")]
    NotFound {
        /// Distance to the pose, m.
        position: f64,
        /// Angle to the pose, rad.
        rotation: f64,
    },
}

/// A pair of frames whose geometry overlaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Collision {
    /// Names of the frames.
    pub frames: [String; 2],
    /// Depth of the penetration, m.
    pub depth: f64,
}

/// A scene that answers questions at configurations. A configuration has one value for each variable, in the order of
/// [`SceneQuery::variables`].
pub struct SceneQuery {
    scene: Scene,
    variables: Vec<String>,
    /// Limits of each variable.
    limits: Vec<[f64; 2]>,
    parents: Vec<Option<usize>>,
    /// Frame at the root of the rigid link to which each frame belongs; `None` is the root of the scene.
    links: Vec<Option<usize>>,
    solids: Vec<FrameSolid>,
    allowed: BTreeSet<(usize, usize)>,
}

/// A solid of a frame.
struct FrameSolid {
    frame: usize,
    solid: Solid,
    center: Point3<f64>,
    radius: f64,
}

/// Number of iterations of the inverse kinematics.
const ITERATIONS: usize = 300;

/// Greatest error of a solution, m and rad.
const TOLERANCE: f64 = 1e-9;

/// Squared damping of the least squares (Wampler 1986).
const DAMPING: f64 = 1e-6;

impl SceneQuery {
    /// Returns the scene, with the solids of its collision geometry. Meshes of frames below joints are their convex hulls.
    ///
    /// # Errors
    ///
    /// The parents of frames form a cycle, or a mesh cannot be read.
    pub fn new(scene: &Scene) -> Result<Self, QueryError> {
        if let Some(names) = scene.cycle() {
            return Err(QueryError::Cycle(names.join("`, `")));
        }
        let frames = scene.frames();
        let parents: Vec<Option<usize>> = frames
            .iter()
            .map(|frame| scene.frame_index(frame.parent.as_deref()?))
            .collect();
        let mut links = vec![None; frames.len()];
        for index in scene.order() {
            let is_fixed = frames
                .get(index)
                .is_some_and(|frame| matches!(frame.joint, Joint::Fixed));
            let above = parents
                .get(index)
                .copied()
                .flatten()
                .and_then(|parent| *links.get(parent)?);
            if let Some(link) = links.get_mut(index) {
                *link = if is_fixed { above } else { Some(index) };
            }
        }
        let variables = scene.variables().into_iter();
        let variables: Vec<String> = variables.map(ToOwned::to_owned).collect();
        let mut query = Self {
            scene: scene.clone(),
            limits: variables
                .iter()
                .map(|variable| limits(scene, variable))
                .collect(),
            variables,
            parents,
            links,
            solids: Vec::new(),
            allowed: BTreeSet::new(),
        };
        for (one, other) in scene.allowed_collisions() {
            if let (Some(one), Some(other)) = (scene.frame_index(one), scene.frame_index(other)) {
                query.allowed.insert(sorted(one, other));
            }
        }
        query.add_solids()?;
        Ok(query)
    }

    fn add_solids(&mut self) -> Result<(), QueryError> {
        let mut meshes = Meshes::default();
        for (index, frame) in self.scene.frames().iter().enumerate() {
            let moves = self.links.get(index).copied().flatten().is_some();
            for geometry in frame.geometry.iter().filter(|geometry| geometry.collision) {
                if let Some(solid) = solid(geometry, moves, &mut meshes)? {
                    let (center, radius) = sphere(&solid);
                    self.solids.push(FrameSolid {
                        frame: index,
                        solid,
                        center,
                        radius,
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns the configuration variables, sorted by name.
    #[must_use]
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// Returns the limits of the variables; infinite for a variable without limits.
    #[must_use]
    pub fn limits(&self) -> &[[f64; 2]] {
        &self.limits
    }

    /// Returns the poses of all frames in the root frame, in the order of [`Scene::frames`].
    ///
    /// # Errors
    ///
    /// The configuration has the wrong number of values.
    pub fn poses(&self, values: &[f64]) -> Result<Vec<Isometry3<f64>>, QueryError> {
        let (count, wanted) = (values.len(), self.variables.len());
        if count != wanted {
            return Err(QueryError::Length { count, wanted });
        }
        let value = |variable: &str| {
            self.variable(variable)
                .and_then(|index| values.get(index).copied())
                .unwrap_or(0.0)
        };
        Ok(self.scene.absolute_poses(value))
    }

    /// Returns the pose of a frame in the root frame.
    ///
    /// # Errors
    ///
    /// There is no such frame, or the configuration has the wrong number of values.
    pub fn pose(&self, frame: &str, values: &[f64]) -> Result<Isometry3<f64>, QueryError> {
        let index = self.frame(frame)?;
        Ok(self.poses(values)?.get(index).copied().unwrap_or_default())
    }

    fn variable(&self, name: &str) -> Option<usize> {
        let known = |known: &String| known.as_str().cmp(name);
        self.variables.binary_search_by(known).ok()
    }

    fn frame(&self, name: &str) -> Result<usize, QueryError> {
        let index = self.scene.frame_index(name);
        index.ok_or_else(|| QueryError::UnknownFrame(name.to_owned()))
    }

    /// Returns the Jacobian of a frame: the velocity of its origin (rows 0 to 2) and its angular velocity (rows 3 to 5), both in
    /// root axes, per velocity of each variable.
    ///
    /// # Errors
    ///
    /// There is no such frame, or the configuration has the wrong number of values.
    pub fn jacobian(&self, frame: &str, values: &[f64]) -> Result<Matrix6xX<f64>, QueryError> {
        let index = self.frame(frame)?;
        let poses = self.poses(values)?;
        let mut jacobian = Matrix6xX::zeros(self.variables.len());
        let origin = poses
            .get(index)
            .copied()
            .unwrap_or_default()
            .translation
            .vector;
        let mut next = Some(index);
        while let Some(index) = next {
            next = self.parents.get(index).copied().flatten();
            let Some(frame) = self.scene.frames().get(index) else {
                break;
            };
            let above = next.and_then(|parent| poses.get(parent).copied());
            let root_from_joint = above.unwrap_or_default() * frame.pose;
            let Some(axis) = frame.joint.axis() else {
                continue;
            };
            let ratio = axis.ratio.unwrap_or(1.0);
            let column = match &frame.joint {
                Joint::Revolute(_) => {
                    let turn = root_from_joint * axis.axis.normalize() * ratio;
                    let displacement = origin - root_from_joint.translation.vector;
                    stacked(turn.cross(&displacement), turn)
                }
                _ => stacked(root_from_joint * axis.axis * ratio, Vector3::zeros()),
            };
            if let Some(index) = self.variable(&axis.variable) {
                let mut sum = jacobian.column_mut(index);
                sum += column;
            }
        }
        Ok(jacobian)
    }

    /// Returns the distance between the geometry of two frames, m; where they overlap, the negative depth. `None` if one of
    /// them has no geometry.
    ///
    /// # Errors
    ///
    /// There is no such frame, or the configuration has the wrong number of values.
    pub fn distance(
        &self,
        one: &str,
        other: &str,
        values: &[f64],
    ) -> Result<Option<f64>, QueryError> {
        let (one, other) = (self.frame(one)?, self.frame(other)?);
        let poses = self.poses(values)?;
        let of = |frame: usize| self.solids.iter().filter(move |solid| solid.frame == frame);
        let mut nearest: Option<f64> = None;
        for solid in of(one) {
            for target in of(other) {
                let distance = apart(solid, target, &poses);
                nearest = match (nearest, distance) {
                    (Some(known), Some(distance)) => Some(known.min(distance)),
                    (known, distance) => known.or(distance),
                };
            }
        }
        Ok(nearest)
    }

    /// Returns the pairs of frames whose geometry overlaps, without those of one rigid link and those that are allowed
    /// (`allow_collision`, [`SceneQuery::allow_at`]).
    ///
    /// # Errors
    ///
    /// The configuration has the wrong number of values.
    pub fn collisions(&self, values: &[f64]) -> Result<Vec<Collision>, QueryError> {
        let overlaps = self.overlaps(values)?.into_iter();
        let overlaps = overlaps.map(|(pair, depth)| Collision {
            frames: self.names(pair),
            depth,
        });
        Ok(overlaps.collect())
    }

    fn names(&self, (one, other): (usize, usize)) -> [String; 2] {
        let name = |index: usize| {
            let frame = self.scene.frames().get(index);
            frame.map_or_else(String::new, |frame| frame.name.clone())
        };
        [name(one), name(other)]
    }

    /// Returns the pairs of frames that may overlap: those of the scene, and those that were allowed since.
    #[must_use]
    pub fn allowed(&self) -> Vec<[String; 2]> {
        self.allowed.iter().map(|pair| self.names(*pair)).collect()
    }

    /// Allows all pairs of frames that overlap at a configuration which is known to be free of collisions, such as links that
    /// meet at a joint.
    ///
    /// # Errors
    ///
    /// The configuration has the wrong number of values.
    pub fn allow_at(&mut self, values: &[f64]) -> Result<(), QueryError> {
        let overlaps = self.overlaps(values)?;
        self.allowed
            .extend(overlaps.into_iter().map(|(pair, _)| pair));
        Ok(())
    }

    /// Allows the pairs of frames that overlap at all of some random configurations, such as links that meet at a joint, or a
    /// cover over a link: no motion avoids them. Values are uniform between the limits of a variable, and from −π to π without
    /// limits. Returns the pairs; none if `count` is zero.
    pub fn allow_sampled(&mut self, count: usize, seed: u64) -> Vec<[String; 2]> {
        let mut random = Random::new(seed, "scene", "configurations");
        let mut always: Option<BTreeSet<(usize, usize)>> = None;
        for _ in 0..count {
            let limits = self.limits.iter().map(|limits| match *limits {
                [lower, upper] if lower.is_finite() && upper.is_finite() => [lower, upper],
                _ => [-PI, PI],
            });
            let values: Vec<f64> = limits
                .map(|[lower, upper]| lower + (upper - lower) * random.uniform())
                .collect();
            // The number of values is right.
            let overlaps = self.overlaps(&values).unwrap_or_default();
            let overlaps: BTreeSet<_> = overlaps.into_iter().map(|(pair, _)| pair).collect();
            always = Some(match always {
                Some(always) => always.intersection(&overlaps).copied().collect(),
                None => overlaps,
            });
        }
        let always = always.unwrap_or_default();
        let names = always.iter().map(|pair| self.names(*pair)).collect();
        self.allowed.extend(always);
        names
    }

    /// Returns the pairs of frames that overlap, and their depths.
    fn overlaps(&self, values: &[f64]) -> Result<Vec<((usize, usize), f64)>, QueryError> {
        let poses = self.poses(values)?;
        let mut overlaps: Vec<((usize, usize), f64)> = Vec::new();
        for (index, solid) in self.solids.iter().enumerate() {
            for other in self.solids.iter().skip(index + 1) {
                let pair = sorted(solid.frame, other.frame);
                let is_rigid = self.links.get(solid.frame) == self.links.get(other.frame);
                if is_rigid || self.allowed.contains(&pair) || are_far(solid, other, &poses) {
                    continue;
                }
                let Some(depth) = apart(solid, other, &poses).filter(|apart| *apart < 0.0) else {
                    continue;
                };
                match overlaps.iter_mut().find(|(known, _)| *known == pair) {
                    Some((_, known)) => *known = known.max(-depth),
                    None => overlaps.push((pair, -depth)),
                }
            }
        }
        Ok(overlaps)
    }

    /// Returns a configuration near `start`, within the limits, at which a frame has a pose, by damped least squares.
    ///
    /// # Errors
    ///
    /// There is no such frame, the configuration has the wrong number of values, or no solution was found.
    pub fn inverse(
        &self,
        frame: &str,
        pose: &Isometry3<f64>,
        start: &[f64],
    ) -> Result<Vec<f64>, QueryError> {
        let mut values = start.to_vec();
        for _ in 0..ITERATIONS {
            let error = error(pose, &self.pose(frame, &values)?);
            if error.amax() < TOLERANCE {
                return Ok(values);
            }
            let jacobian = self.jacobian(frame, &values)?;
            let mut normal = &jacobian * jacobian.transpose();
            for index in 0..6 {
                if let Some(diagonal) = normal.get_mut((index, index)) {
                    *diagonal += DAMPING;
                }
            }
            let Some(factors) = normal.cholesky() else {
                break;
            };
            let step = jacobian.transpose() * factors.solve(&error);
            for ((value, step), [lower, upper]) in
                values.iter_mut().zip(step.iter()).zip(&self.limits)
            {
                *value = (*value + step).max(*lower).min(*upper);
            }
        }
        let rest = error(pose, &self.pose(frame, &values)?);
        Err(QueryError::NotFound {
            position: rest.fixed_rows::<3>(0).norm(),
            rotation: rest.fixed_rows::<3>(3).norm(),
        })
    }
}

/// Returns the limits of a variable: those of all its joints together.
fn limits(scene: &Scene, variable: &str) -> [f64; 2] {
    let axes = scene.frames().iter().filter_map(|frame| frame.joint.axis());
    let own = axes.filter(|axis| axis.variable == variable);
    let limits = own.filter_map(|axis| axis.limits.position);
    limits.fold(
        [f64::NEG_INFINITY, f64::INFINITY],
        |[lower, upper], [least, most]| [lower.max(least), upper.min(most)],
    )
}

fn sorted(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

fn stacked(linear: Vector3<f64>, angular: Vector3<f64>) -> Vector6<f64> {
    Vector6::new(
        linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
    )
}

/// Returns the displacement and rotation vector from a pose to another one, in root axes.
fn error(wanted: &Isometry3<f64>, actual: &Isometry3<f64>) -> Vector6<f64> {
    let displacement = wanted.translation.vector - actual.translation.vector;
    let turn = (wanted.rotation * actual.rotation.inverse()).scaled_axis();
    stacked(displacement, turn)
}

/// Returns true if the spheres around two solids do not meet.
fn are_far(one: &FrameSolid, other: &FrameSolid, poses: &[Isometry3<f64>]) -> bool {
    let center = |solid: &FrameSolid| Some(poses.get(solid.frame)? * solid.center);
    let centers = center(one).zip(center(other));
    let distance = centers.map(|(one, other)| (one - other).norm());
    distance.is_some_and(|distance| distance > one.radius + other.radius)
}

/// Returns the distance of two solids.
fn apart(one: &FrameSolid, other: &FrameSolid, poses: &[Isometry3<f64>]) -> Option<f64> {
    let (first, second) = (poses.get(one.frame)?, poses.get(other.frame)?);
    distance(&one.solid, first, &other.solid, second)
}

#[cfg(test)]
mod tests;
