//! Closed loops of joints against closed forms.
use nalgebra::Vector3;

use super::*;
use crate::{
    test_run::{Run, rod},
    tree::Link,
};

/// Lengths of crank, coupler, rocker and ground link, m: a crank–rocker by Grashof's rule.
const CRANK: f64 = 0.1;
const COUPLER: f64 = 0.35;
const ROCKER: f64 = 0.25;
const GROUND_LINK: f64 = 0.3;

/// A four-bar linkage in the xz plane: crank and coupler from the origin, and the rocker that hangs at the other end.
fn four_bar() -> Vec<Link> {
    let y = Vector3::y();
    vec![
        rod(None, [0.0; 3], y, [0.5, CRANK], 0),
        rod(Some(0), [0.0, 0.0, -CRANK], y, [1.0, COUPLER], 1),
        rod(None, [GROUND_LINK, 0.0, 0.0], y, [0.8, ROCKER], 2),
    ]
}

/// Direction of a rod that hangs from its joint and is rotated about y.
fn along(angle: f64) -> Vector3<f64> {
    Vector3::new(-libm::sin(angle), 0.0, -libm::cos(angle))
}

/// Angles of coupler (relative to the crank) and rocker, by the intersection of two circles: the one above.
fn closed(crank: f64) -> [f64; 2] {
    let tip = along(crank) * CRANK;
    let ground = Vector3::x() * GROUND_LINK;
    let apart = ground - tip;
    let distance = apart.norm();
    let before = (COUPLER * COUPLER - ROCKER * ROCKER + distance * distance) / (2.0 * distance);
    let beside = (COUPLER * COUPLER - before * before).sqrt();
    let unit = apart / distance;
    let joint = tip + unit * before + Vector3::new(unit.z, 0.0, -unit.x) * beside;
    let angle = |rod: Vector3<f64>| libm::atan2(-rod.x, -rod.z);
    [angle(joint - tip) - crank, angle(joint - ground)]
}

/// Connects the ends of coupler and rocker, after the last step's weld.
fn connect(run: &Run, before: Option<&Weld>) -> Weld {
    let [one, other] =
        [(1, COUPLER), (2, ROCKER)].map(|(link, length)| run.point(link, Vector3::z() * -length));
    Weld {
        sides: [1, 2].map(|link| Side::Link { member: 0, link }),
        point: other,
        error: Motion {
            angular: Vector3::zeros(),
            linear: other - one,
        },
        holds: [true, true, true, false, false, false],
        turning: Vector3::zeros(),
        velocity: before.and_then(|weld| weld.velocity).or(Some(Motion::ZERO)),
        impulse: Force::default(),
    }
}

fn turned(turn: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    (turn + PI).rem_euclid(TAU) - PI
}

/// Smallest and greatest energy in 10 s, J, and the greatest gap between the connected ends, m, and deviation of an angle
/// from the closed form, rad.
fn run(rate: f64, speed: f64) -> ([f64; 2], f64, f64) {
    const START: f64 = 1.2;
    let mut run = Run::of(&four_bar(), rate);
    run.state
        .positions
        .copy_from_slice(&[START, closed(START)[0], closed(START)[1]]);
    // Velocities that fit, by differences of the closed form.
    let [one, other] = [closed(START + 1e-6), closed(START - 1e-6)];
    run.state.velocities[0] = speed;
    for index in 0..2 {
        run.state.velocities[1 + index] = (one[index] - other[index]) / 2e-6 * speed;
    }
    let mut weld: Option<Weld> = None;
    let (mut widest, mut farthest): (f64, f64) = (0.0, 0.0);
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..(10.0 * rate) as usize {
        run.predict();
        let mut welds = [connect(&run, weld.as_ref())];
        run.step_with(&mut [], &mut [], &mut welds);
        weld = Some(welds[0]);
        let energy = run.energy();
        (least, most) = (least.min(energy), most.max(energy));
        let gap = run.point(1, Vector3::z() * -COUPLER) - run.point(2, Vector3::z() * -ROCKER);
        widest = widest.max(gap.norm());
        let positions = &run.state.positions;
        for (angle, closed) in positions[1..].iter().zip(closed(positions[0])) {
            farthest = farthest.max(turned(angle - closed).abs());
        }
    }
    ([least, most], widest, farthest)
}

#[test]
fn a_four_bar_linkage_keeps_its_shape_and_its_energy() {
    // It swings by gravity; its crank revolves; it revolves fast, in several substeps per step.
    for (rate, speed, swing) in [
        (240.0, 0.0, 0.4),
        (240.0, 6.0, 0.2),
        (1000.0, 6.0, 0.2),
        (240.0, 20.0, 2.2),
    ] {
        let ([least, most], widest, farthest) = run(rate, speed);
        let lost = (most - least) / swing;
        // Of the energy of its motion, J.
        let allowed = if speed > 10.0 { 0.02 } else { 0.005 };
        assert!(lost < allowed, "{rate} {speed}: {least} to {most}");
        assert!(widest < 1e-5, "{rate} {speed}: {widest}");
        assert!(farthest < 1e-4, "{rate} {speed}: {farthest}");
    }
}
