//! Benchmark: a thousand objects with five thousand links at 125 Hz, for ten seconds on one core: `cargo run --release -p
//! morse_openr --example thousand_objects`.
use std::time::Instant;

use morse_openr::{
    lockstep::{FRAME, Lockstep, Rules},
    prelude::*,
    service::ServiceName,
};

const OBJECTS: usize = 1000;
const LINKS_EACH: usize = 5;
const SECONDS: u64 = 10;

/// Sends 64 bytes in each frame, and receives data.
struct Node;

impl Object for Node {
    fn do_start(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        context.wake_after(FRAME, 0);
        context.assert_ready(0)
    }

    fn notify(&mut self, context: &mut Context<'_>, event: &NotifyEvent) {
        context.assert_ready_to(event.observer, event.sender);
    }

    fn extra(&mut self, context: &mut Context<'_>, _: usize, _: &Payload) {
        context.wake_after(FRAME, 0);
        context.set_data(0, vec![7; 64]);
        context.notify_observers(0);
    }
}

fn name(object: usize, side: char) -> ServiceName {
    let service = if side == 'S' { "Out" } else { "In" };
    let name = format!("N{object}.{service}.d.{side}");
    name.parse()
        .unwrap_or_else(|why| panic!("a service's name: {why}"))
}

#[expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "it measures, and says what"
)]
fn main() {
    let node = |number: usize| {
        let interface = Interface::new(&format!("N{number}"));
        let interface = interface.subject("Out", "d").observer("In", "d");
        ObjectInstance::new(interface.extra("Frame"), Node)
    };
    let connections: Vec<_> = (0..OBJECTS)
        .flat_map(|from| {
            (1..=LINKS_EACH).map(move |step| {
                let to = (from + step * 37) % OBJECTS;
                (name(from, 'S'), name(to, 'O'))
            })
        })
        .collect();
    let mut system = Lockstep::boot(
        (0..OBJECTS).map(node).collect(),
        &connections,
        Rules::default(),
    );
    let begin = Instant::now();
    for frame in 1..=SECONDS * 125 {
        system.advance(frame * FRAME);
    }
    let seconds = begin.elapsed().as_secs_f64();
    let report = system.report();
    let handled: u64 = report.objects.iter().map(|object| object.handled).sum();
    let delivered: u64 = report
        .links
        .iter()
        .map(|link| link.counters.delivered)
        .sum();
    println!(
        "{OBJECTS} objects, {} links: {SECONDS} s in {seconds:.2} s, {:.1} times real time; {delivered} data delivered, \
         {handled} messages handled, {:.0} ns each; message hash {}",
        report.links.len(),
        SECONDS as f64 / seconds,
        seconds * 1e9 / handled as f64,
        report.message_hash
    );
}
