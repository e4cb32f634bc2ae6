//! Floors under robot descriptions that run by themselves.
#![cfg(test)]

use std::path::Path;

use assert_cmd::Command;
use morse_sim::{
    Simulation,
    simulation::{
        kinds,
        load::{Contacts, Descriptions, Options, Plan, load},
        no_extensions,
    },
};

/// A ball of 0.1 m at x = 1, on an arm of the root link that is 0.5 m below the origin.
const BALL: &str = "<robot name='ball'><link name='base'/>\
    <joint name='j' type='fixed'><origin xyz='1 0 -0.5'/><parent link='base'/><child link='ball'/></joint>\
    <link name='ball'><collision><geometry><sphere radius='0.1'/></geometry></collision></link></robot>";

fn plan(directory: &Path, name: &str, text: &str, no_floor: bool) -> Plan {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    let options = Options {
        descriptions: Descriptions {
            no_floor,
            ..Descriptions::default()
        },
        ..Options::default()
    };
    load(&path, &options, &kinds(&no_extensions)).unwrap_or_else(|report| panic!("{report}"))
}

fn height_of(plan: Plan, name: &str, ticks: u64) -> f64 {
    let mut simulation = Simulation::build(plan, &no_extensions).unwrap();
    simulation.run(ticks).unwrap();
    simulation.body(name).unwrap().pose.translation.z
}

#[test]
fn a_robot_stands_on_a_floor_under_its_lowest_point() {
    let made = tempfile::tempdir().unwrap();
    let standing = plan(made.path(), "ball.urdf", BALL, false);
    let floor = standing.floor.clone().unwrap();
    assert!(
        floor.contacts == Contacts::Stands && (floor.height + 0.6).abs() < 1e-12,
        "{floor:?}"
    );
    let height = height_of(standing, "base", 120);
    assert!(height.abs() < 1e-3, "{height}");
    let falling = plan(made.path(), "ball.urdf", BALL, true);
    assert_eq!(falling.floor, None);
    // Half of g·t² after 1 s.
    let height = height_of(falling, "base", 60);
    assert!((height + 4.905).abs() < 0.1, "{height}");
}

#[test]
fn surroundings_of_a_file_stay_as_they_are() {
    let made = tempfile::tempdir().unwrap();
    let ball = "<body name='b' pos='0 0 1'><freejoint/><geom size='0.1'/></body>";
    let floors = |name: &str, text: &str| plan(made.path(), name, text, false).floor;
    let model = |more: &str| format!("<mujoco><worldbody>{more}{ball}</worldbody></mujoco>");
    let plane = "<geom type='plane' size='1 1 1'/>";
    assert_eq!(floors("floor.xml", &model(plane)), None);
    let floor = floors("none.xml", &model("")).unwrap();
    assert!((floor.height - 0.9).abs() < 1e-12, "{floor:?}");
    let weightless = Options {
        set: vec!["environment.gravity=(0, 0, 0)".to_owned()],
        ..Options::default()
    };
    let path = made.path().join("none.xml");
    let plan = load(&path, &weightless, &kinds(&no_extensions)).unwrap();
    assert_eq!(plan.floor, None);
    let model = "<model name='m'><link name='l'><collision name='c'><geometry><sphere><radius>0.1</radius></sphere>\
                 </geometry></collision></link></model>";
    let alone = floors("model.sdf", &format!("<sdf version='1.9'>{model}</sdf>"));
    assert!(alone.is_some_and(|floor| floor.contacts == Contacts::Stands));
    let world = format!("<sdf version='1.9'><world name='w'>{model}</world></sdf>");
    assert_eq!(floors("world.sdf", &world), None);
    std::fs::write(made.path().join("ball.urdf"), BALL).unwrap();
    let with_file = "Simulation(robots: { \"ball\": (model: \"ball.urdf\") })";
    assert_eq!(floors("own.ron", with_file), None);
}

#[test]
fn the_summary_names_the_floor() {
    let made = tempfile::tempdir().unwrap();
    std::fs::write(made.path().join("ball.urdf"), BALL).unwrap();
    let run = |more: &[&str]| {
        let mut program = Command::cargo_bin("morse-sim").unwrap();
        program.args(["ball.urdf", "--steps", "2"]).args(more);
        let output = program.current_dir(made.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let line = "\nfloor: added at z = -0.600 m, the lowest point of the robot; `--no-floor` leaves it out\n";
    assert!(run(&[]).contains(line), "{}", run(&[]));
    assert!(!run(&["--no-floor"]).contains("floor"));
    let json: serde_json::Value = serde_json::from_str(&run(&["--json"])).unwrap();
    assert_eq!(json["floor"]["collides"], true);
    let ghost = BALL.replace("collision>", "visual>");
    std::fs::write(made.path().join("ball.urdf"), ghost).unwrap();
    let line = ", the lowest point of the robot, through which it falls, since it has no collision geometry; ";
    assert!(run(&[]).contains(line), "{}", run(&[]));
}
