//! S8: an arm sweeps boxes aside. Measures the cost of contacts that slide.
use std::fmt::Write as _;

use morse_actuators::joints::JointsCommand;
use morse_sensors::joint_state::JointStateData;

use super::{
    Failed, Setup,
    outcome::{Check, Outcome, rounded},
    stopwatch::Stopwatch,
    world::{World, awake},
};

/// Ticks per second.
const RATE: f64 = 240.0;
/// Side of a box, and distance of adjacent columns of two, m.
const SIDE: f64 = 0.1;
const SPACING: f64 = 0.12;
/// Position of the arm at the start and at the end, rad; its speed is 1 rad/s.
const FROM: f64 = -1.0;
const TO: f64 = 1.0;
/// Time after which the arm has to be at its end, s.
const ARRIVED: f64 = 2.5;

/// Runs the scene.
pub(super) fn run(setup: &Setup<'_>) -> Result<Outcome, Failed> {
    let substeps = setup.substeps.unwrap_or(2);
    let starts = starts(setup.n);
    let mut world = World::new(setup, "S8", &scene(&starts), &simulation(setup.n, substeps))?;
    let boxes = world.bodies((0..setup.n).map(name))?;
    let sensor = world.components(["arm.joints".to_owned()])?;
    let motors = world.simulation.commander("arm.motors");
    let motors = motors.map_err(|error| Failed::Lacks(error.to_string()))?;
    let mut poses = vec![[0.0; 7]; setup.n];
    let ticks = setup.ticks(RATE);
    let watch = Stopwatch::start();
    for _ in 0..ticks {
        let command = JointsCommand {
            positions: vec![TO],
            ..JointsCommand::default()
        };
        let sent = motors.send(Box::new(command));
        sent.map_err(|error| Failed::Step(error.to_string()))?;
        world.step()?;
        world.read_poses(&boxes, &mut poses)?;
    }
    let time = watch.elapsed();
    let joints = sensor
        .first()
        .map(|sensor| world.data::<JointStateData>(*sensor));
    let position = joints
        .transpose()?
        .and_then(|joints| joints.positions.first().copied());
    Ok(Outcome {
        ticks,
        rate: RATE,
        bodies: setup.n,
        substeps,
        load_seconds: world.load_seconds,
        time,
        check: check(
            &starts,
            &poses,
            position.unwrap_or(f64::NAN),
            ticks as f64 / RATE,
        ),
        ..Outcome::default()
    })
}

fn name(index: usize) -> String {
    format!("box_{index:04}")
}

/// Returns the centres of the boxes: a row of columns of two across the way of the arm.
fn starts(count: usize) -> Vec<[f64; 3]> {
    let columns = count.div_ceil(2) as f64;
    let start = |index: usize| {
        let [column, level] = [index / 2, index % 2].map(|number| number as f64);
        [
            0.8,
            SPACING * (column - (columns - 1.0) / 2.0),
            SIDE * (0.5 + level),
        ]
    };
    (0..count).map(start).collect()
}

fn scene(starts: &[[f64; 3]]) -> String {
    let mut text = "# A beam of a metre sweeps boxes aside.\n\
        frame ground { translation [0, 0, -0.5]; geometry { shape box; dimension [100, 100, 1]; friction 0.5; } }\n\
        class cube { shape box; dimension [0.1, 0.1, 0.1]; friction 0.5; }\n\
        frame arm { translation [0, 0, 0.12]; frame beam { type revolute; axis [0, 0, 1]; variable swing; limit_velocity 1;\n  \
        frame bar { translation [0.5, 0, 0]; mass 4; geometry { shape box; dimension [1, 0.06, 0.1]; friction 0.4; } } } }\n"
        .to_owned();
    for (index, [x, y, z]) in starts.iter().enumerate() {
        let name = name(index);
        writeln!(
            text,
            "frame {name} {{ translation [{x}, {y}, {z}]; mass 0.4; geometry {{ isa cube; }} }}"
        )
        .ok();
    }
    text
}

fn simulation(count: usize, substeps: u32) -> String {
    let text = format!(
        "// Nothing sleeps.\nSimulation(\n    scene: \"S8.robray\",\n    environment: (rate: {RATE}, substeps: {substeps}),\n    \
         robots: {{ \"arm\": (frame: \"arm\", base: fixed, joints: {{ \"swing\": (position: {FROM}, max_effort: 60) }},\n        \
         sensors: {{ \"joints\": (kind: \"joint_state\") }}, actuators: {{ \"motors\": (kind: \"joints\") }}) }},\n"
    );
    text + &awake((0..count).map(name))
}

/// Checks that no box is in the ground and, if the arm had the time for it, that it arrived and moved at least half of them.
fn check(starts: &[[f64; 3]], poses: &[[f64; 7]], position: f64, seconds: f64) -> Check {
    let swept = starts
        .iter()
        .zip(poses)
        .filter(|(start, pose)| pose[1] > start[1] + SIDE);
    let swept = swept.count();
    let lowest = poses
        .iter()
        .map(|pose| pose[2])
        .fold(f64::INFINITY, f64::min);
    let arrives = (position - TO).abs() < 0.01 && 2 * swept >= starts.len();
    let is_above = lowest > SIDE / 2.0 - 3e-3;
    Check::new(is_above && position.is_finite() && (arrives || seconds < ARRIVED))
        .with("swept", swept)
        .with("of", starts.len())
        .with("position_rad", rounded(position, 6))
        .with("lowest_m", rounded(lowest, 6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_that_are_stopped_and_boxes_in_the_ground_fail() {
        let starts = starts(10);
        let moved = |y: f64, z: f64| {
            let pose =
                |start: &[f64; 3]| [start[0], start[1] + y, start[2] + z, 1.0, 0.0, 0.0, 0.0];
            starts.iter().map(pose).collect::<Vec<_>>()
        };
        assert!(check(&starts, &moved(0.5, 0.0), TO, 3.0).passed);
        assert!(check(&starts, &moved(0.0, 0.0), 0.0, 1.0).passed);
        assert!(!check(&starts, &moved(0.5, 0.0), 0.3, 3.0).passed);
        assert!(!check(&starts, &moved(0.0, 0.0), TO, 3.0).passed);
        assert!(!check(&starts, &moved(0.5, -0.01), TO, 3.0).passed);
        assert!(!check(&starts, &moved(0.5, 0.0), f64::NAN, 1.0).passed);
    }
}
