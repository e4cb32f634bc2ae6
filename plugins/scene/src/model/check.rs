//! Checks of a scene that was made by hand, so that it can be written and simulated.

use thiserror::Error;

use super::class::{Attribute, Class, Value};
use super::{Frame, Geometry, Joint, Scene, Shape};
use crate::diagnostic::printable;

/// Reason why a change to a scene was refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SceneError {
    /// Frame names are unique.
    #[error("there is already a frame `{}`", printable(name))]
    DuplicateFrame {
        /// Of the frame.
        name: String,
    },
    /// Class names are unique.
    #[error("there is already a class `{}`", printable(name))]
    DuplicateClass {
        /// Of the class.
        name: String,
    },
    /// The frame to be changed does not exist.
    #[error("there is no frame `{}`", printable(name))]
    UnknownFrame {
        /// Of the frame.
        name: String,
    },
    /// Frames hang on each other in a circle.
    #[error("the parents of these frames form a cycle: {}", printable(&names.join(" → ")))]
    Cycle {
        /// Along the cycle.
        names: Vec<String>,
    },
    /// Something that no scene file could say.
    #[error("`{}`: {reason}", printable(name))]
    Invalid {
        /// Of the frame or class.
        name: String,
        /// A sentence without its full stop.
        reason: String,
    },
}

/// In bytes; the reader has the same limit.
pub(crate) const LONGEST_NAME: usize = 1024;

type Checked = Result<(), String>;

impl Scene {
    /// Checks what cannot be checked frame by frame: that no frames hang on each other in a circle,
    /// that every pose is finite, and that the names of allowed pairs can be written.
    ///
    /// # Errors
    ///
    /// The first of these that does not hold.
    pub fn check(&self) -> Result<(), SceneError> {
        if let Some(names) = self.cycle() {
            let names = names.into_iter().map(ToOwned::to_owned).collect();
            return Err(SceneError::Cycle { names });
        }
        if let Some(frame) = self.infinite_frame() {
            return Err(SceneError::Invalid {
                name: frame.name.clone(),
                reason: "its place in the root frame is not finite".into(),
            });
        }
        let pairs = self.allowed_collisions().iter();
        for text in pairs.flat_map(|(one, other)| [one, other]) {
            if text.contains(['"', '\0']) || text.len() > LONGEST_NAME {
                return Err(SceneError::Invalid {
                    name: text.clone(),
                    reason: "this name cannot be written in an allowed pair".into(),
                });
            }
        }
        Ok(())
    }
}

impl Frame {
    pub(super) fn check(&self) -> Result<(), SceneError> {
        self.objections().map_err(|reason| SceneError::Invalid {
            name: self.name.clone(),
            reason,
        })
    }

    fn objections(&self) -> Checked {
        name("frame", &self.name)?;
        if let Some(parent) = &self.parent {
            name("parent", parent)?;
            if *parent == self.name {
                return Err("a frame cannot be its own parent".into());
            }
        }
        let pose = self.pose.rotation.coords.iter();
        finite("pose", pose.chain(self.pose.translation.vector.iter()))?;
        finite("mass", &self.mass)?;
        not_negative("mass", self.mass)?;
        finite("center_of_mass", self.center_of_mass.iter().flatten())?;
        finite("inertia", self.inertia.iter().flatten())?;
        if let Some([xx, yy, zz, ..]) = self.inertia {
            not_negative("inertia", [xx, yy, zz])?;
        }
        joint(&self.joint)?;
        self.geometry.iter().try_for_each(Geometry::objections)
    }
}

fn joint(joint: &Joint) -> Checked {
    let Some(axis) = joint.axis() else {
        return Ok(());
    };
    name("variable", &axis.variable)?;
    finite("axis", &axis.axis)?;
    finite("offset", [&axis.offset])?;
    if matches!(joint, Joint::Revolute(_)) && axis.axis.amax() <= 0.0 {
        return Err("a revolute joint needs an axis that is not zero".into());
    }
    finite("damping", &axis.damping)?;
    not_negative("damping", axis.damping)?;
    let limits = &axis.limits;
    let either_way = [limits.velocity, limits.effort].into_iter().flatten();
    not_negative("limit", either_way.clone())?;
    finite("limit", &either_way.collect::<Vec<_>>())?;
    finite("limit_position", limits.position.iter().flatten())?;
    match limits.position {
        Some([lower, upper]) if lower > upper => {
            Err("the lower limit of the position is above the upper one".into())
        }
        _ => Ok(()),
    }
}

impl Geometry {
    pub(super) fn check(&self, frame: &str) -> Result<(), SceneError> {
        self.objections().map_err(|reason| SceneError::Invalid {
            name: frame.into(),
            reason,
        })
    }

    fn objections(&self) -> Checked {
        finite("color", &self.color)?;
        finite("specular", &self.specular)?;
        finite("checker", self.checker.iter().flatten())?;
        for (what, number) in [
            ("shininess", self.shininess),
            ("pattern_size", self.pattern_size),
        ] {
            finite(what, &number)?;
            if number.is_some_and(|number| number <= 0.0) {
                return Err(format!("{what} must be above 0"));
            }
        }
        if let Some(image) = &self.image {
            name("image file", &image.file)?;
        }
        finite("alpha", [&self.alpha])?;
        finite("scale", [&self.scale])?;
        let materials = [self.friction, self.restitution, self.density];
        let materials: Vec<f64> = materials.into_iter().flatten().collect();
        finite("friction, restitution or density", &materials)?;
        not_negative("friction, restitution or density", materials)?;
        for tag in &self.tags {
            name("tag", tag)?;
        }
        self.shape.objections()
    }
}

impl Shape {
    fn objections(&self) -> Checked {
        match self {
            Self::Box { dimension } => finite("dimension", dimension),
            Self::Sphere { radius } => finite("radius", [radius]),
            Self::Cylinder { radius, height } | Self::Capsule { radius, height } => {
                finite("radius or height", [radius, height])
            }
            Self::Cone {
                start_radius,
                end_radius,
                height,
            } => finite("radius or height", [start_radius, end_radius, height]),
            Self::Grid {
                dimension,
                delta,
                thickness,
            } => {
                let numbers = dimension.iter().chain(delta).chain([thickness]);
                finite("dimension, delta or thickness", numbers)
            }
            Self::Mesh { file, .. } => name("mesh file", file),
        }
    }
}

impl Class {
    pub(super) fn check(&self) -> Result<(), SceneError> {
        self.objections().map_err(|reason| SceneError::Invalid {
            name: self.name.clone(),
            reason,
        })
    }

    fn objections(&self) -> Checked {
        name("class", &self.name)?;
        for class in &self.isa {
            name("class in isa", class)?;
        }
        for (attribute, value) in &self.attributes {
            let known = Attribute::find(attribute).filter(|known| known.class);
            let Some(known) = known.filter(|known| known.name != "isa") else {
                let shown = printable(attribute);
                return Err(format!("a class cannot have the attribute `{shown}`"));
            };
            if let Some(demand) = known.kind.objection(value) {
                return Err(format!("`{attribute}` must be {demand}"));
            }
            match value {
                Value::Number(number) => finite(attribute, [number])?,
                Value::Numbers(numbers) => finite(attribute, numbers)?,
                // The root is a parent, though it has no name.
                Value::Name(text) if attribute == "parent" && text.is_empty() => {}
                Value::Name(text) => name(attribute, text)?,
            }
        }
        Ok(())
    }
}

/// The language has no escapes, so a quote cannot be written; and an empty name means the root.
fn name(what: &str, text: &str) -> Checked {
    if text.is_empty() {
        Err(format!("the name of a {what} cannot be empty"))
    } else if text.contains(['"', '\0']) {
        Err(format!("the name of a {what} cannot hold a quote or NUL"))
    } else if text.len() > LONGEST_NAME {
        Err(format!(
            "the name of a {what} is longer than {LONGEST_NAME} bytes"
        ))
    } else {
        Ok(())
    }
}

fn finite<'a>(what: &str, numbers: impl IntoIterator<Item = &'a f64>) -> Checked {
    if numbers.into_iter().all(|number| number.is_finite()) {
        Ok(())
    } else {
        Err(format!("{what} must be finite"))
    }
}

fn not_negative(what: &str, numbers: impl IntoIterator<Item = f64>) -> Checked {
    if numbers.into_iter().all(|number| number >= 0.0) {
        Ok(())
    } else {
        Err(format!("{what} must not be negative"))
    }
}
