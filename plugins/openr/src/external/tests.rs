//! Tests of processes that answer, request, and misbehave.
use super::*;
use crate::{lockstep::Lockstep, lockstep::Rules, object_runner::ObjectInstance};

/// Returns the fault of an object whose process answers with these bytes, and its log.
fn outcome(answer: &[u8]) -> (String, String) {
    let (fault, log, _) = exchanged(answer);
    (fault, log)
}

/// Returns the fault of an object whose process answers with these bytes, its log, and the frames that it received.
fn exchanged(answer: &[u8]) -> (String, String, Vec<Json>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let at = listener.local_addr().expect("an address");
    let mut process = TcpStream::connect(at).expect("a connection");
    let (stream, _) = listener.accept().expect("a connection");
    let limit = Duration::from_millis(300);
    stream.set_read_timeout(Some(limit)).expect("a limit");
    process.write_all(answer).expect("an answer");
    let interface = Interface::new("Far").subject("Out", "d");
    let peer = Arc::new(Mutex::new(Peer { stream, limit }));
    let object = External::new(interface.clone(), peer);
    let instance = ObjectInstance::new(interface, object);
    let mut system = Lockstep::boot(vec![instance], &[], Rules::default());
    let faults = system.take_faults();
    let log = system.take_log();
    let fault = faults.first().map(ToString::to_string);
    let line = log.first().map(|line| line.text.clone());
    drop(system);
    let mut received = Vec::new();
    // The connection is reset if the object has not read everything.
    process.read_to_end(&mut received).ok();
    (
        fault.unwrap_or_default(),
        line.unwrap_or_default(),
        frames(&received),
    )
}

/// Returns the contents of frames.
fn frames(mut bytes: &[u8]) -> Vec<Json> {
    let mut frames = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let length = u32::from_be_bytes(*length) as usize;
        let Some((frame, rest)) = rest.split_at_checked(length) else {
            break;
        };
        frames.push(serde_json::from_slice(frame).expect("JSON"));
        bytes = rest;
    }
    frames
}

fn framed(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).expect("short");
    let mut frame = length.to_be_bytes().to_vec();
    frame.extend(text.as_bytes());
    frame
}

#[test]
fn a_process_that_makes_no_sense_or_is_silent_is_a_fault_of_its_object() {
    for (answer, fault, line) in [
        (framed("{}"), "", ""),
        (
            framed(r#"{"calls": [{"notify": "Oot"}]}"#),
            "",
            "no service `Oot`",
        ),
        (framed(r#"{"status": 2}"#), "returned FAIL (2)", ""),
        (framed("[1"), "gave up: its process sent no answer", ""),
        (
            framed(r#"{"calls": [{"shout": 1}]}"#),
            "unknown variant `shout`",
            "",
        ),
        (vec![0xff; 8], "too long", ""),
        (
            vec![0, 0],
            "gave up: its process is lost: no answer within 300ms",
            "",
        ),
        (
            framed(r#"{"calls": [{"set_data": ["Out", {"base64": "?"}]}]}"#),
            "",
            "invalid base64",
        ),
    ] {
        let (reported, logged) = outcome(&answer);
        assert!(
            reported.contains(fault) && reported.is_empty() == fault.is_empty(),
            "{reported}"
        );
        assert!(
            logged.contains(line) && logged.is_empty() == line.is_empty(),
            "{logged}"
        );
    }
}

#[test]
fn requests_are_answered_before_the_message_is() {
    let leg = "PRM:/r2/c1-Joint2:21";
    let exchange = [
        (
            json!("robot_design"),
            json!({ "status": 0, "result": "ERS-7" }),
        ),
        (
            json!({ "open_primitive": leg }),
            json!({ "status": 0, "result": 12 }),
        ),
        (
            json!({ "open_primitive": "PRM:/r9" }),
            json!({ "status": 6 }),
        ),
        (
            json!({ "set_joint_gain": { "joint": 12, "gains": [28, 8, 1] } }),
            json!({ "status": 0, "result": null }),
        ),
        (
            json!({ "joint_gain": 12 }),
            json!({ "status": 0, "result": { "gains": [28, 8, 1], "shifts": [14, 2, 15] } }),
        ),
        (
            json!({ "set_motor_power": true }),
            json!({ "status": 0, "result": null }),
        ),
        (
            json!({ "disable_joint_gain": null }),
            json!({ "status": 0, "result": null }),
        ),
        (json!({ "joint_gain": 12 }), json!({ "status": 4108 })),
        (json!({ "sensor_value": 12 }), json!({ "status": 4096 })),
        (
            json!({ "find_design_data": "STEPS" }),
            json!({ "status": 6 }),
        ),
        (json!("new_sync_key"), json!({ "status": 0, "result": 1 })),
        (
            json!({ "divide_sync_key": [1, 17] }),
            json!({ "status": 4 }),
        ),
        (
            json!({ "cancel_sync_key": 1 }),
            json!({ "status": 0, "result": null }),
        ),
    ];
    let requests = exchange
        .iter()
        .map(|(request, _)| framed(&json!({ "request": request }).to_string()));
    let sent: Vec<u8> = requests.chain([framed("{}")]).flatten().collect();
    let (fault, log, received) = exchanged(&sent);
    assert_eq!((fault.as_str(), log.as_str()), ("", ""));
    let answers: Vec<Json> = exchange.into_iter().map(|(_, answer)| answer).collect();
    // The first frame is the message to which the process answers; then come the messages of the life cycle.
    assert_eq!(received[0]["entry"], "init");
    assert_eq!(received[1..=answers.len()], answers);
}

#[test]
fn a_process_that_does_not_come_is_waited_for_so_long() {
    let why = Peer::wait(0, Duration::from_millis(20)).err();
    assert!(why.is_some_and(|why| why.contains("no process has connected")));
}
