//! The phases of a tick, and its exact time.
use bevy::prelude::*;

/// One fixed tick, in the order it runs. What a phase may touch is part of its meaning.
///
/// In MORSE's motion sensors look before physics: [`Tick::Action`] to [`Tick::Outputs`] come between
/// [`Tick::Actuate`] and [`Tick::Physics`], and after them [`Inputs::Requests`].
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tick {
    /// The newest command of each actuator is read and goes through its input modifiers, and requests that act
    /// are served. Writes commands.
    Inputs,
    /// Each due actuator's `default_action` runs, then the drives are applied.
    /// Writes drives and the bodies' forces, velocities and poses.
    Actuate,
    /// The physics engine advances by one tick. Writes bodies.
    Physics,
    /// Selection of who is due. Writes `Due`, and for who is due `WorldPose` and `WorldVelocity`.
    Action,
    /// Each due sensor measures. Reads the world, writes the sensor's own local data.
    DefaultAction,
    /// Each due sensor's modifiers, in their own order, on a copy. Writes modified data.
    Modifiers,
    /// Due sensors that put together what others export do so, and their modifiers run.
    Merge,
    /// Modified data of the due sensors is handed to the ports, kind by kind in the order in which the kinds
    /// were registered (see [`Turn`](crate::turn::Turn)).
    Outputs,
    /// Services complete, ports are flushed. Nothing here may change the simulated world.
    Export,
}

/// The steps of [`Tick::Inputs`], in the order they run.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inputs {
    /// Each actuator reads the newest command in its mailbox, and its input modifiers run.
    Commands,
    /// Requests are served, in the order in which they arrived. In MORSE's motion this is no part of
    /// [`Tick::Inputs`]: it follows the data of the tick.
    Requests,
}

/// The steps of [`Tick::Actuate`], in the order they run.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actuate {
    /// Selection of who is due. Stamps pose and velocity of the actuators.
    Action,
    /// Each due actuator's law turns its command into its drive.
    DefaultAction,
    /// All drives are applied to the bodies, in path order.
    Drives,
}

/// The steps of [`Tick::Action`], in the order they run.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// Shapes that rays and cameras meet follow the bodies.
    Shapes,
    /// Selection of who is due. Stamps pose and velocity of the sensors.
    Stamp,
}

/// Nanoseconds in a second.
const NANOS: u128 = 1_000_000_000;

/// The simulated time: a tick number and a rate, from which everything else follows exactly.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Number of the running tick, or of the last one between two ticks. The first tick is 1.
    pub tick: u64,
    /// Ticks in a simulated second, Hz.
    pub rate: f64,
}

impl Clock {
    /// A clock before its first tick.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        Self { tick: 0, rate }
    }

    /// Length of a tick, s.
    #[must_use]
    pub fn dt(&self) -> f64 {
        1.0 / self.rate
    }

    /// Time of the state after this tick, s: tick / rate.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.tick as f64 / self.rate
    }

    /// Time of the state after this tick, ns: floor(tick · 10⁹ / rate).
    ///
    /// Exact for rates that are whole numbers of millihertz; it neither drifts nor wraps.
    #[must_use]
    pub fn nanos(&self) -> u64 {
        self.nanos_of(self.tick)
    }

    /// Time of the state after a tick, ns.
    #[must_use]
    pub fn nanos_of(&self, tick: u64) -> u64 {
        let millihertz = (self.rate * 1000.0).round().max(1.0) as u128;
        u64::try_from(u128::from(tick) * NANOS * 1000 / millihertz).unwrap_or(u64::MAX)
    }

    /// Tells whether a component of frequency `frequency` (Hz) acts in this tick.
    ///
    /// It does at the first tick, and then whenever ⌊f·(2k+1) / (2·rate)⌋ grows, k counting ticks from 0:
    /// exactly f times in each simulated second for whole f, as evenly as ticks allow.
    #[must_use]
    pub fn is_due(&self, frequency: f64) -> bool {
        let Some(k) = self.tick.checked_sub(1) else {
            return false;
        };
        let steps = |odd: f64| (frequency * odd / (2.0 * self.rate)).floor();
        k == 0 || steps((2 * k + 1) as f64) > steps((2 * k - 1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(tick: u64, rate: f64) -> Clock {
        Clock { tick, rate }
    }

    #[test]
    fn time_is_exact() {
        assert_eq!(at(1, 60.0).nanos(), 16_666_666);
        assert_eq!(at(60, 60.0).nanos(), 1_000_000_000);
        assert_eq!(
            at(1_000_000_000 * 60, 60.0).nanos(),
            1_000_000_000_000_000_000
        );
        assert_eq!(at(3, 12.5).nanos(), 240_000_000);
    }

    #[test]
    fn a_whole_frequency_acts_that_often_each_second() {
        for (frequency, rate) in [
            (10.0, 60.0),
            (7.0, 60.0),
            (60.0, 60.0),
            (1.0, 1000.0),
            (59.0, 60.0),
        ] {
            let mut due = (1..=10 * rate as u64)
                .filter(|&n| at(n, rate).is_due(frequency))
                .peekable();
            assert_eq!(due.peek(), Some(&1));
            let count = due.count() as f64;
            assert!(
                (count - 10.0 * frequency).abs() <= 1.0,
                "{frequency} Hz at {rate} Hz: {count} in 10 s"
            );
        }
    }

    #[test]
    fn ten_hertz_at_sixty_is_every_sixth_tick() {
        let due: Vec<u64> = (1..=30).filter(|&n| at(n, 60.0).is_due(10.0)).collect();
        assert_eq!(due, [1, 7, 13, 19, 25]);
    }
}
