//! Simulation files beside scenes and robot descriptions, and which of them are used.
use super::Room;

const BOT: &str = r#"<robot name="bot"><link name="base"><inertial><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link></robot>"#;

/// Returns a room with a robot description and a simulation file of the same name.
fn room(simulation: &str) -> Room {
    let room = Room::new();
    room.write("bot.urdf", BOT).write("bot.ron", simulation);
    room
}

#[test]
fn a_simulation_of_the_robot_is_not_the_simulation_of_its_description() {
    for simulation in [
        r#"Simulation(robots: { "bot": (model: "bot.urdf") })"#,
        r#"Simulation(scene: "blocks.robray", robots: { "bot": (model: "./bot.urdf") })"#,
        r#"Simulation(scene: "environments/indoors.robray")"#,
        r#"Simulation(robots: { "it": (model: "robots/atrv.robray", parts: { "bot": (model: "bot.urdf") }) })"#,
        // Mistakes in it do not concern the description.
        r#"Simulation(scene: "blocks.robray", robots: { "bot": (model: "bot.urdf", bas: dynamic) })"#,
    ] {
        let room = room(simulation);
        let ran = room.run(&["check", "bot.urdf"]).with_code(0);
        assert_eq!(ran.out, "bot.urdf: fine (1 frame, 0 variables)\n");
        assert_eq!(ran.err, "");
        let ran = room.run(&["bot.urdf", "--steps", "3"]).with_code(0);
        assert!(ran.out.ends_with("\nfiles: bot.urdf\n"), "{}", ran.out);
        let ran = room.run(&["inspect", "bot.urdf", "--json"]).with_code(0);
        let scene: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(
            scene["frames"].as_array().map(Vec::len),
            Some(1),
            "{}",
            ran.out
        );
    }
    // From another working directory, too.
    let room = room(r#"Simulation(robots: { "bot": (model: "bot.urdf") })"#);
    let path = room.path().join("bot.urdf").display().to_string();
    Room::new().run(&["check", &path]).with_code(0);
}

#[test]
fn a_simulation_file_beside_that_is_of_the_scene_is_taken() {
    for simulation in [
        r#"Simulation(bodies: { "base": (kind: fixed) })"#,
        r#"Simulation(scene: "bot.urdf", bodies: { "base": (kind: fixed) })"#,
        r#"Simulation(scene: "../missing/bot.urdf", bodies: { "base": (kind: fixed) })"#,
    ] {
        let room = room(simulation);
        let ran = room.run(&["bot.urdf", "--steps", "3"]).with_code(0);
        assert!(ran.out.contains("files: bot.ron, bot.urdf"), "{}", ran.out);
    }
}

#[test]
fn values_are_set_also_where_there_is_no_simulation_file() {
    let room = Room::new();
    let set = ["--set", "environment.rate=120", "--until", "1s"];
    let ran = room
        .run(&[&["blocks.robray"], &set[..]].concat())
        .with_code(0);
    assert!(ran.out.starts_with("120 ticks, 1.000 s"), "{}", ran.out);
    assert!(ran.out.ends_with("files: blocks.robray\n"), "{}", ran.out);
    let ran = room.run(&["blocks.robray", "--set", "environment.rat=3"]);
    ran.with_code(2).with_errors(&["--set", "rate"]);
}

#[test]
fn mistakes_in_a_scene_and_in_the_file_beside_it_are_reported_together() {
    let room = Room::new();
    room.write(
        "hall.robray",
        "frame crate_1 { translaton [1, 0, 0]; geometry { shape sphere; radius 1; } }\n",
    )
    .write(
        "hall.ron",
        r#"Simulation(bodies: { "crate_1": (frction: 0.6) })"#,
    );
    let ran = room.run(&["check", "hall.robray"]).with_code(2);
    for position in ["hall.ron:1:34", "hall.robray:1:17"] {
        assert!(ran.err.contains(position), "{position}: {}", ran.err);
    }
}
