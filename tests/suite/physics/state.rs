//! Two runs are equal, and a run from a snapshot is equal to the original one.

use morse_api::{body::BodyKind, joint::JointTarget};
use morse_sim::{
    scene::{
        assembly::{Assembly, JointSettings, RobotBase},
        model::{Frame, Joint, JointAxis},
    },
    simulation::state::{HashChain, Snapshot},
};
use nalgebra::Vector3;

use super::{TestWorld, add, cube, floor, free};

/// Returns boxes that fall on each other, and an arm that swings among them.
fn rummage() -> Assembly {
    let mut assembly = floor();
    for index in 0..30 {
        let height = f64::from(index / 5) * 0.25 + 0.3;
        let x = f64::from(index % 5) * 0.12 + 0.02 * f64::from(index / 5);
        let name = format!("box{index}");
        free(
            &mut assembly,
            Frame::new(&name)
                .at([x, 0.01 * f64::from(index), height])
                .with(cube(0.1)),
            0.5,
        );
    }
    add(
        &mut assembly.scene,
        Frame::new("stand").at([-1.0, 0.0, 0.6]).with(cube(0.1)),
    );
    assembly
        .robots
        .insert("arm".into(), RobotBase::new("stand", BodyKind::Fixed));
    for n in 1..=3 {
        let parent = if n == 1 {
            "stand".to_owned()
        } else {
            format!("link{}", n - 1)
        };
        let axis = JointAxis::new([0.0, 0.0, 1.0], format!("q{n}"));
        let frame = Frame::new(format!("link{n}"))
            .under(parent)
            .at([0.3, 0.0, 0.0]);
        let mut frame = frame.joined(Joint::Revolute(axis)).with(cube(0.15));
        frame.mass = Some(1.0);
        frame.center_of_mass = Some(Vector3::new(0.1, 0.0, 0.0));
        add(&mut assembly.scene, frame);
        let target = JointTarget::Velocity(0.7 * f64::from(n));
        assembly.joints.insert(
            format!("q{n}"),
            JointSettings {
                target,
                ..JointSettings::default()
            },
        );
    }
    assembly
}

fn run(test: &mut TestWorld, hashes: &mut HashChain, ticks: u32) -> u128 {
    for _ in 0..ticks {
        test.app.update();
        hashes.add(test.app.world());
    }
    hashes.value()
}

#[test]
fn two_runs_have_one_hash() {
    let hash = || {
        run(
            &mut TestWorld::new(&rummage()),
            &mut HashChain::default(),
            200,
        )
    };
    assert_eq!(hash(), hash());
}

#[test]
fn a_restored_world_continues_bit_for_bit() {
    let mut test = TestWorld::new(&rummage());
    let mut hashes = HashChain::default();
    run(&mut test, &mut hashes, 100);
    let snapshot = Snapshot::take(test.app.world(), &hashes).expect("all state can be saved");
    let straight_on = run(&mut test, &mut hashes, 50);

    snapshot
        .restore(test.app.world_mut(), &mut hashes)
        .expect("the same world");
    assert_eq!(run(&mut test, &mut hashes, 50), straight_on);

    let mut other = TestWorld::new(&rummage());
    other.app.world_mut().spawn_empty();
    snapshot
        .restore(other.app.world_mut(), &mut hashes)
        .expect("a world of the same scene");
    assert_eq!(run(&mut other, &mut hashes, 50), straight_on);
}

#[test]
fn a_snapshot_of_another_scene_is_refused() {
    let test = TestWorld::new(&rummage());
    let snapshot = Snapshot::take(test.app.world(), &HashChain::default()).expect("can be saved");
    let mut other = TestWorld::new(&floor());
    assert!(
        snapshot
            .restore(other.app.world_mut(), &mut HashChain::default())
            .is_err()
    );
}
