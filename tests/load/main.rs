//! Measures the program under load: `cargo bench --bench load`, or with the length of each scenario: `-- --streams 60 --fast 60
//! --requests 60 --cycles 10000 --viewers 60 --window 0` (seconds, and the number of clients that connect and disconnect; 0
//! leaves a scenario out). Prints a table, and ends with 1 when a requirement is not met. See [`window`] for its requirements.
#[path = "load.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod load;
mod viewers;
mod window;

use std::{process::ExitCode, time::Duration};

use load::{
    churn,
    program::{Program, Scene},
    requests, robots, streams,
};

/// Length of each scenario, s; and a number of clients.
struct Lengths {
    streams: u64,
    fast: u64,
    requests: u64,
    cycles: u64,
    viewers: u64,
    window: u64,
}

impl Lengths {
    fn from(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut lengths = Self {
            streams: 60,
            fast: 60,
            requests: 60,
            cycles: 10_000,
            viewers: 60,
            window: 0,
        };
        // Cargo adds `--bench` itself.
        let mut arguments = arguments.filter(|argument| argument != "--bench");
        while let Some(name) = arguments.next() {
            let value = arguments.next().and_then(|value| value.parse().ok());
            let value = value.ok_or_else(|| format!("{name} must be a number"))?;
            match name.as_str() {
                "--streams" => lengths.streams = value,
                "--fast" => lengths.fast = value,
                "--requests" => lengths.requests = value,
                "--cycles" => lengths.cycles = value,
                "--viewers" => lengths.viewers = value,
                "--window" => lengths.window = value,
                _ => {
                    return Err(format!(
                        "unknown: {name}; known: --streams, --fast, --requests, --cycles, --viewers, --window"
                    ));
                }
            }
        }
        Ok(lengths)
    }
}

/// A row of the table.
struct Row {
    what: &'static str,
    measured: String,
    /// The requirements that were not met.
    broken: Vec<String>,
}

impl Row {
    fn new(what: &'static str, measured: String) -> Self {
        Self {
            what,
            measured,
            broken: Vec::new(),
        }
    }

    fn promise(mut self, holds: bool, promise: &str) -> Self {
        if !holds {
            self.broken.push(promise.to_owned());
        }
        self
    }
}

fn stream(what: &'static str, count: usize, rate: u32, seconds: u64) -> Row {
    let program = Program::start(&Scene::of(robots(count, rate)));
    let sensors: Vec<String> = program
        .ports()
        .keys()
        .filter(|port| port.ends_with(".pose"))
        .cloned()
        .collect();
    program.warm_up();
    let before = program.holds().memory;
    let got = streams::measure(
        &program,
        &sensors,
        f64::from(rate),
        Duration::from_secs(seconds),
    );
    let grown = program.holds().memory.saturating_sub(before) >> 10;
    program.end();
    let (received, pace) = (got.received, got.pace);
    let wrong = [got.lost, got.reordered, got.torn];
    let late = got.late.summary();
    let text = format!(
        "{received} records, lost, reordered, torn {wrong:?}, pace {pace:.4}, {late}, memory +{grown} KiB"
    );
    Row::new(what, text)
        .promise(wrong == [0; 3], "nothing is lost, reordered or torn")
        .promise(
            received as f64 > 0.98 * count as f64 * f64::from(rate) * seconds as f64,
            "all records come",
        )
        .promise(pace > 0.999, "real time is kept")
        .promise(
            got.late.quantile(0.99) < 10.0,
            "99 of 100 are at most 10 ms late",
        )
}

fn request(seconds: u64) -> Row {
    let rate = 60;
    let program = Program::start(&Scene::of(robots(10, rate)));
    let got = requests::measure(&program, 8, f64::from(rate), Duration::from_secs(seconds));
    program.end();
    let each_second = got.reading.count() as f64 / got.seconds;
    let text = format!(
        "{each_second:.0}/s that read, {}; {} that act, {}, at most {} ticks",
        got.reading.summary(),
        got.acting.count(),
        got.acting.summary(),
        got.most_ticks
    );
    let mut row = Row::new("requests, 8 clients and one that acts", text)
        .promise(
            each_second >= 5000.0,
            "5000 requests that read are answered in a second",
        )
        .promise(
            got.reading.quantile(0.99) < 5.0,
            "99 of 100 take at most 5 ms",
        )
        .promise(
            got.most_ticks <= 1,
            "requests that act are served in the next tick",
        );
    row.broken.extend(got.mistakes);
    row
}

fn come_and_go(cycles: u64) -> Row {
    let program = Program::start(&Scene::of(robots(1, 60)));
    let got = churn::measure(&program, cycles as usize);
    program.end();
    let (before, after) = (got.before, got.after);
    let more = after.memory.saturating_sub(before.memory) >> 10;
    let text = format!(
        "{cycles} in {:.1} s; files {} to {}, threads {} to {}, memory +{more} KiB",
        got.seconds, before.files, after.files, before.threads, after.threads
    );
    let is_same = (before.files, before.threads) == (after.files, after.threads);
    let mut row = Row::new("clients that come and go", text)
        .promise(is_same, "files and threads are as before")
        .promise(more <= 2048, "memory grows by 2 MiB at most");
    row.broken.extend(got.mistakes.into_iter().take(5));
    row
}

fn look_on(seconds: u64) -> Row {
    // The cases alternate, so that other load on the machine affects them alike.
    let (mut none, mut ten, mut frames) = (0.0, 0.0, 0);
    for _ in 0..3 {
        let turn = Duration::from_secs(seconds) / 6;
        none += viewers::measure(0, turn).tick / 3.0;
        let with = viewers::measure(10, turn);
        ten += with.tick / 3.0;
        frames += with.frames;
    }
    let more = (ten / none - 1.0) * 100.0;
    let text = format!(
        "{none:.3} ms of processor a tick without, {ten:.3} ms with ({more:+.1} %), {frames} frames"
    );
    Row::new("50 robots, 10 browsers that look on", text)
        .promise(more < 5.0, "they cost less than 5 %")
        .promise(frames as f64 > 250.0 * seconds as f64, "all frames come")
}

fn see(seconds: u64) -> Row {
    let got = window::measure(Duration::from_secs(seconds));
    let (without, seen, unseen) = (got.without, got.seen, got.unseen);
    let text =
        format!("{without:.2} cores without, {seen:.2} while it is seen, {unseen:.2} while not");
    Row::new("a window", text).promise(
        unseen < without + 0.1,
        "one that nobody sees takes less than a tenth of a core",
    )
}

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the table is the result"
)]
fn main() -> ExitCode {
    let lengths = match Lengths::from(std::env::args().skip(1)) {
        Ok(lengths) => lengths,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let scenarios: [(u64, &dyn Fn() -> Row); 6] = [
        (lengths.streams, &|| {
            stream(
                "50 robots at 100 Hz, a client each",
                50,
                100,
                lengths.streams,
            )
        }),
        (lengths.fast, &|| {
            stream("1 robot at 1 kHz", 1, 1000, lengths.fast)
        }),
        (lengths.requests, &|| request(lengths.requests)),
        (lengths.cycles, &|| come_and_go(lengths.cycles)),
        (lengths.viewers, &|| look_on(lengths.viewers)),
        (lengths.window, &|| see(lengths.window)),
    ];
    let mut is_fine = true;
    for (_, scenario) in scenarios.iter().filter(|(length, _)| *length > 0) {
        let row = scenario();
        let verdict = if row.broken.is_empty() {
            "kept".to_owned()
        } else {
            format!("BROKEN: {}", row.broken.join("; "))
        };
        println!("{:38} | {} | {verdict}", row.what, row.measured);
        is_fine &= row.broken.is_empty();
    }
    if is_fine {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
