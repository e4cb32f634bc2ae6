//! Messages for viewers: the warnings of a run, and refusals of numbers that are too large.
use super::*;

#[test]
fn viewers_are_told_what_the_run_warns_of() {
    // It has almost no mass, and the maximum force acts on it.
    let light = r#"robots: { "light": (
        model: "robots/atrv.robray", base: dynamic, at: (translation: (9, 9, 9)), mass: 1e-9,
        actuators: { "push": (kind: "external_force", start: (force: (1e8, 0, 0))) },
    ),"#;
    let text = ROVER.replace("robots: {", light);
    let served = Served::new(&text, Pace::RealTime(1.0));
    let mut viewers = [served.viewer(), served.viewer()];
    for viewer in &mut viewers {
        viewer.until(|frame| frame.tick > 5.0);
        let reported = viewer.call("simulation", "get_warnings", &json!([]));
        assert_eq!(reported["value"], json!(viewer.warnings));
        let lost = |text: &&String| text.contains("`light` was lost in tick 1");
        let about = viewer.warnings.iter().filter(lost);
        assert_eq!(about.count(), 1, "{:?}", viewer.warnings);
    }
    let (summary, end) = served.end();
    assert_eq!(end, End::Signal(15));
    assert!(
        summary.lost.iter().any(|lost| lost.body == "light"),
        "{summary:?}"
    );
}

#[test]
fn numbers_out_of_range_are_refused_and_leave_no_trace() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let mut viewer = served.viewer();
    for (component, service, arguments, named) in [
        (
            "rover.motion",
            "set_speed",
            json!([1e308, 0]),
            ["`rover.motion`", "`v`", "-100 to 100 m/s"],
        ),
        (
            "simulation",
            "set_object_position",
            json!(["RedBox", [0, 0, 1e12]]),
            ["`RedBox`", "`position`", "-1e8 to 1e8 m"],
        ),
    ] {
        let reply = viewer.call(component, service, &arguments);
        assert_eq!(reply["status"], "FAILED", "{reply}");
        let said = reply["value"].as_str().unwrap();
        assert!(named.iter().all(|word| said.contains(word)), "{said}");
    }
    // JSON has no such number.
    let text = r#"{"call": {"id": 9, "component": "time", "service": "now", "arguments": [NaN]}}"#;
    viewer
        .socket
        .send(tungstenite::Message::text(text))
        .unwrap();
    assert!(viewer.last_words().contains("NaN"));
    let (summary, _) = served.end();
    let mut untouched = morse_sim::Simulation::parse(ROVER, "scenes", &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    untouched.hash_every_tick();
    untouched.run(summary.steps).unwrap();
    assert_eq!(
        summary.state_hash,
        format!("{:032x}", untouched.state_hash())
    );
}
