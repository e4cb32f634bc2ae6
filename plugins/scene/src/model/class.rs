//! Classes, and the table of all attributes that frames, geometry and classes can have.

use std::collections::BTreeMap;

use super::{Origin, Shape};
use crate::bounds::Bounds;

/// A named set of attributes that frames, geometry and other classes can inherit from.
///
/// Frames and geometry in a [`super::Scene`] already have what they inherit; a class is kept for its
/// name (a tag) and so that a scene can be written again.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Unique among classes.
    pub name: String,
    /// The classes it inherits from, in the order they were given.
    pub isa: Vec<String>,
    /// Its own attributes, by name.
    pub attributes: BTreeMap<String, Value>,
    /// Place of the class's declaration.
    pub source: Origin,
}

/// The evaluated value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `radius 0.5`
    Number(f64),
    /// `translation [1, 0, 0]`
    Numbers(Vec<f64>),
    /// `shape box`, `mesh "wheel.obj"`
    Name(String),
}

impl Class {
    /// A class without attributes, as good as a tag.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            isa: Vec::new(),
            attributes: BTreeMap::new(),
            source: Origin::default(),
        }
    }

    /// Inherits from another class.
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
    /// As it is written.
    pub name: &'static str,
    /// Allowed in a frame.
    pub frame: bool,
    /// Allowed in a geometry.
    pub geometry: bool,
    /// Allowed in a class.
    pub class: bool,
    /// Kind of its value.
    pub kind: Kind,
    /// Range of its numbers; none where it has no number.
    pub bounds: Option<Bounds>,
    /// Ours: the language's first implementation refuses it.
    pub extension: bool,
}

/// Kind of value that an attribute takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Any number.
    Number,
    /// An array of exactly so many numbers.
    Numbers(usize),
    /// An array of at least three numbers; the others are ignored.
    ThreeOrMore,
    /// Two numbers for a grid, three for a box: which, only the shape tells.
    TwoOrThree,
    /// An array of two numbers, the first not above the second.
    Interval,
    /// Six numbers: the first three of them zero, or so large that physics does not take them for zero.
    Inertia,
    /// A name.
    Name,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// The joint kinds.
pub const JOINT_WORDS: &[&str] = &["fixed", "revolute", "prismatic", "floating"];
/// The shapes.
pub const SHAPE_WORDS: &[&str] = &[
    "box", "sphere", "cylinder", "cone", "grid", "mesh", "capsule",
];

/// The smallest moment of inertia, kg·m², that physics does not take for zero.
const SMALLEST_MOMENT: f64 = 1e-18;

const fn attribute(
    name: &'static str,
    places: &str,
    kind: Kind,
    bounds: Option<Bounds>,
) -> Attribute {
    let places = places.as_bytes();
    let mut found = Attribute {
        name,
        frame: false,
        geometry: false,
        class: false,
        kind,
        bounds,
        extension: false,
    };
    let mut at = 0;
    while at < places.len() {
        match places[at] {
            b'F' => found.frame = true,
            b'G' => found.geometry = true,
            b'C' => found.class = true,
            _ => found.extension = true,
        }
        at += 1;
    }
    found
}

/// An attribute without numbers.
const fn word(name: &'static str, places: &str, kind: Kind) -> Attribute {
    attribute(name, places, kind, None)
}

/// An attribute of one or several numbers.
const fn number(name: &'static str, places: &str, kind: Kind, bounds: Bounds) -> Attribute {
    attribute(name, places, kind, Some(bounds))
}

/// Positions, m: they reach around the Earth.
const PLACE: Bounds = Bounds::within(1e8);
/// Positions of joints, and turns, rad or m.
const TURN: Bounds = Bounds::within(1e6);
/// Sizes, m; zero is a shape without extent.
const SIZE: Bounds = Bounds::zero_or(1e-6, 1e7);
/// Efforts, speeds, and what relates them.
const EFFORT: Bounds = Bounds::between(0.0, 1e12);
/// Parts of colours, and what is all or nothing.
const UNIT: Bounds = Bounds::between(0.0, 1.0);

/// Every attribute: F in frames, G in geometry, C in classes, `+` an extension.
pub const ATTRIBUTES: &[Attribute] = &[
    word("parent", "FC", Kind::Name),
    number("translation", "FC", Kind::Numbers(3), PLACE),
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
];

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    one.len() == other.len()
}

impl Attribute {
    /// Finds an attribute by its name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        ATTRIBUTES.iter().find(|attribute| attribute.name == name)
    }

    /// The attribute of a name that is known when the program is built; another name does not build.
    pub(super) const fn named(name: &str) -> &'static Self {
        let mut at = 0;
        while !same(ATTRIBUTES[at].name.as_bytes(), name.as_bytes()) {
            at += 1;
        }
        &ATTRIBUTES[at]
    }

    /// The first of some numbers that this attribute cannot have.
    #[must_use]
    pub fn violation(&self, numbers: &[f64]) -> Option<f64> {
        self.bounds?.violation(numbers)
    }

    /// True where a number out of range changes the looks alone.
    #[must_use]
    pub fn is_of_looks(&self) -> bool {
        ["color", "alpha", "specular"].contains(&self.name)
    }
}

impl Kind {
    /// Reason why a value does not fit, or `None` if it does. The answer completes "must be …".
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

    /// Requirement on the value, for a sentence.
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

impl Shape {
    /// The attributes a shape needs, and that a geometry of that shape must have or inherit.
    #[must_use]
    pub fn needs(word: &str) -> &'static [&'static str] {
        match word {
            "sphere" => &["radius"],
            "cylinder" | "capsule" => &["radius", "height"],
            "cone" => &["start_radius", "end_radius", "height"],
            "grid" => &["dimension", "delta", "thickness"],
            "mesh" => &["mesh"],
            _ => &[],
        }
    }
}
