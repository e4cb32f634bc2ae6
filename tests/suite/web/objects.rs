//! Objects of a middleware on the page: their layout, and their states while a viewer watches them.
use super::*;

const DRIVER: &str = r#"Simulation(
    scene: "boxes.robray", environment: (rate: 125),
    robots: { "rover": (
        model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 0, 0.1)),
        sensors: { "pose": (kind: "pose", outputs: { "objects": () }) },
        actuators: {
            "motion": (kind: "v_omega", inputs: ["objects"]),
            "lamp": (kind: "light", emit: true, energy: 0.5, services: ["page"]),
        },
    ) },
    middlewares: {
        "objects": (kind: "openr", directory: "sticks/rover"),
        "page": (kind: "web", port: 0),
    },
)"#;

/// States of the links of a graph: readiness and number of delivered data.
fn links(bytes: &[u8]) -> Vec<(u8, usize)> {
    let mut rest = bytes;
    assert_eq!(length(&mut rest), 0, "the first layout");
    // Objects: queued, maximum, handled, overflows, fault.
    for _ in 0..length(&mut rest) {
        let numbers = [(); 4].map(|()| length(&mut rest));
        assert!(numbers[2] > 0, "each has handled a message: {numbers:?}");
        assert_eq!(length(&mut rest), 0, "no fault");
    }
    let count = length(&mut rest);
    let links = (0..count).map(|_| {
        let (readiness, left) = rest.split_at(1);
        let readiness = readiness[0];
        rest = left;
        let [_, delivered, dropped, refused] = [(); 4].map(|()| length(&mut rest));
        assert_eq!((dropped, refused), (0, 0));
        (readiness, delivered)
    });
    let links = links.collect();
    assert!(rest.is_empty(), "all was read");
    links
}

#[test]
fn objects_and_links_are_shown_while_a_viewer_watches_them() {
    let served = Served::new(DRIVER, Pace::RealTime(1.0));
    let scene = served.scene();
    assert_eq!(
        scene["graphs"],
        json!([{ "name": "objects", "channel": 1 }])
    );
    let mut viewer = served.viewer();
    let first = viewer.see();
    assert!(first.readings.is_empty());
    viewer.say(&json!({ "graphs": ["objects", "others"] }));
    let mut delivered = Vec::new();
    while delivered.len() < 3 {
        let frame = viewer.until(|frame| !frame.readings.is_empty());
        let (channel, _, bytes) = &frame.readings[0];
        assert_eq!(*channel, 1);
        delivered.push(links(bytes));
    }
    assert!(delivered.iter().all(|links| links.len() == 4));
    assert!(delivered[0][0].1 < delivered[2][0].1, "{delivered:?}");
    assert!(
        delivered
            .iter()
            .flatten()
            .all(|(readiness, _)| *readiness < 2)
    );

    let (status, layout) = served.get("/graph/0", "");
    assert_eq!(status, 200, "{layout}");
    let layout: serde_json::Value = serde_json::from_str(&layout).expect("JSON");
    let nodes = layout["nodes"].as_array().expect("a list").iter();
    let names: Vec<_> = nodes.map(|node| (&node["name"], &node["kind"])).collect();
    let expected = json!([
        ["rover.pose", "sensor"],
        ["rover.motion", "actuator"],
        ["IPStack", "system"],
        ["Route", "object"],
        ["Driver", "object"]
    ]);
    assert_eq!(json!(names), expected);
    let expected = json!([
        [0, 4, "rover.pose.pose.S", "Driver.Pose.pose.O"],
        [3, 4, "Route.Goal.point.S", "Driver.Goal.point.O"],
        [4, 1, "Driver.Motion.v_omega.S", "rover.motion.v_omega.O"],
        [4, 3, "Driver.Arrived.point.S", "Route.Arrived.point.O"]
    ]);
    assert_eq!(layout["links"], expected);
    for path in [
        "/graph/1",
        "/graph/-1",
        "/graph/99999999999999999999",
        "/graph/",
    ] {
        assert_eq!(served.get(path, "").0, 404, "{path}");
    }

    // Nothing is sent to a viewer that no longer watches.
    viewer.say(&json!({ "graphs": [] }));
    viewer.call("simulation", "pause", &json!([]));
    let tick = viewer.call("simulation", "step", &json!([5]));
    let frame = viewer.until(|frame| frame.is_held && frame.readings.is_empty());
    assert!(frame.tick >= first.tick, "{tick}");
}

#[test]
fn a_lamp_is_sent_when_it_changes() {
    let served = Served::new(DRIVER, Pace::RealTime(1.0));
    let scene = served.scene();
    let lamps = scene["lamps"].as_array().expect("a list");
    assert_eq!(
        (lamps.len(), &lamps[0]["body"]),
        (1, &scene["robots"][0]["body"])
    );
    let mut viewer = served.viewer();
    assert_eq!(viewer.see().lamps, [(0, 0.5)]);
    viewer.call("rover.lamp", "toggle", &json!([false]));
    assert_eq!(
        viewer.until(|frame| !frame.lamps.is_empty()).lamps,
        [(0, 0.0)]
    );
    viewer.call("rover.lamp", "set_property", &json!(["energy", 2.0]));
    viewer.call("rover.lamp", "toggle", &json!([true]));
    assert_eq!(
        viewer.until(|frame| !frame.lamps.is_empty()).lamps,
        [(0, 2.0)]
    );
}
