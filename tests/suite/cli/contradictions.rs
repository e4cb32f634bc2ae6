//! Contradictions in simulation files: errors of `check` and `run` that show both positions.

use super::Room;

const SCENE: &str =
    "frame cart { translation [0, 0, 1]; geometry { shape box; dimension [1, 1, 0.2]; } }
frame bolt { translation [3, 0, 1]; geometry { shape box; dimension [1, 1, 0.2]; } }
";

/// Returns a file with these bodies (line 3) and robots (line 4).
fn file(bodies: &str, robots: &str) -> String {
    format!(
        "Simulation(\n    scene: \"scene.robray\",\n    bodies: {{ {bodies} }},\n    robots: {{ {robots} }},\n)\n"
    )
}

/// Bodies, robots, and the names in the error.
const WRONG: [(&str, &str, &[&str]); 6] = [
    (
        r#""cart": (kind: fixed)"#,
        r#""rover": (frame: "cart")"#,
        &["`kind`", "`fixed` for the body", "`dynamic` for the robot"],
    ),
    (
        r#""cart": (kind: dynamic)"#,
        r#""rover": (frame: "cart", base: kinematic)"#,
        &[
            "`kind`",
            "`dynamic` for the body",
            "`kinematic` for the robot",
        ],
    ),
    (
        r#""cart": (mass: 5)"#,
        r#""rover": (frame: "cart", mass: 7)"#,
        &["`mass`", "5 for the body", "7 for the robot"],
    ),
    (
        r#""rover": (mass: 5)"#,
        r#""rover": (model: "robots/atrv.robray", mass: 7)"#,
        &["`mass`", "5 for the body", "7 for the robot"],
    ),
    (
        r#""cart": (drag_area: (1, 1, 1))"#,
        r#""rover": (frame: "cart", drag_area: (1, 1, 2))"#,
        &[
            "`drag_area`",
            "(1, 1, 1) for the body",
            "(1, 1, 2) for the robot",
        ],
    ),
    (
        "",
        r#""one": (frame: "bolt"), "two": (frame: "bolt")"#,
        &["`one` and `two` are on one frame, `bolt`"],
    ),
];

#[test]
fn contradictions_are_errors_with_both_positions() {
    let room = Room::new();
    room.write("scene.robray", SCENE);
    for (bodies, robots, words) in WRONG {
        room.write("wrong.ron", &file(bodies, robots));
        for command in [&["check", "wrong.ron"][..], &["wrong.ron", "--steps", "1"]] {
            let ran = room.run(command);
            assert_eq!(ran.code, 2, "{}", ran.err);
            for word in words {
                assert!(ran.err.contains(word), "{word}: {}", ran.err);
            }
            let line = if bodies.is_empty() { "4 |" } else { "3 |" };
            assert!(
                ran.err.contains(line) && ran.err.contains("4 |"),
                "{}",
                ran.err
            );
        }
    }
}

#[test]
fn what_agrees_is_fine() {
    let room = Room::new();
    room.write("scene.robray", SCENE);
    for (bodies, robots) in [
        (
            r#""cart": (mass: 5)"#,
            r#""rover": (frame: "cart", mass: 5, base: kinematic)"#,
        ),
        (
            r#""cart": (kind: fixed)"#,
            r#""rover": (frame: "cart", base: fixed)"#,
        ),
        (
            r#""cart": (friction: 0.2)"#,
            r#""rover": (frame: "cart", friction: 0.9)"#,
        ),
        (r#""bolt": (kind: fixed)"#, r#""rover": (frame: "cart")"#),
    ] {
        room.write("fine.ron", &file(bodies, robots));
        let ran = room.run(&["check", "fine.ron"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
}
