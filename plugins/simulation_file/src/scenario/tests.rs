//! Tests of scenario files: the content of valid ones, and the messages about invalid ones.
use morse_diagnostics::{Style, render};

use super::*;

fn read(text: &str) -> Result<Scenario, String> {
    let mut sources = Sources::default();
    read_scenario("a.test.ron", text.as_bytes(), &mut sources).map_err(|problems| {
        let shown = problems.iter();
        shown
            .map(|problem| render(problem, &sources, Style::Plain))
            .collect()
    })
}

#[test]
fn a_whole_file_is_read() {
    let scenario = read(
        r#"Scenario(
            simulation: "patrol.ron", length: 60, timeout: 5, set: ["environment.rate=120"],
            commands: [
                (at: 2, to: "rover.motion", command: (v: 1, w: 0.5)),
                (to: "arm.joints", command: (positions: [0, 1], mode: "fast")),
            ],
            conditions: {
                "arrives": reach(when: "rover.pose.x > 3.9", before: 30),
                "rests": stay(when: "rover.pose.z == 0.1", tolerance: 0.01, from: 10, until: 20),
                "is whole": never(when: "rover.bumper.collision"),
                "ends there": within(value: "rover.pose.x", of: 4, tolerance: 0.1),
            },
        )"#,
    )
    .unwrap();
    assert_eq!(scenario.simulation.as_ref().unwrap().value, "patrol.ron");
    assert_eq!((scenario.length, scenario.timeout), (60.0, Some(5.0)));
    // Sorted by time.
    let commands: Vec<_> = scenario
        .commands
        .iter()
        .map(|command| (command.at, command.to.value.as_str()))
        .collect();
    assert_eq!(commands, [(0.0, "arm.joints"), (2.0, "rover.motion")]);
    assert_eq!(
        Json::Object(scenario.commands[0].fields.clone()).to_string(),
        r#"{"positions":[0.0,1.0],"mode":"fast"}"#
    );
    let without_span = |name: &str| Condition {
        span: None,
        ..scenario.conditions[name].clone()
    };
    let expected = Condition::reach("rover.pose.x > 3.9").unwrap().until(30.0);
    assert_eq!(without_span("arrives"), expected);
    let expected = Condition::stay("rover.pose.z == 0.1").unwrap();
    let expected = expected.tolerance(0.01).from(10.0).until(20.0);
    assert_eq!(without_span("rests"), expected);
    let expected = Condition::never("rover.bumper.collision").unwrap();
    assert_eq!(without_span("is whole"), expected);
    let expected = Condition::within("rover.pose.x", "4", 0.1).unwrap();
    assert_eq!(without_span("ends there"), expected);
}

#[test]
fn mistakes_are_shown_where_they_are() {
    for (text, words) in [
        (
            "Scenario(\n  lenght: 3,\n  conditions: {\"a\": never(when: \"a.b\")},\n)",
            &["a.test.ron:2:3", "did you mean `length`", "`length`"][..],
        ),
        (
            "Scenario(length: 3, conditions: {})",
            &["a.test.ron:1:33", "cannot fail"],
        ),
        (
            "Scenario(length: 3)",
            &["missing its field `conditions`", "reach(when:"],
        ),
        (
            "Scenario(length: 3, conditions: {\n\"a\": reech(when: \"a.b\")})",
            &["a.test.ron:2:6", "`reech`", "did you mean `reach`"],
        ),
        (
            "Scenario(length: 3, conditions: {\n\"a\": reach(when: \"a.b > \", befor: 2)})",
            &[
                "a.test.ron:2:25",
                "expected a value",
                "a.test.ron:2:28",
                "did you mean `before`",
            ],
        ),
        (
            "Scenario(length: 3, conditions: {\n\"a\": within(value: \"a.b\", of: 2)})",
            &["missing its field `tolerance`"],
        ),
        (
            "Scenario(length: 3, conditions: {\n\"a\": stay(when: \"a.b\", from: 4)})",
            &["a.test.ron:2:30", "at most 3 s"],
        ),
        (
            "Scenario(length: 3, conditions: {\n\"a\": stay(when: \"a.b\", from: 2, until: 1)})",
            &["ends before it begins"],
        ),
        (
            "Scenario(length: 3, conditions: {\"a\": stay(when: \"a.b\")}, commands: [(to: \"a\", command: 3)])",
            &["must be named fields"],
        ),
        ("Simulation()", &["this is a simulation, not a scenario"]),
    ] {
        let message = read(text).unwrap_err();
        for word in words {
            assert!(message.contains(word), "`{word}` is not in:\n{message}");
        }
    }
}
