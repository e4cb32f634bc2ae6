//! The phases of a tick, and its exact time.
use bevy::prelude::*;

/// One fixed tick, in order. The data that a phase may access are part of its definition.
///
/// In MORSE's motion sensors look before physics: [`Tick::Action`] to [`Tick::Outputs`] come between
/// [`Tick::Actuate`] and [`Tick::Physics`], and after them [`Inputs::Requests`].
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tick {
    /// Reads the newest command of each actuator, applies its input modifiers, and serves requests that act. Writes
    /// commands.
    Inputs,
    /// Runs the `default_action` of each due actuator, then applies the drives. Writes drives and the bodies' forces,
    /// velocities and poses.
    Actuate,
    /// Advances the physics engine by one tick. Writes bodies.
    Physics,
    /// Selects the components that are due. Writes `Due`, and their `WorldPose` and `WorldVelocity`.
    Action,
    /// Measures: due sensors read the world and write their own local data.
    DefaultAction,
    /// Applies each due sensor's modifiers, in their own order, on a copy. Writes modified data.
    Modifiers,
    /// Runs due sensors that combine the exports of others, and their modifiers.
    Merge,
    /// Passes modified data of the due sensors to the ports, kind by kind in the order of registration (see
    /// [`Turn`](crate::turn::Turn)).
    Outputs,
    /// Completes services and flushes ports. Must not change the simulated world.
    Export,
}

/// The steps of [`Tick::Inputs`], in the order they run.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inputs {
    /// Reads the newest command in each actuator's mailbox, and applies its input modifiers.
    Commands,
    /// Serves requests in arrival order. In MORSE's motion this is not in [`Tick::Inputs`]: it follows the data of the tick.
    Requests,
}

/// The steps of [`Tick::Actuate`], in the order they run.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actuate {
    /// Selects the actuators that are due. Writes their poses and velocities.
    Action,
    /// Runs the control law of each due actuator, which turns its command into its drive.
    DefaultAction,
    /// Applies all drives to the bodies, in path order.
    Drives,
}

/// The steps of [`Tick::Action`], in the order they run.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// Updates the shapes that rays and cameras see.
    Shapes,
    /// Selects the sensors that are due. Writes their poses and velocities.
    Stamp,
}

/// Nanoseconds per second.
const NANOS: u128 = 1_000_000_000;

/// Simulated time: a tick number and a rate, from which all times follow exactly.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
#[doc(alias("mjData", "rosgraph_msgs", "sim_time"))]
pub struct Clock {
    /// Number of the current tick, or of the last one between two ticks. The first tick is 1.
    pub tick: u64,
    /// Ticks in a simulated second, Hz.
    pub rate: f64,
}

impl Clock {
    /// Returns a clock before its first tick.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        Self { tick: 0, rate }
    }

    /// Returns the length of a tick, s.
    #[must_use]
    pub fn dt(&self) -> f64 {
        1.0 / self.rate
    }

    /// Returns the time of the state after this tick, s: tick / rate.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.tick as f64 / self.rate
    }

    /// Returns the time of the state after this tick, ns: floor(tick · 10⁹ / rate).
    ///
    /// Exact for rates that are whole numbers of millihertz; it neither drifts nor wraps.
    #[must_use]
    pub fn nanos(&self) -> u64 {
        self.nanos_of(self.tick)
    }

    /// Returns the time of the state after a tick, ns.
    #[must_use]
    pub fn nanos_of(&self, tick: u64) -> u64 {
        let millihertz = (self.rate * 1000.0).round().max(1.0) as u128;
        u64::try_from(u128::from(tick) * NANOS * 1000 / millihertz).unwrap_or(u64::MAX)
    }

    /// Returns true if a component with frequency `frequency` (Hz) acts in this tick.
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
