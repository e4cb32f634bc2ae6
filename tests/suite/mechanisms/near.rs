//! Arms that press on something fixed: their contacts are detected without the engine, unless something that moves is near.
use bevy::ecs::system::RunSystemOnce as _;
use morse_sim::physics::Contacts;
use nalgebra::Vector3;

use super::{
    clearance::{arm, positions, swing},
    touching::Test,
};

const SHELF: &str = "frame shelf { translation [1, 0, 0.55]; geometry { shape box; dimension [1.2, 2, 0.1]; friction 0.3; } }";

/// Returns the force of each contact of a body, and its point.
fn contacts(test: &mut Test, name: &str) -> Vec<[Vector3<f64>; 2]> {
    let entity = test.0.scene().bodies[name];
    let world = test.0.world_mut();
    let all = world.run_system_once(move |contacts: Contacts<'_, '_>| contacts.of(entity));
    let all = all.expect("the system runs").into_iter();
    all.map(|contact| [contact.force, contact.point.coords])
        .collect()
}

#[test]
fn an_arm_wipes_a_shelf_alike_whether_something_is_near_it() {
    for rate in [60, 240, 1000] {
        let [mut alone, mut near] = [false, true].map(|near| arm(rate, near, [SHELF, ""]));
        let (mut pressed, mut depth) = (0, 0.0_f64);
        for tick in 0..3 * u64::from(rate) {
            for test in [&mut alone, &mut near] {
                swing(test, tick..tick + 1);
            }
            for (one, two) in positions(&alone).iter().zip(positions(&near)) {
                assert!(
                    (one - two).abs() < 2e-4,
                    "{rate} Hz, tick {tick}: {one} {two}"
                );
            }
            let [own, of_shelf] = ["third", "shelf"].map(|name| contacts(&mut alone, name));
            assert_eq!(own.len(), of_shelf.len(), "both sides feel it");
            for ([force, point], [other, at]) in own.iter().zip(&of_shelf) {
                assert!((force + other).norm() < 1e-9 * force.norm().max(1.0));
                assert!((point - at).norm() < 1e-9);
                assert!((point.z - 0.6).abs() < 0.02, "{rate} Hz: {point}");
                pressed += usize::from(force.z > 1.0);
            }
            depth = depth.max(alone.deepest());
        }
        assert!(
            pressed > rate as usize / 2,
            "{rate} Hz: it presses in {pressed} ticks"
        );
        assert!(0.0 < depth && depth < 0.02, "{rate} Hz: {depth} m");
    }
}

#[test]
fn an_arm_that_presses_on_a_shelf_goes_on_from_a_snapshot() {
    let mut test = arm(240, false, [SHELF, ""]);
    let mut tick = 0;
    while contacts(&mut test, "third").is_empty() {
        swing(&mut test, tick..tick + 1);
        tick += 1;
    }
    swing(&mut test, tick..tick + 20);
    let (from, to) = (tick + 20, tick + 300);
    let snapshot = test.0.snapshot().expect("a snapshot");
    let known = contacts(&mut test, "shelf");
    assert!(!known.is_empty());
    swing(&mut test, from..to);
    let hash = test.0.state_hash();
    let mut other = arm(240, false, [SHELF, ""]);
    for test in [&mut test, &mut other] {
        test.0.restore(&snapshot).expect("it fits");
        assert_eq!(contacts(test, "shelf"), known);
        swing(test, from..to);
        assert_eq!(test.0.state_hash(), hash);
    }
}
