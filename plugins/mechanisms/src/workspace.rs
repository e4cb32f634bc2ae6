//! Workspace of one tree, so that steps do not allocate: forward kinematics, Jacobians, centre of mass.
//!
//! Spatial vectors of all links are in the axes of the base, about one reference point: the origin of the first link. So they
//! are added without transformations between links, and stay exact when the tree is far from the origin of its base. (MuJoCo
//! has the centre of mass as reference point.)
use nalgebra::Vector3;

use crate::{
    articulated::ArticulatedFactors,
    factor::MassMatrix,
    linear::{difference, sum, zero},
    number::Number,
    spatial::{Force, Inertia, Motion, Pose},
    state::State,
    tree::{LinkRow, Tree},
};

/// Gravity and motion of the base, in its own axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Base<T = f64> {
    /// Gravity, m/s².
    pub gravity: Vector3<T>,
    /// Velocity of the base.
    pub velocity: Motion<T>,
    /// Acceleration of the base, without gravity.
    pub acceleration: Motion<T>,
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

/// Workspace of one tree, by link. Spatial vectors are in the axes of the base, about the reference point.
#[derive(Clone, Debug, Default)]
pub struct Workspace<T: Number = f64> {
    /// Pose of each link in its parent; only of a deep tree.
    pub(crate) local_poses: Vec<Pose<T>>,
    /// Reference point in the base: the origin of the first link, m.
    reference: Vector3<T>,
    /// Pose of each link relative to the reference point, in the axes of the base.
    pub(crate) relative_poses: Vec<Pose<T>>,
    /// Columns of the motion subspaces.
    pub(crate) columns: Vec<Motion<T>>,
    /// Velocity of each link.
    pub(crate) velocities: Vec<Motion<T>>,
    pub(crate) accelerations: Vec<Motion<T>>,
    pub(crate) forces: Vec<Force<T>>,
    /// Inertia of each link at the poses of the last inverse dynamics or mass matrix.
    pub(crate) inertias: Vec<Inertia<T>>,
    /// True if `inertias` belong to the present poses.
    has_inertias: bool,
    /// Composite inertia of each link and its descendants; for a deep tree, in the frame of the link.
    pub(crate) composites: Vec<Inertia<T>>,
    /// The mass matrix that was computed last.
    pub matrix: MassMatrix<T>,
    /// Mass matrix before its factorisation, or its diagonal for a deep tree.
    pub(crate) assembled: Vec<T>,
    /// Factors of a deep tree.
    pub(crate) articulated: Option<ArticulatedFactors>,
}

impl Workspace {
    /// Returns a workspace for a tree, with all joints at zero and at rest.
    #[must_use]
    pub fn new(tree: &Tree) -> Self {
        let mut workspace = Self::blank(tree);
        let base = Base::at_rest(Vector3::zeros());
        workspace.forward_kinematics(tree, &base, &tree.at_zero());
        workspace
    }

    /// Forward kinematics: computes the poses and velocities of the links. All other calculations require it.
    pub fn forward_kinematics(&mut self, tree: &Tree, base: &Base, state: &State) {
        self.kinematics(tree, base, &state.positions, &state.velocities);
    }

    /// Computes the velocities of the links again, at the poses of the last
    /// [`forward_kinematics`](Self::forward_kinematics).
    pub(crate) fn update_velocities(&mut self, tree: &Tree, base: &Base, state: &State) {
        for (index, row) in tree.links.iter().enumerate() {
            let mut velocity = self.carrier_velocity(row, base);
            let own = row.columns.clone();
            for (column, moved) in tree.columns[own.clone()].iter().zip(&self.columns[own]) {
                velocity += *moved * state.velocities[column.speed];
            }
            self.velocities[index] = velocity;
        }
    }
}

impl<T: Number> Workspace<T> {
    /// Returns a workspace for a tree, without poses.
    pub(crate) fn blank(tree: &Tree) -> Self {
        let links = tree.link_count();
        let articulated = Self::articulated_factors(tree);
        let deep = if articulated.is_some() { links } else { 0 };
        Self {
            local_poses: vec![Pose::identity(); deep],
            reference: zero(),
            relative_poses: vec![Pose::identity(); links],
            columns: vec![Motion::zero(); tree.columns.len()],
            velocities: vec![Motion::zero(); links],
            accelerations: vec![Motion::zero(); links],
            forces: vec![Force::default(); links],
            inertias: vec![Inertia::default(); links],
            has_inertias: false,
            composites: vec![Inertia::default(); links],
            matrix: MassMatrix::new(tree.parents.clone()),
            assembled: Vec::new(),
            articulated,
        }
    }

    /// Computes poses and velocities of the links from positions and velocities of the joints.
    #[inline(always)]
    pub(crate) fn kinematics(
        &mut self,
        tree: &Tree,
        base: &Base<T>,
        positions: &[T],
        velocities: &[T],
    ) {
        self.has_inertias = false;
        for (index, row) in tree.links.iter().enumerate() {
            let pose = row.pose(positions);
            let relative = match row.parent {
                Some(parent) => self.relative_poses[parent] * pose,
                None => {
                    if index == 0 {
                        self.reference = pose.position;
                    }
                    Pose {
                        rotation: pose.rotation,
                        position: difference(&pose.position, &self.reference),
                    }
                }
            };
            let mut velocity = self.carrier_velocity(row, base);
            let own = row.columns.clone();
            for (column, moved) in tree.columns[own.clone()].iter().zip(&mut self.columns[own]) {
                *moved = column.in_base(&relative);
                velocity += *moved * velocities[column.speed];
            }
            if let Some(local) = self.local_poses.get_mut(index) {
                *local = pose;
            }
            self.relative_poses[index] = relative;
            self.velocities[index] = velocity;
        }
    }

    /// Returns the velocity of the parent of a link, or of the base.
    #[inline(always)]
    pub(crate) fn carrier_velocity(&self, row: &LinkRow, base: &Base<T>) -> Motion<T> {
        match row.parent {
            Some(parent) => self.velocities[parent],
            None => self.about_reference(&base.velocity),
        }
    }

    /// Converts a motion of the base to the reference point.
    #[inline(always)]
    pub(crate) fn about_reference(&self, motion: &Motion<T>) -> Motion<T> {
        Motion {
            angular: motion.angular,
            linear: motion.at(&self.reference),
        }
    }

    /// Computes the inertias of the links in the axes of the base, unless they are known.
    #[inline(always)]
    pub(crate) fn update_inertias(&mut self, tree: &Tree) {
        if self.has_inertias {
            return;
        }
        let links = tree.links.iter().zip(&self.relative_poses);
        for (inertia, (row, pose)) in self.inertias.iter_mut().zip(links) {
            *inertia = pose.inertia_to_outer(&Inertia::of(&row.inertia));
        }
        self.has_inertias = true;
    }

    /// Returns the pose of a link in the base.
    #[must_use]
    #[inline(always)]
    pub fn pose_of(&self, link: usize) -> Pose<T> {
        let relative = &self.relative_poses[link];
        Pose {
            rotation: relative.rotation,
            position: sum(&relative.position, &self.reference),
        }
    }

    /// Returns the velocity of a point of a link (in the link's frame, m), in the axes of the base, m/s, and the angular
    /// velocity of the link, rad/s.
    #[must_use]
    #[inline(always)]
    pub fn velocity_at(&self, link: usize, point: &Vector3<T>) -> [Vector3<T>; 2] {
        let velocity = &self.velocities[link];
        let point = self.relative_poses[link].point(point);
        [velocity.at(&point), velocity.angular]
    }
}

impl Workspace {
    /// Converts a force in the axes of the base from the reference point to a link's frame.
    pub(crate) fn force_in_link(&self, link: usize, force: &Force) -> Force {
        self.relative_poses[link].force_from_outer(force)
    }

    /// Converts a force in the axes of the base from the reference point to the origin of the base.
    pub(crate) fn force_in_base(&self, force: &Force) -> Force {
        Force {
            moment: force.moment + self.reference.cross(&force.force),
            force: force.force,
        }
    }

    /// Returns the velocity of a link, in its own frame.
    #[must_use]
    pub fn velocity_of(&self, link: usize) -> Motion {
        self.relative_poses[link].motion_from_outer(&self.velocities[link])
    }

    /// Writes the Jacobian of a point of a link (in the link's frame, m): one column per velocity, in the base's axes.
    /// Columns of velocities that do not move the link are zero.
    pub fn jacobian(&self, tree: &Tree, link: usize, point: &Vector3<f64>, columns: &mut [Motion]) {
        columns.fill(Motion::ZERO);
        let target = self.pose_of(link).point(point);
        self.columns_at(tree, link, &target, |velocity, column| {
            columns[velocity] += column;
        });
    }

    /// Calls a function with each column of the [`jacobian`](Self::jacobian) of the link's point at a position in the base,
    /// m, and the index of its velocity, which several columns may share.
    #[inline]
    pub(crate) fn columns_at(
        &self,
        tree: &Tree,
        link: usize,
        target: &Vector3<f64>,
        mut each: impl FnMut(usize, Motion),
    ) {
        let target = target - self.reference;
        let mut next = Some(link);
        while let Some(here) = next {
            let row = &tree.links[here];
            let own = row.columns.clone();
            for (column, moved) in tree.columns[own.clone()].iter().zip(&self.columns[own]) {
                let motion = Motion {
                    angular: moved.angular,
                    linear: moved.at(&target),
                };
                each(column.speed, motion);
            }
            next = row.parent;
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
        let (row, pose) = (tree.links.get(link)?, self.relative_poses.get(link)?);
        let [column] = tree.columns.get(row.columns.clone())? else {
            return None;
        };
        let angular = self.columns[row.columns.start].angular;
        let per_speed = angular.cross(&(point - self.reference - pose.position));
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
        for (row, pose) in tree.links.iter().zip(&self.relative_poses) {
            mass += row.inertia.mass;
            moment += pose.rotation * row.inertia.first_moment + pose.position * row.inertia.mass;
        }
        let center = if mass > 0.0 {
            moment / mass + self.reference
        } else {
            Vector3::zeros()
        };
        (mass, center)
    }

    /// Returns kinetic energy, and potential energy relative to the base, J.
    #[must_use]
    pub fn energy(&self, tree: &Tree, base: &Base) -> [f64; 2] {
        let kinetic = tree.links.iter().enumerate().map(|(index, row)| {
            let velocity = self.velocity_of(index);
            velocity.dot(&(row.inertia * velocity)) / 2.0
        });
        let (mass, center) = self.center_of_mass(tree);
        [kinetic.sum(), -mass * base.gravity.dot(&center)]
    }
}
