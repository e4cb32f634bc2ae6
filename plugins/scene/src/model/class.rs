//! Classes, and the table of all attributes that frames, geometry and classes can have.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Origin;
use crate::bounds::Bounds;

/// A named set of attributes that frames, geometry and other classes can inherit from.
///
/// Inherited attributes are already copied to the frames and geometry of a [`super::Scene`]; classes are kept as tags and
/// for writing the scene to a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// Name, unique among classes.
    pub name: String,
    /// Base classes, in the order of declaration.
    pub isa: Vec<String>,
    /// Attributes of the class itself, by name.
    pub attributes: BTreeMap<String, Value>,
    /// Source position of the class's declaration.
    #[serde(skip)]
    pub source: Origin,
}

/// The evaluated value of an attribute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// A number: `radius 0.5`
    Number(f64),
    /// An array of numbers: `translation [1, 0, 0]`
    Numbers(Vec<f64>),
    /// A name, keyword or path: `shape box`, `mesh "wheel.obj"`
    Name(String),
}

impl Class {
    /// Returns a class without attributes, which serves as a tag.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            isa: Vec::new(),
            attributes: BTreeMap::new(),
            source: Origin::default(),
        }
    }

    /// Adds a base class.
    #[must_use]
    pub fn isa(mut self, class: impl Into<String>) -> Self {
        self.isa.push(class.into());
        self
    }

    /// Sets an attribute.
    #[must_use]
    pub fn with(mut self, attribute: impl Into<String>, value: Value) -> Self {
        self.attributes.insert(attribute.into(), value);
        self
    }
}

/// Rules of the language for an attribute.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    /// Name of the attribute.
    pub name: &'static str,
    /// True if a frame can have the attribute.
    pub frame: bool,
    /// True if a geometry can have the attribute.
    pub geometry: bool,
    /// True if a class can have the attribute.
    pub class: bool,
    /// Type of the value.
    pub kind: Kind,
    /// Range of the numbers; `None` if the value has no numbers.
    pub bounds: Option<Bounds>,
    /// True for an extension, which the language's first implementation refuses.
    pub extension: bool,
}

/// Type of the value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Any number.
    Number,
    /// An array with exactly this length.
    Numbers(usize),
    /// An array of at least three numbers; further numbers are ignored.
    ThreeOrMore,
    /// Two numbers for a grid, three for a box.
    TwoOrThree,
    /// An array of two numbers; the first is not greater than the second.
    Interval,
    /// Six numbers: the first three (the diagonal) are zero, or large enough that physics does not treat them as zero.
    Inertia,
    /// A name.
    Name,
    /// One of these keywords.
    Word(&'static [&'static str]),
}

/// Keywords of the joint types.
pub const JOINT_WORDS: &[&str] = &["fixed", "revolute", "prismatic", "floating"];
/// Keywords of the shapes.
pub const SHAPE_WORDS: &[&str] = &[
    "box", "sphere", "cylinder", "cone", "grid", "mesh", "capsule",
];

/// Smallest moment of inertia that physics does not treat as zero, kg·m².
const SMALLEST_MOMENT: f64 = 1e-18;

const fn attribute(
    name: &'static str,
    elements: &str,
    kind: Kind,
    bounds: Option<Bounds>,
) -> Attribute {
    let elements = elements.as_bytes();
    let mut attribute = Attribute {
        name,
        frame: false,
        geometry: false,
        class: false,
        kind,
        bounds,
        extension: false,
    };
    let mut index = 0;
    while index < elements.len() {
        match elements[index] {
            b'F' => attribute.frame = true,
            b'G' => attribute.geometry = true,
            b'C' => attribute.class = true,
            _ => attribute.extension = true,
        }
        index += 1;
    }
    attribute
}

/// Returns an attribute without numbers.
const fn word(name: &'static str, elements: &str, kind: Kind) -> Attribute {
    attribute(name, elements, kind, None)
}

/// Returns an attribute with one or several numbers.
const fn number(name: &'static str, elements: &str, kind: Kind, bounds: Bounds) -> Attribute {
    attribute(name, elements, kind, Some(bounds))
}

/// Range of positions, m: more than the diameter of the Earth.
const POSITION: Bounds = Bounds::within(1e8);
/// Range of angles and joint positions, rad or m.
const TURN: Bounds = Bounds::within(1e6);
/// Range of sizes, m; zero is a shape without extent.
const SIZE: Bounds = Bounds::zero_or(1e-6, 1e7);
/// Range of efforts, speeds, stiffnesses and dampings.
const EFFORT: Bounds = Bounds::between(0.0, 1e12);
/// Range of colour components and other fractions.
const UNIT: Bounds = Bounds::between(0.0, 1.0);

/// All attributes. `F`: allowed in frames, `G`: in geometry, `C`: in classes, `+`: an extension.
pub const ATTRIBUTES: &[Attribute] = &[
    word("parent", "FC", Kind::Name),
    number("translation", "FC", Kind::Numbers(3), POSITION),
    number("quaternion", "FC", Kind::Numbers(4), Bounds::ANY),
    number("rpy", "FC", Kind::ThreeOrMore, TURN),
    word("type", "FC", Kind::Word(JOINT_WORDS)),
    number("axis", "FC", Kind::Numbers(3), TURN),
    number("offset", "FC", Kind::Number, TURN),
    word("variable", "F", Kind::Name),
    number("limit_position", "FC+", Kind::Interval, Bounds::within(1e9)),
    number("limit_velocity", "FC+", Kind::Number, EFFORT),
    number("limit_effort", "FC+", Kind::Number, EFFORT),
    number("damping", "FC+", Kind::Number, EFFORT),
    number("dry_friction", "FC+", Kind::Number, EFFORT),
    number("armature", "FC+", Kind::Number, EFFORT),
    number("gear", "FC+", Kind::Number, Bounds::between(1e-6, 1e6)),
    number("ratio", "FC+", Kind::Number, Bounds::between(1e-6, 1e6)),
    number("mass", "FC+", Kind::Number, Bounds::zero_or(1e-9, 1e9)),
    number("center_of_mass", "FC+", Kind::Numbers(3), TURN),
    number("inertia", "FC+", Kind::Inertia, Bounds::within(1e15)),
    word("isa", "FGC", Kind::Name),
    word("shape", "GC", Kind::Word(SHAPE_WORDS)),
    word("mesh", "GC", Kind::Name),
    number("dimension", "GC", Kind::TwoOrThree, SIZE),
    number("delta", "GC", Kind::Numbers(2), SIZE),
    number("thickness", "GC", Kind::Number, SIZE),
    number("radius", "GC", Kind::Number, SIZE),
    number(
        "height",
        "GC",
        Kind::Number,
        Bounds::within(1e7).no_smaller_than(1e-6),
    ),
    number("start_radius", "G", Kind::Number, SIZE),
    number("end_radius", "G", Kind::Number, SIZE),
    number("color", "GC", Kind::Numbers(3), UNIT),
    number("alpha", "GC", Kind::Number, UNIT),
    number("specular", "GC", Kind::Numbers(3), UNIT),
    number("shininess", "GC+", Kind::Number, Bounds::between(1e-3, 1e6)),
    word("image", "GC+", Kind::Name),
    number("checker", "GC+", Kind::Numbers(3), UNIT),
    number(
        "pattern_size",
        "GC+",
        Kind::Number,
        Bounds::between(1e-6, 1e7),
    ),
    number("scale", "GC", Kind::Number, Bounds::between(1e-6, 1e6)),
    number("visual", "GC", Kind::Number, UNIT),
    number("collision", "GC", Kind::Number, UNIT),
    number("no-shadow", "G", Kind::Number, UNIT),
    number("friction", "GC+", Kind::Number, Bounds::between(0.0, 1e6)),
    number("restitution", "GC+", Kind::Number, UNIT),
    number("density", "GC+", Kind::Number, Bounds::zero_or(1e-6, 1e7)),
    number(
        "convex_parts",
        "GC+",
        Kind::Number,
        Bounds::between(1.0, 1024.0),
    ),
];

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    one.len() == other.len()
}

impl Attribute {
    /// Returns the attribute with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        ATTRIBUTES.iter().find(|attribute| attribute.name == name)
    }

    /// Returns the attribute with this name at compile time; an unknown name is a compile error.
    pub(super) const fn named(name: &str) -> &'static Self {
        let mut index = 0;
        while !same(ATTRIBUTES[index].name.as_bytes(), name.as_bytes()) {
            index += 1;
        }
        &ATTRIBUTES[index]
    }

    /// Returns the first number that is out of the attribute's range.
    #[must_use]
    pub fn violation(&self, numbers: &[f64]) -> Option<f64> {
        self.bounds?.violation(numbers)
    }

    /// Returns true if the attribute affects the appearance only, so that a number out of range is harmless to the
    /// simulation.
    #[must_use]
    pub fn is_of_looks(&self) -> bool {
        ["color", "alpha", "specular"].contains(&self.name)
    }
}

impl Kind {
    /// Returns the reason why a value is invalid, or `None` if it is valid. The reason completes the sentence "must be …".
    #[must_use]
    pub fn objection(self, value: &Value) -> Option<String> {
        let fits = match (self, value) {
            (Self::Number, Value::Number(_)) | (Self::Name, Value::Name(_)) => true,
            (Self::Numbers(count), Value::Numbers(numbers)) => numbers.len() == count,
            (Self::ThreeOrMore, Value::Numbers(numbers)) => numbers.len() >= 3,
            (Self::TwoOrThree, Value::Numbers(numbers)) => matches!(numbers.len(), 2 | 3),
            (Self::Interval, Value::Numbers(numbers)) => {
                matches!(numbers.as_slice(), [lower, upper] if lower <= upper)
            }
            (Self::Inertia, Value::Numbers(numbers)) => {
                let moments = Bounds::zero_or(SMALLEST_MOMENT, f64::MAX);
                let (principal, _) = numbers.split_at(numbers.len().min(3));
                numbers.len() == 6 && moments.violation(principal).is_none()
            }
            (Self::Word(words), Value::Name(name)) => words.contains(&name.as_str()),
            _ => false,
        };
        (!fits).then(|| self.demand())
    }

    /// Returns the requirement on the value, as a phrase for messages.
    #[must_use]
    pub fn demand(self) -> String {
        match self {
            Self::Number => "a number".into(),
            Self::Numbers(count) => format!("an array of {count} numbers"),
            Self::ThreeOrMore => "an array of 3 numbers".into(),
            Self::TwoOrThree => "an array of 3 numbers (a box) or 2 (a grid)".into(),
            Self::Interval => "an array `[lower, upper]` with lower ≤ upper".into(),
            Self::Inertia => {
                "an array `[ixx, iyy, izz, ixy, ixz, iyz]`, the first three not negative".into()
            }
            Self::Name => "a name".into(),
            Self::Word(words) => format!("one of {}", listed(words)),
        }
    }
}

fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

/// Returns the attributes that a geometry of this shape must set or inherit, by the word of the shape.
#[must_use]
pub fn shape_needs(word: &str) -> &'static [&'static str] {
    match word {
        "sphere" => &["radius"],
        "cylinder" | "capsule" => &["radius", "height"],
        "cone" => &["start_radius", "end_radius", "height"],
        "grid" => &["dimension", "delta", "thickness"],
        "mesh" => &["mesh"],
        _ => &[],
    }
}
