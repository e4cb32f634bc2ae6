//! Objects with names and properties: results of sensors and actuators in a world with physics.
use morse_api::{
    object::{Objects, Property, Zones},
    service::{Reply, Status},
};
use morse_sim::{
    Simulation,
    actuator::{
        grasping::Grasped,
        v_omega::{VOmega, VOmegaCommand},
    },
    sensor::{
        battery::BatteryData, collision::CollisionData, proximity::ProximityData,
        semantic_camera::SemanticCameraData, thermometer::ThermometerData,
    },
    simulation::no_extensions,
};
use nalgebra::{Point3, Vector3};
use serde_json::{Value as Json, json};

/// Returns a rover in the hall of boxes: its pose, its components, and other fields of the file.
fn rover(at: &str, components: &str, more: &str) -> Simulation {
    build(at, components, more).unwrap_or_else(|error| panic!("{error}"))
}

fn build(
    at: &str,
    components: &str,
    more: &str,
) -> Result<Simulation, morse_sim::simulation::BuildError> {
    let text = format!(
        r#"Simulation(
            scene: "boxes.robray",
            robots: {{ "rover": (model: "robots/atrv.robray", at: ({at}), {components}) }},
            {more}
        )"#
    );
    Simulation::parse(&text, "scenes", &no_extensions)
}

fn ask(simulation: &mut Simulation, component: &str, service: &str) -> Reply {
    let call = simulation.call(component, service, &json!([]));
    call.reply().expect("an answer at once")
}

fn position(simulation: &Simulation, body: &str) -> Vector3<f64> {
    simulation
        .body(body)
        .expect("a body")
        .pose
        .translation
        .vector
}

#[test]
fn objects_have_boxes_properties_and_geometry() {
    let more = r#"
        objects: { "RedBox": (label: "Crate", properties: { "Fire": 300 }), "wall_west": (graspable: true) },
        zones: { "far": (type: "Parking", size: (1, 2, 3)) },
    "#;
    let simulation = rover(
        "translation: (0, 0, 0.1)",
        r#"properties: { "Wet": true }"#,
        more,
    );
    let objects = simulation.world().resource::<Objects>();
    let names: Vec<&str> = objects
        .all()
        .iter()
        .map(|object| object.name.as_str())
        .collect();
    assert_eq!(names, ["RedBox", "rover", "wall_west"]);
    let crate_ = objects.get("RedBox").unwrap();
    assert_eq!(
        (crate_.label.as_str(), crate_.kind.as_str()),
        ("Crate", "Object")
    );
    let bounds = crate_.bounds.expect("a box");
    assert!((bounds.half - Vector3::new(0.5, 0.5, 0.9)).norm() < 1e-12);
    assert!((bounds.center - Point3::origin()).norm() < 1e-12);
    assert!(crate_.collides && crate_.geometry.len() == 1 && crate_.robot.is_none());
    let pose = crate_.pose_in(simulation.world()).unwrap();
    assert!((pose.translation.vector - Vector3::new(-7.5, 0.0, 0.9)).norm() < 1e-6);
    assert!(objects.get("wall_west").unwrap().has("Graspable"));
    let robot = objects.get("rover").unwrap();
    assert!(robot.has("Robot_Tag") && robot.has("Wet") && !robot.has("Fire"));
    assert_eq!(robot.robot, Some(robot.body));
    assert_eq!(crate_.properties["Fire"], Property::Number(300.0));
    let zones = &simulation.world().resource::<Zones>().0;
    assert!(zones[0].contains(&Point3::new(1.0, 2.0, -3.0)));
}

#[test]
fn near_things_are_felt_where_they_are() {
    let components = r#"sensors: {
        "heat": (kind: "thermometer", mount: (translation: (0, 0, 0.8))),
        "near": (kind: "proximity", track: "Fire"),
        "battery": (kind: "battery", discharging_rate: 6),
    }"#;
    let more = r#"
        objects: { "RedBox": (properties: { "Fire": true }), "BlueBox": (properties: { "Fire": 100 }) },
        bodies: { "RedBox": (kind: fixed), "BlueBox": (kind: fixed) },
        zones: { "home": (type: "Charging", at: (translation: (-5, 0, 0)), size: (0.5, 0.5, 0.5)) },
    "#;
    let mut simulation = rover("translation: (-5, 0, 0.1)", components, more);
    let sent = simulation
        .observe("rover.near", morse_api::port::Policy::Queue(100))
        .unwrap();
    sent.stay_ready();
    simulation.run(60).unwrap();
    let rover = position(&simulation, "rover");
    let expected = [("BlueBox", [-3.5, -3.0, 0.9]), ("RedBox", [-7.5, 0.0, 0.9])];
    let distance = |at: [f64; 3], from: &Vector3<f64>| (Vector3::from(at) - from).norm();
    let near = simulation.read::<ProximityData>("rover.near").unwrap();
    for (name, at) in expected {
        assert!(
            (near.near_objects[name] - distance(at, &rover)).abs() < 1e-3,
            "{near:?}"
        );
    }
    // 12 times a second by default.
    assert_eq!(std::iter::from_fn(|| sent.try_recv()).count(), 12);
    let sensor = rover + Vector3::new(0.0, 0.0, 0.8);
    let heat = |heat: f64, at| heat * libm::exp(-0.2 * distance(at, &sensor));
    let warmth = 15.0 + heat(100.0, expected[0].1) + heat(200.0, expected[1].1);
    let measured = simulation.read::<ThermometerData>("rover.heat").unwrap();
    assert!(
        (measured.temperature - warmth).abs() < 1e-2,
        "{measured:?}, not {warmth}"
    );
    let battery = simulation.read::<BatteryData>("rover.battery").unwrap();
    assert_eq!(
        (battery.charge, battery.status.as_str()),
        (100.0, "Charged")
    );
}

#[test]
fn only_what_has_a_property_is_felt_by_touch() {
    let components = r#"
        sensors: {
            "soft": (kind: "collision", only_objects_with_property: "Soft"),
            "hard": (kind: "collision", only_objects_with_property: "Hard"),
        },
        actuators: { "motion": (kind: "v_omega", start: (v: 1, w: 0)) },
    "#;
    let more = r#"objects: {
        "RedBox": (label: "Cushion", properties: { "Soft": 1 }),
        "ground": (properties: { "Hard": true, "Soft": false }),
    }"#;
    let at = "translation: (-4, 0, 0.1), rpy: (0, 0, 3.14159265)";
    let mut simulation = rover(at, components, more);
    let felt = |simulation: &Simulation, sensor: &str| {
        simulation.read::<CollisionData>(sensor).unwrap().clone()
    };
    simulation.run(60).unwrap();
    assert!(!felt(&simulation, "rover.soft").collision);
    assert_eq!(felt(&simulation, "rover.hard").objects, "ground");
    simulation.run(180).unwrap();
    assert_eq!(felt(&simulation, "rover.soft").objects, "RedBox");
}

const GRIPPER: &str = r#"actuators: {
    "motion": (kind: "v_omega"),
    "hand": (kind: "gripper", mount: (translation: (0.7, 0, 0.5), rpy: (0, 1.5707963, 0))),
}"#;

const BOXES: &str = r#"
    bodies: { "BlueBox": (kind: dynamic), "RedBox": (kind: dynamic) },
    objects: {
        "BlueBox": (graspable: true), "RedBox": (graspable: true), "ground": (graspable: true),
    },
"#;

/// Returns a rover half a metre before the blue box, which it can reach.
fn grabber() -> Simulation {
    let mut simulation = rover("translation: (-5, -3, 0.1)", GRIPPER, BOXES);
    simulation.hash_every_tick();
    simulation.run(30).expect("half a second");
    simulation
}

fn drive(simulation: &Simulation, v: f64) {
    let command = VOmegaCommand { v, w: 0.0 };
    simulation
        .command::<VOmega>("rover.motion", command)
        .expect("finite numbers");
}

/// Returns the position of the box relative to the rover.
fn carried(simulation: &Simulation) -> Vector3<f64> {
    let pose = |body| simulation.body(body).expect("a body").pose;
    (pose("rover").inverse() * pose("BlueBox"))
        .translation
        .vector
}

#[test]
fn what_is_grabbed_comes_along_until_it_is_released() {
    let mut simulation = grabber();
    assert_eq!(
        ask(&mut simulation, "rover.hand", "release").value,
        Json::Null
    );
    assert_eq!(
        ask(&mut simulation, "rover.hand", "grab").value,
        json!("BlueBox")
    );
    // The gripper already holds an object.
    assert_eq!(ask(&mut simulation, "rover.hand", "grab").value, Json::Null);
    let (before, start) = (carried(&simulation), position(&simulation, "rover"));
    drive(&simulation, -0.5);
    simulation.run(120).unwrap();
    let way = position(&simulation, "rover") - start;
    assert!((way.x + 1.0).abs() < 0.05, "{way}");
    assert!(
        (carried(&simulation) - before).norm() < 0.02,
        "{}",
        carried(&simulation)
    );

    let reply = ask(&mut simulation, "rover.hand", "release");
    assert_eq!((reply.status, reply.value), (Status::Success, json!(true)));
    let (box_, rover) = (
        position(&simulation, "BlueBox"),
        position(&simulation, "rover"),
    );
    simulation.step().unwrap();
    // The box keeps the gripper's velocity, minus the friction of a tick: 0.5 · g / 60 = 0.08 m/s.
    let speed = simulation.body("BlueBox").unwrap().linear_velocity.x;
    assert!((-0.51..-0.39).contains(&speed), "{speed}");
    simulation.run(60).unwrap();
    // v² / (2 μ g) = 2.5 cm, while the rover drives another half metre.
    let slid = box_.x - position(&simulation, "BlueBox").x;
    assert!((0.01..0.06).contains(&slid), "{slid}");
    let left = rover.x - position(&simulation, "rover").x;
    assert!((left - 0.508).abs() < 0.03, "{left}");
    // Out of reach now.
    assert_eq!(ask(&mut simulation, "rover.hand", "grab").value, Json::Null);
}

#[test]
fn a_full_hand_of_morse_says_what_it_holds() {
    let boxes = format!("environment: (motion: morse), {BOXES}");
    let mut simulation = rover("translation: (-5, -3, 0.1)", GRIPPER, &boxes);
    simulation.run(2).unwrap();
    for _ in 0..3 {
        let held = ask(&mut simulation, "rover.hand", "grab").value;
        assert_eq!(held, json!("BlueBox"));
    }
    ask(&mut simulation, "rover.hand", "release");
    let away = json!(["BlueBox", [5.0, 5.0, 1.0]]);
    simulation.call("simulation", "set_object_position", &away);
    simulation.run(2).unwrap();
    assert_eq!(ask(&mut simulation, "rover.hand", "grab").value, Json::Null);
}

#[test]
fn a_grasp_is_state() {
    let mut simulation = grabber();
    let free = simulation.state_hash();
    ask(&mut simulation, "rover.hand", "grab");
    let mut other = grabber();
    simulation.step().unwrap();
    other.step().unwrap();
    assert_ne!(simulation.state_hash(), other.state_hash());
    drive(&simulation, -0.5);
    simulation.run(30).unwrap();
    let snapshot = simulation.snapshot().unwrap();
    let go_on = |simulation: &mut Simulation| {
        simulation.run(20).unwrap();
        let held = carried(simulation);
        ask(simulation, "rover.hand", "release");
        simulation.run(20).unwrap();
        (simulation.state_hash(), held)
    };
    let first = go_on(&mut simulation);
    simulation.restore(&snapshot).unwrap();
    assert_eq!(go_on(&mut simulation), first);
    // A world that never held anything can continue from this snapshot, too.
    other.restore(&snapshot).unwrap();
    assert_eq!(go_on(&mut other), first);
    simulation.restore(&snapshot).unwrap();
    simulation.reset().unwrap();
    let hand = morse_api::service::find(simulation.world(), "rover.hand").unwrap();
    assert_eq!(
        simulation.world().get::<Grasped>(hand),
        Some(&Grasped(None))
    );
    simulation.run(30).unwrap();
    assert_eq!(simulation.state_hash(), free);
    assert_eq!(
        ask(&mut simulation, "rover.hand", "grab").value,
        json!("BlueBox")
    );
}

#[test]
fn two_hands_do_not_hold_one_thing_and_what_stands_fast_is_not_taken() {
    let components = r#"actuators: {
        "left": (kind: "gripper", mount: (translation: (0.7, 0.2, 0.5), rpy: (0, 1.5707963, 0))),
        "right": (kind: "gripper", mount: (translation: (0.7, -0.2, 0.5), rpy: (0, 1.5707963, 0))),
        "down": (kind: "gripper", mount: (translation: (0.7, 0, 0.3), rpy: (3.14159265, 0, 0))),
    }"#;
    let mut simulation = rover("translation: (-5, -3, 0.1)", components, BOXES);
    simulation.run(2).unwrap();
    assert_eq!(ask(&mut simulation, "rover.down", "grab").value, Json::Null);
    assert_eq!(
        ask(&mut simulation, "rover.left", "grab").value,
        json!("BlueBox")
    );
    assert_eq!(
        ask(&mut simulation, "rover.right", "grab").value,
        Json::Null
    );
    ask(&mut simulation, "rover.left", "release");
    assert_eq!(
        ask(&mut simulation, "rover.right", "grab").value,
        json!("BlueBox")
    );
}

#[test]
fn a_box_hides_another_one() {
    let seen = |x: f64, more: &str| {
        let camera = format!(
            r#"sensors: {{ "eye": (kind: "semantic_camera", mount: (translation: (0, 0, 0.5)), {more}) }}"#
        );
        let objects = r#"objects: {
            "RedBox": (description: "red"), "GreenBox": (label: "Green"), "BlueBox": (), "ground": (type: "Floor"),
        }"#;
        let at = format!("translation: ({x}, -6, 0.1), rpy: (0, 0, 1.5707963)");
        let mut simulation = rover(&at, &camera, objects);
        simulation.step().unwrap();
        let data = simulation.read::<SemanticCameraData>("rover.eye").unwrap();
        let names = data.visible_objects.iter().map(|seen| seen.name.clone());
        (
            names.collect::<Vec<_>>(),
            ask(&mut simulation, "rover.eye", "get_local_data").value,
        )
    };
    // From -7.5, past the red box's edge at (-7, 0), the green one's right side at -6 is visible; from -8.5 all lines to it
    // cross y = 0.5 between -7.7 and -7.1, within the red box, below its top.
    let (names, json) = seen(-7.5, "");
    assert_eq!(names, ["Green", "RedBox"]);
    assert_eq!(json["visible_objects"][1]["type"], "Object");
    assert_eq!(json["visible_objects"][1]["description"], "red");
    let x = json["visible_objects"][0]["position"][0].as_f64().unwrap();
    assert!((x + 6.5).abs() < 1e-3 && json["visible_objects"][0]["orientation"]["w"] == 1.0);
    assert_eq!(seen(-8.5, "").0, ["RedBox"]);
    assert_eq!(seen(-8.5, "noocclusion: true").0, ["Green", "RedBox"]);
    assert_eq!(seen(-8.5, r#"tag: "Floor", far: 10"#).0, ["ground"]);
}

#[test]
fn a_compound_is_made_of_what_others_export() {
    let components = r#"sensors: {
        "all": (kind: "compound", sensors: ["z_pose", "rover.imu", "near"]),
        "imu": (kind: "imu"), "near": (kind: "proximity", frequency: 60),
        "z_pose": (kind: "pose", frequency: 10, modifiers: [(kind: "ned")]),
    }"#;
    let more = r#"objects: { "RedBox": (properties: { "Robot_Tag": true }) }"#;
    let mut simulation = rover("translation: (-5, 2, 0.1)", components, more);
    simulation.hash_every_tick();
    let mut times = Vec::new();
    for _ in 0..8 {
        simulation.step().unwrap();
        let all = ask(&mut simulation, "rover.all", "get_local_data").value;
        let keys = all.as_object().unwrap().keys();
        let keys: Vec<&String> = keys.filter(|key| *key != "timestamp").collect();
        assert_eq!(keys, ["rover.imu", "rover.near", "rover.z_pose"]);
        for sensor in keys {
            let own = ask(&mut simulation, sensor, "get_local_data").value;
            // Each has its own time.
            assert_eq!(all[sensor], own);
            assert_eq!(own.as_object().unwrap().keys().next().unwrap(), "timestamp");
        }
        times.push(["rover.imu", "rover.z_pose"].map(|sensor| {
            let time = all[sensor]["timestamp"].as_f64().unwrap();
            (time * 60.0).round() as u64
        }));
        assert!(
            (all["rover.z_pose"]["x"].as_f64().unwrap() - 2.0).abs() < 1e-3,
            "NED"
        );
    }
    // One sensor measures at every tick, the other at every sixth.
    let expected: Vec<[u64; 2]> = (1..=8)
        .map(|tick| [tick, if tick < 7 { 1 } else { 7 }])
        .collect();
    assert_eq!(times, expected);
    let snapshot = simulation.snapshot().unwrap();
    simulation.run(10).unwrap();
    let end = simulation.state_hash();
    simulation.restore(&snapshot).unwrap();
    simulation.run(10).unwrap();
    assert_eq!(simulation.state_hash(), end);
}

#[test]
fn what_cannot_work_is_refused_with_the_remedy() {
    let refused = |components: &str| match build("", components, "") {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    };
    let text = refused(r#"sensors: { "all": (kind: "compound", sensors: ["gps"]) }"#);
    assert!(text.contains("there is no sensor `gps`"), "{text}");
    let text = refused(r#"sensors: { "eye": (kind: "semantic_camera", near: 5, far: 2) }"#);
    assert!(text.contains("`far` must be above `near`"), "{text}");
}

#[test]
fn victims_are_healed_by_robots() {
    let fields = r#"
        properties: { "Injured": true, "Requirements": "7" },
        sensors: { "rescue": (kind: "search_and_rescue", abilities: [1], heal_range: 5) },
    "#;
    let more = r#"objects: {
        "RedBox": (properties: { "Injured": true, "Requirements": "1" }),
    }"#;
    let at = "translation: (-4, 0, 0.1), rpy: (0, 0, 3.14159265)";
    let mut simulation = rover(at, fields, more);
    simulation.hash_every_tick();
    simulation.run(1).unwrap();
    assert_eq!(
        ask(&mut simulation, "rover.rescue", "get_victim_severity").value,
        json!(10)
    );
    let call = simulation.call("rover.rescue", "heal", &json!([]));
    // Ten measurements at 6 Hz, of which the next is due ten ticks after the first.
    simulation.run(99).unwrap();
    assert!(call.reply().is_none());
    simulation.run(1).unwrap();
    assert_eq!(call.reply().expect("done").value, json!("healed"));
    simulation.run(1).unwrap();
    let data = ask(&mut simulation, "rover.rescue", "get_local_data").value;
    let victims = data["victim_dict"].as_object().unwrap();
    assert_eq!(victims.len(), 1, "not itself");
    assert_eq!(victims["RedBox"]["severity"], 0);
    assert_eq!(victims["RedBox"]["requirements"], json!([]));
    assert!((victims["RedBox"]["coordinate"]["x"].as_f64().unwrap() + 7.5).abs() < 1e-3);
}
