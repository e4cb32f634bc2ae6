//! Trees of links: which joint each one has, what it weighs, and where its coordinates are.
use std::{collections::BTreeMap, ops::Range};

use nalgebra::{Isometry3, Matrix3, Rotation3, UnitVector3, Vector3};
use thiserror::Error;

use crate::spatial::{Inertia, Motion, Pose};

/// A rigid body and the joint between it and the one before it. Its frame is at the joint.
#[derive(Clone, Debug)]
pub struct Link {
    /// Place of the link that it hangs on, before its own; none where that is the base.
    pub parent: Option<usize>,
    /// Pose of the joint at zero in the frame of the parent, or of the base.
    pub parent_from_joint: Isometry3<f64>,
    /// Motion that is left to it.
    pub joint: Joint,
    /// In the link's frame.
    pub inertia: Inertia,
}

/// Motion of a link against the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joint {
    /// None.
    Fixed,
    /// A turn about an axis through the origin, rad.
    Revolute(Axis),
    /// A way along an axis, m.
    Prismatic(Axis),
    /// Any rotation about the origin. Position: a quaternion, x y z w. Speed: angular velocity in the link's axes, rad/s.
    Ball,
    /// Motion in the plane of x and y. Position: x, y (m) and angle (rad) in the joint's frame. Speed: of the origin along the
    /// link's own x and y (m/s), and about z (rad/s).
    Planar,
    /// Any motion. Position: x y z (m) and a quaternion, x y z w, in the joint's frame. Speed: linear (m/s), then angular
    /// (rad/s), in the link's axes.
    Floating,
}

/// The axis of a joint with one coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// In joint axes, which are those of the link too.
    pub direction: UnitVector3<f64>,
    /// Number of the variable, as the caller counts them. Joints with the same number move together.
    pub variable: usize,
    /// Position of the joint for one unit of the variable: 1, or the ratio of a mimic joint.
    pub ratio: f64,
    /// Added to the joint's position, rad or m.
    pub offset: f64,
}

impl Axis {
    /// An axis with a variable of its own.
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

/// Reasons why links are no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TreeError {
    /// Parents come first.
    #[error("link {link} hangs on link {parent}, which does not come before it")]
    Parent {
        /// The link.
        link: usize,
        /// Its parent.
        parent: usize,
    },
    /// Not finite, a negative mass, or an inertia that no body has.
    #[error("link {0} has a mass or an inertia that no body has")]
    Inertia(usize),
    /// A ratio of zero or an infinite one, or an offset that is not finite.
    #[error("the axis of link {0} has a ratio or an offset that is not possible")]
    Axis(usize),
}

/// Links and joints, made for calculation: nothing in it changes any more.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub(crate) links: Vec<LinkRow>,
    pub(crate) columns: Vec<Column>,
    /// For each speed, the one before it on the way to the base: the pattern of the mass matrix.
    pub(crate) before: Vec<Option<usize>>,
    /// Speeds that are turns after which the tree looks another: all but those of wheels.
    pub(crate) turns: Vec<usize>,
    /// Number of positions.
    positions: usize,
    /// For each speed that is a variable's: number of the variable, and place of its position.
    variables: Vec<Variable>,
}

/// A variable as the tree keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// As the caller counts.
    pub number: usize,
    /// Place of its speed.
    pub speed: usize,
    /// Place of its position.
    pub position: usize,
}

/// A link as calculations need it.
#[derive(Clone, Debug)]
pub(crate) struct LinkRow {
    pub(crate) parent: Option<usize>,
    pub(crate) inertia: Inertia,
    pub(crate) kind: Kind,
    /// Place of its first position.
    pub(crate) position: usize,
    /// Its columns.
    pub(crate) columns: Range<usize>,
}

/// One direction in which a joint moves, for one unit of a speed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) speed: usize,
    pub(crate) motion: Motion,
}

/// The way in which the pose of a joint follows from its position.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Fixed(Pose),
    /// The rotation at zero, and what sine and 1 − cosine of the angle are multiplied with.
    Revolute {
        zero: Pose,
        sine: Matrix3<f64>,
        versine: Matrix3<f64>,
        ratio: f64,
        offset: f64,
    },
    /// The pose at zero, and the direction in the parent's axes.
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

impl Tree {
    /// Makes a tree of links, parents first.
    ///
    /// # Errors
    ///
    /// When a parent comes after its child, or a number is impossible.
    pub fn new(links: &[Link]) -> Result<Self, TreeError> {
        let mut tree = Self::default();
        let mut is_shared = false;
        let mut variables: BTreeMap<usize, Variable> = BTreeMap::new();
        for (at, link) in links.iter().enumerate() {
            check(at, link)?;
            let first = tree.columns.len();
            let above = link.parent.and_then(|parent| tree.last_speed(parent));
            let position = match &link.joint {
                Joint::Revolute(axis) | Joint::Prismatic(axis) => {
                    let known = variables.get(&axis.variable).copied();
                    is_shared |= known.is_some();
                    let variable = known.unwrap_or_else(|| tree.new_variable(axis.variable, above));
                    variables.insert(axis.variable, variable);
                    let motion = unit(&link.joint) * axis.ratio;
                    let speed = variable.speed;
                    tree.columns.push(Column { speed, motion });
                    variable.position
                }
                joint => tree.own_coordinates(joint, above),
            };
            tree.links.push(LinkRow {
                parent: link.parent,
                inertia: link.inertia,
                kind: kind(link),
                position,
                columns: first..tree.columns.len(),
            });
        }
        tree.turns = turns(links, &tree);
        if is_shared {
            // A variable on several branches couples them: every speed may depend on every other.
            let count = tree.before.len();
            tree.before = (0..count).map(|at| at.checked_sub(1)).collect();
        }
        Ok(tree)
    }

    /// Number of links.
    #[must_use]
    pub fn link_count(&self) -> usize {
        self.links.len()
    }

    /// Number of speeds: the order of the mass matrix.
    #[must_use]
    pub fn speed_count(&self) -> usize {
        self.before.len()
    }

    /// Number of positions: one more than speeds for each ball or floating joint.
    #[must_use]
    pub fn position_count(&self) -> usize {
        self.positions
    }

    /// All variables, in the order of their speeds.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Places of a variable's position and speed.
    #[must_use]
    pub fn variable(&self, number: usize) -> Option<Variable> {
        let mut all = self.variables.iter();
        all.find(|known| known.number == number).copied()
    }

    /// Place of the first position of a link's joint, and of its first speed; none for a fixed one.
    #[must_use]
    pub fn coordinates(&self, link: usize) -> Option<(usize, usize)> {
        let row = self.links.get(link)?;
        let column = self.columns.get(row.columns.clone())?.first()?;
        Some((row.position, column.speed))
    }

    /// The last speed on the way from the base to a link and including it.
    fn last_speed(&self, link: usize) -> Option<usize> {
        let mut at = Some(link);
        while let Some(row) = at.and_then(|at| self.links.get(at)) {
            if let Some(column) = self.columns[row.columns.clone()].last() {
                return Some(column.speed);
            }
            at = row.parent;
        }
        None
    }

    fn new_variable(&mut self, number: usize, above: Option<usize>) -> Variable {
        let variable = Variable {
            number,
            speed: self.before.len(),
            position: self.positions,
        };
        self.variables.push(variable);
        self.before.push(above);
        self.positions += 1;
        variable
    }

    /// Coordinates of a joint that shares none. Returns the place of its first position.
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
            let speed = self.before.len();
            self.before.push(before);
            before = Some(speed);
            self.columns.push(Column {
                speed,
                motion: *motion,
            });
        }
        self.positions += positions;
        position
    }
}

/// Places of the speeds that turn something, but for wheels: links at the end of a branch that are the same all around.
fn turns(links: &[Link], tree: &Tree) -> Vec<usize> {
    let mut turns = Vec::new();
    let mut carries = vec![false; links.len()];
    for parent in links.iter().filter_map(|link| link.parent) {
        carries[parent] = true;
    }
    for (at, (link, row)) in links.iter().zip(&tree.links).enumerate() {
        let is_wheel = match &link.joint {
            Joint::Revolute(axis) => !carries[at] && is_round(&link.inertia, &axis.direction),
            _ => false,
        };
        let columns = tree.columns[row.columns.clone()].iter();
        let turning = columns.filter(|column| column.motion.angular != Vector3::zeros());
        if !is_wheel {
            turns.extend(turning.map(|column| column.speed));
        }
    }
    turns
}

/// Tells whether an inertia is the same after any turn about an axis through the origin.
fn is_round(inertia: &Inertia, axis: &UnitVector3<f64>) -> bool {
    let across = inertia.first_moment.cross(axis).norm();
    let half = Rotation3::from_axis_angle(axis, 1.0).into_inner();
    let turned = half * inertia.rotational * half.transpose();
    let change = (turned - inertia.rotational).norm();
    across <= 1e-6 * inertia.mass && change <= 1e-3 * inertia.rotational.norm()
}

fn check(at: usize, link: &Link) -> Result<(), TreeError> {
    if let Some(parent) = link.parent.filter(|parent| *parent >= at) {
        return Err(TreeError::Parent { link: at, parent });
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
        return Err(TreeError::Inertia(at));
    }
    match link.joint {
        Joint::Revolute(axis) | Joint::Prismatic(axis)
            if !axis.ratio.is_normal() || !axis.offset.is_finite() =>
        {
            Err(TreeError::Axis(at))
        }
        _ => Ok(()),
    }
}

/// Motion of a joint with one coordinate, for a joint speed of 1.
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
        assert_eq!(tree.speed_count(), 9);
        assert_eq!(tree.position_count(), 10);
        assert_eq!(tree.before[6..], [Some(5), Some(6), Some(5)]);
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
        assert_eq!(tree.speed_count(), 2);
        assert_eq!(tree.before, [None, Some(0)]);
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
