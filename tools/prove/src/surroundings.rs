//! D2: threads, load, priority, environment, locale, time zone and working directory do not change the results.
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use super::{
    Figure, Figures,
    bench::{Bench, Scene},
    launch::{Launch, missing},
};
use morse_sim::simulation::most_threads;

/// Numbers of threads of the runs.
const THREADS: [usize; 6] = [1, 2, 3, 4, 8, 16];

/// Programs that start it: their effect, their arguments, and whether busy loops run at the same time.
const THROUGH: [(&str, &[&str], bool); 5] = [
    ("lowest priority", &["nice", "-n", "19"], false),
    ("lowest priority, busy loops", &["nice", "-n", "19"], true),
    ("one processor", &["taskset", "-c", "0"], false),
    ("one processor, busy loops", &["taskset", "-c", "0"], true),
    ("addresses that are not random", &["setarch", "-R"], false),
];

/// Environment variables.
const VARIABLES: [(&str, &str); 6] = [
    ("LC_ALL", "tr_TR.UTF-8"),
    ("LANG", "de_DE.UTF-8"),
    ("TZ", "Pacific/Chatham"),
    ("TZ", "America/St_Johns"),
    ("HOME", "/nowhere"),
    ("RUST_BACKTRACE", "full"),
];

/// Parameters of a run.
struct Surroundings {
    name: String,
    launch: Launch,
    /// Number of busy loops at the same time.
    busy: usize,
    /// Reason why it is not available on this machine.
    missing: Option<String>,
}

pub(super) fn check(bench: &Bench) -> Figures {
    let all = surroundings(bench)?;
    let figures = bench.scenes.iter().map(|scene| measure(bench, scene, &all));
    figures.collect()
}

fn measure(bench: &Bench, scene: &Scene, all: &[Surroundings]) -> Result<Figure, String> {
    let ticks = scene.ticks(bench.size.short);
    let usual = Launch::new(bench)?.run(bench, scene, ticks)?;
    let (mut wrong, mut left_out, mut made) = (Vec::new(), Vec::new(), 0);
    for surroundings in all {
        let name = &surroundings.name;
        if let Some(why) = &surroundings.missing {
            left_out.push(format!("left out: {name}: {why}"));
            continue;
        }
        let hash = beside(surroundings.busy, || {
            surroundings.launch.run(bench, scene, ticks)
        })?;
        made += 1;
        if hash != usual {
            wrong.push(format!("{name}: {hash} instead of {usual}"));
        }
    }
    let figure = format!("{}: {made} surroundings, {ticks} ticks", scene.name);
    let mut figure = Figure::alike(figure, "the same hash", wrong, made);
    figure.notes.extend(left_out);
    Ok(figure)
}

fn surroundings(bench: &Bench) -> Result<Vec<Surroundings>, String> {
    let usual = Launch::new(bench)?;
    let busy = 2 * thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let named = |name: &str, launch: Launch| Surroundings {
        name: name.to_owned(),
        launch,
        busy: 0,
        missing: None,
    };
    let threads = THREADS.into_iter().map(|threads| threaded(&usual, threads));
    let mut all: Vec<Surroundings> = threads.collect();
    all.push(Surroundings {
        busy,
        ..named("busy loops beside it", usual.clone())
    });
    for (name, program, is_busy) in THROUGH {
        let busy = if is_busy { busy } else { 0 };
        all.push(through(&usual, name, program, busy));
    }
    let bare = Launch {
        is_bare: true,
        ..usual.clone()
    };
    all.push(named("no environment", bare));
    let large = "x".repeat(100_000);
    for (name, value) in VARIABLES.into_iter().chain([("PADDING", large.as_str())]) {
        let launch = Launch {
            variables: vec![(name.to_owned(), value.to_owned())],
            ..usual.clone()
        };
        let value = value.get(..24).unwrap_or(value);
        all.push(named(&format!("{name}={value}"), launch));
    }
    let deep = bench.folder.inner("a/folder/of/another/name")?;
    for folder in [deep, bench.folder.path().to_owned()] {
        let launch = Launch {
            folder,
            ..usual.clone()
        };
        all.push(named("another working directory", launch));
    }
    all.retain(|surroundings| surroundings.busy == 0 || bench.size.beside_load);
    Ok(all)
}

fn threaded(usual: &Launch, threads: usize) -> Surroundings {
    let most = most_threads();
    Surroundings {
        name: format!("{threads} threads"),
        launch: Launch {
            threads,
            ..usual.clone()
        },
        busy: 0,
        missing: (threads > most)
            .then(|| format!("the program takes at most {most} here, four times the processors")),
    }
}

fn through(usual: &Launch, name: &str, program: &[&str], busy: usize) -> Surroundings {
    Surroundings {
        name: name.to_owned(),
        launch: Launch {
            through: program.iter().map(|&word| word.to_owned()).collect(),
            ..usual.clone()
        },
        busy,
        missing: missing(program),
    }
}

/// Runs a function while a number of threads run busy loops.
fn beside<T>(busy: usize, work: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for number in 0..busy {
            let busy = thread::Builder::new().name(format!("busy {number}"));
            let idle = || {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            };
            // Fewer threads are a load as well.
            busy.spawn_scoped(scope, idle).ok();
        }
        let result = work();
        is_over.store(true, Ordering::Relaxed);
        result
    })
}
