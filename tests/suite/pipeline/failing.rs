//! Custom middlewares that panic, and one that does not end.
use std::{
    sync::{Arc, atomic::AtomicUsize},
    time::Duration,
};

use bevy::prelude::{App, Reflect};
use morse_api::{
    middleware::{AddMiddleware as _, Failure, Middleware, MiddlewareContext, Running, Worker},
    port::{Observer, Policy},
};
use morse_sim::{
    Simulation,
    run::{End, Limits, Pace, run},
    simulation::{BuildError, keep},
};
use serde::Deserialize;

/// Function in which the middleware fails.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stage {
    Start,
    #[default]
    Thread,
    Stop,
    /// It never ends.
    Never,
}

#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Failing {
    stage: Stage,
}

#[derive(Reflect, Clone, Debug, Default, Deserialize)]
struct Nothing {}

struct AtWork(Worker, Stage);

impl Running for AtWork {
    fn failure(&mut self) -> Option<Failure> {
        self.0.failure()
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        assert!(self.1 != Stage::Stop, "the stop is broken");
        self.0.stop()
    }
}

impl Middleware for Failing {
    const KIND: &'static str = "failing";
    const DEFAULT_POLICY: Policy = Policy::Lockstep(Duration::from_secs(600));
    type Output = Nothing;
    type Input = Nothing;

    fn start(
        &self,
        context: MiddlewareContext<Nothing, Nothing>,
    ) -> Result<Box<dyn Running>, Failure> {
        let stage = self.stage;
        assert!(stage != Stage::Start, "the start is broken");
        let name = context.name.clone();
        let worker = Worker::spawn(Self::KIND, &name, context, move |context| {
            let observers = || context.outputs.iter().map(|(observer, _)| observer);
            observers().for_each(Observer::stay_ready);
            let mut taken = 0;
            loop {
                let awake = context.wake.wait(Duration::from_secs(1));
                taken += observers().filter_map(Observer::try_recv).count();
                assert!(stage != Stage::Thread || taken < 5, "the thread is broken");
                if awake.is_end() {
                    // A loop would take a processor from all other tests.
                    if stage != Stage::Never {
                        return Ok(());
                    }
                    loop {
                        std::thread::park();
                    }
                }
            }
        });
        Ok(Box::new(AtWork(worker?, stage)))
    }
}

/// Returns a block, and a log beside a middleware that fails.
fn built(stage: &str, policy: &str, log: &str) -> Result<Simulation, BuildError> {
    let failing = |app: &mut App| {
        app.add_middleware::<Failing>();
    };
    let text = format!(
        r#"Simulation(
            robots: {{ "rover": (model: "robots/atrv.robray", sensors: {{
                "pose": (kind: "pose", outputs: {{ "a": ({policy}), "b": () }}),
            }}) }},
            middlewares: {{
                "a": (kind: "failing", stage: {stage}),
                "b": (kind: "text", directory: "{log}"),
            }},
        )"#
    );
    Simulation::parse(&text, ".", keep(failing))
}

#[test]
fn a_panic_in_a_middleware_ends_the_run_with_an_error() {
    let room = tempfile::tempdir().unwrap();
    for policy in ["", "policy: queue(1)"] {
        // Far more ticks than are run before the panic: without the error the run would take hours.
        let limits = Limits {
            ticks: Some(1_000_000),
            pace: Pace::RealTime(2.0),
            timeout: Some(Duration::from_secs(100)),
            signal: Arc::new(AtomicUsize::new(0)),
            strict: false,
        };
        let simulation = built("thread", policy, &room.path().to_string_lossy()).unwrap();
        let (summary, end) = run(simulation, &limits, &mut |_| {});
        let text = "the middleware `a` panicked: the thread is broken".to_owned();
        assert_eq!(end, End::Failure(Failure::Environment(text)), "{policy}");
        let log = std::fs::read_to_string(room.path().join("rover.pose.txt")).unwrap();
        let logged = log.matches("==> Data").count() as u64;
        // The reading of the last tick may not have reached the second middleware.
        assert!(logged <= summary.steps + 1 && logged + 1 >= summary.steps);
    }
    let simulation = built("stop", "", &room.path().to_string_lossy());
    let (_, finished) = simulation.unwrap().finish();
    let reported = finished.unwrap_err().to_string();
    assert_eq!(reported, "the middleware `a` panicked: the stop is broken");
    let reported = built("start", "", &room.path().to_string_lossy()).err();
    let reported = reported.expect("it cannot start").to_string();
    assert_eq!(reported, "the middleware `a` panicked: the start is broken");
}

#[test]
fn a_middleware_that_does_not_end_holds_up_no_error() {
    for stage in ["never", "stop"] {
        let reported = built(stage, "", "Cargo.toml/out").err();
        let reported = reported.expect("it cannot start").to_string();
        assert!(reported.contains("Cargo.toml/out"), "{reported}");
    }
}
