//! Robots and bodies that appear and disappear while a simulation runs.
#![cfg(test)]
mod threads;

use std::{collections::BTreeMap, time::Duration};

use bevy::reflect::structs::DynamicStruct;
use morse_api::{
    log::{CommandLog, LoggedAction},
    port::Policy,
    service::{Reply, Status},
};
use morse_sim::{
    Simulation,
    sensor::pose::PoseData,
    simulation::{
        load::robots::{Change, Spawn},
        no_extensions,
    },
};
use serde_json::{Value as Json, json};

/// A rover that drives between boxes, with a noisy sensor, and two vans that stand.
const WORLD: &str = r#"Simulation(
    scene: "boxes.robray",
    environment: (seed: 7),
    bodies: { "BlueBox": (kind: dynamic) },
    robots: {
        "rover": (
            model: "robots/atrv.robray", at: (translation: (-2, -3, 0.1)),
            sensors: { "pose": (kind: "pose", modifiers: [(kind: "gaussian")]) },
            actuators: { "motion": (kind: "v_omega"), "goal": (kind: "waypoint") },
        ),
        "van": (model: "robots/atrv.robray", at: (translation: (20, 0, 0.1)), repeat: (count: 2, pattern: line((0, 5, 0)))),
    },
)"#;

/// A robot with a sensor that has noise, and a motor.
const GUEST: &str = r#"(
    model: "robots/pioneer3dx.robray", at: (translation: (30, 30, 0.02)), mass: between(8, 10),
    sensors: { "pose": (kind: "pose", modifiers: [(kind: "gaussian")]) },
    actuators: { "motion": (kind: "v_omega_diff") },
)"#;

const ARM: &str = r#"<robot name="arm">
    <link name="world"/>
    <link name="upper"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="turn" type="continuous"><parent link="world"/><child link="upper"/><axis xyz="0 0 1"/></joint>
</robot>"#;

fn parse(text: &str) -> Simulation {
    Simulation::parse(text, "scenes", &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

fn guest(name: &str) -> Spawn {
    Spawn {
        name: name.to_owned(),
        definition: GUEST.to_owned(),
        ..Spawn::default()
    }
}

fn spawn(simulation: &mut Simulation, name: &str) {
    let warnings = simulation.spawn(&guest(name));
    let warnings = warnings.unwrap_or_else(|error| panic!("{error}"));
    assert!(warnings.is_empty(), "{warnings}");
}

fn drive(simulation: &Simulation, v: f64) {
    let mut command = DynamicStruct::default();
    command.insert("v", v);
    let sent = simulation.command_any("rover.motion", Box::new(command));
    sent.expect("an actuator");
}

fn reply(simulation: &mut Simulation, service: &str, arguments: Json) -> Reply {
    let call = simulation.call("simulation", service, &arguments);
    call.reply().expect("a reply between two ticks")
}

#[test]
fn a_robot_that_is_added_before_the_first_tick_is_as_one_of_the_file() {
    let all = WORLD.replace("\"van\":", &format!("\"guest\": {GUEST}, \"van\":"));
    let mut written = parse(&all);
    let mut added = parse(WORLD);
    spawn(&mut added, "guest");
    assert_eq!(written.paths(), added.paths());
    assert_eq!(written.drawn(), added.drawn());
    assert_eq!(added.drawn()[0].path, "robots.guest.mass");
    for simulation in [&mut written, &mut added] {
        simulation.run(60).unwrap();
    }
    assert_eq!(written.state_hash(), added.state_hash());
    // Nothing of it is left.
    let mut never = parse(WORLD);
    let mut deleted = parse(WORLD);
    spawn(&mut deleted, "guest");
    deleted.delete("guest").unwrap();
    assert_eq!(never.paths(), deleted.paths());
    assert_eq!(deleted.drawn(), []);
    for simulation in [&mut never, &mut deleted] {
        simulation.run(60).unwrap();
    }
    assert_eq!(never.state_hash(), deleted.state_hash());
}

#[test]
fn everything_else_continues_with_its_clients() {
    let mut simulation = parse(WORLD);
    let mut alone = parse(WORLD);
    let observer = simulation
        .observe("rover.pose", Policy::Queue(500))
        .unwrap();
    observer.stay_ready();
    let commander = simulation.commander("rover.motion").unwrap();
    for world in [&mut simulation, &mut alone] {
        world.run(60).unwrap();
    }
    let goal = simulation.call("rover.goal", "goto", &json!([2, -3, 0]));
    let same = alone.call("rover.goal", "goto", &json!([2, -3, 0]));
    for world in [&mut simulation, &mut alone] {
        world.run(30).unwrap();
    }
    spawn(&mut simulation, "guest");
    simulation.run(30).unwrap();
    simulation.delete("guest").unwrap();
    for tick in 0.. {
        simulation.step().unwrap();
        if let Some(reply) = goal.reply() {
            assert_eq!(reply.status, Status::Success);
            break;
        }
        assert!(tick < 1200, "the request was lost");
    }
    assert_eq!(observer.drops().0, 0);
    let ticks: Vec<u64> = std::iter::from_fn(|| observer.try_recv())
        .map(|reading| reading.tick)
        .collect();
    let expected: Vec<u64> = (1..=simulation.tick()).collect();
    assert_eq!(ticks, expected, "each tick once");
    alone.run(simulation.tick() - alone.tick()).unwrap();
    assert!(same.reply().is_some());
    let pose = |world: &Simulation| world.body("rover").unwrap().pose;
    assert!((pose(&simulation).translation.vector - pose(&alone).translation.vector).norm() < 0.02);

    // The sender was made before.
    let before = pose(&simulation);
    let mut command = DynamicStruct::default();
    command.insert("v", 1.0);
    commander.send(Box::new(command)).unwrap();
    simulation.run(60).unwrap();
    let moved = (before.inverse() * pose(&simulation)).translation.x;
    assert!((0.8..1.05).contains(&moved), "{moved}");
}

#[test]
fn what_flies_alone_continues_bit_for_bit() {
    let text = r#"Simulation(
        bodies: { "puck": (kind: dynamic, gravity: false, linear_velocity: (0.5, 0, 0), angular_velocity: (0, 1, 2)) },
        robots: { "disc": (frame: "puck", sensors: { "pose": (kind: "pose", modifiers: [(kind: "gaussian")]) }) },
        scene: "puck.robray",
    )"#;
    let folder = tempfile::tempdir().unwrap();
    let scene =
        "frame puck { translation [0, 0, 2]; mass 1; geometry { shape sphere; radius 0.1; } }";
    std::fs::write(folder.path().join("puck.robray"), scene).unwrap();
    let world = || Simulation::parse(text, folder.path(), &no_extensions).unwrap();
    let [mut changed, mut alone] = [world(), world()];
    for _ in 0..3 {
        changed.run(20).unwrap();
        alone.run(20).unwrap();
        let seen = |world: &Simulation| world.read::<PoseData>("disc.pose").unwrap().x;
        assert_eq!(seen(&changed).to_bits(), seen(&alone).to_bits());
        let body = |world: &Simulation| *world.body("puck").unwrap();
        assert_eq!(body(&changed).pose, body(&alone).pose);
        let name = format!("guest_{}", changed.tick());
        spawn(&mut changed, &name);
    }
}

#[test]
fn a_reset_removes_what_was_added_and_a_snapshot_brings_it_back() {
    let mut simulation = parse(WORLD);
    let mut fresh = parse(WORLD);
    simulation.hash_every_tick();
    fresh.hash_every_tick();
    simulation.run(20).unwrap();
    spawn(&mut simulation, "guest");
    simulation.delete("BlueBox").unwrap();
    drive(&simulation, 1.0);
    simulation.run(20).unwrap();
    let snapshot = simulation.snapshot().unwrap();
    simulation.run(20).unwrap();
    let (hash, paths) = (simulation.state_hash(), simulation.paths());

    simulation.reset().unwrap();
    assert_eq!((simulation.tick(), simulation.paths()), (0, fresh.paths()));
    simulation.run(30).unwrap();
    fresh.run(30).unwrap();
    assert_eq!(simulation.state_hash(), fresh.state_hash());

    // In the same simulation, and in one that has not been changed.
    for world in [&mut simulation, &mut fresh] {
        world.restore(&snapshot).unwrap();
        assert_eq!(world.paths(), paths);
        world.run(20).unwrap();
        assert_eq!(world.state_hash(), hash);
    }
    // Only bodies: the robot that was added returns to its start.
    let start = simulation.body("guest").unwrap().pose;
    let call = simulation.call("simulation", "reset_objects", &json!([]));
    assert_eq!(call.reply().unwrap().status, Status::Success);
    let back = simulation.body("guest").unwrap().pose;
    assert!((back.translation.z - 0.02).abs() < 1e-6 && start != back);
}

/// Requests of clients, with the replies.
fn requests(simulation: &Simulation, all: &[(&str, Json)]) -> crossbeam_channel::Receiver<Reply> {
    let (sender, replies) = crossbeam_channel::bounded(16);
    for (service, arguments) in all {
        let sender = sender.clone();
        let reply = move |reply| drop(sender.send(reply));
        let sent = simulation
            .requests()
            .send("simulation", service, arguments.clone(), reply);
        sent.expect("a place in the queue");
    }
    replies
}

#[test]
fn requests_of_clients_are_logged_and_a_replay_is_the_same_run() {
    let plan = [
        (
            10,
            vec![
                ("spawn", json!(["guest", GUEST])),
                ("spawn", json!(["other", GUEST.replace("30, 30", "40, 30")])),
            ],
        ),
        (30, vec![("delete", json!({"name": "van_1"}))]),
        (
            50,
            vec![
                ("delete", json!(["guest"])),
                ("spawn", json!(["guest", GUEST])),
            ],
        ),
        (70, vec![("reset", json!([]))]),
    ];
    let mut first = parse(WORLD);
    first.hash_every_tick();
    first.world_mut().init_resource::<CommandLog>();
    for (tick, asked) in &plan {
        first.run(tick - first.tick()).unwrap();
        let replies = requests(&first, asked);
        first.run(2).unwrap();
        let replies: Vec<Reply> = replies.try_iter().collect();
        assert_eq!(replies.len(), asked.len(), "{replies:?}");
        assert!(
            replies.iter().all(|reply| reply.status == Status::Success),
            "{replies:?}"
        );
    }
    first.run(10).unwrap();
    let log = first.world_mut().remove_resource::<CommandLog>().unwrap();
    let mut again = parse(WORLD);
    again.hash_every_tick();
    let mut rest = log.0.iter().peekable();
    let mut made = 0;
    for _ in 0..82 {
        let next = again.tick() + 1;
        while let Some(entry) = rest.next_if(|entry| entry.tick == next) {
            let LoggedAction::Request {
                service, arguments, ..
            } = &entry.action
            else {
                panic!("{entry:?}");
            };
            made += 1;
            drop(requests(&again, &[(service, arguments.clone())]));
        }
        again.step().unwrap();
    }
    assert_eq!(
        (made, again.tick(), rest.next().is_none()),
        (6, first.tick(), true)
    );
    assert_eq!(again.state_hash(), first.state_hash());
}

/// Returns requests that are refused, with a part of the reason.
fn impossible() -> Vec<(&'static str, Json, &'static str)> {
    let files = |name: &str| json!({"name": "arm", "definition": "(model: \"arm.urdf\")", "files": {name: ARM}});
    let mut all = vec![
        ("spawn", files("../arm.urdf"), "cannot name a text"),
        ("spawn", files("/tmp/arm.urdf"), "cannot name a text"),
        ("spawn", json!(["guest"]), "wrong number of arguments"),
        ("spawn", json!({"name": "a", "definition": 3}), "definition"),
        (
            "delete",
            json!(["nobody"]),
            "there is no robot or body `nobody`",
        ),
        ("delete", json!(["van_3"]), "did you mean `van_1`"),
        ("delete", json!(["rover.pose"]), "there is no robot or body"),
    ];
    all.extend(impossible_robots());
    all
}

/// Returns requests with robots that are refused, with a part of the reason.
fn impossible_robots() -> Vec<(&'static str, Json, &'static str)> {
    let robot = |text: &str| json!(["guest", text]);
    let model = r#"(model: "robots/atrv.robray""#;
    let sensors = (0..12).map(|number| format!("\"gps{number}\": (kind: \"gps\"), "));
    let crowd = format!(
        "{model}, repeat: (count: 100000, pattern: line((1, 0, 0))), sensors: {{ {} }})",
        sensors.collect::<String>()
    );
    vec![
        (
            "spawn",
            json!(["rover", GUEST]),
            "there is a robot `rover` already",
        ),
        (
            "spawn",
            json!(["van", GUEST]),
            "there is a robot `van` already",
        ),
        ("spawn", json!(["BlueBox", GUEST]), "BlueBox"),
        ("spawn", json!(["", GUEST]), "name"),
        (
            "spawn",
            robot("(frame: \"BlueBox\")"),
            "`guest` has no model",
        ),
        (
            "spawn",
            robot("(model: \"nowhere.urdf\")"),
            "there is no file `nowhere.urdf`",
        ),
        (
            "spawn",
            robot("(model: \"/etc/passwd\")"),
            "outside the allowed directories",
        ),
        (
            "spawn",
            robot(&format!("{model}, sensors: {{ \"a\": (kind: \"gpz\") }})")),
            "did you mean `gps`",
        ),
        (
            "spawn",
            robot(&format!(
                "{model}, sensors: {{ \"a\": (kind: \"gps\", outputs: {{ \"socket\": () }}) }})"
            )),
            "socket",
        ),
        (
            "spawn",
            robot(&format!("{model}, at: (translation: (1, 2)))")),
            "translation",
        ),
        (
            "spawn",
            robot(&format!("{model}), \"b\": ()")),
            "nothing may follow",
        ),
        ("spawn", robot(&crowd), "memory"),
        ("spawn", robot(&"(".repeat(100_000)), "nest"),
    ]
}

#[test]
fn what_is_impossible_is_refused_and_changes_nothing() {
    let mut simulation = parse(WORLD);
    simulation.run(5).unwrap();
    let (hash, paths) = (simulation.state_hash(), simulation.paths());
    for (service, arguments, cause) in impossible() {
        let reply = reply(&mut simulation, service, arguments.clone());
        let text = reply.value.to_string();
        assert_eq!(reply.status, Status::Failed, "{service} {arguments}");
        assert!(text.contains(cause), "{service} {arguments}: {text}");
        assert_eq!(simulation.state_hash(), hash, "{arguments}");
    }
    assert_eq!(simulation.paths(), paths);
    // A change that fails while the world is built: the other one of the same tick is made.
    let mesh = "frame a { mass 1; geometry { shape mesh; mesh \"missing.obj\"; } }";
    let broken = json!({"name": "broken", "definition": "(model: \"a.robray\")", "files": {"a.robray": mesh}});
    let replies = requests(
        &simulation,
        &[("spawn", broken), ("spawn", json!(["guest", GUEST]))],
    );
    simulation.run(2).unwrap();
    let replies: Vec<Reply> = replies.try_iter().collect();
    let [failed, done] = replies.as_slice() else {
        panic!("{replies:?}");
    };
    assert!(
        failed.value.to_string().contains("missing.obj"),
        "{failed:?}"
    );
    assert_eq!(done.status, Status::Success, "{done:?}");
    assert!(simulation.body("guest").is_some() && simulation.body("broken").is_none());
}

#[test]
fn a_robot_description_that_is_on_no_disk_can_be_added() {
    let mut simulation = parse(WORLD);
    simulation.run(5).unwrap();
    let definition = r#"(model: "arm.urdf", at: (translation: (5, 5, 1)), joints: { "turn": (velocity: 1) },
        sensors: { "joints": (kind: "joint_state") })"#;
    let robot = Spawn {
        name: "arm".to_owned(),
        definition: definition.to_owned(),
        files: BTreeMap::from([("arm.urdf".to_owned(), ARM.to_owned())]),
    };
    simulation
        .spawn(&robot)
        .unwrap_or_else(|error| panic!("{error}"));
    // Many at once, among them one with the same file.
    let many = (0..20).map(|number| {
        let name = format!("arm{number}");
        let definition = definition.replace("(5, 5, 1)", &format!("({number}, 9, 1)"));
        Change::Spawn(Spawn {
            name,
            definition,
            ..robot.clone()
        })
    });
    simulation.change(&many.collect::<Vec<_>>()).unwrap();
    simulation.run(60).unwrap();
    for name in ["arm", "arm0", "arm19"] {
        let turn = simulation
            .body(&format!("{name}.upper"))
            .unwrap()
            .pose
            .rotation
            .angle();
        assert!((turn - 1.0).abs() < 0.05, "{name}: {turn}");
    }
    simulation.serve(Duration::ZERO);
}

/// Robots as they are shipped, with an actuator that drives them and its command.
const DRIVERS: [(&str, &str); 6] = [
    (
        "pioneer3dx",
        r#""motion": (kind: "v_omega", start: (v: 0.5, w: 0))"#,
    ),
    (
        "segway_rmp400",
        r#""motion": (kind: "v_omega", start: (v: 0.5, w: 0.2))"#,
    ),
    (
        "pr2",
        r#""motion": (kind: "v_omega", start: (v: 0.5, w: 0.1))"#,
    ),
    (
        "atrv",
        r#""motion": (kind: "v_omega", start: (v: 0.5, w: 0.2))"#,
    ),
    (
        "hummer",
        r#""motion": (kind: "steer_force", start: (steer: 0.1, force: -10))"#,
    ),
    ("quadrotor", ""),
];

#[test]
fn shipped_robots_move_on_as_if_nothing_had_been_added() {
    for (model, actuators) in DRIVERS {
        let text = format!(
            r#"Simulation(scene: "boxes.robray", robots: {{ "rover": (
                model: "robots/{model}.robray", at: (translation: (-10, -10, 0.3)), actuators: {{ {actuators} }},
            ) }})"#
        );
        let [mut changed, mut alone] = [parse(&text), parse(&text)];
        for world in [&mut changed, &mut alone] {
            world.run(180).unwrap();
        }
        spawn(&mut changed, "guest");
        for tick in 0..60 {
            changed.step().unwrap();
            alone.step().unwrap();
            let pose = |world: &Simulation| world.body("rover").unwrap().pose.translation.vector;
            let apart = (pose(&changed) - pose(&alone)).norm();
            assert!(apart < 2e-5, "{model}, tick {tick}: {apart} m");
        }
    }
}
