//! A custom modifier: the exported data drift away from the measured data.
//!
//! A modifier binds to the fields that it changes once, when the file is loaded. Its memory outlives a tick, so it is saved,
//! restored and hashed; its random numbers depend on the seed, the component and the modifier alone.
#![expect(clippy::print_stdout, reason = "an example talks")]
use std::error::Error;

use bevy::reflect::structs::Struct;
use morse_api::{fields::at_mut, modifier::Site};
use morse_sim::{prelude::*, sensor::pose::PoseData, simulation::Simulation};

/// Adds a random walk to the position; the same seed gives the same walk.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Drift {
    /// Standard deviation of the drift's change per measurement.
    #[reflect(@Unit("m"))]
    step: f64,
}

impl Default for Drift {
    fn default() -> Self {
        Self { step: 0.01 }
    }
}

impl Modifier for Drift {
    const KIND: &'static str = "drift";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let indices = fields.numbers(["x", "y"])?;
        let step = self.step;
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                state.values.resize(indices.len(), 0.0);
                for (drift, index) in state.values.iter_mut().zip(indices) {
                    *drift += state.random.gauss(step);
                    if let Some(value) = at_mut::<f64>(data, index) {
                        *value += *drift;
                    }
                }
            },
        ))
    }
}

fn extensions(app: &mut App) {
    app.add_modifier::<Drift>();
}

/// Returns the exported pose of a rover after ten seconds at rest.
fn belief(seed: u64) -> Result<PoseData, Box<dyn Error>> {
    let text = format!(
        r#"Simulation(
            environment: (seed: {seed}),
            robots: {{
                "rover": (
                    model: "robots/atrv.robray", base: fixed,
                    sensors: {{ "pose": (kind: "pose", frequency: 10, modifiers: [(kind: "drift", step: 0.02)]) }},
                ),
            }},
        )"#
    );
    let mut simulation = Simulation::parse(&text, ".", &extensions)?;
    simulation.run(600)?;
    Ok(simulation.read::<PoseData>("rover.pose")?.clone())
}

fn main() -> Result<(), Box<dyn Error>> {
    for seed in 1..=5 {
        let pose = belief(seed)?;
        println!(
            "seed {seed}: the rover stands at (0, 0) and says ({:+.3}, {:+.3})",
            pose.x, pose.y
        );
    }
    assert_eq!(belief(3)?, belief(3)?, "a seed drifts one way");
    assert_ne!(
        belief(3)?.x,
        belief(4)?.x,
        "another seed drifts another way"
    );
    Ok(())
}
