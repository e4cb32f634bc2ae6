//! Each requirement, each way in which it can be met or missed, and unknown names.
use super::*;
use crate::{
    scenario::{JudgeError, judge},
    simulation::no_extensions,
};

/// A robot that falls from 5 m: z = 5 - g t² / 2.
const FALLING: &str = r#"Simulation(
    scene: "boxes.robray",
    robots: { "probe": (
        model: "robots/atrv.robray", at: (translation: (0, 0, 5)),
        sensors: {
            "pose": (kind: "pose"), "imu": (kind: "imu"),
            "scan": (kind: "laser_scanner"), "bumper": (kind: "collision"),
        },
    ) },
)"#;

fn simulation() -> Simulation {
    Simulation::parse(FALLING, "scenes", &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

/// The verdict on half a second of falling.
fn verdict(condition: Condition) -> Verdict {
    let verdicts = judge(&mut simulation(), [("it", condition)], 0.5).unwrap();
    verdicts.into_iter().next().unwrap()
}

fn reach(text: &str) -> Condition {
    Condition::reach(text).unwrap()
}

fn stay(text: &str) -> Condition {
    Condition::stay(text).unwrap()
}

fn never(text: &str) -> Condition {
    Condition::never(text).unwrap()
}

fn within(value: &str, target: &str, tolerance: f64) -> Condition {
    Condition::within(value, target, tolerance).unwrap()
}

/// It is 4.8 m high after 0.2 s, 4.4 m after 0.35 s and 3.8 m after 0.5 s.
#[track_caller]
fn decided(condition: Condition, passed: bool, tick: std::ops::Range<u64>, word: &str) {
    let shown = format!("{condition:?}");
    let verdict = verdict(condition);
    assert_eq!(verdict.passed, passed, "{shown}: {verdict}");
    assert!(tick.contains(&verdict.tick), "{shown}: {verdict}");
    assert!(verdict.why.contains(word), "{shown}: {verdict}");
}

#[test]
fn what_has_to_become_true() {
    decided(reach("probe.pose.z < 4.8"), true, 12..14, "became true");
    decided(
        reach("probe.pose.z < 4.8").until(0.3),
        true,
        12..14,
        "became true",
    );
    decided(
        reach("probe.pose.z < 4.8").until(0.1),
        false,
        6..7,
        "never became",
    );
    decided(
        reach("probe.pose.z < 4.8").from(0.3),
        true,
        18..19,
        "became true",
    );
    decided(reach("probe.pose.z > 6"), false, 30..31, "never became");
    decided(
        reach("probe.pose.z == 4.8").tolerance(0.05),
        true,
        11..14,
        "became",
    );
    decided(reach("probe.pose.z == 4.8"), false, 30..31, "never became");
    decided(
        reach("probe.z < 4.8 and probe.pose.z < 4.4"),
        true,
        20..23,
        "became",
    );
    decided(
        reach("probe.pose.z > 6 or probe.pose.z < 4.8"),
        true,
        12..14,
        "became",
    );
    decided(
        reach("distance(probe.pose, (0, 0, 5)) > 0.2"),
        true,
        12..14,
        "became",
    );
}

#[test]
fn what_has_to_stay_true() {
    decided(stay("probe.pose.z < 4.8"), true, 30..31, "true from tick 1");
    decided(
        stay("probe.pose.z > 4.4"),
        false,
        20..23,
        "no more, after tick 1",
    );
    decided(
        stay("probe.pose.z > 4.4").until(0.2),
        true,
        12..13,
        "true from tick 1 ",
    );
    decided(
        stay("probe.pose.z < 4.8").from(0.1),
        false,
        6..7,
        "not true",
    );
    decided(
        stay("probe.pose.z < 4.8").from(0.3),
        true,
        30..31,
        "true from tick 18",
    );
    decided(stay("probe.pose.z > 6"), false, 30..31, "never became");
    decided(
        stay("probe.bumper.collision == false"),
        true,
        30..31,
        "tick 1 on",
    );
    decided(
        stay("probe.scan.range_list.90 > 0"),
        true,
        30..31,
        "tick 1 on",
    );
}

#[test]
fn what_must_not_be_and_what_must_be_near() {
    decided(never("probe.pose.z > 6"), true, 30..31, "never true");
    decided(never("probe.pose.z < 4.8"), false, 12..14, "is true");
    decided(
        never("probe.pose.z < 4.8").until(0.15),
        true,
        9..10,
        "never true",
    );
    decided(
        never("probe.pose.z < 4.8").from(0.4),
        false,
        24..25,
        "is true",
    );
    decided(
        within("probe.pose.z", "3.75", 0.1),
        true,
        30..31,
        "near enough",
    );
    decided(
        within("probe.pose.z", "3.75", 0.001),
        false,
        30..31,
        "not near enough",
    );
    decided(
        within("probe.pose.z", "5", 0.3).until(0.2),
        true,
        12..13,
        "near enough",
    );
    decided(
        within("probe.pose.z", "5", 0.3).from(0.0),
        false,
        13..17,
        "not near",
    );
    decided(never("probe.bumper.collision"), true, 30..31, "never true");
    decided(
        never("distance(probe, probe.pose) > 0.01"),
        true,
        30..31,
        "never true",
    );
    decided(
        never("probe.scan.range_list.999 > 0"),
        false,
        1..2,
        "has no value",
    );
}

#[test]
fn verdicts_tell_the_values() {
    let verdict = verdict(never("probe.pose.z < 4.8 or probe.pose.x > 1"));
    let why = &verdict.why;
    assert!(why.contains("probe.pose.z = 4.7"), "{why}");
    assert!(why.contains("probe.pose.x = "), "{why}");
}

#[test]
fn a_run_ends_when_all_is_decided() {
    let mut simulation = simulation();
    let conditions = [
        ("falls", reach("probe.pose.z < 4.8")),
        ("stands", never("probe.pose.z < 4.9")),
    ];
    let verdicts = judge(&mut simulation, conditions, 10.0).unwrap();
    assert_eq!(
        verdicts
            .iter()
            .map(|verdict| verdict.passed)
            .collect::<Vec<_>>(),
        [true, false]
    );
    assert!(simulation.tick() < 15, "{}", simulation.tick());
}

#[test]
fn an_interval_without_a_tick_is_no_pass() {
    let condition = never("probe.pose.z > 6").from(0.1).until(0.1001);
    // At ten ticks a second there are ticks at 0.1 s and 0.2 s.
    let options = crate::simulation::load::Options {
        set: vec!["environment.rate=10".to_owned()],
        ..Default::default()
    };
    let kinds = crate::simulation::kinds(&no_extensions);
    let plan =
        crate::simulation::load::parse(FALLING, "scenes".as_ref(), &options, &kinds).unwrap();
    let mut simulation = Simulation::build(plan, &no_extensions).unwrap();
    let late = never("probe.pose.z > 6").from(0.9);
    let verdicts = judge(&mut simulation, [("hit", condition), ("late", late)], 0.5).unwrap();
    assert!(verdicts[0].passed, "{}", verdicts[0]);
    assert!(!verdicts[1].passed, "{}", verdicts[1]);
    assert!(verdicts[1].why.contains("no tick"), "{}", verdicts[1]);
}

#[test]
fn names_that_nobody_has_are_explained() {
    for (text, words) in [
        (
            "probe.poze.x > 1",
            &["no sensor or body `probe.poze`", "`probe.pose`"][..],
        ),
        ("prob.pose.x > 1", &["did you mean `probe.pose`"]),
        (
            "probe.pose.xx > 1",
            &["no field `xx`", "yaw", "`probe.pose.x`"],
        ),
        ("probe.pose > 1", &["whole component", "yaw"]),
        ("probe.pose.x.0 > 1", &["no part `0`"]),
        ("probe.imu.linear_acceleration > 1", &["add an index"]),
        (
            "probe.imu.linear_acceleration.3 > 1",
            &["no part 3", "it has 3"],
        ),
        ("probe.imu.linear_acceleration.up > 1", &["index is wanted"]),
        (
            "probe.bumper.collision > 1",
            &["`true` or `false`, where a number"],
        ),
        ("probe.pose.x == 'a'", &["a text, where a number"]),
        ("probe.pose.x", &["a number, where `true` or `false`"]),
        ("probe > 1", &["`probe.x`"]),
        (
            "distance(probe.bumper, (0, 0, 0)) < 1",
            &["measures no position"],
        ),
        ("distance(prope, (0, 0, 0)) < 1", &["did you mean `probe`"]),
    ] {
        let error = judge(&mut simulation(), [("it", reach(text))], 0.1).unwrap_err();
        let JudgeError::Unbound(error) = error else {
            panic!("{error}")
        };
        let error = error.to_string();
        for word in words {
            assert!(error.contains(word), "{text}: `{word}` is not in: {error}");
        }
    }
}
