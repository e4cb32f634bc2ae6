//! Cars: on steered and driven wheels, and on rays.

use super::{Arena, G, Test, actuator};

/// A car of 40 kg with a wheelbase of 0.8 m, a track of 0.5 m, and round tyres of 0.1 m.
const CAR: &str = "
frame base {
  frame hull { translation [0.4, 0, 0.15]; mass 30; inertia [1, 2, 2.5, 0, 0, 0];
    geometry { shape box; dimension [0.9, 0.3, 0.1]; } }
  frame steer_front_left { translation [0.8, 0.25, 0.1]; type revolute; axis [0, 0, 1]; mass 0.5;
    inertia [0.01, 0.01, 0.01, 0, 0, 0];
    frame wheel_front_left { type revolute; axis [0, 1, 0]; mass 2; geometry { shape sphere; radius 0.1; friction 1; } } }
  frame steer_front_right { translation [0.8, -0.25, 0.1]; type revolute; axis [0, 0, 1]; mass 0.5;
    inertia [0.01, 0.01, 0.01, 0, 0, 0];
    frame wheel_front_right { type revolute; axis [0, 1, 0]; mass 2; geometry { shape sphere; radius 0.1; friction 1; } } }
  frame wheel_rear_left { translation [0, 0.25, 0.1]; type revolute; axis [0, 1, 0]; mass 2;
    geometry { shape sphere; radius 0.1; friction 1; } }
  frame wheel_rear_right { translation [0, -0.25, 0.1]; type revolute; axis [0, 1, 0]; mass 2;
    geometry { shape sphere; radius 0.1; friction 1; } }
}
";

/// A car of 20 kg, whose springs begin 0.5 m ahead and behind, 0.3 m beside its centre.
const BUGGY: &str = "
frame base {
  frame hull { translation [0, 0, 0.6]; mass 20; center_of_mass [0, 0, -0.6]; inertia [1, 2, 2.5, 0, 0, 0];
    geometry { shape box; dimension [1.2, 0.5, 0.2]; } }
}
";

fn buggy(start: &str, more: &str) -> Test {
    buggy_that_is("", start, more)
}

fn buggy_that_is(settings: &str, start: &str, more: &str) -> Test {
    let wheel = |x: f64, y: f64, steer: u8, brake: f64| {
        format!(
            "(at: ({x}, {y}, 0.4), radius: 0.2, rest_length: 0.3, stiffness: 30, compression: 4, \
             damping: 6, friction: 2, steer: {steer}, brake: {brake})"
        )
    };
    let wheels = [
        wheel(0.5, 0.3, 1, 0.1),
        wheel(0.5, -0.3, 1, 0.1),
        wheel(-0.5, 0.3, 0, 1.3),
        wheel(-0.5, -0.3, 0, 1.3),
    ];
    let robot = format!(
        "{more} actuators: {{ \"motion\": (kind: \"steer_force\", {settings} start: ({start}), wheels: [{}]) }},",
        wheels.join(", ")
    );
    Arena {
        model: BUGGY,
        robot: &robot,
        ..Arena::default()
    }
    .build()
}

fn speed(test: &Test) -> f64 {
    test.body().linear_velocity.norm()
}

#[test]
fn a_car_stands_on_its_springs() {
    let mut test = buggy("", "");
    test.run(10.0);
    // Four springs of 30 N/m for each kilogram carry g: each is shorter by g / 120. At the start they
    // begin 0.4 m above the ground.
    let expected = 0.3 - G / 120.0 + 0.2 - 0.4;
    let position = test.position_on_slope();
    println!("stands at {position}, expected {expected}");
    assert!((position.z - expected).abs() < 1e-3, "{position}");
    let rest = test.body().pose;
    test.run(2.0);
    assert_eq!(test.body().pose, rest, "it rests");
    assert!(speed(&test) < 1e-6);
}

#[test]
fn force_drives_and_brakes_stop() {
    let mut test = buggy("", "");
    test.run(3.0);
    // 4 · 0.4 · 25 N on 20 kg.
    command(&test, &[("force", 25.0)]);
    test.run(1.0);
    println!("drives at {}", test.body().linear_velocity);
    assert!(
        (test.body().linear_velocity.x - 2.0).abs() < 0.04,
        "{}",
        test.body().linear_velocity
    );
    // 2 · (0.1 + 1.3) · 10 N on 20 kg.
    command(&test, &[("force", 0.0), ("brake", 10.0)]);
    test.run(1.0);
    println!("brakes to {}", test.body().linear_velocity);
    assert!(
        (test.body().linear_velocity.x - 0.6).abs() < 0.06,
        "{}",
        test.body().linear_velocity
    );
    test.run(2.0);
    assert!(speed(&test) < 1e-2, "{}", speed(&test));
    assert!(test.yaw().abs() < 1e-3 && test.position_on_slope().y.abs() < 1e-2);
}

#[test]
fn a_steered_car_drives_a_circle() {
    let mut test = buggy("", "");
    test.run(2.0);
    command(&test, &[("force", 12.5)]);
    test.run(1.0);
    command(&test, &[("force", 0.0), ("steer", 0.2)]);
    test.run(1.0);
    let (yaw, v) = (test.yaw(), test.body().linear_velocity);
    test.run(0.5);
    let rate = (test.yaw() - yaw) / 0.5;
    // Bicycle model at the rear axle: v tan(steer) / wheelbase; compliant tyres reduce it a little.
    let expected = (v.x * v.x + v.y * v.y).sqrt() * libm::tan(0.2) / 1.0;
    println!("turns at {rate} expected {expected}");
    assert!(
        (rate / expected - 1.0).abs() < 0.1,
        "{rate} instead of {expected}"
    );
}

/// Positive angles steer to the left and negative ones to the right while the car drives forward; in reverse it turns to the
/// other side. In MORSE a negative force drives forward; left stays left.
#[test]
fn a_car_turns_to_the_side_that_it_is_steered_to() {
    for (settings, ahead) in [("", 12.5), ("reversed: true,", -12.5)] {
        for (force, steer) in [
            (ahead, 0.15),
            (ahead, -0.15),
            (-ahead, 0.15),
            (-ahead, -0.15),
        ] {
            let mut test = buggy_that_is(settings, "", "");
            test.run(2.0);
            command(&test, &[("force", force)]);
            test.run(1.0);
            command(&test, &[("force", 0.0), ("steer", steer)]);
            test.run(0.8);
            let yaw = test.yaw();
            let v = test.body().linear_velocity;
            let along = v.x * libm::cos(yaw) + v.y * libm::sin(yaw);
            assert_eq!(along > 0.5, force == ahead, "{along} m/s");
            test.run(0.4);
            let rate = (test.yaw() - yaw) / 0.4;
            let expected = along * libm::tan(steer) / 1.0;
            assert!(
                (rate / expected - 1.0).abs() < 0.15,
                "{settings} {force} N, {steer} rad: {rate} instead of {expected}"
            );
        }
    }
}

/// Sends fields of a command.
fn command(test: &Test, fields: &[(&str, f64)]) {
    let mut message = bevy::reflect::structs::DynamicStruct::default();
    for (name, value) in fields {
        message.insert(*name, *value);
    }
    let sent = test
        .simulation
        .command_any("rover.motion", Box::new(message));
    sent.expect("a command");
}

#[test]
fn a_car_with_joints_drives_the_circle_that_it_is_told() {
    let robot = actuator("ackermann", "v: 0.5, w: 0.25");
    let mut test = Arena {
        model: CAR,
        robot: &robot,
        ..Arena::default()
    }
    .build();
    test.run(2.0);
    let (yaw, from) = (test.yaw(), test.position_on_slope());
    test.run(4.0);
    let rate = (test.yaw() - yaw) / 4.0;
    // The chord of 1 rad on a circle of 2 m.
    let chord = (test.position_on_slope() - from).norm();
    let expected = 2.0 * 2.0 * libm::sin(0.5);
    println!("ackermann: {rate}, chord {chord} expected {expected}");
    assert!((rate - 0.25).abs() < 0.25 * 0.01, "{rate} rad/s");
    assert!(
        (chord / expected - 1.0).abs() < 0.01,
        "{chord} instead of {expected}"
    );
}

#[test]
fn a_car_with_joints_drives_straight() {
    let robot = actuator("ackermann", "v: 1");
    let mut test = Arena {
        model: CAR,
        robot: &robot,
        ..Arena::default()
    }
    .build();
    test.run(2.0);
    let from = test.position_on_slope();
    test.run(4.0);
    let way = (test.position_on_slope() - from) / 4.0;
    println!("ackermann: {way}");
    assert!((way.x - 1.0).abs() < 0.01 && way.y.abs() < 0.02, "{way}");
}
