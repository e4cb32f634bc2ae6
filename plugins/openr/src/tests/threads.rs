//! Tests of objects in threads, in real time.
use std::time::Duration;

use super::*;
use crate::{object_runner::Cause, threaded::Threaded};

/// Waits until a condition is true; fails the test after a timeout.
fn wait(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..2000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{what}");
}

fn threads(objects: Vec<ObjectInstance>, connections: &[Connection], rules: Rules) -> Threaded {
    Threaded::boot(objects, connections, rules).expect("threads")
}

#[test]
fn credits_go_and_come_between_threads() {
    let notes = Notes::default();
    let mut system = threads(
        vec![source(MS, 40), sink("Sink", &notes, true)],
        &[join("Source.Out.d.S", "Sink.In.d.O")],
        Rules::default(),
    );
    wait("the last number", || notes.count("40") == 1);
    system.shut_down();
    let report = system.report();
    let link = report.links[0].counters;
    assert_eq!(link.set, 40);
    assert_eq!(link.delivered, notes.all().len() as u64);
    assert_eq!(link.delivered + link.dropped, 40);
    assert!(report.objects[1].handled >= 20, "{report}");
    assert!(system.take_faults().is_empty());
}

#[test]
fn who_hangs_or_panics_is_named_and_others_go_on() {
    let notes = Notes::default();
    let hung = Scripted::default().notify(|context, _| context.block(20_000 * MS));
    let bad = Scripted::default().notify(|_, _| panic!("enough"));
    let instance =
        |name: &str, object| ObjectInstance::new(Interface::new(name).observer("In", "d"), object);
    let mut system = threads(
        vec![
            instance("Hung", hung),
            instance("Bad", bad),
            source(MS, 100),
            sink("Sink", &notes, true),
        ],
        &["Hung", "Bad", "Sink"].map(|name| join("Source.Out.d.S", &format!("{name}.In.d.O"))),
        Rules {
            handler_bound: 100 * MS,
            ..Rules::default()
        },
    );
    wait("the last number", || notes.count("100") == 1);
    wait("the one that hangs", || {
        system.watch();
        let objects = system.report().objects;
        objects[0].fault.is_some()
    });
    system.shut_down();
    let mut faults = system.take_faults();
    faults.sort_by(|one, other| one.object.cmp(&other.object));
    let names: Vec<&str> = faults.iter().map(|fault| fault.object.as_str()).collect();
    assert_eq!(names, ["Bad", "Hung"]);
    assert_eq!(faults[0].cause, Cause::Panic("enough".to_owned()));
    assert!(
        matches!(faults[1].cause, Cause::Hang { .. }),
        "{}",
        faults[1]
    );
    assert_eq!(faults[1].entry, "notify In");
}

#[test]
fn a_full_mailbox_refuses_between_threads() {
    let notes = Notes::default();
    let statuses = notes.clone();
    let eager = Scripted::default().start(move |context| {
        for _ in 0..40 {
            statuses.add(context.assert_ready(0).to_string());
        }
        Status::SUCCESS
    });
    let busy = Scripted::default().start(|context| {
        context.block(500 * MS);
        Status::SUCCESS
    });
    let system = threads(
        vec![
            ObjectInstance::new(Interface::new("Busy").subject("Out", "d"), busy),
            ObjectInstance::new(Interface::new("Eager").observer("In", "d"), eager),
        ],
        &[join("Busy.Out.d.S", "Eager.In.d.O")],
        Rules::default(),
    );
    wait("all answers", || notes.all().len() == 40);
    let refused = notes.count("FULL_OF_QUEUE (10)");
    assert_eq!(refused, 8);
    assert_eq!(system.report().objects[0].overflows, 8);
}
