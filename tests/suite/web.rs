//! The page and its protocol: data for viewers, and their actions on the run.
#![cfg(test)]
mod browser;
pub(crate) mod client;
mod misbehaving_clients;
mod objects;
mod reported;
mod tokens;
mod view;

use morse_api::prelude::*;
use morse_sim::{
    run::{End, Pace},
    simulation::no_extensions,
};
use serde_json::json;

use client::{Served, length};

const ROVER: &str = r#"Simulation(
    scene: "boxes.robray", environment: (light: (sun: (direction: (0, 0, 2), strength: 0.5))),
    bodies: { "RedBox": (kind: dynamic, mass: 1) },
    robots: { "rover": (
        model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 0, 0.1)),
        sensors: {
            "pose": (kind: "pose"),
            "scan": (kind: "laser_scanner", frequency: 10, mount: (translation: (0.45, 0, 0.5))),
        },
        actuators: { "motion": (kind: "v_omega", start: (v: 0.5, w: 0.2), services: ["page"]) },
    ) },
    middlewares: { "page": (kind: "web", port: 0) },
)"#;

#[test]
fn pages_of_given_origins_may_contain_the_page() {
    let frames = r#"port: 0, frames: ["http://localhost:*", "https://lab.example"]"#;
    let served = Served::new(&ROVER.replace("port: 0", frames), Pace::RealTime(1.0));
    let answer = served.exchange(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(
        answer.contains("frame-ancestors http://localhost:* https://lab.example\r\n"),
        "{answer}"
    );
    assert!(!answer.contains("X-Frame-Options"), "{answer}");
    for origin in [
        "*",
        "localhost:8888",
        "http://a; script-src *",
        "http://a b",
        "http://",
    ] {
        let frames = format!("port: 0, frames: [{origin:?}]");
        let text = ROVER.replace("port: 0", &frames);
        let error = morse_sim::Simulation::parse(&text, "scenes", &no_extensions).err();
        let error = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("expected an origin"), "{origin}: {error}");
    }
}

#[test]
fn the_page_and_its_scene_are_served() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let (status, page) = served.get("/", "");
    assert!(
        status == 200 && page.starts_with("<!doctype html>"),
        "{page}"
    );
    let answer = served.exchange(b"GET /main.js HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for header in [
        "Content-Type: text/javascript",
        "X-Content-Type-Options: nosniff",
        "default-src 'none'",
        "frame-ancestors 'none'",
    ] {
        assert!(answer.contains(header), "{header}");
    }
    let head = served.exchange(b"HEAD /main.js HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(
        head.ends_with("\r\n\r\n") && head.contains("Content-Length:"),
        "{head}"
    );

    let scene = served.scene();
    assert_eq!(
        (&scene["name"], &scene["rate"]),
        (&json!("boxes.robray"), &json!(60.0))
    );
    assert_eq!(scene["light"]["direction"], json!([0.0, 0.0, 1.0]));
    assert_eq!(scene["light"]["sun"][0], json!(0.5));
    assert_eq!(scene["robots"][0]["name"], "rover");
    let bodies = scene["bodies"].as_array().unwrap();
    let red = bodies
        .iter()
        .position(|body| body["name"] == "RedBox")
        .unwrap();
    assert_eq!(bodies[red]["kind"], "dynamic");
    assert_eq!(
        bodies[red]["pose"],
        json!([-7.5, 0.0, 0.9, 0.0, 0.0, 0.0, 1.0])
    );
    let shapes = scene["shapes"].as_array().unwrap();
    let shape = shapes.iter().find(|shape| shape["body"] == red).unwrap();
    assert_eq!(shape["form"], json!({ "box": [1.0, 1.0, 1.8] }));
    assert_eq!(shape["color"][0], json!(0.95));
    let components = scene["components"].as_array().unwrap();
    let names: Vec<_> = components
        .iter()
        .map(|one| (&one["path"], &one["role"]))
        .collect();
    assert_eq!(
        json!(names),
        json!([
            ["rover.motion", "actuator"],
            ["rover.pose", "sensor"],
            ["rover.scan", "sensor"]
        ])
    );
    assert_eq!(components[1]["fields"][0]["unit"], "m");
    assert_eq!(components[2]["pose"][0], json!(0.45));
    let (_, end) = served.end();
    assert_eq!(end, End::Signal(15));
}

fn apart(one: [f32; 3], other: [f32; 3]) -> f32 {
    ((one[0] - other[0]).powi(2) + (one[1] - other[1]).powi(2)).sqrt()
}

#[test]
fn a_viewer_sees_what_moves() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let scene = served.scene();
    let rover = scene["robots"][0]["body"].as_u64().unwrap() as usize;
    let count = scene["bodies"].as_array().unwrap().len();
    let mut viewer = served.viewer();
    let first = viewer.see();
    assert_eq!(first.moved.len(), count, "a newcomer gets everything");
    assert_eq!(first.factor, 1.0);
    // Boxes and walls at rest are not sent again.
    let later = viewer.until(|frame| frame.tick > first.tick + 60.0);
    assert!(
        later.moved.iter().all(|(body, _)| *body == rover),
        "{later:?}"
    );
    let at = |moved: &[(usize, [f32; 3])]| moved.iter().find(|(body, _)| *body == rover).unwrap().1;
    let (before, after) = (at(&first.moved), at(&later.moved));
    let way = apart(before, after);
    assert!(
        (0.2..1.0).contains(&way),
        "at 0.5 m/s for about a second: {way} m"
    );
    assert!(
        later.length < 60,
        "a frame of one body: {} bytes",
        later.length
    );
    served.end();
}

#[test]
fn who_is_slow_sees_the_end() {
    let mut served = Served::with(ROVER, Pace::RealTime(1.0), Some(90), &no_extensions);
    let mut viewer = served.viewer();
    viewer.watch(&["rover.pose"]);
    // It never acknowledges a frame.
    let frames = viewer.rest();
    let last = frames.last().unwrap();
    assert!(frames.len() <= 3, "{} frames", frames.len());
    assert_eq!(last.tick, 90.0);
    let (_, time, _) = last.readings.last().unwrap();
    assert_eq!(*time, 1.5);
    assert_eq!(served.finish().1, End::Done);
}

#[test]
fn readings_are_sent_to_who_watches() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let scene = served.scene();
    let index_of = |path: &str| {
        let components = scene["components"].as_array().unwrap();
        let component = components.iter().find(|one| one["path"] == path).unwrap();
        component["sensor"].as_u64().unwrap() as usize
    };
    let (mut one, mut other) = (served.viewer(), served.viewer());
    one.watch(&["rover.scan", "rover.pose", "rover.nothing"]);
    other.watch(&["rover.pose"]);
    // The first frame may come before the first scan.
    let is_scan = |reading: &&(usize, f64, Vec<u8>)| {
        reading.0 == index_of("rover.scan") && reading.2.len() > 1000
    };
    let frame = one.until(|frame| frame.readings.iter().any(|reading| is_scan(&reading)));
    let (_, seconds, values) = frame.readings.iter().find(is_scan).unwrap();
    assert!((frame.tick / 60.0 - seconds).abs() < 0.5, "{seconds} s");
    let mut rest = &values[1..];
    assert_eq!((values[0], length(&mut rest)), (8, 181), "points");
    assert_eq!(values[3 + 181 * 12], 7, "ranges");
    for _ in 0..30 {
        let frame = other.see();
        assert!(
            frame
                .readings
                .iter()
                .all(|(sensor, ..)| *sensor == index_of("rover.pose"))
        );
    }
    // A viewer without subscriptions receives no more readings.
    other.watch(&[]);
    other.call("time", "now", &json!([]));
    for _ in 0..10 {
        assert!(other.see().readings.is_empty());
    }
    served.end();
}

#[test]
fn a_viewer_that_stalls_loses_frames_and_nothing_else() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let rover = served.scene()["robots"][0]["body"].as_u64().unwrap() as usize;
    let (mut stalled, mut keen) = (served.viewer(), served.viewer());
    // Two frames are in flight; without an acknowledgement no third one is sent.
    let (_, second) = (stalled.frame(), stalled.frame());
    let mut last = keen.until(|frame| frame.tick > second.tick + 120.0);
    stalled.say(&json!({ "seen": second.number }));
    let next = stalled.see();
    assert!(
        next.number > second.number + 20,
        "{} after {}",
        next.number,
        second.number
    );
    assert!(next.tick > second.tick + 100.0);
    // The next frame is then as recent as the one of the other viewer.
    if next.tick > last.tick {
        last = keen.until(|frame| frame.tick >= next.tick);
    }
    let at = |frame: &client::Frame| {
        frame
            .moved
            .iter()
            .find(|(body, _)| *body == rover)
            .unwrap()
            .1
    };
    let away = apart(at(&next), at(&last));
    assert!(away < 0.2, "{away} m apart");
    served.end();
}

#[test]
fn a_run_is_held_stepped_and_reset() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let mut viewer = served.viewer();
    viewer.until(|frame| frame.tick > 20.0);
    let call = |viewer: &mut client::Viewer, service: &str, arguments: serde_json::Value| {
        let component = if service.starts_with("set_time") {
            "time"
        } else {
            "simulation"
        };
        let reply = viewer.call(component, service, &arguments);
        assert_eq!(reply["status"], "SUCCESS", "{service}: {reply}");
    };
    call(&mut viewer, "pause", json!([]));
    let held = viewer.until(|frame| frame.is_held);
    let now = viewer.call("time", "now", &json!([]))["value"]
        .as_f64()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let later = viewer.call("time", "now", &json!([]))["value"]
        .as_f64()
        .unwrap();
    assert_eq!(now, later, "no tick is made");
    // Measurements before the subscription are sent all the same.
    viewer.watch(&["rover.scan"]);
    viewer.until(|frame| !frame.readings.is_empty());
    // A new viewer receives the poses, too.
    let newcomer = served.viewer().see();
    assert!(newcomer.is_held && newcomer.tick >= held.tick);
    call(&mut viewer, "step", json!([]));
    let stepped = viewer.until(|frame| frame.tick > newcomer.tick);
    assert_eq!(stepped.tick, newcomer.tick + 1.0);
    call(&mut viewer, "step", json!([30]));
    let stepped = viewer.until(|frame| frame.tick >= newcomer.tick + 31.0);
    assert_eq!(
        (stepped.tick, stepped.is_held),
        (newcomer.tick + 31.0, true)
    );
    // Requests that act wait for a tick; a reset does not.
    viewer.say(&json!({ "call": { "id": 900, "component": "rover.motion", "service": "stop" } }));
    call(&mut viewer, "reset", json!([]));
    let reset = viewer.until(|frame| frame.tick < held.tick);
    assert_eq!((reset.tick, reset.is_held), (0.0, true));
    call(&mut viewer, "set_time_scale", json!([4.0]));
    viewer.until(|frame| frame.factor == 4.0);
    call(&mut viewer, "resume", json!([]));
    viewer.until(|frame| !frame.is_held && frame.tick > 30.0);
    let refused = viewer.call("rover.pose", "get_local_data", &json!([]));
    assert_eq!(
        refused["status"], "FAILED",
        "its services are not offered here"
    );
    let (summary, end) = served.end();
    assert_eq!(end, End::Signal(15));
    assert!(summary.steps > 30);
}

#[test]
fn a_viewer_is_shown_nothing_before_there_is_something() {
    let late =
        r#""late": (kind: "pose", modifiers: [(kind: "latency", measurements: 60)]), "pose": "#;
    let served = Served::new(&ROVER.replace(r#""pose": "#, late), Pace::RealTime(1.0));
    let mut viewer = served.viewer();
    // In the order of paths: `late` is the first sensor, and `pose` the second.
    let has = |sensor: usize, frame: &client::Frame| {
        let mut sensors = frame.readings.iter().map(|(index, ..)| *index);
        sensors.any(|index| index == sensor)
    };
    viewer.watch(&["rover.late", "rover.pose"]);
    viewer.until(|frame| has(1, frame));
    let first = viewer.until(|frame| has(0, frame));
    assert!(first.tick > 60.0, "{}", first.tick);
    viewer.call("simulation", "pause", &json!([]));
    viewer.until(|frame| frame.is_held);
    viewer.call("simulation", "reset", &json!([]));
    viewer.until(|frame| frame.tick == 0.0);
    // Readings from before the reset are not sent to later viewers, either.
    let mut newcomer = served.viewer();
    newcomer.watch(&["rover.late", "rover.pose"]);
    newcomer.see();
    viewer.call("simulation", "resume", &json!([]));
    let first = newcomer.until(|frame| has(0, frame));
    assert!(first.tick > 60.0, "{}", first.tick);
    served.end();
}

/// Returns the hash of a number of ticks; with viewers that watch, pause, connect and disconnect, or without viewers.
fn hash(viewers: usize) -> String {
    let mut served = Served::with(ROVER, Pace::RealTime(1.0), Some(600), &no_extensions);
    let mut all: Vec<_> = (0..viewers).map(|_| served.viewer()).collect();
    for (index, viewer) in all.iter_mut().enumerate() {
        viewer.watch(&["rover.scan", "rover.pose"]);
        viewer.see();
        if index % 2 == 0 {
            viewer.call("simulation", "pause", &json!([]));
            viewer.call("simulation", "step", &json!([3]));
            viewer.until(|frame| frame.is_held);
            viewer.call("simulation", "resume", &json!([]));
        }
    }
    all.truncate(viewers / 2);
    if viewers > 0 {
        all[0].call("time", "run_freely", &json!([]));
    }
    let (summary, end) = served.finish();
    assert_eq!((summary.steps, end), (600, End::Done));
    summary.state_hash
}

#[test]
fn viewers_leave_no_trace() {
    let without = morse_sim::Simulation::parse(
        &ROVER
            .replace("\"page\": (kind: \"web\", port: 0)", "")
            .replace(", services: [\"page\"]", ""),
        "scenes",
        &no_extensions,
    );
    let mut without = without.unwrap_or_else(|error| panic!("{error}"));
    without.hash_every_tick();
    without.run(600).unwrap();
    let expected = format!("{:032x}", without.state_hash());
    assert_eq!(hash(0), expected);
    assert_eq!(hash(4), expected);
}

/// A camera in front of a chessboard.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Chess {}

/// A picture.
#[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
struct ChessData {
    #[reflect(@Unit("px"))]
    height: u32,
    #[reflect(@Unit("px"))]
    width: u32,
    #[reflect(@Unit(""))]
    image: Vec<u8>,
}

impl Sensor for Chess {
    const KIND: &'static str = "chess";
    const FREQUENCY: Option<f64> = Some(10.0);
    type Data = ChessData;
}

fn chess(app: &mut App) {
    app.add_sensor::<Chess, _>(|mut boards: Query<(&Due, &mut ChessData)>| {
        for (_, mut data) in boards.iter_mut().filter(|(due, _)| due.0) {
            (data.height, data.width) = (48, 64);
            let pixels = (0..48 * 64).map(|index| (index / 64 / 8 + index % 64 / 8) % 2);
            data.image = pixels
                .flat_map(|white| [30 + 200 * white as u8, 90, 160, 255])
                .collect();
        }
    });
}

const CHESS: &str = r#"Simulation(
    robots: { "eye": (model: "robots/fake_robot.robray", sensors: { "camera": (kind: "chess") }) },
    middlewares: { "page": (kind: "web", port: 0) },
)"#;

#[test]
fn images_go_out_as_they_are() {
    let served = Served::with(CHESS, Pace::RealTime(1.0), None, &chess);
    let mut viewer = served.viewer();
    viewer.watch(&["eye.camera"]);
    // The first frame may come before the first picture.
    let frame = viewer.until(|frame| {
        frame
            .readings
            .first()
            .is_some_and(|reading| reading.2.len() > 1000)
    });
    let (_, _, values) = &frame.readings[0];
    // Two integers, then bytes.
    assert_eq!(values[1..9], 48.0_f64.to_le_bytes());
    let mut rest = &values[19..];
    assert_eq!((values[18], length(&mut rest)), (11, 48 * 64 * 4));
    assert_eq!(
        rest.get(..8),
        Some(&[30, 90, 160, 255, 30, 90, 160, 255][..])
    );
    served.end();
}

#[test]
fn a_port_in_use_is_said() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let run = |arguments: &[&str]| {
        let mut program = assert_cmd::Command::cargo_bin("morse-sim").unwrap();
        let output = program
            .arg("scenes/drop.ron")
            .args(arguments)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, said) = run(&["--serve", &port.to_string()]);
    assert_eq!(code, Some(3), "{said}");
    assert!(
        said.contains(&format!("cannot listen at 127.0.0.1:{port} for the page")),
        "{said}"
    );
    let (code, said) = run(&["--serve", "0.0.0.0:0", "--steps", "1"]);
    assert!(code == Some(2) && said.contains("--token"), "{said}");
    let (code, said) = run(&["--serve=scenes/arm.ron"]);
    assert!(
        code == Some(2) && said.contains("expected an address and a port"),
        "{said}"
    );
    let (code, said) = run(&["--serve", "0", "--steps", "10"]);
    assert!(
        code == Some(0) && said.contains("the simulation is shown at http://127.0.0.1:"),
        "{said}"
    );
}
