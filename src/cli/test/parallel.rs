//! Runs all cases of a test, several at the same time.
use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::{
    Case, Context,
    attempt::{Attempt, attempt},
};

/// Stack size of a run, bytes: the usual size of the main thread's stack.
const STACK: usize = 8 << 20;

/// Something that happens while all cases are run.
pub(crate) enum Event<'c> {
    /// The result of the next case, in the order of the cases.
    Result(&'c Case<'c>, Box<Attempt>),
    /// All results are known, but a run does not end although its time is up.
    Stuck,
}

/// The result of a case, by its index.
enum Sent {
    /// The case has ended.
    Ended(usize, Attempt),
    /// Its time is up, and it does not end: its thread is lost.
    CutOff(usize, Attempt),
}

/// Runs all cases, in a number of threads. After [`Event::Stuck`] it returns only when the last run ends.
pub(crate) fn run_all<'c>(
    context: &Context<'_>,
    cases: &'c [Case<'c>],
    jobs: usize,
    take: &mut dyn FnMut(Event<'c>),
) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = bounded(jobs);
    let work = |sender: &Sender<Sent>| {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(index) else {
                return;
            };
            let cut_off = sender.clone();
            let attempt = attempt(case, context, move |attempt| {
                // Nobody receives it once all results are known.
                cut_off.send(Sent::CutOff(index, attempt)).ok();
            });
            if sender.send(Sent::Ended(index, attempt)).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        let start = |number: usize| {
            let (work, sender) = (&work, sender.clone());
            let thread = thread::Builder::new()
                .name(format!("test {number}"))
                .stack_size(STACK);
            thread.spawn_scoped(scope, move || work(&sender)).is_ok()
        };
        // Fewer threads than requested are sufficient.
        let threads = (0..jobs.min(cases.len())).filter(|number| start(*number));
        if threads.count() == 0 {
            for case in cases {
                let attempt = attempt(case, context, |_| {});
                take(Event::Result(case, Box::new(attempt)));
            }
            return;
        }
        if receive(cases, &receiver, &start, take) > 0 {
            take(Event::Stuck);
        }
        // Threads that are late find no receiver.
        drop(receiver);
    });
}

/// Receives the results of all cases, and returns the number of runs that do not end. `start` replaces their threads.
fn receive<'c>(
    cases: &'c [Case<'c>],
    receiver: &Receiver<Sent>,
    start: &dyn Fn(usize) -> bool,
    take: &mut dyn FnMut(Event<'c>),
) -> usize {
    let mut stuck = Vec::new();
    let mut waiting = BTreeMap::new();
    let mut reported = 0;
    while let Some(case) = cases.get(reported) {
        if let Some(attempt) = waiting.remove(&reported) {
            take(Event::Result(case, Box::new(attempt)));
            reported += 1;
            continue;
        }
        match receiver.recv() {
            Ok(Sent::Ended(index, _)) if stuck.contains(&index) => {
                stuck.retain(|stuck| *stuck != index);
            }
            Ok(Sent::Ended(index, attempt)) => {
                waiting.insert(index, attempt);
            }
            Ok(Sent::CutOff(index, attempt)) => {
                waiting.insert(index, attempt);
                stuck.push(index);
                start(cases.len() + stuck.len());
            }
            Err(_) => break,
        }
    }
    stuck.len()
}
