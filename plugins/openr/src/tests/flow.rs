//! Tests of credits, buffers, regions and limits in complete systems.
use super::*;
use crate::{link::MOST_DATA, lockstep::MAILBOX};

#[test]
fn two_texts_take_three_credits() {
    let notes = Notes::default();
    let (at_subject, at_observer) = (notes.clone(), notes.clone());
    let mut texts = ["Hello, observer", "Hello again"].into_iter();
    let subject = Scripted::default().ready(move |context, event| {
        at_subject.add(if event.is_assert { "ready" } else { "unready" });
        if let Some(text) = texts.next() {
            context.set_data(0, text);
            context.notify_observers(0);
        }
    });
    let observer = Scripted::default().notify(move |context, event| {
        at_observer.add(event.data[0].text());
        context.assert_ready(0);
    });
    let mut system = boot(
        vec![
            ObjectInstance::new(Interface::new("A").subject("Say", "char"), subject),
            ObjectInstance::new(Interface::new("B").observer("Say", "char"), observer),
        ],
        &[join("A.Say.char.S", "B.Say.char.O")],
    );
    system.advance(8 * MS);
    let expected = ["ready", "Hello, observer", "ready", "Hello again", "ready"];
    assert_eq!(notes.all(), expected);
    let link = system.report().links[0].counters;
    assert_eq!((link.ready, link.sent, link.delivered), (3, 2, 2));
}

#[test]
fn several_subjects_and_observers_have_a_credit_a_link() {
    let notes = Notes::default();
    let subject = |name: &str| {
        let own = notes.clone();
        let text = name.to_owned();
        let object = Scripted::default().ready(move |context, _| {
            own.add(format!("ready {text}"));
            context.set_data(0, vec![0]);
            context.notify_observers(0);
        });
        ObjectInstance::new(Interface::new(name).subject("Out", "d"), object)
    };
    let (one, two, three) = (Notes::default(), Notes::default(), Notes::default());
    let mut system = boot(
        vec![
            subject("S1"),
            subject("S2"),
            sink("O1", &one, false),
            sink("O2", &two, false),
            sink("O3", &three, false),
        ],
        &[
            join("S1.Out.d.S", "O1.In.d.O"),
            join("S1.Out.d.S", "O2.In.d.O"),
            join("S1.Out.d.S", "O3.In.d.O"),
            join("S2.Out.d.S", "O3.In.d.O"),
        ],
    );
    system.advance(100 * MS);
    assert_eq!((notes.count("ready S1"), notes.count("ready S2")), (3, 1));
    let deliveries = [&one, &two, &three].map(|notes| notes.all().len());
    assert_eq!(deliveries, [1, 1, 2]);
}

#[test]
fn who_is_not_ready_again_gets_one_message_of_a_hundred() {
    for (again, least, most) in [(false, 1, 1), (true, 99, 100)] {
        let notes = Notes::default();
        let mut system = boot(
            vec![source(8 * MS, 100), sink("Sink", &notes, again)],
            &[join("Source.Out.d.S", "Sink.In.d.O")],
        );
        system.advance(1000 * MS);
        let count = notes.all().len();
        assert!((least..=most).contains(&count), "{again}: {count}");
    }
}

/// Returns the data that reach an observer that is ready twice, after 25 were sent.
fn late(buffering: Buffering, deassert: bool) -> Vec<String> {
    let notes = Notes::default();
    let seen = notes.clone();
    let observer = Scripted::default()
        .init(move |context| context.set_buffering(0, buffering))
        .start(move |context| {
            if deassert {
                context.deassert_ready(0);
            }
            context.wake_after(300 * MS, 0);
            Status::SUCCESS
        })
        .extra(|context, _| {
            context.assert_ready(0);
        })
        .notify(move |context, event| {
            let numbers: Vec<String> = event
                .data
                .iter()
                .map(|region| region.bytes()[0].to_string())
                .collect();
            seen.add(numbers.join(" "));
            context.assert_ready(0);
        });
    let interface = Interface::new("Late").observer("In", "d").extra("Clock");
    let mut system = boot(
        vec![source(8 * MS, 25), ObjectInstance::new(interface, observer)],
        &[join("Source.Out.d.S", "Late.In.d.O")],
    );
    system.advance(500 * MS);
    notes.all()
}

#[test]
fn what_waits_for_a_late_observer_is_what_it_asked_for() {
    assert_eq!(late(Buffering::default(), false), ["25"]);
    let twenty = Buffering {
        skip: 0,
        min: 1,
        max: 20,
    };
    let list = |range: std::ops::RangeInclusive<u8>| {
        let numbers: Vec<String> = range.map(|number| number.to_string()).collect();
        numbers.join(" ")
    };
    assert_eq!(late(twenty, false), [list(6..=18), list(19..=25)]);
    assert!(late(twenty, true).is_empty());
    assert_eq!(MOST_DATA, 13);
}

#[test]
fn the_message_after_a_full_mailbox_is_refused_and_counted() {
    let notes = Notes::default();
    let statuses = notes.clone();
    // It declares itself ready repeatedly, without data to receive.
    let eager = Scripted::default().start(move |context| {
        for _ in 0..=MAILBOX {
            statuses.add(context.assert_ready(0).to_string());
        }
        Status::SUCCESS
    });
    let busy = Scripted::default().start(|context| {
        context.block(100 * MS);
        Status::SUCCESS
    });
    let mut system = boot(
        vec![
            ObjectInstance::new(Interface::new("Busy").subject("Out", "d"), busy),
            ObjectInstance::new(Interface::new("Eager").observer("In", "d"), eager),
        ],
        &[join("Busy.Out.d.S", "Eager.In.d.O")],
    );
    system.advance(50 * MS);
    assert_eq!(notes.count("SUCCESS (0)"), MAILBOX);
    assert_eq!(notes.count("FULL_OF_QUEUE (10)"), 1);
    let report = system.report();
    assert_eq!(
        (report.objects[0].overflows, report.objects[0].queue),
        (1, MAILBOX)
    );
    let log = system.take_log();
    assert!(
        log.iter()
            .any(|line| line.object == "Busy" && line.text.contains("full"))
    );
    system.advance(200 * MS);
    assert_eq!(system.report().links[0].counters.ready, MAILBOX as u64);
}

#[test]
fn a_region_is_written_when_all_observers_have_given_it_back() {
    let notes = Notes::default();
    let own = notes.clone();
    let mut region = Region::new(8);
    let mut is_sent = false;
    let subject = Scripted::default().ready(move |context, _| {
        if context.is_all_ready(0) && !is_sent {
            is_sent = true;
            context.set_region(0, &region);
            own.add(format!("set: {}", region.number_of_references()));
            own.add(format!("write: {}", region.write().is_ok()));
            context.notify_observers(0);
        } else if is_sent {
            own.add(format!("back: {}", region.number_of_references()));
            own.add(format!("write: {}", region.write().is_ok()));
        }
    });
    let observer = |name: &str, keeps: bool| {
        let mut kept = Vec::new();
        let object = Scripted::default()
            .notify(move |context, event| {
                if keeps {
                    kept.push(event.data[0].clone());
                }
                // Ready again some time after the message.
                context.wake_after(8 * MS, 0);
            })
            .extra(|context, _| {
                context.assert_ready(0);
            });
        ObjectInstance::new(
            Interface::new(name).observer("In", "d").extra("Clock"),
            object,
        )
    };
    let mut system = boot(
        vec![
            ObjectInstance::new(Interface::new("S").subject("Out", "d"), subject),
            observer("A", false),
            observer("B", false),
            observer("C", true),
        ],
        &["A", "B", "C"].map(|name| join("S.Out.d.S", &format!("{name}.In.d.O"))),
    );
    system.advance(100 * MS);
    let notes = notes.all();
    // One reference for each observer's entry, and one of the owner.
    assert_eq!(&notes[..2], ["set: 4", "write: false"]);
    assert_eq!(notes.last().map(String::as_str), Some("write: false"));
    assert_eq!(notes[notes.len() - 2], "back: 2", "C keeps one: {notes:?}");
}

#[test]
fn a_region_that_nobody_keeps_comes_back() {
    let notes = Notes::default();
    let own = notes.clone();
    let mut region = Region::new(8);
    let mut readies = 0;
    let subject = Scripted::default().ready(move |context, _| {
        readies += 1;
        if readies == 3 {
            context.set_region(0, &region);
            context.notify_observers(0);
        }
        own.add(format!(
            "{} {}",
            region.number_of_references(),
            region.write().is_ok()
        ));
    });
    let sinks = ["A", "B", "C"].map(|name| sink(name, &Notes::default(), true));
    let subjects = [ObjectInstance::new(
        Interface::new("S").subject("Out", "d"),
        subject,
    )];
    let mut system = boot(
        subjects.into_iter().chain(sinks).collect(),
        &["A", "B", "C"].map(|name| join("S.Out.d.S", &format!("{name}.In.d.O"))),
    );
    system.advance(8 * MS);
    let notes = notes.all();
    assert_eq!(notes.len(), 6);
    assert_eq!(
        (notes[2].as_str(), notes[5].as_str()),
        ("4 false", "1 true")
    );
}

#[test]
fn an_object_may_be_joined_to_itself_and_connections_end() {
    let notes = Notes::default();
    let seen = notes.clone();
    let echo = Scripted::default()
        .ready(|context, _| {
            context.set_data(0, vec![1]);
            context.notify_observers(0);
        })
        .notify(move |context, event| {
            seen.add(event.data.len().to_string());
            context.wake_after(8 * MS, 0);
        })
        .extra(|context, _| {
            context.assert_ready(0);
        });
    let interface = Interface::new("Echo")
        .subject("Out", "d")
        .observer("In", "d")
        .extra("Clock");
    let itself = join("Echo.Out.d.S", "Echo.In.d.O");
    let mut system = boot(
        vec![ObjectInstance::new(interface, echo)],
        std::slice::from_ref(&itself),
    );
    system.advance(84 * MS);
    assert_eq!(notes.all().len(), 11);
    assert!(system.disconnect(&itself));
    assert!(!system.disconnect(&itself));
    system.advance(184 * MS);
    assert_eq!(notes.all().len(), 11);
    assert_eq!(system.take_warnings().len(), 1);
}

#[test]
fn sync_keys_are_shared_by_all_objects() {
    let notes = Notes::default();
    let object = |name: &str| {
        let own = notes.clone();
        let object = Scripted::default().start(move |context| {
            for _ in 0..5 {
                let status = context.new_sync_key().err().unwrap_or(Status::SUCCESS);
                own.add(status.to_string());
            }
            Status::SUCCESS
        });
        ObjectInstance::new(Interface::new(name), object)
    };
    boot(vec![object("A"), object("B")], &[]).advance(0);
    assert_eq!(notes.count("SUCCESS (0)"), 8);
    assert_eq!(notes.count("NO_SYNC_KEY (4106)"), 2);
}
