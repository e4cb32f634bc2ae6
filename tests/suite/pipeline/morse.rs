//! The order of a tick under `motion: morse`.
use std::time::Duration;

use morse_api::port::Policy;
use morse_sim::{
    Simulation,
    actuator::{
        armature::{Armature, ArmatureCommand},
        teleport::{Teleport, TeleportCommand},
        v_omega::{VOmega, VOmegaCommand},
    },
    sensor::{
        accelerometer::AccelerometerData, pose::PoseData, radar_altimeter::RadarAltimeterData,
        velocity::VelocityData,
    },
    simulation::no_extensions,
};
use serde_json::{Value as Json, json};

fn build(motion: &str, robot: &str) -> Simulation {
    let text = format!(
        r#"Simulation(
            scene: "boxes.robray",
            environment: (motion: {motion}),
            robots: {{ "rover": ({robot}) }},
        )"#
    );
    Simulation::parse(&text, "scenes", &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

fn rover(motion: &str, components: &str) -> Simulation {
    let robot = format!(
        r#"model: "robots/atrv.robray", at: (translation: (0, 0, 0.1)),
           linear_damping: 0.0253178, angular_damping: 0.198451, {components}"#
    );
    build(motion, &robot)
}

#[test]
fn a_start_is_one_reading_of_an_accelerometer() {
    let components = r#"
        sensors: { "acceleration": (kind: "accelerometer") },
        actuators: { "motion": (kind: "v_omega") },
    "#;
    let mut simulation = rover("morse", components);
    let path = "rover.acceleration";
    let observer = simulation.observe(path, Policy::Queue(200)).unwrap();
    observer.stay_ready();
    simulation.run(60).unwrap();
    let command = VOmegaCommand { v: 1.0, w: 0.0 };
    simulation
        .command::<VOmega>("rover.motion", command)
        .unwrap();
    simulation.run(60).unwrap();
    let readings = std::iter::from_fn(|| observer.try_recv());
    let large = readings.filter_map(|reading| {
        let x = reading.get::<AccelerometerData>()?.acceleration[0];
        (x.abs() > 1.0).then_some((reading.tick, x))
    });
    let large: Vec<(u64, f64)> = large.collect();
    // v = 1 - mu g dt after the first tick, at 60 Hz; it is measured in the second one.
    let expected = (1.0 - 0.25 * 9.81 / 60.0) * 60.0;
    let [(tick, x)] = large[..] else {
        panic!("{large:?}");
    };
    assert_eq!(tick, 62);
    assert!((x - expected).abs() < 0.2, "{x} instead of {expected}");
}

fn pose(simulation: &Simulation) -> PoseData {
    let data = simulation.read::<PoseData>("rover.pose");
    data.expect("a pose").clone()
}

fn speed(simulation: &Simulation) -> f64 {
    let data = simulation.read::<VelocityData>("rover.velocity");
    data.expect("a velocity").linear_velocity[0]
}

/// Returns the height that a ray measures.
fn height(simulation: &Simulation) -> f64 {
    let data = simulation.read::<RadarAltimeterData>("rover.height");
    data.expect("a height").z
}

const LOOKING: &str = r#"
    sensors: { "pose": (kind: "pose"), "velocity": (kind: "velocity"), "height": (kind: "radar_altimeter") },
    actuators: { "teleport": (kind: "teleport", active: false), "motion": (kind: "v_omega") },
"#;

#[test]
fn sensors_see_motion_of_the_last_tick() {
    let mut simulation = rover("morse", LOOKING);
    simulation.run(60).unwrap();
    let command = VOmegaCommand { v: 1.0, w: 0.0 };
    let motion = "rover.motion";
    simulation.command::<VOmega>(motion, command).unwrap();
    simulation.step().unwrap();
    assert!(speed(&simulation).abs() < 1e-3, "{}", speed(&simulation));
    let before = simulation.body("rover").unwrap().pose.translation.x;
    simulation.step().unwrap();
    assert!((speed(&simulation) - 0.96).abs() < 0.01);
    let after = pose(&simulation).x;
    assert_eq!(after, before, "where the last tick has left it");
}

#[test]
fn sensors_see_poses_that_are_set_in_this_tick() {
    let mut simulation = rover("morse", LOOKING);
    simulation.run(60).unwrap();
    let target = TeleportCommand {
        x: -2.0,
        y: 1.0,
        z: 5.0,
        ..TeleportCommand::default()
    };
    let teleport = "rover.teleport";
    drop(simulation.call(teleport, "activate", &Json::Null));
    simulation.command::<Teleport>(teleport, target).unwrap();
    simulation.step().unwrap();
    let position = pose(&simulation);
    assert_eq!([position.x, position.y, position.z], [-2.0, 1.0, 5.0]);
    let seen = height(&simulation);
    assert!((seen - 5.0).abs() < 1e-6, "rays see it there, too: {seen}");
    drop(simulation.call(teleport, "deactivate", &Json::Null));
    let heights = (0..4).map(|_| {
        simulation.step().unwrap();
        pose(&simulation).z
    });
    let heights: Vec<f64> = heights.collect();
    // It falls from this tick on, which is measured in the next one: by g dt² in the first tick.
    let fallen = 9.81 / 60.0 / 60.0;
    assert!((heights[0] - 5.0).abs() < 1e-6, "{heights:?}");
    assert!(
        (5.0 - heights[1] - fallen).abs() < fallen / 2.0,
        "{heights:?}"
    );
    assert!(heights[3] < heights[2], "{heights:?}");
}

#[test]
fn posed_links_are_seen_where_this_tick_takes_them() {
    let robot = r#"
        model: "arms/kuka_lwr.robray", base: fixed,
        joints: { "kuka_1": (mode: kinematic), "kuka_2": (mode: kinematic), "kuka_3": (mode: kinematic),
                  "kuka_4": (mode: kinematic), "kuka_5": (mode: kinematic), "kuka_6": (mode: kinematic),
                  "kuka_7": (mode: kinematic) },
        sensors: { "hand": (kind: "pose", mount: (frame: "kuka_tip")) },
        actuators: { "arm": (kind: "armature") },
    "#;
    let run = |motion: &str| {
        let mut simulation = build(motion, robot);
        simulation.step().unwrap();
        let command = ArmatureCommand {
            names: vec!["kuka_2".to_owned()],
            positions: vec![0.8],
        };
        simulation
            .command::<Armature>("rover.arm", command)
            .unwrap();
        (0..20)
            .map(|_| {
                simulation.step().unwrap();
                simulation.read::<PoseData>("rover.hand").unwrap().clone()
            })
            .collect::<Vec<_>>()
    };
    let (default, morse) = (run("default"), run("morse"));
    assert!((default[0].z - default[19].z).abs() > 0.01, "it moves");
    for (one, other) in default.iter().zip(&morse) {
        assert!(
            (one.x - other.x).abs() < 1e-6 && (one.z - other.z).abs() < 1e-6,
            "{one:?} {other:?}"
        );
    }
}

/// Returns the ticks after which requests are answered that were sent after some tick, by their names.
fn answered(simulation: &mut Simulation, asked: &[(&str, Json)]) -> Vec<(u64, Json)> {
    let (send, receive) = crossbeam_channel::bounded(8);
    for (name, arguments) in asked {
        let send = send.clone();
        let take = move |reply: morse_api::service::Reply| send.send(reply.value).expect("room");
        let requests = simulation.requests();
        requests
            .send("time", name, arguments.clone(), take)
            .expect("it goes on");
    }
    let mut replies = Vec::new();
    for _ in 0..100 {
        simulation.serve(Duration::from_millis(1));
        replies.extend(receive.try_iter().map(|value| (simulation.tick(), value)));
        simulation.step().expect("it goes on");
        replies.extend(receive.try_iter().map(|value| (simulation.tick(), value)));
    }
    replies
}

#[test]
fn requests_are_heard_in_the_tick_after_they_arrive() {
    let mut simulation = rover("morse", "");
    simulation.run(4).unwrap();
    let replies = answered(
        &mut simulation,
        &[("now", json!([])), ("sleep", json!([1.0]))],
    );
    // Received in tick 5, from which the sleep counts.
    assert_eq!(replies, [(5, json!(5.0 / 60.0)), (65, Json::Null)]);
    for (seconds, ticks) in [
        (0.0, 1),
        (0.5 / 60.0, 1),
        (1.49 / 60.0, 1),
        (1.51 / 60.0, 2),
    ] {
        let before = simulation.tick();
        let replies = answered(&mut simulation, &[("sleep", json!([seconds]))]);
        assert_eq!(replies, [(before + 1 + ticks, Json::Null)], "{seconds}");
    }
    let mut simulation = rover("default", "");
    simulation.run(4).unwrap();
    let replies = answered(
        &mut simulation,
        &[("now", json!([])), ("sleep", json!([1.0]))],
    );
    assert_eq!(replies, [(4, json!(4.0 / 60.0)), (64, Json::Null)]);
}

#[test]
fn what_a_request_commands_acts_from_the_next_tick_on() {
    let components = r#"actuators: { "motion": (kind: "v_omega") }"#;
    for (motion, first) in [("default", 5), ("morse", 6)] {
        let mut simulation = rover(motion, components);
        simulation.run(4).unwrap();
        let requests = simulation.requests();
        requests
            .send("rover.motion", "set_speed", json!([1.0, 0.0]), |_| {})
            .unwrap();
        let mut ticks = (5..10).filter(|_| {
            simulation.step().unwrap();
            // Friction accelerates it by 0.08 m/s per tick.
            simulation.body("rover").unwrap().linear_velocity.x > 0.05
        });
        assert_eq!(ticks.next(), Some(first), "{motion}");
    }
}

#[test]
fn a_waypoint_that_is_stopped_coasts() {
    let components = r#"actuators: { "way": (kind: "waypoint", obstacle_avoidance: false) }"#;
    let way = |motion: &str| {
        let mut simulation = rover(motion, components);
        let goto = simulation.call("rover.way", "goto", &json!([10.0, 0.0, 0.0]));
        simulation.run(60).unwrap();
        let from = simulation.body("rover").unwrap().pose.translation.x;
        let ask = |simulation: &mut Simulation, word: &str| {
            let call = simulation.call("rover.way", word, &Json::Null);
            call.reply().unwrap().value
        };
        assert_eq!(ask(&mut simulation, "stop"), "Stop");
        simulation.run(24).unwrap();
        let (at, speed) = {
            let body = simulation.body("rover").unwrap();
            (body.pose.translation.x, body.linear_velocity.x)
        };
        assert!(speed.abs() < 0.05, "{motion}: {speed}");
        assert_eq!(ask(&mut simulation, "get_status"), "Stop");
        assert!(goto.reply().is_none(), "it waits");
        assert_eq!(ask(&mut simulation, "resume"), "Transit");
        simulation.run(60).unwrap();
        assert!(simulation.body("rover").unwrap().linear_velocity.x > 0.9);
        at - from
    };
    // v² / 2 mu g of 0.96 m/s is 0.188 m; damping reduces it a little.
    let coasted = way("morse");
    assert!((coasted - 0.18).abs() < 0.015, "{coasted}");
    // Friction of 0.5 decelerates 1 m/s within 0.102 m.
    let stopped = way("default");
    assert!((stopped - 0.1).abs() < 0.01, "{stopped}");
}
