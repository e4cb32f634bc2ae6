//! A scene as plain data: frames, joints, geometry, inertia, classes and allowed pairs.
//!
//! The parser of `.robray` text makes this model, programs can make it by hand, and
//! `morse_robray::write` turns it back into text without loss:
//!
//! ```
//! use morse_scene::model::{Frame, Geometry, Joint, JointAxis, Scene, Shape};
//!
//! let mut scene = Scene::default();
//! scene.add_frame(Frame::new("base"))?;
//! scene.add_frame(
//!     Frame::new("arm")
//!         .under("base")
//!         .at([0.0, 0.0, 0.5])
//!         .joined(Joint::Revolute(JointAxis::new([0.0, 1.0, 0.0], "shoulder")))
//!         .with(Geometry::new(Shape::Cylinder { radius: 0.05, height: 1.0 })),
//! )?;
//! scene.allow_collision("base", "arm");
//! let poses = scene.absolute_poses(|_variable| 0.1);
//! assert_eq!(poses.len(), 2);
//! # Ok::<(), morse_scene::model::SceneError>(())
//! ```

mod build;
mod check;
mod class;
mod kinematics;
mod numbers;
mod stretch;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use morse_diagnostics::Span;
use nalgebra::{Isometry3, Vector3};

pub use build::{rotation_from_rpy, rotation_from_xyzw};
pub use check::{LONGEST_NAME, SceneError};
pub use class::{ATTRIBUTES, Attribute, Class, JOINT_WORDS, Kind, SHAPE_WORDS, Value};
pub use numbers::Violation;
pub use stretch::{stretch, stretched};

/// Everything a `.robray` file says, evaluated: no definitions, no includes, no inheritance left.
///
/// Frames keep the order in which they were declared, and their names are unique.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    frames: Vec<Frame>,
    index: BTreeMap<String, usize>,
    classes: Vec<Class>,
    allowed_collisions: BTreeSet<(String, String)>,
}

/// A coordinate frame: where it is, how it moves, and what is attached to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Unique in the scene, never empty.
    pub name: String,
    /// The frame this one hangs on; `None` is the root. A name that no frame has also means the root.
    pub parent: Option<String>,
    /// `parent_from_frame` with the joint at zero: translation after rotation, in metres.
    pub pose: Isometry3<f64>,
    /// Joint between the frame and its parent, after `pose`.
    pub joint: Joint,
    /// In kilograms.
    pub mass: Option<f64>,
    /// In frame coordinates, in metres.
    pub center_of_mass: Option<Vector3<f64>>,
    /// `[ixx, iyy, izz, ixy, ixz, iyz]` about the centre of mass, in frame axes, in kg·m².
    pub inertia: Option<[f64; 6]>,
    /// Geometry that can be seen and touched, in the order it was declared.
    pub geometry: Vec<Geometry>,
    /// Place of the frame's declaration.
    pub source: Origin,
}

/// Place where a part of a scene was written, for diagnostics. Any two origins are equal: a scene is the
/// same scene whichever file it came from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin(pub Option<Span>);

impl PartialEq for Origin {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

/// Motion of a frame against its parent.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Joint {
    /// No motion.
    #[default]
    Fixed,
    /// Turns about an axis; the axis may have any length but zero.
    Revolute(JointAxis),
    /// Slides along an axis. The travel is the variable times the ratio and the length of the axis.
    Prismatic(JointAxis),
    /// Moves freely.
    Floating,
}

/// The axis of a joint, the variable that moves it, and its limits.
#[derive(Clone, Debug, PartialEq)]
pub struct JointAxis {
    /// In frame coordinates, as written (not normalised).
    pub axis: Vector3<f64>,
    /// The configuration variable; joints with the same variable move together.
    pub variable: String,
    /// Added to the variable; radians, or units of the axis.
    pub offset: f64,
    /// Limits of the joint.
    pub limits: Limits,
    /// Viscous damping, in N·m·s/rad or N·s/m.
    pub damping: Option<f64>,
    /// Greatest dry friction, in N·m or N.
    pub dry_friction: Option<f64>,
    /// Inertia of the motor's rotor about its own shaft, in kg·m², or kg.
    pub armature: Option<f64>,
    /// Turns of the rotor for one unit of the variable; 1 unless given.
    pub gear: Option<f64>,
    /// Motion of the joint for one unit of the variable, 1 unless given.
    pub ratio: Option<f64>,
}

/// The limits of a joint; what is `None` is not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// `[lower, upper]` of the variable.
    pub position: Option<[f64; 2]>,
    /// Greatest speed of the variable, either way.
    pub velocity: Option<f64>,
    /// Greatest force or torque, either way.
    pub effort: Option<f64>,
}

/// A shape on a frame, with what it looks like and what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// Primitive shape or mesh.
    pub shape: Shape,
    /// The names of all classes it inherits from, directly or not.
    pub tags: BTreeSet<String>,
    /// Red, green and blue, 0 to 1; a reader warns of others.
    pub color: [f64; 3],
    /// 0 is transparent, 1 opaque; a reader warns of others.
    pub alpha: f64,
    /// Colour of the highlights.
    pub specular: [f64; 3],
    /// Exponent of the highlights: the greater, the smaller they are; 40 unless given.
    pub shininess: Option<f64>,
    /// An image on the surface.
    pub image: Option<ImageFile>,
    /// The other colour of a checker on the surface, where there is no image.
    pub checker: Option<[f64; 3]>,
    /// Width of the image, or side of a square of the checker, in m; they fit the surface unless given.
    pub pattern_size: Option<f64>,
    /// Uniform scale about the frame origin.
    pub scale: f64,
    /// True if it is drawn.
    pub visual: bool,
    /// True if it can be touched.
    pub collision: bool,
    /// True if it casts no shadow.
    pub no_shadow: bool,
    /// Coulomb friction coefficient.
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: Option<f64>,
    /// In kg/m³.
    pub density: Option<f64>,
    /// Place of the geometry's declaration.
    pub source: Origin,
}

/// An image file, which the model does not open.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageFile {
    /// As it was written.
    pub file: String,
    /// Path of the file; `None` if it must not be opened.
    pub resolved: Option<PathBuf>,
}

/// A primitive shape or a mesh, in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Centred on the frame.
    Box {
        /// Full side lengths.
        dimension: [f64; 3],
    },
    /// Centred on the frame.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// Along z, from z = 0 to z = `height`, which may be negative.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its signed length.
        height: f64,
    },
    /// Along z, from z = 0 to z = `height`, which may be negative.
    Cone {
        /// Radius at z = 0.
        start_radius: f64,
        /// Radius at z = `height`.
        end_radius: f64,
        /// Its signed length.
        height: f64,
    },
    /// A sphere swept along z; the centres of its caps are at z = 0 and z = `height`.
    Capsule {
        /// Radius of cylinder and caps.
        radius: f64,
        /// Between the centres of the caps.
        height: f64,
    },
    /// Lines in the xy plane. Drawn only, never touched.
    Grid {
        /// Half extents: lines reach from −d to +d.
        dimension: [f64; 2],
        /// Distance between lines.
        delta: [f64; 2],
        /// Width of a line.
        thickness: f64,
    },
    /// Triangles from a file, which the model does not open.
    Mesh {
        /// As it was written.
        file: String,
        /// Path of the file, [`stretched`] where the mesh is.
        resolved: PathBuf,
    },
}
