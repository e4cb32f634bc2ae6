//! Byte-exact behaviour on which MORSE's clients depend.
use std::{collections::BTreeMap, io::Read as _, net::Shutdown, time::Duration};

use morse_api::port::Policy;
use morse_sim::{
    Simulation,
    run::Pace,
    sensor::joint_state::JointStateData,
    simulation::{kinds, no_extensions},
};
use morse_socket::classes::class_of_robot;
use serde_json::Value as Json;

use super::{Client, ROVER, Served};

/// MORSE's names, as scripts of its builder use them: class of a kind.
const TABLE: &str = include_str!("../../../plugins/python/src/morse_sim/builder/table.py");

/// Sensors that MORSE does not have.
const OWN_SENSORS: [&str; 6] = [
    "contact",
    "foot_switch",
    "force_torque",
    "joint_state",
    "kinect",
    "segmentation_camera",
];

/// Actuators that MORSE does not have.
const OWN_ACTUATORS: [&str; 2] = ["ackermann", "joints"];

/// Robots that MORSE does not have.
const OWN_ROBOTS: [&str; 2] = ["ers210", "ers7"];

fn simulation(text: &str) -> Simulation {
    Simulation::parse(text, "scenes", &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

fn connect(simulation: &Simulation, what: &str) -> Client {
    let ports = simulation.ports();
    let port = ports.iter().find(|(_, known, _)| known == what);
    Client::new(port.unwrap_or_else(|| panic!("{ports:?}")).2)
}

/// Steps until the server has detected a new client, and returns its first record.
fn first_record(simulation: &mut Simulation, client: &mut Client) -> Json {
    let short = Some(Duration::from_millis(100));
    client.stream.set_read_timeout(short).unwrap();
    for _ in 0..200 {
        simulation.step().unwrap();
        if client.stream.peek(&mut [0]).is_ok() {
            client
                .stream
                .set_read_timeout(Some(Duration::from_secs(20)))
                .unwrap();
            return client.json();
        }
    }
    panic!("no record");
}

#[test]
fn details_are_as_morse_tells_them() {
    let folder = tempfile::tempdir().unwrap();
    let log = format!(
        r#"middlewares: {{ "log": (kind: "text", directory: "{}"),"#,
        folder.path().display()
    );
    let text = ROVER
        .replace("Simulation(", r#"Simulation(scene: "boxes.robray","#)
        .replace(
            r#""quiet": (kind: "pose")"#,
            r#""quiet": (kind: "pose", outputs: { "log": () })"#,
        )
        .replace("middlewares: {", &log);
    let served = Served::new(&text, Pace::RealTime(1.0));
    let reported = served.connect("requests").ask("0 simulation details []");
    served.end();
    let manager = "morse.middleware.socket_request_manager.SocketRequestManager";
    let streams = r#"[["morse.middleware.socket_datastream.SocketDatastreamManager", "#;
    let (output, input) = (
        format!(r#"{streams}"OUT"]]"#),
        format!(r#"{streams}"IN"]]"#),
    );
    let text = r#"[["morse.middleware.text_datastream.TextDatastreamManager", "OUT"]]"#;
    let actuator = r#""activate", "deactivate", "get_configurations", "get_properties""#;
    let motion = format!(r#"[{actuator}, "set_property", "set_speed", "stop"]"#);
    let way = format!(
        r#"[{actuator}, "get_status", "goto", "resume", "set_property", "setdest", "stop"]"#
    );
    let pose = r#"["activate", "deactivate", "get_configurations", "get_local_data", "get_properties", "set_property"]"#;
    let component = |path: &str, class: &str, services: &str, stream: &str| {
        let mut fields = vec![format!(r#""type": "{class}""#)];
        if !services.is_empty() {
            fields.push(format!(r#""services": {services}"#));
            fields.push(format!(r#""service_interfaces": ["{manager}"]"#));
        }
        if !stream.is_empty() {
            fields.push(format!(r#""stream_interfaces": {stream}"#));
        }
        format!(r#""{path}": {{{}}}"#, fields.join(", "))
    };
    let components = [
        component("rover.motion", "MotionVW", &motion, &input),
        component("rover.pose", "Pose", pose, &output),
        component("rover.quiet", "Pose", "", text),
        component("rover.way", "Waypoint", &way, ""),
    ];
    let expected = format!(
        r#"0 SUCCESS {{"robots": [{{"name": "rover", "type": "ATRV", "components": {{{}}}, "services": ["get_properties", "set_property"], "services_interfaces": ["{manager}"]}}], "environment": "boxes"}}"#,
        components.join(", ")
    );
    assert_eq!(reported, expected);
}

#[test]
fn nobody_knows_of_streams_where_there_are_none() {
    let text = ROVER
        .replace(r#"outputs: { "socket": () }, "#, "")
        .replace(r#"inputs: { "socket": () }, "#, "");
    let requests = [
        "list_streams",
        "get_all_stream_ports",
        r#"get_stream_port ["rover.pose"]"#,
    ];
    let served = Served::new(&text, Pace::RealTime(1.0));
    let mut client = served.connect("requests");
    for request in requests {
        let service = request.split(' ').next().unwrap();
        assert_eq!(
            client.ask(&format!("1 simulation {request}")),
            format!(
                "1 FAILED \"The request {service} has not been registered in Socket service manager\""
            )
        );
    }
    let details = client.ask("2 simulation details");
    assert!(!details.contains("stream_interfaces"), "{details}");
    served.end();
    // The sync port is a stream, too.
    let sync = text.replace("streams: 0", "streams: 0, time_sync: true, sync_port: 0");
    let served = Served::new(&sync, Pace::RealTime(1.0));
    let mut client = served.connect("requests");
    assert_eq!(client.ask("1 simulation list_streams"), "1 SUCCESS");
    assert_eq!(
        client.ask(r#"2 simulation get_stream_port ["rover.pose"]"#),
        r#"2 FAILED "Stream unavailable for component rover.pose""#
    );
    served.end();
}

#[test]
fn every_kind_has_its_class_of_morse() {
    // Kind( "word", … "module.Class" and similar entries, without blanks.
    let table: String = TABLE.split_whitespace().collect();
    let mut classes = BTreeMap::new();
    for (opening, is_laser) in [
        ("Kind(\"", false),
        ("_camera(\"", false),
        ("_laser(\"", true),
    ] {
        for after in table.split(opening).skip(1) {
            let mut quoted = after.split('"');
            let kind = quoted.next().unwrap();
            let class = match quoted.nth(1) {
                Some(path) if !is_laser => path.rsplit('.').next().unwrap(),
                _ => "LaserScanner",
            };
            // A second class of a kind, such as `RawImage`, is the first one with other settings.
            classes.entry(kind).or_insert(class);
        }
    }
    assert!(classes.len() > 50, "{classes:?}");
    let kinds = kinds(&no_extensions);
    let sensors = kinds.sensors.iter();
    let sensors = sensors.map(|(kind, own)| (*kind, &OWN_SENSORS[..], own.morse_classes.to_vec()));
    let actuators = kinds.actuators.iter();
    let actuators = actuators.map(|(kind, own)| {
        (
            *kind,
            &OWN_ACTUATORS[..],
            own.morse_class.into_iter().collect(),
        )
    });
    for (kind, unknown, own) in sensors.chain(actuators) {
        assert_eq!(own.is_empty(), unknown.contains(&kind), "{kind}");
        if own.is_empty() {
            continue;
        }
        if let Some(class) = classes.remove(kind) {
            assert!(own.contains(&class), "{kind}: {own:?} instead of {class}");
        }
    }
    for (model, class) in &classes {
        assert_eq!(class_of_robot(model), *class, "{model}");
    }
    let gps = kinds.sensors["gps"];
    let of_levels = ["simple", "raw", "extended"].map(|level| gps.morse_class(Some(level)));
    assert_eq!(of_levels, ["GPS", "RawGPS", "ExtendedGPS"].map(Some));
    let models = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/robots")).unwrap();
    for model in models {
        let path = model.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_own = OWN_ROBOTS.contains(&name.as_str());
        assert_eq!(class_of_robot(&name) == name, is_own, "MORSE has {name}");
    }
}

#[test]
fn time_has_morses_two_modes() {
    let keys = |reply: &str| {
        let value: Json = serde_json::from_str(reply.strip_prefix("1 SUCCESS ").unwrap()).unwrap();
        let keys = value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
            .join(" ");
        (keys, value["mean_time"].as_f64().unwrap())
    };
    let best = "mean_time variance_time mean_frame_by_sec variance_frame_by_sec";
    let fixed = "mean_time variance_time diff_real_time";
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let mut client = served.connect("requests");
    assert_eq!(client.ask("0 time sleep [0.5]"), "0 SUCCESS");
    assert_eq!(client.ask("0 time mode"), r#"0 SUCCESS "Best Effort""#);
    let (reported, mean) = keys(&client.ask("1 time statistics"));
    assert_eq!(reported, best);
    assert!((0.1..10.0).contains(&(mean * 60.0)), "{mean}");
    assert_eq!(client.ask("2 time set_time_scale [2.0]"), "2 SUCCESS true");
    assert_eq!(client.ask("0 time mode"), r#"0 SUCCESS "Best Effort""#);
    served.end();
    let served = Served::new(ROVER, Pace::Max);
    let mut client = served.connect("requests");
    assert_eq!(
        client.ask("0 time mode"),
        r#"0 SUCCESS "Fixed Simulation Step""#
    );
    assert_eq!(
        keys(&client.ask("1 time statistics")),
        (fixed.to_owned(), 1.0 / 60.0)
    );
    // From now on the wall clock counts.
    assert_eq!(client.ask("2 time set_time_scale [3.0]"), "2 SUCCESS true");
    assert_eq!(client.ask("3 time sleep [0.1]"), "3 SUCCESS");
    assert_eq!(client.ask("0 time mode"), r#"0 SUCCESS "Best Effort""#);
    assert_eq!(keys(&client.ask("1 time statistics")).0, best);
    served.end();
    // A client that holds the ticks determines when they are run.
    let text = ROVER.replace("streams: 0", "streams: 0, time_sync: true, sync_port: 0");
    let served = Served::new(&text, Pace::RealTime(1.0));
    let mut sync = served.connect("sync");
    let mut client = served.connect("requests");
    let is_fixed = (0..100).any(|_| {
        sync.send("x");
        std::thread::sleep(Duration::from_millis(20));
        client.ask("0 time mode").contains("Fixed")
    });
    assert!(is_fixed);
    served.end();
}

#[test]
fn data_carry_their_time_and_numbers_that_json_lacks() {
    let text = ROVER.replace(
        r#""quiet": (kind: "pose"),"#,
        r#""quiet": (kind: "radar_altimeter", frequency: 1, services: ["socket"]),"#,
    );
    let mut simulation = simulation(&text);
    let mut client = connect(&simulation, "requests");
    simulation.run(50).unwrap();
    client.send("0 rover.quiet get_local_data\n1 rover.pose get_local_data\n");
    for _ in 0..50 {
        simulation.serve(Duration::from_millis(20));
    }
    // Measured in the first tick, at 1 Hz; there is no ground.
    assert_eq!(
        client.line(),
        r#"0 SUCCESS {"timestamp": 0.016666666, "z": Infinity}"#
    );
    let pose = client.line();
    assert!(
        pose.starts_with(r#"1 SUCCESS {"timestamp": 0.816666666, "x": "#),
        "{pose}"
    );
}

#[test]
fn a_reading_goes_out_in_the_tick_in_which_it_was_made() {
    let text = ROVER.replace(r#"kind: "pose", frequency: 30"#, r#"kind: "pose""#);
    let mut simulation = simulation(&text);
    let mut client = connect(&simulation, "rover.pose");
    first_record(&mut simulation, &mut client);
    for _ in 0..20 {
        simulation.step().unwrap();
        // No other tick is run before the record arrives.
        let stamp = client.json()["timestamp"].as_f64().unwrap();
        assert!((stamp - simulation.seconds()).abs() < 1e-8, "{stamp}");
    }
}

#[test]
fn outputs_keep_some_readings_unless_told_otherwise() {
    let policy = kinds(&no_extensions).middlewares["socket"].default_policy;
    assert_eq!(policy, Policy::Queue(256));
    // Many ticks pass before the server's thread polls, and nothing is lost.
    let text = ROVER.replace(r#"kind: "pose", frequency: 30"#, r#"kind: "pose""#);
    let mut simulation = simulation(&text);
    let mut client = connect(&simulation, "rover.pose");
    let mut last = first_record(&mut simulation, &mut client)["timestamp"]
        .as_f64()
        .unwrap();
    simulation.run(200).unwrap();
    for _ in 0..200 {
        let stamp = client.json()["timestamp"].as_f64().unwrap();
        assert!((stamp - last - 1.0 / 60.0).abs() < 1e-8, "{last} {stamp}");
        last = stamp;
    }
}

#[test]
fn the_joints_of_a_pr2_are_one_flat_record() {
    let text = r#"Simulation(
        robots: { "pr2": (
            model: "robots/pr2.robray", base: fixed,
            sensors: { "joint_state": (kind: "joint_state", outputs: { "socket": (encoder: pr2_joint_state) }) },
        ) },
        middlewares: { "socket": (kind: "socket", port: 0, streams: 0) },
    )"#;
    let mut simulation = simulation(text);
    let mut client = connect(&simulation, "pr2.joint_state");
    first_record(&mut simulation, &mut client);
    simulation.run(60).unwrap();
    let end = simulation.seconds();
    let mut records = std::iter::repeat_with(|| client.json());
    let record = records
        .find(|record| (record["timestamp"].as_f64().unwrap() - end).abs() < 1e-8)
        .unwrap();
    let record = record.as_object().unwrap();
    assert_eq!(record.len(), 46);
    assert_eq!(record.keys().next().unwrap(), "timestamp");
    let data = simulation
        .read::<JointStateData>("pr2.joint_state")
        .unwrap();
    assert!(data.names.len() >= 19, "{data:?}");
    let is_told = data
        .names
        .iter()
        .zip(&data.positions)
        .filter(|(name, position)| {
            let reported = record.get(name.as_str()).and_then(Json::as_f64);
            reported.is_some_and(|reported| (reported - **position).abs() < 1e-12)
        });
    assert_eq!(is_told.count(), 19, "{record:?}");
    assert_eq!(record["fl_caster_rotation_joint"], 0.0);
}

#[test]
fn missing_arguments_and_properties_are_told_in_morses_words() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let mut client = served.connect("requests");
    for (request, expected) in [
        (
            "rover.motion set_speed",
            "Socket service manager: parameters expected for service set_speed",
        ),
        (
            "rover.way goto []",
            "Socket service manager: wrong # of parameters for service goto. ",
        ),
        (
            "rover set_property [\"Mass\", 3]",
            "Property Mass does not exist for object rover",
        ),
        (
            "rover.pose set_property [\"Range\", 3]",
            "Property Range does not exist for object rover.pose",
        ),
        (
            "simulation get_stream_port [\"rover.way\"]",
            "Stream unavailable for component rover.way",
        ),
        (
            "simulation deactivate [\"rover.eye\"]",
            "Component 'rover.eye' not found. Can't deactivate",
        ),
    ] {
        let reply = client.ask(&format!("7 {request}"));
        assert!(
            reply.starts_with(&format!("7 FAILED \"{expected}")),
            "{reply}"
        );
    }
    served.end();
}

#[test]
fn who_has_said_all_still_hears_the_answers() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let mut client = served.connect("requests");
    client.send("0 time sleep [0.2]\n1 simulation list_robots\n");
    client.stream.shutdown(Shutdown::Write).unwrap();
    let mut all = String::new();
    client.lines.read_to_string(&mut all).unwrap();
    assert_eq!(all, "1 SUCCESS [\"rover\"]\n0 SUCCESS\n");
    served.end();
}
