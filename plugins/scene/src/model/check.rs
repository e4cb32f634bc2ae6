//! Validation of a scene that a program built, so that it can be written and simulated.

use morse_api::range::ValueRange;
use morse_diagnostics::printable;
use thiserror::Error;

use super::class::{Attribute, Class, Value};
use super::numbers::Visit;
use super::{Frame, Geometry, Joint, Scene, Shape};
use crate::bounds::Bounds;

/// Reason for the refusal of a change to a scene.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SceneError {
    /// A frame with this name exists already.
    #[error("there is already a frame `{}`", printable(name))]
    DuplicateFrame {
        /// Name of the frame.
        name: String,
    },
    /// A class with this name exists already.
    #[error("there is already a class `{}`", printable(name))]
    DuplicateClass {
        /// Name of the class.
        name: String,
    },
    /// The frame to be changed does not exist.
    #[error("there is no frame `{}`", printable(name))]
    UnknownFrame {
        /// Name of the frame.
        name: String,
    },
    /// The parents of frames form a cycle.
    #[error("the parents of these frames form a cycle: {}", printable(&names.join(" → ")))]
    Cycle {
        /// Names of the frames along the cycle.
        names: Vec<String>,
    },
    /// A scene file could not represent the frame or class.
    #[error("`{}`: {reason}", printable(name))]
    Invalid {
        /// Name of the frame or class.
        name: String,
        /// Reason, as a sentence without its full stop.
        reason: String,
    },
}

/// Maximum length of a name, bytes; the reader has the same limit.
pub const LONGEST_NAME: usize = 1024;

type Checked = Result<(), String>;

impl Scene {
    /// Checks the properties that concern several frames: the parents form no cycle, every pose is finite, and the names of
    /// allowed pairs can be written.
    ///
    /// # Errors
    ///
    /// Returns the first violation.
    pub fn check(&self) -> Result<(), SceneError> {
        if let Some(names) = self.cycle() {
            let names = names.into_iter().map(ToOwned::to_owned).collect();
            return Err(SceneError::Cycle { names });
        }
        if let Some(frame) = self.infinite_frame() {
            return Err(SceneError::Invalid {
                name: frame.name.clone(),
                reason: "its pose in the root frame is not finite".into(),
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
        for name in self.closures().iter().flat_map(|closure| &closure.frames) {
            if self.frame(name).is_none() {
                return Err(SceneError::Invalid {
                    name: name.clone(),
                    reason: "a loop closure has this frame, which does not exist".into(),
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

    /// Checks the properties that mounting changes in a frame that was checked before.
    pub(super) fn check_mounted(&self) -> Result<(), SceneError> {
        let changed = || {
            name("frame", &self.name)?;
            if let Some(axis) = self.joint.axis() {
                name("variable", &axis.variable)?;
            }
            self.parent
                .iter()
                .try_for_each(|parent| name("parent", parent))?;
            let position = self.pose.translation.vector.iter();
            match position
                .chain(self.pose.rotation.coords.iter())
                .all(|number| number.is_finite())
            {
                true => Ok(()),
                false => Err("its pose must be finite".to_owned()),
            }
        };
        changed().map_err(|reason| SceneError::Invalid {
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
        possible(|visit| self.numbers(visit))?;
        if let Some(moments) = self.inertia {
            fits("inertia", &Value::Numbers(moments.into()))?;
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
    if matches!(joint, Joint::Revolute(_)) && axis.axis.amax() <= 0.0 {
        return Err("a revolute joint needs an axis that is not zero".into());
    }
    match axis.limits.position {
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
        possible(|visit| self.numbers(visit))?;
        if let Some(image) = &self.image {
            name("image file", &image.file)?;
        }
        if let Shape::Mesh(mesh) = &self.shape {
            name("mesh file", &mesh.file)?;
        }
        self.tags.iter().try_for_each(|tag| name("tag", tag))
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
            fits(attribute, value)?;
            match value {
                Value::Number(number) => possible(|visit| visit(known, &[*number]))?,
                Value::Numbers(numbers) => possible(|visit| visit(known, numbers))?,
                // An empty name is the root, which is a valid parent.
                Value::Name(text) if attribute == "parent" && text.is_empty() => {}
                Value::Name(text) => name(attribute, text)?,
            }
        }
        Ok(())
    }
}

/// Checks a name. The language has no escape sequences, so that a quote cannot be written; an empty name means the root.
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

/// Checks that a value has the type of its attribute.
fn fits(attribute: &str, value: &Value) -> Checked {
    let known = Attribute::find(attribute);
    match known.and_then(|known| known.kind.objection(value)) {
        Some(demand) => Err(format!("`{attribute}` must be {demand}")),
        None => Ok(()),
    }
}

/// Checks that a scene file can represent the numbers. Attributes of the language's first implementation accept all finite
/// numbers: a scene with a negative radius can be read and written, though not simulated.
fn possible(numbers: impl FnOnce(Visit<'_>)) -> Checked {
    let mut wrong = None;
    numbers(&mut |attribute, numbers| {
        let range = match attribute.bounds {
            Some(range) if attribute.extension => range,
            _ => Bounds::ANY,
        };
        if let (None, Some(number)) = (&wrong, range.violation(numbers)) {
            let (name, number) = (attribute.name, ValueRange::shown(number));
            wrong = Some(format!("{name} must be {range}, not {number}"));
        }
    });
    wrong.map_or(Ok(()), Err)
}
