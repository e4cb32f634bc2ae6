//! Tests of a robot's actuators behind objects: vectors of frames, and a credit when one has been executed.
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::lockstep::FRAME;

/// Numbers of executed frames, and of frames without a command.
#[derive(Clone, Default)]
pub(super) struct Frames(Arc<[AtomicU64; 2]>);

impl Frames {
    pub(super) fn played(&self) -> u64 {
        self.0[0].load(Ordering::Relaxed)
    }

    pub(super) fn idle(&self) -> u64 {
        self.0[1].load(Ordering::Relaxed)
    }
}

/// Returns an object with an observer `Effector.Move.vector.O` that executes vectors of frames of 8 ms; the first byte is
/// the number of frames.
pub(super) fn effector(frames: &Frames) -> ObjectInstance {
    let frames = frames.clone();
    let (waiting, arrivals) = {
        let shared = Arc::new(Mutex::new(std::collections::VecDeque::new()));
        (shared.clone(), shared)
    };
    let mut left = 0_u8;
    let object = Scripted::default()
        .start(|context| {
            context.wake_after(FRAME, 0);
            context.assert_ready(0)
        })
        .notify(move |_, event| {
            let mut waiting = arrivals.lock().expect("one thread");
            waiting.extend(event.data.iter().map(|region| region.bytes()[0]));
        })
        .extra(move |context, _| {
            context.wake_after(FRAME, 0);
            let mut waiting = waiting.lock().expect("one thread");
            if left == 0 {
                left = waiting.pop_front().unwrap_or(0);
            }
            frames.0[usize::from(left == 0)].fetch_add(1, Ordering::Relaxed);
            if left > 0 {
                left -= 1;
                if left == 0 {
                    context.assert_ready(0);
                }
            }
        });
    let interface = Interface::new("Effector")
        .observer("Move", "vector")
        .extra("Frame");
    // Highest class: the robot's own components do not wait for objects.
    ObjectInstance::new(interface, object).with_priority(0xf8)
}

/// Returns an object that sends a vector of a number of frames for each credit, and several at the start, after a computing
/// time.
pub(super) fn mover(vector: u8, primed: u8, think: u64, notes: &Notes) -> ObjectInstance {
    let notes = notes.clone();
    let mut is_primed = false;
    let object = Scripted::default().ready(move |context, _| {
        notes.add(context.now().to_string());
        let count = if is_primed { 1 } else { primed };
        if is_primed {
            context.block(think);
        }
        is_primed = true;
        for _ in 0..count {
            context.set_data(0, vec![vector]);
        }
        context.notify_observers(0);
    });
    ObjectInstance::new(Interface::new("Mover").subject("Move", "vector"), object)
}

/// Runs ten seconds; returns the frames, and the times of the credits.
fn play(vector: u8, primed: u8, think: u64) -> (Frames, Vec<u64>) {
    let (frames, notes) = (Frames::default(), Notes::default());
    let mut system = boot(
        vec![effector(&frames), mover(vector, primed, think, &notes)],
        &[join("Mover.Move.vector.S", "Effector.Move.vector.O")],
    );
    system.advance(10_000 * MS);
    let times = notes
        .all()
        .into_iter()
        .map(|time| time.parse().expect("ns"));
    (frames, times.collect())
}

#[test]
fn a_credit_comes_at_the_end_of_each_vector() {
    for vector in [4_u8, 16] {
        let (frames, times) = play(vector, 2, 0);
        assert_eq!((frames.played(), frames.idle()), (1250, 0));
        let period = u64::from(vector) * FRAME;
        assert!(
            times[1..]
                .windows(2)
                .all(|pair| pair[1] - pair[0] == period)
        );
    }
}

#[test]
fn one_vector_ahead_is_not_enough_for_who_thinks() {
    let (frames, _) = play(4, 1, 32 * MS);
    // Four frames of motion, and four of computation.
    assert_eq!(frames.played() + frames.idle(), 1250);
    assert!((620..=630).contains(&frames.idle()), "{}", frames.idle());
    let (frames, _) = play(4, 2, 24 * MS);
    assert_eq!(frames.idle(), 0);
}
