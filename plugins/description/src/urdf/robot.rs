//! Content of a robot description, as it is written: links, joints, materials, with their places.

use std::collections::BTreeMap;

use morse_diagnostics::Span;
use morse_scene::model::Shape;
use nalgebra::{Isometry3, Vector3};

/// A robot.
#[derive(Clone, Debug)]
pub(super) struct Robot {
    /// Place of the element.
    pub(super) span: Span,
    pub(super) links: Vec<Link>,
    pub(super) joints: Vec<Joint>,
    /// Materials of the robot and of all its links that have a name and a content.
    pub(super) materials: BTreeMap<String, Material>,
}

/// A name and its place.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

/// A link.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) name: Name,
    pub(super) inertial: Option<Inertial>,
    /// Visuals and collisions, in the order of the file.
    pub(super) pieces: Vec<Piece>,
    /// Coulomb coefficient and coefficient of restitution of `<contact>`.
    pub(super) contact: [Option<f64>; 2],
}

/// Mass of a link.
#[derive(Clone, Debug)]
pub(super) struct Inertial {
    /// kg.
    pub(super) mass: f64,
    /// Centre and axes of the inertia, in the link.
    pub(super) origin: Isometry3<f64>,
    /// `[ixx, iyy, izz, ixy, ixz, iyz]` in those axes, kg·m².
    pub(super) inertia: Option<[f64; 6]>,
    pub(super) span: Span,
}

/// A visual or a collision.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) is_visual: bool,
    pub(super) origin: Isometry3<f64>,
    pub(super) shape: Shape,
    /// Of a mesh, along each axis.
    pub(super) scale: [f64; 3],
    pub(super) material: Option<Material>,
    pub(super) span: Span,
    /// Place of the name of a mesh, or of the whole.
    pub(super) file: Span,
}

/// Looks of a visual.
#[derive(Clone, Debug)]
pub(super) struct Material {
    pub(super) name: Option<Name>,
    pub(super) rgba: Option<[f64; 4]>,
    pub(super) texture: Option<Name>,
    /// Highlights, as Bullet has them.
    pub(super) specular: Option<[f64; 3]>,
}

/// A joint between two links.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) name: Name,
    pub(super) kind: Kind,
    pub(super) parent: Name,
    pub(super) child: Name,
    pub(super) origin: Isometry3<f64>,
    /// Of unit length.
    pub(super) axis: Vector3<f64>,
    pub(super) limit: Limit,
    /// N·m·s/rad or N·s/m.
    pub(super) damping: Option<f64>,
    /// N·m or N.
    pub(super) friction: Option<f64>,
    pub(super) mimic: Option<Mimic>,
}

/// Kind of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Fixed,
    Revolute,
    Continuous,
    Prismatic,
    Floating,
    Planar,
}

impl Kind {
    /// All of them, with their words.
    pub(super) const ALL: [(&'static str, Self); 6] = [
        ("fixed", Self::Fixed),
        ("revolute", Self::Revolute),
        ("continuous", Self::Continuous),
        ("prismatic", Self::Prismatic),
        ("floating", Self::Floating),
        ("planar", Self::Planar),
    ];

    /// Tells whether it has one axis to move about or along.
    pub(super) fn has_axis(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }
}

/// Limits of a joint; `None` is none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limit {
    pub(super) position: Option<[f64; 2]>,
    pub(super) velocity: Option<f64>,
    pub(super) effort: Option<f64>,
}

/// A joint that follows another one: `multiplier` times its position plus `offset`.
#[derive(Clone, Debug)]
pub(super) struct Mimic {
    pub(super) joint: Name,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}
