//! Airspeed sensor: dynamic pressure in a pitot tube.
use morse_api::prelude::*;

use crate::motion::{ComputationMode, Moment, Motion, track};

/// Density of air at 15 °C at sea level, kg/m³ (International Standard Atmosphere).
const AIR_DENSITY: f64 = 1.225;

/// Measures the dynamic pressure in a pitot tube along the sensor's x axis. The air is still.
///
/// Both computation modes use the velocity along the sensor's own axis; MORSE's `position` uses the world's.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Motion)]
pub struct Airspeed {
    /// Source of the velocity: `automatic`, `velocity` (live) or `position` (from poses).
    #[reflect(@Property("ComputationMode"), @Form::COMPUTATION)]
    pub computation_mode: ComputationMode,
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AirspeedData {
    /// Total minus static pressure: ½ · 1.225 kg/m³ · v², where v is the velocity along the sensor's x axis, forwards or
    /// backwards.
    #[reflect(@Unit("Pa"))]
    pub diff_pressure: f64,
}

impl Sensor for Airspeed {
    const KIND: &'static str = "airspeed";
    const MORSE_CLASSES: &'static [&'static str] = &["Airspeed"];
    type Data = AirspeedData;
}

pub(super) fn plugin(app: &mut App) {
    track(app);
    app.add_sensor::<Airspeed, _>(default_action);
}

fn default_action(
    moment: Moment<'_>,
    mut sensors: Query<(
        &Airspeed,
        &Due,
        &WorldPose,
        &WorldVelocity,
        &mut Motion,
        &mut AirspeedData,
    )>,
) {
    for (settings, due, pose, velocity, mut motion, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        let moved = motion.measure(settings.computation_mode, pose, velocity, &moment);
        let ahead = pose.0.rotation.inverse_transform_vector(&moved.linear).x;
        data.diff_pressure = 0.5 * AIR_DENSITY * ahead * ahead;
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_testing::{TestWorld, moving};

    use super::*;

    #[test]
    fn a_tube_feels_what_comes_from_ahead() {
        for mode in ["automatic", "velocity", "position"] {
            let text = format!("(computation_mode: {mode})");
            // Northwards at 20 m/s, climbing at 3 m/s.
            let flying = |tick: u32| {
                let time = f64::from(tick) / 60.0;
                let velocity = [0.0, 20.0, 3.0];
                moving(velocity.map(|v| v * time), FRAC_PI_2, velocity, [0.0; 3])
            };
            let mut test = TestWorld::new(60.0, plugin, flying(0));
            let ahead = test.sensor::<Airspeed>("rover.a", &text, 60.0, Isometry3::identity());
            let left = Isometry3::rotation(Vector3::z() * FRAC_PI_2);
            let left = test.sensor::<Airspeed>("rover.b", &text, 7.0, left);
            let up = Isometry3::rotation(Vector3::y() * -FRAC_PI_2);
            let up = test.sensor::<Airspeed>("rover.c", &text, 7.0, up);
            for tick in 1..=60 {
                test.step(flying(tick));
                let of = |sensor| test.read::<AirspeedData>(sensor).diff_pressure;
                // ½ · 1.225 · 20² = 245, ½ · 1.225 · 3² = 5.5125.
                assert!((of(ahead) - 245.0).abs() < 1e-8, "{mode}: {}", of(ahead));
                assert!(of(left).abs() < 1e-12, "{mode}: {}", of(left));
                assert!((of(up) - 5.5125).abs() < 1e-9, "{mode}: {}", of(up));
            }
        }
    }
}
