//! Rules of `motion: morse`: held robots, centre of mass, turning and driving.

use morse_api::{body::BodyState, service::Status};
use morse_sim::{Simulation, simulation::no_extensions};
use nalgebra::{UnitQuaternion, Vector3};
use serde_json::json;

use super::{Arena, G, Test, actuator};

/// Returns a built-in robot, on level ground, with these fields in addition to its model.
fn shipped(model: &str, fields: &str) -> Test {
    let text = format!(
        "Simulation(scene: \"environments/empty.robray\", environment: (motion: morse), robots: {{ \
         \"rover\": (model: \"robots/{model}.robray\", {fields}) }})"
    );
    let simulation = Simulation::parse(&text, ".", &no_extensions);
    Test {
        simulation: simulation.unwrap_or_else(|error| panic!("{error}\n{text}")),
        slope: 0.0,
    }
}

/// Returns the damping rate with which a fraction is lost in a second, 1/s.
fn damping(share: f64) -> f64 {
    -libm::log1p(-share)
}

fn deactivate(test: &mut Test) {
    let path = json!(["rover.motion"]);
    let call = test.simulation.call("simulation", "deactivate", &path);
    assert_eq!(call.reply().expect("at once").status, Status::Success);
}

#[track_caller]
fn assert_at(body: &BodyState, expected: [f64; 3], tolerance: f64) {
    let off = (body.pose.translation.vector - Vector3::from(expected)).norm();
    assert!(off < tolerance, "{off} m from {expected:?}: {}", body.pose);
}

#[test]
fn a_teleported_robot_is_at_its_pose() {
    // In the air, and half below the ground.
    for height in [3.0, -0.2] {
        let start = format!("x: 2, z: {height}, roll: 0.3, yaw: 1");
        let mut test = shipped("atrv", &actuator("teleport", &start));
        for _ in 0..30 {
            test.run(1.0 / 60.0);
            assert_at(&test.body(), [2.0, 0.0, height], 1e-4);
        }
        let turned = UnitQuaternion::from_euler_angles(0.3, 0.0, 1.0);
        let off = test.body().pose.rotation.angle_to(&turned);
        assert!(off < 1e-4, "{off} rad");
        let velocity = test.body().linear_velocity.norm();
        assert!(velocity < 1e-3, "{velocity} m/s");
        deactivate(&mut test);
        if height > 0.0 {
            // Free fall begins now.
            test.run(0.25);
            let speed = test.body().linear_velocity.z;
            assert!((speed + 0.25 * G).abs() < 0.02, "{speed} m/s");
        } else {
            test.run(1.0);
            assert!(test.body().pose.translation.z > 0.0, "{}", test.body().pose);
        }
    }
}

#[test]
fn wheels_come_along_with_a_teleported_robot() {
    for model in ["pioneer3dx", "segway_rmp400"] {
        let mut test = shipped(model, &actuator("teleport", "x: 8, y: -3, z: 1, yaw: 2"));
        test.run(0.5);
        assert_at(&test.body(), [8.0, -3.0, 1.0], 1e-3);
        let base = test.body().pose;
        let wheels = test.simulation.scene().bodies.keys();
        let wheels: Vec<String> = wheels
            .filter(|name| name.contains("wheel"))
            .cloned()
            .collect();
        assert!(wheels.len() >= 2, "{wheels:?}");
        for wheel in wheels {
            let wheel = test.simulation.body(&wheel).expect("one").pose;
            let arm = base.inverse() * wheel;
            assert!(arm.translation.vector.norm() < 0.6, "{model}: {arm}");
        }
    }
}

#[test]
fn what_is_oriented_at_infinite_speed_hangs_in_the_air() {
    let fields = format!(
        "at: (translation: (1, 2, 5)), locomotion: free, {}",
        actuator("orientation", "yaw: 1, pitch: 0.2")
    );
    let mut test = shipped("rmax", &fields);
    test.run(3.0);
    assert_at(&test.body(), [1.0, 2.0, 5.0], 1e-3);
    let turned = UnitQuaternion::from_euler_angles(0.0, 0.2, 1.0);
    assert!(test.body().pose.rotation.angle_to(&turned) < 1e-4);
    deactivate(&mut test);
    test.run(0.5);
    let fallen = 5.0 - test.body().pose.translation.z;
    assert!((fallen - G * 0.125).abs() < 0.05, "{fallen} m");
}

#[test]
fn errors_of_angles_are_rates_about_the_robots_axes() {
    let fields = "at: (translation: (0, 0, 5), rpy: (0.4, 0, 0)), locomotion: free, \
         actuators: { \"motion\": (kind: \"orientation\", speed: 0.5, start: (yaw: 1, pitch: 1, roll: 0.4)) },";
    let mut test = shipped("quadrotor", fields);
    test.run(0.1);
    let body = test.body();
    let rates = body.pose.rotation.inverse() * body.angular_velocity;
    let off = (rates - Vector3::new(0.0, 0.5, 0.5)).norm();
    // The roll that results from this is a separate error, which builds up slowly.
    assert!(off < 0.06, "{rates}");
}

#[test]
fn the_centre_of_mass_is_the_origin() {
    for model in [
        "atrv",
        "b21",
        "jido",
        "morsy",
        "hummer",
        "quadrotor",
        "pioneer3dx",
    ] {
        let test = shipped(model, "at: (translation: (1, 0, 3), rpy: (0.3, 0, 0))");
        let body = test.body();
        let off = (body.center_of_mass.coords - body.pose.translation.vector).norm();
        assert!(off < 1e-5, "{model}: {off} m");
    }
    // The same holds if the origin of a script's model is elsewhere.
    let test = shipped(
        "pioneer3dx",
        "origin: (0, 0, 0.1), at: (translation: (0, 0, 0.1))",
    );
    let body = test.body();
    assert!((body.center_of_mass.z - 0.1).abs() < 1e-5);
    let wheel = test.simulation.body("rover.wheel_left").expect("a wheel");
    assert!(
        (wheel.pose.translation.z - 0.0975).abs() < 1e-3,
        "{}",
        wheel.pose
    );
}

#[test]
fn friction_brakes_robots_and_does_not_tip_them_over() {
    for (model, height) in [("atrv", 0.1), ("b21", 0.0), ("jido", 0.0), ("morsy", 0.0)] {
        for (friction, mu) in [(0.5, 0.25), (5.0, 2.5)] {
            let fields = format!(
                "friction: {friction}, at: (translation: (0, 0, {height})), {}",
                actuator("v_omega", "v: 1")
            );
            let mut test = shipped(model, &fields);
            test.run(1.0);
            let from = test.position_on_slope().x;
            test.run(2.0);
            let speed = (test.position_on_slope().x - from) / 2.0;
            let up = (test.body().pose.rotation * Vector3::z()).z;
            println!("{model}, {friction}: {speed} m/s, up {up}");
            assert!(up > 0.999, "{model}, friction {friction}: leans, {up}");
            // Two steps per tick, each with μ g / 120 less.
            let expected = 1.0 - mu * G / 80.0;
            assert!(
                (speed - expected).abs() < 0.03,
                "{model}, friction {friction}: {speed} instead of {expected}"
            );
        }
    }
}

#[test]
fn a_robot_of_locked_height_is_pushed_along() {
    let (linear, angular) = (damping(0.0254), damping(0.18));
    let fields = format!(
        "at: (translation: (0, 0, 0.1)), locked: [z], linear_damping: {linear}, angular_damping: {angular}, {}",
        actuator("force_torque", "force: (100, 0, 0)")
    );
    let mut test = shipped("atrv", &fields);
    test.run(1.0);
    let body = test.body();
    let expected = 100.0 / 20.0 * (1.0 - libm::exp(-linear)) / linear;
    let speed = body.linear_velocity.x;
    println!("pushed to {speed}, expected {expected}");
    assert!(
        (speed - expected).abs() < 0.15,
        "{speed} instead of {expected}"
    );
    assert!(
        (body.pose.translation.z - 0.1).abs() < 1e-4,
        "{}",
        body.pose
    );
    assert!(body.pose.rotation.angle() < 0.02, "{}", body.pose);
}

#[test]
fn a_locked_axis_does_not_move() {
    for motion in ["default", "morse"] {
        let arena = |locked: &str, more: &str| {
            let robot = format!("at: (translation: (0, 0, 5)), locked: [{locked}], {more}");
            let mut test = open(motion, &robot);
            test.run(1.0);
            test.body()
        };
        let free = arena("", "");
        assert!(free.pose.translation.z < 1.0, "{motion}: {}", free.pose);
        let hung = arena("z", "");
        assert_at(&hung, [0.0, 0.0, 5.0], 1e-5);
        let force = actuator(
            "external_force",
            "force: (8, 8, 0), torque: (0.1, 0.1, 0.1)",
        );
        let pushed = arena("z, x, rotation_x, rotation_z", &force);
        let moved = pushed.center_of_mass - hung.center_of_mass;
        assert!(
            moved.x.abs() < 1e-5 && moved.z.abs() < 1e-5,
            "{motion}: {moved}"
        );
        assert!(moved.y > 0.1, "{motion}: {moved}");
        let turned = pushed.pose.rotation.scaled_axis();
        assert!(turned.y > 0.01, "{motion}: {turned}");
        assert!(
            turned.x.abs() < 1e-5 && turned.z.abs() < 1e-5,
            "{motion}: {turned}"
        );
        // Commanded velocities are no forces, but obey it too.
        let driven = arena(
            "z, y",
            &format!("locomotion: free, {}", actuator("xy_omega", "x: 1, y: 1")),
        );
        let at = driven.pose.translation.vector;
        assert!(at.y.abs() < 1e-5 && at.x > 0.5, "{motion}: {at}");
    }
}

/// Returns a robot of the arena's own model, in the air.
fn open(motion: &str, robot: &str) -> Test {
    let text = format!(
        "Simulation(scene: \"environments/empty.robray\", environment: (motion: {motion}), robots: {{ \
         \"rover\": (model: \"robots/rmax.robray\", {robot}) }})"
    );
    let simulation = Simulation::parse(&text, ".", &no_extensions);
    Test {
        simulation: simulation.unwrap_or_else(|error| panic!("{error}\n{text}")),
        slope: 0.0,
    }
}

#[test]
fn arcs_end_where_they_should() {
    for (v, w, seconds) in [(1.0, 0.5, 4.0), (1.0, -0.8, 3.0), (0.5, 1.0, 5.0)] {
        let (linear, angular) = (damping(0.0254), damping(0.18));
        let fields = format!(
            "at: (translation: (0, 0, 0.1)), linear_damping: {linear}, angular_damping: {angular}, {}",
            actuator("v_omega", &format!("v: {v}, w: {w}"))
        );
        let mut test = shipped("atrv", &fields);
        test.run(seconds);
        let turned: f64 = w * seconds;
        let radius = v / w;
        let expected = [
            radius * libm::sin(turned),
            radius * (1.0 - libm::cos(turned)),
            0.1,
        ];
        println!(
            "{v} m/s, {w} rad/s: {} instead of {expected:?}",
            test.body().pose
        );
        assert_at(&test.body(), expected, 0.1);
        let off = morse_api::angles::normalized(test.yaw() - turned);
        assert!(off.abs() < 0.1, "{off} rad");
    }
}

#[test]
fn turning_keeps_its_share_of_both_speeds() {
    for (v, w) in [(0.0, 0.5), (0.5, -0.4)] {
        let robot = actuator("v_omega", &format!("v: {v}, w: {w}"));
        let mut test = Arena {
            environment: "motion: morse",
            robot: &robot,
            ..Arena::default()
        }
        .build();
        test.run(1.0);
        let from = test.yaw();
        test.run(4.0);
        let rate = (test.yaw() - from) / 4.0;
        assert!((rate / w - 0.985).abs() < 0.005, "{v}, {w}: {rate}");
        let speed = test.body().linear_velocity.xy().norm();
        assert!((speed - 0.985 * v).abs() < 0.005, "{v}, {w}: {speed} m/s");
    }
}

/// Returns MORSE's car in equilibrium on its springs, driven by a negative force as there. Each spring yields by 1/15 of its
/// load; the front carries 2.3/3.9 of the weight and the rear 1.6/3.9: its origin is 0.169 m lower than 1.3 m.
fn car() -> Test {
    let fields = format!(
        "at: (translation: (0, 0, 1.1313)), linear_damping: {}, actuators: {{ \"motion\": (\
         kind: \"steer_force\", reversed: true) }},",
        damping(0.4)
    );
    let mut test = shipped("hummer", &fields);
    test.run(2.0);
    assert_at(&test.body(), [0.0, 0.0, 1.1313], 3e-3);
    test
}

fn drive(test: &Test, force: f64, brake: f64, steer: f64) {
    let mut message = bevy::reflect::structs::DynamicStruct::default();
    for (name, value) in [("force", force), ("brake", brake), ("steer", steer)] {
        message.insert(name, value);
    }
    let sent = test
        .simulation
        .command_any("rover.motion", Box::new(message));
    sent.expect("a command");
}

#[test]
fn a_car_accelerates_brakes_and_steers_by_the_rule() {
    let lost = damping(0.4);
    let mut test = car();
    drive(&test, -20.0, 0.0, 0.0);
    test.run(2.0);
    // Four wheels, each with 0.4 of the force, on 10 kg.
    let expected = 4.0 * 0.4 * 20.0 / 10.0 * (1.0 - libm::exp(-2.0 * lost)) / lost;
    let speed = test.body().linear_velocity.x;
    println!("drives at {speed}, expected {expected}");
    assert!(
        (speed / expected - 1.0).abs() < 0.02,
        "{speed} instead of {expected}"
    );
    // Impulses in each of 120 steps a second: 2 · 0.1 and 2 · 1.3 of 0.1 N·s.
    let push = 2.8 * 0.1 * 120.0 / 10.0;
    drive(&test, 0.0, 0.1, 0.0);
    test.run(0.5);
    let left = libm::exp(-0.5 * lost);
    let expected = speed * left - push * (1.0 - left) / lost;
    let braked = test.body().linear_velocity.x;
    println!("brakes to {braked}, expected {expected}");
    assert!(
        (braked - expected).abs() < 0.05,
        "{braked} instead of {expected}"
    );
    test.run(3.0);
    let (stopped, from) = (test.body().linear_velocity.norm(), test.position_on_slope());
    test.run(1.0);
    assert!(
        stopped < 0.01 && (test.position_on_slope() - from).norm() < 5e-3,
        "{stopped} m/s"
    );
    // Bicycle model with compliant tyres: v tan(steer) / wheelbase.
    drive(&test, -10.0, 0.0, 0.2);
    test.run(2.5);
    let (yaw, v) = (test.yaw(), test.body().linear_velocity.xy().norm());
    test.run(0.25);
    let rate = (test.yaw() - yaw) / 0.25;
    let expected = v * libm::tan(0.2) / 3.9;
    println!("turns at {rate}, expected {expected}");
    assert!(
        (rate / expected - 1.0).abs() < 0.15,
        "{rate} instead of {expected}"
    );
}

#[test]
fn a_hard_brake_stops_a_car_and_leaves_it_standing() {
    let mut test = car();
    drive(&test, -20.0, 0.0, 0.0);
    test.run(1.0);
    drive(&test, 0.0, 50.0, 0.0);
    // It pitches, and oscillates on its springs for a while.
    test.run(3.0);
    let from = test.position_on_slope();
    for _ in 0..60 {
        test.run(1.0 / 60.0);
        let speed = test.body().linear_velocity.norm();
        assert!(speed < 0.05, "{speed} m/s");
    }
    let crept = (test.position_on_slope() - from).norm();
    assert!(crept < 0.01, "{crept} m");
    let up = (test.body().pose.rotation * Vector3::z()).z;
    assert!(up > 0.999, "{up}");
}
