//! S7: boxes on a tray that an arm of seven joints turns to and fro. Measures the cost of contacts that a mechanism carries.
use std::{f64::consts::TAU, fmt::Write as _};

use morse_actuators::joints::JointsCommand;
use morse_api::body::BodyState;
use nalgebra::{Isometry3, Point3};

use super::{
    Failed, Setup,
    iiwa::{JOINTS, model, motors},
    outcome::{Check, Outcome, rounded},
    stopwatch::Stopwatch,
    world::{World, awake},
};

/// Ticks per second.
const RATE: f64 = 60.0;
/// Height of the tray's top above the ground, and its distance from the last joint, m.
const TOP: f64 = 1.261 + ABOVE;
const ABOVE: f64 = 0.085;
/// Side of a box, and distance of the centres of neighbours, m.
const SIDE: f64 = 0.1;
const SPACING: f64 = 0.11;
/// Mass of a box, kg.
const MASS: f64 = 0.1;
/// Amplitude (rad) and frequency (Hz) of the first joint.
const AMPLITUDE: f64 = 0.3;
const FREQUENCY: f64 = 0.2;
/// Maximum displacement of a box on the tray, m.
const SHIFT: f64 = 2e-3;

/// Runs the scene.
pub(super) fn run(setup: &Setup<'_>) -> Result<Outcome, Failed> {
    let substeps = setup.substeps.unwrap_or(2);
    let starts = starts(setup.n);
    let mut world = World::new(setup, "S7", &scene(&starts), &simulation(setup.n, substeps))?;
    let boxes = world.bodies((0..setup.n).map(name))?;
    let tray = world.bodies([format!("joint_{JOINTS}")])?;
    let motors = world.simulation.commander("arm.motors");
    let motors = motors.map_err(|error| Failed::Lacks(error.to_string()))?;
    let mut poses = vec![[0.0; 7]; setup.n];
    let ticks = setup.ticks(RATE);
    let watch = Stopwatch::start();
    for tick in 0..ticks {
        let mut positions = vec![0.0; JOINTS];
        positions[0] = target(tick as f64 / RATE);
        let command = JointsCommand {
            positions,
            ..JointsCommand::default()
        };
        let sent = motors.send(Box::new(command));
        sent.map_err(|error| Failed::Step(error.to_string()))?;
        world.step()?;
        world.read_poses(&boxes, &mut poses)?;
    }
    let time = watch.elapsed();
    let tray = tray.first().map(|tray| world.get::<BodyState>(*tray));
    let tray = tray.transpose()?.map(|state| state.pose);
    Ok(Outcome {
        ticks,
        rate: RATE,
        bodies: setup.n,
        substeps,
        load_seconds: world.load_seconds,
        time,
        check: check(&starts, &poses, &tray.unwrap_or_default()),
        ..Outcome::default()
    })
}

/// Returns the target of the first joint at a time: it starts at rest.
fn target(seconds: f64) -> f64 {
    AMPLITUDE * (1.0 - libm::cos(TAU * FREQUENCY * seconds))
}

fn name(index: usize) -> String {
    format!("box_{index:04}")
}

/// Returns the number of boxes along a side of the tray.
fn side(count: usize) -> usize {
    (1..).find(|side| side * side >= count).unwrap_or(1)
}

/// Returns the centres of the boxes: on a square grid above the arm.
fn starts(count: usize) -> Vec<[f64; 3]> {
    let side = side(count);
    let middle = (side - 1) as f64 / 2.0;
    let at = |number: usize| SPACING * (number as f64 - middle);
    (0..count)
        .map(|index| [at(index % side), at(index / side), TOP + SIDE / 2.0])
        .collect()
}

fn scene(starts: &[[f64; 3]]) -> String {
    let width = SPACING * side(starts.len()) as f64 + 0.1;
    let mut text = model();
    writeln!(
        text,
        "frame ground {{ translation [0, 0, -0.5]; geometry {{ shape box; dimension [100, 100, 1]; }} }}\n\
         frame tray {{ parent joint_{JOINTS}; translation [0, 0, {}]; mass 3; geometry {{ shape box; dimension [{width}, {width}, 0.04]; friction 0.8; }} }}\n\
         class cube {{ shape box; dimension [{SIDE}, {SIDE}, {SIDE}]; friction 0.8; }}",
        ABOVE - 0.02
    )
    .ok();
    for (index, [x, y, z]) in starts.iter().enumerate() {
        let name = name(index);
        writeln!(
            text,
            "frame {name} {{ translation [{x}, {y}, {z}]; mass {MASS}; geometry {{ isa cube; }} }}"
        )
        .ok();
    }
    text
}

fn simulation(count: usize, substeps: u32) -> String {
    let text = format!(
        "// Nothing sleeps.\nSimulation(\n    scene: \"S7.robray\",\n    environment: (rate: {RATE}, substeps: {substeps}),\n    \
         robots: {{ \"arm\": (frame: \"base\", base: fixed,\n            joints: {{\n{}            }},\n            \
         actuators: {{ \"motors\": (kind: \"joints\") }}) }},\n",
        motors(|_| 0.0)
    );
    text + &awake((0..count).map(name))
}

/// Checks that the boxes are where they were on the tray, given the pose of the last link.
fn check(starts: &[[f64; 3]], poses: &[[f64; 7]], link: &Isometry3<f64>) -> Check {
    let tray_from_world = link.inverse();
    let mut shift = 0.0_f64;
    for ([x, y, z], pose) in starts.iter().zip(poses) {
        let start = Point3::new(*x, *y, z - TOP + ABOVE);
        let end = tray_from_world * Point3::new(pose[0], pose[1], pose[2]);
        let moved = (end - start).norm();
        // A comparison would ignore a pose that is not a number.
        shift = if moved.is_nan() {
            f64::INFINITY
        } else {
            shift.max(moved)
        };
    }
    let turned = 2.0 * libm::asin(link.rotation.imag().norm().min(1.0));
    Check::new(shift < SHIFT)
        .with("largest_shift_m", rounded(shift, 6))
        .with("tray_rad", rounded(turned, 6))
}

#[cfg(test)]
mod tests {
    use nalgebra::{Translation3, UnitQuaternion, Vector3};

    use super::*;

    #[test]
    fn boxes_that_slip_or_fall_fail() {
        let starts = starts(4);
        let link = Isometry3::from_parts(
            Translation3::new(0.0, 0.0, TOP - ABOVE),
            UnitQuaternion::from_scaled_axis(Vector3::z() * 0.2),
        );
        let moved = |shift: f64| {
            let pose = |[x, y, z]: &[f64; 3]| {
                let end = link * Point3::new(x + shift, *y, z - TOP + ABOVE);
                [end.x, end.y, end.z, 1.0, 0.0, 0.0, 0.0]
            };
            starts.iter().map(pose).collect::<Vec<_>>()
        };
        assert!(check(&starts, &moved(0.001), &link).passed);
        assert!(!check(&starts, &moved(0.0025), &link).passed);
        assert!(!check(&starts, &moved(f64::NAN), &link).passed);
    }
}
