//! The initial view: fields of the file are sent to the page, and invalid ones are refused.
use serde_json::Value as Json;

use super::*;

fn with_view(view: &str) -> String {
    ROVER.replace("environment: (", &format!("environment: (view: {view}, "))
}

#[test]
fn the_page_is_told_from_where_to_look() {
    let view = r#"(eye: (4, 0, 3), look: (1, 0, 0.5), angle: 1.5, near: 0.5, far: 80, selected: "rover.scan")"#;
    let scene = Served::new(&with_view(view), Pace::RealTime(1.0)).scene();
    let expected = json!({
        "eye": [4.0, 0.0, 3.0], "target": [1.0, 0.0, 0.5],
        "angle": 1.5, "near": 0.5, "far": 80.0, "selected": "rover.scan",
    });
    assert_eq!(scene["view"], expected);
    // Omitted fields are left to the page, and the robot is visible.
    let scene = Served::new(ROVER, Pace::RealTime(1.0)).scene();
    let view = &scene["view"];
    for open in ["angle", "near", "far", "selected"] {
        assert_eq!(view[open], Json::Null, "{view}");
    }
    assert_ne!(view["eye"], view["target"]);
}

#[test]
fn a_view_that_makes_no_sense_is_refused() {
    for (view, said) in [
        (
            "(eye: (1, 1, 1))",
            "a view has an `eye` and a point to `look` at",
        ),
        ("(eye: (1, 1, 1), look: (1, 1, 1))", "are the same point"),
        ("(near: 2, far: 1)", "`near` is not nearer than `far`"),
        ("(angle: 7)", "from top to bottom, in radians"),
        (r#"(selected: "rover.scam")"#, "did you mean `rover.scan`?"),
        ("(eyes: (1, 1, 1))", "did you mean `eye`?"),
    ] {
        let refused =
            morse_sim::Simulation::parse(&with_view(view), "scenes", &no_extensions).err();
        let refused = refused.expect(view).to_string();
        assert!(refused.contains(said), "{view}: {refused}");
    }
}
