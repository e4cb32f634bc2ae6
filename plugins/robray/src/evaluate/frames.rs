//! Evaluation of frames: pose, joint and inertia from a block and its base classes.

use morse_api::range::ValueRange;
use morse_diagnostics::Diagnostic;
use morse_scene::model::{
    Frame, Joint, JointAxis, Limits, Origin, rotation_from_rpy, rotation_from_xyzw,
};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::blocks::{Attributes, BlockKind, number, numbers, word};
use super::classes::Order;
use super::{Loader, Mention, OwnedName};
use crate::codes;
use crate::index::Symbol;
use crate::syntax::{Block, Inner, Word};

impl Loader<'_> {
    /// Adds a frame with all nested blocks; `within` is the enclosing frame.
    pub(super) fn frame(&mut self, block: &Block<'_>, within: Option<&Word<'_>>) {
        let Some(name) = block.name else {
            return;
        };
        let (mut attributes, isa) = self.attributes(block, BlockKind::Frame);
        self.check_parent(&mut attributes, &name, within);
        let inherited = self.inherit(&mut attributes, &isa, Order::FirstFirst);
        if inherited.is_none() || !self.count(1, block.head) {
            return;
        }
        self.index.declare(Symbol::Frame, name.text, name.span);
        let frame = self.built(block, &name, within, &attributes);
        if !name.text.is_empty() {
            self.add(frame, &name);
        }
        for inner in &block.blocks {
            match inner {
                Inner::Frame(block) => self.frame(block, Some(&name)),
                Inner::Geometry(block) => self.geometry(block, &name),
            }
        }
    }

    /// Adds a frame. Of two frames with one name the first one is kept, with the geometry of both.
    fn add(&mut self, frame: Frame, name: &Word<'_>) {
        let Err(reason) = self.scene.add_frame(frame) else {
            return;
        };
        let Some(known) = self.scene.frame(name.text) else {
            // Invalid values have been reported already.
            debug_assert!(self.problems.any_error(), "{reason}");
            return;
        };
        let shown = name.shown();
        let mut diagnostic = Diagnostic::warning(
            codes::DUPLICATE_FRAME,
            format!("a second frame `{shown}`: only its geometry counts"),
        )
        .at(name.span, "pose, parent and joint written here are ignored");
        if let Some(first) = known.source.0
            && first != name.span
        {
            diagnostic = diagnostic.at(first, "the frame they are taken from");
        }
        self.problems
            .push(diagnostic.help("rename one of the frames, or merge them"));
    }

    /// Checks the `parent` attribute of the frame itself, without those of its base classes.
    fn check_parent(&mut self, own: &mut Attributes, name: &Word<'_>, within: Option<&Word<'_>>) {
        let Some(outer) = within else {
            return;
        };
        let Some(parent) = own.remove("parent") else {
            return;
        };
        let message = format!("frame `{}` already has a parent", name.shown());
        let diagnostic = Diagnostic::error(codes::REPARENTED, message)
            .at(parent.span, "a nested frame cannot choose another one")
            .at(outer.span, "the frame it is written in")
            .help("remove this `parent`, or move the frame out of the block");
        self.problems.push(diagnostic);
    }

    fn built(
        &mut self,
        block: &Block<'_>,
        name: &Word<'_>,
        within: Option<&Word<'_>>,
        attributes: &Attributes,
    ) -> Frame {
        let shapes = block.blocks.iter();
        let shapes = shapes.filter(|inner| matches!(inner, Inner::Geometry(_)));
        let translation = numbers::<3>(attributes, "translation").unwrap_or_default();
        let rotation = self.rotation(attributes);
        Frame {
            name: name.text.to_owned(),
            parent: self.parent(name, within, attributes),
            pose: Isometry3::from_parts(Translation3::from(translation), rotation),
            joint: self.joint(block, name, attributes),
            mass: number(attributes, "mass"),
            center_of_mass: numbers::<3>(attributes, "center_of_mass").map(Vector3::from),
            inertia: numbers::<6>(attributes, "inertia"),
            geometry: Vec::with_capacity(shapes.count()),
            source: Origin(Some(name.span)),
        }
    }

    /// Returns the parent of a frame. A base class's `parent` takes precedence over the enclosing frame.
    fn parent(
        &mut self,
        name: &Word<'_>,
        within: Option<&Word<'_>>,
        attributes: &Attributes,
    ) -> Option<String> {
        let written = attributes.get("parent");
        let (text, span) = match (word(attributes, "parent"), written) {
            (Some(parent), Some(set)) => (parent.to_owned(), set.span),
            _ => return within.map(|outer| outer.text.to_owned()),
        };
        if text.is_empty() {
            return None;
        }
        if text == name.text {
            let message = format!("frame `{}` is its own parent", name.shown());
            let diagnostic = Diagnostic::error(codes::PARENT_CYCLE, message)
                .at(span, "the frame itself")
                .help("name another frame, or leave `parent` out to hang it on the root");
            self.problems.push(diagnostic);
            return None;
        }
        let mention = OwnedName {
            text: text.clone(),
            span,
        };
        self.index.refer(Symbol::Frame, &mention.text, mention.span);
        self.mentioned.push((mention, Mention::Parent));
        Some(text)
    }

    /// Returns the rotation of a frame. A quaternion takes precedence over `rpy`, in the block and in base classes alike.
    fn rotation(&mut self, attributes: &Attributes) -> UnitQuaternion<f64> {
        let Some(written) = attributes.get("quaternion") else {
            let [roll, pitch, yaw] = numbers::<3>(attributes, "rpy").unwrap_or_default();
            self.doubt_angles(&[roll, pitch, yaw], attributes);
            return rotation_from_rpy(roll, pitch, yaw);
        };
        let Some(quaternion) = numbers::<4>(attributes, "quaternion") else {
            return UnitQuaternion::identity();
        };
        rotation_from_xyzw(quaternion).unwrap_or_else(|| {
            let diagnostic =
                Diagnostic::error(codes::ZERO_QUATERNION, "a zero quaternion is no rotation")
                    .at(written.span, "has no direction")
                    .note("the order is x, y, z, w: the scalar comes last")
                    .help("no rotation is `quaternion [0, 0, 0, 1];`");
            self.problems.push(diagnostic);
            UnitQuaternion::identity()
        })
    }

    /// Warns of angles that are probably in degrees.
    fn doubt_angles(&mut self, rpy: &[f64], attributes: &Attributes) {
        // After an error the value may be a consequence of it.
        if self.problems.any_error() {
            return;
        }
        let (Some(angle), Some(written)) = (
            rpy.iter()
                .find(|angle| angle.abs() > std::f64::consts::TAU + 0.01),
            attributes.get("rpy"),
        ) else {
            return;
        };
        let angle = ValueRange::shown(*angle);
        let message = format!("{angle} rad is more than a full turn");
        let diagnostic = Diagnostic::warning(codes::DEGREES, message)
            .at(written.span, "angles are in radians")
            .help(format!("if degrees were meant, write `{angle}*deg`"));
        self.problems.push(diagnostic);
    }

    fn joint(&mut self, block: &Block<'_>, name: &Word<'_>, attributes: &Attributes) -> Joint {
        match word(attributes, "type") {
            Some("revolute") => {
                let axis = self.axis(block, name, attributes, "revolute");
                self.check_axis(&axis, attributes);
                Joint::Revolute(axis)
            }
            Some("prismatic") => Joint::Prismatic(self.axis(block, name, attributes, "prismatic")),
            Some("floating") => Joint::Floating,
            _ => Joint::Fixed,
        }
    }

    fn axis(
        &mut self,
        block: &Block<'_>,
        name: &Word<'_>,
        attributes: &Attributes,
        kind: &str,
    ) -> JointAxis {
        if !attributes.contains("axis") {
            let message = format!("{kind} frame `{}` has no `axis`", name.shown());
            let diagnostic = Diagnostic::error(codes::MISSING_ATTRIBUTE, message)
                .at(block.head, "this joint needs an axis")
                .help("add one, for example `axis [0, 0, 1];`");
            self.problems.push(diagnostic);
        }
        let axis = numbers::<3>(attributes, "axis").unwrap_or([0.0, 0.0, 1.0]);
        let variable = word(attributes, "variable").unwrap_or(name.text);
        if variable.is_empty()
            && let Some(written) = attributes.get("variable")
        {
            let diagnostic = Diagnostic::error(codes::EMPTY_NAME, "a variable needs a name")
                .at(written.span, "this name is empty")
                .help("leave `variable` out to call it like the frame");
            self.problems.push(diagnostic);
        }
        let declared = attributes.get("variable").map(|written| written.span);
        self.index
            .declare(Symbol::Variable, variable, declared.unwrap_or(name.span));
        JointAxis {
            offset: number(attributes, "offset").unwrap_or(0.0),
            limits: Limits {
                position: numbers::<2>(attributes, "limit_position"),
                velocity: number(attributes, "limit_velocity"),
                effort: number(attributes, "limit_effort"),
            },
            damping: number(attributes, "damping"),
            dry_friction: number(attributes, "dry_friction"),
            armature: number(attributes, "armature"),
            gear: number(attributes, "gear"),
            ratio: number(attributes, "ratio"),
            ..JointAxis::new(axis, variable)
        }
    }

    fn check_axis(&mut self, axis: &JointAxis, attributes: &Attributes) {
        if axis.axis.amax() > 0.0 {
            return;
        }
        if let Some(written) = attributes.get("axis") {
            let diagnostic =
                Diagnostic::error(codes::ZERO_AXIS, "a joint cannot turn about a zero axis")
                    .at(written.span, "has no direction")
                    .help("for example, about z: `axis [0, 0, 1];`");
            self.problems.push(diagnostic);
        }
    }
}
