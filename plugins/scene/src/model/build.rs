//! Construction of scenes by programs: constructors, and modifications that keep a scene consistent.

use std::collections::{BTreeSet, btree_map::Entry};
use std::path::Path;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::{
    Class, Frame, Geometry, Joint, JointAxis, Limits, LoopClosure, MeshFile, Origin, Scene,
    SceneError, Shape,
};

impl Frame {
    /// Returns a fixed frame at the root's origin, without geometry.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            parent: None,
            pose: Isometry3::identity(),
            joint: Joint::Fixed,
            mass: None,
            center_of_mass: None,
            inertia: None,
            geometry: Vec::new(),
            source: Origin::default(),
        }
    }

    /// Sets the parent of the frame.
    #[must_use]
    pub fn under(mut self, parent: impl Into<String>) -> Self {
        self.parent = Some(parent.into()).filter(|name| !name.is_empty());
        self
    }

    /// Sets the translation, m.
    #[must_use]
    pub fn at(mut self, translation: [f64; 3]) -> Self {
        self.pose.translation = Translation3::from(Vector3::from(translation));
        self
    }

    /// Sets the rotation by roll, pitch and yaw (rad) about the fixed axes x, y and z, in that order.
    #[must_use]
    pub fn turned(mut self, [roll, pitch, yaw]: [f64; 3]) -> Self {
        self.pose.rotation = rotation_from_rpy(roll, pitch, yaw);
        self
    }

    /// Sets the joint.
    #[must_use]
    pub fn joined(mut self, joint: Joint) -> Self {
        self.joint = joint;
        self
    }

    /// Adds a geometry.
    #[must_use]
    pub fn with(mut self, geometry: Geometry) -> Self {
        self.geometry.push(geometry);
        self
    }

    /// Normalises the rotation. Products of rotations drift from unit length, and only unit quaternions can be written and
    /// read without loss.
    fn normalize(&mut self) {
        let coordinates = self.pose.rotation.coords;
        if let Some(rotation) = rotation_from_xyzw(coordinates.into()) {
            self.pose.rotation = rotation;
        }
    }
}

/// Returns the rotation Rz(yaw)·Ry(pitch)·Rx(roll), computed with the sine and cosine of `libm`.
#[must_use]
pub fn rotation_from_rpy(roll: f64, pitch: f64, yaw: f64) -> UnitQuaternion<f64> {
    let (sin_roll, cos_roll) = libm::sincos(roll / 2.0);
    let (sin_pitch, cos_pitch) = libm::sincos(pitch / 2.0);
    let (sin_yaw, cos_yaw) = libm::sincos(yaw / 2.0);
    let about_x = Quaternion::new(cos_roll, sin_roll, 0.0, 0.0);
    let about_y = Quaternion::new(cos_pitch, 0.0, sin_pitch, 0.0);
    let about_z = Quaternion::new(cos_yaw, 0.0, 0.0, sin_yaw);
    UnitQuaternion::new_normalize(about_z * about_y * about_x)
}

/// Returns the rotation of a quaternion `[x, y, z, w]` of any length, or `None` if the length is zero or overflows. A unit
/// quaternion is returned bit for bit.
#[must_use]
pub fn rotation_from_xyzw([x, y, z, w]: [f64; 4]) -> Option<UnitQuaternion<f64>> {
    let largest = [x, y, z, w]
        .into_iter()
        .fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest <= 0.0 || !largest.is_finite() {
        return None;
    }
    let written = Quaternion::new(w, x, y, z);
    if (written.norm_squared() - 1.0).abs() <= 8.0 * f64::EPSILON {
        return Some(UnitQuaternion::new_unchecked(written));
    }
    // Division by the component of the greatest magnitude keeps the squares within range.
    Some(UnitQuaternion::new_normalize(written / largest))
}

impl JointAxis {
    /// Returns an axis without offset, limits, friction and rotor.
    #[must_use]
    pub fn new(axis: [f64; 3], variable: impl Into<String>) -> Self {
        Self {
            axis: Vector3::from(axis),
            variable: variable.into(),
            offset: 0.0,
            limits: Limits::default(),
            damping: None,
            dry_friction: None,
            armature: None,
            gear: None,
            ratio: None,
        }
    }
}

impl Joint {
    /// Returns the axis of a revolute or prismatic joint.
    #[must_use]
    pub fn axis(&self) -> Option<&JointAxis> {
        match self {
            Self::Revolute(axis) | Self::Prismatic(axis) => Some(axis),
            Self::Fixed | Self::Floating => None,
        }
    }

    /// Returns the axis of a revolute or prismatic joint, to change it.
    pub fn axis_mut(&mut self) -> Option<&mut JointAxis> {
        match self {
            Self::Revolute(axis) | Self::Prismatic(axis) => Some(axis),
            Self::Fixed | Self::Floating => None,
        }
    }

    /// Returns the keyword of the joint in scene files.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute(_) => "revolute",
            Self::Prismatic(_) => "prismatic",
            Self::Floating => "floating",
        }
    }
}

impl Geometry {
    /// Returns a shape with the default appearance of the language: light grey, with visual and collision geometry.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            tags: BTreeSet::new(),
            color: [0.8; 3],
            alpha: 1.0,
            specular: [0.0; 3],
            shininess: None,
            image: None,
            checker: None,
            pattern_size: None,
            scale: 1.0,
            visual: true,
            collision: true,
            no_shadow: false,
            friction: None,
            restitution: None,
            density: None,
            convex_parts: None,
            source: Origin::default(),
        }
    }
}

impl MeshFile {
    /// Returns a file whose path is relative to `directory` unless it is absolute.
    #[must_use]
    pub fn new(file: impl Into<String>, directory: &Path) -> Self {
        let file = file.into();
        let resolved = directory.join(&file);
        Self { file, resolved }
    }
}

impl Scene {
    /// Adds a frame at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is taken, or if a scene file could not represent the frame: a number is not finite, a
    /// name contains a quote, the axis of a revolute joint is zero, or the frame is its own parent.
    pub fn add_frame(&mut self, mut frame: Frame) -> Result<(), SceneError> {
        frame.normalize();
        frame.check()?;
        let Entry::Vacant(entry) = self.index.entry(frame.name.clone()) else {
            return Err(SceneError::DuplicateFrame { name: frame.name });
        };
        entry.insert(self.frames.len());
        self.frames.push(frame);
        Ok(())
    }

    /// Replaces the frame of the same name, and returns the old one.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Scene::add_frame`], and an error if there is no frame with this name.
    pub fn replace_frame(&mut self, mut frame: Frame) -> Result<Frame, SceneError> {
        frame.normalize();
        frame.check()?;
        let index = self.index.get(&frame.name).copied();
        match index.and_then(|index| self.frames.get_mut(index)) {
            Some(old) => Ok(std::mem::replace(old, frame)),
            None => Err(SceneError::UnknownFrame { name: frame.name }),
        }
    }

    /// Adds a geometry to a frame.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such frame, or if a scene file could not represent the geometry.
    pub fn add_geometry(&mut self, frame: &str, geometry: Geometry) -> Result<(), SceneError> {
        geometry.check(frame)?;
        let Some(frame) = self.frame_mut(frame) else {
            return Err(SceneError::UnknownFrame { name: frame.into() });
        };
        frame.geometry.push(geometry);
        Ok(())
    }

    /// Returns the frame with this name. Most geometry is added to the last frame, which is found without a search.
    fn frame_mut(&mut self, name: &str) -> Option<&mut Frame> {
        let last = self.frames.len().checked_sub(1)?;
        let is_last = self.frames.get(last)?.name == name;
        let index = match is_last {
            true => last,
            false => *self.index.get(name)?,
        };
        self.frames.get_mut(index)
    }

    /// Adds a class at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is taken, or if a value does not fit its attribute.
    pub fn add_class(&mut self, class: Class) -> Result<(), SceneError> {
        class.check()?;
        if self.class(&class.name).is_some() {
            return Err(SceneError::DuplicateClass { name: class.name });
        }
        self.classes.push(class);
        Ok(())
    }

    /// Permits contact between two frames without counting it as a collision. The order of the names is irrelevant.
    pub fn allow_collision(&mut self, one: impl Into<String>, other: impl Into<String>) {
        let (one, other) = (one.into(), other.into());
        self.allowed_collisions.insert(if one <= other {
            (one, other)
        } else {
            (other, one)
        });
    }

    /// Adds a copy of another scene: each of its frames, variables, allowed pairs and loop closures is named `prefix.name`, and its root
    /// frames become children of `parent` at `pose`. Tags and classes keep their names; a class that both scenes have stays
    /// that of this scene.
    ///
    /// # Errors
    ///
    /// Returns an error if one of the new names is taken; the scene is unchanged then.
    pub fn mount(
        &mut self,
        other: &Self,
        prefix: &str,
        parent: Option<&str>,
        pose: Isometry3<f64>,
    ) -> Result<(), SceneError> {
        let mut copies = Vec::with_capacity(other.frames.len());
        for frame in &other.frames {
            let copy = other.mounted(frame, prefix, parent, pose);
            copy.check_mounted()?;
            if self.index.contains_key(&copy.name) {
                return Err(SceneError::DuplicateFrame { name: copy.name });
            }
            copies.push(copy);
        }
        for copy in copies {
            self.index.insert(copy.name.clone(), self.frames.len());
            self.frames.push(copy);
        }
        // Several copies of one model contain the same classes.
        let known: BTreeSet<&str> = match other.classes.is_empty() {
            true => BTreeSet::new(),
            false => self
                .classes
                .iter()
                .map(|class| class.name.as_str())
                .collect(),
        };
        let new = other.classes.iter();
        let new: Vec<Class> = new
            .filter(|class| !known.contains(class.name.as_str()))
            .cloned()
            .collect();
        self.classes.extend(new);
        for (one, two) in &other.allowed_collisions {
            self.allow_collision(prefixed(prefix, one), prefixed(prefix, two));
        }
        self.closures
            .extend(other.closures.iter().map(|closure| LoopClosure {
                frames: [0, 1].map(|index| prefixed(prefix, &closure.frames[index])),
                ..*closure
            }));
        Ok(())
    }

    /// Returns a frame of this scene as it appears in the scene in which it is mounted.
    fn mounted(
        &self,
        frame: &Frame,
        prefix: &str,
        parent: Option<&str>,
        pose: Isometry3<f64>,
    ) -> Frame {
        let mut copy = frame.clone();
        copy.name = prefixed(prefix, &frame.name);
        if let Some(parent) = self.parent_of(frame) {
            copy.parent = Some(prefixed(prefix, &parent.name));
        } else {
            copy.parent = parent.map(ToOwned::to_owned);
            copy.pose = pose * copy.pose;
        }
        if let Some(axis) = copy.joint.axis_mut() {
            axis.variable = prefixed(prefix, &axis.variable);
        }
        copy.normalize();
        copy
    }
}

fn prefixed(prefix: &str, name: &str) -> String {
    format!("{prefix}.{name}")
}
