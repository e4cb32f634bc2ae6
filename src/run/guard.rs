//! Ends a program in time if the run does not end itself: while files are read, and within a long tick.
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread::{Builder, JoinHandle},
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::clock::Stopwatch;

/// Interval between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Time for the current tick after the run has to end.
const GRACE: Duration = Duration::from_secs(1);
/// Time for the outputs after the run has ended.
const CLOSING: Duration = Duration::from_secs(10);

/// Stage of a program that runs a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Files are read, and the world is built.
    Loading,
    /// Ticks are made; the number of ticks so far.
    Ticking(u64),
    /// Outputs are closed.
    Closing,
}

/// The stage, shared by two threads.
#[derive(Clone, Default)]
pub(crate) struct SharedStage(Arc<AtomicU64>);

impl SharedStage {
    /// Sets the stage.
    pub(crate) fn set(&self, stage: Stage) {
        let number = match stage {
            Stage::Loading => 0,
            Stage::Ticking(tick) => tick.saturating_add(1).min(u64::MAX - 1),
            Stage::Closing => u64::MAX,
        };
        self.0.store(number, Ordering::Relaxed);
    }

    fn get(&self) -> Stage {
        match self.0.load(Ordering::Relaxed) {
            0 => Stage::Loading,
            u64::MAX => Stage::Closing,
            number => Stage::Ticking(number - 1),
        }
    }
}

/// Reason why a program has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// A signal with this number has arrived.
    Signal(usize),
    /// The time is up.
    Timeout(Duration),
}

/// A thread that ends the program when it is due and the run does not end. It is joined when the guard is dropped.
pub(crate) struct Guard {
    /// Stage of the program.
    pub(crate) stage: SharedStage,
    start: Stopwatch,
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Guard {
    /// Starts the thread. `cut_off` ends the program, and reports why.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub(crate) fn start(
        signal: Arc<AtomicUsize>,
        timeout: Option<Duration>,
        cut_off: impl Fn(Due, Stage) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (end, ended) = bounded(0);
        let (stage, start) = (SharedStage::default(), Stopwatch::start());
        let seen = stage.clone();
        let is_due = move || match signal.load(Ordering::Relaxed) {
            0 => {
                let timeout = timeout.filter(|timeout| start.elapsed() >= *timeout);
                timeout.map(Due::Timeout)
            }
            number => Some(Due::Signal(number)),
        };
        let work = move || watch(&ended, is_due, &seen, cut_off);
        let thread = Builder::new().name("guard".to_owned()).spawn(work)?;
        Ok(Self {
            stage,
            start,
            end: Some(end),
            thread: Some(thread),
        })
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            // The thread returns nothing.
            thread.join().ok();
        }
    }
}

fn watch(
    ended: &Receiver<()>,
    is_due: impl Fn() -> Option<Due>,
    stage: &SharedStage,
    cut_off: impl Fn(Due, Stage),
) {
    // Stage and time in which the end became due.
    let mut since: Option<(Stage, Stopwatch)> = None;
    while ended.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        let Some(due) = is_due() else {
            continue;
        };
        let now_at = stage.get();
        let begun = match since {
            Some((Stage::Ticking(_), begun)) if now_at != Stage::Closing => begun,
            Some((at, begun)) if at == now_at => begun,
            _ => Stopwatch::start(),
        };
        since = Some((now_at, begun));
        let patience = match now_at {
            Stage::Loading => Duration::ZERO,
            Stage::Ticking(_) => GRACE,
            Stage::Closing => CLOSING,
        };
        if begun.elapsed() >= patience {
            cut_off(due, now_at);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(signal: usize, timeout: Option<Duration>) -> (Guard, Receiver<(Due, Stage)>) {
        let (sender, receiver) = bounded(1);
        let signal = Arc::new(AtomicUsize::new(signal));
        let cut_off = move |due, stage| sender.send((due, stage)).unwrap();
        (Guard::start(signal, timeout, cut_off).unwrap(), receiver)
    }

    #[test]
    fn a_program_is_cut_off_where_it_does_not_end_itself() {
        let long = Duration::from_secs(60);
        let (_guard, said) = guard(15, None);
        let expected = (Due::Signal(15), Stage::Loading);
        assert_eq!(said.recv_timeout(long), Ok(expected));
        let (guarded, said) = guard(0, Some(Duration::ZERO));
        guarded.stage.set(Stage::Ticking(16));
        let cut = said.recv_timeout(long).unwrap();
        assert_eq!(cut.0, Due::Timeout(Duration::ZERO));
    }

    #[test]
    fn a_run_that_ends_is_left_alone() {
        let (guarded, said) = guard(0, Some(Duration::from_secs(3600)));
        guarded.stage.set(Stage::Closing);
        drop(guarded);
        assert!(
            said.recv().is_err(),
            "the thread has ended, and said nothing"
        );
    }
}
