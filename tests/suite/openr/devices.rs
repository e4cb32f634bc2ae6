//! Small objects of an AIBO that each show one device, and a dog that sees a ball and pushes it.
use morse_sim::{
    Simulation,
    sensor::{pose::PoseData, video_camera::VideoCameraData},
    simulation::{load::Options, no_extensions},
};

use super::body::{dog, write};

const EFFECTOR: &str = "OVirtualRobotComm.Effector.OCommandVectorData.O";
const WALK: &str =
    "Walk.Move.OCommandVectorData.S OVirtualRobotComm.Effector.OCommandVectorData.O\n";
const SENSOR: &str = "OVirtualRobotComm.Sensor.OSensorFrameVectorData.S";

/// Returns a standing dog with another object.
fn with(bin: &str, link: &str) -> Simulation {
    let stick = tempfile::tempdir().expect("a directory");
    let objects = format!("/MS/OPEN-R/MW/OBJS/WALK.BIN\n/MS/OPEN-R/MW/OBJS/{bin}.BIN\n");
    write(stick.path(), "MW/CONF/OBJECT.CFG", &objects);
    write(
        stick.path(),
        "MW/CONF/CONNECT.CFG",
        &format!("{WALK}{link}\n"),
    );
    dog(stick.path(), "").expect("a dog")
}

/// Returns the lines that the objects logged.
fn log(simulation: &Simulation) -> Vec<String> {
    let report = &simulation.reports()["objects"].json;
    let lines = report["log"].as_array().cloned().unwrap_or_default();
    let text = |line: &serde_json::Value| line.as_str().expect("a line").to_owned();
    lines.iter().map(text).collect()
}

#[test]
fn lights_blink_in_the_images_of_a_camera() {
    let text = std::fs::read_to_string("scenes/aibo.ron").expect("a scene");
    let stick = tempfile::tempdir().expect("a directory");
    let objects = "/MS/OPEN-R/MW/OBJS/WALK.BIN\n/MS/OPEN-R/MW/OBJS/BLINK.BIN\n";
    write(stick.path(), "MW/CONF/OBJECT.CFG", objects);
    let links = format!("{WALK}Blink.Blink.OCommandVectorData.S {EFFECTOR}\n");
    write(stick.path(), "MW/CONF/CONNECT.CFG", &links);
    // A camera above the back, which looks at the blue light at night.
    let camera = r#""eye": (kind: "video_camera", frequency: 125, width: 32, height: 32, fov: 0.2, near: 0.01,
        mount: (frame: "lu", translation: (0, 0, 0.06), rpy: (0, 1.5708, 0))),"#;
    let text = text
        .replace("sensors: {", &format!("sensors: {{ {camera}"))
        .replace(
            r#"directory: "sticks/aibo""#,
            &format!(r#"directory: "{}""#, stick.path().display()),
        )
        .replace(
            "seed: 1)",
            "seed: 1, light: (sun: (strength: 0), ambient: (strength: 0)))",
        );
    let mut simulation = Simulation::parse(&text, "scenes", &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut blue = Vec::new();
    for _ in 0..300 {
        simulation.step().expect("a tick");
        let image = simulation
            .read::<VideoCameraData>("aibo.eye")
            .expect("an image");
        let pixels = image.image.values().chunks_exact(4);
        let sums = pixels.fold([0_u32; 2], |[red, blue], pixel| {
            [red + u32::from(pixel[0]), blue + u32::from(pixel[2])]
        });
        blue.push(sums[1] > 2 * sums[0] && sums[1] > 10_000);
    }
    // Dark for 62 frames, then blue for 62, from the first frame on.
    let changes = blue
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[0] != pair[1]);
    let changes: Vec<usize> = changes.map(|(at, _)| at).collect();
    println!("{changes:?}");
    assert!(!blue[10] && changes.len() >= 4, "{changes:?}");
    assert!(
        changes.windows(2).all(|pair| pair[1] - pair[0] == 62),
        "{changes:?}"
    );
}

#[test]
fn sensors_are_logged() {
    let mut simulation = with(
        "LOGGER",
        &format!("{SENSOR} Logger.Sensor.OSensorFrameVectorData.O"),
    );
    simulation.run(400).expect("ticks");
    let lines = log(&simulation);
    println!("{lines:#?}");
    assert_eq!(lines.len(), 3);
    // Level and at rest: gravity alone, up; the chest looks at the carpet, 30 degrees down.
    let line = &lines[2];
    assert!(line.starts_with("2.976 s, `Logger`: "), "{line}");
    let numbers: Vec<f64> = line
        .split([' ', ','])
        .filter_map(|word| word.parse().ok())
        .collect();
    let [_, ahead, right, up, chest, far] = numbers[..] else {
        panic!("{numbers:?}");
    };
    assert!(ahead.abs() < 0.15 && right.abs() < 0.05, "{line}");
    assert!((up - 9.81).abs() < 0.05, "{line}");
    // Nearest of the rays, which are spread sideways: 0.1138 m above the carpet, 30 degrees down.
    assert!((chest - 0.1138 / 0.5).abs() < 0.01, "{line}");
    assert!((far - 1.5).abs() < 1e-6 || far < 1.5, "{line}");
    assert!(
        line.ends_with("touched: lf_paw lr_paw rf_paw rr_paw"),
        "{line}"
    );
}

#[test]
fn weak_gains_let_the_head_sag() {
    let mut simulation = with(
        "GAINS",
        &format!("Gains.Move.OCommandVectorData.S {EFFECTOR}"),
    );
    simulation.run(505).expect("ticks");
    let lines = log(&simulation);
    println!("{lines:#?}");
    let sag = |line: &str| -> f64 {
        let words: Vec<&str> = line.split(' ').collect();
        let index = words
            .iter()
            .position(|word| *word == "rad,")
            .expect("an angle");
        words[index - 1].parse().expect("a number")
    };
    assert!(lines[0].contains("usual gains") && lines[1].contains("weak gains"));
    // With P = 1 / 4 and no integral term, the duty is that of the error alone, which the weight causes; the usual gains are
    // eight times as large, and their integral term takes a part of the weight.
    let [usual, weak] = [sag(&lines[0]), sag(&lines[1])];
    assert!(usual > 1e-3 && weak / usual > 8.0, "{lines:?}");
    let duty = 0.25 * weak * 4096.0 / std::f64::consts::TAU;
    assert!(
        (duty - 7.0).abs() < 0.5 && lines[1].ends_with("duty 7"),
        "{duty}"
    );
}

#[test]
fn a_dog_sees_a_ball_and_pushes_it_a_metre() {
    let mut simulation =
        Simulation::load_with("scenes/aibo_ball.ron", &Options::default(), &no_extensions)
            .unwrap_or_else(|error| panic!("{error}"));
    let pose = |simulation: &Simulation, name: &str| {
        let pose = simulation.read::<PoseData>(name).expect("a pose");
        [pose.x, pose.y]
    };
    simulation.run(5 * 125).expect("ticks");
    let [dog, ball] = ["aibo.pose", "ball.pose"].map(|name| pose(&simulation, name));
    let apart = libm::hypot(ball[0] - dog[0], ball[1] - dog[1]);
    assert!(
        (ball[0] - 1.0).abs() < 1e-3,
        "it has not been touched: {ball:?}"
    );
    assert!(apart < 0.8, "the dog comes nearer: {apart} m of 1.24 m");
    simulation.run(8 * 125).expect("ticks");
    let pushed = pose(&simulation, "ball.pose");
    let way = libm::hypot(pushed[0] - ball[0], pushed[1] - ball[1]);
    println!("pushed by {way:.2} m to {pushed:.2?}");
    assert!(way > 1.0, "{way} m");
}
