//! A fault: data that stop changing.
use bevy::reflect::{PartialReflect, structs::Struct};
use morse_api::{
    fields::Field,
    modifier::Site,
    numbers::Numbers,
    prelude::*,
    samples::{Block, Samples},
};

use crate::{faults, record};

/// Holds the data at their last value from a time on, as a sensor does that hangs: numbers, text, lists and names, pixels
/// and points.
///
/// On a command it acts on the commands that are received in that time.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Freeze {
    /// Fields to hold, such as `["x", "velocity.0"]`; all fields by default.
    pub fields: Vec<String>,
    /// Start time; the last measurement before it is held.
    #[reflect(@Unit("s"), @ValueRange(0.0, 1e9))]
    pub from: f64,
    /// End time; never by default.
    #[reflect(@Unit("s"), @ValueRange(0.0, 1e9))]
    pub until: Option<f64>,
}

impl Modifier for Freeze {
    const KIND: &'static str = "freeze";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let is_named = |field: &&Field| self.fields.iter().any(|name| name == field.name);
        let is_meant = |field: &&Field| self.fields.is_empty() || is_named(field);
        let meant = || fields.0.iter().filter(is_meant);
        let counted = |counts: fn(&Field) -> bool| meant().filter(move |field| counts(field));
        let samples: Vec<usize> = counted(has_samples).map(|field| field.index).collect();
        let whole: Vec<usize> = counted(can_stay).map(|field| field.index).collect();
        let known = |name: &String| {
            let field = fields.get(name);
            field.is_some_and(|field| has_samples(field) || can_stay(field))
        };
        let names: Vec<String> = self
            .fields
            .iter()
            .filter(|name| !known(name))
            .cloned()
            .collect();
        let elements = (!names.is_empty()).then(|| Numbers::of(fields, &names));
        if samples.is_empty() && whole.is_empty() && elements.is_none() {
            return Err(BindError::needs("a field that can stay as it is"));
        }
        Ok(Box::new(Bound {
            samples,
            whole,
            elements: elements.transpose()?,
            from: self.from,
            until: self.until,
        }))
    }

    fn check(&self, _: &World) -> Result<(), CheckError> {
        faults::check_span("from", self.from, self.until)
    }
}

/// Returns true if a field is stored by its numbers. Constant fields need not be stored.
fn can_stay(field: &Field) -> bool {
    !field.is_fixed && record::can_keep(field.info)
}

fn has_samples(field: &Field) -> bool {
    field.info.is_some_and(|info| {
        info.is::<Samples<u8>>() || info.is::<Samples<u16>>() || info.is::<Samples<f32>>()
    })
}

/// The memory contains the held samples, and as numbers the whole fields and then components of others.
struct Bound {
    samples: Vec<usize>,
    whole: Vec<usize>,
    elements: Option<Numbers>,
    from: f64,
    until: Option<f64>,
}

impl Modify for Bound {
    fn modify(&self, data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock) {
        let now = clock.seconds();
        let has_any = !state.values.is_empty() || !state.samples.is_empty();
        if faults::lasts(self.from, self.until, now) && has_any {
            self.put_back(data, state);
        } else if self.until.is_none_or(|until| now < until) {
            self.keep(data, state);
        }
    }
}

impl Bound {
    fn keep(&self, data: &mut dyn Struct, state: &mut ModifierState) {
        state.samples.clear();
        let samples = self
            .samples
            .iter()
            .filter_map(|&index| data.field_at(index));
        state.samples.extend(samples.filter_map(block));
        let values = &mut state.values;
        values.clear();
        for &index in &self.whole {
            if let Some(field) = data.field_at(index) {
                record::write(field, values);
            }
        }
        if let Some(elements) = &self.elements {
            elements.each(data, |_, number| values.push(*number));
        }
    }

    fn put_back(&self, data: &mut dyn Struct, state: &ModifierState) {
        for (&index, block) in self.samples.iter().zip(&state.samples) {
            if let Some(field) = data.field_at_mut(index) {
                assign(field, block);
            }
        }
        let mut row = state.values.as_slice();
        for &index in &self.whole {
            if let Some(field) = data.field_at_mut(index) {
                record::read(field, &mut row);
            }
        }
        if let Some(elements) = &self.elements {
            elements.each(data, |index, number| {
                if let Some(value) = row.get(index) {
                    *number = *value;
                }
            });
        }
    }
}

/// Returns samples without their type, sharing their memory.
fn block(field: &dyn PartialReflect) -> Option<Block> {
    macro_rules! block_of {
        ($($type:ty => $block:path),+) => {
            $(if let Some(samples) = field.try_downcast_ref::<Samples<$type>>() {
                return Some($block(samples.clone()));
            })+
        };
    }
    block_of!(u8 => Block::U8, u16 => Block::U16, f32 => Block::F32);
    None
}

fn assign(field: &mut dyn PartialReflect, block: &Block) {
    macro_rules! assign_as {
        ($type:ty, $kept:expr) => {
            if let Some(samples) = field.try_downcast_mut::<Samples<$type>>() {
                samples.clone_from($kept);
            }
        };
    }
    match block {
        Block::U8(kept) => assign_as!(u8, kept),
        Block::U16(kept) => assign_as!(u16, kept),
        Block::F32(kept) => assign_as!(f32, kept),
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Freeze>();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use morse_sensors::{
        gps::GpsData, pose::PoseData, proximity::ProximityData, video_camera::VideoCameraData,
    };
    use morse_testing::{TestModifier, settings};

    use super::*;

    /// `x` of a robot that moves by 1 in each measurement, at 10 Hz.
    fn moving(text: &str) -> Vec<f64> {
        let settings: Freeze = settings(text);
        let mut noisy = TestModifier::<PoseData>::new(&settings, None, World::new());
        let measure = |step: u32| {
            let truth = PoseData {
                x: f64::from(step),
                y: f64::from(step),
                ..PoseData::default()
            };
            let data = noisy.measure(truth);
            assert!(data.y == f64::from(step) || text.contains("[]"));
            data.x
        };
        (1..=8).map(measure).collect()
    }

    #[test]
    fn the_last_value_stays_for_its_time() {
        let held = moving("(fields: [\"x\"], from: 0.35, until: 0.6)");
        assert_eq!(held, [1.0, 2.0, 3.0, 3.0, 3.0, 6.0, 7.0, 8.0]);
        let for_ever = moving("(fields: [], from: 0.7)");
        assert_eq!(for_ever, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.0, 6.0]);
        let from_the_start = moving("(fields: [\"x\"])");
        assert_eq!(from_the_start, [1.0; 8]);
    }

    #[test]
    fn text_names_and_pixels_stay_with_the_numbers() {
        let frozen: Freeze = settings("(from: 0.15)");
        let mut gps = TestModifier::<GpsData>::new(&frozen, Some("extended"), World::new());
        let at = |time: &str, heading: f64| GpsData {
            time: time.to_owned(),
            heading,
            ..GpsData::default()
        };
        assert_eq!(gps.measure(at("120000", 1.0)), at("120000", 1.0));
        assert_eq!(gps.measure(at("120001", 2.0)), at("120000", 1.0));
        let mut near = TestModifier::<ProximityData>::new(&frozen, None, World::new());
        let seen = |names: &[(&str, f64)]| ProximityData {
            near_objects: names
                .iter()
                .map(|(name, far)| ((*name).to_owned(), *far))
                .collect(),
            near_robots: BTreeMap::new(),
        };
        let first = seen(&[("cat", 1.0), ("dog", 2.0)]);
        assert_eq!(near.measure(first.clone()), first);
        assert_eq!(near.measure(seen(&[("bee", 0.1)])), first);
        assert_eq!(near.measure(seen(&[])), first);
        let mut eye = TestModifier::<VideoCameraData>::new(&frozen, Some("rgb"), World::new());
        let grey = |brightness: u8| VideoCameraData {
            image: vec![brightness; 16].into(),
            ..VideoCameraData::default()
        };
        let first = eye.measure(grey(7));
        assert_eq!(eye.measure(grey(200)), first);
        assert_eq!(first.image.values(), [7; 16]);
    }

    #[test]
    fn an_element_stays_beside_a_whole_field() {
        let frozen: Freeze = settings("(from: 0.15, fields: [\"velocity.1\", \"time\"])");
        let mut gps = TestModifier::<GpsData>::new(&frozen, Some("extended"), World::new());
        let at = |number: f64, time: &str| GpsData {
            velocity: [number; 3],
            time: time.to_owned(),
            ..GpsData::default()
        };
        gps.measure(at(1.0, "a"));
        let mut expected = at(2.0, "a");
        expected.velocity[1] = 1.0;
        assert_eq!(gps.measure(at(2.0, "b")), expected);
    }
}
