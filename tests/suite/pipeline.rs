//! Data flow through a tick: due sensors, measurements, modifiers, exports; commands and requests.
mod arbitration;
mod failing;
mod morse;
mod order;
mod pace;
mod sending;
mod waiting;

use std::time::Duration;

use bevy::reflect::structs::DynamicStruct;
use morse_api::{
    port::Policy,
    service::{Reply, ServiceError, Status},
};
use morse_sim::{
    Simulation,
    actuator::v_omega::{VOmega, VOmegaCommand},
    sensor::pose::PoseData,
    simulation::{AccessError, BuildError, no_extensions},
};
use serde_json::{Value as Json, json};

/// Returns a rover on the plain, with these sensors and actuators.
fn build(sensors: &str, actuators: &str) -> Result<Simulation, BuildError> {
    let text = format!(
        r#"Simulation(
            scene: "boxes.robray",
            environment: (rate: 60, seed: 5),
            robots: {{ "rover": (
                model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 0, 0.1)),
                sensors: {{ {sensors} }},
                actuators: {{ {actuators} }},
            ) }},
        )"#
    );
    Simulation::parse(&text, "scenes", &no_extensions)
}

fn rover(sensors: &str, actuators: &str) -> Simulation {
    build(sensors, actuators).unwrap_or_else(|error| panic!("{error}"))
}

fn errors(sensors: &str, actuators: &str) -> String {
    match build(sensors, actuators) {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    }
}

const POSE: &str = r#""pose": (kind: "pose", frequency: 10)"#;
const MOTION: &str = r#""motion": (kind: "v_omega")"#;
const WAYPOINT: &str = r#""way": (kind: "waypoint", obstacle_avoidance: false)"#;

#[test]
fn a_sensor_of_ten_hertz_measures_ten_times_a_second() {
    let mut simulation = rover(POSE, "");
    let observer = simulation
        .observe("rover.pose", Policy::Queue(100))
        .unwrap();
    observer.stay_ready();
    simulation.run(120).unwrap();
    let ticks: Vec<u64> = std::iter::from_fn(|| observer.try_recv())
        .map(|reading| reading.tick)
        .collect();
    assert_eq!(ticks, (0..20).map(|n| 1 + 6 * n).collect::<Vec<_>>());
}

#[test]
fn a_reading_carries_the_time_of_the_state_it_measured() {
    let mut simulation = rover(POSE, r#""motion": (kind: "v_omega", start: (v: 1, w: 0))"#);
    let observer = simulation.observe("rover.pose", Policy::Latest).unwrap();
    observer.stay_ready();
    simulation.step().unwrap();
    let reading = observer.try_recv().expect("the first tick's");
    assert_eq!(reading.nanos, 16_666_666);
    let x = reading.get::<PoseData>().expect("a pose").x;
    let body = simulation.body("rover").expect("a rover");
    let now = body.pose.translation.x;
    assert!(
        x > 1e-5 && (x - now).abs() < 1e-12,
        "the state after the first tick, not before: {x} of {now}"
    );
}

#[test]
fn modifiers_work_on_a_copy_in_their_own_order() {
    let sensors = r#"
        "plain": (kind: "pose"),
        "noisy": (kind: "pose", modifiers: [(kind: "position_noise", sigma: (1, 1, 1)), (kind: "ned")]),
    "#;
    let mut simulation = rover(sensors, "");
    simulation.step().unwrap();
    let plain = simulation.read::<PoseData>("rover.plain").unwrap().clone();
    let noisy = simulation.read::<PoseData>("rover.noisy").unwrap().clone();
    let entity = morse_api::service::find(simulation.world(), "rover.noisy").unwrap();
    let local = simulation.world().get::<PoseData>(entity).unwrap();
    assert_eq!(*local, plain, "what was measured stays as it was");
    assert!(
        (noisy.x - plain.y).abs() > 1e-6 && (noisy.z + plain.z).abs() > 1e-6,
        "{noisy:?}"
    );
}

#[test]
fn one_more_sensor_changes_no_others_noise() {
    let noisy = r#""gps": (kind: "gps", modifiers: [(kind: "gps_noise", sigma: (1, 1, 1))])"#;
    let x = |sensors: &str| {
        let mut simulation = rover(sensors, "");
        simulation.run(7).unwrap();
        let data = simulation.read_any("rover.gps").unwrap();
        data.field("x")
            .unwrap()
            .try_downcast_ref::<f64>()
            .unwrap()
            .to_bits()
    };
    let more = format!(
        r#""a": (kind: "gps", modifiers: [(kind: "gps_noise")]), {noisy}, "z": (kind: "imu")"#
    );
    assert_eq!(x(noisy), x(&more));
    let longer = noisy.replace(
        "modifiers: [",
        r#"modifiers: [(kind: "position_noise", sigma: (0, 0, 0)), "#,
    );
    assert_eq!(
        x(noisy),
        x(&longer),
        "one more modifier of another kind neither"
    );
}

#[test]
fn commands_are_merged_and_checked() {
    let mut simulation = rover(POSE, MOTION);
    simulation
        .command::<VOmega>("rover.motion", VOmegaCommand { v: 1.0, w: 0.5 })
        .unwrap();
    simulation.step().unwrap();
    let mut command = DynamicStruct::default();
    command.insert("v", 2.0_f64);
    simulation
        .command_any("rover.motion", Box::new(command))
        .unwrap();
    simulation.step().unwrap();
    let entity = morse_api::service::find(simulation.world(), "rover.motion").unwrap();
    assert_eq!(
        *simulation.world().get::<VOmegaCommand>(entity).unwrap(),
        VOmegaCommand { v: 2.0, w: 0.5 }
    );

    let refused = simulation.command::<VOmega>(
        "rover.motion",
        VOmegaCommand {
            v: f64::NAN,
            w: 0.0,
        },
    );
    assert_eq!(
        refused.unwrap_err().to_string(),
        "`rover.motion`: the number in `v` is not finite"
    );
    let refused = simulation
        .command::<VOmega>("rover.moton", VOmegaCommand::default())
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "there is no component `rover.moton`; did you mean `rover.motion`?"
    );
    let mut wrong = DynamicStruct::default();
    wrong.insert("speed", 2.0_f64);
    assert!(
        simulation
            .command_any("rover.motion", Box::new(wrong))
            .is_err()
    );
    assert!(matches!(
        simulation.read::<PoseData>("rover.motion"),
        Err(AccessError::OtherKind { .. })
    ));
}

#[test]
fn a_deactivated_component_does_not_act() {
    let mut simulation = rover(POSE, r#""motion": (kind: "v_omega", start: (v: 1, w: 0))"#);
    let ask = |simulation: &mut Simulation, path: &str, service: &str| {
        simulation
            .call(path, service, &Json::Null)
            .reply()
            .expect("a sync service")
            .status
    };
    simulation.run(60).unwrap();
    assert_eq!(
        ask(&mut simulation, "rover.motion", "deactivate"),
        Status::Success
    );
    simulation.run(60).unwrap();
    let stopped = simulation.read::<PoseData>("rover.pose").unwrap().x;
    simulation.run(60).unwrap();
    let later = simulation.read::<PoseData>("rover.pose").unwrap().x;
    assert!(
        (later - stopped).abs() < 1e-3 && stopped > 0.9,
        "from {stopped} to {later}"
    );

    assert_eq!(
        ask(&mut simulation, "rover.motion", "activate"),
        Status::Success
    );
    assert_eq!(
        ask(&mut simulation, "rover.pose", "deactivate"),
        Status::Success
    );
    simulation.run(60).unwrap();
    assert_eq!(
        simulation
            .read::<PoseData>("rover.pose")
            .unwrap()
            .x
            .to_bits(),
        later.to_bits()
    );
}

#[test]
fn losses_are_told_by_port() {
    let mut simulation = rover(POSE, "");
    let slow = simulation.observe("rover.pose", Policy::Queue(3)).unwrap();
    let idle = simulation.observe("rover.pose", Policy::Latest).unwrap();
    slow.stay_ready();
    simulation.run(60).unwrap();
    let (drops, finished) = simulation.finish();
    finished.unwrap();
    assert_eq!((drops.dropped, drops.unready), (7, 10));
    let ports: Vec<_> = drops
        .ports
        .iter()
        .map(|port| (port.sensor.as_str(), port.dropped))
        .collect();
    assert_eq!(ports, [("rover.pose", 7), ("rover.pose", 0)]);
    assert_eq!(idle.drops(), (0, 10));
}

#[test]
fn a_lost_lockstep_observer_ends_the_run() {
    let mut simulation = rover(POSE, "");
    let limit = Duration::from_millis(5);
    let observer = simulation
        .observe("rover.pose", Policy::Lockstep(limit))
        .unwrap();
    observer.assert_ready();
    simulation.run(6).unwrap();
    let lost = simulation.run(6).unwrap_err();
    assert_eq!(lost.path, "rover.pose");
}

#[test]
fn a_goal_is_reached_and_the_client_is_told() {
    let mut simulation = rover(POSE, WAYPOINT);
    let call = simulation.call("rover.way", "goto", &json!([2.0, 0.0, 0.0]));
    assert_eq!(call.reply(), None, "it is under way");
    simulation.run(180).unwrap();
    assert_eq!(call.reply(), Some(Reply::done("Arrived".into())));
    assert!((simulation.read::<PoseData>("rover.pose").unwrap().x - 2.0).abs() < 0.6);
}

#[test]
fn a_newer_request_preempts_and_cancel_interrupts() {
    let mut simulation = rover(POSE, WAYPOINT);
    let first = simulation.call("rover.way", "goto", &json!([50.0, 0.0, 0.0]));
    simulation.run(30).unwrap();
    let second = simulation.call(
        "rover.way",
        "goto",
        &json!({ "x": -50.0, "y": 0.0, "z": 0.0 }),
    );
    assert_eq!(
        first.reply().map(|reply| reply.status),
        Some(Status::Preempted)
    );
    simulation.run(30).unwrap();
    assert_eq!(second.reply(), None);
    simulation.cancel(&second);
    assert_eq!(
        second.reply().map(|reply| reply.status),
        Some(Status::Preempted)
    );
    simulation.cancel(&second);
}

#[test]
fn requests_from_other_threads_are_served_in_the_tick() {
    let mut simulation = rover(POSE, WAYPOINT);
    let requests = simulation.requests();
    let (reply, replies) = crossbeam_channel::bounded(4);
    let client = std::thread::Builder::new()
        .name("client".into())
        .spawn(move || {
            let take = move |answer| drop(reply.try_send(answer));
            requests
                .send("rover.way", "goto", json!([40.0, 0.0, 0.0]), take)
                .unwrap()
        });
    let id = client.unwrap().join().unwrap();
    simulation.run(2).unwrap();
    assert!(replies.try_recv().is_err());
    simulation.requests().cancel(id).unwrap();
    simulation.run(1).unwrap();
    assert_eq!(replies.try_recv().unwrap().status, Status::Preempted);
}

#[test]
fn bad_requests_are_answered() {
    let mut simulation = rover(POSE, WAYPOINT);
    let mut ask = |path: &str, service: &str, arguments: Json| {
        let reply = simulation
            .call(path, service, &arguments)
            .reply()
            .expect("an answer at once");
        assert_eq!(reply.status, Status::Failed);
        let error = reply.error.expect("an error");
        assert_eq!(reply.value, error.to_string());
        error
    };
    for (component, service) in [("rover.way", "fly"), ("nobody", "goto")] {
        let unregistered = ServiceError::Unregistered {
            component: component.to_owned(),
            service: service.to_owned(),
        };
        assert!(unregistered.to_string().contains("has not been registered"));
        assert_eq!(ask(component, service, json!([])), unregistered);
    }
    for arguments in [json!([]), json!([1, 2, 3, 4, 5, 6])] {
        let count = arguments.as_array().map_or(0, Vec::len);
        let ServiceError::WrongArity {
            component,
            service,
            given,
            expected: 5,
            is_bare: false,
            cause,
        } = ask("rover.way", "goto", arguments)
        else {
            panic!("{count} arguments fit");
        };
        assert_eq!((&*component, &*service), ("rover.way", "goto"));
        assert_eq!((given, cause.is_some()), (count, count == 0));
    }
    for (arguments, index) in [(json!(["x", 0, 0]), Some(0)), (json!(7), None)] {
        let ServiceError::WrongType {
            component,
            service,
            position,
            field,
            ..
        } = ask("rover.way", "goto", arguments)
        else {
            panic!("a text and a number fit");
        };
        assert_eq!((&*component, &*service), ("rover.way", "goto"));
        assert_eq!((position, field), (index, index.map(|_| "x".to_owned())));
    }
}

#[test]
fn data_are_served_by_name() {
    let mut simulation = rover(POSE, "");
    simulation.step().unwrap();
    let reply = simulation
        .call("rover.pose", "get_local_data", &Json::Null)
        .reply()
        .unwrap();
    assert_eq!(reply.status, Status::Success);
    let names: Vec<&String> = reply.value.as_object().unwrap().keys().collect();
    assert_eq!(names, ["timestamp", "x", "y", "z", "yaw", "pitch", "roll"]);
    let stamp = reply.value["timestamp"].as_f64().unwrap();
    assert!((stamp - simulation.seconds()).abs() < 1e-8, "{stamp}");
    assert!((reply.value["z"].as_f64().unwrap() - 0.1).abs() < 0.01);
}

#[test]
fn what_does_not_fit_is_refused_at_load() {
    let misfit = errors(
        r#""clock": (kind: "clock", modifiers: [(kind: "gps_noise")])"#,
        "",
    );
    assert!(
        misfit.contains("`gps_noise` does not fit `clock`") && misfit.contains("it fits:"),
        "{misfit}"
    );
    assert!(misfit.contains("gps"), "it lists the kinds: {misfit}");
    let nowhere = errors(r#""gps": (kind: "gps", level: raw)"#, "");
    assert!(
        nowhere.contains("rover.gps") && nowhere.contains("origin"),
        "{nowhere}"
    );
    let fast = errors(r#""pose": (kind: "pose", frequency: 100)"#, "");
    assert!(fast.contains("rate"), "{fast}");
}
