//! A scene as plain data: frames, joints, geometry, inertia, classes and allowed pairs.
//!
//! The parser of `.robray` text creates this model, programs can build it directly, and `morse_robray::write` converts it
//! back to text without loss:
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
mod closure;
mod inline;
mod kinematics;
mod numbers;
mod removal;
mod stretch;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use morse_diagnostics::Span;
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

pub use build::{rotation_from_rpy, rotation_from_xyzw};
pub use check::{LONGEST_NAME, SceneError};
pub use class::{ATTRIBUTES, Attribute, Class, JOINT_WORDS, Kind, SHAPE_WORDS, Value, shape_needs};
pub use closure::{ClosureKind, LoopClosure};
pub use inline::{inline, inlined};
pub use numbers::Violation;
pub use stretch::{is_upright, stretch, stretched, turn_upright};

/// Content of a scene file after evaluation: definitions, includes and inheritance are resolved.
///
/// Frames keep their order of declaration, and their names are unique.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    frames: Vec<Frame>,
    index: BTreeMap<String, usize>,
    classes: Vec<Class>,
    allowed_collisions: BTreeSet<(String, String)>,
    closures: Vec<LoopClosure>,
}

/// A coordinate frame with its pose, joint, inertia and geometry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Name, unique in the scene and never empty.
    pub name: String,
    /// Name of the parent frame; `None` is the root. A name without a frame also means the root.
    pub parent: Option<String>,
    /// `parent_from_frame` with the joint at position zero: translation after rotation, m.
    pub pose: Isometry3<f64>,
    /// Joint between the frame and its parent, after `pose`.
    pub joint: Joint,
    /// Mass, kg.
    pub mass: Option<f64>,
    /// Centre of mass in frame coordinates, m.
    pub center_of_mass: Option<Vector3<f64>>,
    /// Inertia `[ixx, iyy, izz, ixy, ixz, iyz]` about the centre of mass, in frame axes, kg·m².
    pub inertia: Option<[f64; 6]>,
    /// Visual and collision geometry, in the order of declaration.
    pub geometry: Vec<Geometry>,
    /// Source position of the frame's declaration.
    #[serde(skip)]
    pub source: Origin,
}

/// Coefficient of friction of geometry without one.
pub const DEFAULT_FRICTION: f64 = 0.5;

/// Source position of an element of a scene, for diagnostics. All origins compare equal, so that the equality of scenes does
/// not depend on their files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin(pub Option<Span>);

impl PartialEq for Origin {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

/// Joint between a frame and its parent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Joint {
    /// No motion.
    #[default]
    Fixed,
    /// Rotation about an axis of any length except zero.
    Revolute(JointAxis),
    /// Translation along an axis. The displacement is the variable times the ratio and the length of the axis.
    Prismatic(JointAxis),
    /// Free motion, six degrees of freedom.
    Floating,
}

/// Axis of a joint, with the variable that moves it and its limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointAxis {
    /// Axis in frame coordinates, as written (not normalised).
    pub axis: Vector3<f64>,
    /// Name of the configuration variable; joints with the same variable move together.
    pub variable: String,
    /// Offset that is added to the variable; radians, or units of the axis.
    pub offset: f64,
    /// Limits of the joint.
    pub limits: Limits,
    /// Viscous damping, N·m·s/rad or N·s/m.
    pub damping: Option<f64>,
    /// Maximum dry friction, N·m or N.
    pub dry_friction: Option<f64>,
    /// Inertia of the motor's rotor about its own shaft, kg·m², or kg.
    pub armature: Option<f64>,
    /// Gear ratio: turns of the rotor per unit of the variable; 1 by default.
    pub gear: Option<f64>,
    /// Motion of the joint per unit of the variable; 1 by default.
    pub ratio: Option<f64>,
}

/// Limits of a joint; `None` is unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Limits `[lower, upper]` of the variable.
    pub position: Option<[f64; 2]>,
    /// Maximum speed of the variable in both directions.
    pub velocity: Option<f64>,
    /// Maximum force or torque in both directions.
    pub effort: Option<f64>,
}

/// A shape attached to a frame, with its appearance and material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Geometry {
    /// Primitive shape or mesh.
    pub shape: Shape,
    /// Names of all direct and indirect base classes.
    pub tags: BTreeSet<String>,
    /// Red, green and blue, 0 to 1; a reader warns of values out of this range.
    pub color: [f64; 3],
    /// Opacity: 0 is transparent, 1 opaque; a reader warns of values out of this range.
    pub alpha: f64,
    /// Colour of the specular highlights, red, green and blue.
    pub specular: [f64; 3],
    /// Specular exponent; a greater one makes smaller highlights. 40 by default.
    pub shininess: Option<f64>,
    /// Texture image on the surface.
    pub image: Option<ImageFile>,
    /// Second colour of a checker pattern on the surface, if there is no image.
    pub checker: Option<[f64; 3]>,
    /// Width of the image, or side of a square of the checker, m; by default the pattern fits the surface.
    pub pattern_size: Option<f64>,
    /// Uniform scale about the origin of the frame.
    pub scale: f64,
    /// True if the geometry is drawn.
    pub visual: bool,
    /// True if the geometry takes part in collisions.
    pub collision: bool,
    /// True if the geometry casts no shadow.
    pub no_shadow: bool,
    /// Coulomb friction coefficient.
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: Option<f64>,
    /// Density, kg/m³.
    pub density: Option<f64>,
    /// Maximum number of convex parts into which a mesh that moves is divided for contacts; by default its contacts are those
    /// of its convex hull.
    pub convex_parts: Option<f64>,
    /// Source position of the geometry's declaration.
    #[serde(skip)]
    pub source: Origin,
}

/// An image file; the model does not open it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageFile {
    /// Path as written.
    pub file: String,
    /// Resolved path; `None` if the file must not be opened.
    pub resolved: Option<PathBuf>,
}

/// A primitive shape, or a mesh from a file; lengths in m.
pub type Shape = morse_api::shape::Shape<MeshFile>;

/// Triangle mesh from a file; the model does not open it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeshFile {
    /// Path as written.
    pub file: String,
    /// Resolved path, with factors if the mesh is [`stretched`].
    pub resolved: PathBuf,
}
