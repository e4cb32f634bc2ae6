//! Mechanisms in motion, against closed forms.
use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Isometry3, Matrix3, UnitVector3, Vector3};

use super::*;
use crate::{
    Axis, Inertia, Joint, Link,
    test_run::{GRAVITY, Run, rod},
};

fn chain(count: usize) -> Tree {
    let hangs = |number: usize| {
        let parent = number.checked_sub(1);
        let end = parent.map_or(0.0, |_| -0.3);
        rod(parent, [0.0, 0.0, end], Vector3::y(), [1.0, 0.3], number)
    };
    Tree::new(&(0..count).map(hangs).collect::<Vec<_>>()).unwrap()
}

/// A hinge about y with a point mass, kg, at the end of an arm of 1 m along x, and an inertia on top, kg·m².
fn arm(mass: f64, inertia: f64) -> Tree {
    let mut body = Inertia::point(mass, Vector3::x());
    body.rotational += Matrix3::identity() * inertia;
    Tree::new(&[Link {
        parent: None,
        parent_from_joint: Isometry3::identity(),
        joint: Joint::Revolute(Axis::new(UnitVector3::new_unchecked(-Vector3::y()), 0)),
        inertia: body,
    }])
    .unwrap()
}

#[test]
fn pendulums_keep_their_energy() {
    for count in [1, 2, 7] {
        let mut run = Run::new(chain(count), 240.0);
        let lowest = run.energy();
        run.state.positions[0] = FRAC_PI_2;
        let mut seconds = Vec::new();
        for _ in 0..10 {
            let mut sum = 0.0;
            for _ in 0..240 {
                run.step();
                sum += run.energy() - lowest;
            }
            seconds.push(sum / 240.0);
        }
        let change = (seconds[9] - seconds[0]) / seconds[0];
        assert!(change.abs() < 0.005, "{count} links: {change}");
    }
}

#[test]
fn springs_oscillate_with_their_frequency_and_without_loss() {
    for (frequency, rate) in [(1.0, 60.0), (1.0, 240.0), (3.0, 240.0), (8.0, 60.0)] {
        let omega = 2.0 * PI * frequency;
        let tree = Tree::new(&[Link {
            parent: None,
            parent_from_joint: Isometry3::identity(),
            joint: Joint::Prismatic(Axis::new(Vector3::x_axis(), 0)),
            inertia: Inertia::point(2.0, Vector3::zeros()),
        }])
        .unwrap();
        let mut run = Run::new(tree, rate);
        run.integrator.motors[0].stiffness = 2.0 * omega * omega;
        run.state.positions[0] = 0.1;
        for step in 1..=(10.0 * rate) as usize {
            run.step();
            let [position, velocity] = [run.state.positions[0], run.state.velocities[0]];
            let amplitude = libm::hypot(position, velocity / omega);
            assert!(
                (amplitude - 0.1).abs() < 1e-3,
                "{frequency} Hz at {rate}: {amplitude} m"
            );
            // The trapezoidal rule advances the phase by 2·atan(ω·dt / 2).
            let phase = 2.0 * libm::atan(omega / rate / 2.0) * step as f64;
            let expected = 0.1 * libm::cos(phase);
            assert!(
                (position - expected).abs() < 1e-3,
                "{frequency} Hz at {rate}: {position}"
            );
        }
    }
}

/// A double pendulum with springs, or with motors that cannot exert anything.
#[test]
fn springs_and_powerless_motors_take_no_energy() {
    let spring = Motor {
        stiffness: 0.2,
        ..Motor::default()
    };
    let powerless = Motor {
        stiffness: 1e4,
        damping: 1e3,
        max_effort: 1e-12,
        ..Motor::default()
    };
    for motor in [spring, powerless] {
        let stiffness = spring.stiffness * f64::from(u8::from(motor == spring));
        let energy = |run: &mut Run| {
            let positions = run.state.positions.iter();
            let stored: f64 = positions.map(|at| stiffness * at * at / 2.0).sum();
            stored + run.energy()
        };
        let mut run = Run::new(chain(2), 240.0);
        run.integrator.motors.fill(motor);
        let lowest = energy(&mut run);
        run.state.positions.copy_from_slice(&[0.25, -0.15]);
        let mean = |run: &mut Run| {
            let sum = (0..5 * 240).map(|_| {
                run.step();
                energy(run) - lowest
            });
            sum.sum::<f64>() / (5.0 * 240.0)
        };
        let start = mean(&mut run);
        run.run(20.0);
        let end = mean(&mut run);
        let change = end / start - 1.0;
        assert!(change.abs() < 1e-4, "{motor:?}: {start} J, then {end} J");
    }
}

#[test]
fn a_position_motor_sags_by_its_stiffness() {
    // 2 kg at 1 m: kp·sag = m·g·cos(q).
    let mut run = Run::new(arm(2.0, 0.0), 240.0);
    run.integrator.motors[0] = Motor {
        stiffness: 400.0,
        damping: 40.0,
        position: 0.5,
        ..Motor::default()
    };
    run.run(5.0);
    let angle = run.state.positions[0];
    let wanted = 2.0 * 9.81 * libm::cos(angle);
    assert!((400.0 * (0.5 - angle) - wanted).abs() < 1e-6 * wanted);
    assert!((run.integrator.efforts[0] - wanted).abs() < 1e-6 * wanted);
}

#[test]
fn stiff_motors_on_light_links_are_stable_at_long_steps() {
    let mut run = Run::new(arm(0.0, 0.01), 60.0);
    run.integrator.motors[0] = Motor {
        stiffness: 2000.0,
        damping: 100.0,
        position: 1.0,
        ..Motor::default()
    };
    let mut highest: f64 = 0.0;
    for _ in 0..60 {
        run.step();
        highest = highest.max(run.state.positions[0]);
    }
    assert!((run.state.positions[0] - 1.0).abs() < 1e-3);
    assert!(highest < 1.0 + 1e-3, "{highest}");
}

#[test]
fn seven_joints_follow_sines() {
    // The gains and paths that arms are compared with each other by.
    let mut run = Run::new(chain(7), 240.0);
    let gains = [2000.0, 2000.0, 2000.0, 2000.0, 500.0, 500.0, 200.0];
    let target = |joint: usize, time: f64| 0.5 * libm::sin(0.4 * PI * time + 0.7 * joint as f64);
    for (joint, gain) in gains.into_iter().enumerate() {
        run.state.positions[joint] = target(joint, 0.0);
        run.integrator.motors[joint] = Motor {
            stiffness: gain,
            damping: gain / 20.0,
            max_effort: 300.0,
            ..Motor::default()
        };
    }
    let mut largest: f64 = 0.0;
    for tick in 1..=2400 {
        let time = f64::from(tick) / 240.0;
        for joint in 0..7 {
            run.integrator.motors[joint].position = target(joint, time);
        }
        run.step();
        for joint in (0..7).filter(|_| time > 2.0) {
            let error = run.state.positions[joint] - target(joint, time);
            largest = largest.max(error.abs());
        }
    }
    assert!(largest < 0.05, "{largest}");
}

#[test]
fn a_motor_gives_no_more_than_it_can() {
    // 10 N·m on 1 kg·m²: 10 rad/s², whatever is asked for; no weight.
    let mut run = Run::new(arm(0.0, 1.0), 100.0);
    run.integrator.motors[0] = Motor {
        stiffness: 1e5,
        damping: 1e3,
        position: 3.0,
        max_effort: 10.0,
        ..Motor::default()
    };
    run.run(0.5);
    assert!((run.state.velocities[0] - 5.0).abs() < 1e-9);
    assert!((run.state.positions[0] - 1.25).abs() < 1e-9);
    assert_eq!(run.integrator.efforts[0], 10.0);
}

/// The guess of the saturated motors saves time, and changes nothing else: motors drive joints with friction to their limits and
/// back, faster than they can.
#[test]
fn the_guess_of_saturated_motors_does_not_change_the_motion() {
    let run = |guesses: bool| {
        let mut run = Run::new(chain(3), 240.0);
        for joint in 0..3 {
            run.integrator.joint_dynamics[joint].limits = [-0.8, 0.6];
            run.integrator.joint_dynamics[joint].friction = 0.1;
        }
        let mut saturated = 0;
        for tick in 0..960 {
            let speed = if tick / 200 % 2 == 0 { 2.0 } else { -1.0 };
            for (joint, max_effort) in [3.0, 1.0, 0.2].into_iter().enumerate() {
                run.integrator.motors[joint] = Motor {
                    stiff: Some(0.0),
                    speed: if joint == 1 { -speed } else { speed },
                    max_effort,
                    ..Motor::default()
                };
            }
            if !guesses {
                run.integrator.saturated.fill(None);
            }
            run.step();
            saturated += run.integrator.saturated.iter().flatten().count();
        }
        (run.state, saturated)
    };
    let [(with, count), (without, other)] = [run(true), run(false)];
    assert!(count > 960, "{count} motors at their limits");
    assert_eq!(count, other);
    for (one, two) in with.positions.iter().zip(&without.positions) {
        assert!((one - two).abs() < 1e-9, "{one} and {two} rad");
    }
}

#[test]
fn a_limit_stops_without_a_bounce() {
    for rate in [60.0, 240.0] {
        let mut run = Run::new(arm(1.0, 0.0), rate);
        run.integrator.joint_dynamics[0].limits = [-1.0, 1.0];
        run.integrator.motors[0].effort = 30.0;
        let (mut highest, mut hit) = (0.0_f64, false);
        for _ in 0..(3.0 * rate) as u32 {
            run.step();
            let [position, speed] = [run.state.positions[0], run.state.velocities[0]];
            highest = highest.max(position);
            hit |= position > 0.999;
            assert!(!hit || speed > -1e-9, "{speed} rad/s away from the limit");
        }
        assert!(hit && highest < 1.001, "{highest} at {rate} Hz");
        // What the motor gives beyond the weight is held by the limit.
        let held = 30.0 - 9.81 * libm::cos(run.state.positions[0]);
        assert!((run.integrator.limit_efforts[0] + held).abs() < 1e-3 * held);
    }
}

#[test]
fn a_joint_that_falls_on_its_limit_gains_no_energy() {
    let mut run = Run::new(chain(3), 240.0);
    for joint in 0..3 {
        run.integrator.joint_dynamics[joint].limits = [-0.6, 0.6];
    }
    run.state.positions[0] = 0.6;
    run.state.positions[1] = -0.6;
    let mut before = run.energy();
    for _ in 0..2400 {
        run.step();
        let energy = run.energy();
        assert!(energy < before + 2e-3, "{before} J, then {energy} J");
        before = before.min(energy);
        assert!(run.state.positions.iter().all(|angle| angle.abs() < 0.601));
    }
}

#[test]
fn dry_friction_holds_and_brakes() {
    // 1 kg at 1 m weighs 9.81 N·m: held by 10, not by 9.
    for (friction, falls) in [(10.0, false), (9.0, true)] {
        let mut run = Run::new(arm(1.0, 0.0), 240.0);
        run.integrator.joint_dynamics[0].friction = friction;
        run.run(1.0);
        assert_eq!(run.state.positions[0].abs() > 1e-9, falls);
    }
    // A flywheel of 1 kg·m² at 5 rad/s is stopped by 2 N·m in 2.5 s.
    let mut run = Run::new(arm(0.0, 1.0), 240.0);
    run.integrator.joint_dynamics[0].friction = 2.0;
    run.state.velocities[0] = 5.0;
    run.run(2.0);
    assert!((run.state.velocities[0] - 1.0).abs() < 1e-9);
    run.run(1.0);
    assert_eq!(run.state.velocities[0], 0.0);
    assert!((run.state.positions[0] - 6.25).abs() < 0.01);
}

#[test]
fn joints_of_one_variable_move_together() {
    // Two flywheels on one variable, the second three times as fast: J = 1 + 9·1 as the variable feels it; and armature.
    let mut second = Axis::new(Vector3::z_axis(), 4);
    (second.ratio, second.offset) = (-3.0, 0.25);
    let wheel = |axis| Link {
        parent: None,
        parent_from_joint: Isometry3::identity(),
        joint: Joint::Revolute(axis),
        inertia: Inertia::new(1.0, Vector3::zeros(), Matrix3::identity()),
    };
    let first = wheel(Axis::new(Vector3::z_axis(), 4));
    let mut run = Run::new(Tree::new(&[first, wheel(second)]).unwrap(), 100.0);
    run.integrator.joint_dynamics[0].armature = 2.0;
    run.integrator.motors[0].effort = 24.0;
    run.run(1.0);
    assert!((run.state.velocities[0] - 2.0).abs() < 1e-9);
    run.integrator
        .workspace
        .forward_kinematics(&run.tree, &run.base, &run.state);
    assert!((run.integrator.workspace.velocity_of(1).angular.z + 6.0).abs() < 1e-9);
    let turned = run.integrator.workspace.pose_of(1).rotation[(1, 0)];
    assert!((turned - libm::sin(0.25 - 3.0)).abs() < 1e-9);
}

#[test]
fn a_free_body_falls_and_tumbles_as_it_should() {
    let about = Matrix3::from_diagonal(&Vector3::new(0.1, 0.2, 0.3));
    let body = Link {
        parent: None,
        parent_from_joint: Isometry3::identity(),
        joint: Joint::Floating,
        inertia: Inertia::new(2.0, Vector3::new(0.1, 0.0, 0.05), about),
    };
    // Far away, where single precision has steps of 0.5 m.
    let mut run = Run::new(Tree::new(&[body]).unwrap(), 240.0);
    run.state.positions[..2].copy_from_slice(&[500_000.0, 5_400_000.0]);
    run.state
        .velocities
        .copy_from_slice(&[0.1, 0.0, 0.0, 0.3, 2.0, -1.0]);
    run.integrator
        .workspace
        .forward_kinematics(&run.tree, &run.base, &run.state);
    let momentum = |run: &mut Run| {
        run.integrator
            .workspace
            .forward_kinematics(&run.tree, &run.base, &run.state);
        let index = run.integrator.workspace.pose_of(0);
        let velocity = run.integrator.workspace.velocity_of(0);
        let body = &run.tree.links[0].inertia;
        let force = *body * velocity;
        let spin = force.moment - body.center().cross(&force.force);
        let (_, center) = run.integrator.workspace.center_of_mass(&run.tree);
        (index.rotation * spin, index.rotation * force.force, center)
    };
    let (spin, push, center) = momentum(&mut run);
    run.run(2.0);
    let (later_spin, later_push, later_center) = momentum(&mut run);
    assert!((later_spin - spin).norm() < 2e-3 * spin.norm());
    let fallen = push + 2.0 * GRAVITY * 2.0;
    assert!((later_push - fallen).norm() < 1e-3 * fallen.norm());
    let displacement = push / 2.0 * 2.0 + GRAVITY * 2.0;
    assert!(
        (later_center - center - displacement).norm() < 2e-3,
        "{}",
        later_center - center - displacement
    );
}

/// Motors of any gains on any inertia come to rest at their position, in about the time that the exact oscillator takes:
/// `I·q̈ + kd·q̇ + kp·q = 0`.
#[test]
fn motors_of_any_gains_come_to_rest() {
    let powers = |from: i32, to: i32| (from..=to).step_by(2).map(|power| 10_f64.powi(power));
    for stiffness in powers(-1, 7) {
        for damping in powers(-4, 2) {
            for inertia in powers(-7, 1) {
                for rate in [60.0, 480.0] {
                    comes_to_rest(stiffness, damping, inertia, rate);
                }
            }
        }
    }
}

fn comes_to_rest(stiffness: f64, damping: f64, inertia: f64, rate: f64) {
    let mut run = Run::new(arm(0.0, inertia), rate);
    run.integrator.motors[0] = Motor {
        stiffness,
        damping,
        ..Motor::default()
    };
    run.state.velocities[0] = 10.0;
    // The slower of both decays: half of kd / I of an oscillation, kp / kd of what creeps.
    let decay = (damping / inertia / 2.0).min(stiffness / damping);
    let steps = (20.0 / decay * rate).max(50.0);
    let most = 0.5 * inertia * 100.0;
    let energy = |run: &Run| {
        let (q, v) = (run.state.positions[0], run.state.velocities[0]);
        0.5 * inertia * v * v + 0.5 * stiffness * q * q
    };
    for _ in 0..(steps as usize).min(20_000) {
        run.step();
        let now = energy(&run);
        assert!(
            now < most * (1.0 + 1e-6),
            "kp {stiffness}, kd {damping}, I {inertia}, {rate} Hz: {now} of {most} J"
        );
    }
    if steps < 20_000.0 {
        let left = run.state.velocities[0].abs();
        assert!(
            left < 1e-3,
            "kp {stiffness}, kd {damping}, I {inertia}, {rate} Hz: {left} rad/s after {steps} steps"
        );
    }
}
