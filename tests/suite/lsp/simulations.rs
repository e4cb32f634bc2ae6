//! Requests about simulation files.
use serde_json::json;

use super::client::{Client, hover_text, labels, slice};

const SCENE: &str = "frame table { frame lid { type revolute; axis [0, 0, 1]; variable hinge; geometry { shape sphere; radius 0.1; } } }\n";

const ROBOT: &str = "frame base { geometry { shape box; dimension [1, 1, 1]; } frame mast { } }\n";

const RON: &str = r#"Simulation(
    scene: "arena.robray",
    environment: (rate: 60, motion: default),
    joints: { "hinge": (position: 0.5) },
    robots: {
        "rover": (
            model: "rover.robray",
            at: (translation: (3, 0, 0.5)),
            sensors: {
                "eye": (kind: "pose", mount: (frame: "mast"), outputs: { "log": (format: csv) }),
            },
            actuators: { "drive": (kind: "v_omega", services: ["port"]) },
        ),
    },
    middlewares: { "log": (kind: "text"), "port": (kind: "socket") },
)
"#;

/// Returns a client with an open simulation and its files on the disk.
fn client() -> Client {
    let mut client = Client::new();
    client.write("arena.robray", SCENE);
    client.write("rover.robray", ROBOT);
    client.write("sim.ron", RON);
    let diagnostics = client.open("sim.ron", RON);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    client
}

#[test]
fn diagnostics_are_those_of_the_command() {
    let mut client = client();
    let wrong = RON.replace("\"mast\"", "\"mst\"").replace("rate:", "rte:");
    let diagnostics = client.change("sim.ron", &wrong);
    assert_eq!(
        diagnostics[0]["code"], "simulation::unknown-field",
        "{diagnostics:?}"
    );
    assert_eq!(slice(&wrong, &diagnostics[0]["range"]), "rte");
    let wrong = RON.replace("\"mast\"", "\"mst\"");
    let diagnostics = client.change("sim.ron", &wrong);
    assert_eq!(
        diagnostics[0]["code"], "simulation::unknown-frame",
        "{diagnostics:?}"
    );
    let params = json!({
        "textDocument": { "uri": client.uri("sim.ron") },
        "range": diagnostics[0]["range"],
        "context": { "diagnostics": diagnostics },
    });
    let actions = client.request("textDocument/codeAction", params).unwrap();
    let edit = &actions[0]["edit"]["changes"][&client.uri("sim.ron")][0];
    assert_eq!(edit["newText"], "\"mast\"");
}

#[test]
fn errors_of_the_build_follow_after_a_pause() {
    let mut client = client();
    // Whether a modifier fits is found when the simulation is built.
    let text = RON.replace(
        "kind: \"pose\",",
        "kind: \"thermometer\", modifiers: [(kind: \"gps_noise\")],",
    );
    let mut diagnostics = client.change("sim.ron", &text);
    if diagnostics.is_empty() {
        client.wait_for_diagnostics("sim.ron");
        diagnostics = client.known("sim.ron");
    }
    assert_eq!(
        diagnostics[0]["code"], "simulation::misfit",
        "{diagnostics:?}"
    );
}

#[test]
fn scenarios_are_read_as_scenarios() {
    let mut client = Client::new();
    let text = "Scenario(length: 1, conditions: { \"up\": stay(when: \"a.pose.z >\") })\n";
    let diagnostics = client.open("a.test.ron", text);
    let message = diagnostics[0]["message"].as_str().unwrap();
    assert!(!message.contains("not a simulation"), "{message}");
    assert_eq!(diagnostics[0]["range"]["start"]["line"], 0);
}

#[test]
fn files_of_other_programs_are_left_alone() {
    let mut client = Client::new();
    assert!(
        client
            .open("theme.ron", "Theme(color: (1, 2, 3))")
            .is_empty()
    );
    let diagnostics = client.open("a.ron", "Simulatoin()");
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
}

#[test]
fn hover_describes_fields_kinds_and_frames() {
    let mut client = client();
    let mut hover = |before: &str| {
        let answer = client.ask("textDocument/hover", "sim.ron", before);
        hover_text(&answer).to_owned()
    };
    assert!(hover("environment: (ra").contains("ticks per second"));
    assert!(hover("motion: def").contains("reproduces how MORSE moved robots"));
    let text = hover("kind: \"po");
    assert!(
        text.contains("pose (sensor)") && text.contains("yaw"),
        "{text}"
    );
    let text = hover("(form");
    assert!(text.starts_with("`format`: "), "{text}");
    let text = hover("frame: \"ma");
    assert!(text.contains("frame rover.mast"), "{text}");
    let text = hover("joints: { \"hin");
    assert!(text.contains("`lid`: revolute joint `hinge`"), "{text}");
}

#[test]
fn definitions_are_found_in_all_files() {
    let mut client = client();
    let mut definition =
        |before: &str| client.ask("textDocument/definition", "sim.ron", before)[0].clone();
    let arena = definition("scene: \"ar")["uri"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(arena.ends_with("/arena.robray"));
    let mast = definition("frame: \"ma");
    assert!(mast["uri"].as_str().unwrap().ends_with("/rover.robray"));
    assert_eq!(slice(ROBOT, &mast["range"]), "mast");
    let hinge = definition("joints: { \"hin");
    assert_eq!(slice(SCENE, &hinge["range"]), "lid");
    assert_eq!(
        slice(RON, &definition("services: [\"po")["range"]),
        "\"port\""
    );
    assert_eq!(definition("services: [\"po")["range"]["start"]["line"], 14);
}

#[test]
fn completion_offers_what_the_reader_accepts() {
    let mut client = client();
    let mut complete = |find: &str, put: &str| {
        let text = RON.replacen(find, put, 1);
        let (before, after) = text.split_once('|').unwrap();
        let (before, text) = (before.to_owned(), format!("{before}{after}"));
        client.change("sim.ron", &text);
        let answer = client.ask("textDocument/completion", "sim.ron", &before);
        labels(&answer)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let fields = complete("rate: 60,", "rate: 60, gr|");
    assert!(fields.contains(&"gravity".to_owned()) && !fields.contains(&"rate".to_owned()));
    let all = complete("environment:", "|\n environment:");
    assert!(all.contains(&"bodies".to_owned()), "{all:?}");
    assert_eq!(
        complete("motion: default", "motion: |"),
        ["default", "morse"]
    );
    let kinds = complete("kind: \"pose\"", "kind: |");
    assert!(kinds.contains(&"gps".to_owned()) && !kinds.contains(&"v_omega".to_owned()));
    let kinds = complete("kind: \"pose\"", "kind: \"g|\"");
    assert!(kinds.contains(&"gps".to_owned()), "{kinds:?}");
    let settings = complete("(kind: \"pose\",", "(kind: \"thermometer\", |");
    assert!(settings.contains(&"frequency".to_owned()), "{settings:?}");
    let own = complete("(kind: \"pose\", mount", "(kind: \"infrared\", | mount");
    assert!(
        own.contains(&"range_max".to_owned()) || own.len() > 8,
        "{own:?}"
    );
    assert_eq!(complete("frame: \"mast\"", "frame: |"), ["base", "mast"]);
    assert_eq!(complete("\"hinge\": (", "\"|\": ("), ["hinge"]);
    assert_eq!(complete("[\"port\"]", "[|"), ["log", "port"]);
    assert_eq!(
        complete("format: csv", "format: |"),
        complete("format: csv", "format: c|")
    );
    assert!(complete("format: csv", "format: |").contains(&"csv".to_owned()));
    assert!(complete("scene: \"arena", "scene: \"|").contains(&"rover.robray".to_owned()));
    assert!(complete("rate: 60", "// ra|\n rate: 60").is_empty());
}

#[test]
fn names_of_scenes_are_renamed_in_simulations() {
    let mut client = client();
    client.open("rover.robray", ROBOT);
    let mut params = client.at("rover.robray", "frame ma");
    params["newName"] = json!("tower");
    let edit = client.request("textDocument/rename", params).unwrap();
    let changes = &edit["changes"];
    assert_eq!(changes[&client.uri("rover.robray")][0]["newText"], "tower");
    assert_eq!(changes[&client.uri("sim.ron")][0]["newText"], "\"tower\"");
    let mut params = client.at("sim.ron", "frame: \"ma");
    params["context"] = json!({ "includeDeclaration": true });
    let references = client
        .request("textDocument/references", params.clone())
        .unwrap();
    assert_eq!(references.as_array().unwrap().len(), 2, "{references}");
    params["newName"] = json!("tower");
    assert_eq!(
        client.request("textDocument/rename", params).unwrap()["changes"],
        *changes
    );
}

#[test]
fn components_and_middlewares_are_renamed_in_their_file() {
    let mut client = client();
    let mut params = client.at("sim.ron", "services: [\"po");
    let range = client
        .request("textDocument/prepareRename", params.clone())
        .unwrap();
    assert_eq!(range["placeholder"], "port");
    params["newName"] = json!("net");
    let edit = client
        .request("textDocument/rename", params.clone())
        .unwrap();
    let edits = edit["changes"][&client.uri("sim.ron")].as_array().unwrap();
    assert_eq!(edits.len(), 2);
    params["newName"] = json!("a.b");
    client.request("textDocument/rename", params).unwrap_err();
}

#[test]
fn the_outline_has_the_components() {
    let mut client = client();
    let params = json!({ "textDocument": { "uri": client.uri("sim.ron") } });
    let symbols = client
        .request("textDocument/documentSymbol", params)
        .unwrap();
    let robots = symbols
        .as_array()
        .unwrap()
        .iter()
        .find(|symbol| symbol["name"] == "robots");
    let rover = &robots.unwrap()["children"][0];
    assert_eq!(rover["name"], "rover");
    let names: Vec<&str> = rover["children"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|child| child["name"].as_str())
        .collect();
    assert_eq!(names, ["at", "sensors", "actuators"]);
}

#[test]
fn every_prefix_of_a_simulation_is_answered() {
    let mut client = client();
    let requests = [
        "hover",
        "completion",
        "definition",
        "documentSymbol",
        "foldingRange",
        "prepareRename",
    ];
    for offset in (0..RON.len()).step_by(3) {
        let text = &RON[..offset];
        client.change("sim.ron", text);
        let params = json!({
            "textDocument": { "uri": client.uri("sim.ron") },
            "position": super::client::position(text, offset),
        });
        for request in requests {
            let answer = client.request(&format!("textDocument/{request}"), params.clone());
            assert!(answer.is_ok(), "{request} after {text:?}: {answer:?}");
        }
    }
}
