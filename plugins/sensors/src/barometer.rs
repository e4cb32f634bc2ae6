//! Barometer: static air pressure.
use morse_api::{prelude::*, state::Stateful};

/// Temperature at the reference height in the International Standard Atmosphere, K.
const TEMPERATURE: f64 = 288.15;
/// Decrease of temperature with height, K/m.
const LAPSE_RATE: f64 = 0.0065;
/// Molar mass of air, kg/mol.
const MOLAR_MASS: f64 = 0.028_964_4;
/// Gas constant with MORSE's value, J/(mol·K).
const GAS_CONSTANT: f64 = 8.314_47;

/// Barometer in the troposphere of the International Standard Atmosphere, without error.
///
/// As in MORSE, `reference_pressure` is the pressure at the initial height of the sensor, whatever the altitude of the
/// scene, and gravity is that of the scene. Above 44 331 m from there, where the formula yields no pressure, it returns 0.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Start)]
pub struct Barometer {
    /// Pressure at the initial height of the sensor.
    #[reflect(@Unit("Pa"), @ValueRange(1.0, 1e7), @Property("ReferencePressure"))]
    pub reference_pressure: f64,
}

impl Default for Barometer {
    fn default() -> Self {
        Self {
            reference_pressure: 101_325.0,
        }
    }
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(alias("FluidPressure"))]
pub struct BarometerData {
    /// Static pressure.
    #[reflect(@Unit("Pa"))]
    pub pressure: f64,
}

/// Initial height of the sensor, m. Part of the state.
#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Start(f64);

impl Stateful for Start {}

impl Sensor for Barometer {
    const KIND: &'static str = "barometer";
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::FluidPressure]];
    const MORSE_CLASSES: &'static [&'static str] = &["Barometer"];
    type Data = BarometerData;
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<Barometer, _>(default_action)
        .register_state::<Start>()
        .add_systems(Startup, begin);
}

fn begin(mut sensors: Query<(&WorldPose, &mut Start)>) {
    for (pose, mut start) in &mut sensors {
        start.0 = pose.0.translation.z;
    }
}

fn default_action(
    gravity: Res<Gravity>,
    mut sensors: Query<(&Barometer, &Due, &WorldPose, &Start, &mut BarometerData)>,
) {
    let gravity = gravity.0.norm();
    for (settings, due, pose, start, mut data) in &mut sensors {
        if due.0 {
            let height = pose.0.translation.z - start.0;
            data.pressure = settings.reference_pressure * ratio(height, gravity);
        }
    }
}

/// Returns the ratio of the pressure at a height (m) above the reference to the reference pressure.
fn ratio(height: f64, gravity: f64) -> f64 {
    let temperature = (1.0 - LAPSE_RATE * height / TEMPERATURE).max(0.0);
    libm::pow(
        temperature,
        gravity * MOLAR_MASS / (GAS_CONSTANT * LAPSE_RATE),
    )
}

#[cfg(test)]
mod tests {
    use morse_testing::{TestWorld, moving, out_of_range};

    use super::*;

    /// Geopotential altitude (m) and pressure (Pa) from the ICAO Standard Atmosphere, Doc 7488/3.
    const STANDARD: [(f64, f64); 6] = [
        (-1_000.0, 113_929.0),
        (0.0, 101_325.0),
        (1_000.0, 89_874.6),
        (3_000.0, 70_108.5),
        (5_000.0, 54_019.9),
        (11_000.0, 22_632.1),
    ];

    fn at(height: f64) -> BodyState {
        moving([5.0, -3.0, height], 0.3, [0.0; 3], [0.0; 3])
    }

    #[test]
    fn as_in_the_standard_atmosphere() {
        // The table's altitudes start at sea level; the ground of this scene is 700 m below.
        let mut test = TestWorld::new(60.0, plugin, at(700.0));
        test.app
            .insert_resource(Gravity(Vector3::new(0.0, 0.0, -9.806_65)));
        let mount = Isometry3::translation(0.1, 0.0, 0.4);
        let sensor = test.sensor::<Barometer>("rover.barometer", "()", 60.0, mount);
        for (height, pressure) in STANDARD {
            test.step(at(700.0 + height));
            let actual = test.read::<BarometerData>(sensor).pressure;
            // MORSE's gas constant differs from the standard's: 3e-5 at 11 km.
            assert!((actual / pressure - 1.0).abs() < 4e-5, "{height}: {actual}");
        }
    }

    #[test]
    fn the_reference_and_the_top() {
        let mut test = TestWorld::new(60.0, plugin, at(0.0));
        let text = "(reference_pressure: 90000)";
        let sensor = test.sensor::<Barometer>("rover.barometer", text, 60.0, Isometry3::identity());
        test.step(at(0.0));
        assert_eq!(test.read::<BarometerData>(sensor).pressure, 90_000.0);
        // Near the reference the pressure falls by ρ·g per metre: ρ = p·M / (R·T).
        test.step(at(1.0));
        let fall = 90_000.0 - test.read::<BarometerData>(sensor).pressure;
        assert!((fall - 90_000.0 * MOLAR_MASS / (GAS_CONSTANT * TEMPERATURE) * 9.81).abs() < 1e-3);
        test.step(at(50_000.0));
        assert_eq!(test.read::<BarometerData>(sensor).pressure, 0.0);
    }

    #[test]
    fn without_gravity_the_pressure_is_the_same_everywhere() {
        assert_eq!(ratio(3_000.0, 0.0), 1.0);
        assert_eq!(ratio(-3_000.0, 0.0), 1.0);
    }

    #[test]
    fn a_pressure_is_positive() {
        for text in ["0", "-1", "inf", "NaN"] {
            let text = format!("(reference_pressure: {text})");
            assert_eq!(out_of_range::<Barometer>(&text), ["reference_pressure"]);
        }
    }
}
