//! `--memory`: the memory budget of robots and sensors.
use assert_cmd::Command;

const LARGE: &str = r#"Simulation(
    robots: { "rover": (model: "robots/atrv.robray",
        sensors: {
            "scan": (kind: "laser_scanner", resolution: 0.001),
            "eye": (kind: "video_camera", width: 2000, height: 1000),
        },
    ) },
)"#;

fn program(arguments: &[&str]) -> (Option<i32>, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("large.ron");
    std::fs::write(&file, LARGE).expect("a file");
    let mut command = Command::cargo_bin("morse-sim").expect("the program");
    let output = command
        .current_dir(directory.path())
        .args(arguments)
        .output()
        .expect("a run");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[test]
fn every_command_that_builds_a_world_has_a_budget() {
    for command in [
        &["check", "large.ron"][..],
        &["run", "large.ron", "--steps", "1"],
        &["render", "large.ron", "-o", "out.png", "--size", "8x8"],
    ] {
        let (code, said) = program(&[command, &["--memory", "16MiB"]].concat());
        assert_eq!(code, Some(2), "{command:?}: {said}");
        // 2000 · 1000 pixels of 4 B, one working copy and three stored copies.
        assert!(
            said.contains(
                "`rover.eye`: it would take 30.5 MiB of memory (all robots and sensors together 31"
            ),
            "{said}"
        );
        assert!(
            said.contains("the budget is 16 MiB") && said.contains("--memory 1GiB"),
            "{said}"
        );
        assert!(said.contains("large.ron:5:"), "{said}");
    }
    let (code, said) = program(&["check", "large.ron", "--memory", "32MiB"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = program(&["check", "large.ron", "--memory", "many"]);
    assert!(
        code == Some(2) && said.contains("unknown unit `many`"),
        "{said}"
    );
}
