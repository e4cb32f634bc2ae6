//! Tests of detection and healing of victims.
use morse_api::{
    object::Property,
    service::{Call, Reply},
};
use morse_testing::{TestWorld, moving, thing};

use super::*;

fn test_world() -> (TestWorld, Entity) {
    let start = moving([0.0; 3], 0.0, [0.0; 3], [0.0; 3]);
    let mut test = TestWorld::new(60.0, plugin, start);
    let injured = |name: &str, at: [f64; 3], needs: &str| {
        let needs = Property::Text(needs.into());
        let severity = ("Severity", Property::Number(4.0));
        thing(
            name,
            at,
            &[
                (INJURED, Property::Flag(true)),
                ("Requirements", needs),
                severity,
            ],
        )
    };
    test.objects(vec![
        injured("ann", [5.0, 1.0, 0.0], "1,2"),
        injured("bob", [8.0, 0.0, 1.0], "3"),
        injured("behind", [-3.0, 0.0, 0.0], "1"),
        injured("beside", [5.0, 6.0, 0.0], "1"),
        thing("box", [4.0, 0.0, 0.0], &[]),
    ]);
    let text = "(abilities: [2, 5], heal_range: 2)";
    let sensor = test.sensor::<SearchAndRescue>("rover.rescue", text, 60.0, Isometry3::identity());
    test.step(start);
    (test, sensor)
}

fn names(test: &TestWorld, sensor: Entity) -> Vec<String> {
    let data: SearchAndRescueData = test.read(sensor);
    data.victim_dict.into_keys().collect()
}

fn request(test: &mut TestWorld, service: &str) -> Call {
    test.call("rover.rescue", service, json!(null))
}

fn now(test: &mut TestWorld, service: &str) -> Reply {
    request(test, service).reply().expect("a reply at once")
}

fn go(test: &mut TestWorld, x: f64) {
    test.step(moving([x, 0.0, 0.0], 0.0, [0.0; 3], [0.0; 3]));
}

#[test]
fn victims_in_the_cone_are_seen() {
    let (mut test, sensor) = test_world();
    assert_eq!(names(&test, sensor), ["ann", "bob"]);
    let data: SearchAndRescueData = test.read(sensor);
    let expected = VictimData {
        coordinate: Coordinate {
            x: 5.0,
            y: 1.0,
            z: 0.0,
        },
        requirements: vec![1, 2],
        severity: 4,
    };
    assert_eq!(data.victim_dict["ann"], expected);
    test.step(moving([0.0; 3], std::f64::consts::PI, [0.0; 3], [0.0; 3]));
    assert_eq!(names(&test, sensor), ["behind"]);
    assert_eq!(SearchAndRescue::FREQUENCY, Some(6.0));
}

#[test]
fn the_nearest_victim_is_asked_about_and_partially_healed() {
    let (mut test, sensor) = test_world();
    assert_eq!(now(&mut test, "get_robot_abilities").value, json!([2, 5]));
    assert_eq!(
        now(&mut test, "get_victim_requirements").value,
        json!([1, 2])
    );
    assert_eq!(now(&mut test, "get_victim_severity").value, json!(4));
    let refused = now(&mut test, "heal");
    assert_eq!(refused.status, Status::Failed);
    assert!(refused.value.to_string().contains("too far"), "{refused:?}");

    go(&mut test, 3.5);
    let call = request(&mut test, "heal");
    for _ in 0..9 {
        go(&mut test, 3.5);
        assert!(call.reply().is_none());
    }
    assert_eq!(
        test.read::<SearchAndRescueData>(sensor).victim_dict["ann"].requirements,
        [1, 2]
    );
    go(&mut test, 3.5);
    let reply = call.reply().expect("the tenth measurement ends it");
    assert_eq!(
        (reply.status, reply.value),
        (Status::Success, json!("partially healed"))
    );
    let ann = test.read::<SearchAndRescueData>(sensor).victim_dict["ann"].clone();
    assert_eq!((ann.requirements, ann.severity), (vec![1], 4));
    // The remaining requirements exceed its abilities.
    let refused = now(&mut test, "heal");
    assert!(
        refused.value.to_string().contains("requires [1]"),
        "{refused:?}"
    );
}

#[test]
fn without_a_victim_there_is_nobody_to_ask_about() {
    let (mut test, _) = test_world();
    go(&mut test, 100.0);
    for service in ["heal", "get_victim_requirements", "get_victim_severity"] {
        let refused = now(&mut test, service);
        assert_eq!(refused.status, Status::Failed);
        assert_eq!(refused.value, json!("No victim within range (10)"));
    }
}

#[test]
fn a_victim_can_be_healed_by_itself() {
    let (mut test, sensor) = test_world();
    for _ in 0..6 {
        let reply = test.call("ann", "heal", json!([])).reply().unwrap();
        assert_eq!(reply.status, Status::Success);
        go(&mut test, 0.0);
    }
    assert_eq!(
        test.read::<SearchAndRescueData>(sensor).victim_dict["ann"].severity,
        0
    );
    assert_eq!(
        test.read::<SearchAndRescueData>(sensor).victim_dict["bob"].severity,
        4
    );
}
