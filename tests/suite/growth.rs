//! Computation time that has to grow linearly with the size of a scene, not quadratically.
#![cfg(test)]
use std::{
    fmt::Write as _,
    path::Path,
    time::{Duration, Instant},
};

use morse_sim::{
    Simulation,
    simulation::{kinds, load, no_extensions},
};

#[expect(
    clippy::disallowed_methods,
    reason = "a test of how long something takes"
)]
fn now() -> Instant {
    Instant::now()
}

/// Returns the shortest of several times for reading and building a simulation.
fn duration(text: &str, folder: &Path) -> Duration {
    let once = || {
        let start = now();
        let options = load::Options::default();
        let plan = load::parse(text, folder, &options, &kinds(&no_extensions)).unwrap();
        Simulation::try_out(plan, &no_extensions).unwrap();
        start.elapsed()
    };
    (0..3).map(|_| once()).min().unwrap()
}

/// Compares a size with one four times as large. Quadratic work takes 16 times as long.
fn check(what: &str, size: u32, text: impl Fn(u32) -> String, folder: &Path) {
    let [small, large] = [size, 4 * size].map(|size| duration(&text(size), folder));
    let ratio = large.as_secs_f64() / small.as_secs_f64();
    assert!(
        ratio < 10.0,
        "{what}: {small:?} for {size}, {large:?} for four times as many"
    );
}

#[test]
fn robots_cost_no_more_for_being_many() {
    let robots = |count: u32| {
        format!(
            r#"Simulation(robots: {{ "r": (
                model: "robots/pioneer3dx.robray",
                repeat: (count: {count}, pattern: grid(spacing: (3, 3))),
                sensors: {{ "pose": (kind: "pose") }},
                actuators: {{ "drive": (kind: "v_omega") }},
            ) }})"#
        )
    };
    check("robots", 250, robots, Path::new(""));
}

/// Returns a chain of links on joints.
fn chain(links: u32) -> String {
    let mut text =
        "frame link_0 { geometry { shape box; dimension [0.1, 0.1, 0.1]; } }\n".to_owned();
    for link in 1..=links {
        let above = link - 1;
        writeln!(
            text,
            "frame link_{link} {{ parent link_{above}; translation [0.3, 0, 0]; type revolute; axis [0, 1, 0]; \
             mass 1; geometry {{ shape box; dimension [0.1, 0.1, 0.1]; }} }}"
        )
        .unwrap();
    }
    text
}

#[test]
fn joints_cost_little_more_for_being_in_a_long_chain() {
    let folder = tempfile::tempdir().unwrap();
    for links in [200, 800] {
        let path = folder.path().join(format!("{links}.robray"));
        std::fs::write(path, chain(links)).unwrap();
    }
    let text = |links| format!(r#"Simulation(scene: "{links}.robray")"#);
    check("joints", 200, text, folder.path());
}

#[test]
fn what_is_too_much_is_refused_at_once() {
    let refused = |count: u64, model: &str, code: &str| {
        let text = format!(
            r#"Simulation(robots: {{ "r": (model: "{model}", repeat: (count: {count}, pattern: line((3, 0, 0)))) }})"#
        );
        let start = now();
        let options = load::Options::default();
        let report = load::parse(&text, Path::new(""), &options, &kinds(&no_extensions));
        let said = report.unwrap_err().to_string();
        assert!(said.contains(code), "{said}");
        // Copying a million robots takes minutes.
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{:?}",
            start.elapsed()
        );
    };
    refused(1_000_000, "robots/atrv.robray", "simulation::out-of-range");
    refused(u64::MAX, "robots/atrv.robray", "simulation::out-of-range");
    refused(100_000, "robots/pr2.robray", "scene::too-large");
}
