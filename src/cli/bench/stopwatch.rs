//! Time by the clock on the wall and by that of the processors, and memory: what only measurements look at.
use std::time::Instant;

/// A clock that runs.
pub(super) struct Stopwatch {
    wall: Instant,
    cpu: Option<f64>,
}

/// Time that something took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Elapsed {
    /// By the clock on the wall, s.
    pub(super) wall: f64,
    /// Of all threads together, s; not known on every system.
    pub(super) cpu: Option<f64>,
}

impl Stopwatch {
    /// Starts it.
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

    /// Time since the start by the clock on the wall alone, s.
    pub(super) fn elapsed_wall(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }

    /// Time since the start.
    pub(super) fn elapsed(&self) -> Elapsed {
        let wall = self.elapsed_wall();
        let cpu = cpu_seconds().zip(self.cpu).map(|(now, then)| now - then);
        Elapsed { wall, cpu }
    }
}

/// Time that the threads of this process have run on processors, s.
fn cpu_seconds() -> Option<f64> {
    let mut nanoseconds = 0.0;
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat"));
        // A thread that ends meanwhile has no file any more.
        let ran = text.ok().and_then(|text| first_number(&text));
        nanoseconds += ran.unwrap_or(0.0);
    }
    (nanoseconds > 0.0).then_some(nanoseconds * 1e-9)
}

/// Most memory that this process has had, MiB.
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
        // The kernel counts by its own clock ticks at least.
        while watch.elapsed_wall() < 0.03 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let elapsed = watch.elapsed();
        let cpu = elapsed.cpu.expect("Linux knows it");
        assert!(elapsed.wall >= 0.03 && cpu > 0.0, "{elapsed:?}");
        assert!(most_memory().expect("Linux knows it") > 1);
    }
}
