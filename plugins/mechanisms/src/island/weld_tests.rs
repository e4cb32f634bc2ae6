//! Free bodies that a turning link carries: welded, or by friction.
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};

use super::*;
use crate::{
    spatial::Inertia,
    test_run::{GRAVITY, Run, rod},
    tree::{Axis, Joint, Link},
};

/// Distances from the hinge to the weld, and from there to the centre of the body, m.
const ARM: f64 = 0.5;
const LEVER: f64 = 0.1;

/// A body of 1 kg at the end of an arm that hangs from a hinge.
struct Carried {
    run: Run,
    center: Vector3<f64>,
    turn: UnitQuaternion<f64>,
    body: FreeBody,
    velocity: Motion,
}

impl Carried {
    /// Both turn at a speed, rad/s, without gravity.
    fn new(rate: f64, speed: f64) -> Self {
        let mut run = Run::of(&[rod(None, [0.0; 3], Vector3::y(), [0.5, ARM], 0)], rate);
        run.base.gravity = Vector3::zeros();
        run.state.velocities[0] = speed;
        let center = Vector3::z() * -(ARM + LEVER);
        let angular = Vector3::y() * speed;
        let inverse = Matrix3::identity() * 150.0;
        let motion = Motion {
            angular,
            linear: angular.cross(&center),
        };
        let body = FreeBody {
            inverse_mass: Vector3::repeat(1.0),
            inverse_inertia: inverse,
            center,
            before: motion,
            linear: motion.linear,
            angular,
            moving: Motion::ZERO,
        };
        Self {
            run,
            center,
            turn: UnitQuaternion::identity(),
            body,
            velocity: Motion::ZERO,
        }
    }

    /// Makes a step. Returns the distance of the two sides of the weld after it, m.
    fn step(&mut self) -> f64 {
        let dt = self.run.dt;
        self.run.predict();
        let body = &mut self.body;
        body.before = Motion {
            angular: body.angular,
            linear: body.linear,
        };
        let turn = |turn: &UnitQuaternion<f64>, by: Vector3<f64>| {
            UnitQuaternion::from_scaled_axis(by) * turn
        };
        let middle = turn(&self.turn, body.angular * (dt / 2.0));
        body.center = self.center + body.linear * (dt / 2.0);
        let grip = body.center + middle * Vector3::z() * LEVER;
        let tip = self.run.point(0, Vector3::z() * -ARM);
        let pose = self.run.integrator.workspace.pose_of(0).rotation;
        let pose = nalgebra::Rotation3::from_matrix_unchecked(pose);
        let apart = middle * UnitQuaternion::from_rotation_matrix(&pose).inverse();
        let mut weld = [Weld {
            sides: [Side::Link { member: 0, link: 0 }, Side::Body(0)],
            point: grip,
            error: Motion {
                angular: apart.scaled_axis(),
                linear: grip - tip,
            },
            holds: [true; 6],
            turning: Vector3::zeros(),
            velocity: Some(self.velocity),
            impulse: Force::default(),
        }];
        self.run
            .step_with(std::slice::from_mut(&mut self.body), &mut [], &mut weld);
        self.velocity = weld[0].velocity.unwrap();
        let moving = self.body.moving * dt;
        self.center += moving.linear;
        self.turn = turn(&self.turn, moving.angular);
        self.run.integrator.workspace.forward_kinematics(
            &self.run.tree,
            &self.run.base,
            &self.run.state,
        );
        let tip = self.run.point(0, Vector3::z() * -ARM);
        (self.center + self.turn * Vector3::z() * LEVER - tip).norm()
    }
}

/// With the lever of the body as it was in the middle of the step, and its centre there in each substep, the gap was 42 mm at 20
/// rad/s and 120 Hz, and at 60 rad/s the arm was slowed down to 24.
#[test]
fn a_body_turns_with_the_arm_that_carries_it() {
    let cases = [
        (120.0, 3.0, 1e-4),
        (120.0, 10.0, 5e-4),
        (120.0, 20.0, 1e-3),
        (120.0, 60.0, 1e-2),
        (480.0, 20.0, 1e-4),
        (480.0, 60.0, 1e-3),
    ];
    for (rate, speed, most) in cases {
        let mut carried = Carried::new(rate, speed);
        let mut gap: f64 = 0.0;
        for _ in 0..(2.0 * rate) as usize {
            gap = gap.max(carried.step());
        }
        assert!(gap < most, "{rate} Hz, {speed} rad/s: gap of {gap} m");
        let end = carried.run.state.velocities[0];
        assert!(
            (end - speed).abs() < 5e-3 * speed,
            "{rate} Hz, {speed} rad/s: {end}"
        );
    }
}

/// Returns the drift of a box on a turntable away from its axis, m/s, at a speed in rad/s.
fn drift(rate: f64, speed: f64) -> f64 {
    let table = Link {
        parent: None,
        parent_from_joint: Isometry3::identity(),
        joint: Joint::Revolute(Axis::new(Vector3::z_axis(), 0)),
        inertia: Inertia::new(50.0, Vector3::zeros(), Matrix3::identity() * 1e3),
    };
    let mut run = Run::of(&[table], rate);
    run.state.velocities[0] = speed;
    let dt = run.dt;
    let mut center = Vector3::new(1.0, 0.0, 0.05);
    let mut turn = UnitQuaternion::identity();
    let angular = Vector3::z() * speed;
    let mut body = FreeBody {
        inverse_mass: Vector3::repeat(0.5),
        inverse_inertia: Matrix3::identity() * 30.0,
        center,
        before: Motion::ZERO,
        linear: angular.cross(&center),
        angular,
        moving: Motion::ZERO,
    };
    let sides = [Side::Link { member: 0, link: 0 }, Side::Body(0)];
    let mut known: Vec<Contact> = Vec::new();
    for _ in 0..(3.0 * rate) as usize {
        run.predict();
        body.before = Motion {
            angular: body.angular,
            linear: body.linear,
        };
        body.center = center + body.linear * (dt / 2.0);
        let middle = UnitQuaternion::from_scaled_axis(body.angular * (dt / 2.0)) * turn;
        body.linear += GRAVITY * dt;
        let corners = [[0.15, 0.15], [0.15, -0.15], [-0.15, 0.15], [-0.15, -0.15]];
        let touching = corners.iter().enumerate().map(|(index, [x, y])| {
            let point = body.center + middle * Vector3::new(*x, *y, -0.05);
            let before = known.get(index);
            Contact {
                sides,
                friction_sides: sides,
                point,
                normal: Vector3::z(),
                separation_velocity: before.and_then(|known| known.separation_velocity),
                slip: before.and_then(|known| known.slip),
                distance: point.z,
                friction: 1.0,
                restitution: 0.0,
                tangent_velocity: Vector3::zeros(),
                share: 1.0,
                impulse: before.map_or(Vector3::zeros(), |known| known.impulse),
            }
        });
        known = touching.collect();
        run.step_with(std::slice::from_mut(&mut body), &mut known, &mut []);
        center += body.moving.linear * dt;
        turn = UnitQuaternion::from_scaled_axis(body.moving.angular * dt) * turn;
    }
    (center.xy().norm() - 1.0) / 3.0
}

/// The velocity after a step was that of the surface in its middle: the box drifted by ω²·r·dt/2 a second, 9.4 mm/s at 120 Hz.
#[test]
fn a_box_on_a_turntable_keeps_its_place() {
    for rate in [60.0, 120.0, 480.0] {
        let drift = drift(rate, 1.5);
        assert!(drift.abs() < 3e-4, "{rate} Hz: {drift} m/s");
    }
}

/// Returns the way of a robot that turns about z while it may not move along y and z, in 2 s at 1 m/s along x.
fn locked(rate: f64, speed: f64) -> Vector3<f64> {
    let links = [
        Link {
            parent: None,
            parent_from_joint: Isometry3::identity(),
            joint: Joint::Floating,
            inertia: Inertia::new(2.0, Vector3::zeros(), Matrix3::identity() * 0.1),
        },
        rod(Some(0), [0.0; 3], Vector3::z(), [0.001, 0.01], 0),
    ];
    let mut run = Run::of(&links, rate);
    run.base.gravity = Vector3::zeros();
    run.state.velocities[0] = 1.0;
    run.state.velocities[5] = speed;
    let mut velocity = Some(Motion::ZERO);
    let mut start = Vector3::zeros();
    for tick in 0..(3.0 * rate) as usize {
        if tick == rate as usize {
            start = position(&mut run);
        }
        run.predict();
        let sides = [
            Side::Prescribed(Vector3::zeros()),
            Side::Link { member: 0, link: 0 },
        ];
        let mut welds = [Weld {
            sides,
            point: run.point(0, Vector3::zeros()),
            error: Motion::ZERO,
            holds: [false, true, true, true, true, false],
            turning: Vector3::zeros(),
            velocity,
            impulse: Force::default(),
        }];
        run.step_with(&mut [], &mut [], &mut welds);
        velocity = welds[0].velocity;
    }
    position(&mut run) - start
}

fn position(run: &mut Run) -> Vector3<f64> {
    run.integrator
        .workspace
        .forward_kinematics(&run.tree, &run.base, &run.state);
    run.point(0, Vector3::zeros())
}

/// The velocities along the axes were zero at the end of each step, in the axes of its middle.
#[test]
fn a_turning_robot_keeps_to_its_locked_axes() {
    for (rate, speed) in [(60.0, 2.0), (120.0, 2.0), (120.0, 10.0), (480.0, 10.0)] {
        let end = locked(rate, speed);
        assert!(end.yz().norm() < 1e-6, "{rate} Hz, {speed} rad/s: {end:?}");
        // The first step begins with a velocity across the axis, in the axes of its middle.
        let faster = speed * speed / (rate * rate);
        assert!(
            (end.x - 2.0).abs() < 2.0 * faster + 1e-6,
            "{rate} Hz, {speed} rad/s: {end:?}"
        );
    }
}

/// A holder that is moved past physics takes along the body that it holds, by a fifth of the distance in a step.
#[test]
fn what_is_held_far_away_is_pulled_back() {
    let arm = rod(None, [0.0; 3], Vector3::y(), [0.5, ARM], 0);
    let mut run = Run::of(&[arm], 120.0);
    run.base.gravity = Vector3::zeros();
    let mut body = Carried::new(120.0, 0.0).body;
    let holder = Side::Prescribed(Vector3::zeros());
    let mut weld = [Weld {
        sides: [holder, Side::Body(0)],
        point: body.center,
        error: Motion {
            angular: Vector3::zeros(),
            linear: Vector3::x() * 5.0,
        },
        holds: [true; 6],
        turning: Vector3::zeros(),
        velocity: None,
        impulse: Force::default(),
    }];
    run.predict();
    run.step_with(std::slice::from_mut(&mut body), &mut [], &mut weld);
    let moved = body.moving.linear.x * run.dt;
    assert!((moved + 1.0).abs() < 1e-6, "{moved} m");
    assert!(body.linear.norm() < 1e-6, "{}", body.linear);
}
