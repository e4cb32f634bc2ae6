//! A custom sensor: settings, data, and a `default_action` that measures, in one file.
//!
//! The altimeter casts one ray downwards. It is added with one line and named in a simulation file like a built-in kind;
//! modifiers, outputs, services and snapshots require no further code.
#![expect(clippy::print_stdout, reason = "an example talks")]
use std::error::Error;

use morse_sim::{prelude::*, simulation::Simulation};

/// Measures the height above the geometry below.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Altimeter {
    /// Maximum height.
    #[reflect(@Unit("m"))]
    range: f64,
}

impl Default for Altimeter {
    fn default() -> Self {
        Self { range: 30.0 }
    }
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
struct AltimeterData {
    /// Distance to the first surface below, or the range if there is none.
    #[reflect(@Unit("m"))]
    height: f64,
}

impl Sensor for Altimeter {
    const KIND: &'static str = "altimeter";
    type Data = AltimeterData;
}

fn plugin(app: &mut App) {
    app.add_sensor::<Altimeter, _>(default_action);
}

fn default_action(
    rays: Res<Rays>,
    mut sensors: Query<(&Altimeter, &Due, &WorldPose, &Mount, &mut AltimeterData)>,
) {
    for (settings, due, pose, mount, mut data) in &mut sensors {
        if due.0 {
            let (origin, down) = (pose.0 * Point3::origin(), pose.0 * -Vector3::z());
            // The ray ignores the robot itself.
            let hit = rays.cast(origin, down, settings.range, Some(mount.robot));
            data.height = hit.map_or(settings.range, |hit| hit.distance);
        }
    }
}

const SIMULATION: &str = r#"Simulation(
    scene: "table.robray",
    robots: {
        "block": (
            frame: "block_a", at: (translation: (0, 0, 1)),
            sensors: { "down": (kind: "altimeter", range: 5) },
        ),
    },
)"#;

fn main() -> Result<(), Box<dyn Error>> {
    fn extensions(app: &mut App) {
        app.add_plugins(plugin);
    }
    let mut simulation = Simulation::parse(SIMULATION, "scenes", &extensions)?;
    for _ in 0..12 {
        simulation.run(3)?;
        let height = simulation.read::<AltimeterData>("block.down")?.height;
        println!(
            "{:.2} s  {height:.3} m {}",
            simulation.seconds(),
            "=".repeat((height * 40.0) as usize)
        );
    }
    let height = simulation.read::<AltimeterData>("block.down")?.height;
    assert!(
        (height - 0.05).abs() < 0.002,
        "half a block above the table: {height}"
    );
    Ok(())
}
