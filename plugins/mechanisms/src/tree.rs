//! Trees of links: joints, inertias, and indices of coordinates.
mod turns;

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use nalgebra::{Isometry3, Matrix3, UnitVector3, Vector3};
use thiserror::Error;

use crate::{
    number::Number,
    spatial::{Inertia, Motion, Pose},
};
use turns::turns;

/// A rigid body and the joint to its parent. The origin of its frame is at the joint.
#[derive(Clone, Debug)]
pub struct Link {
    /// Index of the parent link, less than its own; `None` for the base.
    pub parent: Option<usize>,
    /// Pose of the joint at position zero in the frame of the parent, or of the base.
    pub parent_from_joint: Isometry3<f64>,
    /// Joint.
    pub joint: Joint,
    /// Inertia in the link's frame.
    pub inertia: Inertia,
}

/// Motion of a link relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joint {
    /// No motion.
    Fixed,
    /// Rotation about an axis through the origin, rad.
    Revolute(Axis),
    /// Translation along an axis, m.
    Prismatic(Axis),
    /// Rotation about the origin. Position: a quaternion, x y z w. Velocity: angular velocity in the link's axes, rad/s.
    Ball,
    /// Planar motion in x and y. Position: x, y (m) and angle (rad) in the joint's frame. Velocity: of the origin along the
    /// link's own x and y (m/s), and about z (rad/s).
    Planar,
    /// Free motion. Position: x y z (m) and a quaternion, x y z w, in the joint's frame. Velocity: linear (m/s), then
    /// angular (rad/s), in the link's axes.
    Floating,
}

/// The axis of a joint with one coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Direction in joint axes, which are those of the link, too.
    pub direction: UnitVector3<f64>,
    /// Number of the variable, chosen by the caller. Joints with the same number move together.
    pub variable: usize,
    /// Position of the joint per unit of the variable: 1, or the ratio of a mimic joint.
    pub ratio: f64,
    /// Offset of the joint's position, rad or m.
    pub offset: f64,
}

impl Axis {
    /// Returns an axis with a variable of its own.
    #[must_use]
    pub const fn new(direction: UnitVector3<f64>, variable: usize) -> Self {
        Self {
            direction,
            variable,
            ratio: 1.0,
            offset: 0.0,
        }
    }
}

/// Reason why links do not form a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TreeError {
    /// A parent does not precede its child.
    #[error("parent {parent} of link {link} does not precede it")]
    Parent {
        /// Index of the link.
        link: usize,
        /// Index of its parent.
        parent: usize,
    },
    /// The inertia is not finite, negative, or not that of a body.
    #[error("link {0} has a mass or an inertia that no body has")]
    Inertia(usize),
    /// A ratio is zero or infinite, or an offset is not finite.
    #[error("the axis of link {0} has a ratio or an offset that is not possible")]
    Axis(usize),
}

/// Links and joints, preprocessed for calculations; constant.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub(crate) links: Arc<Vec<LinkRow>>,
    pub(crate) columns: Arc<Vec<Column>>,
    /// Parent of each velocity (λ, expanded to coordinates): the sparsity pattern of the mass matrix.
    pub(crate) parents: Vec<Option<usize>>,
    /// Indices of angular velocities that change the tree's inertia: all but those of wheels.
    pub(crate) turns: Vec<usize>,
    /// Indices of the links whose joints have several coordinates.
    pub(crate) composite: Vec<usize>,
    /// Greatest number of velocities on a path from the base to a link.
    pub(crate) depth: usize,
    /// True if several joints have the same variable.
    pub(crate) shares_variables: bool,
    /// Number of positions.
    positions: usize,
    /// Variables, in the order of their velocities.
    variables: Vec<Variable>,
}

/// Indices of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Number of the variable, chosen by the caller.
    pub number: usize,
    /// Index of its velocity.
    pub speed: usize,
    /// Index of its position.
    pub position: usize,
}

/// A link, preprocessed for calculations.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkRow {
    pub(crate) parent: Option<usize>,
    pub(crate) inertia: Inertia,
    pub(crate) kind: Kind,
    /// Index of its first position.
    pub(crate) position: usize,
    /// Its columns of the motion subspace.
    pub(crate) columns: Range<usize>,
}

/// One column of the motion subspace: the motion of a joint per unit of a velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) speed: usize,
    pub(crate) motion: Motion,
}

impl Column {
    /// Returns the column in the frame in which its link has a pose.
    #[inline(always)]
    pub(crate) fn in_base<T: Number>(&self, pose: &Pose<T>) -> Motion<T> {
        pose.motion_to_outer(&Motion::of(&self.motion))
    }
}

/// Function from position to pose of a joint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Fixed(Pose),
    /// Rotation at zero, and the factors of sine and 1 − cosine of the angle.
    Revolute {
        zero: Pose,
        sine: Matrix3<f64>,
        versine: Matrix3<f64>,
        ratio: f64,
        offset: f64,
    },
    /// Pose at zero, and direction in the parent's axes.
    Prismatic {
        zero: Pose,
        along: Vector3<f64>,
        ratio: f64,
        offset: f64,
    },
    Ball(Pose),
    Planar(Pose),
    Floating(Pose),
}

impl Kind {
    /// Returns true for a joint with several coordinates.
    const fn is_composite(&self) -> bool {
        matches!(self, Self::Ball(_) | Self::Planar(_) | Self::Floating(_))
    }
}

impl Tree {
    /// Returns the tree of links, parents first.
    ///
    /// # Errors
    ///
    /// A parent does not precede its child, or a number is invalid.
    pub fn new(links: &[Link]) -> Result<Self, TreeError> {
        let mut tree = Self::default();
        let mut is_shared = false;
        let mut variables: BTreeMap<usize, Variable> = BTreeMap::new();
        for (index, link) in links.iter().enumerate() {
            check(index, link)?;
            let first = tree.columns.len();
            let above = link.parent.and_then(|parent| tree.last_velocity(parent));
            let position = match &link.joint {
                Joint::Revolute(axis) | Joint::Prismatic(axis) => {
                    let known = variables.get(&axis.variable).copied();
                    is_shared |= known.is_some();
                    let variable = known.unwrap_or_else(|| tree.new_variable(axis.variable, above));
                    variables.insert(axis.variable, variable);
                    let motion = unit(&link.joint) * axis.ratio;
                    let speed = variable.speed;
                    Arc::make_mut(&mut tree.columns).push(Column { speed, motion });
                    variable.position
                }
                joint => tree.own_coordinates(joint, above),
            };
            Arc::make_mut(&mut tree.links).push(LinkRow {
                parent: link.parent,
                inertia: link.inertia,
                kind: kind(link),
                position,
                columns: first..tree.columns.len(),
            });
        }
        tree.turns = turns(links, &tree);
        tree.composite = (0..links.len())
            .filter(|link| tree.links[*link].kind.is_composite())
            .collect();
        tree.depth = depth(&tree.parents);
        tree.shares_variables = is_shared;
        if is_shared {
            // A variable on several branches couples them: the matrix becomes dense.
            let count = tree.parents.len();
            tree.parents = (0..count).map(|index| index.checked_sub(1)).collect();
        }
        Ok(tree)
    }

    /// Shares the constants of an equal tree, which are then in the processor's cache for both. Returns false if the trees
    /// differ.
    pub fn share(&mut self, other: &Self) -> bool {
        let is_equal = self.links == other.links && self.columns == other.columns;
        if is_equal {
            self.links.clone_from(&other.links);
            self.columns.clone_from(&other.columns);
        }
        is_equal
    }

    /// Returns the parent of a link; `None` for the base.
    #[must_use]
    pub fn parent_of(&self, link: usize) -> Option<usize> {
        self.links[link].parent
    }

    /// Returns the number of links.
    #[must_use]
    pub fn link_count(&self) -> usize {
        self.links.len()
    }

    /// Returns the number of velocities: the order of the mass matrix.
    #[must_use]
    pub fn velocity_count(&self) -> usize {
        self.parents.len()
    }

    /// Returns the number of positions: one more than velocities for each ball or floating joint.
    #[must_use]
    pub fn position_count(&self) -> usize {
        self.positions
    }

    /// Returns all variables, in the order of their velocities.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Returns the indices of a variable's position and velocity.
    #[must_use]
    pub fn variable(&self, number: usize) -> Option<Variable> {
        let mut all = self.variables.iter();
        all.find(|known| known.number == number).copied()
    }

    /// Returns the indices of the first position and of the first velocity of a link's joint; `None` for a fixed one.
    #[must_use]
    pub fn coordinates(&self, link: usize) -> Option<(usize, usize)> {
        let row = self.links.get(link)?;
        let column = self.columns.get(row.columns.clone())?.first()?;
        Some((row.position, column.speed))
    }

    /// Returns the last velocity on the path from the base to a link, inclusive.
    fn last_velocity(&self, link: usize) -> Option<usize> {
        let mut next = Some(link);
        while let Some(row) = next.and_then(|next| self.links.get(next)) {
            if let Some(column) = self.columns[row.columns.clone()].last() {
                return Some(column.speed);
            }
            next = row.parent;
        }
        None
    }

    fn new_variable(&mut self, number: usize, above: Option<usize>) -> Variable {
        let variable = Variable {
            number,
            speed: self.parents.len(),
            position: self.positions,
        };
        self.variables.push(variable);
        self.parents.push(above);
        self.positions += 1;
        variable
    }

    /// Adds coordinates of a joint that shares none. Returns the index of its first position.
    fn own_coordinates(&mut self, joint: &Joint, above: Option<usize>) -> usize {
        let position = self.positions;
        let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
        let (positions, motions): (usize, &[Motion]) = match joint {
            Joint::Ball => (4, &[turning(x), turning(y), turning(z)]),
            Joint::Planar => (3, &[sliding(x), sliding(y), turning(z)]),
            Joint::Floating => (
                7,
                &[
                    sliding(x),
                    sliding(y),
                    sliding(z),
                    turning(x),
                    turning(y),
                    turning(z),
                ],
            ),
            Joint::Fixed | Joint::Revolute(_) | Joint::Prismatic(_) => (0, &[]),
        };
        let mut before = above;
        for motion in motions {
            let speed = self.parents.len();
            self.parents.push(before);
            before = Some(speed);
            Arc::make_mut(&mut self.columns).push(Column {
                speed,
                motion: *motion,
            });
        }
        self.positions += positions;
        position
    }
}

/// Returns the greatest number of velocities on a path from the base.
fn depth(parents: &[Option<usize>]) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(parents.len());
    for parent in parents {
        depths.push(parent.map_or(1, |parent| depths[parent] + 1));
    }
    depths.into_iter().max().unwrap_or(0)
}

fn check(index: usize, link: &Link) -> Result<(), TreeError> {
    if let Some(parent) = link.parent.filter(|parent| *parent >= index) {
        return Err(TreeError::Parent {
            link: index,
            parent,
        });
    }
    let inertia = &link.inertia;
    let is_finite = inertia.mass.is_finite()
        && inertia.first_moment.iter().all(|number| number.is_finite())
        && inertia.rotational.iter().all(|number| number.is_finite());
    let is_massless = inertia.mass == 0.0 && inertia.first_moment != Vector3::zeros();
    let about = inertia.about_center();
    let tolerance = -1e-9 * inertia.rotational.norm();
    let is_possible = is_finite && about.symmetric_eigenvalues().min() >= tolerance;
    if !is_possible || inertia.mass < 0.0 || is_massless {
        return Err(TreeError::Inertia(index));
    }
    match link.joint {
        Joint::Revolute(axis) | Joint::Prismatic(axis)
            if !axis.ratio.is_normal() || !axis.offset.is_finite() =>
        {
            Err(TreeError::Axis(index))
        }
        _ => Ok(()),
    }
}

/// Returns the motion of a joint with one coordinate, per unit of velocity.
fn unit(joint: &Joint) -> Motion {
    match joint {
        Joint::Revolute(axis) => turning(axis.direction.into_inner()),
        Joint::Prismatic(axis) => sliding(axis.direction.into_inner()),
        _ => Motion::ZERO,
    }
}

fn turning(about: Vector3<f64>) -> Motion {
    Motion {
        angular: about,
        linear: Vector3::zeros(),
    }
}

fn sliding(along: Vector3<f64>) -> Motion {
    Motion {
        angular: Vector3::zeros(),
        linear: along,
    }
}

fn kind(link: &Link) -> Kind {
    let zero = Pose::from(link.parent_from_joint);
    match &link.joint {
        Joint::Fixed => Kind::Fixed(zero),
        Joint::Revolute(axis) => {
            // Rodrigues' formula: R = 1 + sin·K + (1 − cos)·K².
            let cross = axis.direction.cross_matrix();
            Kind::Revolute {
                zero,
                sine: zero.rotation * cross,
                versine: zero.rotation * cross * cross,
                ratio: axis.ratio,
                offset: axis.offset,
            }
        }
        Joint::Prismatic(axis) => Kind::Prismatic {
            zero,
            along: zero.rotation * axis.direction.into_inner(),
            ratio: axis.ratio,
            offset: axis.offset,
        },
        Joint::Ball => Kind::Ball(zero),
        Joint::Planar => Kind::Planar(zero),
        Joint::Floating => Kind::Floating(zero),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(parent: Option<usize>, joint: Joint) -> Link {
        Link {
            parent,
            parent_from_joint: Isometry3::identity(),
            joint,
            inertia: Inertia::new(1.0, Vector3::zeros(), Matrix3::identity()),
        }
    }

    fn hinge(variable: usize) -> Joint {
        Joint::Revolute(Axis::new(Vector3::z_axis(), variable))
    }

    #[test]
    fn speeds_know_those_before_them() {
        let links = [
            link(None, Joint::Floating),
            link(Some(0), hinge(7)),
            link(Some(1), Joint::Fixed),
            link(Some(2), hinge(3)),
            link(Some(0), hinge(5)),
        ];
        let tree = Tree::new(&links).unwrap();
        assert_eq!(tree.velocity_count(), 9);
        assert_eq!(tree.position_count(), 10);
        assert_eq!(tree.parents[6..], [Some(5), Some(6), Some(5)]);
        let variable = tree.variable(3).unwrap();
        assert_eq!((variable.speed, variable.position), (7, 8));
        assert_eq!(tree.coordinates(0), Some((0, 0)));
        assert_eq!(tree.coordinates(2), None);
    }

    #[test]
    fn joints_that_share_a_variable_couple_all_speeds() {
        let links = [
            link(None, hinge(0)),
            link(None, hinge(1)),
            link(Some(0), hinge(1)),
        ];
        let tree = Tree::new(&links).unwrap();
        assert_eq!(tree.velocity_count(), 2);
        assert_eq!(tree.parents, [None, Some(0)]);
    }

    #[test]
    fn impossible_links_are_refused() {
        let mut heavy = link(None, hinge(0));
        heavy.inertia.mass = f64::NAN;
        assert_eq!(Tree::new(&[heavy]).unwrap_err(), TreeError::Inertia(0));
        let mut hollow = link(None, hinge(0));
        hollow.inertia.rotational = -Matrix3::identity();
        assert_eq!(Tree::new(&[hollow]).unwrap_err(), TreeError::Inertia(0));
        let circle = [link(Some(0), hinge(0))];
        let error = TreeError::Parent { link: 0, parent: 0 };
        assert_eq!(Tree::new(&circle).unwrap_err(), error);
        let mut axis = Axis::new(Vector3::z_axis(), 0);
        axis.ratio = 0.0;
        let stuck = [link(None, Joint::Revolute(axis))];
        assert_eq!(Tree::new(&stuck).unwrap_err(), TreeError::Axis(0));
    }
}
