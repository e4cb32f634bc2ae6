//! One action computed by hand, and flights of a robot that the test moves.
use std::f64::consts::{FRAC_PI_2, PI};

use morse_api::service::cancel;
use morse_testing::{TestWorld, moving, settings};
use nalgebra::Matrix3;
use proptest::prelude::*;
use serde_json::json;

use super::*;

const PATH: &str = "rover.flight";

fn at(position: [f64; 3], yaw: f64, velocity: [f64; 3]) -> BodyState {
    BodyState {
        mass: 2.0,
        ..moving(position, yaw, velocity, [0.0; 3])
    }
}

fn test_world(text: &str, state: BodyState) -> (TestWorld, Entity) {
    let mut test = TestWorld::new(60.0, plugin, state);
    let inertia = Inertia(Matrix3::from_diagonal(&Vector3::new(0.08, 0.09, 0.16)));
    test.app.world_mut().entity_mut(test.robot).insert(inertia);
    let mount = Isometry3::translation(0.3, 0.0, 0.1);
    let actuator = test.actuator::<RotorcraftWaypoint>(PATH, text, mount);
    (test, actuator)
}

fn near(test: &TestWorld, actuator: Entity, up: f64, twist: [f64; 3]) {
    let Drive::Thrust { force, torque } = *test.get::<Drive>(actuator) else {
        panic!("no thrust")
    };
    assert!((force - Vector3::z() * up).norm() < 1e-9, "{force}");
    assert!((torque - Vector3::from(twist)).norm() < 1e-9, "{torque}");
}

fn status(test: &mut TestWorld) -> String {
    let reply = test.call(PATH, "get_status", json!(null)).reply().unwrap();
    reply.value.as_str().unwrap().to_owned()
}

#[test]
fn it_hovers_where_it_starts() {
    let start = at([1.0, 2.0, 3.0], 2.0, [0.0; 3]);
    let (mut test, flight) = test_world("()", start);
    test.step(start);
    near(&test, flight, 2.0 * 9.81, [0.0; 3]);
    assert_eq!(status(&mut test), "Arrived");
}

#[test]
fn gravity_is_the_scenes() {
    let start = at([0.0; 3], 0.0, [0.0; 3]);
    let (mut test, flight) = test_world("()", start);
    test.app
        .insert_resource(Gravity(Vector3::new(0.0, 0.0, -1.62)));
    test.step(start);
    near(&test, flight, 2.0 * 1.62, [0.0; 3]);
}

#[test]
fn one_step_by_hand() {
    // Heads north; the goal is 1 m ahead, 0.5 m to the left, 0.25 m up; forward velocity 0.4 m/s.
    let start = at([5.0, 5.0, 5.0], FRAC_PI_2, [0.0, 0.4, 0.1]);
    let (mut test, flight) = test_world("()", start);
    let goal = json!([4.5, 6.0, 5.25, FRAC_PI_2 + 0.3]);
    let reply = test.call(PATH, "setdest", goal).reply().unwrap();
    assert_eq!(reply.value, json!(true));
    test.step(start);
    let thrust = 19.62 + 8.0 * 0.25 - 8.0 * 0.1;
    let share = thrust / 19.62;
    let (pitch, roll) = (PI / 30.0 - PI / 22.5 * 0.4, -PI / 30.0 * 0.5);
    let twist = [
        0.08 * 9.7 * roll * share,
        0.09 * 9.7 * pitch * share,
        0.16 * 12.0 * 0.3 * share,
    ];
    near(&test, flight, thrust, twist);
    // In the next action half of the distance ahead is covered.
    let next = at([5.0, 5.5, 5.0], FRAC_PI_2, [0.0, 0.4, 0.1]);
    test.step(next);
    test.step(next);
    let rate = -PI / 30.0 * 0.5 * 60.0;
    let pitch = PI / 60.0 - PI / 22.5 * 0.4;
    let twist = [
        0.08 * 9.7 * roll * share,
        0.09 * (9.7 * pitch + 2.0 * rate) * share,
        0.16 * 12.0 * 0.3 * share,
    ];
    near(&test, flight, thrust, twist);
}

#[test]
fn far_goals_lean_it_by_the_steepest_bank_only() {
    let start = at([0.0; 3], 0.0, [0.0; 3]);
    let (mut test, flight) = test_world("(max_bank_angle: 0.4)", start);
    drop(test.call(PATH, "setdest", json!([100.0, -100.0, 0.0, 0.0])));
    test.step(start);
    near(
        &test,
        flight,
        19.62,
        [0.08 * 9.7 * 0.4, 0.09 * 9.7 * 0.4, 0.0],
    );
}

#[test]
fn goto_answers_when_it_is_there() {
    let start = at([0.0; 3], 0.0, [0.0; 3]);
    let (mut test, _) = test_world("()", start);
    let call = test.call(PATH, "goto", json!([2.0, 0.0, 1.0, 0.0]));
    assert_eq!(status(&mut test), "Transit");
    test.step(start);
    test.step(at([1.9, 0.0, 0.8], 0.0, [0.0; 3]));
    test.step(at([1.9, 0.0, 0.9], 0.0, [0.0; 3]));
    assert_eq!(call.reply(), None, "0.22 m are left");
    test.step(start);
    let reply = call.reply().expect("0.14 m are within the tolerance");
    assert_eq!(
        (reply.status, reply.value),
        (Status::Success, json!("Arrived"))
    );
    test.step(start);
    assert_eq!(status(&mut test), "Transit", "it was moved away again");
    let near = json!([0.1, 0.0, 0.0, 0.0]);
    let reply = test.call(PATH, "setdest", near).reply().unwrap();
    assert_eq!(reply.value, json!(false), "there is no way to go");
}

#[test]
fn a_newer_goto_or_a_cancel_preempts() {
    let start = at([0.0; 3], 0.0, [0.0; 3]);
    let (mut test, flight) = test_world("()", start);
    let first = test.call(PATH, "goto", json!([5.0, 0.0, 0.0, 0.0]));
    test.step(start);
    let second = test.call(PATH, "goto", json!([2.0, 0.0, 0.0, 0.0]));
    assert_eq!(first.reply().unwrap().status, Status::Preempted);
    test.step(at([1.0, 0.5, 0.0], 0.7, [0.0; 3]));
    cancel(test.app.world_mut(), second.ticket);
    assert_eq!(second.reply().unwrap().status, Status::Preempted);
    let goal = *test.get::<RotorcraftWaypointCommand>(flight);
    assert!((goal.x - 1.0).abs() + (goal.y - 0.5).abs() + (goal.yaw - 0.7).abs() < 1e-9);
}

#[test]
fn at_the_goal_the_rotors_may_be_left_to_others() {
    let start = at([0.0; 3], 0.0, [0.0; 3]);
    let (mut test, flight) = test_world("(remain_at_destination: false)", start);
    test.step(start);
    assert_eq!(*test.get::<Drive>(flight), Drive::None);
    drop(test.call(PATH, "setdest", json!([0.0, 0.0, 1.0, 0.0])));
    test.step(at([0.0, 0.0, 0.9], 0.0, [0.0; 3]));
    near(&test, flight, 19.62 + 8.0, [0.0; 3]);
    test.step(start);
    near(&test, flight, 19.62 + 8.0 * 0.1, [0.0; 3]);
    test.step(start);
    assert_eq!(*test.get::<Drive>(flight), Drive::None, "it has arrived");
}

#[test]
fn one_that_starts_late_stays_where_it_is_then() {
    let start = at([0.0; 3], 0.0, [0.0; 3]);
    let (mut test, flight) = test_world("()", start);
    let world = test.app.world_mut();
    world
        .entity_mut(flight)
        .insert(morse_api::component::Active(false));
    test.step(at([3.0, 0.0, 7.0], 0.0, [0.0; 3]));
    let world = test.app.world_mut();
    world
        .entity_mut(flight)
        .insert(morse_api::component::Active(true));
    test.step(start);
    near(&test, flight, 19.62, [0.0; 3]);
    assert!((test.get::<RotorcraftWaypointCommand>(flight).z - 7.0).abs() < 1e-12);
}

#[test]
fn a_tolerance_that_is_never_met_is_refused() {
    let start = at([0.0; 3], 0.0, [0.0; 3]);
    let (mut test, flight) = test_world("()", start);
    test.step(start);
    let before = *test.get::<RotorcraftWaypointCommand>(flight);
    let reply = test
        .call(PATH, "goto", json!([1.0, 0.0, 0.0, 0.0, -0.1]))
        .reply();
    let reply = reply.expect("an answer at once");
    assert_eq!(reply.status, Status::Failed);
    assert!(
        reply
            .value
            .to_string()
            .contains("`rover.flight`: invalid `tolerance`"),
        "{reply:?}"
    );
    assert_eq!(*test.get::<RotorcraftWaypointCommand>(flight), before);
}

proptest! {
    #[test]
    fn what_comes_out_is_a_number(
        goal in prop::array::uniform5(prop::num::f64::NORMAL),
        velocity in prop::array::uniform3(-1e30..1e30_f64),
        gain in 0.0..1e300_f64,
    ) {
        let mut law: RotorcraftWaypoint = settings("()");
        law.horizontal_p_gain = gain;
        law.vertical_d_gain = gain;
        let [x, y, z, yaw, tolerance] = goal;
        let command = RotorcraftWaypointCommand { x, y, z, yaw, tolerance };
        let body = at([1.0, 2.0, 3.0], 1.0, velocity);
        let inertia = Inertia(Matrix3::identity());
        let airframe = Airframe::new(&body, &inertia, Vector3::new(0.0, 0.0, -9.81));
        let mut journey = Journey::default();
        for _ in 0..3 {
            let Drive::Thrust { force, torque } = law.advance(&airframe, &command, &mut journey, 60.0) else {
                panic!("no thrust")
            };
            prop_assert!(force.iter().chain(&torque).all(|value| value.is_finite()));
        }
    }
}
