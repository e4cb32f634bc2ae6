//! S5: many static boxes. Measures the cost of reading a scene and building a world.
use std::{f64::consts::PI, fmt::Write as _};

use morse_api::rays::Rays;
use nalgebra::{Point3, Vector3};

use super::{
    Failed, Setup,
    generator::Generator,
    outcome::{Check, Outcome, rounded},
    stopwatch::Stopwatch,
    world::{load, step, write},
};
use morse_sim::simulation::Simulation;

/// Ticks per second.
const RATE: f64 = 60.0;
/// Height of the origins of rays that detect the boxes, m.
const ABOVE: f64 = 3.0;
/// Height of the boxes, m.
const HEIGHT: f64 = 1.0;

/// Reads and builds the world, and makes one step.
pub(super) fn run(setup: &Setup<'_>) -> Result<Outcome, Failed> {
    let boxes = boxes(setup.n);
    let file = write(setup, "S5.robray", &scene(&boxes))?;
    let watch = Stopwatch::start();
    let mut simulation = load(setup, file)?;
    let load_seconds = watch.elapsed().wall;
    step(&mut simulation)?;
    Ok(Outcome {
        ticks: 1,
        rate: RATE,
        bodies: setup.n,
        substeps: 2,
        load_seconds,
        time: watch.elapsed(),
        check: check(&simulation, &boxes)?,
        ..Outcome::default()
    })
}

/// A box on the ground.
struct Block {
    at: [f64; 2],
    half: [f64; 2],
    yaw: f64,
}

fn boxes(count: usize) -> Vec<Block> {
    let side = (1..).find(|side| side * side >= count).unwrap_or(1);
    let mut random = Generator::new(99);
    let one = |index| Block {
        at: [
            (index % side) as f64 * 2.0 + 2.0,
            (index / side) as f64 * 2.0,
        ],
        half: [random.between(0.2, 0.8), random.between(0.2, 0.8)],
        yaw: random.between(0.0, PI),
    };
    (0..count).map(one).collect()
}

fn scene(boxes: &[Block]) -> String {
    let mut text = "# Boxes that stand, and a cube that falls.\n\
        frame ground { translation [0, 0, -0.5]; geometry { shape box; dimension [400, 400, 1]; } }\n\
        frame cube { type floating; translation [0, 0, 1]; mass 1; geometry { shape box; dimension [0.1, 0.1, 0.1]; } }\n"
        .to_owned();
    for (index, Block { at, half, yaw }) in boxes.iter().enumerate() {
        let ([x, y], [length, width]) = (at, half.map(|half| 2.0 * half));
        writeln!(
            text,
            "frame box_{index:04} {{ translation [{x}, {y}, 0.5]; rpy [0, 0, {yaw:.6}]; \
             geometry {{ shape box; dimension [{length:.6}, {width:.6}, {HEIGHT}]; }} }}"
        )
        .ok();
    }
    text
}

/// Checks that the cube has begun to fall, and that rays from above hit each box.
fn check(simulation: &Simulation, boxes: &[Block]) -> Result<Check, Failed> {
    let cube = simulation.body("cube");
    let cube = cube.ok_or_else(|| Failed::Lacks("cube".to_owned()))?;
    let caster = simulation.world().resource::<Rays>();
    let is_there = |block: &&Block| {
        let origin = Point3::new(block.at[0], block.at[1], ABOVE);
        let hit = caster.cast(origin, -Vector3::z(), 2.0 * ABOVE, None);
        hit.is_some_and(|hit| (hit.distance - (ABOVE - HEIGHT)).abs() < 1e-9)
    };
    let there = boxes.iter().filter(is_there).count();
    let fallen = 1.0 - cube.pose.translation.z;
    Ok(verdict(there, boxes.len(), fallen))
}

fn verdict(there: usize, count: usize, fallen: f64) -> Check {
    // The displacement of a step or half of it, depending on the integrator.
    let step = 9.81 / (RATE * RATE);
    let has_begun = fallen > 0.4 * step && fallen < 1.1 * step;
    Check::new(there == count && has_begun)
        .with("boxes", there)
        .with("of", count)
        .with("fallen_m", rounded(fallen, 7))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_boxes_and_a_cube_that_hangs_fail() {
        assert!(verdict(10, 10, 0.0021).passed);
        assert!(!verdict(9, 10, 0.0021).passed);
        assert!(!verdict(10, 10, 0.0).passed);
        assert!(!verdict(10, 10, f64::NAN).passed);
    }
}
