//! Tests of objects that panic, hang or livelock: reported, and contained.
use super::*;
use crate::object_runner::{Cause, FaultPolicy};

/// Runs a faulty object next to a source and a sink; returns the number of data that reach the sink in a second, and the
/// faults.
fn beside(bad: Scripted, rules: Rules) -> (usize, Vec<crate::object_runner::Fault>) {
    let notes = Notes::default();
    let interface = Interface::new("Bad").observer("In", "d").extra("Clock");
    let objects = vec![
        ObjectInstance::new(interface, bad),
        source(10 * MS, 100),
        sink("Sink", &notes, true),
    ];
    let connections = [
        join("Source.Out.d.S", "Bad.In.d.O"),
        join("Source.Out.d.S", "Sink.In.d.O"),
    ];
    let mut system = Lockstep::boot(objects, &connections, rules);
    system.advance(1000 * MS);
    system.shut_down();
    (notes.all().len(), system.take_faults())
}

#[test]
fn a_panic_ends_the_object_or_all() {
    let bad = || {
        let mut count = 0;
        Scripted::default().notify(move |context, _| {
            count += 1;
            assert!(count < 3, "the third is too much");
            context.assert_ready(0);
        })
    };
    let (delivered, faults) = beside(bad(), Rules::default());
    assert_eq!((delivered, faults.len()), (100, 1));
    let text = faults[0].to_string();
    assert_eq!(
        text,
        "`Bad`, entry 5 (notify In), at 0.020 s: panicked: the third is too much"
    );
    let rules = Rules {
        policy: FaultPolicy::All,
        ..Rules::default()
    };
    let (delivered, faults) = beside(bad(), rules);
    assert!((2..=3).contains(&delivered), "{delivered}");
    assert_eq!(faults.len(), 1);
}

#[test]
fn a_handler_that_takes_too_long_ends_the_object() {
    let bad = Scripted::default().notify(|context, _| context.spend(30_000 * MS));
    let (delivered, faults) = beside(bad, Rules::default());
    assert_eq!(delivered, 100);
    let expected = Cause::Hang {
        took: 30_000 * MS,
        bound: 10_000 * MS,
    };
    assert_eq!(faults[0].cause, expected);
    assert!(
        faults[0].to_string().contains("hangs: 30.000 s"),
        "{}",
        faults[0]
    );
}

#[test]
fn messages_without_end_in_no_time_end_the_object() {
    let bad = Scripted::default()
        .start(|context| {
            context.wake_after(0, 0);
            Status::SUCCESS
        })
        .extra(|context, _| context.wake_after(0, 0));
    let (delivered, faults) = beside(bad, Rules::default());
    assert_eq!(delivered, 100);
    assert_eq!(faults[0].cause, Cause::Livelock(100_000));
}

#[test]
fn a_status_at_the_start_is_a_fault() {
    let bad = Scripted::default().start(|_| Status(9));
    let (delivered, faults) = beside(bad, Rules::default());
    assert_eq!(
        (delivered, faults[0].cause.clone()),
        (100, Cause::Status(Status(9)))
    );
}
