//! Motions with velocities and accelerations known by formula, measured at regular and irregular intervals.
use std::f64::consts::PI;

use bevy::{ecs::system::SystemState, prelude::World};
use morse_api::{angles::from_yaw_pitch_roll, body::BodyState};
use nalgebra::Point3;

use super::*;

const G: f64 = 9.81;

/// Ticks at which a sensor measures: regularly, at a frequency that does not divide the rate, and rarely.
const TICKS: [&[u64]; 3] = [
    &[1, 2, 3, 4, 5, 6],
    &[1, 9, 18, 26, 27, 60],
    &[1, 61, 121, 181],
];

const MODES: [ComputationMode; 2] = [ComputationMode::Velocity, ComputationMode::Position];

/// Returns the motion of a sensor that starts at a pose, measured from poses.
fn starting(pose: Isometry3<f64>, linear: [f64; 3]) -> Motion {
    let velocity = WorldVelocity::of_point(linear.into(), Vector3::zeros());
    Motion {
        pose,
        velocity,
        ..Motion::default()
    }
}

fn measure_in(
    motion: &mut Motion,
    mode: ComputationMode,
    clock: Clock,
    (pose, velocity): (Isometry3<f64>, WorldVelocity),
) -> Moved {
    let mut world = World::new();
    world.insert_resource(clock);
    world.insert_resource(Gravity(Vector3::z() * -G));
    world.insert_resource(MotionMode::Default);
    let mut state = SystemState::<Moment<'_>>::new(&mut world);
    let moment = state.get(&world).expect("its resources");
    motion.measure(mode, &WorldPose(pose), &velocity, &moment)
}

fn measure(motion: &mut Motion, tick: u64, pose: Isometry3<f64>) -> Moved {
    let clock = Clock { tick, rate: 60.0 };
    let state = (pose, WorldVelocity::default());
    measure_in(motion, ComputationMode::Position, clock, state)
}

/// Returns the pose and velocity of a sensor on a body.
fn on(body: &BodyState, mount: &Isometry3<f64>) -> (Isometry3<f64>, WorldVelocity) {
    let pose = body.pose * mount;
    let velocity = WorldVelocity::on(body, &pose.translation.vector.into());
    (pose, velocity)
}

/// Returns a mount pose off all axes, rotated about all of them.
fn off_center() -> Isometry3<f64> {
    Isometry3::new(Vector3::new(0.7, -0.4, 0.3), Vector3::new(0.3, -1.0, 2.0))
}

/// Measures a motion at ticks and compares velocity and acceleration, in the axes of the sensor, with their exact values.
/// From poses these are known from the second interval on.
fn check(
    mode: ComputationMode,
    rate: f64,
    ticks: &[u64],
    at: impl Fn(f64) -> (Isometry3<f64>, WorldVelocity),
    acceleration: impl Fn(f64) -> Vector3<f64>,
    tolerance: f64,
) {
    let clock = |tick| Clock { tick, rate };
    let (pose, velocity) = at(0.0);
    let mut motion = Motion::at(pose, velocity, &clock(0));
    for &tick in ticks {
        let time = tick as f64 / rate;
        let now = at(time);
        let moved = measure_in(&mut motion, mode, clock(tick), now);
        let off = moved.acceleration - acceleration(time);
        let what = format!("{mode:?}, {rate} Hz, tick {tick}");
        assert!(
            off.norm() < tolerance,
            "{what}: {:?} instead of {:?}",
            moved.acceleration,
            acceleration(time)
        );
        if mode == ComputationMode::Velocity {
            assert!((moved.linear - now.1.linear).norm() < 1e-9, "{what}");
            assert!((moved.angular - now.1.angular).norm() < 1e-9, "{what}");
        }
    }
}

#[test]
fn constant_rates_are_exact_at_any_lever_arm_and_frequency() {
    // A body on a screw: its velocity and angular velocity are constant in its own axes.
    let (linear, angular) = (Vector3::new(1.0, 0.3, -0.2), Vector3::new(0.5, -1.0, 6.0));
    let center = Vector3::new(0.1, 0.05, -0.2);
    let start = Isometry3::new(Vector3::new(3.0, -4.0, 5.0), Vector3::new(1.0, 2.0, -0.5));
    let (rate, axis) = (angular.norm(), angular.normalize());
    let along = axis * axis.dot(&linear);
    // Point of the body on the axis of rotation.
    let pivot = axis.cross(&linear) / rate;
    let at = |time: f64| {
        let rotation = UnitQuaternion::from_scaled_axis(angular * time);
        let origin = pivot + along * time - rotation * pivot;
        let pose = start * Isometry3::from_parts(origin.into(), rotation);
        let body = BodyState {
            pose,
            linear_velocity: pose.rotation * (linear + angular.cross(&center)),
            angular_velocity: pose.rotation * angular,
            center_of_mass: pose * Point3::from(center),
            mass: 5.0,
        };
        on(&body, &off_center())
    };
    let acceleration = |time: f64| {
        let (_, velocity) = at(time);
        velocity.angular.cross(&velocity.linear)
    };
    for mode in MODES {
        for rate in [10.0, 60.0, 1000.0] {
            for ticks in TICKS {
                // The shorter rotation is the wrong one for poses more than half a turn apart.
                let widest = ticks.windows(2).map(|two| two[1] - two[0]).max();
                let turn = widest.unwrap_or(1) as f64 / rate * angular.norm();
                if mode == ComputationMode::Velocity || turn < PI {
                    check(mode, rate, ticks, at, acceleration, 1e-6);
                }
            }
        }
    }
}

#[test]
fn a_thrown_body_that_spins_feels_its_spin_alone() {
    let (thrown, angular) = (Vector3::new(4.0, -1.0, 6.0), Vector3::new(0.0, 2.0, 5.0));
    let center = Vector3::new(0.1, 0.05, -0.2);
    let at = |mount: &Isometry3<f64>, time: f64| {
        let rotation = UnitQuaternion::from_scaled_axis(angular * time);
        let middle = thrown * time - Vector3::z() * (G * time * time / 2.0);
        let body = BodyState {
            pose: Isometry3::from_parts((middle - rotation * center).into(), rotation),
            linear_velocity: thrown - Vector3::z() * (G * time),
            angular_velocity: angular,
            center_of_mass: middle.into(),
            mass: 5.0,
        };
        on(&body, mount)
    };
    for mount in [off_center(), Isometry3::translation(0.1, 0.05, -0.2)] {
        let acceleration = |time: f64| {
            let (_, velocity) = at(&mount, time);
            let arm = velocity.linear - velocity.center;
            Vector3::z() * -G + velocity.angular.cross(&arm)
        };
        for rate in [10.0, 60.0, 1000.0] {
            for ticks in TICKS {
                let at = |time| at(&mount, time);
                check(
                    ComputationMode::Velocity,
                    rate,
                    ticks,
                    at,
                    acceleration,
                    1e-6,
                );
            }
        }
    }
}

#[test]
fn a_wheel_that_rolls_feels_the_way_to_its_hub() {
    let (radius, omega) = (0.3, 5.0);
    let at = |time: f64| {
        let body = BodyState {
            pose: Isometry3::new(
                Vector3::new(radius * omega * time, 0.0, radius),
                Vector3::y() * (omega * time),
            ),
            linear_velocity: Vector3::x() * (radius * omega),
            angular_velocity: Vector3::y() * omega,
            center_of_mass: Point3::new(radius * omega * time, 0.0, radius),
            mass: 1.0,
        };
        on(&body, &Isometry3::translation(0.2, 0.1, 0.0))
    };
    let acceleration = |time: f64| {
        let arm = UnitQuaternion::from_scaled_axis(Vector3::y() * (omega * time)) * Vector3::x();
        arm * (-omega * omega * 0.2)
    };
    for ticks in TICKS {
        check(
            ComputationMode::Velocity,
            60.0,
            ticks,
            at,
            acceleration,
            1e-9,
        );
    }
}

#[test]
fn speeding_up_on_a_circle_is_late_by_less_than_an_interval() {
    // v = 1 + 2 t at 1.5 rad/s: 2 m/s² ahead, 1.5 v to the left.
    let (turning, push, rate) = (1.5, 2.0, 60.0);
    let speed = |time: f64| 1.0 + push * time;
    let at = |time: f64| {
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::z() * (turning * time));
        let body = BodyState {
            pose: Isometry3::from_parts(Vector3::zeros().into(), rotation),
            linear_velocity: rotation * Vector3::x() * speed(time),
            angular_velocity: Vector3::z() * turning,
            ..BodyState::default()
        };
        on(&body, &Isometry3::identity())
    };
    let acceleration = |time: f64| {
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::z() * (turning * time));
        rotation * Vector3::new(push, turning * speed(time), 0.0)
    };
    let late = turning * push / rate;
    check(
        ComputationMode::Velocity,
        rate,
        TICKS[0],
        at,
        acceleration,
        late,
    );
}

#[test]
fn poses_of_a_constant_acceleration_measured_unevenly() {
    let at = |tick: u64| {
        let time = tick as f64 / 60.0;
        Isometry3::translation(1.0 + 3.0 * time + 0.5 * 2.0 * time * time, 0.0, 0.0)
    };
    let mut motion = starting(at(0), [3.0, 0.0, 0.0]);
    let mut before = 0;
    for tick in [1, 9, 18, 26, 27, 60] {
        let moved = measure(&mut motion, tick, at(tick));
        assert!((moved.acceleration - Vector3::x() * 2.0).norm() < 1e-9);
        let mean = 3.0 + 2.0 * (before + tick) as f64 / 120.0;
        assert!((moved.linear.x - mean).abs() < 1e-9);
        assert!((moved.distance - mean * (tick - before) as f64 / 60.0).abs() < 1e-9);
        before = tick;
    }
}
#[test]
fn a_turn_through_the_back_is_small() {
    // Rotations about each axis, past π, where Euler angles wrap.
    for (axis, angles) in [
        (Vector3::z(), [1.0, 0.0, 0.0]),
        (Vector3::y(), [0.0, 1.0, 0.0]),
        (Vector3::x(), [0.0, 0.0, 1.0]),
    ] {
        let at = |angle: f64| {
            Isometry3::from_parts(
                Vector3::zeros().into(),
                from_yaw_pitch_roll(angles.map(|value| value * angle)),
            )
        };
        for angle in [-PI, -PI / 2.0, 0.0, PI / 2.0, PI] {
            let mut motion = starting(at(angle - 0.02), [0.0; 3]);
            let moved = measure(&mut motion, 6, at(angle + 0.03));
            assert!((moved.angular - axis * 0.5).norm() < 1e-9, "{moved:?}");
        }
    }
}

#[test]
fn turns_of_any_size() {
    let axis = Vector3::new(1.0, -2.0, 0.5).normalize();
    let by = |angle| UnitQuaternion::new(axis * angle);
    let from = UnitQuaternion::new(Vector3::new(0.3, 2.0, -1.0));
    for angle in [0.0, 1e-300, 1e-12, 1e-3, 1.0, 3.1] {
        let actual = turn(&from, &(by(angle) * from));
        assert!((actual - axis * angle).norm() < 1e-9, "{angle}: {actual}");
        // The same orientation with the opposite sign of the quaternion.
        let other = UnitQuaternion::new_unchecked(-(by(angle) * from).into_inner());
        assert!((turn(&from, &other) - axis * angle).norm() < 1e-9);
    }
}
