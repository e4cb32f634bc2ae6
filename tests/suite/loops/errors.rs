//! Errors and warnings of loop closures.
use morse_sim::{Simulation, simulation::no_extensions};

const TREE: &str = "frame base { geometry { shape box; dimension [0.1, 0.1, 0.1]; }
  frame arm { type revolute; axis [0, 1, 0]; translation [0, 0, 0.5]; mass 1; inertia [0.1, 0.1, 0.1, 0, 0, 0];
    frame tip { translation [0.5, 0, 0]; } } frame hook { translation [0.5, 0, 0.5]; } }
frame far { translation [0.5, 0, 0.7]; }
";

/// Returns the text of all errors of a scene, or all warnings.
fn said(statement: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("scene.robray"),
        format!("{TREE}{statement}\n"),
    )
    .expect("a file");
    let text =
        "Simulation(scene: \"scene.robray\", robots: { \"r\": (frame: \"base\", base: fixed) })";
    match Simulation::parse(text, folder.path(), &no_extensions) {
        Ok(simulation) => simulation.warnings().to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn mistakes_are_reported_with_their_cause() {
    for (statement, expected) in [
        ("connect tip hok;", "there is no frame `hok` to connect"),
        ("weld tip arm;", "fixed to each other already"),
        (
            "connect base far;",
            "neither `base` nor `far` is moved by forces",
        ),
        ("connect tip far;", "0.2000 m apart at the start"),
        ("connect tip;", "expected a name, found `;`"),
        ("connect tip hook", "semicolon"),
        ("weld tip hook;", ""),
    ] {
        let text = said(statement);
        assert!(text.contains(expected), "{statement}: {text}");
        assert_eq!(text.is_empty(), expected.is_empty(), "{statement}: {text}");
    }
}
