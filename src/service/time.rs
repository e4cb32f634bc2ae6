//! Services under the name `time`.
use bevy::prelude::*;
use morse_api::{
    motion::{MotionMode, TimeStrategy},
    prelude::{Deserialize, Reflect, ValueRange},
    service::{AddService as _, NoArguments, Outcome, Service, ServiceError},
    tick::Clock,
};
use serde_json::json;

use super::RunRequests;

/// Range of paces, simulated seconds per second: a tick does not take years, nor less than the clock can resolve.
pub const PACES: ValueRange = ValueRange(1e-4, 1e6);

/// The clock, as a service.
#[derive(Component)]
pub struct Time;

/// Pace of a run against the wall clock, written by the program that runs the simulation. No state of the world.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Pacing {
    /// True if the wall clock determines the time of the next tick: MORSE's best effort. Otherwise ticks follow each other
    /// as fast as possible, or as the client that holds them permits.
    pub is_real_time: bool,
    /// Wall-clock time since the start, minus the simulated time, s.
    pub lag: f64,
    /// Simulated time between two ticks at the present pace, in wall-clock time, s.
    pub intervals: Spread,
    /// Ticks per second of wall-clock time, Hz.
    pub rates: Spread,
}

/// Mean and variance of a sequence of numbers (Welford's method).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Spread {
    /// Adds a number.
    pub fn add(&mut self, number: f64) {
        self.count += 1;
        let off = number - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (number - self.mean);
    }

    /// Returns the mean of all numbers so far; 0 without numbers.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns the variance; 0 without numbers.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.squares / self.count.max(1) as f64
    }
}

pub(super) fn add(app: &mut App) {
    app.init_resource::<Pacing>()
        .add_global("time", Time)
        .add_service::<Time>(
            Service::new("now", "Returns the simulated time.", |world, _, _: NoArguments| {
                Ok(Outcome::Done(world.resource::<Clock>().seconds().into()))
            })
            .returns("s")
            .read_only(),
        )
        .add_service::<Time>(
            Service::new("mode", "Returns how the time is paced.", |world, _, _: NoArguments| {
                let mode = match strategy(world) {
                    TimeStrategy::BestEffort => "Best Effort",
                    TimeStrategy::FixedStep => "Fixed Simulation Step",
                };
                Ok(Outcome::Done(mode.into()))
            })
            .returns("`Best Effort` or `Fixed Simulation Step`, according to `time_strategy` of the simulation file. By default `Best Effort` if ticks are paced by the wall clock; `Fixed Simulation Step` if they are executed as fast as the machine permits, or on request of a client. In both, all ticks have the same length and none is skipped")
            .read_only(),
        )
        .add_service::<Time>(
            Service::new("statistics", "Returns statistics of the durations of ticks.", statistics)
                .returns("`mean_time` and `variance_time` of ticks, s and s². In the mode `Best Effort` in seconds of the wall clock times the time scale, with `mean_frame_by_sec` and `variance_frame_by_sec`, ticks in a second of the wall clock; otherwise in simulated seconds, with `diff_real_time`: simulated time minus the time of the wall clock, s; negative if the machine is too slow")
                .read_only(),
        )
        .add_service::<Time>(
            Service::new(
                "set_time_scale",
                "Sets the number of simulated seconds per second of the wall clock, from the next tick on. A run without pacing is paced from then on.",
                set_time_scale,
            )
            .returns("true")
            .read_only(),
        )
        .add_service::<Time>(
            Service::new(
                "run_freely",
                "Ends the pacing: ticks are executed as fast as the machine permits.",
                |world, _, _: NoArguments| {
                    world.resource_mut::<RunRequests>().pace = Some(f64::INFINITY);
                    Ok(Outcome::NOTHING)
                },
            )
            .read_only(),
        )
        .add_service::<Time>(
            Service::new(
                "sleep",
                "Answers after a duration of simulated time; any number of clients may sleep. In MORSE's motion it answers at the first tick that is less than half a tick before that time.",
                sleep,
            )
            .asynchronous()
            .read_only(),
        );
}

/// Returns the time strategy: that of the simulation file, or else that of the pace.
fn strategy(world: &World) -> TimeStrategy {
    let reported = world.get_resource::<TimeStrategy>().copied();
    reported.unwrap_or_else(|| {
        if world.resource::<Pacing>().is_real_time {
            TimeStrategy::BestEffort
        } else {
            TimeStrategy::FixedStep
        }
    })
}

fn statistics(world: &mut World, _: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let (dt, pacing) = (world.resource::<Clock>().dt(), world.resource::<Pacing>());
    Ok(Outcome::Done(
        if strategy(world) == TimeStrategy::BestEffort {
            json!({
                "mean_time": pacing.intervals.mean(), "variance_time": pacing.intervals.variance(),
                "mean_frame_by_sec": pacing.rates.mean(), "variance_frame_by_sec": pacing.rates.variance(),
            })
        } else {
            json!({ "mean_time": dt, "variance_time": 0.0, "diff_real_time": -pacing.lag })
        },
    ))
}

/// Arguments of `set_time_scale`.
#[derive(Reflect, Deserialize)]
struct Scale {
    /// Simulated seconds per second.
    #[reflect(@PACES)]
    value: f64,
}

fn set_time_scale(
    world: &mut World,
    _: Entity,
    Scale { value }: Scale,
) -> Result<Outcome, ServiceError> {
    world.resource_mut::<RunRequests>().pace = Some(value);
    Ok(Outcome::Done(true.into()))
}

/// Arguments of `sleep`.
#[derive(Reflect, Deserialize)]
struct Nap {
    /// Simulated duration, s.
    seconds: f64,
}

fn sleep(world: &mut World, _: Entity, Nap { seconds }: Nap) -> Result<Outcome, ServiceError> {
    if !seconds.is_finite() {
        return Err(ServiceError::Failed(format!(
            "`time`: invalid `seconds` {seconds}: expected a finite number"
        )));
    }
    let clock = world.resource::<Clock>();
    let ticks = seconds * clock.rate;
    let is_morse = world
        .get_resource()
        .is_some_and(|motion: &MotionMode| motion.is_morse());
    let ticks = if is_morse {
        // The first tick later than half a tick before the end, and at least the next one.
        (ticks + 0.5 + 1e-9).floor().max(1.0)
    } else {
        // For an integer number of ticks not one more, regardless of rounding.
        (ticks * (1.0 - 1e-12)).ceil().max(0.0)
    };
    Ok(Outcome::Until(clock.tick.saturating_add(ticks as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_variance_of_what_came_so_far() {
        let mut spread = Spread::default();
        assert_eq!((spread.mean(), spread.variance()), (0.0, 0.0));
        for number in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            spread.add(number);
        }
        assert!((spread.mean() - 5.0).abs() < 1e-12 && (spread.variance() - 4.0).abs() < 1e-12);
    }
}
