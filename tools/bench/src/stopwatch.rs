//! Wall-clock time, processor time and memory, for measurements only.
use std::{collections::BTreeMap, ffi::OsString, time::Instant};

/// Processor time by thread, ns.
type ThreadTimes = BTreeMap<OsString, f64>;

/// A running stopwatch.
pub(super) struct Stopwatch {
    wall: Instant,
    cpu: Option<ThreadTimes>,
}

/// Elapsed time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Elapsed {
    /// Wall-clock time, s.
    pub(super) wall: f64,
    /// Processor time of all threads that still run, s; `None` where the system does not report it.
    pub(super) cpu: Option<f64>,
}

impl Stopwatch {
    /// Starts the stopwatch.
    #[expect(
        clippy::disallowed_methods,
        reason = "how long something takes is what is measured"
    )]
    pub(super) fn start() -> Self {
        Self {
            cpu: thread_times(),
            wall: Instant::now(),
        }
    }

    /// Returns the wall-clock time since the start, s.
    pub(super) fn elapsed_wall(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }

    /// Returns the time since the start.
    pub(super) fn elapsed(&self) -> Elapsed {
        let wall = self.elapsed_wall();
        let cpu = thread_times().zip(self.cpu.as_ref()).map(|(now, before)| {
            let since =
                |(thread, time): (&OsString, &f64)| time - before.get(thread).unwrap_or(&0.0);
            now.iter().map(since).sum::<f64>() * 1e-9
        });
        Elapsed { wall, cpu }
    }
}

/// Returns the processor times of the threads of this process.
fn thread_times() -> Option<ThreadTimes> {
    let mut times = ThreadTimes::new();
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        let thread = thread.ok()?;
        let text = std::fs::read_to_string(thread.path().join("schedstat"));
        // A thread that has ended in the meantime has no file.
        if let Some(time) = text.ok().and_then(|text| first_number(&text)) {
            times.insert(thread.file_name(), time);
        }
    }
    (!times.is_empty()).then_some(times)
}

/// Returns the peak memory of this process, MiB.
pub(super) fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    first_number(peak).map(|kibibytes| kibibytes as u64 / 1024)
}

fn first_number(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn work_takes_time_and_memory() {
        let watch = Stopwatch::start();
        let mut sum = 0_u64;
        // The kernel's clock has a coarse resolution.
        while watch.elapsed_wall() < 0.03 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let elapsed = watch.elapsed();
        let cpu = elapsed.cpu.expect("Linux knows it");
        assert!(elapsed.wall >= 0.03 && cpu > 0.0, "{elapsed:?}");
        assert!(most_memory().expect("Linux knows it") > 1);
    }
}
