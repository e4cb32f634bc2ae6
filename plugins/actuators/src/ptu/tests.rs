//! A unit without joints, compared with closed forms.
use morse_api::service::{Reply, Status};
use morse_testing::{TestWorld, moving};
use serde_json::{Value as Json, json};

use super::*;

fn test_world(text: &str) -> (TestWorld, Entity) {
    let mut test = TestWorld::new(50.0, plugin, BodyState::default());
    let unit = test.actuator::<Ptu>("rover.ptu", text, Isometry3::translation(0.0, 0.0, 1.0));
    test.step(BodyState::default());
    (test, unit)
}

fn run(test: &mut TestWorld, ticks: u32) {
    for _ in 0..ticks {
        test.step(BodyState::default());
    }
}

fn angles(test: &TestWorld, unit: Entity) -> [f64; 2] {
    let now = test.get::<PanTilt>(unit);
    [now.pan, now.tilt]
}

fn near(actual: [f64; 2], expected: [f64; 2]) {
    let off = (actual[0] - expected[0])
        .abs()
        .max((actual[1] - expected[1]).abs());
    assert!(off < 1e-9, "{actual:?}, not {expected:?}");
}

#[test]
fn axes_turn_at_the_speed_and_stay_at_the_goal() {
    let (mut test, unit) = test_world("(speed: 0.5)");
    test.send(
        unit,
        PtuCommand {
            pan: 0.305,
            tilt: -0.1,
        },
    );
    run(&mut test, 10);
    // Ten ticks of 20 ms at 0.5 rad/s.
    near(angles(&test, unit), [0.1, -0.1]);
    run(&mut test, 50);
    near(angles(&test, unit), [0.305, -0.1]);
    let plate = test.get::<Carrier>(unit);
    // R = Rz(pan) · Ry(tilt).
    let ahead = plate.plate.rotation * Vector3::x();
    let expected = Vector3::new(
        libm::cos(0.305_f64) * libm::cos(0.1_f64),
        libm::sin(0.305_f64) * libm::cos(0.1_f64),
        libm::sin(0.1_f64),
    );
    assert!((ahead - expected).norm() < 1e-9);
    assert!(plate.angular.norm() < 1e-12);
}

#[test]
fn the_plate_turns_about_both_axes() {
    let (mut test, unit) = test_world("(tilt_at: (0.1, 0, 0.2))");
    test.send(
        unit,
        PtuCommand {
            pan: 1.0,
            tilt: 1.0,
        },
    );
    run(&mut test, 20);
    let before = *test.get::<Carrier>(unit);
    run(&mut test, 1);
    let after = *test.get::<Carrier>(unit);
    let moved = (after.plate.translation.vector - before.plate.translation.vector) * 50.0;
    // The average over a tick differs from the value at its end by half a tick's acceleration.
    assert!(
        (moved - after.linear).norm() < 0.1 * 0.02,
        "{moved} {}",
        after.linear
    );
    let (sin, cos) = libm::sincos(angles(&test, unit)[0]);
    let expected = Vector3::new(-sin, cos, 1.0);
    assert!((after.angular - expected).norm() < 1e-9);
}

#[test]
fn from_three_to_minus_three_it_turns_back_through_zero() {
    let (mut test, unit) = test_world("()");
    test.send(
        unit,
        PtuCommand {
            pan: 3.0,
            tilt: 0.0,
        },
    );
    run(&mut test, 200);
    test.send(
        unit,
        PtuCommand {
            pan: -3.0,
            tilt: 0.0,
        },
    );
    run(&mut test, 150);
    near(angles(&test, unit), [0.0, 0.0]);
}

fn ended(test: &mut TestWorld, service: &str, arguments: Json) -> Reply {
    let call = test.call("rover.ptu", service, arguments);
    for _ in 0..1000 {
        if let Some(reply) = call.reply() {
            return reply;
        }
        run(test, 1);
    }
    panic!("{service} never ends");
}

#[test]
fn requests_end_when_the_angles_are_reached() {
    let (mut test, unit) = test_world("()");
    let reply = ended(&mut test, "set_pan_tilt", json!([0.5, 0.2]));
    assert_eq!(reply.status, Status::Success);
    let [pan, tilt] = angles(&test, unit);
    assert!((pan - 0.5).abs() <= 0.01 && (tilt - 0.2).abs() < 1e-9);
    run(&mut test, 2);
    assert_eq!(
        ended(&mut test, "get_pan_tilt", json!([])).value,
        json!([0.5, 0.2])
    );
    // The unit is at a height of 1 m.
    assert_eq!(
        ended(&mut test, "look_at_point", json!([2, 2, 1])).status,
        Status::Success
    );
    run(&mut test, 2);
    near(angles(&test, unit), [std::f64::consts::FRAC_PI_4, 0.0]);
    let refused = ended(&mut test, "look_at_object", json!(["ghost"]));
    assert_eq!(refused.status, Status::Failed);
    assert_eq!(
        refused.value,
        json!("there is no robot, frame or component `ghost` to look at")
    );
    near(angles(&test, unit), [std::f64::consts::FRAC_PI_4, 0.0]);
}

#[test]
fn a_newer_request_interrupts_and_cancel_stops() {
    let (mut test, unit) = test_world("()");
    let first = test.call("rover.ptu", "set_pan_tilt", json!([2, 0]));
    run(&mut test, 10);
    let second = test.call("rover.ptu", "look_at_point", json!([0, -1, 1]));
    assert_eq!(first.reply().unwrap().status, Status::Preempted);
    run(&mut test, 5);
    near(angles(&test, unit), [0.1, 0.0]);
    morse_api::service::cancel(test.app.world_mut(), second.ticket);
    assert_eq!(second.reply().unwrap().status, Status::Preempted);
    run(&mut test, 20);
    near(angles(&test, unit), [0.1, 0.0]);
}

#[test]
fn a_unit_on_a_tilted_robot_looks_at_the_point_itself() {
    let (mut test, unit) = test_world("()");
    let mut robot = moving([1.0, 2.0, 0.0], 0.8, [0.0; 3], [0.0; 3]);
    robot.pose.rotation *= UnitQuaternion::from_euler_angles(0.3, -0.4, 0.0);
    test.step(robot);
    let point = Vector3::new(-3.0, 4.0, 2.5);
    test.call("rover.ptu", "look_at_point", json!([-3, 4, 2.5]));
    for _ in 0..400 {
        test.step(robot);
    }
    let mount = test.get::<Mount>(unit).body_from_component;
    let plate = robot.pose * mount * test.get::<Carrier>(unit).plate;
    let seen = plate.inverse_transform_point(&point.into());
    assert!(
        seen.x > 0.0 && seen.y.abs() < 1e-9 && seen.z.abs() < 1e-9,
        "{seen}"
    );
}

#[test]
fn a_manual_unit_obeys_requests_alone() {
    let (mut test, unit) = test_world("(manual: true)");
    test.send(
        unit,
        PtuCommand {
            pan: 1.0,
            tilt: 0.0,
        },
    );
    run(&mut test, 20);
    near(angles(&test, unit), [0.0, 0.0]);
    assert_eq!(
        ended(&mut test, "set_pan_tilt", json!([0.2, 0])).status,
        Status::Success
    );
    let refused = ended(&mut test, "set_pan_tilt", json!([0.2]));
    assert_eq!(refused.status, Status::Failed);
}

#[test]
fn unknown_joints_are_refused() {
    let (mut test, unit) = test_world("()");
    test.joints(&["rover.pan"]);
    let check = |text: &str| morse_testing::settings::<Ptu>(text).check(test.app.world(), unit);
    assert_eq!(morse_testing::out_of_range::<Ptu>("(speed: -1)"), ["speed"]);
    assert_eq!(
        check(r#"(pan: "neck", tilt: "nod")"#)
            .unwrap_err()
            .to_string(),
        "the robot has no joint `neck`"
    );
}
