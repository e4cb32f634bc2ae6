//! Content of a robot description as written: links, joints and materials, with their spans.

use std::collections::BTreeMap;

use morse_diagnostics::Span;
use morse_scene::model::Shape;
use nalgebra::{Isometry3, Vector3};

/// A robot description.
#[derive(Clone, Debug)]
pub(super) struct Robot {
    /// Span of the element.
    pub(super) span: Span,
    pub(super) links: Vec<Link>,
    pub(super) joints: Vec<Joint>,
    /// Materials with a name and a content, of the robot and of all its links.
    pub(super) materials: BTreeMap<String, Material>,
}

/// A name and its span.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

/// A link element.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) name: Name,
    pub(super) inertial: Option<Inertial>,
    /// Visuals and collisions, in the order of the file.
    pub(super) pieces: Vec<Piece>,
    /// Friction coefficient and coefficient of restitution of `<contact>`.
    pub(super) contact: [Option<f64>; 2],
}

/// Mass and inertia of a link.
#[derive(Clone, Debug)]
pub(super) struct Inertial {
    /// Mass, kg.
    pub(super) mass: f64,
    /// Centre of mass and axes of the inertia, in the frame of the link.
    pub(super) origin: Isometry3<f64>,
    /// Inertia `[ixx, iyy, izz, ixy, ixz, iyz]` in these axes, kg·m².
    pub(super) inertia: Option<[f64; 6]>,
    pub(super) span: Span,
}

/// A visual or collision element.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) is_visual: bool,
    pub(super) origin: Isometry3<f64>,
    pub(super) shape: Shape,
    /// Scale of a mesh along each axis.
    pub(super) scale: [f64; 3],
    pub(super) material: Option<Material>,
    pub(super) span: Span,
    /// Span of the file name of a mesh, or of the whole shape.
    pub(super) file: Span,
}

/// Appearance of a visual.
#[derive(Clone, Debug)]
pub(super) struct Material {
    pub(super) name: Option<Name>,
    pub(super) rgba: Option<[f64; 4]>,
    pub(super) texture: Option<Name>,
    /// Colour of the specular highlights, in Bullet's form.
    pub(super) specular: Option<[f64; 3]>,
}

/// A joint element between two links.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) name: Name,
    pub(super) kind: Kind,
    pub(super) parent: Name,
    pub(super) child: Name,
    pub(super) origin: Isometry3<f64>,
    /// Axis of unit length.
    pub(super) axis: Vector3<f64>,
    pub(super) limit: Limit,
    /// Viscous damping, N·m·s/rad or N·s/m.
    pub(super) damping: Option<f64>,
    /// Dry friction, N·m or N.
    pub(super) friction: Option<f64>,
    pub(super) mimic: Option<Mimic>,
}

/// Type of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Fixed,
    Revolute,
    Continuous,
    Prismatic,
    Floating,
    Planar,
    Spherical,
}

impl Kind {
    /// All types, with their words in the file.
    pub(super) const ALL: [(&'static str, Self); 7] = [
        ("fixed", Self::Fixed),
        ("revolute", Self::Revolute),
        ("continuous", Self::Continuous),
        ("prismatic", Self::Prismatic),
        ("floating", Self::Floating),
        ("planar", Self::Planar),
        ("spherical", Self::Spherical),
    ];

    /// Returns true if the joint rotates about, or moves along, a single axis.
    pub(super) fn has_axis(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }
}

/// Limits of a joint; `None` is unlimited.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limit {
    pub(super) position: Option<[f64; 2]>,
    pub(super) velocity: Option<f64>,
    pub(super) effort: Option<f64>,
}

/// A mimic joint: its position is `multiplier` times the leader's position plus `offset`.
#[derive(Clone, Debug)]
pub(super) struct Mimic {
    pub(super) joint: Name,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}
