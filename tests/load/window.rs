//! Cost of a window while it is visible, and while it is not. Requires the feature `viewer`, a screen and xdotool: `xvfb-run
//! cargo bench --bench load --features viewer -- --window 10 …`.
use std::{fs, process::Command, time::Duration};

use super::load::program::{Program, Scene};

/// Processor time of the whole program, in cores.
pub(crate) struct Cost {
    pub(crate) without: f64,
    pub(crate) seen: f64,
    pub(crate) unseen: f64,
}

/// Measures each case for a duration, in real time.
pub(crate) fn measure(length: Duration) -> Cost {
    let alone = start(&[]);
    let without = takes(&alone, length);
    alone.end();
    let viewed = start(&["--view"]);
    let seen = takes(&viewed, length);
    let away = [
        "search",
        "--name",
        "morse-sim",
        "windowmove",
        "3000",
        "3000",
    ];
    let moved = Command::new("xdotool").args(away).status();
    assert!(moved.is_ok_and(|status| status.success()), "xdotool");
    // A slow driver completes the frames that it has begun.
    std::thread::sleep(Duration::from_secs(3));
    let unseen = takes(&viewed, length);
    viewed.end();
    Cost {
        without,
        seen,
        unseen,
    }
}

fn start(arguments: &[&str]) -> Program {
    let mut scene = Scene::of(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/patrol.ron"));
    scene.arguments = ["--rtf", "1"]
        .iter()
        .chain(arguments)
        .map(|argument| (*argument).to_owned())
        .collect();
    let program = Program::start(&scene);
    std::thread::sleep(Duration::from_secs(2));
    program
}

fn takes(program: &Program, length: Duration) -> f64 {
    let before = worked(program);
    std::thread::sleep(length);
    (worked(program) - before) / length.as_secs_f64()
}

/// Returns the processor time so far, s; see proc(5).
fn worked(program: &Program) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", program.child.id())).unwrap_or_default();
    // User and system time are the 12th and 13th after the name, a hundred a second.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let times = fields.split_whitespace().skip(11).take(2);
    times
        .filter_map(|time| time.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}
