//! A custom sensor with its unit tests: no scene, no physics, a robot that moves exactly as the test defines.
//!
//! `TestWorld` runs the tick with one robot; the test mounts the sensor, moves the robot, and reads the measurement. `cargo
//! test --example tested_sensor` runs the tests below, `cargo run --example tested_sensor` the sensor in a scene.
#![expect(clippy::print_stdout, reason = "an example talks")]
use std::error::Error;

use morse_sim::{prelude::*, simulation::Simulation};

/// Measures the acceleration of the robot along its x axis.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Last)]
struct Jolt {
    /// Accelerations below this magnitude are reported as zero.
    #[reflect(@Unit("m/s²"), @ValueRange(0.0, 1000.0))]
    threshold: f64,
}

/// Speed at the last measurement, m/s. It outlives a tick, so it is state: hashed, saved and restored.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
struct Last(Option<f64>);

impl Stateful for Last {}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
struct JoltData {
    /// Mean acceleration since the last measurement; 0 at the first.
    #[reflect(@Unit("m/s²"))]
    acceleration: f64,
}

impl Sensor for Jolt {
    const KIND: &'static str = "jolt";
    type Data = JoltData;
}

fn plugin(app: &mut App) {
    app.add_sensor::<Jolt, _>(default_action)
        .register_state::<Last>();
}

type Item<'a> = (
    &'a Jolt,
    &'a Due,
    &'a UpdateRate,
    &'a WorldPose,
    &'a WorldVelocity,
    &'a mut Last,
    &'a mut JoltData,
);

fn default_action(mut sensors: Query<Item<'_>>) {
    for (settings, due, rate, pose, velocity, mut last, mut data) in &mut sensors {
        if due.0 {
            let speed = pose.0.inverse_transform_vector(&velocity.linear).x;
            let change = last.0.replace(speed).map_or(0.0, |last| speed - last);
            let acceleration = change / rate.period();
            let is_felt = acceleration.abs() >= settings.threshold;
            data.acceleration = if is_felt { acceleration } else { 0.0 };
        }
    }
}

const SIMULATION: &str = r#"Simulation(
    scene: "boxes.robray",
    robots: {
        "rover": (
            model: "robots/atrv.robray", at: (translation: (0, 0, 0.1)),
            sensors: { "jolt": (kind: "jolt", frequency: 10, threshold: 0.1) },
            actuators: { "motion": (kind: "v_omega", start: (v: 0.5, w: 0)) },
        ),
    },
)"#;

fn main() -> Result<(), Box<dyn Error>> {
    fn extensions(app: &mut App) {
        app.add_plugins(plugin);
    }
    let mut simulation = Simulation::parse(SIMULATION, "scenes", &extensions)?;
    for _ in 0..5 {
        simulation.run(6)?;
        let data = simulation.read::<JoltData>("rover.jolt")?;
        println!(
            "{:.1} s  {:+.2} m/s²",
            simulation.seconds(),
            data.acceleration
        );
    }
    assert_eq!(simulation.read::<JoltData>("rover.jolt")?.acceleration, 0.0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use morse_sim::testing::{TestWorld, moving};

    use super::*;

    /// Returns the state of a robot that moves along the world's y axis at a speed.
    fn driving(speed: f64) -> BodyState {
        let yaw = std::f64::consts::FRAC_PI_2;
        moving([0.0; 3], yaw, [0.0, speed, 0.0], [0.0; 3])
    }

    /// Returns the measurements of a sensor at 10 Hz on a robot with these speeds, each for a tenth of a second.
    fn measured(settings: &str, speeds: &[f64]) -> Vec<f64> {
        let mut world = TestWorld::new(10.0, plugin, driving(0.0));
        let sensor = world.sensor::<Jolt>("rover.jolt", settings, 10.0, Isometry3::identity());
        let speeds = speeds.iter();
        let measure = speeds.map(|speed| {
            world.step(driving(*speed));
            world.read::<JoltData>(sensor).acceleration
        });
        measure.collect()
    }

    #[test]
    fn speeding_up_and_braking_are_felt() {
        for (acceleration, expected) in measured("()", &[1.0, 1.5, 1.5, 0.5])
            .into_iter()
            .zip([0.0, 5.0, 0.0, -10.0])
        {
            assert!(
                (acceleration - expected).abs() < 1e-9,
                "{acceleration} instead of {expected}"
            );
        }
    }

    #[test]
    fn little_is_not_felt() {
        assert_eq!(measured("(threshold: 6)", &[1.0, 1.5, 0.5])[1], 0.0);
        assert!(measured("(threshold: 6)", &[1.0, 1.5, 0.5])[2] < -9.0);
    }
}
