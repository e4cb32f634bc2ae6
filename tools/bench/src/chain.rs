//! S9: a chain of many links. Measures the first tick, in which everything that depends on the chain is computed first.
use std::fmt::Write as _;

use super::{
    Failed, Setup,
    outcome::{Check, Outcome, rounded},
    stopwatch::Stopwatch,
    world::World,
};

/// Ticks per second.
const RATE: f64 = 60.0;
/// Length of a link, m.
const LENGTH: f64 = 0.1;

/// Builds the chain, and makes one tick.
pub(super) fn run(setup: &Setup<'_>) -> Result<Outcome, Failed> {
    let settings = format!(
        "Simulation(\n    scene: \"S9.robray\",\n    environment: (rate: {RATE}, substeps: 1),\n    \
         robots: {{ \"chain\": (frame: \"base\", base: fixed) }},\n)\n"
    );
    let mut world = World::new(setup, "S9", &scene(setup.n), &settings)?;
    let links = world.bodies((0..setup.n).map(name))?;
    let mut poses = vec![[0.0; 7]; setup.n];
    let watch = Stopwatch::start();
    world.step()?;
    world.read_poses(&links, &mut poses)?;
    Ok(Outcome {
        ticks: 1,
        rate: RATE,
        bodies: setup.n,
        substeps: 1,
        load_seconds: world.load_seconds,
        time: watch.elapsed(),
        check: check(&poses),
        ..Outcome::default()
    })
}

fn name(index: usize) -> String {
    format!("link_{index:05}")
}

/// Returns a horizontal chain that may fall.
fn scene(count: usize) -> String {
    let mut text = "# A chain that falls.\n\
        class link { type revolute; axis [0, 1, 0]; mass 0.1; center_of_mass [0.05, 0, 0]; inertia [1e-4, 1e-4, 1e-4, 0, 0, 0]; }\n\
        frame base { }\n"
        .to_owned();
    for index in 0..count {
        let (parent, x) = match index {
            0 => ("base".to_owned(), 0.0),
            _ => (name(index - 1), LENGTH),
        };
        let name = name(index);
        writeln!(
            text,
            "frame {name} {{ isa link; parent {parent}; variable v{index}; translation [{x}, 0, 0]; }}"
        )
        .ok();
    }
    text
}

/// Checks that links far from the beginning, which a horizontal chain does not hold, fall freely, and that it holds the first.
fn check(poses: &[[f64; 7]]) -> Check {
    let dt = 1.0 / RATE;
    let free = 9.81 * dt * dt;
    let fallen = |pose: Option<&[f64; 7]>| pose.map_or(f64::NAN, |pose| -pose[2]);
    let (first, last) = (fallen(poses.first()), fallen(poses.last()));
    Check::new(first.abs() < 1e-9 && (0.4 * free..1.6 * free).contains(&last))
        .with("first_m", rounded(first, 9))
        .with("last_m", rounded(last, 9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_that_hang_in_the_air_or_break_off_fail() {
        let pose = |z: f64| [0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0];
        assert!(check(&[pose(0.0), pose(-0.002)]).passed);
        assert!(!check(&[pose(0.0), pose(0.0)]).passed);
        assert!(!check(&[pose(-0.002), pose(-0.002)]).passed);
        assert!(!check(&[pose(0.0), pose(f64::NAN)]).passed);
    }
}
