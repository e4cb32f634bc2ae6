//! Tests of targets and limits.
use std::collections::BTreeMap;

use super::{joints::target, *};
use crate::body::{primitives::MICRO, robots::open};

fn degrees(value: f64) -> i32 {
    (value.to_radians() * MICRO).round() as i32
}

#[test]
fn commands_stay_within_the_limits_of_the_robot() {
    let clipped = |locator: &str, value: f64| {
        let id = open(locator).expect("a number");
        target(
            ERS7.primitive(id).expect("a primitive").kind,
            degrees(value),
        )
    };
    assert_eq!(clipped("PRM:/r2/c1-Joint2:21", 130.0), Some(degrees(130.0)));
    assert_eq!(clipped("PRM:/r3/c1-Joint2:31", 130.0), Some(degrees(115.0)));
    assert_eq!(
        clipped("PRM:/r5/c1-Joint2:51", -140.0),
        Some(degrees(-130.0))
    );
    assert_eq!(
        clipped("PRM:/r4/c1/c2-Joint2:42", 90.0),
        Some(degrees(88.0))
    );
    assert_eq!(
        clipped("PRM:/r1/c1/c2/c3/e5-Joint4:15", 1.0),
        Some(degrees(15.0))
    );
    assert_eq!(clipped("PRM:/a1-Sensor:a1", 1.0), None);
}

#[test]
fn the_guard_keeps_legs_off_the_trunk() {
    use crate::body::vectors::Command;

    let [first, second] = ["lf_j1", "lf_j2"].map(|name| ERS7.joint(name).expect("a joint"));
    let guarded = |before: &[(u32, f64)], commands: &[(u32, f64)]| {
        let settings = CommSettings::default();
        let mut joints = Joints::new(&settings);
        let command = |&(id, angle): &(u32, f64)| {
            let value = degrees(angle);
            (
                id,
                Command {
                    value,
                    ..Command::default()
                },
            )
        };
        joints.command(&before.iter().map(command).collect());
        let mut targets: BTreeMap<u32, i32> = commands
            .iter()
            .map(|&(id, angle)| (id, degrees(angle)))
            .collect();
        joints.guard(&mut targets);
        targets
    };
    let limited = guarded(&[], &[(first, 130.0), (second, -10.0)]);
    assert_eq!(limited[&second], degrees(-2.0));
    // The limit also applies if the leg swings and only its first joint is commanded.
    let before = [(second, -10.0)];
    let limited = guarded(&before, &[(first, 130.0)]);
    assert_eq!(limited.get(&second), Some(&degrees(-2.0)));
    // Joints without a command keep their previous target.
    assert_eq!(guarded(&before, &[(first, 0.0)]).len(), 1);
}

#[test]
fn components_are_inputs_by_name_or_kind() {
    let of = |name: &str, kind: &str| input(&ERS7, name, kind);
    assert_eq!(of("any", "joint_state"), Some(Input::Joints));
    assert_eq!(of("acceleration", "imu"), Some(Input::Acceleration));
    let paw = open("PRM:/r2/c1/c2/c3/c4-Sensor:24").map(Input::Sensor);
    assert_eq!(of("lf_paw", "foot_switch"), paw);
    assert_eq!(of("pose", "pose"), None);
    assert_eq!(of("acceleration", "pose"), None);
}
