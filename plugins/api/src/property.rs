//! Settings under MORSE's names and in MORSE's forms, as requests use them.
//!
//! A setting that MORSE has, too, carries MORSE's name as an attribute, and the form of MORSE's values where it differs from
//! that of simulation files. Requests may use MORSE's name with MORSE's form, or the setting's own name.
use bevy::{
    prelude::Reflect,
    reflect::{NamedField, TypeInfo},
};
use serde_json::{Value as Json, json};

/// Name of a setting in MORSE: `#[reflect(@Property("Speed"))]`.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Property(pub &'static str);

/// Form of the value of a property in MORSE, if it differs from that of simulation files:
/// `#[reflect(@Property("scan_window"), @Form::Degrees)]`.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(opaque)]
pub enum Form {
    /// An angle in degrees.
    Degrees,
    /// A length in millimetres.
    Millimetres,
    /// Enumerated names: pairs of MORSE's name and ours.
    Words(&'static [(&'static str, &'static str)]),
    /// A text with commas between the items of a list: `rover.gps,rover.imu`.
    Commas,
    /// A text with the numbers of a vector: `(1.0, 0.5, 0.0)`.
    Tuple,
}

impl Form {
    /// Methods of computing a velocity, with MORSE's names.
    pub const COMPUTATION: Self = Self::Words(&[
        ("Automatic", "automatic"),
        ("Velocity", "velocity"),
        ("Position", "position"),
    ]);

    /// Methods of moving a robot, with MORSE's names.
    pub const CONTROL: Self = Self::Words(&[("Velocity", "velocity"), ("Position", "position")]);

    /// Returns the form's name, and its enumerated names.
    #[must_use]
    pub fn to_json(self) -> Json {
        match self {
            Self::Degrees => json!("degrees"),
            Self::Millimetres => json!("millimetres"),
            Self::Words(words) => words
                .iter()
                .map(|(theirs, ours)| ((*theirs).to_owned(), json!(ours)))
                .collect(),
            Self::Commas => json!("commas"),
            Self::Tuple => json!("tuple"),
        }
    }

    /// Returns the unit of the form.
    #[must_use]
    pub fn unit(self) -> Option<&'static str> {
        match self {
            Self::Degrees => Some("deg"),
            Self::Millimetres => Some("mm"),
            Self::Words(_) | Self::Commas | Self::Tuple => None,
        }
    }
}

/// Returns the form of a setting in requests, if it differs from that of simulation files.
#[must_use]
pub fn form_of(field: &NamedField) -> Option<Form> {
    field.get_attribute::<Form>().copied()
}

/// Returns the setting that a request names, and true if the name is MORSE's. Values under MORSE's name have MORSE's form.
#[must_use]
pub fn find(settings: &'static TypeInfo, name: &str) -> Option<(&'static NamedField, bool)> {
    let TypeInfo::Struct(info) = settings else {
        return None;
    };
    let theirs = |field: &&NamedField| {
        let property = field.get_attribute::<Property>();
        property.is_some_and(|property| property.0 == name)
    };
    let renamed = info.iter().find(theirs).map(|field| (field, true));
    renamed.or_else(|| info.field(name).map(|field| (field, false)))
}
