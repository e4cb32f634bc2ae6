//! Bodies with invalid states are removed from the physics, and the run continues; runs that fail report it, and lose no
//! logged data.

use std::sync::{Arc, atomic::AtomicUsize};

use bevy::prelude::*;
use morse_api::tick::{Clock, Tick};
use morse_sim::{
    Simulation,
    physics::{
        intervention::{Unmoved, push, set_pose},
        lost_body::Fault,
    },
    run::{End, Limits, Pace, run},
    simulation::no_extensions,
};
use nalgebra::{Isometry3, Vector3};
use serde_json::{Value as Json, json};

fn limits(ticks: u64, strict: bool) -> Limits {
    Limits {
        ticks: Some(ticks),
        timeout: None,
        pace: Pace::Max,
        signal: Arc::new(AtomicUsize::new(0)),
        strict,
    }
}

/// A floor, a stack of three boxes, and a ball that falls far away from them.
const SCENE: &str = "
frame floor { translation [0, 0, -0.5]; geometry { shape box; dimension [100, 100, 1]; } }
frame box_1 { translation [0, 0, 0.5]; geometry { shape box; dimension [1, 1, 1]; } }
frame box_2 { translation [0.1, 0, 1.6]; geometry { shape box; dimension [1, 1, 1]; } }
frame box_3 { translation [0.2, 0, 2.7]; geometry { shape box; dimension [1, 1, 1]; } }
";
const BALL: &str =
    "frame ball { translation [30, 30, 20]; geometry { shape sphere; radius 0.1; density 500; } }";

/// Returns a robot on wheels that drives, and the ball.
fn text(ball: &str) -> String {
    format!(
        r#"Simulation(
    scene: "world.robray", environment: (origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)),
    bodies: {{ "box_1": (kind: dynamic), "box_2": (kind: dynamic), "box_3": (kind: dynamic) }},
    robots: {{
        "duo": (model: "duo.robray", base: dynamic, at: (translation: (-20, 0, 0)),
            actuators: {{ "motion": (kind: "v_omega_diff", start: (v: 0.5, w: 0.3)) }}),
        {ball}
    }},
)"#
    )
}

const ROBOT: &str = r#""ball": (frame: "ball", sensors: {
    "pose": (kind: "pose"), "imu": (kind: "imu"), "velocity": (kind: "velocity"),
    "accelerometer": (kind: "accelerometer"), "gps": (kind: "gps", level: extended),
    "collision": (kind: "collision"),
}),"#;

const SENSORS: [&str; 6] = [
    "pose",
    "imu",
    "velocity",
    "accelerometer",
    "gps",
    "collision",
];

fn open(with_ball: bool) -> Simulation {
    let room = tempfile::tempdir().expect("a directory");
    let (scene, robot) = if with_ball {
        (format!("{SCENE}{BALL}"), ROBOT)
    } else {
        (SCENE.to_owned(), "")
    };
    std::fs::write(room.path().join("world.robray"), scene).expect("written");
    std::fs::write(room.path().join("duo.robray"), super::DUO).expect("written");
    let simulation = Simulation::parse(&text(robot), room.path(), &no_extensions);
    simulation.unwrap_or_else(|error| panic!("{error}"))
}

fn kick(simulation: &mut Simulation, body: &str, impulse: f64) {
    let spawned = simulation.scene();
    let entity = spawned
        .bodies
        .get(body)
        .or_else(|| spawned.robots.get(body));
    let entity = *entity.unwrap_or_else(|| panic!("no {body}: {:?}", spawned.bodies.keys()));
    let impulse = Vector3::new(impulse, 0.0, 0.0);
    push(simulation.world_mut(), entity, &impulse, None).expect("it moves");
}

/// Returns the raw bits of poses and velocities of all bodies but one.
fn bits(simulation: &Simulation, but: &str) -> Vec<(String, Vec<u64>)> {
    let names = simulation.scene().bodies.keys().filter(|name| *name != but);
    let of = |name: &String| {
        let body = simulation.body(name).expect("a body");
        let numbers = body
            .pose
            .translation
            .vector
            .iter()
            .chain(body.pose.rotation.coords.iter());
        let numbers = numbers
            .chain(body.linear_velocity.iter())
            .chain(body.angular_velocity.iter());
        (name.clone(), numbers.map(|value| value.to_bits()).collect())
    };
    names.map(of).collect()
}

fn assert_finite(value: &Json, what: &str) {
    match value {
        Json::Null => panic!("{what}: null"),
        Json::Number(number) => assert!(number.as_f64().is_some_and(f64::is_finite), "{what}"),
        Json::Array(items) => items.iter().for_each(|item| assert_finite(item, what)),
        Json::Object(fields) => {
            for (name, value) in fields {
                assert!(!name.starts_with('$'), "{what}: {value}");
                assert_finite(value, what);
            }
        }
        Json::Bool(_) | Json::String(_) => {}
    }
}

#[test]
fn what_is_lost_stands_still_and_everything_else_goes_on() {
    for (impulse, cause) in [
        (1e300, Fault::NotANumber),
        (-1e38, Fault::NotANumber),
        (1e15, Fault::TooFar),
    ] {
        let (mut simulation, mut without) = (open(true), open(false));
        let mut again = open(true);
        for simulation in [&mut simulation, &mut again] {
            simulation.hash_every_tick();
        }
        for tick in 1..=200 {
            if tick == 11 {
                kick(&mut simulation, "ball", impulse);
                kick(&mut again, "ball", impulse);
            }
            let before = simulation.body("ball").expect("a ball").pose;
            for simulation in [&mut simulation, &mut without, &mut again] {
                simulation.run(1).expect("nobody is in lockstep");
            }
            let ball = simulation.body("ball").expect("a ball");
            if tick >= 11 {
                assert_eq!(ball.pose, before, "{impulse}: frozen where it was");
                assert_eq!(
                    ball.linear_velocity + ball.angular_velocity,
                    Vector3::zeros()
                );
            }
            assert_eq!(
                bits(&simulation, "ball"),
                bits(&without, "ball"),
                "{impulse}: as if it had not been there, tick {tick}"
            );
            for sensor in SENSORS {
                let path = format!("ball.{sensor}");
                let call = simulation.call(&path, "get_local_data", &json!([]));
                assert_finite(&call.reply().expect("at once").value, &path);
            }
        }
        assert_eq!(simulation.state_hash(), again.state_hash(), "{impulse}");
        let [lost] = simulation.lost_bodies() else {
            panic!("{:?}", simulation.lost_bodies())
        };
        assert_eq!((&*lost.body, lost.tick, lost.with.len()), ("ball", 11, 0));
        if impulse.abs() != 1e38 {
            assert_eq!(lost.cause, cause);
        }
        let reported = simulation.take_warnings();
        assert_eq!(reported.len(), 1, "told once: {reported:?}");
        assert!(
            reported[0].contains("`ball` was lost in tick 11"),
            "{reported:?}"
        );
    }
}

#[test]
fn what_touches_the_lost_one_is_finite() {
    for impulse in [1e300, 1e20] {
        let mut simulation = open(true);
        simulation.run(120).expect("nobody is in lockstep");
        kick(&mut simulation, "box_2", impulse);
        simulation.run(120).expect("nobody is in lockstep");
        let lost = simulation.lost_bodies();
        assert!(lost.iter().any(|lost| lost.body == "box_2"), "{lost:?}");
        for (name, bits) in bits(&simulation, "") {
            let finite = bits.iter().all(|bits| f64::from_bits(*bits).is_finite());
            assert!(finite, "{impulse}: {name}");
        }
        let ball = simulation.body("ball").expect("a ball");
        assert!(ball.pose.translation.z < 0.2, "it has fallen to the floor");
    }
}

#[test]
fn a_robot_is_lost_as_a_whole() {
    for kicked in ["duo", "duo.wheel_left", "duo.wheel_right"] {
        let mut simulation = open(true);
        simulation.run(60).expect("nobody is in lockstep");
        let bodies = ["duo", "duo.wheel_left", "duo.wheel_right"];
        let poses = |simulation: &Simulation| {
            bodies.map(|name| simulation.body(name).expect("a body").pose)
        };
        let before = poses(&simulation);
        kick(&mut simulation, kicked, 1e300);
        simulation.run(120).expect("nobody is in lockstep");
        let after = poses(&simulation);
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(
                before.translation, after.translation,
                "{kicked}: told to drive"
            );
            // The engine normalises orientations again.
            assert!(before.rotation.angle_to(&after.rotation) < 1e-6, "{kicked}");
        }
        simulation.run(60).expect("nobody is in lockstep");
        assert_eq!(poses(&simulation), after, "{kicked}: it stands");
        let [lost] = simulation.lost_bodies() else {
            panic!("{:?}", simulation.lost_bodies())
        };
        assert_eq!(lost.with.len(), 2, "{lost}");
        let ball = simulation.body("ball").expect("a ball");
        assert!((ball.linear_velocity.z + 9.81 * 3.0).abs() < 0.3 || ball.pose.translation.z < 0.2);
    }
}

#[test]
fn what_is_lost_is_left_alone() {
    let mut simulation = open(true);
    simulation.run(5).expect("nobody is in lockstep");
    let ball = simulation.scene().bodies["ball"];
    kick(&mut simulation, "ball", 1e300);
    simulation.run(1).expect("nobody is in lockstep");
    let here = Isometry3::identity();
    let world = simulation.world_mut();
    assert_eq!(set_pose(world, ball, &here), Err(Unmoved::Lost));
    assert_eq!(push(world, ball, &Vector3::x(), None), Err(Unmoved::Lost));
    let call = simulation.call(
        "simulation",
        "set_object_position",
        &json!(["ball", [0, 0, 0]]),
    );
    let said = call.reply().expect("at once").value.to_string();
    assert!(said.contains("ball") && said.contains("lost"), "{said}");
}

#[test]
fn going_back_heals_a_loss_and_a_snapshot_holds_it() {
    let mut simulation = open(true);
    simulation.hash_every_tick();
    simulation.run(5).expect("nobody is in lockstep");
    let healthy = simulation.snapshot().expect("a snapshot");
    kick(&mut simulation, "ball", 1e300);
    simulation.run(1).expect("nobody is in lockstep");
    let lost = simulation.snapshot().expect("a snapshot");
    simulation.run(60).expect("nobody is in lockstep");
    let end = simulation.state_hash();
    assert_eq!(simulation.lost_bodies().len(), 1);

    let mut other = open(true);
    other.hash_every_tick();
    other.restore(&lost).expect("the same files");
    assert_eq!(other.lost_bodies(), simulation.lost_bodies());
    other.run(60).expect("nobody is in lockstep");
    assert_eq!(other.state_hash(), end, "the loss is a part of the state");

    let mut untouched = open(true);
    untouched.hash_every_tick();
    untouched.run(65).expect("nobody is in lockstep");
    simulation.restore(&healthy).expect("the same files");
    assert_eq!(simulation.lost_bodies(), []);
    simulation.run(60).expect("nobody is in lockstep");
    assert_eq!(simulation.state_hash(), untouched.state_hash(), "restored");
    for service in ["reset", "reset_objects"] {
        kick(&mut simulation, "ball", 1e300);
        simulation.run(1).expect("nobody is in lockstep");
        assert_eq!(simulation.lost_bodies().len(), 1);
        drop(simulation.call("simulation", service, &json!([])));
        simulation.run(1).expect("nobody is in lockstep");
        assert_eq!(simulation.lost_bodies(), [], "{service}");
        assert!(simulation.body("ball").expect("a ball").linear_velocity.z < 0.0);
    }
}

#[test]
fn a_pose_that_physics_cannot_bear_is_refused() {
    let mut simulation = open(true);
    simulation.run(5).expect("nobody is in lockstep");
    let ball = simulation.scene().bodies["ball"];
    for far in [1e12, f64::INFINITY, f64::NAN] {
        let far = Isometry3::translation(far, 0.0, 0.0);
        assert_eq!(
            set_pose(simulation.world_mut(), ball, &far),
            Err(Unmoved::TooFar)
        );
    }
    simulation.run(5).expect("nobody is in lockstep");
    assert_eq!(simulation.lost_bodies(), []);
}

/// A ball that logs its pose.
const FAR: &str = r#"Simulation(
    scene: "ball.robray",
    robots: { "ball": (frame: "ball", sensors: { "pose": (kind: "pose", outputs: { "log": (format: csv) }) }) },
    middlewares: { "log": (kind: "text", directory: "out") },
)"#;

/// Returns a ball outside of the world, on frames that are each inside of it.
fn far_away() -> String {
    let step = |step: usize| {
        let parent = step + 1;
        format!("frame far_{step} {{ parent far_{parent}; translation [1e8, 0, 0]; }}\n")
    };
    let steps: String = (0..11).map(step).collect();
    format!(
        "frame far_11 {{}}\n{steps}frame ball {{ parent far_0; geometry {{ shape sphere; radius 0.1; density 500; }} }}"
    )
}

#[test]
fn a_loss_is_told_and_ends_a_strict_run_with_code_4() {
    for (arguments, code, ticks) in [
        (&["--steps", "100"][..], 0, 100),
        (&["--steps", "100", "--json"][..], 0, 100),
        (&["--steps", "100", "--strict"][..], 4, 1),
    ] {
        let room = tempfile::tempdir().expect("a directory");
        std::fs::write(room.path().join("ball.robray"), far_away()).expect("written");
        std::fs::write(room.path().join("ball.ron"), FAR).expect("written");
        let ran = assert_cmd::Command::new(env!("CARGO_BIN_EXE_morse-sim"))
            .arg("ball.ron")
            .args(arguments)
            .current_dir(room.path())
            .output()
            .expect("the program runs");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(code), "{said}");
        let warning =
            "warning: body `ball` was lost in tick 1: it is more than a million kilometres away";
        assert_eq!(said.matches(warning).count(), 1, "{said}");
        let summary = String::from_utf8_lossy(&ran.stdout);
        if arguments.contains(&"--json") {
            let summary: Json = serde_json::from_str(&summary).expect("one JSON object");
            let lost = json!([{ "body": "ball", "tick": 1, "cause": "too_far", "with": [] }]);
            assert_eq!(summary["lost"], lost);
        } else {
            assert!(summary.starts_with(&format!("{ticks} ticks")), "{summary}");
            assert!(
                summary.contains("lost `ball` in tick 1: it is more than"),
                "{summary}"
            );
        }
        let log = std::fs::read_to_string(room.path().join("out/ball.pose.csv")).expect("a log");
        assert_eq!(
            log.lines().count(),
            ticks + 1,
            "a heading and readings: {log}"
        );
        assert!(!log.contains("NaN") && !log.contains("inf"), "{log}");
    }
}

fn panics_in_the_third_tick(clock: Res<Clock>) {
    assert!(clock.tick < 3, "out of order");
}

#[test]
fn a_system_that_panics_ends_the_run_and_not_the_program() {
    let simulation = Simulation::parse("Simulation()", ".", &|app| {
        app.add_systems(FixedUpdate, panics_in_the_third_tick.in_set(Tick::Physics));
    })
    .expect("it is built");
    let (summary, end) = run(simulation, &limits(10, false), &mut |_| {});
    let End::SimulationFailed(why) = end else {
        panic!("{end:?}")
    };
    assert!(
        why.contains("tick 3") && why.contains("out of order"),
        "{why}"
    );
    assert!(summary.steps <= 3);
}
