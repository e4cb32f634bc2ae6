//! Controllers as objects: the objects of a memory stick drive a rover, reproducibly, and faults stay in the object.
mod body;
mod devices;
mod ers210;
mod walk;

use std::{fs, path::Path};

use bevy::prelude::App;
use morse_openr::prelude::*;
use morse_sim::{
    Simulation,
    sensor::pose::PoseData,
    simulation::{Extensions, keep, load::Options, no_extensions},
};

fn shipped(threads: usize) -> Simulation {
    let options = Options {
        threads,
        ..Options::default()
    };
    Simulation::load_with("scenes/controllers.ron", &options, &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn delivered(simulation: &Simulation, link: &str) -> u64 {
    let report = &simulation.reports()["objects"].json;
    let links = report["links"].as_array().expect("links");
    let link = links.iter().find(|known| known["subject"] == link);
    link.expect("the link")["delivered"]
        .as_u64()
        .expect("a count")
}

#[test]
fn objects_drive_a_rover_around_the_room() {
    let mut simulation = shipped(1);
    let corners = [[4.0, 0.0], [4.0, 4.0], [-2.0, 4.0], [-2.0, 0.0]];
    let mut nearest = [f64::INFINITY; 4];
    for _ in 0..30 * 125 {
        simulation.step().expect("a tick");
        if let Ok(pose) = simulation.read::<PoseData>("rover.pose") {
            for (least, [x, y]) in nearest.iter_mut().zip(corners) {
                *least = least.min(libm::hypot(pose.x - x, pose.y - y));
            }
            assert!(pose.z.abs() < 0.2, "on the floor");
        }
    }
    // The driver regards a goal as reached within 0.3 m.
    assert!(nearest.iter().all(|&least| least < 0.3), "{nearest:?}");
    assert!(delivered(&simulation, "Driver.Arrived.point.S") >= 5);
    let pose = delivered(&simulation, "rover.pose.pose.S");
    assert_eq!(pose, 1875, "62.5 a second");
    let text = &simulation.reports()["objects"].text;
    assert!(
        text.contains("Driver.Motion.v_omega.S > rover.motion.v_omega.O"),
        "{text}"
    );
}

/// Two metres in a straight line within 0.3 m, and a turn by 90 degrees within 10. Returns the forward displacement until
/// the dog turns (m), the lateral displacement (m) and the final yaw (degrees), at a rate (Hz).
fn trot(rate: u32) -> ([f64; 3], Simulation) {
    let text = fs::read_to_string("scenes/aibo.ron").expect("a scene");
    let text = text.replace("rate: 125", &format!("rate: {rate}"));
    let mut simulation = Simulation::parse(&text, "scenes", &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    assert!((simulation.clock().rate - f64::from(rate)).abs() < 1e-9);
    let (mut beside, mut way) = (0.0_f64, 0.0_f64);
    let mut last = PoseData::default();
    for _ in 0..22 * rate {
        simulation.step().expect("a tick");
        let Ok(pose) = simulation.read::<PoseData>("aibo.pose") else {
            continue;
        };
        assert!((pose.z - 0.1168).abs() < 0.012, "on its feet: {pose:?}");
        assert!(
            pose.roll.abs().max(pose.pitch.abs()) < 0.1,
            "upright: {pose:?}"
        );
        // Until it turns.
        if pose.yaw.abs() < 0.2 {
            beside = beside.max(pose.y.abs());
            way = way.max(pose.x + 1.5);
        }
        last = pose.clone();
    }
    let turned = last.yaw.to_degrees();
    ([way, beside, turned], simulation)
}

#[test]
fn a_dog_trots_ahead_and_turns_on_its_own_feet() {
    let ([way, beside, turned], simulation) = trot(125);
    println!("{way:.3} m, {beside:.3} m beside, turned by {turned:.1} degrees");
    assert!(
        (1.95..2.3).contains(&way) && beside < 0.3,
        "{way} m, {beside} m beside"
    );
    assert!((turned - 90.0).abs() < 10.0, "{turned}");
    // Vectors of four and of sixteen frames, without a gap.
    let moves = delivered(&simulation, "Walk.Move.OCommandVectorData.S");
    assert!((686..=689).contains(&moves), "{moves}");
    let reported = delivered(&simulation, "OVirtualRobotComm.Motors.joints.S");
    assert!(reported >= 22 * 125 - 2, "a posture each frame: {reported}");
}

#[test]
fn a_dog_trots_alike_at_other_rates() {
    let ([way, ..], _) = trot(125);
    // Ticks are longer or shorter than frames of 8 ms, and their multiples or not.
    for rate in [60, 100, 240, 250, 1000] {
        let ([other, beside, turned], _) = trot(rate);
        println!("{rate} Hz: {other:.3} m, {beside:.3} m beside, turned by {turned:.1} degrees");
        assert!(
            (other / way - 1.0).abs() < 0.05,
            "{rate} Hz: {other} of {way} m"
        );
        assert!(beside < 0.3, "{rate} Hz: {beside} m");
        assert!((turned - 90.0).abs() < 10.0, "{rate} Hz: {turned}");
    }
}

#[test]
fn runs_with_objects_are_the_same_bits_also_after_a_reset() {
    let of = |simulation: &Simulation| {
        let report = &simulation.reports()["objects"].json;
        (simulation.state_hash(), report["message_hash"].clone())
    };
    let run = |threads| {
        let mut simulation = shipped(threads);
        simulation.run(1000).expect("ticks");
        of(&simulation)
    };
    let first = run(1);
    assert_eq!(first, run(1));
    assert_eq!(first, run(4));
    let mut simulation = shipped(1);
    simulation.run(300).expect("ticks");
    simulation.reset().expect("a start");
    simulation.run(1000).expect("ticks");
    assert_eq!(first, of(&simulation));
}

/// Returns a rover whose stick has the given objects and connections.
fn rover(
    directory: &Path,
    (objects, connections): (&str, &str),
    settings: &str,
    extensions: Extensions,
) -> Result<Simulation, String> {
    let conf = directory.join("OPEN-R/MW/CONF");
    fs::create_dir_all(&conf).expect("a directory");
    fs::write(conf.join("OBJECT.CFG"), objects).expect("a file");
    fs::write(conf.join("CONNECT.CFG"), connections).expect("a file");
    let directory = directory.display();
    let text = format!(
        r#"Simulation(
            scene: "boxes.robray",
            environment: (rate: 125),
            robots: {{ "rover": (
                model: "robots/atrv.robray", base: dynamic,
                sensors: {{ "pose": (kind: "pose", outputs: {{ "objects": () }}) }},
                actuators: {{ "motion": (kind: "v_omega", inputs: ["objects"]) }},
            ) }},
            middlewares: {{ "objects": (kind: "openr", directory: "{directory}", {settings}) }},
        )"#
    );
    Simulation::parse(&text, "scenes", extensions).map_err(|error| error.to_string())
}

/// Commands a constant speed for each pose, for a number of poses.
struct Pusher {
    poses: u32,
    command: &'static str,
    fails: bool,
}

impl Object for Pusher {
    fn notify(&mut self, context: &mut Context<'_>, _: &NotifyEvent) {
        self.poses += 1;
        assert!(
            !self.fails || self.poses < 100,
            "a hundred poses are enough"
        );
        context.set_data(0, self.command);
        context.notify_observers(0);
        context.assert_ready(0);
    }
}

fn pusher(app: &mut App, bin: &str, command: &'static str, fails: bool) {
    let name = bin.trim_end_matches(".BIN").to_owned();
    app.add_object(bin, move || {
        let interface = Interface::new(&name)
            .subject("Motion", "v_omega")
            .observer("Pose", "pose");
        let object = Pusher {
            poses: 0,
            command,
            fails,
        };
        ObjectInstance::new(interface, object)
    });
}

#[test]
fn an_object_that_panics_ends_and_the_run_goes_on() {
    for (on_fault, goes_on) in [("itself", true), ("all", false)] {
        let directory = tempfile::tempdir().expect("a directory");
        let stick = (
            "/MS/OPEN-R/MW/OBJS/BAD.BIN\n/MS/OPEN-R/MW/OBJS/GOOD.BIN\n",
            "rover.pose.pose.S BAD.Pose.pose.O\nrover.pose.pose.S GOOD.Pose.pose.O\n\
             GOOD.Motion.v_omega.S rover.motion.v_omega.O\n",
        );
        let extensions = |app: &mut App| {
            pusher(app, "BAD.BIN", "{}", true);
            pusher(app, "GOOD.BIN", r#"{"v": 1.0, "w": 0.0}"#, false);
        };
        let settings = format!("on_fault: {on_fault}");
        let simulation = rover(directory.path(), stick, &settings, keep(extensions));
        let mut simulation = simulation.expect("a rover");
        simulation.run(500).expect("ticks");
        let warnings = simulation.take_warnings();
        let expected = "`objects`: `BAD`, entry 7 (notify Pose), at 0.800 s: panicked: a hundred poses are enough";
        assert_eq!(warnings, [expected]);
        let commands = delivered(&simulation, "GOOD.Motion.v_omega.S");
        assert_eq!(commands == 500, goes_on, "{commands}");
        let pose = simulation.read::<PoseData>("rover.pose").expect("a pose");
        assert!(pose.x > 2.0, "it drives: {}", pose.x);
    }
}

#[test]
fn a_command_that_makes_no_sense_is_told_and_does_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let stick = (
        "/MS/OPEN-R/MW/OBJS/ODD.BIN\n",
        "rover.pose.pose.S ODD.Pose.pose.O\nODD.Motion.v_omega.S rover.motion.v_omega.O\n\
         ODD.Motion.v_omega.S rover.arm.v_omega.O\n",
    );
    for (command, expected) in [
        (
            r#"{"speed": 1.0}"#,
            "there is no field `speed`; there are: v, w",
        ),
        (r#"{"v": "fast"}"#, "`v` requires f64"),
        ("fast", "a command is a JSON object of fields"),
    ] {
        let extensions = move |app: &mut App| pusher(app, "ODD.BIN", command, false);
        let simulation = rover(directory.path(), stick, "", keep(extensions));
        let mut simulation = simulation.expect("a rover");
        simulation.run(50).expect("ticks");
        let warnings = simulation.take_warnings().join("\n");
        assert!(warnings.contains(expected), "{warnings}");
        assert!(
            warnings.contains("`rover.arm.v_omega.O` NOT FOUND"),
            "{warnings}"
        );
        let pose = simulation.read::<PoseData>("rover.pose").expect("a pose");
        // The robot settles on its wheels, without driving.
        assert!(pose.x.abs() < 0.1, "it stands: {}", pose.x);
    }
}

#[test]
fn a_stick_that_cannot_be_run_is_an_error_with_its_position() {
    let directory = tempfile::tempdir().expect("a directory");
    let why = |stick| rover(directory.path(), stick, "", &no_extensions).err();
    let why = |stick| why(stick).expect("an error");
    let error = why(("/MS/OPEN-R/MW/OBJS/WHEEL.BIN\n", ""));
    assert!(
        error.contains("cannot open module file `WHEEL.BIN`"),
        "{error}"
    );
    assert!(
        error.contains(
            "BALL.BIN, BLINK.BIN, DRIVER.BIN, GAINS.BIN, HEAD.BIN, LOGGER.BIN, ROUTE.BIN, STAND.BIN"
        ),
        "{error}"
    );
    let error = why((
        "/MS/OPEN-R/MW/OBJS/DRIVER.BIN\n",
        "# one\nDriver.Pose.pose.O\n",
    ));
    assert!(error.contains("CONNECT.CFG:2:1: "), "{error}");
    let missing = directory.path().join("none");
    let text = format!(
        r#"Simulation(middlewares: {{ "objects": (kind: "openr", directory: "{}") }})"#,
        missing.display()
    );
    let error = Simulation::parse(&text, ".", &no_extensions).err();
    let error = error.expect("an error").to_string();
    assert!(error.contains("cannot read the memory stick"), "{error}");
}

#[test]
fn objects_in_threads_drive_in_real_time() {
    let directory = tempfile::tempdir().expect("a directory");
    let stick = (
        "/MS/OPEN-R/MW/OBJS/GOOD.BIN\n",
        "rover.pose.pose.S GOOD.Pose.pose.O\nGOOD.Motion.v_omega.S rover.motion.v_omega.O\n",
    );
    let extensions = |app: &mut App| pusher(app, "GOOD.BIN", r#"{"v": 1.0, "w": 0.0}"#, false);
    let settings = "scheduler: threads";
    let simulation = rover(directory.path(), stick, settings, keep(extensions));
    let mut simulation = simulation.expect("a rover");
    // Until a command of the process has arrived.
    let is_driven = |simulation: &Simulation| delivered(simulation, "GOOD.Motion.v_omega.S") > 0;
    for _ in 0..5000 {
        simulation.step().expect("a tick");
        if is_driven(&simulation) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(is_driven(&simulation));
    simulation.run(250).expect("ticks");
    let pose = simulation.read::<PoseData>("rover.pose").expect("a pose");
    assert!(pose.x > 0.5, "it drives: {}", pose.x);
    simulation.finish().1.expect("an end");
}

#[test]
fn an_object_in_a_python_process_drives_and_its_end_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    let folder = directory.path().join("OPEN-R/MW/OBJS/FORWARD");
    fs::create_dir_all(&folder).expect("a directory");
    let stub = "ObjectName : Forward\nNumOfOSubject : 1\nNumOfOObserver : 1\n\
                Service : \"Forward.Motion.v_omega.S\", null, null\n\
                Service : \"Forward.Pose.pose.O\", null, Pose()\n";
    fs::write(folder.join("stub.cfg"), stub).expect("a file");
    let stick = (
        "/MS/OPEN-R/MW/OBJS/FORWARD.BIN\n",
        "rover.pose.pose.S Forward.Pose.pose.O\nForward.Motion.v_omega.S rover.motion.v_omega.O\n",
    );
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("a port").port()
    };
    let process = std::process::Command::new("python3")
        .args(["examples/openr_object.py", &port.to_string()])
        .spawn();
    let mut process = process.expect("python3");
    let settings = format!(r#"external: {{ "forward.bin": {port} }}"#);
    let simulation = rover(directory.path(), stick, &settings, &no_extensions);
    let mut simulation = simulation.expect("a rover");
    let x = |simulation: &Simulation| {
        let pose = simulation.read::<PoseData>("rover.pose");
        pose.expect("a pose").x
    };
    simulation.run(800).expect("ticks");
    let there = x(&simulation);
    assert!((2.9..3.5).contains(&there), "{there}");
    let warnings = simulation.take_warnings();
    assert!(warnings.is_empty(), "{warnings:?}");
    process.kill().expect("a process");
    process.wait().expect("an end");
    simulation.run(10).expect("ticks");
    let warnings = simulation.take_warnings().join("\n");
    assert!(
        warnings.contains("`Forward`") && warnings.contains("gave up: its process is lost"),
        "{warnings}"
    );
    let failure = simulation.failure();
    assert!(
        matches!(&failure, Some(morse_api::middleware::Failure::PeerLost(why)) if why.contains("`Forward`")),
        "{failure:?}"
    );
}
