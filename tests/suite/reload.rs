//! `--watch`: the program loads changed files again and continues, with clients of all protocols connected.
#![cfg(test)]
use std::{
    io::{BufRead as _, BufReader, Read as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use morse_sim::{
    Simulation,
    simulation::{kinds, load, no_extensions},
};
use serde_json::{Value as Json, json};

use crate::{rosbridge::client::Bridge, web::client::Served};

/// A puck that flies at 0.5 m/s, an arm on a hinge, and a box.
const SCENE: &str = "\
frame puck { translation [0, 0, 2]; mass 1; geometry { shape sphere; radius 0.1; } }
frame box { translation [0, 3, 0]; mass 1; geometry { shape box; dimension [0.2, 0.2, 0.2]; } }
frame arm { type revolute; axis [0, 0, 1]; variable \"turn\"; mass 1; inertia [1, 1, 1, 0, 0, 0]; }
";

const WORLD: &str = r#"Simulation(
    scene: "world.robray",
    bodies: {
        "puck": (kind: dynamic, gravity: false, linear_velocity: (0.5, 0, 0)),
        "box": (kind: dynamic, gravity: false),
        "arm": (kind: dynamic),
    },
    robots: {
        "disc": (frame: "puck", sensors: { "pose": (kind: "pose", outputs: { "socket": (), "log": (format: csv) }) }),
        "cube": (frame: "box", sensors: { "pose": (kind: "pose", outputs: { "socket": () }) }),
    },
    middlewares: {
        "socket": (kind: "socket", port: 0, streams: 0), "log": (kind: "text"),
        "page": (kind: "web", port: 0), "bridge": (kind: "rosbridge", port: 0),
    },
)"#;

/// The program on a directory of files, which it watches.
struct Watched {
    folder: tempfile::TempDir,
    program: Program,
}

/// The program, which ends with the test.
struct Program(Child);

impl Program {
    /// Waits for the end of the program, and returns its stderr.
    fn said(&mut self) -> String {
        let mut said = String::new();
        let err = self.0.stderr.as_mut().unwrap();
        err.read_to_string(&mut said).unwrap();
        self.0.wait().unwrap();
        said
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.0.kill().ok();
        if std::thread::panicking() {
            crate::require::say(&self.said());
        }
    }
}

impl Watched {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "world.robray", SCENE);
        write(folder.path(), "world.ron", WORLD);
        let child = Command::new(env!("CARGO_BIN_EXE_morse-sim"))
            .args(["world.ron", "--watch", "--port-file", "ports.json"])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            folder,
            program: Program(child),
        }
    }

    fn port(&self, what: &str) -> u16 {
        let file = self.folder.path().join("ports.json");
        let port = (0..400).find_map(|_| {
            std::thread::sleep(Duration::from_millis(50));
            let ports: Json = serde_json::from_str(&std::fs::read_to_string(&file).ok()?).ok()?;
            let mut ports = ports.as_array()?.iter();
            let port = ports.find(|port| port["what"] == what)?["port"].as_u64()?;
            u16::try_from(port).ok()
        });
        port.unwrap_or_else(|| panic!("no port for {what}"))
    }

    fn stream(&self, what: &str) -> BufReader<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port(what))).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        BufReader::new(stream)
    }

    /// Replaces a file as many editors do: by renaming a new one.
    fn replace(&self, name: &str, text: &str) {
        write(self.folder.path(), "new", text);
        let path = |name| self.folder.path().join(name);
        std::fs::rename(path("new"), path(name)).unwrap();
    }

    /// Ends the program; returns its stderr.
    fn end(mut self) -> (tempfile::TempDir, String) {
        let ended = Command::new("kill")
            .arg(self.program.0.id().to_string())
            .status();
        assert!(ended.unwrap().success());
        let said = self.program.said();
        (self.folder, said)
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// Reads poses of the puck until one satisfies a predicate; each is where the puck flies, and later than the one before.
fn fly(lines: &mut BufReader<TcpStream>, last: &mut f64, is_it: impl Fn(f64) -> bool) {
    loop {
        let pose = next(lines);
        let (time, x) = (
            pose["timestamp"].as_f64().unwrap(),
            pose["x"].as_f64().unwrap(),
        );
        assert!(time > *last, "{time} after {last}");
        assert!((x - 0.5 * time).abs() < 1e-6, "at {x} m after {time} s");
        *last = time;
        if is_it(time) {
            return;
        }
    }
}

fn next(lines: &mut BufReader<TcpStream>) -> Json {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn a_run_continues_with_changed_files_and_its_clients() {
    let watched = Watched::start();
    let (mut puck, mut cube) = (watched.stream("disc.pose"), watched.stream("cube.pose"));
    let served = Served::at(watched.port("page"));
    let mut viewer = served.viewer();
    let mut bridge = Bridge::new(&Served::at(watched.port("rosbridge")));
    bridge.say(json!({ "op": "subscribe", "topic": "/disc/pose" }));
    let mut time = 0.0;
    fly(&mut puck, &mut time, |_| true);
    assert_eq!(next(&mut cube)["x"], json!(0.0));
    viewer.see();
    bridge.next("/disc/pose");

    // A body more, and another place for the box: the puck flies on, the box begins again.
    let moved = SCENE.replace("[0, 3, 0]", "[1, 3, 0]") + "frame mast { translation [9, 0, 0]; }\n";
    watched.replace("world.robray", &moved);
    while next(&mut cube)["x"] != json!(1.0) {}
    fly(&mut puck, &mut time, |_| true);
    viewer.until(|frame| frame.moved.len() >= 3);
    assert_eq!(viewer.changes, 1);
    let frames = served.scene()["frames"].to_string();
    assert!(frames.contains("mast"), "{frames}");
    bridge.say(json!({ "op": "unsubscribe", "topic": "/none" }));
    bridge.next("/disc/pose");

    // A mistake is shown, and changes nothing.
    watched.replace(
        "world.robray",
        &moved.replace("frame puck {", "frame puck { transl [0, 0, 0];"),
    );
    viewer_hears(&mut viewer, "transl");
    let mistaken = time;
    fly(&mut puck, &mut time, |time| time > mistaken + 0.5);
    assert_eq!(viewer.changes, 1);

    // Mended in place.
    write(
        watched.folder.path(),
        "world.robray",
        &moved.replace("[1, 3, 0]", "[2, 3, 0]"),
    );
    while next(&mut cube)["x"] != json!(2.0) {}
    fly(&mut puck, &mut time, |_| true);

    add_a_sensor(&watched);
    fly(&mut puck, &mut time, |_| true);
    assert_eq!(
        bridge.call("/rosapi/topics", json!({}))["result"],
        json!(true)
    );

    let (folder, said) = watched.end();
    assert_eq!(
        said.matches("loaded again after a change").count(),
        3,
        "{said}"
    );
    assert!(said.contains("2 of 3 bodies that move continue"), "{said}");
    assert!(
        said.contains("the simulation continues unchanged"),
        "{said}"
    );
    let log = std::fs::read_to_string(folder.path().join("disc.pose.csv")).unwrap();
    assert_eq!(log.matches("timestamp").count(), 1, "one header: {log}");
    assert!(!log.contains('#'), "time never went back");
}

/// Adds a sensor: it gets a port of its own.
fn add_a_sensor(watched: &Watched) {
    let more = WORLD.replace(
        r#""cube": (frame: "box", sensors: {"#,
        r#""cube": (frame: "box", sensors: { "speed": (kind: "velocity", outputs: { "socket": () }),"#,
    );
    watched.replace("world.ron", &more);
    let mut speed = watched.stream("cube.speed");
    assert_eq!(next(&mut speed)["linear_velocity"][0], json!(0.0));
}

/// Receives frames until a warning contains a text.
fn viewer_hears(viewer: &mut crate::web::client::Viewer, text: &str) {
    for _ in 0..2000 {
        viewer.see();
        if viewer.warnings.iter().any(|warning| warning.contains(text)) {
            return;
        }
    }
    panic!("{:?}", viewer.warnings);
}

fn plan(scene: &str, world: &str) -> load::Plan {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "world.robray", scene);
    write(folder.path(), "world.ron", world);
    let options = load::Options::default();
    let file = folder.path().join("world.ron");
    load::load(&file, &options, &kinds(&no_extensions)).unwrap()
}

/// The world without middlewares, and with a motor that turns the arm.
fn quiet() -> String {
    let (text, _) = WORLD.split_once("    middlewares:").unwrap();
    let text = text.replace(r#", outputs: { "socket": (), "log": (format: csv) }"#, "");
    let text = text.replace(r#", outputs: { "socket": () }"#, "");
    text + r#"joints: { "turn": (velocity: 0.3) },)"#
}

#[test]
fn what_is_unchanged_continues_bit_for_bit() {
    let world = quiet();
    let before = plan(SCENE, &world);
    let run = |simulation: &mut Simulation| simulation.run(60).unwrap();
    let mut alone = Simulation::build(before.clone(), &no_extensions).unwrap();
    let mut reloaded = Simulation::build(before.clone(), &no_extensions).unwrap();
    run(&mut alone);
    run(&mut reloaded);
    let comment = format!("# moved by a line\n{SCENE}");
    let after = plan(&comment.replace("[0, 3, 0]", "[0, 4, 0]"), &world);
    let done = reloaded.reload(after, &|_| false).unwrap();
    assert_eq!(done.bodies, [2, 3]);
    run(&mut alone);
    run(&mut reloaded);
    assert_eq!(reloaded.tick(), 120);
    for body in ["puck", "arm"] {
        let (one, other) = (alone.body(body).unwrap(), reloaded.body(body).unwrap());
        assert_eq!(one.pose, other.pose, "{body}");
        assert_eq!(one.linear_velocity, other.linear_velocity, "{body}");
    }
    assert_eq!(reloaded.body("box").unwrap().pose.translation.y, 4.0);
    let angle = alone.body("arm").unwrap().pose.rotation.angle();
    assert!((angle - 0.6).abs() < 0.01, "{angle}");

    // A reset leads to the start of the new files.
    reloaded.reset().unwrap();
    assert_eq!(reloaded.tick(), 0);
    let fresh = plan(&comment.replace("[0, 3, 0]", "[0, 4, 0]"), &world);
    let mut fresh = Simulation::build(fresh, &no_extensions).unwrap();
    run(&mut fresh);
    run(&mut reloaded);
    assert_eq!(fresh.state_hash(), reloaded.state_hash());
}

#[test]
fn another_rate_is_refused_and_a_reload_is_logged() {
    use morse_api::log::{CommandLog, LoggedAction};
    let world = quiet();
    let before = plan(SCENE, &world);
    let mut simulation = Simulation::build(before, &no_extensions).unwrap();
    simulation.world_mut().init_resource::<CommandLog>();
    simulation.run(3).unwrap();
    let faster = world.replace("robots:", "environment: (rate: 100), robots:");
    let error = simulation.reload(plan(SCENE, &faster), &|_| false);
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("the rate cannot change from 60 to 100"),
        "{text}"
    );
    let same = plan(SCENE, &world);
    simulation.reload(same, &|_| false).unwrap();
    let log = &simulation.world().resource::<CommandLog>().0;
    assert_eq!((log.len(), log[0].tick), (1, 4));
    assert!(matches!(log[0].action, LoggedAction::Reload));
}
