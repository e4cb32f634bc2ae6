//! Runs a simulation against the wall clock, which no other module reads; [`profile`] measures the time of phases and systems.
pub mod clock;
pub(crate) mod file_watcher;
pub(crate) mod guard;
mod limits;
mod losses;
pub mod profile;
mod progress;
mod speed;

use std::{
    panic::AssertUnwindSafe,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use morse_api::{middleware::Failure, motion::TimeStrategy, port::LockstepLost};

pub use limits::{End, Limits, Pace, Summary};
pub use progress::Progress;
pub use speed::SlowestTick;

use crate::{
    service::{
        Hold, RunRequests,
        time::{Pacing, Spread},
    },
    simulation::Simulation,
};
use clock::now;
use losses::Losses;
use speed::Speed;

/// Longer waits are split into pieces of this length, so that a signal ends them.
const MAX_WAIT: Duration = Duration::from_millis(50);

/// Interval between two reports of progress.
const REPORT: Duration = Duration::from_millis(100);

/// Observer of a run.
pub trait Watch {
    /// Called at the start, and after each tick.
    ///
    /// # Errors
    ///
    /// Data cannot be stored; the run ends there.
    fn tick(&mut self, simulation: &mut Simulation) -> Result<(), Failure>;

    /// Called at the end.
    ///
    /// # Errors
    ///
    /// Data cannot be stored.
    fn end(&mut self, simulation: &mut Simulation) -> Result<(), Failure>;

    /// Returns true if the run may end.
    fn is_done(&self) -> bool {
        false
    }

    /// Called before each tick, and while the run is held. Returns true if time has passed that is not to be caught up with.
    fn between_ticks(&mut self, _: &mut Simulation) -> bool {
        false
    }

    /// Called with the progress, about ten times per second.
    fn progress(&mut self, _: &Progress) {}
}

/// No observer.
impl Watch for () {
    fn tick(&mut self, _: &mut Simulation) -> Result<(), Failure> {
        Ok(())
    }

    fn end(&mut self, _: &mut Simulation) -> Result<(), Failure> {
        Ok(())
    }
}

/// Runs to the end, and closes everything. `warn` is called with the warnings of components.
pub fn run(simulation: Simulation, limits: &Limits, warn: &mut dyn FnMut(&str)) -> (Summary, End) {
    run_watched(simulation, limits, &mut (), warn)
}

/// Runs with an observer.
pub fn run_watched(
    mut simulation: Simulation,
    limits: &Limits,
    watch: &mut dyn Watch,
    warn: &mut dyn FnMut(&str),
) -> (Summary, End) {
    let start = now();
    let mut course = Course::new(limits, start, simulation.tick());
    let mut end = match watch.tick(&mut simulation) {
        Ok(()) => pace(&mut simulation, &mut course, watch, warn),
        Err(failure) => End::Failure(failure),
    };
    let seen = watch.end(&mut simulation);
    if let (false, Err(failure)) = (
        matches!(end, End::Failure(_) | End::SimulationFailed(_)),
        seen,
    ) {
        end = End::Failure(failure);
    }
    let wall_seconds = start.elapsed().as_secs_f64();
    let steps = course.made(&simulation);
    let sim_seconds = steps as f64 / simulation.clock().rate;
    let state_hash = format!("{:032x}", simulation.state_hash());
    let reports = simulation.reports();
    let (drops, finished) = simulation.finish();
    for port in drops.ports.iter().filter(|port| port.dropped > 0) {
        let (sensor, dropped) = (&port.sensor, port.dropped);
        warn(&format!(
            "`{sensor}`: {dropped} readings were dropped, since their observer is slow"
        ));
    }
    if let (
        End::Done | End::Asked | End::LockstepLost(_) | End::Signal(_) | End::TimedOut(_),
        Err(failure),
    ) = (&end, finished)
    {
        end = End::Failure(failure);
    }
    let rtf = if wall_seconds > 0.0 {
        sim_seconds / wall_seconds
    } else {
        0.0
    };
    let summary = Summary {
        steps,
        sim_seconds,
        wall_seconds,
        rtf,
        rtf_min: course.speed.least(rtf),
        slowest_tick: course.speed.slowest,
        state_hash,
        drops: drops.dropped,
        tick_seconds: course.speed.ticking,
        lost: course.losses.all,
        reports: reports
            .iter()
            .map(|(name, report)| (name.clone(), report.text.clone()))
            .collect(),
        middlewares: reports
            .into_iter()
            .map(|(name, report)| (name, report.json))
            .collect(),
    };
    (summary, end)
}

/// A run under way: its limits and its state.
struct Course<'a> {
    limits: &'a Limits,
    start: Instant,
    /// Tick after which it began.
    first: u64,
    /// Time of the last report of progress.
    reported: Instant,
    speed: Speed,
    losses: Losses,
}

impl<'a> Course<'a> {
    fn new(limits: &'a Limits, start: Instant, first: u64) -> Self {
        Self {
            limits,
            start,
            first,
            reported: start,
            speed: Speed::default(),
            losses: Losses::default(),
        }
    }

    fn made(&self, simulation: &Simulation) -> u64 {
        // A client may have reset the simulation.
        simulation.tick().saturating_sub(self.first)
    }

    /// Returns the reason to end before the next tick, if there is one.
    fn limit(&self, simulation: &Simulation, watch: &dyn Watch) -> Option<End> {
        let limits = self.limits;
        let made = self.made(simulation);
        if limits.ticks.is_some_and(|ticks| made >= ticks) || watch.is_done() {
            return Some(End::Done);
        }
        if let Some(timeout) = limits.timeout
            && self.start.elapsed() >= timeout
        {
            return Some(End::TimedOut(timeout.as_secs_f64()));
        }
        let signal = limits.signal.load(Ordering::Relaxed);
        (signal != 0).then_some(End::Signal(signal))
    }

    /// Records a tick between two times.
    fn count(
        &mut self,
        simulation: &Simulation,
        (began, ended): (Instant, Instant),
        watch: &mut dyn Watch,
    ) {
        let since_start = |time: Instant| time.duration_since(self.start).as_secs_f64();
        let period = simulation.clock().rate.recip();
        let lasted = (since_start(began), since_start(ended));
        self.speed.add(simulation.tick(), period, lasted);
        if ended.duration_since(self.reported) >= REPORT {
            self.reported = ended;
            let steps = self.made(simulation);
            watch.progress(&Progress {
                steps,
                of: self.limits.ticks,
                sim_seconds: steps as f64 * period,
                wall_seconds: lasted.1,
            });
        }
    }
}

fn pace(
    simulation: &mut Simulation,
    course: &mut Course<'_>,
    watch: &mut dyn Watch,
    warn: &mut dyn FnMut(&str),
) -> End {
    let mut stride = Stride::new(course.limits.pace, course.start, course.first);
    stride.publish_pace(simulation);
    simulation.set_pacing(stride.pacing(simulation));
    loop {
        if let Some(end) = course.limit(simulation, watch) {
            return end;
        }
        if watch.between_ticks(simulation) {
            stride.restart(simulation);
            course.speed.pause();
        }
        if stride.waits(simulation) {
            if stride.is_held() {
                course.speed.pause();
            }
            if let Some(end) = look_after(simulation, &mut stride, warn) {
                return end;
            }
            continue;
        }
        if !simulation.may_step(MAX_WAIT) {
            match simulation.failure() {
                Some(failure) => return End::Failure(failure),
                None => continue,
            }
        }
        let began = now();
        let stepped = match step(simulation) {
            Ok(stepped) => stepped,
            Err(why) => return End::SimulationFailed(why),
        };
        if let Err(lost) = stepped {
            return simulation
                .failure()
                .map_or(End::LockstepLost(lost), End::Failure);
        }
        let ended = now();
        stride.count(ended);
        course.count(simulation, (began, ended), watch);
        if let Some(end) = look_after(simulation, &mut stride, warn) {
            return end;
        }
        if let Err(failure) = watch.tick(simulation) {
            return End::Failure(failure);
        }
        simulation.set_pacing(stride.pacing(simulation));
        let lost = course.losses.look(simulation);
        if let Some(lost) = lost.filter(|_| course.limits.strict) {
            return End::SimulationFailed(lost);
        }
    }
}

/// Forwards warnings of components and requests of clients to the run. Returns the reason to end, if there is one.
fn look_after(
    simulation: &mut Simulation,
    stride: &mut Stride,
    warn: &mut dyn FnMut(&str),
) -> Option<End> {
    for warning in simulation.take_warnings() {
        warn(&warning);
    }
    let run_requests = simulation.run_requests();
    if run_requests.end {
        return Some(End::Asked);
    }
    stride.heed(&run_requests, simulation);
    if let Some(fault) = simulation.take_fault() {
        return Some(End::SimulationFailed(fault.text));
    }
    simulation.failure().map(End::Failure)
}

/// Pace of simulated time, and its start.
struct Stride {
    pace: Pace,
    start: Instant,
    first: u64,
    /// Wall-clock time that is not caught up with, s.
    lost: f64,
    hold: Hold,
    /// Wall-clock time of the last tick.
    last: Option<Instant>,
    /// True if a client held the simulation at the last check.
    was_held: bool,
    /// Tick of the last check.
    checked: u64,
    intervals: Spread,
    rates: Spread,
}

impl Stride {
    fn new(pace: Pace, start: Instant, first: u64) -> Self {
        Self {
            pace,
            start,
            first,
            lost: 0.0,
            hold: Hold::Off,
            last: None,
            was_held: false,
            checked: first,
            intervals: Spread::default(),
            rates: Spread::default(),
        }
    }

    /// Returns true if it is too early for the next tick, after waiting for some of the time.
    fn waits(&mut self, simulation: &mut Simulation) -> bool {
        match self.hold {
            Hold::After(0) => {
                simulation.rest(MAX_WAIT);
                return true;
            }
            Hold::After(_) => return false,
            Hold::Off => {}
        }
        let Pace::RealTime(factor) = self.pace else {
            return false;
        };
        let (tick, rate) = (simulation.tick(), simulation.clock().rate);
        let was_held = std::mem::replace(&mut self.was_held, simulation.is_held());
        let was_reset = tick < self.checked;
        self.checked = tick;
        if was_reset || (was_held && !self.was_held) {
            // A client has reset the simulation, or released it: no delay has to be caught up with.
            *self = Self::new(self.pace, now(), tick);
        }
        let made = tick - self.first;
        let due = (made + 1) as f64 / rate / factor + self.lost;
        let Some(wait) = wait_until(self.start, due) else {
            let late = self.start.elapsed().as_secs_f64() - due;
            if late > 1.0 / rate / factor && is_fixed(simulation) {
                self.lost += late;
            }
            return false;
        };
        simulation.serve(wait.min(MAX_WAIT));
        true
    }

    /// Returns true if a client holds the simulation.
    fn is_held(&self) -> bool {
        matches!(self.hold, Hold::After(0))
    }

    /// Records a tick.
    fn count(&mut self, now: Instant) {
        if let Hold::After(ticks) = &mut self.hold {
            *ticks = ticks.saturating_sub(1);
        }
        let scale = match self.pace {
            Pace::RealTime(factor) => factor,
            Pace::Max => 1.0,
        };
        let last = self.last.replace(now);
        let seconds = last.map_or(0.0, |last| now.duration_since(last).as_secs_f64());
        if seconds > 0.0 {
            self.intervals.add(seconds * scale);
            self.rates.add(seconds.recip());
        }
    }

    /// Carries out the requests of clients to the run.
    fn heed(&mut self, run_requests: &RunRequests, simulation: &mut Simulation) {
        if run_requests.pace.is_none() && run_requests.hold.is_none() {
            return;
        }
        match run_requests.pace {
            Some(factor) if factor.is_finite() => self.pace = Pace::RealTime(factor),
            Some(_) => self.pace = Pace::Max,
            None => {}
        }
        self.hold = match (self.hold, run_requests.hold) {
            (hold, None) => hold,
            (Hold::After(left), Some(Hold::After(more))) if more > 0 => {
                Hold::After(left.saturating_add(more))
            }
            (_, Some(asked)) => asked,
        };
        // Time that passed at another pace, or while held, is not caught up with.
        self.restart(simulation);
    }

    /// Begins again at the present time, with the same pace.
    fn restart(&mut self, simulation: &mut Simulation) {
        *self = Self {
            hold: self.hold,
            ..Self::new(self.pace, now(), simulation.tick())
        };
        self.publish_pace(simulation);
    }

    /// Publishes the pace to viewers.
    fn publish_pace(&self, simulation: &mut Simulation) {
        let factor = match self.pace {
            Pace::Max => f64::INFINITY,
            Pace::RealTime(factor) => factor,
        };
        simulation.set_pace(self.hold != Hold::Off, factor);
    }

    fn pacing(&self, simulation: &Simulation) -> Pacing {
        let made = simulation.tick().saturating_sub(self.first);
        let simulated = made as f64 / simulation.clock().rate;
        Pacing {
            is_real_time: self.pace != Pace::Max && !simulation.is_held(),
            lag: self.start.elapsed().as_secs_f64() - simulated,
            intervals: self.intervals,
            rates: self.rates,
        }
    }
}

/// Returns the time that is left until `due` (s since the start), if any.
fn wait_until(start: Instant, due: f64) -> Option<Duration> {
    let due = Duration::try_from_secs_f64(due).ok()?;
    let wait = due.checked_sub(start.elapsed())?;
    (!wait.is_zero()).then_some(wait)
}

/// Returns true if ticks keep their minimum distance after a delay, instead of catching up.
fn is_fixed(simulation: &Simulation) -> bool {
    simulation.world().get_resource() == Some(&TimeStrategy::FixedStep)
}

/// Makes one tick. A component that panics, such as a user's sensor, ends the run, which still closes its outputs.
fn step(simulation: &mut Simulation) -> Result<Result<(), LockstepLost>, String> {
    let tick = simulation.tick() + 1;
    // After a panic the simulation is only closed, never stepped again.
    let stepped = std::panic::catch_unwind(AssertUnwindSafe(|| simulation.step()));
    stepped.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let text = text.unwrap_or("it did not say why");
        format!("a part of the simulation panicked in tick {tick}: {text}")
    })
}
