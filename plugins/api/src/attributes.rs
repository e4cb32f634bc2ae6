//! Attributes of the fields of readings, commands and settings: `#[reflect(@Unit("m"))]`.
use bevy::prelude::Reflect;

/// The unit of a number in local data: `#[reflect(@Unit("m/s"))]`; empty for a pure number.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit(pub &'static str);

/// The levels at which a field exists: `#[reflect(@Levels(&["raw"]))]`. Without it, at every level.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(opaque)]
pub struct Levels(pub &'static [&'static str]);

/// A map whose entries are exported as if they were fields themselves: `#[reflect(@Flat)]`.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flat;

/// Numbers that are no measurements but describe others, such as the matrix of a camera: modifiers that apply to all numbers
/// skip them. `#[reflect(@Fixed)]`.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed;
