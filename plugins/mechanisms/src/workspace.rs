//! Workspace of one tree, so that steps do not allocate: forward kinematics, Jacobians, centre of mass.
use nalgebra::Vector3;

use crate::{
    articulated::ArticulatedFactors,
    factor::MassMatrix,
    spatial::{Force, Inertia, Motion, Pose},
    state::State,
    tree::Tree,
};

/// Gravity and motion of the base, in its own axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Base {
    /// Gravity, m/s².
    pub gravity: Vector3<f64>,
    /// Velocity of the base.
    pub velocity: Motion,
    /// Acceleration of the base, without gravity.
    pub acceleration: Motion,
}

impl Base {
    /// Returns a base at rest under a gravity in m/s².
    #[must_use]
    pub const fn at_rest(gravity: Vector3<f64>) -> Self {
        Self {
            gravity,
            velocity: Motion::ZERO,
            acceleration: Motion::ZERO,
        }
    }
}

/// Workspace of one tree, by link.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// Pose of each link in its parent.
    pub(crate) local_poses: Vec<Pose>,
    /// Pose of each link in the base.
    pub(crate) poses: Vec<Pose>,
    /// Velocity of each link, in its own axes.
    pub(crate) velocities: Vec<Motion>,
    pub(crate) accelerations: Vec<Motion>,
    pub(crate) forces: Vec<Force>,
    /// Composite inertia of each link and its descendants.
    pub(crate) composites: Vec<Inertia>,
    /// The mass matrix that was computed last.
    pub matrix: MassMatrix,
    /// Mass matrix before its factorisation, or its diagonal for a deep tree.
    pub(crate) assembled: Vec<f64>,
    /// Factors of a deep tree.
    pub(crate) articulated: Option<ArticulatedFactors>,
}

impl Workspace {
    /// Returns a workspace for a tree.
    #[must_use]
    pub fn new(tree: &Tree) -> Self {
        let links = tree.link_count();
        Self {
            local_poses: vec![Pose::identity(); links],
            poses: vec![Pose::identity(); links],
            velocities: vec![Motion::ZERO; links],
            accelerations: vec![Motion::ZERO; links],
            forces: vec![Force::default(); links],
            composites: vec![Inertia::default(); links],
            matrix: MassMatrix::new(tree.parents.clone()),
            assembled: Vec::new(),
            articulated: Self::articulated_factors(tree),
        }
    }

    /// Forward kinematics: computes the poses and velocities of the links. All other calculations require it.
    pub fn forward_kinematics(&mut self, tree: &Tree, base: &Base, state: &State) {
        for (at, row) in tree.links.iter().enumerate() {
            let pose = row.pose(&state.positions);
            let (base_pose, carried) = match row.parent {
                Some(parent) => (self.poses[parent] * pose, self.velocities[parent]),
                None => (pose, base.velocity),
            };
            let mut velocity = pose.motion_from_outer(&carried);
            for column in &tree.columns[row.columns.clone()] {
                velocity += column.motion * state.velocities[column.speed];
            }
            self.local_poses[at] = pose;
            self.poses[at] = base_pose;
            self.velocities[at] = velocity;
        }
    }

    /// Computes the velocities of the links again, at the poses of the last
    /// [`forward_kinematics`](Self::forward_kinematics).
    pub(crate) fn update_velocities(&mut self, tree: &Tree, base: &Base, state: &State) {
        for (at, row) in tree.links.iter().enumerate() {
            let carried = row
                .parent
                .map_or(base.velocity, |parent| self.velocities[parent]);
            let mut velocity = self.local_poses[at].motion_from_outer(&carried);
            for column in &tree.columns[row.columns.clone()] {
                velocity += column.motion * state.velocities[column.speed];
            }
            self.velocities[at] = velocity;
        }
    }

    /// Returns the pose of a link in the base.
    #[must_use]
    pub fn pose_of(&self, link: usize) -> Pose {
        self.poses[link]
    }

    /// Returns the velocity of a link, in its own axes.
    #[must_use]
    pub fn velocity_of(&self, link: usize) -> Motion {
        self.velocities[link]
    }

    /// Writes the Jacobian of a point of a link (in the link's frame, m): one column per velocity, in the base's axes.
    /// Columns of velocities that do not move the link are zero.
    pub fn jacobian(&self, tree: &Tree, link: usize, point: &Vector3<f64>, columns: &mut [Motion]) {
        let target = self.poses[link].point(point);
        self.jacobian_at(tree, link, &target, columns);
    }

    /// Writes the [`jacobian`](Self::jacobian) of the link's point at a position in the base, m.
    pub(crate) fn jacobian_at(
        &self,
        tree: &Tree,
        link: usize,
        target: &Vector3<f64>,
        columns: &mut [Motion],
    ) {
        columns.fill(Motion::ZERO);
        let mut at = Some(link);
        while let Some(here) = at {
            let (row, base_pose) = (&tree.links[here], &self.poses[here]);
            let arm = target - base_pose.position;
            for column in &tree.columns[row.columns.clone()] {
                let angular = base_pose.rotation * column.motion.angular;
                let linear = base_pose.rotation * column.motion.linear + angular.cross(&arm);
                columns[column.speed] += Motion { angular, linear };
            }
            at = row.parent;
        }
    }

    /// Returns the velocity of a link's revolute joint at which a point of the link is at rest, if the motion before the
    /// joint moves the point with `velocity`: index of the variable in [`Tree::variables`], and rad/s. Point (m) and
    /// velocity (m/s) are in the base's axes. `None` for a joint of another kind, and for a point on the joint's axis.
    #[must_use]
    pub fn rolling_velocity(
        &self,
        tree: &Tree,
        link: usize,
        point: &Vector3<f64>,
        velocity: &Vector3<f64>,
    ) -> Option<(usize, f64)> {
        let (row, base_pose) = (tree.links.get(link)?, self.poses.get(link)?);
        let [column] = tree.columns.get(row.columns.clone())? else {
            return None;
        };
        let angular = base_pose.rotation * column.motion.angular;
        let per_speed = angular.cross(&(point - base_pose.position));
        let square = per_speed.norm_squared();
        if square < f64::EPSILON {
            return None;
        }
        let mut variables = tree.variables().iter();
        let variable = variables.position(|known| known.speed == column.speed)?;
        Some((variable, -per_speed.dot(velocity) / square))
    }

    /// Returns mass (kg) and centre of mass of the whole tree in the base, m.
    #[must_use]
    pub fn center_of_mass(&self, tree: &Tree) -> (f64, Vector3<f64>) {
        let (mut mass, mut moment) = (0.0, Vector3::zeros());
        for (row, base_pose) in tree.links.iter().zip(&self.poses) {
            mass += row.inertia.mass;
            moment += base_pose.rotation * row.inertia.first_moment
                + base_pose.position * row.inertia.mass;
        }
        let center = if mass > 0.0 {
            moment / mass
        } else {
            Vector3::zeros()
        };
        (mass, center)
    }

    /// Returns kinetic energy, and potential energy relative to the base, J.
    #[must_use]
    pub fn energy(&self, tree: &Tree, base: &Base) -> [f64; 2] {
        let moving = tree.links.iter().zip(&self.velocities);
        let kinetic = moving.map(|(row, velocity)| velocity.dot(&(row.inertia * *velocity)) / 2.0);
        let (mass, center) = self.center_of_mass(tree);
        [kinetic.sum(), -mass * base.gravity.dot(&center)]
    }
}
