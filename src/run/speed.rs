//! Speed of a run, measured from tick to tick.
use serde::Serialize;

/// Length of the window over which the speed is averaged, s.
const WINDOW: f64 = 1.0;

/// The longest tick.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SlowestTick {
    /// Number of the tick.
    pub tick: u64,
    /// Wall-clock time of the tick, s.
    pub wall_seconds: f64,
}

/// Speed so far.
#[derive(Debug, Default)]
pub(super) struct Speed {
    pub(super) slowest: Option<SlowestTick>,
    /// Wall-clock time of all ticks, s.
    pub(super) ticking: f64,
    /// Minimum speed in a complete window, simulated seconds per second.
    least: Option<f64>,
    /// Start of the window, s since the start of the run; `None` before the first tick, and while a client holds the
    /// simulation.
    start: Option<f64>,
    /// Simulated time in the window, s.
    simulated: f64,
}

impl Speed {
    /// Records a tick with its simulated length, and its start and end in wall-clock time, s since the start of the run.
    pub(super) fn add(&mut self, tick: u64, simulated: f64, (from, to): (f64, f64)) {
        let wall_seconds = to - from;
        self.ticking += wall_seconds;
        if self
            .slowest
            .is_none_or(|slowest| wall_seconds > slowest.wall_seconds)
        {
            self.slowest = Some(SlowestTick { tick, wall_seconds });
        }
        let start = *self.start.get_or_insert(from);
        self.simulated += simulated;
        if to - start >= WINDOW {
            let speed = self.simulated / (to - start);
            self.least = Some(self.least.map_or(speed, |least| least.min(speed)));
            (self.start, self.simulated) = (Some(to), 0.0);
        }
    }

    /// Interrupts the window, because a client holds the simulation.
    pub(super) fn pause(&mut self) {
        (self.start, self.simulated) = (None, 0.0);
    }

    /// Returns the minimum speed over a second; the mean speed of a shorter run.
    pub(super) fn least(&self, mean: f64) -> f64 {
        self.least.unwrap_or(mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_second_and_the_slowest_tick_are_reported() {
        let mut speed = Speed::default();
        assert_eq!(speed.least(7.0), 7.0);
        let mut time = 0.0;
        for (tick, seconds) in [0.5, 0.5, 0.25, 0.25, 0.5, 2.0].into_iter().enumerate() {
            speed.add(tick as u64 + 1, 1.0, (time, time + seconds));
            time += seconds;
        }
        // Two simulated seconds in the first second, three in the second, one in the last two.
        assert_eq!(speed.least(7.0), 0.5);
        let slowest = speed.slowest.unwrap();
        assert_eq!((slowest.tick, slowest.wall_seconds), (6, 2.0));
        assert_eq!(speed.ticking, 4.0);
    }

    #[test]
    fn a_pause_is_not_slow() {
        let mut speed = Speed::default();
        speed.add(1, 1.0, (0.0, 0.4));
        speed.pause();
        speed.add(2, 1.0, (100.0, 100.5));
        speed.add(3, 1.0, (100.5, 101.0));
        assert_eq!(speed.least(7.0), 2.0);
    }
}
