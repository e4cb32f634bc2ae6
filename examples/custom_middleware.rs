//! A custom middleware: a named thread that reads at its own pace.
//!
//! This one stores the extremes of every number that it receives, and requests one reading at a time. Each sensor's policy
//! defines what happens while it is busy: by default the tick goes on, and the reading is counted, not copied; in lockstep
//! the tick waits for the thread.
#![expect(clippy::print_stdout, reason = "an example talks")]
use std::{
    collections::BTreeMap,
    error::Error,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use morse_api::{
    fields::{Value, view},
    middleware::{AddMiddleware as _, Failure, Middleware, MiddlewareContext, Running, Worker},
    port::Observer,
};
use morse_sim::{prelude::*, simulation::Simulation};

/// Stores the extremes of the received numbers.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Extremes {}

/// Outputs and inputs have no settings.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Nothing {}

/// Minimum and maximum of each number, by sensor and field.
type Table = BTreeMap<String, (f64, f64)>;

/// Table at the end of the run.
static RESULT: Mutex<Table> = Mutex::new(Table::new());

impl Middleware for Extremes {
    const KIND: &'static str = "extremes";
    type Output = Nothing;
    type Input = Nothing;

    fn start(
        &self,
        context: MiddlewareContext<Nothing, Nothing>,
    ) -> Result<Box<dyn Running>, Failure> {
        let name = context.name.clone();
        let worker = Worker::spawn(Self::KIND, &name, context, |context| {
            let mut table = Table::new();
            let outputs = || context.outputs.iter().map(|(observer, _)| observer);
            outputs().for_each(Observer::assert_ready);
            loop {
                let awake = context.wake.wait(Duration::from_millis(50));
                outputs().for_each(|observer| take(observer, &mut table));
                if awake.is_end() {
                    *RESULT.lock().unwrap_or_else(PoisonError::into_inner) = table;
                    return Ok(());
                }
            }
        });
        Ok(Box::new(AtWork(worker?)))
    }
}

fn take(observer: &Observer, table: &mut Table) {
    while let Some(reading) = observer.try_recv() {
        for field in &observer.info.fields.0 {
            if let Some(Value::Number(number)) = reading.data().field_at(field.index).map(view) {
                let name = format!("{}.{}", observer.info.path, field.name);
                let (least, greatest) = table.entry(name).or_insert((number, number));
                (*least, *greatest) = (least.min(number), greatest.max(number));
            }
        }
        observer.assert_ready();
    }
}

/// The thread; if it fails or panics, the run ends with an error.
struct AtWork(Worker);

impl Running for AtWork {
    fn failure(&mut self) -> Option<Failure> {
        self.0.failure()
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        self.0.stop()
    }
}

const SIMULATION: &str = r#"Simulation(
    scene: "table.robray",
    robots: {
        "block": (
            frame: "block_a", at: (translation: (0, 0, 1)),
            sensors: {
                "some": (kind: "pose", outputs: { "extremes": (policy: latest) }),
                "every": (kind: "pose", outputs: { "extremes": (policy: lockstep(10)) }),
            },
        ),
    },
    middlewares: { "extremes": (kind: "extremes") },
)"#;

fn main() -> Result<(), Box<dyn Error>> {
    fn extensions(app: &mut App) {
        app.add_middleware::<Extremes>();
    }
    let mut simulation = Simulation::parse(SIMULATION, "scenes", &extensions)?;
    simulation.run(120)?;
    let (drops, finished) = simulation.finish();
    finished?;
    let table = RESULT.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, (least, greatest)) in table.iter() {
        println!("{name:18} {least:+.3} to {greatest:+.3}");
    }
    println!(
        "{} of 240 readings came while the thread was busy",
        drops.unready
    );
    let (least, greatest) = table.get("block.every.z").ok_or("no reading at all")?;
    assert!(
        (greatest - 1.768).abs() < 0.002,
        "from a metre up: {greatest}"
    );
    assert!((least - 0.77).abs() < 0.002, "to the table: {least}");
    Ok(())
}
