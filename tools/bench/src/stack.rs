//! S1: columns of ten cubes. Measures the cost of contacts at rest, which have to stay stiff.
use std::fmt::Write as _;

use super::{
    Failed, Setup,
    outcome::{Check, Outcome, rounded},
    steps::{self, Steps},
    stopwatch::Stopwatch,
    world::{World, awake},
};

/// Number of cubes in a column.
const HEIGHT: usize = 10;
/// Side of a cube, m.
const SIDE: f64 = 0.1;
/// Ticks per second.
const RATE: f64 = 60.0;
/// Maximum lateral displacement of the top of a column, m.
const ASIDE: f64 = 0.02;
/// Maximum deviation of the height of the first column from that of stiff cubes, m: softer contacts are easier to compute.
const SUNK: f64 = 0.007;
/// Maximum deviation of the height of the other columns, m.
const FALLEN: f64 = 0.03;

/// Runs the scene.
pub(super) fn run(setup: &Setup<'_>) -> Result<Outcome, Failed> {
    let starts = starts(setup.n);
    steps::measure(setup, |steps| run_with(setup, &starts, steps))
}

fn run_with(setup: &Setup<'_>, starts: &[[f64; 3]], steps: Steps) -> Result<Outcome, Failed> {
    let mut world = World::new(setup, "S1", &scene(starts), &simulation(setup.n, steps))?;
    let cubes = world.bodies((0..setup.n).map(name))?;
    let mut poses = vec![[0.0; 7]; setup.n];
    let ticks = setup.ticks(RATE);
    let watch = Stopwatch::start();
    for _ in 0..ticks {
        world.step()?;
        world.read_poses(&cubes, &mut poses)?;
    }
    Ok(Outcome {
        ticks,
        rate: RATE,
        bodies: setup.n,
        substeps: steps.substeps,
        variant: steps.variant(),
        load_seconds: world.load_seconds,
        time: watch.elapsed(),
        check: check(starts, &poses),
        ..Outcome::default()
    })
}

/// Returns the centres of the cubes: columns on a square grid, with a gap of half a millimetre below each cube but the
/// lowest.
fn starts(count: usize) -> Vec<[f64; 3]> {
    let columns = count.div_ceil(HEIGHT);
    let side = (1..).find(|side| side * side >= columns).unwrap_or(1);
    let position = |index| {
        let (column, level) = (index / HEIGHT, index % HEIGHT);
        let (x, y) = ((column % side) as f64, (column / side) as f64);
        [0.3 * x, 0.3 * y, SIDE / 2.0 + 0.1005 * level as f64]
    };
    (0..count).map(position).collect()
}

fn name(index: usize) -> String {
    format!("cube_{index:04}")
}

fn scene(starts: &[[f64; 3]]) -> String {
    let mut text = "# Columns of ten cubes.\n\
        class stone { friction 0.5; restitution 0; }\n\
        class cube { isa stone; shape box; dimension [0.1, 0.1, 0.1]; }\n\
        frame ground { translation [0, 0, -0.5]; geometry { isa stone; shape box; dimension [100, 100, 1]; } }\n"
        .to_owned();
    for (index, [x, y, z]) in starts.iter().enumerate() {
        let name = name(index);
        writeln!(
            text,
            "frame {name} {{ translation [{x}, {y}, {z}]; mass 1; geometry {{ isa cube; }} }}"
        )
        .ok();
    }
    text
}

fn simulation(count: usize, steps: Steps) -> String {
    let steps = steps.fields();
    let text = format!(
        "// Nothing sleeps.\nSimulation(\n    scene: \"S1.robray\",\n    environment: (rate: {RATE}, {steps}),\n"
    );
    text + &awake((0..count).map(name))
}

/// Checks that every column still stands, and that the first has the height of stiff cubes.
fn check(starts: &[[f64; 3]], poses: &[[f64; 7]]) -> Check {
    let mut standing = 0;
    let columns = starts.chunks(HEIGHT).zip(poses.chunks(HEIGHT));
    let count = columns.len();
    let mut first_off = f64::INFINITY;
    let mut first_top = f64::NAN;
    for (number, (starts, poses)) in columns.enumerate() {
        let (Some(start), Some(top)) = (starts.last(), poses.last()) else {
            continue;
        };
        let ideal = SIDE * (starts.len() as f64 - 0.5);
        let off = (top[2] - ideal).abs();
        let aside = libm::hypot(top[0] - start[0], top[1] - start[1]);
        standing += usize::from(aside < ASIDE && off < FALLEN);
        if number == 0 {
            (first_off, first_top) = (off, top[2]);
        }
    }
    let is_stiff = first_off < SUNK;
    Check::new(standing == count && is_stiff)
        .with("standing", standing)
        .with("columns", count)
        .with("top_z", rounded(first_top, 6))
        .with("equal_accuracy", is_stiff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ideal(count: usize) -> Vec<[f64; 7]> {
        let level = |index: usize| SIDE / 2.0 + SIDE * (index % HEIGHT) as f64;
        let pose = |(index, [x, y, _]): (usize, [f64; 3])| [x, y, level(index), 1.0, 0.0, 0.0, 0.0];
        starts(count).into_iter().enumerate().map(pose).collect()
    }

    #[test]
    fn cubes_stand_on_a_square_grid() {
        let starts = starts(50);
        assert_eq!(starts[9], [0.0, 0.0, 0.05 + 9.0 * 0.1005]);
        // Five columns require a grid of three by three.
        assert_eq!(starts[30][..2], [0.0, 0.3]);
    }

    #[test]
    fn leaning_fallen_and_sunk_columns_fail() {
        let count = 20;
        assert!(check(&starts(count), &ideal(count)).passed);
        for (cube, axis, off) in [
            (19, 0, 0.021),
            (19, 2, -0.1),
            (9, 2, -0.008),
            (9, 1, f64::NAN),
        ] {
            let mut poses = ideal(count);
            poses[cube][axis] += off;
            let check = check(&starts(count), &poses);
            assert!(!check.passed, "{cube} {axis} {off}: {check:?}");
        }
    }
}
