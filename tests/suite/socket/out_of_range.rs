//! Numbers that are too large for the physics, through all ports of the sockets.
use super::*;

/// Requests, and the names in their refusals.
const OUT_OF_RANGE: [(&str, &str, &str, &str); 9] = [
    ("rover.motion set_speed [NaN, 0]", "set_speed", "`v`", "NaN"),
    (
        "rover.motion set_speed [0, -Infinity]",
        "set_speed",
        "`w`",
        "-inf",
    ),
    (
        "rover.motion set_speed [1e308, 0]",
        "rover.motion",
        "`v`",
        "-100 to 100 m/s",
    ),
    (
        "rover.jump translate [1e12]",
        "rover.jump",
        "`x`",
        "-1e8 to 1e8 m",
    ),
    ("rover.jump translate [0, NaN]", "translate", "`y`", "NaN"),
    (
        "rover.jump rotate [0, 0, 1e12]",
        "rover.jump",
        "`yaw`",
        "-1e6 to 1e6 rad",
    ),
    (
        "simulation set_object_position [\"rover\", [0, 1e12, 0]]",
        "`rover`",
        "`position`",
        "-1e8 to 1e8 m",
    ),
    (
        "simulation set_object_position [\"rover\", [0, NaN, 0]]",
        "set_object_position",
        "`position`",
        "NaN",
    ),
    ("rover.way goto [NaN, 0, 0]", "goto", "`x`", "NaN"),
];

/// Refusals name component, field and range, for every client; the state of the world is that without the request.
#[test]
fn numbers_out_of_range_are_refused_and_leave_no_trace() {
    let text = ROVER.replace(
        "\"way\": (",
        "\"jump\": (kind: \"teleport\", inputs: { \"socket\": () }, services: [\"socket\"], active: false), \"way\": (",
    );
    let served = Served::new(&text, Pace::RealTime(1.0));
    let mut client = served.connect("requests");
    for (request, component, field, range) in OUT_OF_RANGE {
        let answer = client.ask(&format!("1 {request}"));
        assert!(answer.starts_with("1 FAILED"), "{request}: {answer}");
        for word in [component, field, range] {
            assert!(
                answer.contains(word),
                "{request}: {word} is not in {answer}"
            );
        }
        assert!(!answer.contains("at line"), "{request}: {answer}");
    }
    for (port, command, reason) in [
        ("rover.motion", "{\"v\": 1e308}\n", "-100 to 100 m/s"),
        ("rover.motion", "{\"v\": NaN}\n", "finite numbers in `v`"),
        ("rover.jump", "{\"x\": 1e12}\n", "-1e8 to 1e8 m"),
    ] {
        let mut client = served.connect(port);
        client.send(command);
        let answer = client.line();
        assert!(
            answer.starts_with(" FAILED \"") && answer.contains(reason),
            "{command}: {answer}"
        );
    }
    // A client that never reads its refusals does not delay the others.
    let mut deaf = served.connect("rover.motion");
    for _ in 0..20_000 {
        deaf.send("{\"v\": 1e308, \"w\": 0}\n");
    }
    let answer = client.ask("2 simulation get_all_robots");
    assert!(answer.starts_with("2 "), "{answer}");
    let (summary, _) = served.end();
    let mut untouched = Simulation::parse(&text, "scenes", &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    untouched.hash_every_tick();
    untouched.run(summary.steps).unwrap();
    assert_eq!(
        summary.state_hash,
        format!("{:032x}", untouched.state_hash())
    );
    assert!(summary.steps > 5 && summary.lost.is_empty(), "{summary:?}");
}
