//! The program under load: generated scenes, clients, and measurements.
//!
//! - [`program`]: the program as a process of its own; [`client`]: a client that exchanges lines;
//! - [`streams`]: readings of many sensors to many clients; [`requests`]: requests of several clients;
//!   [`churn`]: clients that connect and disconnect.
pub(crate) mod churn;
pub(crate) mod client;
pub(crate) mod program;
pub(crate) mod requests;
pub(crate) mod streams;

use std::time::{Duration, Instant};

/// Returns a scene of robots that drive in circles on a plain, each with a pose at every tick and services, on sockets.
pub(crate) fn robots(count: usize, rate: u32) -> String {
    format!(
        r#"Simulation(
            scene: "environments/empty.robray",
            environment: (rate: {rate}),
            robots: {{ "rover": (
                model: "robots/atrv.robray", at: (translation: (-12, -12, 0.1)), services: ["socket"],
                repeat: (count: {count}, pattern: grid(columns: 8, spacing: (3, 3.2))),
                sensors: {{ "pose": (kind: "pose", frequency: {rate}, outputs: {{ "socket": () }}, services: ["socket"]) }},
                actuators: {{ "motion": (kind: "v_omega", start: (v: 0.5, w: 0.8), services: ["socket"]) }},
            ) }},
            middlewares: {{ "socket": (kind: "socket", port: 0, streams: 0) }},
        )"#
    )
}

/// Durations, s.
#[derive(Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    pub(crate) fn add(&mut self, seconds: f64) {
        self.0.push(seconds);
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the duration that a fraction of all durations does not exceed, ms.
    pub(crate) fn quantile(&self, fraction: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let index = (last as f64 * fraction).round() as usize;
        sorted.get(index).copied().unwrap_or(f64::NAN) * 1e3
    }

    /// Formats the median, the 99th percentile and the maximum, ms.
    pub(crate) fn summary(&self) -> String {
        let [half, most, all] = [0.5, 0.99, 1.0].map(|fraction| self.quantile(fraction));
        format!("p50 {half:.2} ms, p99 {most:.2} ms, max {all:.2} ms")
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long the program takes is what is measured"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Runs a function on several threads, with the index of each; returns the results in order.
pub(crate) fn side_by_side<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|number| {
                let thread = std::thread::Builder::new().name(format!("client {number}"));
                thread
                    .spawn_scoped(scope, move || work(number))
                    .expect("a thread")
            })
            .collect();
        let results = threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"));
        results.collect()
    })
}

/// Waits until a predicate is true, with a timeout; returns its last value.
pub(crate) fn wait_for(at_most: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let end = now() + at_most;
    loop {
        if holds() {
            return true;
        }
        if now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
