//! Options for robot descriptions that have no effect on the files of a run: warnings, and errors with `--strict`.
use super::{Ran, Room};

const ARM: &str = r#"<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="0.4"/>
  <link name="base"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rod"><inertial><origin xyz="0 0 $(arg length)"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>
"#;

/// Simulations of it: as the scene, and as a robot.
const SCENE: &str = r#"Simulation(scene: "arm.urdf.xacro")"#;
const ROBOT: &str = r#"Simulation(robots: { "arm": (model: "arm.urdf.xacro", base: fixed) })"#;

fn check(file: &str, options: &[&str]) -> Ran {
    let room = Room::new();
    room.write("arm.urdf.xacro", ARM)
        .write("scene.ron", SCENE)
        .write("robot.ron", ROBOT);
    let mut words = vec!["run", file, "--steps", "1"];
    words.extend(options);
    room.run(&words)
}

#[test]
fn an_argument_that_no_description_has_is_a_warning() {
    for file in ["arm.urdf.xacro", "scene.ron", "robot.ron"] {
        let wrong = check(file, &["--xacro", "lenght:=0.5"]).with_code(0);
        let [message, help] = [
            "`--xacro lenght:=…` has no effect",
            "did you mean `length`?",
        ];
        assert!(
            wrong.err.contains(message) && wrong.err.contains(help),
            "{file}: {}",
            wrong.err
        );
        check(file, &["--xacro", "lenght:=0.5", "--strict"]).with_code(2);
        let right = check(file, &["--xacro", "length:=0.5", "--strict"]).with_code(0);
        assert!(!right.err.contains("no effect"), "{}", right.err);
    }
    let none = check("quiet.ron", &["--xacro", "length:=0.5"]).with_code(0);
    assert!(
        none.err.contains("no robot description has this argument"),
        "{}",
        none.err
    );
}

#[test]
fn a_root_is_fixed_only_in_a_description() {
    for (file, warns) in [
        ("arm.urdf.xacro", false),
        ("scene.ron", false),
        ("robot.ron", true),
        ("quiet.ron", true),
        ("blocks.robray", true),
    ] {
        let ran = check(file, &["--fixed"]).with_code(0);
        let has_warned = ran.err.contains("`--fixed` has no effect");
        assert_eq!(has_warned, warns, "{file}: {}", ran.err);
    }
}

/// Commands that read a scene without simulating it.
#[test]
fn scenes_that_are_not_run_warn_as_well() {
    let room = Room::new();
    room.write("arm.urdf.xacro", ARM);
    for words in [
        &["inspect", "arm.urdf.xacro"][..],
        &["compile", "arm.urdf.xacro"],
        &["convert", "arm.urdf.xacro", "-", "--to", "urdf"],
        &["check", "arm.urdf.xacro"],
    ] {
        let with = |more: &[&str]| room.run(&[words, more].concat());
        let wrong = with(&["--xacro", "lenght:=0.5"]).with_code(0);
        assert!(
            wrong.err.contains("did you mean `length`?"),
            "{}",
            wrong.err
        );
        with(&["--xacro", "lenght:=0.5", "--strict"]).with_code(2);
        let right = with(&["--xacro", "length:=0.5", "--fixed"]).with_code(0);
        assert!(!right.err.contains("no effect"), "{}", right.err);
    }
    let ran = room
        .run(&["inspect", "blocks.robray", "--fixed"])
        .with_code(0);
    assert!(ran.err.contains("`--fixed` has no effect"), "{}", ran.err);
}
