//! Wall-clock time, processor time and memory, for measurements only.
use std::time::Instant;

/// A running stopwatch.
pub(super) struct Stopwatch {
    wall: Instant,
    cpu: Option<f64>,
}

/// Elapsed time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Elapsed {
    /// Wall-clock time, s.
    pub(super) wall: f64,
    /// Processor time of all threads, s; `None` where the system does not report it.
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
            cpu: cpu_seconds(),
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
        let cpu = cpu_seconds().zip(self.cpu).map(|(now, then)| now - then);
        Elapsed { wall, cpu }
    }
}

/// Returns the processor time of the threads of this process, s.
fn cpu_seconds() -> Option<f64> {
    let mut nanoseconds = 0.0;
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat"));
        // A thread that has ended in the meantime has no file.
        let ran = text.ok().and_then(|text| first_number(&text));
        nanoseconds += ran.unwrap_or(0.0);
    }
    (nanoseconds > 0.0).then_some(nanoseconds * 1e-9)
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
