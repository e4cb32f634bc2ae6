//! Threads that share the work of one call.
use std::{
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::stop::SIGNALS;

/// Number of times that a thread looks for work before it sleeps. In between, it leaves its processor to others. A thread that
/// sleeps takes about as long to wake as a small simulation takes for a step.
const MAX_YIELDS: u32 = 1500;

/// Work of one call: calls a function with each index once.
struct Round {
    run: Box<dyn Fn(usize) + Send + Sync>,
    count: usize,
    next: AtomicUsize,
}

impl Round {
    /// Calls the function with the indices that no other thread has taken.
    fn help(&self) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.count {
                return;
            }
            (self.run)(index);
        }
    }
}

/// Threads that help a caller. They end with the pool.
pub(crate) struct Pool(Vec<Sender<Arc<Round>>>);

impl Pool {
    /// Starts the threads for work of `count` parts: one for each processor, less the caller's.
    pub(crate) fn new(count: usize) -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let helpers = 1..count.min(processors);
        Self(helpers.filter_map(|_| helper()).collect())
    }

    /// Calls a function with each number below `count`, on any threads, this one among them. Returns the results in order. Calls
    /// `wait` from time to time while it waits for other threads. `function` must not panic.
    pub(crate) fn map<R: Send + 'static>(
        &self,
        count: usize,
        function: impl Fn(usize) -> R + Send + Sync + 'static,
        wait: impl Fn(),
    ) -> Vec<R> {
        let (sender, results) = bounded(count);
        let run = move |index| {
            sender.send((index, function(index))).ok();
        };
        let round = Arc::new(Round {
            run: Box::new(run),
            count,
            next: AtomicUsize::new(0),
        });
        for helper in &self.0 {
            // One that has not seen the last round yet comes late for this one as well.
            helper.try_send(Arc::clone(&round)).ok();
        }
        round.help();
        let mut all: Vec<Option<R>> = (0..count).map(|_| None).collect();
        while all.iter().any(Option::is_none) {
            watch(&results);
            match results.recv_timeout(SIGNALS) {
                Ok((index, result)) => {
                    if let Some(entry) = all.get_mut(index) {
                        *entry = Some(result);
                    }
                }
                Err(_) => wait(),
            }
        }
        all.into_iter().flatten().collect()
    }
}

/// Starts a thread; `None` if the system has no more.
fn helper() -> Option<Sender<Arc<Round>>> {
    let (sender, rounds) = bounded::<Arc<Round>>(1);
    let help = move || {
        loop {
            watch(&rounds);
            match rounds.recv() {
                Ok(round) => round.help(),
                Err(_ended) => return,
            }
        }
    };
    let thread = thread::Builder::new().name("morse-sim".to_owned());
    thread.spawn(help).ok().map(|_running| sender)
}

/// Returns once there is a message, or after about a tenth of a millisecond.
fn watch<T>(queue: &Receiver<T>) {
    for _ in 0..MAX_YIELDS {
        if !queue.is_empty() {
            return;
        }
        thread::yield_now();
    }
}
