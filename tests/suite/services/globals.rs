//! Services under `simulation`, `time` and `communication`.
#![cfg(test)]
use morse_api::service::Status;
use morse_sim::{Simulation, simulation::no_extensions};
use serde_json::{Value as Json, json};

use super::{answer, refusal, rover_with};

const COMPONENTS: &str = r#"
    sensors: { "pose": (kind: "pose", outputs: ["log"], services: ["log"]) },
    actuators: { "motion": (kind: "v_omega", start: (v: 1, w: 0)) },
"#;

/// Returns a rover that drives, and two frames of the scene as robots, with a box between them and beside them.
fn world() -> Simulation {
    let text = r#"Simulation(
            scene: "three.robray",
            robots: {
                "rover": (model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 20, 0.1)),
                    sensors: { "pose": (kind: "pose") },
                    actuators: { "motion": (kind: "v_omega", start: (v: 1, w: 0)) }),
                "one": (frame: "left"),
                "two": (frame: "right", base: kinematic),
                "three": (frame: "far", base: kinematic),
            },
            bodies: { "ball": (kind: dynamic) },
        )"#;
    let directory = tempfile::tempdir().unwrap();
    let sphere = |name: &str, translation: &str, radius: f64| {
        format!(
            "frame {name} {{ translation [{translation}]; mass 1; geometry {{ shape sphere; radius {radius}; }} }}\n"
        )
    };
    let mut scene = String::from(
        "frame floor { geometry { shape box; dimension [200, 200, 1]; } translation [0, 0, -0.5]; }\n",
    );
    for (name, translation) in [
        ("left", "0, 0, 1"),
        ("right", "6, 8, 1"),
        ("far", "12, 16, 1"),
    ] {
        scene += &sphere(name, translation, 0.5);
    }
    scene += &sphere("ball", "-30, 0, 0.25", 0.25);
    std::fs::write(directory.path().join("three.robray"), scene).unwrap();
    Simulation::parse(text, directory.path(), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn height(simulation: &Simulation, name: &str) -> f64 {
    simulation.body(name).unwrap().pose.translation.z
}

fn x(simulation: &Simulation, name: &str) -> f64 {
    simulation.body(name).unwrap().pose.translation.x
}

#[test]
fn robots_are_listed_and_see_each_other() {
    let mut simulation = world();
    simulation.step().unwrap();
    let robots = answer(&mut simulation, "simulation", "list_robots", json!([]));
    assert_eq!(robots, json!(["one", "rover", "three", "two"]));
    let mut look = |from: &str, to: &str| {
        answer(
            &mut simulation,
            "communication",
            "distance_and_view",
            json!([from, to]),
        )
    };
    // Distances of 6 and 8 give 10; the third robot is behind the second.
    let near = look("one", "two");
    assert!((near[0].as_f64().unwrap() - 10.0).abs() < 1e-5, "{near}");
    assert_eq!(
        [&near[1], &look("two", "three")[1], &look("three", "two")[1]],
        [true, true, true]
    );
    let far = look("one", "three");
    assert!((far[0].as_f64().unwrap() - 20.0).abs() < 1e-5, "{far}");
    assert_eq!(far[1], false, "`two` is in between");
    let why = refusal(
        &mut simulation,
        "communication",
        "distance_and_view",
        json!(["one", "nobody"]),
    );
    assert_eq!(why, "nobody does not exist in the simulation ");
}

#[test]
fn time_is_told_and_slept_through_by_many() {
    let mut simulation = world();
    simulation.run(30).unwrap();
    assert_eq!(answer(&mut simulation, "time", "now", json!([])), 0.5);
    assert_eq!(
        answer(&mut simulation, "time", "mode", json!([])),
        "Fixed Simulation Step"
    );
    let reported = answer(&mut simulation, "time", "statistics", json!([]));
    assert_eq!(
        [&reported["mean_time"], &reported["variance_time"]],
        [&json!(1.0 / 60.0), &json!(0.0)]
    );
    let long = simulation.call("time", "sleep", &json!([0.5]));
    let short = simulation.call("time", "sleep", &json!([0.1]));
    let cancelled = simulation.call("time", "sleep", &json!([0.1]));
    simulation.cancel(&cancelled);
    assert_eq!(cancelled.reply().unwrap().status, Status::Preempted);
    simulation.run(5).unwrap();
    assert_eq!(short.reply(), None);
    simulation.run(1).unwrap();
    assert_eq!(short.reply().unwrap().status, Status::Success);
    simulation.run(23).unwrap();
    assert_eq!(long.reply(), None);
    simulation.run(1).unwrap();
    assert_eq!(long.reply().unwrap().value, Json::Null);
    for bad in [json!([0.0]), json!([-1]), json!(["fast"]), json!([1e-300])] {
        refusal(&mut simulation, "time", "set_time_scale", bad);
    }
    assert_eq!(
        refusal(&mut simulation, "time", "set_time_scale", json!([1e308])),
        "`time`: 1e308 in `value` is out of range: 0.0001 to 1e6"
    );
    assert_eq!(
        answer(&mut simulation, "time", "set_time_scale", json!([2.0])),
        true
    );
    assert_eq!(simulation.run_requests().pace, Some(2.0));
    assert_eq!(simulation.run_requests().pace, None);
}

#[test]
fn components_are_switched_by_path() {
    let mut simulation = world();
    answer(
        &mut simulation,
        "simulation",
        "deactivate",
        json!(["rover.motion"]),
    );
    simulation.run(30).unwrap();
    let coasted = x(&simulation, "rover");
    assert!(coasted.abs() < 0.01, "{coasted}");
    answer(
        &mut simulation,
        "simulation",
        "activate",
        json!(["rover.motion"]),
    );
    simulation.run(60).unwrap();
    assert!((x(&simulation, "rover") - 0.9).abs() < 0.05);
    let why = refusal(
        &mut simulation,
        "simulation",
        "activate",
        json!(["rover.motor"]),
    );
    assert_eq!(why, "Component 'rover.motor' not found. Can't activate");
}

#[test]
fn objects_go_back_while_time_goes_on_and_a_reset_takes_everything_back() {
    let mut simulation = world();
    simulation.hash_every_tick();
    simulation.run(60).unwrap();
    let straight = simulation.state_hash();
    assert!(x(&simulation, "rover") > 0.85);
    let said = answer(&mut simulation, "simulation", "reset_objects", json!([]));
    assert_eq!(said, "Objects restored to initial position");
    assert!(x(&simulation, "rover").abs() < 1e-6);
    assert_eq!(simulation.tick(), 60);
    simulation.run(60).unwrap();
    assert!(
        (x(&simulation, "rover") - 0.9).abs() < 0.05,
        "it still drives"
    );
    answer(&mut simulation, "simulation", "reset", json!([]));
    assert_eq!(simulation.tick(), 0);
    simulation.run(60).unwrap();
    assert_eq!(simulation.state_hash(), straight);
}

#[test]
fn requests_fail_with_a_reset_and_go_on_with_a_snapshot_of_theirs() {
    let components = r#"actuators: { "goal": (kind: "waypoint") },"#;
    let mut simulation = rover_with(components, "", &no_extensions);
    simulation.step().unwrap();
    let way = json!({ "x": 30, "y": 0, "z": 0 });
    let call = simulation.call("rover.goal", "goto", &way);
    simulation.run(10).unwrap();
    let under_way = simulation.snapshot().unwrap();
    simulation.run(10).unwrap();
    simulation.restore(&under_way).unwrap();
    assert!(call.reply().is_none(), "it is under way");
    answer(&mut simulation, "simulation", "reset", json!([]));
    let reply = call.reply().expect("an end");
    assert_eq!(reply.status, Status::Failed);
    assert_eq!(
        reply.value,
        "the simulation was set back to an earlier state"
    );
}

#[test]
fn suspended_nothing_moves_and_time_goes_on() {
    let mut simulation = world();
    simulation.run(30).unwrap();
    let said = answer(&mut simulation, "simulation", "suspend_dynamics", json!([]));
    assert_eq!(said, "Physics is suspended");
    let before = x(&simulation, "rover");
    let saved = simulation.snapshot().unwrap();
    simulation.run(30).unwrap();
    assert_eq!(x(&simulation, "rover"), before);
    assert_eq!(simulation.seconds(), 1.0);
    answer(&mut simulation, "simulation", "restore_dynamics", json!([]));
    simulation.run(60).unwrap();
    assert!((x(&simulation, "rover") - before - 1.0).abs() < 0.1);
    simulation.restore(&saved).unwrap();
    simulation.run(5).unwrap();
    assert_eq!(x(&simulation, "rover"), before, "it is suspended again");
}

#[test]
fn an_object_is_put_somewhere_and_held_there() {
    let mut simulation = world();
    let put = |simulation: &mut Simulation, arguments: Json| {
        answer(simulation, "simulation", "set_object_position", arguments);
    };
    put(&mut simulation, json!(["ball", [-30, 0, 10.25]]));
    assert!((height(&simulation, "ball") - 10.25).abs() < 1e-6);
    simulation.run(60).unwrap();
    // Half of 9.81 m in the first second, slightly more with discrete steps.
    let fallen = 10.25 - height(&simulation, "ball");
    assert!((fallen - 4.905).abs() < 0.1, "{fallen}");
    let state = answer(
        &mut simulation,
        "simulation",
        "set_object_dynamics",
        json!(["ball", false]),
    );
    assert_eq!(state, false);
    let held = height(&simulation, "ball");
    simulation.run(60).unwrap();
    assert!((height(&simulation, "ball") - held).abs() < 1e-6);
    answer(
        &mut simulation,
        "simulation",
        "set_object_dynamics",
        json!(["ball", true]),
    );
    simulation.run(30).unwrap();
    assert!((held - height(&simulation, "ball") - 9.81 / 8.0).abs() < 0.05);
    // Roll, pitch, yaw: a quarter turn to the left.
    let quarter = std::f64::consts::FRAC_PI_2;
    put(
        &mut simulation,
        json!(["rover", [3, 20, 0.1], [0, 0, quarter]]),
    );
    let forward = simulation.body("rover").unwrap().pose.rotation * nalgebra::Vector3::x();
    assert!((forward - nalgebra::Vector3::y()).norm() < 1e-6);
    for (name, expected) in [
        ("nobody", "does not appear in the scene."),
        ("floor", "is fixed"),
    ] {
        let why = refusal(
            &mut simulation,
            "simulation",
            "set_object_position",
            json!([name, [0, 0, 0]]),
        );
        assert!(why.contains(expected), "{why}");
    }
    let why = refusal(
        &mut simulation,
        "simulation",
        "set_object_dynamics",
        json!(["two", true]),
    );
    assert!(why.contains("not moved by forces"), "{why}");
}

#[test]
fn an_object_is_pushed() {
    let mut simulation = world();
    let arguments = json!(["ball", [-30, 0, 10.25]]);
    answer(
        &mut simulation,
        "simulation",
        "set_object_position",
        arguments,
    );
    let mass = simulation.body("ball").unwrap().mass;
    // 2 m/s to the left, 0.1 m off the centre of mass: it rotates, and falls freely.
    let push = json!(["ball", [0, 2.0 * mass, 0], [-29.9, 0, 10.25]]);
    answer(&mut simulation, "simulation", "push_object", push);
    simulation.run(30).unwrap();
    let body = simulation.body("ball").unwrap();
    assert!((body.linear_velocity.y - 2.0).abs() < 1e-3, "{body:?}");
    assert!(
        (body.linear_velocity.z + 9.81 / 2.0).abs() < 0.1,
        "{body:?}"
    );
    assert!(body.angular_velocity.z > 0.1, "{body:?}");
    let moved = body.pose.translation.y;
    assert!((moved - 1.0).abs() < 0.05, "{moved}");
    for (name, expected) in [
        ("nobody", "does not appear in the scene."),
        ("floor", "is fixed"),
        ("two", "not moved by forces"),
    ] {
        let push = json!([name, [1, 0, 0]]);
        let why = refusal(&mut simulation, "simulation", "push_object", push);
        assert!(why.contains(expected), "{why}");
    }
}

#[test]
fn the_scene_is_told_as_a_tree_of_frames() {
    let mut simulation = world();
    let objects = answer(
        &mut simulation,
        "simulation",
        "get_scene_objects",
        json!([]),
    );
    assert_eq!(
        objects["right"],
        json!([{}, [6.0, 8.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
    );
    assert!(objects["rover"][0].is_object());
    let wheels = objects["rover"][0].as_object().unwrap();
    assert!(
        wheels.keys().all(|name| name.starts_with("rover.")),
        "{wheels:?}"
    );
}

#[test]
fn what_is_there_is_told_in_detail() {
    let rest = r#"middlewares: { "log": (kind: "text", directory: "logs") },"#;
    let directory = tempfile::tempdir().unwrap();
    let rest = rest.replace("logs", &directory.path().to_string_lossy());
    let mut simulation = rover_with(COMPONENTS, &rest, &no_extensions);
    let reported = answer(&mut simulation, "simulation", "details", json!([]));
    assert_eq!(reported["environment"], "boxes");
    let rover = &reported["robots"][0];
    assert_eq!([&rover["name"], &rover["type"]], ["rover", "atrv"]);
    let pose = &rover["components"]["rover.pose"];
    assert_eq!(pose["type"], "pose");
    assert_eq!(pose["stream_interfaces"], json!([["text", "OUT"]]));
    assert_eq!(pose["service_interfaces"], json!(["text"]));
    let services = pose["services"].as_array().unwrap();
    assert!(services.contains(&json!("get_local_data")));
    assert_eq!(rover["components"]["rover.motion"].get("services"), None);
    let streams = answer(&mut simulation, "simulation", "list_streams", json!([]));
    assert_eq!(streams, json!(["rover.pose"]));
}

#[test]
fn the_file_that_runs_is_the_current_world() {
    let current =
        |mut simulation| answer(&mut simulation, "simulation", "current_world", json!([]));
    let text = current(world());
    assert_eq!(text, json!({ "name": "three", "file": null }));
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    // A scene alone, by a path that is relative to the current directory of tests.
    let file = "scenes/boxes.robray";
    assert!(std::path::Path::new(file).exists());
    let loaded = current(morse_sim::Simulation::load(file).unwrap());
    assert_eq!(
        loaded,
        json!({ "name": "boxes", "file": root.join(file).to_string_lossy() })
    );
}

#[test]
fn a_client_ends_the_run() {
    use morse_sim::run::{End, Limits, Pace, run};
    let mut simulation = world();
    simulation.run(3).unwrap();
    answer(&mut simulation, "simulation", "quit", json!([]));
    let limits = Limits {
        ticks: Some(1000),
        timeout: None,
        pace: Pace::Max,
        signal: std::sync::Arc::default(),
        strict: false,
    };
    let (summary, end) = run(simulation, &limits, &mut |_| {});
    assert_eq!((summary.steps, end), (1, End::Asked));
}

#[test]
fn between_two_ticks_only_what_reads_is_answered() {
    let mut simulation = world();
    simulation.step().unwrap();
    let (reply, replies) = crossbeam_channel::bounded(4);
    let requests = simulation.requests();
    for (path, service) in [("time", "now"), ("simulation", "suspend_dynamics")] {
        let reply = reply.clone();
        let take = move |answer| drop(reply.send((service, answer)));
        requests.send(path, service, json!([]), take).unwrap();
    }
    simulation.serve(std::time::Duration::from_secs(5));
    assert_eq!(replies.try_recv().unwrap().0, "now");
    assert!(replies.try_recv().is_err(), "the other one acts");
    simulation.step().unwrap();
    assert_eq!(replies.try_recv().unwrap().0, "suspend_dynamics");
}
