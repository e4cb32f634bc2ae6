//! Thermometer: air temperature, which rises near fires.
use morse_api::{
    object::{Objects, Property, Tracked},
    prelude::*,
};

/// Measures the temperature of the air: T = T₀ + Σ F · exp(-α · d) over all fires, where d is the distance of a fire's
/// origin from the sensor.
///
/// Fires are objects and robots with the property `fire_tag`. If the property is a number, it is the temperature F of the
/// fire. As in MORSE, except that a property that is `false` makes no fire.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Tracked)]
pub struct Thermometer {
    /// Property of fires.
    #[reflect(@Property("FireTag"), @Changeable)]
    pub fire_tag: String,
    /// Temperature far from all fires.
    #[reflect(@Unit("°C"), @ValueRange(-273.15, 1e6), @Property("DefaultTemperature"))]
    pub default_temperature: f64,
    /// Temperature that a fire adds at its position, unless its property is a number.
    #[reflect(@Unit("°C"), @ValueRange(-1e6, 1e6), @Property("FireTemperature"))]
    pub fire_temperature: f64,
    /// Maximum distance at which a fire is measured; no limit by default.
    #[reflect(@Unit("m"), @ValueRange(0.0, f64::INFINITY), @Property("Range"))]
    pub range: f64,
    /// Decay rate of the heat with distance.
    #[reflect(@Unit("1/m"), @ValueRange(0.0, 1e6), @Property("Alpha"))]
    pub alpha: f64,
}

impl Default for Thermometer {
    fn default() -> Self {
        Self {
            fire_tag: "Fire".to_owned(),
            default_temperature: 15.0,
            fire_temperature: 200.0,
            range: f64::INFINITY,
            alpha: 0.2,
        }
    }
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThermometerData {
    /// Temperature of the air at the sensor.
    #[reflect(@Unit("°C"))]
    pub temperature: f64,
}

impl Sensor for Thermometer {
    const KIND: &'static str = "thermometer";
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::Temperature]];
    const MORSE_CLASSES: &'static [&'static str] = &["Thermometer"];
    type Data = ThermometerData;
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<Thermometer, _>(default_action)
        .init_resource::<Objects>();
}

fn default_action(
    objects: Res<Objects>,
    bodies: Query<&BodyState>,
    mut sensors: Query<(
        &Thermometer,
        &Due,
        &WorldPose,
        &mut Tracked,
        &mut ThermometerData,
    )>,
) {
    for (settings, due, pose, mut tracked, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        data.temperature = settings.default_temperature;
        for fire in tracked.of(&objects, &settings.fire_tag) {
            let Some(at) = fire.pose(&bodies) else {
                continue;
            };
            let distance = (at.translation.vector - pose.0.translation.vector).norm();
            if distance < settings.range {
                let own = fire.properties.get(&settings.fire_tag);
                let heat = own.and_then(Property::number);
                data.temperature += heat.unwrap_or(settings.fire_temperature)
                    * libm::exp(-settings.alpha * distance);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::{TestWorld, moving, thing};

    use super::*;

    const FIRE: (&str, Property) = ("Fire", Property::Flag(true));

    fn measured(text: &str, fires: Vec<(morse_api::object::Object, Isometry3<f64>)>) -> f64 {
        let start = moving([1.0, 0.0, 0.0], 0.5, [0.0; 3], [0.0; 3]);
        let mut test = TestWorld::new(60.0, plugin, start);
        test.objects(fires);
        let mount = Isometry3::translation(0.0, 0.0, 2.0);
        let sensor = test.sensor::<Thermometer>("rover.thermometer", text, 60.0, mount);
        test.step(start);
        test.read::<ThermometerData>(sensor).temperature
    }

    #[track_caller]
    fn assert_near(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 1e-9, "{actual}, not {expected}");
    }

    #[test]
    fn without_fire_it_is_as_cold_as_the_air() {
        assert_near(measured("()", Vec::new()), 15.0);
        let no_fire = thing("wet", [1.0, 0.0, 2.0], &[("Fire", Property::Flag(false))]);
        let plain = thing("box", [1.0, 0.0, 2.0], &[]);
        assert_near(
            measured("(default_temperature: -4)", vec![no_fire, plain]),
            -4.0,
        );
    }

    #[test]
    fn fires_add_up_and_fade() {
        // A fire at 5 m: exp(-1) = 0.36787944117144233; a fire of 80 °C at 10 m: exp(-2) = 0.1353352832366127.
        let near = thing("near", [1.0, 3.0, 6.0], &[FIRE]);
        let hot = thing("hot", [11.0, 0.0, 2.0], &[("Fire", Property::Number(80.0))]);
        let expected = 15.0 + 200.0 * 0.367_879_441_171_442_33 + 80.0 * 0.135_335_283_236_612_7;
        assert_near(measured("()", vec![near.clone(), hot.clone()]), expected);
        let expected = 15.0 + 100.0 * 0.367_879_441_171_442_33;
        let text = "(range: 10, fire_temperature: 100)";
        assert_near(measured(text, vec![near, hot]), expected);
        let other = thing(
            "x",
            [1.0, 0.0, 2.0],
            &[("Hot", Property::Text("very".into()))],
        );
        assert_near(
            measured(r#"(fire_tag: "Hot", alpha: 9)"#, vec![other]),
            215.0,
        );
    }
}
