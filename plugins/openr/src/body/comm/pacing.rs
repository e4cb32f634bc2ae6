//! Frames of 8 ms in ticks of another length.
use crate::lockstep::FRAME;

/// Commands of a frame to the motors, which receive one command per tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pacing {
    /// The motors move to the targets of the frame within 8 ms. Ticks are not longer than frames.
    Frame,
    /// The motors move to the targets of the frame within 8 ms. Objects run in threads, so that the length of a tick is not
    /// known and a later command may replace this one: each has the targets of all joints.
    Threads,
    /// A later frame in this tick replaces the command.
    Replaced,
    /// Last frame of a tick that is longer than a frame, with the share of the frame's duration until the end of the tick. The
    /// motors receive the targets of the moment 8 ms before that end: a tick has two frames or three at 60 Hz, one or two at
    /// 100 Hz, and targets of whole frames would move in jerks.
    Last(f64),
}

impl Pacing {
    /// Returns the pacing of the frame that is executed at a time, given the ends of the last tick and of the present one, ns.
    pub(super) fn new(now: u64, [start, end]: [u64; 2]) -> Self {
        match end.saturating_sub(start) {
            0 => return Self::Threads,
            1..=FRAME => return Self::Frame,
            _ => {}
        }
        let rest = end.saturating_sub(now);
        if rest >= FRAME {
            return Self::Replaced;
        }
        Self::Last(rest as f64 / FRAME as f64)
    }

    /// Returns the target of a joint for the motors, from the targets of the frame before and of this frame.
    pub(super) fn target(self, before: f64, now: f64) -> f64 {
        match self {
            Self::Last(share) => before + share * (now - before),
            Self::Frame | Self::Threads | Self::Replaced => now,
        }
    }

    /// Returns the duration of the motion to the targets, s; 0 for the end of the next tick.
    pub(super) fn duration(self) -> f64 {
        match self {
            Self::Frame | Self::Threads => FRAME as f64 / 1e9,
            Self::Last(_) | Self::Replaced => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the targets of the motors, in frames, of a joint that moves by one in each frame, for a rate in Hz.
    fn targets(rate: u64) -> Vec<f64> {
        let end = |tick: u64| tick * 1_000_000_000 / rate;
        let mut targets = Vec::new();
        for tick in 1..=rate {
            let ends = [end(tick - 1), end(tick)];
            let frames = ends[0] / FRAME + 1..=ends[1] / FRAME;
            let sent = frames.filter_map(|frame| {
                let pacing = Pacing::new(frame * FRAME, ends);
                let number = frame as f64;
                (pacing != Pacing::Replaced).then(|| pacing.target(number - 1.0, number))
            });
            targets.extend(sent);
        }
        targets
    }

    #[test]
    fn targets_move_evenly_in_ticks_longer_than_frames() {
        for rate in [30, 50, 60, 100, 120] {
            let targets = targets(rate);
            assert_eq!(targets.len() as u64, rate, "one per tick");
            let step = 125.0 / rate as f64;
            for (pair, tick) in targets.windows(2).zip(1..) {
                // Ends of ticks are whole nanoseconds.
                let error = pair[1] - pair[0] - step;
                assert!(error.abs() < 1e-6, "{rate} Hz, tick {tick}: {error}");
            }
            assert!((targets[0] - (step - 1.0)).abs() < 1e-6, "8 ms before");
        }
        // Each frame has its command in shorter ticks.
        let all: Vec<f64> = (1..=125).map(f64::from).collect();
        assert_eq!(targets(125), all);
        assert_eq!(targets(240), all);
        assert_eq!(Pacing::new(3 * FRAME, [0; 2]), Pacing::Threads);
    }
}
