//! Planar arms against closed forms.
use bevy::prelude::Entity;
use morse_api::joint::JointShape;
use nalgebra::{UnitVector3, Vector3};

use super::*;
use crate::chain::{Joint, Link};

/// Links in a plane, each turning about z at the end of the one before.
fn planar(lengths: &[f64], limit: f64) -> Chain {
    let mut at = 0.0;
    let mut links = Vec::new();
    let mut joints = Vec::new();
    for (joint, length) in lengths.iter().enumerate() {
        links.push(Link {
            joint: Some(joint),
            shape: JointShape {
                parent_from_joint: Isometry3::translation(at, 0.0, 0.0),
                axis: Vector3::z_axis(),
                is_angle: true,
                travel: 1.0,
                offset: 0.0,
            },
        });
        joints.push(Joint {
            name: format!("q{joint}"),
            variable: Entity::PLACEHOLDER,
            is_angle: true,
            limits: [-limit, limit],
            max_velocity: f64::INFINITY,
            free_axis: 2,
            length: *length,
        });
        at = *length;
    }
    let tips = vec![Tip {
        name: "end".to_owned(),
        body: Entity::PLACEHOLDER,
        body_from_tip: Isometry3::translation(at, 0.0, 0.0),
        base: Entity::PLACEHOLDER,
        base_from_root: Isometry3::identity(),
        links,
    }];
    Chain { joints, tips }
}

fn to(x: f64, y: f64) -> Goal {
    Goal {
        tip: 0,
        position: Vector3::new(x, y, 0.0),
        rotation: None,
        metres_per_radian: METRES_PER_RADIAN,
    }
}

fn solve(chain: &Chain, goal: Goal, values: &mut [f64]) -> f64 {
    Solver::new(chain).solve(chain, &[goal], values, 200)
}

#[test]
fn two_links_bend_as_the_law_of_cosines_says() {
    let (l1, l2) = (1.0, 0.7);
    let chain = planar(&[l1, l2], 3.0);
    for (x, y, elbow) in [(1.2, 0.5, 1.0), (0.3, 0.9, -1.0), (-0.6, 0.8, 1.0)] {
        let cosine = (x * x + y * y - l1 * l1 - l2 * l2) / (2.0 * l1 * l2);
        let q2 = elbow * libm::acos(cosine);
        let q1 = libm::atan2(y, x) - libm::atan2(l2 * libm::sin(q2), l1 + l2 * libm::cos(q2));
        let mut values = [q1 + 0.3, q2 - 0.2 * elbow];
        assert!(solve(&chain, to(x, y), &mut values) < 1e-8);
        assert!(
            (values[0] - q1).abs() < 1e-7 && (values[1] - q2).abs() < 1e-7,
            "{values:?}"
        );
    }
}

#[test]
fn three_links_reach_a_pose_as_by_hand() {
    let (l1, l2, l3) = (1.0, 0.8, 0.3);
    let chain = planar(&[l1, l2, l3], 3.0);
    let (x, y, phi) = (1.1, 0.6, 0.4);
    // The wrist, then the law of cosines.
    let (wx, wy) = (x - l3 * libm::cos(phi), y - l3 * libm::sin(phi));
    let q2 = libm::acos((wx * wx + wy * wy - l1 * l1 - l2 * l2) / (2.0 * l1 * l2));
    let q1 = libm::atan2(wy, wx) - libm::atan2(l2 * libm::sin(q2), l1 + l2 * libm::cos(q2));
    let goal = Goal {
        rotation: Some(UnitQuaternion::from_axis_angle(&Vector3::z_axis(), phi)),
        ..to(x, y)
    };
    let mut values = [0.2, 1.0, 0.0];
    assert!(solve(&chain, goal, &mut values) < 1e-8);
    for (value, expected) in values.iter().zip([q1, q2, phi - q1 - q2]) {
        assert!((value - expected).abs() < 1e-6, "{values:?}");
    }
}

#[test]
fn out_of_reach_the_arm_stretches_and_rests() {
    let chain = planar(&[1.0, 0.7], 3.0);
    let (x, y) = (2.0, 1.5);
    let mut values = [-0.4, 1.3];
    let left = solve(&chain, to(x, y), &mut values);
    // 2.5 m away, 1.7 m long.
    assert!((left - 0.8).abs() < 1e-9, "{left}");
    assert!(
        (values[0] - libm::atan2(y, x)).abs() < 1e-4 && values[1].abs() < 1e-4,
        "{values:?}"
    );
    let rested = values;
    for _ in 0..10 {
        solve(&chain, to(x, y), &mut values);
    }
    let moved = (values[0] - rested[0])
        .abs()
        .max((values[1] - rested[1]).abs());
    assert!(moved < 1e-5, "{moved}");
    let goal = to(x, y);
    let settled = values;
    Solver::new(&chain).solve(&chain, &[goal], &mut values, 10);
    assert_eq!(values, settled, "nothing moves any more");
}

#[test]
fn a_limit_holds_its_joint_and_the_others_do_the_rest() {
    // The elbow may not bend beyond 0.5 rad: the nearest point of the inner circle is the best.
    let mut chain = planar(&[1.0, 1.0], 3.0);
    chain.joints[1].limits = [-0.5, 0.5];
    let mut values = [0.1, 0.1];
    let left = solve(&chain, to(0.0, 1.0), &mut values);
    assert!(values[1].abs() <= 0.5);
    // |1 + e^(0.5 i)| = 2 cos 0.25.
    let nearest = 2.0 * libm::cos(0.25) - 1.0;
    assert!((left - nearest).abs() < 1e-6, "{left} {nearest}");
}

#[test]
fn a_sliding_joint_takes_its_share() {
    let mut chain = planar(&[0.0, 1.0], 3.0);
    chain.tips[0].links[0].shape.is_angle = false;
    chain.tips[0].links[0].shape.axis = UnitVector3::new_normalize(Vector3::x());
    chain.tips[0].links[0].shape.travel = 0.5;
    let mut values = [0.0, 0.2];
    assert!(solve(&chain, to(1.4, 0.6), &mut values) < 1e-8);
    // sin q = 0.6, so the link reaches 0.8, and the slide does the other 0.6 at half a metre a unit.
    assert!(
        (values[0] - 1.2).abs() < 1e-6 && (values[1] - libm::asin(0.6)).abs() < 1e-6,
        "{values:?}"
    );
}

#[test]
fn halton_fills_evenly() {
    let first: Vec<f64> = (1..=4).map(|n| halton(n, 0)).collect();
    assert_eq!(first, [0.5, 0.25, 0.75, 0.125]);
    assert!((halton(1, 1) - 1.0 / 3.0).abs() < 1e-15 && (halton(2, 1) - 2.0 / 3.0).abs() < 1e-15);
}
