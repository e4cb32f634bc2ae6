//! Scenes that are merged when they are loaded: texts, compiled scenes and robot descriptions, under prefixes.
use morse_sim::{
    Simulation,
    simulation::{kinds, load, no_extensions},
};
use nalgebra::Vector3;

use super::Room;

const HALL: &str = "\
frame floor { geometry { shape box; dimension [9, 9, 0.1]; collision 1; } }
frame stand { translation [2, 0, 1]; rpy [0, 0, pi/2]; }
";

/// An arm with one hinge, whose tip is 0.5 m from it.
const ARM: &str = r#"<robot name="arm">
  <link name="foot"/>
  <link name="beam"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="end"/>
  <joint name="turn" type="revolute"><parent link="foot"/><child link="beam"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="10" velocity="2"/></joint>
  <joint name="tip" type="fixed"><parent link="beam"/><child link="end"/><origin xyz="0.5 0 0"/></joint>
</robot>"#;

const TOOL: &str = "frame tool { translation [0.1, 0, 0]; }\n";

const WORLD: &str = r#"Simulation(
    scene: "hall.ENDING",
    scenes: {
        "left": (model: "arm.ARM", frame: "stand"),
        "right": (model: "arm.ARM", at: (translation: (0, 3, 0))),
        "grip": (model: "tool.ENDING", frame: "left.end"),
    },
    joints: { "left.turn": (mode: kinematic, position: 0.5), "right.turn": (mode: kinematic) },
)"#;

fn room() -> Room {
    let room = Room::new();
    room.write("hall.robray", HALL)
        .write("arm.urdf", ARM)
        .write("tool.robray", TOOL);
    for file in ["hall.robray", "arm.urdf", "tool.robray"] {
        // The root link of a robot description floats otherwise.
        room.run(&["compile", "--fixed", file]).with_code(0);
    }
    room
}

fn world(ending: &str, arm: &str) -> String {
    WORLD.replace("ENDING", ending).replace("ARM", arm)
}

#[test]
fn compiled_scenes_and_robots_are_merged_under_prefixes() {
    let room = room();
    room.write("texts.ron", &world("robray", "urdf"))
        .write("compiled.ron", &world("msc", "msc"));
    let mut hashes = Vec::new();
    for file in ["texts.ron", "compiled.ron"] {
        let kinds = kinds(&no_extensions);
        let plan = load::load(&room.path().join(file), &load::Options::default(), &kinds).unwrap();
        let names: Vec<&str> = plan.assembly.scene.variables().into_iter().collect();
        assert_eq!(names, ["left.turn", "right.turn"]);
        let mut simulation = Simulation::build(plan, &no_extensions).unwrap();
        simulation.run(10).unwrap();
        let at = |frame: &str| {
            let world = simulation.world();
            let known = world.get::<morse_api::frame::Frame>(simulation.scene().frames[frame]);
            let known = known.unwrap();
            let body = world.get::<morse_api::body::BodyState>(known.body).unwrap();
            (body.pose * known.body_from_frame).translation.vector
        };
        // The stand is turned by a right angle, and the hinge by 0.5 rad more.
        let angle = std::f64::consts::FRAC_PI_2 + 0.5;
        let reach =
            |radius: f64| Vector3::new(2.0 + radius * angle.cos(), radius * angle.sin(), 1.0);
        for (frame, expected) in [
            ("left.end", reach(0.5)),
            ("grip.tool", reach(0.6)),
            ("right.end", Vector3::new(0.5, 3.0, 0.0)),
        ] {
            let way = (at(frame) - expected).norm();
            assert!(way < 1e-9, "{frame} at {} in {file}", at(frame));
        }
        hashes.push(simulation.state_hash());
    }
    assert_eq!(
        hashes[0], hashes[1],
        "text and compiled scenes have equal bits"
    );
}

#[test]
fn the_command_line_merges_without_a_simulation_file() {
    let room = room();
    let add = [
        "--set",
        "scenes.left.model=arm.msc",
        "--set",
        "scenes.left.frame=stand",
    ];
    let joint = [
        "--set",
        "joints={\"left.turn\": (mode: kinematic)}",
        "--steps",
        "3",
    ];
    let all: Vec<&str> = ["hall.msc"].into_iter().chain(add).chain(joint).collect();
    room.run(&all).with_code(0);
}

#[test]
fn scenes_that_do_not_fit_are_refused() {
    let room = room();
    let refused = |from: &str, to: &str, words: &[&str]| {
        room.write("wrong.ron", &world("robray", "urdf").replace(from, to));
        let ran = room.run(&["run", "wrong.ron", "--steps", "1"]).with_code(2);
        ran.with_errors(words);
    };
    refused(
        "\"stand\"",
        "\"stant\"",
        &["has no frame `stant`", "did you mean `stand`"],
    );
    refused("\"stand\"", "\"grip.tool\"", &["in a circle"]);
    refused("tool.robray", "took.robray", &["took.robray"]);
    let robot = "robots: { \"left\": (frame: \"floor\") }, joints:";
    refused(
        "joints:",
        robot,
        &["is the name of a scene and of a robot", "prefix"],
    );
    refused("\"right\":", "\"ri/ght\":", &["ri/ght"]);
}
