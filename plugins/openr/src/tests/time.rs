//! Tests of the order in which objects run: classes, shares, arrival; and of its reproducibility.
use super::*;
use crate::{lockstep::Traced, service::Selector};

/// Returns an object that works periodically, with a cost and a period in ns.
fn worker(name: &str, priority: u8, period: u64, cost: u64, notes: &Notes) -> ObjectInstance {
    let (notes, own) = (notes.clone(), name.to_owned());
    let object = Scripted::default()
        .start(|context| {
            context.wake_after(0, 0);
            Status::SUCCESS
        })
        .extra(move |context, _| {
            context.wake_after(period, 0);
            context.spend(cost);
            notes.add(own.clone());
        });
    ObjectInstance::new(Interface::new(name).extra("Clock"), object).with_priority(priority)
}

#[test]
fn a_higher_class_runs_at_once_while_a_lower_one_is_busy() {
    let notes = Notes::default();
    let mut system = boot(
        vec![
            worker("Low", 128, 40 * MS, 20 * MS, &notes),
            worker("High", 144, 8 * MS, MS, &notes),
        ],
        &[],
    );
    system.keep_trace();
    system.advance(400 * MS);
    let starts = |name: &str| {
        let own = |line: &&Traced| line.object == name && line.selector == Selector::Extra(0);
        let times = system.trace().iter().filter(own).map(|line| line.at);
        times.collect::<Vec<_>>()
    };
    let high: Vec<u64> = (0..=50).map(|number| number * 8 * MS).collect();
    assert_eq!(starts("High"), high);
    let low = starts("Low");
    assert_eq!((low[0], low[1]), (MS, 41 * MS));
}

#[test]
fn equals_share_the_processor_by_their_low_digit() {
    let notes = Notes::default();
    let mut system = boot(
        vec![
            worker("Two", 0x82, MS, 4 * MS, &notes),
            worker("Six", 0x86, MS, 4 * MS, &notes),
        ],
        &[],
    );
    system.advance(8000 * MS);
    let (two, six) = (notes.count("Two"), notes.count("Six"));
    assert!(
        (498..=502).contains(&two) && (1498..=1502).contains(&six),
        "{two} {six}"
    );
}

#[test]
fn what_is_sent_during_a_handler_leaves_when_its_time_has_passed() {
    let notes = Notes::default();
    let own = notes.clone();
    let sender = Scripted::default()
        .start(|context| {
            context.wake_after(100 * MS, 0);
            Status::SUCCESS
        })
        .extra(|context, _| {
            context.spend(3 * MS);
            context.set_data(0, vec![1]);
            context.notify_observers(0);
            context.block(50 * MS);
        });
    let receiver = Scripted::default().notify(move |context, _| {
        own.add(context.now().to_string());
    });
    let interface = Interface::new("S").subject("Out", "d").extra("Clock");
    let mut system = boot(
        vec![
            ObjectInstance::new(interface, sender).with_cost(2 * MS),
            ObjectInstance::new(Interface::new("O").observer("In", "d"), receiver),
        ],
        &[join("S.Out.d.S", "O.In.d.O")],
    );
    system.advance(106 * MS);
    assert!(notes.all().is_empty());
    // It started until 2 ms, woke at 102 ms, and sends after 2 ms per handler and 3 ms for this one.
    system.advance(200 * MS);
    assert_eq!(notes.all(), [(107 * MS).to_string()]);
}

/// Returns the hash of a run with delays, classes and full buffers, in steps of a duration in ns.
fn hash(step: u64, cost: u64) -> u64 {
    let notes = Notes::default();
    let mut objects = vec![
        source(3 * MS, 200),
        worker("Busy", 0x84, 10 * MS, cost, &notes),
    ];
    let names: Vec<String> = (0..20).map(|number| format!("Sink{number}")).collect();
    objects.extend(names.iter().enumerate().map(|(number, name)| {
        let instance = sink(name, &notes, number % 3 != 0);
        instance
            .with_priority(0x80 + number as u8)
            .with_cost(100_000)
    }));
    let connections: Vec<Connection> = names
        .iter()
        .map(|name| join("Source.Out.d.S", &format!("{name}.In.d.O")))
        .collect();
    let mut system = boot(objects, &connections);
    for number in 1..=1000 * MS / step {
        system.advance(number * step);
    }
    system.advance(1000 * MS);
    system.message_hash()
}

#[test]
fn a_run_is_the_same_each_time_and_however_time_is_cut() {
    let first = hash(8 * MS, 4 * MS);
    assert_eq!(first, hash(8 * MS, 4 * MS));
    assert_eq!(first, hash(5_555_555, 4 * MS));
    assert_ne!(first, hash(8 * MS, 5 * MS));
    let threads: Vec<_> = (0..8)
        .map(|_| std::thread::Builder::new().spawn(|| hash(8 * MS, 4 * MS)))
        .collect();
    for thread in threads {
        let hash = thread.expect("a thread").join().expect("no panic");
        assert_eq!(first, hash);
    }
}
