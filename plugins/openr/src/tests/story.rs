//! Test of a motivating example: waiting for the wireless network delays vision and motion, unless it is done in a separate
//! object.
use super::{robot::Frames, *};

const SECOND: u64 = 1000 * MS;
const MINUTE: u64 = 60 * SECOND;

/// Returns a camera with 30 images per second.
fn camera() -> ObjectInstance {
    let mut number = 0_u64;
    let object = Scripted::default()
        .start(|context| {
            context.wake_after(SECOND / 30, 0);
            Status::SUCCESS
        })
        .extra(move |context, _| {
            number += 1;
            if number < 1800 {
                let next = SECOND * (number + 1) / 30;
                context.wake_after(next - context.now(), 0);
            }
            context.set_data(0, number.to_le_bytes().to_vec());
            context.notify_observers(0);
        });
    let interface = Interface::new("Camera")
        .subject("Image", "px")
        .extra("Clock");
    ObjectInstance::new(interface, object).with_priority(0xf8)
}

/// Returns an object that processes images, moves and communicates, according to its services.
fn player(name: &str, sees: bool, moves: bool, speaks: bool, notes: &Notes) -> ObjectInstance {
    let notes = notes.clone();
    let mut is_primed = false;
    let object = Scripted::default()
        .start(move |context| {
            if speaks {
                // Between two images.
                context.wake_after(SECOND / 2 + 10 * MS, 0);
            }
            context.assert_ready_to_all()
        })
        .notify(move |context, _| {
            notes.add("image");
            context.assert_ready(0);
        })
        .ready(move |context, _| {
            let count = if std::mem::replace(&mut is_primed, true) {
                1
            } else {
                2
            };
            for _ in 0..count {
                context.set_data(0, vec![4]);
            }
            context.notify_observers(0);
        })
        .extra(|context, _| {
            context.wake_after(SECOND, 0);
            context.block(SECOND / 2);
        });
    let mut interface = Interface::new(name).extra("Radio");
    if sees {
        interface = interface.observer("Image", "px");
    }
    if moves {
        interface = interface.subject("Move", "vector");
    }
    ObjectInstance::new(interface, object)
}

/// Runs a minute; returns the number of processed images and of idle frames of the joints.
fn minute(players: Vec<ObjectInstance>, sees: &str, moves: &str) -> (usize, u64, Notes, Lockstep) {
    let frames = Frames::default();
    let notes = Notes::default();
    let objects = [camera(), robot::effector(&frames)].into_iter();
    let connections = [
        join("Camera.Image.px.S", &format!("{sees}.Image.px.O")),
        join(&format!("{moves}.Move.vector.S"), "Effector.Move.vector.O"),
    ];
    let mut system = boot(objects.chain(players).collect(), &connections);
    system.advance(MINUTE);
    let link = system.report().links[0].counters;
    (link.delivered as usize, frames.idle(), notes, system)
}

#[test]
fn one_object_that_waits_for_the_radio_neither_sees_nor_moves() {
    let notes = Notes::default();
    let all = player("All", true, true, true, &notes);
    let (seen, idle, _, system) = minute(vec![all], "All", "All");
    // Half of each second is lost: of 15 images the first and the last survive.
    assert!((990..=1050).contains(&seen), "{seen} images");
    let report = system.report();
    let (lost, waits) = (report.links[0].counters.dropped, report.links[0].queued);
    assert_eq!(seen as u64 + lost + waits as u64, 1800);
    // When the wait begins, between one and two vectors of 32 ms are still queued; then there are none.
    let idle_ms = idle * 8 / 60;
    assert!(
        (500 - 64..=500 - 32 + 8).contains(&idle_ms),
        "{idle_ms} ms a second"
    );
}

#[test]
fn split_objects_see_and_move_while_one_waits() {
    let notes = Notes::default();
    let players = vec![
        player("Eye", true, false, false, &notes),
        player("Legs", false, true, false, &notes).with_priority(0x98),
        player("Radio", false, false, true, &notes),
    ];
    let (seen, idle, _, system) = minute(players, "Eye", "Legs");
    assert_eq!((seen, notes.count("image")), (1800, 1800));
    assert_eq!(idle, 0);
    let report = system.report();
    let radio = report
        .objects
        .iter()
        .find(|object| object.object == "Radio");
    let waited = radio.expect("the radio").handler_seconds;
    assert!((29.5..=30.0).contains(&waited), "{waited}");
}
