//! Simulated time: a measurement that consists of its time stamp.
use morse_api::prelude::*;

/// Publishes the simulated time at its frequency.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimeSource {}

/// Data without fields: each measurement has a time stamp.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeSourceData {}

impl Sensor for TimeSource {
    const KIND: &'static str = "clock";
    const MORSE_CLASSES: &'static [&'static str] = &["Clock"];
    type Data = TimeSourceData;
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<TimeSource, _>(default_action);
}

/// Does nothing, since there is nothing to measure.
fn default_action() {}

#[cfg(test)]
mod tests {
    use morse_testing::TestWorld;

    use super::*;

    #[test]
    fn it_acts_at_its_frequency() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let clock = test.sensor::<TimeSource>("rover.clock", "()", 20.0, Isometry3::identity());
        let mut count = 0;
        for _ in 0..60 {
            test.step(BodyState::default());
            count += u32::from(test.get::<Due>(clock).0);
        }
        assert_eq!(count, 20);
        assert_eq!(test.clock().nanos(), 1_000_000_000);
    }
}
