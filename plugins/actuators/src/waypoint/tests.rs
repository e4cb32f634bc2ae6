//! Journeys of a robot that follows its commands exactly.
use morse_api::{
    object::Property,
    rays::{CastRays, Hit},
    service::{Call, Status, cancel},
};
use morse_testing::{TestWorld, moving, thing};
use nalgebra::Point3;
use serde_json::json;

use super::*;

const PATH: &str = "rover.motion";

fn test_world(text: &str) -> (TestWorld, Entity) {
    let mut test = TestWorld::new(60.0, plugin, BodyState::default());
    let waypoint = test.actuator::<Waypoint>(PATH, text, Isometry3::identity());
    test.step(BodyState::default());
    (test, waypoint)
}

fn status(test: &mut TestWorld) -> String {
    let reply = test.call(PATH, "get_status", json!(null)).reply().unwrap();
    reply.value.as_str().unwrap().to_owned()
}

fn distance(test: &TestWorld, x: f64, y: f64) -> f64 {
    (test.body().pose.translation.vector.xy() - nalgebra::Vector2::new(x, y)).norm()
}

/// Returns the number of ticks until a call is answered.
fn ticks_until_reply(
    test: &mut TestWorld,
    waypoint: Entity,
    call: &Call,
) -> (u32, Status, serde_json::Value) {
    for tick in 1..5000 {
        test.drive(waypoint, 1);
        if let Some(reply) = call.reply() {
            return (tick, reply.status, reply.value);
        }
    }
    panic!("no reply");
}

#[test]
fn a_straight_way_takes_its_length_over_the_speed() {
    let (mut test, waypoint) = test_world("()");
    assert_eq!(status(&mut test), "Arrived");
    let call = test.call(PATH, "goto", json!([10.01, 0.0, 0.0, 0.5, 2.0]));
    assert_eq!(status(&mut test), "Transit");
    let (ticks, end, value) = ticks_until_reply(&mut test, waypoint, &call);
    assert_eq!((end, value), (Status::Success, json!("Arrived")));
    // 9.51 m at 2 m/s are 286 ticks; the arrival is detected in the following one.
    assert_eq!(ticks, 287);
    assert_eq!(status(&mut test), "Arrived");
    let end = test.body().pose;
    test.drive(waypoint, 2);
    assert_eq!(test.body().pose, end, "it stands still");
    assert_eq!(
        *test.get::<Drive>(waypoint),
        Drive::None,
        "and lets others drive"
    );
}

#[test]
fn a_goal_behind_is_turned_to_on_the_spot_first() {
    let (mut test, waypoint) = test_world("(angle_tolerance: 0.01)");
    let goal = WaypointCommand {
        x: -5.0,
        y: 1.0,
        ..WaypointCommand::default()
    };
    test.send(waypoint, goal);
    test.drive(waypoint, 60);
    assert!(distance(&test, 0.0, 0.0) < 1e-9);
    // To the left, at 0.5 rad/s for the speed of 1 m/s.
    let yaw = test.body().pose.rotation.scaled_axis().z;
    assert!((yaw - 0.5).abs() < 1e-9, "{yaw}");
    test.drive(waypoint, 800);
    assert!(distance(&test, -5.0, 1.0) <= 0.5);
    assert_eq!(status(&mut test), "Arrived");
}

#[test]
fn stop_and_resume_on_the_way() {
    let (mut test, waypoint) = test_world("()");
    let call = test.call(PATH, "goto", json!({"x": 5.0, "y": 0.0, "z": 0.0}));
    test.drive(waypoint, 60);
    let reply = test.call(PATH, "stop", json!([])).reply().unwrap();
    assert_eq!(reply.value, json!("Stop"));
    test.drive(waypoint, 2);
    let pose = test.body().pose;
    test.drive(waypoint, 60);
    assert_eq!(test.body().pose, pose);
    assert_eq!((call.reply(), status(&mut test).as_str()), (None, "Stop"));
    let reply = test.call(PATH, "resume", json!([])).reply().unwrap();
    assert_eq!(reply.value, json!("Transit"));
    let (_, end, _) = ticks_until_reply(&mut test, waypoint, &call);
    assert_eq!(end, Status::Success);
    assert!(distance(&test, 5.0, 0.0) <= 0.5);
}

#[test]
fn a_newer_goto_or_a_cancel_preempts() {
    let (mut test, waypoint) = test_world("()");
    let first = test.call(PATH, "goto", json!([5.0, 0.0, 0.0]));
    test.drive(waypoint, 30);
    let second = test.call(PATH, "goto", json!([2.0, 0.0, 0.0]));
    assert_eq!(first.reply().unwrap().status, Status::Preempted);
    test.drive(waypoint, 30);
    cancel(test.app.world_mut(), second.ticket);
    assert_eq!(second.reply().unwrap().status, Status::Preempted);
    test.drive(waypoint, 2);
    let pose = test.body().pose;
    test.drive(waypoint, 60);
    assert_eq!(test.body().pose, pose, "it stays where it was cancelled");
}

#[test]
fn setdest_says_whether_there_is_a_way_to_go() {
    let (mut test, _) = test_world("()");
    let mut setdest = |x: f64| {
        test.call(PATH, "setdest", json!([x, 0.0, 9.0]))
            .reply()
            .unwrap()
            .value
    };
    assert_eq!(
        setdest(0.4),
        json!(false),
        "height does not count on the ground"
    );
    assert_eq!(setdest(0.6), json!(true));
}

#[test]
fn a_flyer_climbs_to_its_goal() {
    let (mut test, waypoint) = test_world("(free_z: true)");
    test.send(
        waypoint,
        WaypointCommand {
            x: 3.0,
            z: 4.0,
            tolerance: 0.1,
            ..WaypointCommand::default()
        },
    );
    test.drive(waypoint, 60);
    let position = test.body().pose.translation.vector;
    assert!(
        (position - Vector3::new(0.6, 0.0, 0.8)).norm() < 1e-9,
        "{position}"
    );
    test.drive(waypoint, 300);
    let position = test.body().pose.translation.vector;
    assert!(
        (position - Vector3::new(3.0, 0.0, 4.0)).norm() <= 0.1,
        "{position}"
    );
}

#[test]
fn a_route_is_followed_and_repeated() {
    let (mut test, waypoint) = test_world(
        "(route: [(3, 0, 0), (3, 3, 0), (0, 0, 0)], repeat: true, angle_tolerance: 0.01)",
    );
    let mut visited = Vec::new();
    for _ in 0..3000 {
        test.drive(waypoint, 1);
        let WaypointCommand { x, y, .. } = *test.get(waypoint);
        if visited.last() != Some(&(x, y)) {
            visited.push((x, y));
        }
    }
    assert_eq!(
        visited[..5],
        [(3.0, 0.0), (3.0, 3.0), (0.0, 0.0), (3.0, 0.0), (3.0, 3.0)]
    );
    // A request ends the route of the robot.
    drop(test.call(PATH, "goto", json!([-2.0, 0.0, 0.0])));
    test.drive(waypoint, 2000);
    assert!(distance(&test, -2.0, 0.0) <= 0.5);
    assert_eq!(status(&mut test), "Arrived");
}

#[test]
fn a_route_ends_at_its_last_goal() {
    let (mut test, waypoint) = test_world("(route: [(2, 0, 0), (4, 0, 0)])");
    test.drive(waypoint, 600);
    assert!(distance(&test, 4.0, 0.0) <= 0.5);
    assert_eq!(status(&mut test), "Arrived");
}

/// A wall in the cone of one radar, at x = 4 m.
struct Wall {
    is_right: bool,
    entity: Entity,
}

impl CastRays for Wall {
    fn cast_fan(
        &self,
        origin: Point3<f64>,
        directions: &[Vector3<f64>],
        max_distance: f64,
        _: Option<Entity>,
        hits: &mut [Option<Hit>],
    ) {
        for (direction, hit) in directions.iter().zip(hits) {
            let distance = (4.0 - origin.x) / direction.x;
            let is_met =
                (origin.y < 0.0) == self.is_right && (0.0..max_distance).contains(&distance);
            *hit = is_met.then_some(Hit {
                distance,
                entity: self.entity,
            });
        }
    }
}

/// Returns the angular velocity in front of a wall on one side.
fn turn_before_wall(text: &str, is_right: bool, x: f64) -> f64 {
    let (mut test, waypoint) = test_world(text);
    let entity = test
        .app
        .world_mut()
        .spawn(ComponentPath("wall_1".into()))
        .id();
    test.app
        .insert_resource(Rays::new(Wall { is_right, entity }));
    turn(&mut test, waypoint, x)
}

/// Returns the angular velocity at a position on the way to (10, 0).
fn turn(test: &mut TestWorld, waypoint: Entity, x: f64) -> f64 {
    test.send(
        waypoint,
        WaypointCommand {
            x: 10.0,
            ..WaypointCommand::default()
        },
    );
    let here = moving([x, 0.0, 0.0], 0.0, [0.0; 3], [0.0; 3]);
    test.step(here);
    test.step(here);
    match *test.get::<Drive>(waypoint) {
        Drive::Velocity { angular, .. } => angular.z,
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_turns_away_from_the_side_of_an_obstacle() {
    assert_eq!(turn_before_wall("()", true, 1.0), 0.5);
    assert_eq!(turn_before_wall("()", false, 1.0), -0.5);
    // The radar is at 0.7 m and has a range of 3 m.
    assert_eq!(turn_before_wall("()", true, 0.2), 0.0);
    assert_eq!(turn_before_wall("(ignore: [\"wall_*\"])", true, 1.0), 0.0);
    assert_eq!(
        turn_before_wall("(obstacle_avoidance: false)", true, 1.0),
        0.0
    );
}

#[test]
fn it_does_not_turn_aside_for_what_has_an_ignored_property() {
    let turn_for = |tag: &str| {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let entity = test.app.world_mut().spawn_empty().id();
        let mut wall = thing(
            "wall_1",
            [4.0, 0.0, 0.0],
            &[("Soft", Property::Number(1.0))],
        );
        wall.0.geometry = vec![entity];
        test.objects(vec![wall]);
        let wall = Wall {
            is_right: true,
            entity,
        };
        test.app.insert_resource(Rays::new(wall));
        let text = format!("(ignore: [\"{tag}\"])");
        let waypoint = test.actuator::<Waypoint>(PATH, &text, Isometry3::identity());
        turn(&mut test, waypoint, 1.0)
    };
    assert_eq!(turn_for("Soft"), 0.0);
    assert_eq!(turn_for("Hard"), 0.5);
}
