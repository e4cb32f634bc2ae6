//! Test of a thousand objects with five thousand links: all data arrive.
use super::*;
use crate::lockstep::FRAME;

const OBJECTS: usize = 1000;
const LINKS_EACH: usize = 5;
const FRAMES: u64 = 25;

#[test]
fn a_thousand_objects_deliver_everything() {
    let node = |number: usize| {
        let object = Scripted::default()
            .start(|context| {
                context.wake_after(FRAME, 0);
                context.assert_ready(0)
            })
            .notify(|context, event| {
                context.assert_ready_to(event.observer, event.sender);
            })
            .extra(|context, _| {
                context.wake_after(FRAME, 0);
                context.set_data(0, vec![7; 64]);
                context.notify_observers(0);
            });
        let interface = Interface::new(&format!("N{number}"))
            .subject("Out", "d")
            .observer("In", "d")
            .extra("Frame");
        ObjectInstance::new(interface, object)
    };
    let connections: Vec<Connection> = (0..OBJECTS)
        .flat_map(|from| {
            (1..=LINKS_EACH).map(move |step| {
                let to = (from + step * 37) % OBJECTS;
                join(&format!("N{from}.Out.d.S"), &format!("N{to}.In.d.O"))
            })
        })
        .collect();
    let mut system = boot((0..OBJECTS).map(node).collect(), &connections);
    system.advance(FRAMES * FRAME);
    let report = system.report();
    assert_eq!(report.links.len(), OBJECTS * LINKS_EACH);
    assert!(
        report
            .links
            .iter()
            .all(|link| (link.counters.delivered, link.counters.dropped) == (FRAMES, 0))
    );
    // Messages per object: its start; in each frame its timer, received data, and credits for sent data; and the initial
    // credits.
    let each = 1 + FRAMES + 2 * FRAMES * LINKS_EACH as u64 + LINKS_EACH as u64;
    assert!(report.objects.iter().all(|object| object.handled == each));
}
