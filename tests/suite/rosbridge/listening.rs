//! Rates, names without a slash, compression, messages of a wrong type, and replies after completion.
use morse_sim::{Simulation, run::Pace, simulation::no_extensions};
use serde_json::{Value as Json, json};

use super::{client::Bridge, serve};
use crate::web::client::Served;

fn seconds(stamp: &Json) -> f64 {
    let field = |name: &str| stamp[name].as_f64().expect("a number");
    field("sec") + field("nanosec") / 1e9
}

/// Returns the simulated time, s.
fn now(bridge: &mut Bridge) -> f64 {
    seconds(&bridge.call("/rosapi/get_time", json!({}))["values"]["time"])
}

#[test]
fn a_topic_comes_at_its_rate_without_the_clock() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    bridge.say(json!({ "op": "subscribe", "topic": "/rover/pose" }));
    let stamps: Vec<f64> = (0..41)
        .map(|_| seconds(&bridge.next("/rover/pose")["header"]["stamp"]))
        .collect();
    let mut gaps: Vec<f64> = stamps.windows(2).map(|two| two[1] - two[0]).collect();
    gaps.sort_by(f64::total_cmp);
    // A busy machine may lose some of them; the server's poll would lose 29 of 30.
    assert!(gaps[20] < 0.2, "{gaps:?}");
    served.end();
}

#[test]
fn names_may_lack_their_first_slash() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    bridge.say(json!({ "op": "subscribe", "topic": "rover/pose" }));
    assert_eq!(bridge.next("rover/pose")["header"]["frame_id"], "map");
    bridge.say(json!({ "op": "subscribe", "topic": "tf_static" }));
    assert!(bridge.next("tf_static")["transforms"].is_array());
    // With both spellings subscribed, messages are sent under both.
    bridge.say(json!({ "op": "subscribe", "topic": "/rover/pose" }));
    bridge.next("/rover/pose");
    bridge.say(json!({ "op": "unsubscribe", "topic": "/rover/pose" }));
    bridge.forget();
    bridge.next("rover/pose");
    let answer = bridge.call("rosapi/topic_type", json!({ "topic": "rover/imu" }));
    assert_eq!(answer["values"]["type"], "sensor_msgs/msg/Imu");
    let answer = bridge.call("rover/motion/get_configurations", json!({}));
    assert_eq!(
        (&answer["result"], &answer["service"]),
        (&json!(true), &json!("rover/motion/get_configurations"))
    );
    bridge.say(json!({ "op": "subscribe", "topic": "chatter", "type": "std_msgs/String" }));
    bridge.say(json!({ "op": "advertise", "topic": "/chatter", "type": "std_msgs/String" }));
    bridge.say(json!({ "op": "publish", "topic": "/chatter", "msg": { "data": "hello" } }));
    assert_eq!(bridge.next("chatter")["data"], "hello");
    served.end();
}

#[test]
fn steps_and_a_reset_are_answered_when_they_are_done() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    bridge.call("/simulation/pause", json!({}));
    let mut before = now(&mut bridge);
    for ticks in [1, 30, 7] {
        bridge.call("/simulation/step", json!({ "ticks": ticks }));
        let after = now(&mut bridge);
        assert!(
            (after - before - f64::from(ticks) / 60.0).abs() < 1e-6,
            "{before} to {after}"
        );
        before = after;
    }
    let answer = bridge.call("/simulation/reset", json!({}));
    assert_eq!(
        (answer["result"].as_bool(), now(&mut bridge)),
        (Some(true), 0.0)
    );
    for (service, arguments, expected) in [
        (
            "/simulation/step",
            json!({ "tick": 3 }),
            "there is no argument `tick`; it takes: ticks",
        ),
        (
            "/simulation/reset",
            json!({ "now": true }),
            "there is no argument `now`; it takes none",
        ),
        (
            "/rover/motion/get_configurations",
            json!({ "omega": 2 }),
            "`omega`",
        ),
    ] {
        let answer = bridge.call(service, arguments);
        assert_eq!(answer["result"], false, "{answer}");
        assert!(answer["values"].to_string().contains(expected), "{answer}");
    }
    assert_eq!(now(&mut bridge), 0.0);
    // A reset ends the waiting of others: the ticks that they wait for do not come any more.
    bridge.say(json!({ "op": "call_service", "id": "long", "service": "/simulation/step", "args": { "ticks": 100_000_000 } }));
    // A reply confirms that the previous messages have been processed.
    bridge.call("/rosapi/nodes", json!({}));
    let mut other = Bridge::new(&served);
    other.call("/simulation/reset", json!({}));
    other.call("/simulation/pause", json!({}));
    bridge.answer("long");
    served.end();
}

#[test]
fn a_message_of_a_wrong_form_moves_nothing_and_is_told() {
    let served = Served::new(super::WORLD, Pace::RealTime(1.0));
    let mut bridge = Bridge::new(&served);
    let twist = |msg: Json| json!({ "op": "publish", "topic": "/rover/motion", "msg": msg });
    bridge.say(twist(json!({ "linear": { "x": 0.25 } })));
    for (wrong, field) in [
        (json!({ "linaer": { "x": 0.0 } }), "`linaer`"),
        (json!({ "linear": { "X": 0.0 } }), "`X`"),
        (json!({ "data": [0, 0] }), "`data`"),
        (
            json!({ "twist": { "linear": { "z": 1 } }, "speed": 1 }),
            "`twist`",
        ),
        (json!({ "linear": { "x": "0" } }), "f64"),
    ] {
        bridge.say(twist(wrong));
        let status = bridge.status_message();
        assert_eq!(status["level"], "error");
        assert!(status["msg"].to_string().contains(field), "{status}");
    }
    let drives = |pose: &Json| pose["twist"]["twist"]["linear"]["x"].as_f64() > Some(0.24);
    bridge.until("/rover/odometry", drives);
    // The type need not be advertised if the message determines it.
    bridge.say(twist(json!({ "header": { "seq": 3, "stamp": { "secs": 1, "nsecs": 2 } }, "twist": { "linear": { "x": 0.0 } } })));
    bridge.until("/rover/odometry", |pose| {
        pose["twist"]["twist"]["linear"]["x"].as_f64() < Some(0.01)
    });
    served.end();
}

#[test]
fn compressions_that_do_not_fit_are_refused() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    for (topic, compression, expected) in [
        ("/rover/imu", "zip", "unsupported compression `zip`"),
        ("/chatter", "cbor-raw", "that the simulation publishes"),
        ("/rover/motion", "cbor-raw", "use `cbor`"),
    ] {
        bridge.say(json!({ "op": "subscribe", "topic": topic, "compression": compression }));
        let status = bridge.status_message();
        assert_eq!(status["level"], "error");
        assert!(status["msg"].to_string().contains(expected), "{status}");
    }
    served.end();
}

#[test]
fn clients_that_do_not_read_images_take_no_messages_from_one_that_reads() {
    let text = super::WORLD
        .replace("port: 0", "port: 0, max_clients: 200")
        .replace(
            "frequency: 2, width: 16, height: 8",
            "frequency: 15, width: 320, height: 240",
        );
    let served = Served::new(&text, Pace::RealTime(1.0));
    let mut good = Bridge::new(&served);
    let subscribe = |topic: &str| json!({ "op": "subscribe", "topic": topic });
    good.say(subscribe("/rover/pose"));
    let mut duration = || {
        good.forget();
        let mut stamp = || seconds(&good.next("/rover/pose")["header"]["stamp"]);
        let first = stamp();
        (1..120).fold(first, |_, _| stamp()) - first
    };
    // Two seconds, unless the machine is busy and messages are lost.
    let alone = duration();
    let stalled: Vec<Bridge> = (0..100)
        .map(|_| {
            let mut bridge = Bridge::new(&served);
            bridge.say(subscribe("/rover/eye/image"));
            bridge.say(subscribe("/rover/depth/image"));
            bridge
        })
        .collect();
    // A busy machine loses messages as well, but not each time.
    let mut beside = Vec::new();
    while beside.len() < 6 && beside.last().is_none_or(|last| *last >= 4.0 * alone) {
        beside.push(duration());
    }
    assert!(
        beside.iter().any(|last| *last < 4.0 * alone),
        "120 messages in {beside:?} s, alone in {alone} s"
    );
    drop(stalled);
    served.end();
}

#[test]
fn a_kinect_publishes_both_of_its_cameras() {
    let text = super::WORLD.replace(
        "\"eye\": (kind: \"video_camera\",",
        "\"kinect\": (kind: \"kinect\", frequency: 2, width: 16, height: 8, rgb_at: (0, 0.25, 0), mount: (translation: (0.5, 0, 0.7))),
         \"eye\": (kind: \"video_camera\",",
    );
    let served = Served::new(&text, Pace::RealTime(1.0));
    let mut bridge = Bridge::new(&served);
    for (eye, encoding, bytes) in [("rgb", "rgba8", 4), ("depth", "32FC1", 4)] {
        let image = bridge.one(&format!("/rover/kinect/{eye}/image"));
        assert_eq!(image["encoding"], encoding);
        assert_eq!(image["step"], 16 * bytes);
        let frame = format!("rover/kinect_{eye}_optical_frame");
        assert_eq!(image["header"]["frame_id"], frame.as_str());
        let lens = bridge.one(&format!("/rover/kinect/{eye}/camera_info"));
        assert_eq!(lens["header"]["frame_id"], frame.as_str());
        if eye == "depth" {
            // The box is 6.5 m ahead of the mount, and the depth camera 6 cm.
            let pixels = super::base64(&image["data"]);
            let middle = f32::from_le_bytes(pixels[4 * (16 * 4 + 8)..][..4].try_into().unwrap());
            assert!((middle - 6.44).abs() < 1e-3, "{middle}");
        }
    }
    let fixed = bridge.one("/tf_static");
    let mut fixed = fixed["transforms"].as_array().unwrap().iter();
    let rgb = fixed.find(|one| one["child_frame_id"] == "rover/kinect_rgb_optical_frame");
    let rgb = rgb.expect("the frame of the camera");
    assert_eq!(rgb["header"]["frame_id"], "rover/kinect");
    assert_eq!(rgb["transform"]["translation"]["y"], 0.25);
    served.end();
}

#[test]
fn robots_whose_names_become_one_are_a_warning() {
    let text = r#"Simulation(
        scene: "boxes.robray",
        robots: {
            "a-b": (model: "robots/atrv.robray", sensors: { "pose": (kind: "pose"), "imu": (kind: "imu") }),
            "a_b": (model: "robots/atrv.robray", at: (translation: (0, 3, 0)),
                    sensors: { "pose": (kind: "pose"), "imu": (kind: "imu") }),
        },
        middlewares: { "bridge": (kind: "rosbridge", port: 0) },
    )"#;
    let simulation = Simulation::parse(text, "scenes", &no_extensions);
    let mut simulation = simulation.unwrap_or_else(|error| panic!("{error}"));
    simulation.run(2).expect("ticks");
    let expected = "`a-b` and `a_b` are both `/a_b` in ROS: rename one of them";
    assert_eq!(simulation.take_warnings(), [expected]);
}
