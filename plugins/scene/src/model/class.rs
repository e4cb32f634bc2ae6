//! Classes, and the table of all attributes that frames, geometry and classes can have.

use std::collections::BTreeMap;

use super::{Origin, Shape};

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
    /// Ours: the language's first implementation refuses it.
    pub extension: bool,
}

/// Kind of value that an attribute takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Any number.
    Number,
    /// A number that is zero or more.
    NotNegative,
    /// A number above zero.
    Positive,
    /// An array of exactly so many numbers.
    Numbers(usize),
    /// An array of at least three numbers; the others are ignored.
    ThreeOrMore,
    /// Two numbers for a grid, three for a box: which, only the shape tells.
    TwoOrThree,
    /// An array of two numbers, the first not above the second.
    Interval,
    /// Six numbers, the first three of them zero or more.
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

const fn attribute(name: &'static str, places: &str, kind: Kind) -> Attribute {
    let places = places.as_bytes();
    let mut found = Attribute {
        name,
        frame: false,
        geometry: false,
        class: false,
        kind,
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

/// Every attribute: F in frames, G in geometry, C in classes, `+` an extension.
pub const ATTRIBUTES: &[Attribute] = &[
    attribute("parent", "FC", Kind::Name),
    attribute("translation", "FC", Kind::Numbers(3)),
    attribute("quaternion", "FC", Kind::Numbers(4)),
    attribute("rpy", "FC", Kind::ThreeOrMore),
    attribute("type", "FC", Kind::Word(JOINT_WORDS)),
    attribute("axis", "FC", Kind::Numbers(3)),
    attribute("offset", "FC", Kind::Number),
    attribute("variable", "F", Kind::Name),
    attribute("limit_position", "FC+", Kind::Interval),
    attribute("limit_velocity", "FC+", Kind::NotNegative),
    attribute("limit_effort", "FC+", Kind::NotNegative),
    attribute("damping", "FC+", Kind::NotNegative),
    attribute("mass", "FC+", Kind::NotNegative),
    attribute("center_of_mass", "FC+", Kind::Numbers(3)),
    attribute("inertia", "FC+", Kind::Inertia),
    attribute("isa", "FGC", Kind::Name),
    attribute("shape", "GC", Kind::Word(SHAPE_WORDS)),
    attribute("mesh", "GC", Kind::Name),
    attribute("dimension", "GC", Kind::TwoOrThree),
    attribute("delta", "GC", Kind::Numbers(2)),
    attribute("thickness", "GC", Kind::Number),
    attribute("radius", "GC", Kind::Number),
    attribute("height", "GC", Kind::Number),
    attribute("start_radius", "G", Kind::Number),
    attribute("end_radius", "G", Kind::Number),
    attribute("color", "GC", Kind::Numbers(3)),
    attribute("alpha", "GC", Kind::Number),
    attribute("specular", "GC", Kind::Numbers(3)),
    attribute("shininess", "GC+", Kind::Positive),
    attribute("image", "GC+", Kind::Name),
    attribute("checker", "GC+", Kind::Numbers(3)),
    attribute("pattern_size", "GC+", Kind::Positive),
    attribute("scale", "GC", Kind::Number),
    attribute("visual", "GC", Kind::Number),
    attribute("collision", "GC", Kind::Number),
    attribute("no-shadow", "G", Kind::Number),
    attribute("friction", "GC+", Kind::NotNegative),
    attribute("restitution", "GC+", Kind::NotNegative),
    attribute("density", "GC+", Kind::NotNegative),
];

impl Attribute {
    /// Finds an attribute by its name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        ATTRIBUTES.iter().find(|attribute| attribute.name == name)
    }
}

impl Kind {
    /// Reason why a value does not fit, or `None` if it does. The answer completes "must be …".
    #[must_use]
    pub fn objection(self, value: &Value) -> Option<String> {
        let fits = match (self, value) {
            (Self::Number, Value::Number(_)) | (Self::Name, Value::Name(_)) => true,
            (Self::NotNegative, Value::Number(number)) => *number >= 0.0,
            (Self::Positive, Value::Number(number)) => *number > 0.0,
            (Self::Numbers(count), Value::Numbers(numbers)) => numbers.len() == count,
            (Self::ThreeOrMore, Value::Numbers(numbers)) => numbers.len() >= 3,
            (Self::TwoOrThree, Value::Numbers(numbers)) => matches!(numbers.len(), 2 | 3),
            (Self::Interval, Value::Numbers(numbers)) => {
                matches!(numbers.as_slice(), [lower, upper] if lower <= upper)
            }
            (Self::Inertia, Value::Numbers(numbers)) => {
                numbers.len() == 6 && numbers.iter().take(3).all(|moment| *moment >= 0.0)
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
            Self::NotNegative => "a number that is not negative".into(),
            Self::Positive => "a number above 0".into(),
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
