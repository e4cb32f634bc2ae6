//! Delayed data.
use bevy::reflect::structs::Struct;
use morse_api::{
    modifier::{ModifierOutcome, Side, Site},
    prelude::*,
};

use crate::record;

/// Delays the data by a time, or by a number of measurements.
///
/// Each measurement exports the newest data that are old enough, so that a delay is rounded up to whole periods of the
/// sensor; before there are any, nothing is exported. The reading has the time of its export, not that of the measurement,
/// as from a sensor that does not stamp its data. Data that an earlier modifier drops, such as `dropout`, never arrive;
/// earlier data still do when they are old enough.
///
/// A command takes effect in the first tick in which it is old enough. Commands of services are not delayed.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Latency {
    /// Delay.
    #[reflect(@Unit("s"), @ValueRange(0.0, 86_400.0))]
    pub time: f64,
    /// Delay as a number of measurements. Not allowed for commands, which are not periodic.
    #[reflect(@ValueRange(0.0, 1e6))]
    pub measurements: Option<u32>,
}

impl Default for Latency {
    fn default() -> Self {
        Self {
            time: 0.1,
            measurements: None,
        }
    }
}

impl Modifier for Latency {
    const KIND: &'static str = "latency";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        if self.measurements.is_some() && site.side == Side::Command {
            return Err(BindError::needs(
                "measurements to count; say `time: …` for a command",
            ));
        }
        if let Some(field) = fields.0.iter().find(|field| !record::can_keep(field.info)) {
            return Err(BindError::needs(format!(
                "numbers, text, and lists and maps of them, which can wait; `{}` is a {}",
                field.name, field.type_name
            )));
        }
        if fields.0.is_empty() {
            return Err(BindError::needs("some field"));
        }
        Ok(Box::new(Bound {
            settings: self.clone(),
            side: site.side,
            indices: fields.0.iter().map(|field| field.index).collect(),
        }))
    }
}

/// The memory contains the number of measurements so far, and then the delayed data, oldest first: due time, count of
/// numbers, and the numbers.
struct Bound {
    settings: Latency,
    side: Side,
    indices: Vec<usize>,
}

/// Index at which the delayed data begin.
const QUEUE: usize = 1;
/// Numbers in the header of an entry: due time, and count of numbers.
const HEAD: usize = 2;

impl Bound {
    /// Returns the present time, on the scale of the delay, and the delay.
    fn now(&self, state: &ModifierState, clock: &Clock) -> (f64, f64) {
        match self.settings.measurements {
            Some(count) => (
                state.values.first().copied().unwrap_or(0.0),
                f64::from(count),
            ),
            None => (clock.seconds(), self.settings.time),
        }
    }

    /// Returns due time and count of numbers of the oldest entry.
    fn oldest(state: &ModifierState) -> Option<(f64, usize)> {
        match state.values.get(QUEUE..QUEUE + HEAD) {
            Some(&[due, length]) => Some((due, length as usize)),
            _ => None,
        }
    }

    fn is_old_enough(&self, state: &ModifierState, clock: &Clock) -> bool {
        // The rounding error of sums of times is far less than that.
        let tolerance = clock.dt() * 1e-6;
        let (now, _) = self.now(state, clock);
        Self::oldest(state).is_some_and(|(due, _)| due <= now + tolerance)
    }

    fn push(&self, data: &dyn Struct, state: &mut ModifierState, clock: &Clock) {
        let (now, delay) = self.now(state, clock);
        let values = &mut state.values;
        let head = values.len();
        values.extend([now + delay, 0.0]);
        for &index in &self.indices {
            if let Some(field) = data.field_at(index) {
                record::write(field, values);
            }
        }
        let length = values.len() - head - HEAD;
        if let Some(count) = values.get_mut(head + 1) {
            *count = length as f64;
        }
    }
}

impl Modify for Bound {
    fn modify(&self, data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock) {
        if state.values.is_empty() {
            state.values.push(0.0);
        }
        if let Some(count) = state.values.first_mut() {
            *count += 1.0;
        }
        self.push(data, state, clock);
        state.outcome = ModifierOutcome::Held;
        let is_measurement = self.side == Side::Measurement;
        while (is_measurement || self.settings.time == 0.0) && self.is_old_enough(state, clock) {
            self.release(data, state);
            state.outcome = ModifierOutcome::Passed;
        }
    }

    fn most_held(&self, frequency: f64) -> u64 {
        let count = self.settings.measurements.map(u64::from);
        count.unwrap_or((self.settings.time * frequency).ceil() as u64) + 1
    }

    fn is_due(&self, state: &ModifierState, clock: &Clock) -> bool {
        self.is_old_enough(state, clock)
    }

    fn release(&self, data: &mut dyn Struct, state: &mut ModifierState) {
        let Some((_, length)) = Self::oldest(state) else {
            return;
        };
        let first = QUEUE + HEAD;
        if let Some(mut numbers) = state.values.get(first..first + length) {
            for &index in &self.indices {
                if let Some(field) = data.field_at_mut(index) {
                    record::read(field, &mut numbers);
                }
            }
        }
        state
            .values
            .drain(QUEUE..(first + length).min(state.values.len()));
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Latency>();
}

#[cfg(test)]
mod tests {
    use morse_actuators::v_omega::{VOmega, VOmegaCommand};
    use morse_sensors::{
        gps::GpsData, laser_scanner::LaserScannerData, pose::PoseData, proximity::ProximityData,
    };
    use morse_testing::{TestModifier, TestWorld, settings};

    use super::*;

    /// `x` of a robot that moves by 1 in each measurement, at 10 Hz.
    fn late(text: &str) -> Vec<Option<f64>> {
        let settings: Latency = settings(text);
        let mut noisy = TestModifier::<PoseData>::new(&settings, None, World::new());
        let measure = |x: u32| {
            let truth = PoseData {
                x: f64::from(x),
                ..PoseData::default()
            };
            Some(noisy.export(truth)?.x)
        };
        (1..=40).map(measure).collect()
    }

    fn by(count: usize) -> Vec<Option<f64>> {
        let early = std::iter::repeat_n(None, count);
        let late = (1..=40 - count).map(|x| Some(x as f64));
        early.chain(late).collect()
    }

    #[test]
    fn by_a_time_or_a_number_of_measurements() {
        assert_eq!(late("(time: 0)"), by(0));
        assert_eq!(late("(time: 0.1)"), by(1));
        assert_eq!(late("(time: 0.3)"), by(3));
        // Rounded up to a period.
        assert_eq!(late("(time: 0.21)"), by(3));
        assert_eq!(late("(measurements: 0)"), by(0));
        assert_eq!(late("(measurements: 5)"), by(5));
    }

    #[test]
    fn text_and_lists_come_as_late_as_numbers() {
        let settings: Latency = settings("(measurements: 1)");
        let mut gps = TestModifier::<GpsData>::new(&settings, Some("extended"), World::new());
        let first = GpsData {
            latitude: 43.6,
            velocity: [1.0, 2.0, 3.0],
            time: "120000 €".to_owned(),
            heading: f64::INFINITY,
            ..GpsData::default()
        };
        assert!(gps.export(first.clone()).is_none());
        assert_eq!(gps.export(GpsData::default()), Some(first));
        assert_eq!(gps.export(GpsData::default()), Some(GpsData::default()));
        let mut scan = TestModifier::<LaserScannerData>::new(&settings, None, World::new());
        let long = LaserScannerData {
            point_list: vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
            range_list: vec![7.0, 8.0, 9.0],
            ..LaserScannerData::default()
        };
        let short = LaserScannerData {
            range_list: vec![1.0],
            ..LaserScannerData::default()
        };
        assert!(scan.export(long.clone()).is_none());
        assert_eq!(scan.export(short.clone()), Some(long.clone()));
        assert_eq!(scan.export(long), Some(short));
    }

    #[test]
    fn maps_come_as_late_as_numbers() {
        let settings: Latency = settings("(measurements: 2)");
        let mut noisy = TestModifier::<ProximityData>::new(&settings, None, World::new());
        let near = |names: &[(&str, f64)]| {
            let named = names.iter().map(|(name, far)| ((*name).to_owned(), *far));
            ProximityData {
                near_objects: named.collect(),
                ..ProximityData::default()
            }
        };
        let seen = [
            near(&[("cat", 1.0), ("dog", 2.0)]),
            near(&[]),
            near(&[("cat", 1.5)]),
            near(&[("ant", 0.1), ("bee", 0.2), ("cow", 30.0)]),
        ];
        let mut late = Vec::new();
        for truth in seen.iter().chain([&seen[1], &seen[1]]) {
            late.extend(noisy.export(truth.clone()));
        }
        assert_eq!(late, seen);
    }

    #[test]
    fn a_running_queue_does_not_grow() {
        let settings: Latency = settings("(measurements: 4)");
        let mut noisy = TestModifier::<PoseData>::new(&settings, None, World::new());
        let mut sizes = Vec::new();
        for _ in 0..1000 {
            noisy.measure(PoseData::default());
            sizes.push(noisy.state().values.capacity());
        }
        assert!(sizes[5..].iter().all(|size| *size == sizes[5]), "{sizes:?}");
        // One number for the count, and four entries of six numbers.
        assert_eq!(noisy.state().values.len(), 1 + 4 * (2 + 6));
    }

    #[test]
    fn commands_take_effect_late() {
        let mut test = TestWorld::new(10.0, v_omega_and_latency, BodyState::default());
        let motion = test.actuator::<VOmega>("rover.motion", "()", Isometry3::identity());
        let fields = Fields::of_type::<VOmegaCommand>(None);
        test.modifier::<Latency>(motion, "(time: 0.3)", &fields);
        let speeds: Vec<f64> = (1..=8)
            .map(|tick| {
                // Sent before ticks 2 and 3, which read them.
                if tick == 2 || tick == 3 {
                    test.send(
                        motion,
                        VOmegaCommand {
                            v: f64::from(tick),
                            w: 0.0,
                        },
                    );
                }
                test.step(BodyState::default());
                test.get::<VOmegaCommand>(motion).v
            })
            .collect();
        assert_eq!(speeds, [0.0, 0.0, 0.0, 0.0, 2.0, 3.0, 3.0, 3.0]);
    }

    fn v_omega_and_latency(app: &mut App) {
        app.add_plugins((morse_actuators::plugin, plugin));
    }

    #[test]
    fn commands_have_no_measurements() {
        let settings: Latency = settings("(measurements: 3)");
        let world = World::new();
        let site = Site {
            world: &world,
            side: Side::Command,
            path: "rover.sensor",
        };
        assert!(
            settings
                .bind(&Fields::of_type::<VOmegaCommand>(None), &site)
                .is_err()
        );
    }
}
