//! `check`, `fmt`, `inspect`, `list` and `describe`.
use super::{BLOCKS, Room};

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

#[test]
fn check_tells_all_and_runs_nothing() {
    let room = Room::new();
    room.run(&["check", "quiet.ron", "blocks.robray"])
        .with_code(0);
    room.write(
        "bad.robray",
        "frame a { parent nobody; }\nframe b { type hinge; }\n",
    );
    let ran = room
        .run(&["check", "blocks.robray", "bad.robray"])
        .with_code(2);
    assert!(
        ran.err.contains("bad.robray:2:") && ran.err.contains("nobody"),
        "{}",
        ran.err
    );
    let ran = room.run(&["check", "bad.robray", "--json"]).with_code(2);
    let report = json(&ran.out);
    assert_eq!(report["ok"], false);
    assert_eq!(
        report["files"][0]["diagnostics"].as_array().map(Vec::len),
        Some(2)
    );
    room.write("warned.robray", "frame a { parent nobody; }\n");
    room.run(&["check", "warned.robray"]).with_code(0);
    room.run(&["check", "--strict", "warned.robray"])
        .with_code(2);
    room.write(
        "new.robray",
        "frame a { mass 1; geometry { shape sphere; radius 1; } }\n",
    );
    room.run(&["check", "new.robray"]).with_code(0);
    room.run(&["check", "--strict-amino", "new.robray"])
        .with_code(2);
}

#[test]
fn a_badly_formatted_file_is_1_until_it_is_formatted() {
    let room = Room::new();
    room.write("ugly.robray", "frame a{translation [1,2,3];}");
    let ran = room.run(&["fmt", "--check", "ugly.robray"]).with_code(1);
    assert!(format!("{}{}", ran.out, ran.err).contains("ugly.robray"));
    assert_eq!(
        room.read("ugly.robray"),
        "frame a{translation [1,2,3];}",
        "--check changes nothing"
    );
    room.run(&["fmt", "ugly.robray"]).with_code(0);
    assert_eq!(
        room.read("ugly.robray"),
        "frame a { translation [1, 2, 3]; }\n"
    );
    room.run(&["fmt", "--check", "ugly.robray"]).with_code(0);
}

#[test]
fn simulation_files_are_formatted() {
    let room = Room::new();
    room.write("ugly.ron", "Simulation(\n bodies: {\n}, // none\n)");
    room.run(&["fmt", "--check", "ugly.ron"]).with_code(1);
    room.run(&["fmt", "ugly.ron"]).with_code(0);
    assert_eq!(
        room.read("ugly.ron"),
        "Simulation(\n    bodies: {\n    }, // none\n)\n"
    );
    room.write("broken.ron", "Simulation(");
    let ran = room.run(&["fmt", "broken.ron"]).with_code(2);
    assert!(ran.err.contains("simulation::"), "{}", ran.err);
}

#[test]
fn the_shipped_simulation_files_are_formatted() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["scenes", "scenes/gallery", "examples/scenarios"];
    let mut count = 0;
    for folder in folders {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "ron") {
                let path = path.to_str().expect("a path");
                Room::new().run(&["fmt", "--check", path]).with_code(0);
                count += 1;
            }
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn inspect_prints_one_scene() {
    let room = Room::new();
    room.write(
        "arm.robray",
        "frame a { type revolute; axis [0, 0, 1]; frame b { translation [1, 0, 0]; } }",
    );
    let scene = json(
        &room
            .run(&[
                "inspect",
                "arm.robray",
                "--json",
                "--at",
                "a=1.5707963267948966",
            ])
            .with_code(0)
            .out,
    );
    for key in [
        "frames",
        "variables",
        "allowed_collisions",
        "absolute_at_zero",
        "absolute",
    ] {
        assert!(scene.get(key).is_some(), "{key} is not in {scene}");
    }
    let ran = room.run(&["inspect", "arm.robray"]).with_code(0);
    assert!(
        ran.out.contains('b') && ran.err.is_empty(),
        "{}{}",
        ran.out,
        ran.err
    );
    room.run(&["inspect", "arm.robray", "--at", "c=1"])
        .with_code(2)
        .with_errors(&["`c`"]);
}

#[test]
fn inspect_shows_overlays() {
    let room = Room::new();
    room.write(
        "pair.ron",
        r#"Simulation(robots: {
            "eve": (model: "robots/human.robray", base: kinematic, overlays: { "hands": (kind: "human") }),
            "rover": (
                model: "robots/atrv.robray",
                actuators: { "motion": (kind: "v_omega") },
                overlays: {
                    "top": (kind: "rename", of: "old", beside: true),
                    "old": (kind: "rename", of: "motion", names: { "go": "set_speed" }),
                },
            ),
        })"#,
    );
    let ran = room.run(&["inspect", "pair.ron"]).with_code(0);
    let shown = "overlays: 3\n  eve.hands (human of eve, beside it)\n  rover.old (rename of rover.motion)\n  \
                 rover.top (rename of rover.old, beside it)\n";
    assert!(ran.out.ends_with(shown), "{}", ran.out);
    let listed = json(
        &room
            .run(&["inspect", "pair.ron", "--json"])
            .with_code(0)
            .out,
    );
    let overlay = |path: &str, kind: &str, of: &str, beside: bool| serde_json::json!({ "path": path, "kind": kind, "of": of, "beside": beside });
    let expected = [
        overlay("eve.hands", "human", "eve", true),
        overlay("rover.old", "rename", "rover.motion", false),
        overlay("rover.top", "rename", "rover.old", true),
    ];
    assert_eq!(listed["overlays"], serde_json::json!(expected));
}

#[test]
fn the_catalogue_is_listed() {
    let room = Room::new();
    for (family, word) in [
        ("sensors", "pose"),
        ("actuators", "v_omega"),
        ("modifiers", "position_noise"),
        ("overlays", "rename"),
        ("middlewares", "text"),
        ("robots", "robots/atrv.robray"),
        ("robots", "arms/kuka_lwr.robray"),
        ("environments", "environments/indoors.robray"),
        ("objects", "objects/desk.robray"),
        ("services", "get_local_data"),
    ] {
        let ran = room.run(&["list", family]).with_code(0);
        assert!(
            ran.out.lines().any(|line| line.starts_with(word)),
            "{word}: {}",
            ran.out
        );
        let list = json(&room.run(&["list", family, "--json"]).with_code(0).out);
        assert!(
            list.as_array()
                .is_some_and(|list| list.iter().any(|kind| kind["kind"] == word)),
            "{list}"
        );
    }
    room.run(&["list", "sensor"])
        .with_code(2)
        .with_errors(&["sensors"]);
}

#[test]
fn kinds_are_described() {
    let room = Room::new();
    let ran = room.run(&["describe", "pose"]).with_code(0);
    for text in [
        "pose (sensor)",
        "Data",
        "yaw",
        "rad",
        "Services",
        "get_local_data",
        "position_noise",
        "(kind: \"pose\")",
    ] {
        assert!(ran.out.contains(text), "{text} is not in:\n{}", ran.out);
    }
    let description = json(
        &room
            .run(&["describe", "v_omega", "--json"])
            .with_code(0)
            .out,
    );
    assert_eq!(description["command"][0]["unit"], "m/s");
    room.run(&["describe", "poes"])
        .with_code(2)
        .with_errors(&["`poes`", "did you mean `pose`?"]);
}

#[test]
fn frequencies_defaults_and_results_are_described() {
    let room = Room::new();
    let ran = room.run(&["describe", "sick_ldmrs"]).with_code(0);
    for text in [
        "4 Hz by default",
        "scan_window",
        "default 1.74533",
        "raw (default), rssi, range",
        "answers: the fields of the data",
    ] {
        assert!(ran.out.contains(text), "{text} is not in:\n{}", ran.out);
    }
    let ran = room.run(&["describe", "atrv"]).with_code(0);
    for fact in [
        "20 kg",
        "0.1 m above the ground",
        "2.54 % of its speed",
        "18 % of its turning rate",
    ] {
        assert!(ran.out.contains(fact), "{fact} is not in\n{}", ran.out);
    }
    let described = json(&room.run(&["describe", "hummer", "--json"]).with_code(0).out);
    assert_eq!(described["family"], "robot");
    assert_eq!(described["physics"]["mass"], 10.0);
    assert_eq!(described["physics"]["linear_loss"], 0.4);
    let ran = room.run(&["describe", "time"]).with_code(0);
    assert!(ran.out.contains("sleep(seconds)"), "{}", ran.out);
    let ran = room.run(&["describe", "rename"]).with_code(0);
    assert!(ran.out.contains("rename (overlay)"), "{}", ran.out);
    room.run(&["describe"]).with_code(2);
    room.run(&["describe", "--all", "gps"]).with_code(2);
}

/// The page of the guide equals the program's output: `UPDATE_GOLDEN=1` writes it again.
#[test]
fn the_catalogue_of_the_guide_is_up_to_date() {
    let room = Room::new();
    let page = room
        .run(&["describe", "--all", "--markdown"])
        .with_code(0)
        .out;
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/docs/catalogue.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &page).expect("a page");
    }
    let written = std::fs::read_to_string(&path).expect("a page");
    let mut lines = page.lines().zip(written.lines()).enumerate();
    let first = lines.find(|(_, (new, old))| new != old);
    assert!(
        page == written,
        "src/docs/catalogue.md is not what `morse-sim describe --all --markdown` prints (line {first:?}); \
         UPDATE_GOLDEN=1 cargo test --test suite catalogue writes it again"
    );
}

/// The section of the guide equals the program's list of rules: `UPDATE_GOLDEN=1` writes it again.
#[test]
fn the_rules_of_motion_are_in_the_guide() {
    let room = Room::new();
    let reported = |form: &[&str]| {
        let ran = room.run(&[&["describe", "motion"], form].concat());
        ran.with_code(0).out
    };
    let text = reported(&[]);
    let rules = &json(&reported(&["--json"]))["rules"];
    assert!(rules.as_array().is_some_and(|rules| rules.len() > 5));
    for rule in rules.as_array().into_iter().flatten() {
        let rule = rule["rule"].as_str().unwrap();
        assert!(text.contains(rule), "{rule} is not in:\n{text}");
    }
    room.run(&["describe", "motoin"])
        .with_code(2)
        .with_errors(&["did you mean `motion`?"]);
    let section = reported(&["--markdown"]);
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/docs/coming_from_morse.md");
    let page = std::fs::read_to_string(&path).expect("a page");
    let title = section.lines().next().unwrap();
    let start = page.find(title).expect("the section");
    let rest = &page[start + title.len()..];
    let end = start + title.len() + rest.find("\n## ").expect("another section") + 1;
    let wanted = format!("{section}\n");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let page = format!("{}{wanted}{}", &page[..start], &page[end..]);
        return std::fs::write(&path, page).expect("a page");
    }
    assert!(
        page[start..end] == wanted,
        "the section of {} is not what `morse-sim describe motion --markdown` prints; \
         UPDATE_GOLDEN=1 cargo test --test suite rules_of_motion writes it again",
        path.display()
    );
}

#[test]
fn a_closed_pipe_is_no_crash() {
    let room = Room::new();
    room.write("many.robray", BLOCKS);
    let script = format!(
        "'{}' list sensors --json | true; '{}' inspect many.robray | head -n 1",
        super::binary().display(),
        super::binary().display()
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(room.path())
        .output()
        .expect("bash");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(!err.contains("panicked"), "{err}");
}

#[test]
#[cfg(not(feature = "ros2"))]
fn programs_without_ros_2_say_how_to_build_one_with_it() {
    let room = Room::new();
    room.write(
        "ros.ron",
        "Simulation(robots: { \"rover\": (model: \"robots/atrv.robray\", sensors: { \"scan\": (kind: \"sick\",\n\
         outputs: { \"ros\": (type: \"Image\", topic: \"1st\") }) }) },\n\
         middlewares: { \"ros\": (kind: \"ros2\", node: \"a-b\") })",
    );
    let words = [
        "ros.ron:3:",
        "`ros`: this program was built without ROS 2",
        "build it with `cargo build --release --features ros2`",
        "node: `a-b` is not a name of ROS",
        "`rover.scan` has no messages of the type `Image`; it has `sensor_msgs/msg/LaserScan`",
    ];
    room.run(&["ros.ron", "--steps", "1"])
        .with_code(2)
        .with_errors(&words);
}
