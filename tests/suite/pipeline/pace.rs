//! Pace of simulated time, and the two time strategies of MORSE.
use std::{sync::Arc, time::Duration};

use morse_api::middleware::Failure;
use morse_sim::{
    Simulation,
    run::{End, Limits, Pace, Summary, Watch, run_watched},
    simulation::no_extensions,
};
use serde_json::Value as Json;

/// Delays a run once, as other load on the machine would.
struct Stall {
    last: Option<f64>,
    statistics: Json,
}

const STALL: Duration = Duration::from_millis(600);
const TICKS: u64 = 60;

impl Watch for Stall {
    fn tick(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        if simulation.tick() == 10 {
            std::thread::sleep(STALL);
        }
        // No tick is left out, and all have the same length.
        let now = simulation.seconds();
        if let Some(before) = self.last.replace(now) {
            assert!((now - before - 1.0 / 60.0).abs() < 1e-9);
        }
        let mut ask = |service| {
            let call = simulation.call("time", service, &Json::Null);
            call.reply().expect("an answer").value
        };
        self.statistics = ask("statistics");
        self.statistics["mode"] = ask("mode");
        Ok(())
    }

    fn end(&mut self, _: &mut Simulation) -> Result<(), Failure> {
        Ok(())
    }
}

fn run(environment: &str, pace: Pace) -> (Summary, Json) {
    let text = format!("Simulation(environment: ({environment}))");
    let simulation = Simulation::parse(&text, ".", &no_extensions);
    let limits = Limits {
        ticks: Some(TICKS),
        timeout: None,
        pace,
        signal: Arc::default(),
        strict: false,
    };
    let mut stall = Stall {
        last: None,
        statistics: Json::Null,
    };
    let simulation = simulation.expect("a simulation");
    let (summary, end) = run_watched(simulation, &limits, &mut stall, &mut |_| {});
    assert_eq!((summary.steps, end), (TICKS, End::Done));
    (summary, stall.statistics)
}

#[test]
fn best_effort_catches_up_and_a_fixed_step_does_not() {
    let whole = TICKS as f64 / 60.0;
    let real = Pace::RealTime(1.0);
    let (best, reported) = run("motion: morse", real);
    assert_eq!(reported["mode"], "Best Effort");
    assert!(
        reported.get("diff_real_time").is_none() && reported.get("mean_frame_by_sec").is_some()
    );
    assert!(best.wall_seconds > whole - 0.1, "{}", best.wall_seconds);
    assert!(
        best.wall_seconds < whole + STALL.as_secs_f64() / 2.0,
        "{}",
        best.wall_seconds
    );
    let (fixed, reported) = run("motion: morse, time_strategy: fixed_step", real);
    assert_eq!(reported["mode"], "Fixed Simulation Step");
    assert_eq!(reported["mean_time"], 1.0 / 60.0);
    let late = reported["diff_real_time"].as_f64().expect("a number");
    // The tick that was due during the delay followed at once.
    let lost = STALL.as_secs_f64() - 1.5 / 60.0;
    assert!(late < -lost, "{late}");
    assert!(
        fixed.wall_seconds > whole + lost - 1.0 / 60.0,
        "{}",
        fixed.wall_seconds
    );
}

#[test]
fn the_strategy_is_what_the_file_says_whatever_the_pace() {
    for (environment, pace, mode) in [
        ("motion: morse", Pace::Max, "Best Effort"),
        ("time_strategy: best_effort", Pace::Max, "Best Effort"),
        (
            "time_strategy: fixed_step",
            Pace::RealTime(4.0),
            "Fixed Simulation Step",
        ),
        (
            "time_strategy: fixed_step",
            Pace::Max,
            "Fixed Simulation Step",
        ),
        ("", Pace::Max, "Fixed Simulation Step"),
        ("", Pace::RealTime(4.0), "Best Effort"),
    ] {
        let (summary, reported) = run(environment, pace);
        assert_eq!(reported["mode"], mode, "{environment}");
        assert!(summary.wall_seconds > STALL.as_secs_f64());
    }
}
