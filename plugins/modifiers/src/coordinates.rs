//! Conversion of positions to other coordinates: the common code of the modifiers `ecef`, `geodetic` and similar ones.
use bevy::reflect::structs::Struct;
use morse_api::{
    fields::at_mut,
    modifier::{Direction, FrameChange, Site},
    prelude::*,
};

/// Other coordinates for a point of the scene.
pub trait Coordinates: Send + Sync + 'static {
    /// Their units.
    const UNITS: [&'static str; 3];
    /// Converts a point from the scene (m).
    fn to(&self, point: [f64; 3]) -> [f64; 3];
    /// Converts a point to the scene (m).
    fn from(&self, point: [f64; 3]) -> [f64; 3];
}

/// Binds a change of coordinates to the position in the data.
///
/// # Errors
///
/// The data have no position.
pub fn bind(
    coordinates: impl Coordinates,
    fields: &Fields,
    site: &Site<'_>,
    direction: Option<Direction>,
) -> Result<Box<dyn Modify>, BindError> {
    Ok(Box::new(Bound {
        direction: site.direction(direction),
        indices: match site.direction(direction) {
            Direction::To => fields.position()?,
            // The other coordinates may be in degrees or feet.
            Direction::From => fields.numbers(["x", "y", "z"])?,
        },
        coordinates,
    }))
}

struct Bound<C> {
    coordinates: C,
    indices: [usize; 3],
    direction: Direction,
}

impl<C: Coordinates> Bound<C> {
    fn apply(&self, direction: Direction, data: &mut dyn Struct) {
        let mut read = |index| at_mut::<f64>(data, index).map_or(0.0, |value| *value);
        let point = self.indices.map(&mut read);
        let changed = match direction {
            Direction::To => self.coordinates.to(point),
            Direction::From => self.coordinates.from(point),
        };
        for (index, changed) in self.indices.into_iter().zip(changed) {
            if let Some(value) = at_mut::<f64>(data, index) {
                *value = changed;
            }
        }
    }
}

impl<C: Coordinates> Modify for Bound<C> {
    fn modify(&self, data: &mut dyn Struct, _: &mut ModifierState, _: &Clock) {
        self.apply(self.direction, data);
    }

    fn frame_change(&self) -> Option<&dyn FrameChange> {
        Some(self)
    }

    fn relabel(&self, fields: &mut Fields) {
        let units = match self.direction {
            Direction::To => C::UNITS,
            Direction::From => ["m"; 3],
        };
        fields.set_units(&self.indices, &units);
    }
}

impl<C: Coordinates> FrameChange for Bound<C> {
    fn change(&self, data: &mut dyn Struct) {
        self.apply(self.direction, data);
    }

    fn undo(&self, data: &mut dyn Struct) {
        self.apply(self.direction.opposite(), data);
    }
}

/// Length of the international foot, m. MORSE's 3.2808399 feet to a metre are this one, rounded.
pub const FOOT: f64 = 0.3048;

/// Binds a conversion between metres and feet to those of `x`, `y` and `z` that the data have.
///
/// # Errors
///
/// The data have none of them in the unit to convert.
pub fn feet(fields: &Fields, direction: Direction) -> Result<Box<dyn Modify>, BindError> {
    // A command is declared in metres, whatever unit its sender uses.
    let fits = |name| {
        fields
            .of_kind::<f64>(name)
            .filter(|field| matches!(field.unit, Some("m" | "ft")))
    };
    let indices: Vec<usize> = ["x", "y", "z"]
        .into_iter()
        .filter_map(fits)
        .map(|field| field.index)
        .collect();
    if indices.is_empty() {
        return Err(BindError::needs("a length `x`, `y` or `z`"));
    }
    Ok(Box::new(Feet { direction, indices }))
}

struct Feet {
    direction: Direction,
    indices: Vec<usize>,
}

impl Feet {
    fn apply(&self, direction: Direction, data: &mut dyn Struct) {
        for &index in &self.indices {
            if let Some(value) = at_mut::<f64>(data, index) {
                match direction {
                    Direction::To => *value /= FOOT,
                    Direction::From => *value *= FOOT,
                }
            }
        }
    }
}

impl Modify for Feet {
    fn modify(&self, data: &mut dyn Struct, _: &mut ModifierState, _: &Clock) {
        self.apply(self.direction, data);
    }

    fn frame_change(&self) -> Option<&dyn FrameChange> {
        Some(self)
    }

    fn relabel(&self, fields: &mut Fields) {
        let unit = match self.direction {
            Direction::To => "ft",
            Direction::From => "m",
        };
        fields.set_units(&self.indices, &vec![unit; self.indices.len()]);
    }
}

impl FrameChange for Feet {
    fn change(&self, data: &mut dyn Struct) {
        self.apply(self.direction, data);
    }

    fn undo(&self, data: &mut dyn Struct) {
        self.apply(self.direction.opposite(), data);
    }
}
