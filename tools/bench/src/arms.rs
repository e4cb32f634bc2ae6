//! S3: arms with seven joints whose motors follow sine waves. Measures the cost of joints and of commands.
use std::{f64::consts::TAU, fmt::Write as _};

use bevy::prelude::Entity;
use morse_actuators::joints::JointsCommand;
use morse_api::command::CommandSender;
use morse_sensors::joint_state::JointStateData;

use super::{
    Failed, Setup,
    iiwa::{JOINTS, model, motors},
    outcome::{Check, Outcome, rounded},
    stopwatch::Stopwatch,
    world::{World, write},
};

/// Ticks per second, each with new commands.
const RATE: f64 = 240.0;
/// Distance of adjacent arms, m.
const SPACING: f64 = 2.0;
/// Maximum tracking error of a joint, rad.
const LAG: f64 = 0.1;
/// Time from which on the tracking error is checked, s; or half of a shorter run.
const SETTLED: f64 = 2.0;

/// Runs the scene.
pub(super) fn run(setup: &Setup<'_>) -> Result<Outcome, Failed> {
    let substeps = setup.substeps.unwrap_or(1);
    write(setup, "iiwa.robray", &model())?;
    let mut world = World::new(setup, "S3", GROUND, &simulation(setup.n, substeps))?;
    let mut arms = Arms::new(&world, setup.n)?;
    let ticks = setup.ticks(RATE);
    let settled = ((SETTLED * RATE) as u64).min(ticks / 2);
    let mut lag = 0.0;
    let watch = Stopwatch::start();
    for tick in 0..ticks {
        let seconds = tick as f64 / RATE;
        arms.command(seconds)?;
        world.step()?;
        let has_read = arms.read(&world)?;
        if has_read && tick >= settled {
            lag = worse(lag, arms.lag(seconds));
        }
    }
    Ok(Outcome {
        ticks,
        rate: RATE,
        bodies: setup.n,
        substeps,
        load_seconds: world.load_seconds,
        time: watch.elapsed(),
        check: check(lag, &arms.measured),
        ..Outcome::default()
    })
}

const GROUND: &str =
    "frame ground { translation [0, 0, -0.5]; geometry { shape box; dimension [400, 400, 1]; } }\n";

/// Returns the target of a joint at a time.
fn target(seconds: f64, arm: usize, joint: usize) -> f64 {
    0.5 * libm::sin(TAU * 0.2 * seconds + 0.7 * joint as f64 + 0.1 * arm as f64)
}

fn name(index: usize) -> String {
    format!("arm_{index:04}")
}

fn simulation(count: usize, substeps: u32) -> String {
    let mut text = format!(
        "// Each arm starts where its wave does.\nSimulation(\n    scene: \"S3.robray\",\n    environment: (rate: {RATE}, substeps: {substeps}),\n    robots: {{\n"
    );
    let side = (1..).find(|side| side * side >= count).unwrap_or(1);
    for arm in 0..count {
        let (x, y) = ((arm % side) as f64 * SPACING, (arm / side) as f64 * SPACING);
        let name = name(arm);
        writeln!(
            text,
            "        \"{name}\": (model: \"iiwa.robray\", base: fixed, at: (translation: ({x}, {y}, 0)),\n            joints: {{"
        )
        .ok();
        text += &motors(|joint| target(0.0, arm, joint));
        text.push_str(
            "            },\n            sensors: { \"joints\": (kind: \"joint_state\", frequency: 60) },\n            \
             actuators: { \"motors\": (kind: \"joints\") }),\n",
        );
    }
    text + "    },\n)\n"
}

/// Handles of the arms, and their measurements.
struct Arms {
    motors: Vec<CommandSender>,
    sensors: Vec<Entity>,
    /// Positions and velocities of all joints of each arm.
    measured: Vec<[[f64; JOINTS]; 2]>,
}

impl Arms {
    fn new(world: &World, count: usize) -> Result<Self, Failed> {
        let motors =
            (0..count).map(|arm| world.simulation.commander(&format!("{}.motors", name(arm))));
        Ok(Self {
            motors: motors
                .collect::<Result<_, _>>()
                .map_err(|error| Failed::Lacks(error.to_string()))?,
            sensors: world.components((0..count).map(|arm| format!("{}.joints", name(arm))))?,
            measured: vec![[[0.0; JOINTS]; 2]; count],
        })
    }

    /// Sends the targets of a time to each arm.
    fn command(&self, seconds: f64) -> Result<(), Failed> {
        for (arm, motors) in self.motors.iter().enumerate() {
            let positions = (0..JOINTS).map(|joint| target(seconds, arm, joint));
            let command = JointsCommand {
                positions: positions.collect(),
                ..JointsCommand::default()
            };
            let sent = motors.send(Box::new(command));
            sent.map_err(|error| Failed::Step(error.to_string()))?;
        }
        Ok(())
    }

    /// Copies the measurements of this tick; returns true if there were any.
    fn read(&mut self, world: &World) -> Result<bool, Failed> {
        let mut is_fresh = false;
        for (&sensor, copy) in self.sensors.iter().zip(&mut self.measured) {
            if !world.is_fresh(sensor) {
                continue;
            }
            is_fresh = true;
            let data = world.data::<JointStateData>(sensor)?;
            for (copy, numbers) in copy.iter_mut().zip([&data.positions, &data.velocities]) {
                for (copy, number) in copy.iter_mut().zip(numbers) {
                    *copy = *number;
                }
            }
        }
        Ok(is_fresh)
    }

    /// Returns the maximum tracking error of all joints.
    fn lag(&self, seconds: f64) -> f64 {
        let mut lag = 0.0;
        for (arm, [positions, _]) in self.measured.iter().enumerate() {
            for (joint, position) in positions.iter().enumerate() {
                lag = worse(lag, (position - target(seconds, arm, joint)).abs());
            }
        }
        lag
    }
}

/// Returns the larger of two errors; NaN is the largest.
fn worse(one: f64, other: f64) -> f64 {
    if other.is_nan() {
        f64::INFINITY
    } else {
        one.max(other)
    }
}

/// Checks that the joints followed their targets, and moved.
fn check(lag: f64, measured: &[[[f64; JOINTS]; 2]]) -> Check {
    let speeds = measured.iter().flat_map(|[_, speeds]| speeds);
    let fastest = speeds.fold(0.0, |fastest, speed| worse(fastest, speed.abs()));
    Check::new(lag < LAG && fastest > 0.0 && fastest < 10.0)
        .with("max_tracking_err_rad", rounded(lag, 6))
        .with("max_speed_rad_s", rounded(fastest, 6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_that_lag_or_stand_fail() {
        let moving = [[[0.1; JOINTS], [0.5; JOINTS]]];
        assert!(check(0.04, &moving).passed);
        assert!(!check(0.11, &moving).passed);
        assert!(!check(worse(0.0, f64::NAN), &moving).passed);
        assert!(!check(0.04, &[[[0.1; JOINTS], [0.0; JOINTS]]]).passed);
    }

    #[test]
    fn the_lag_is_that_of_the_worst_joint() {
        let positions = |arm: usize| std::array::from_fn(|joint| target(1.0, arm, joint));
        let mut arms = Arms {
            motors: Vec::new(),
            sensors: Vec::new(),
            measured: (0..3).map(|arm| [positions(arm), [0.0; JOINTS]]).collect(),
        };
        assert!(arms.lag(1.0) < 1e-12);
        arms.measured[2][0][6] -= 0.3;
        assert!((arms.lag(1.0) - 0.3).abs() < 1e-12);
    }
}
