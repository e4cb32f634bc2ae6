//! The body of an AIBO: objects written with the guide alone, servos that give way, and files of the stick that apply.
use std::{
    fs,
    path::Path,
    process::{Child, Command},
};

use morse_openr::body::{
    primitives::{Kind, Sensor},
    robots::ERS7,
};
use morse_sim::{Simulation, sensor::joint_state::JointStateData, simulation::no_extensions};

#[test]
fn the_guide_lists_the_primitives() {
    let guide = fs::read_to_string("src/docs/aibo.md").expect("a page");
    for (id, primitive) in ERS7.ids() {
        let device = match primitive.kind {
            Kind::Joint { name, range, .. } => {
                format!("joint `{name}`, {}° to {}°", range[0], range[1])
            }
            Kind::Ear { name, .. } => format!("ear `{name}`"),
            Kind::Light => "light".to_owned(),
            Kind::Dimmed => "dimmed light".to_owned(),
            Kind::Sensor(sensor, name) => {
                let what = match sensor {
                    Sensor::Acceleration(_) => "acceleration",
                    Sensor::Distance => "distance",
                    Sensor::Touch => "touch",
                    Sensor::Switch => "switch",
                    Sensor::Force => "force",
                    Sensor::Temperature => "temperature",
                };
                format!("{what} `{name}`")
            }
            Kind::Camera => "camera".to_owned(),
            Kind::Microphone => "microphones".to_owned(),
            Kind::Speaker => "loudspeaker".to_owned(),
        };
        let row = format!("| {id} | `{}` | {device} |\n", primitive.locator);
        assert!(guide.contains(&row), "missing: {row}");
    }
}

/// Returns a free port of loopback.
pub(super) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("a port").port()
}

/// Writes a file of a stick.
pub(super) fn write(stick: &Path, path: &str, text: &str) {
    let file = stick.join("OPEN-R").join(path);
    fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
    fs::write(file, text).expect("a file");
}

/// Returns the dog of the shipped scene with another stick and more settings of the middleware.
pub(super) fn dog(stick: &Path, settings: &str) -> Result<Simulation, String> {
    let text = fs::read_to_string("scenes/aibo.ron").expect("a scene");
    let shipped = r#"directory: "sticks/aibo","#;
    assert!(text.contains(shipped));
    let own = format!(r#"directory: "{}", {settings}"#, stick.display());
    let text = text.replace(shipped, &own);
    Simulation::parse(&text, "scenes", &no_extensions).map_err(|error| error.to_string())
}

pub(super) fn position(simulation: &Simulation, joint: &str) -> f64 {
    let joints = simulation.read::<JointStateData>("aibo.joints");
    let joints = joints.expect("joints");
    let index = joints.names.iter().position(|name| name == joint);
    joints.positions[index.expect("the joint")]
}

pub(super) fn python(script: &str, port: u16) -> Child {
    let process = Command::new("python3")
        .args([script, &port.to_string()])
        .spawn();
    process.expect("python3")
}

#[test]
fn an_object_in_python_that_was_written_with_the_guide_turns_the_head() {
    let stick = tempfile::tempdir().expect("a directory");
    let stick = stick.path();
    write(stick, "MW/CONF/OBJECT.CFG", "/MS/OPEN-R/MW/OBJS/TURN.BIN\n");
    let links = "Turn.Move.OCommandVectorData.S OVirtualRobotComm.Effector.OCommandVectorData.O\n\
                 OVirtualRobotComm.Sensor.OSensorFrameVectorData.S Turn.Sensor.OSensorFrameVectorData.O\n";
    write(stick, "MW/CONF/CONNECT.CFG", links);
    let stub = "ObjectName : Turn\nNumOfOSubject : 1\nNumOfOObserver : 1\n\
                Service : \"Turn.Move.OCommandVectorData.S\", null, Ready()\n\
                Service : \"Turn.Sensor.OSensorFrameVectorData.O\", null, Sensed()\n";
    write(stick, "MW/OBJS/TURN/stub.cfg", stub);
    let port = free_port();
    let mut process = python("examples/openr_head.py", port);
    let settings = format!(r#"external: {{ "TURN.BIN": {port} }},"#);
    let mut simulation = dog(stick, &settings).expect("a dog");
    // A sine of 0.5 rad in 4 s: at its maximum after 1 s, at its minimum after 3 s.
    simulation.run(125).expect("ticks");
    let left = position(&simulation, "neck_pan");
    simulation.run(250).expect("ticks");
    let right = position(&simulation, "neck_pan");
    println!("{left:.3} rad to the left, {right:.3} rad to the right");
    assert!((left - 0.5).abs() < 0.02 && (right + 0.5).abs() < 0.02);
    let warnings = simulation.take_warnings();
    assert!(warnings.is_empty(), "{warnings:?}");
    simulation.finish().1.expect("an end");
    assert!(process.wait().expect("an end").success());
}

#[test]
fn a_dog_without_power_lies_down_and_one_with_power_gives_way_a_little() {
    let stick = tempfile::tempdir().expect("a directory");
    write(stick.path(), "MW/CONF/OBJECT.CFG", "");
    let mut limp = dog(stick.path(), "").expect("a dog");
    limp.run(250).expect("ticks");
    let pose = |simulation: &Simulation| {
        let pose = simulation.read::<morse_sim::sensor::pose::PoseData>("aibo.pose");
        pose.expect("a pose").z
    };
    assert!(pose(&limp) < 0.08, "it lies: {}", pose(&limp));
    // The walking object switches its servos on, and the dog stands; knees sag by some degrees at most.
    write(
        stick.path(),
        "MW/CONF/OBJECT.CFG",
        "/MS/OPEN-R/MW/OBJS/WALK.BIN\n",
    );
    let links = "Walk.Move.OCommandVectorData.S OVirtualRobotComm.Effector.OCommandVectorData.O\n";
    write(stick.path(), "MW/CONF/CONNECT.CFG", links);
    let mut standing = dog(stick.path(), "").expect("a dog");
    standing.run(250).expect("ticks");
    let knee = position(&standing, "lf_j3");
    println!("{} m, knee {knee} rad", pose(&standing));
    assert!((pose(&standing) - 0.1167).abs() < 0.004);
    // The target of the knee is that of the scene's start.
    let sag = (knee - 1.6391).abs();
    assert!((1e-4..0.05).contains(&sag), "{sag} rad");
}

#[test]
fn files_of_the_stick_have_their_effects() {
    let stick = tempfile::tempdir().expect("a directory");
    let stick = stick.path();
    write(stick, "MW/CONF/OBJECT.CFG", "/MS/OPEN-R/MW/OBJS/WALK.BIN\n");
    let links = "Walk.Move.OCommandVectorData.S OVirtualRobotComm.Effector.OCommandVectorData.O\n";
    write(stick, "MW/CONF/CONNECT.CFG", links);
    // Without the system object there is no service to connect to.
    let system = "OServiceManager /MS/OPEN-R/SYSTEM/OBJS/SRVCMGR.BIN\n";
    write(stick, "SYSTEM/CONF/OBJECT.CFG", system);
    let mut simulation = dog(stick, "").expect("a dog");
    simulation.run(2).expect("ticks");
    let warnings = simulation.take_warnings().join("\n");
    let missing = "`OVirtualRobotComm.Effector.OCommandVectorData.O` NOT FOUND";
    assert!(warnings.contains(missing), "{warnings}");
    fs::remove_file(stick.join("OPEN-R/SYSTEM/CONF/OBJECT.CFG")).expect("a file");
    // A dog that stands needs a small duty.
    write(
        stick,
        "SYSTEM/CONF/VRCOMM.CFG",
        "JamDetectionHighThreshold 5\n",
    );
    let mut simulation = dog(stick, "").expect("a dog");
    simulation.run(250).expect("ticks");
    let warnings = simulation.take_warnings().join("\n");
    let jammed = "`lf_j3` is jammed, its servo is disabled: ALERT_JOINT_UNCONTROLLABLE (8192)";
    assert!(warnings.contains(jammed), "{warnings}");
    write(
        stick,
        "SYSTEM/CONF/VRCOMM.CFG",
        "JamDetectionHighThreshold 0\n",
    );
    let error = dog(stick, "").err().expect("an error");
    assert!(
        error.contains("VRCOMM.CFG:1:27: `0` is no value"),
        "{error}"
    );
    write(stick, "SYSTEM/CONF/VRCOMM.CFG", "");
    // The services of a built-in object are its own.
    let stub = "ObjectName : Walk\nNumOfOSubject : 1\nNumOfOObserver : 1\n\
                Service : \"Walk.Move.OCommandVectorData.S\", null, Ready()\n\
                Service : \"Walk.Pace.v_omega.O\", null, Paced()\n";
    write(stick, "MW/OBJS/WALK/stub.cfg", stub);
    let error = dog(stick, "").err().expect("an error");
    let expected = "stub.cfg:1:1: observer 1 is `Pace.v_omega` here, and `Speed.v_omega` in the object of `WALK.BIN`";
    assert!(error.contains(expected), "{error}");
    let error = dog(stick, r#"design: "ERS-8","#).err().expect("an error");
    let expected = "there is no body of `ERS-8`; there are `ERS-7` and `ERS-210`";
    assert!(error.contains(expected), "{error}");
}
