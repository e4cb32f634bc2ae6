//! Attributes and base classes of a block: the common syntax of frames, geometry and classes.

use morse_diagnostics::{Diagnostic, Span, nearest, printable};
use morse_scene::model::{ATTRIBUTES, Attribute, Value};

use super::{Loader, OwnedName};
use crate::codes;
use crate::index::Symbol;
use crate::syntax::{self, Block};

/// Kind of block in which an attribute occurs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BlockKind {
    Frame,
    Geometry,
    Class,
}

impl BlockKind {
    pub(super) fn takes(self, attribute: &Attribute) -> bool {
        match self {
            Self::Frame => attribute.frame,
            Self::Geometry => attribute.geometry,
            Self::Class => attribute.class,
        }
    }

    fn article(self) -> &'static str {
        match self {
            Self::Frame => "a frame",
            Self::Geometry => "a geometry",
            Self::Class => "a class",
        }
    }
}

/// An evaluated attribute and the span of its value.
#[derive(Clone, Debug)]
pub(super) struct Set {
    /// Value; `None` if it was erroneous, which prevents a second error about a missing attribute.
    pub(super) value: Option<Value>,
    pub(super) span: Span,
}

/// Attributes of a block, each once. A block has few of them, so that they are searched one by one.
#[derive(Clone, Debug)]
pub(super) struct Attributes(Vec<(&'static str, Set)>);

impl Attributes {
    /// Returns the attribute of this name.
    pub(super) fn get(&self, name: &str) -> Option<&Set> {
        let mut all = self.0.iter();
        all.find_map(|(known, set)| (*known == name).then_some(set))
    }

    /// Returns true if there is an attribute of this name.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns all attributes with their names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &Set)> {
        self.0.iter().map(|(name, set)| (*name, set))
    }

    /// Removes an attribute and returns it.
    pub(super) fn remove(&mut self, name: &str) -> Option<Set> {
        let index = self.0.iter().position(|(known, _)| *known == name)?;
        Some(self.0.remove(index).1)
    }

    /// Adds the attributes of a base class that the block does not have.
    pub(super) fn inherit(&mut self, base: &Self) {
        for (name, set) in base.iter() {
            if !self.contains(name) {
                self.0.push((name, set.clone()));
            }
        }
    }

    /// Adds an attribute, or replaces the one of the same name.
    fn insert(&mut self, name: &'static str, set: Set) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = set,
            None => self.0.push((name, set)),
        }
    }
}

impl Loader<'_> {
    /// Returns the attributes of the block itself (of repeated ones the last), and its base classes in the order of `isa`.
    pub(super) fn attributes(
        &mut self,
        block: &Block<'_>,
        kind: BlockKind,
    ) -> (Attributes, Vec<OwnedName>) {
        let mut own = Attributes(Vec::with_capacity(block.attributes.len()));
        let mut classes = Vec::new();
        for written in &block.attributes {
            let attribute = match self.known(written, kind) {
                Ok(attribute) => attribute,
                Err(meant) => {
                    // A misspelt attribute is present, and must not be reported as missing as well.
                    let span = written.name.span;
                    if let Some(name) = meant {
                        own.insert(name, Set { value: None, span });
                    }
                    continue;
                }
            };
            let value = self.value(attribute, &written.value);
            let span = written.value.span().unwrap_or(written.name.span);
            self.index
                .set(attribute, written.name.span, span, value.as_ref());
            self.check_extension(attribute, written, value.as_ref());
            match value {
                Some(Value::Name(text)) if attribute.name == "isa" => {
                    self.class_name(text, span, &mut classes);
                }
                _ if attribute.name == "isa" => {}
                value => {
                    own.insert(attribute.name, Set { value, span });
                }
            }
        }
        (own, classes)
    }

    fn class_name(&mut self, text: String, span: Span, classes: &mut Vec<OwnedName>) {
        if text.is_empty() {
            let diagnostic = Diagnostic::error(codes::EMPTY_NAME, "a class needs a name")
                .at(span, "this name is empty")
                .help("remove this `isa`");
            self.problems.push(diagnostic);
        } else {
            self.index.refer(Symbol::Class, &text, span);
            classes.push(OwnedName { text, span });
        }
    }

    /// Returns the attribute with this name, if such a block can have it; otherwise the attribute that was probably
    /// intended, if any.
    fn known(
        &mut self,
        written: &syntax::Attribute<'_>,
        kind: BlockKind,
    ) -> Result<&'static Attribute, Option<&'static str>> {
        let name = &written.name;
        let article = kind.article();
        let Some(attribute) = Attribute::find(name.text) else {
            let fitting = ATTRIBUTES.iter().filter(|known| kind.takes(known));
            let names: Vec<&'static str> = fitting.map(|known| known.name).collect();
            let meant = nearest(name.text, names.iter().copied());
            let message = format!("{article} has no attribute `{}`", name.shown());
            let diagnostic = Diagnostic::error(codes::UNKNOWN_ATTRIBUTE, message)
                .at(name.span, "unknown attribute");
            let help = match (advice(name.text), meant) {
                (Some(advice), _) => advice.to_owned(),
                (None, Some(meant)) => format!("did you mean `{meant}`?"),
                (None, None) => format!("{article} can have: {}", names.join(", ")),
            };
            self.problems.push(diagnostic.help(help));
            return Err(meant.or(meant_by(name.text)));
        };
        if kind.takes(attribute) {
            return Ok(attribute);
        }
        let message = format!("{article} cannot have the attribute `{}`", name.shown());
        let diagnostic = Diagnostic::error(codes::MISPLACED_ATTRIBUTE, message)
            .at(name.span, "not here")
            .help(remedy(attribute, kind));
        self.problems.push(diagnostic);
        Err(None)
    }

    fn check_extension(
        &mut self,
        attribute: &Attribute,
        written: &syntax::Attribute<'_>,
        value: Option<&Value>,
    ) {
        if !self.options.strict_amino {
            return;
        }
        let foreign = match value {
            Some(Value::Name(word)) => match (attribute.name, word.as_str()) {
                ("type", "floating") | ("shape", "capsule") => Some(word.as_str()),
                _ => None,
            },
            _ => None,
        };
        let (what, span) = match foreign {
            Some(word) => (printable(word), written.value.span()),
            None if attribute.extension => (attribute.name.to_owned(), Some(written.name.span)),
            None => return,
        };
        let span = span.unwrap_or(written.name.span);
        let message = format!("`{what}` is an extension of the language");
        let diagnostic = Diagnostic::error(codes::EXTENSION, message)
            .at(span, "amino does not support this")
            .help("remove it, or do without `--strict-amino`");
        self.problems.push(diagnostic);
    }
}

/// Returns advice on an attribute name that other formats use.
fn advice(name: &str) -> Option<&'static str> {
    Some(match name {
        "frictionloss" | "friction_loss" | "joint_friction" | "coulomb_friction" | "stiction" => {
            "a joint's dry friction is `dry_friction`, in N·m or N"
        }
        "rotor_inertia" | "motor_inertia" => {
            "a rotor's inertia is `armature`, which the joint feels times `gear` squared"
        }
        "gear_ratio" | "reduction" => "turns of the rotor for one of the joint are its `gear`",
        "effort" | "max_effort" | "max_torque" => "a joint's greatest effort is `limit_effort`",
        "limit" | "limits" | "range" => "for a joint's limits: `limit_position [lower, upper];`",
        "name" => "write the name before the brace: `frame name { … }`",
        "position" | "xyz" | "pos" | "origin" => "a frame's place is its `translation [x, y, z]`",
        "rotation" | "orientation" | "quat" | "euler" => {
            "a frame is turned by `rpy [roll, pitch, yaw]` or `quaternion [x, y, z, w]`"
        }
        "size" | "length" | "width" | "depth" => "a box has a `dimension [x, y, z]`, full sides",
        "texture" | "material" | "map" => {
            "an image is put on by `image \"file.png\";`, squares by `checker [r, g, b];`"
        }
        "joint" => "the kind of joint is its `type`",
        "children" | "child" => "put the child's frame into this one, or give it a `parent`",
        "file" | "filename" => "a mesh is named by `mesh \"file.obj\";`",
        _ => return None,
    })
}

/// Returns the equivalent of an attribute name of other formats, if there is one.
fn meant_by(name: &str) -> Option<&'static str> {
    Some(match name {
        "size" | "length" | "width" | "depth" => "dimension",
        "file" | "filename" => "mesh",
        "joint" => "type",
        "frictionloss" | "friction_loss" | "joint_friction" | "coulomb_friction" | "stiction" => {
            "dry_friction"
        }
        "rotor_inertia" | "motor_inertia" => "armature",
        "gear_ratio" | "reduction" => "gear",
        _ => return None,
    })
}

fn remedy(attribute: &Attribute, kind: BlockKind) -> String {
    let name = attribute.name;
    match kind {
        BlockKind::Geometry if attribute.frame => {
            format!(
                "a geometry sits at its frame: give `{name}` to the frame, or to a frame inside it"
            )
        }
        BlockKind::Frame if name == "friction" => {
            "of surfaces it belongs into a `geometry { … }` in the frame; of \
            the frame's joint it is `dry_friction`, in N·m or N"
                .to_owned()
        }
        BlockKind::Frame => format!("`{name}` belongs into a `geometry {{ … }}` in the frame"),
        BlockKind::Class if attribute.frame => format!("give `{name}` to each frame"),
        BlockKind::Class | BlockKind::Geometry => format!("give `{name}` to each geometry"),
    }
}

/// Returns the numbers of an array attribute, if it is set and valid.
pub(super) fn numbers<const N: usize>(attributes: &Attributes, name: &str) -> Option<[f64; N]> {
    match attributes.get(name)?.value.as_ref()? {
        Value::Numbers(numbers) => numbers.get(..N)?.try_into().ok(),
        Value::Number(_) | Value::Name(_) => None,
    }
}

/// Returns the number of an attribute, if it is set and valid.
pub(super) fn number(attributes: &Attributes, name: &str) -> Option<f64> {
    match attributes.get(name)?.value.as_ref()? {
        Value::Number(number) => Some(*number),
        Value::Numbers(_) | Value::Name(_) => None,
    }
}

/// Returns the name or keyword of an attribute, if it is set and valid.
pub(super) fn word<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a str> {
    match attributes.get(name)?.value.as_ref()? {
        Value::Name(word) => Some(word),
        Value::Number(_) | Value::Numbers(_) => None,
    }
}
