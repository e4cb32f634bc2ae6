//! Concave meshes on bodies that move: contacts of their convex parts.
#![cfg(test)]

use morse_sim::{
    Simulation,
    simulation::{
        load::{Descriptions, Options},
        no_extensions,
    },
};

use crate::golden_messages::in_project;

/// A bowl on the floor, and a ball that falls into it.
fn scene(attribute: &str) -> String {
    let mesh = in_project("tests/data/bowl.obj");
    format!(
        "frame floor {{ translation [0, 0, -0.5]; geometry {{ shape box; dimension [4, 4, 1]; }} }}\n\
         frame bowl {{ mass 1; geometry {{ shape mesh; mesh \"{}\"; {attribute} }} }}\n\
         frame ball {{ mass 0.1; translation [0.03, 0.01, 0.3]; geometry {{ shape sphere; radius 0.03; }} }}\n",
        mesh.display()
    )
}

fn run(scene: &str, robot: &str) -> Simulation {
    let made = tempfile::tempdir().unwrap();
    std::fs::write(made.path().join("scene.robray"), scene).unwrap();
    let text = format!("Simulation(scene: \"scene.robray\", bodies: {{ \"ball\": () {robot} }})");
    let options = Options {
        allow_paths: vec![in_project("tests/data")],
        ..Options::default()
    };
    let path = made.path().join("run.ron");
    std::fs::write(&path, text).unwrap();
    let mut simulation = Simulation::load_with(&path, &options, &no_extensions).unwrap();
    simulation.run(180).unwrap();
    simulation
}

fn height(simulation: &Simulation, body: &str) -> f64 {
    simulation.body(body).unwrap().pose.translation.z
}

#[test]
fn a_divided_bowl_holds_a_ball() {
    let simulation = run(&scene("convex_parts 32;"), ", \"bowl\": ()");
    // On the bottom, whose thickness is 0.02 m.
    let own = height(&simulation, "ball");
    assert!((own - 0.05).abs() < 2e-3, "{own}");
    assert!(height(&simulation, "bowl").abs() < 2e-3);
    // The hull of the bowl has a lid.
    let simulation = run(&scene(""), ", \"bowl\": ()");
    assert!(height(&simulation, "ball") < 0.04 || height(&simulation, "ball") > 0.2);
}

#[test]
fn a_divided_bowl_on_an_arm_holds_a_ball() {
    let joint = "type revolute; axis [0, 1, 0]; variable \"q\"; ";
    let scene =
        scene("convex_parts 32;").replace("frame bowl {", &format!("frame bowl {{ {joint}"));
    let simulation = run(&scene, "}, joints: { \"q\": (target: 0.0)");
    let own = height(&simulation, "ball");
    assert!((own - 0.05).abs() < 3e-3, "{own}");
}

#[test]
fn descriptions_are_divided_by_an_option() {
    let made = tempfile::tempdir().unwrap();
    std::fs::copy(
        in_project("tests/data/bowl.obj"),
        made.path().join("bowl.obj"),
    )
    .unwrap();
    let path = made.path().join("bowl.urdf");
    let text = "<robot name='r'><link name='bowl'><inertial><mass value='1'/><inertia ixx='0.01' iyy='0.01' izz='0.01'/></inertial>\
        <collision><geometry><mesh filename='bowl.obj'/></geometry></collision></link>\
        <joint name='j' type='floating'><origin xyz='0.02 0 0.3'/><parent link='bowl'/><child link='ball'/></joint>\
        <link name='ball'><inertial><mass value='0.1'/><inertia ixx='1e-4' iyy='1e-4' izz='1e-4'/></inertial>\
        <collision><geometry><sphere radius='0.03'/></geometry></collision></link></robot>";
    std::fs::write(&path, text).unwrap();
    let limit = |convex_parts: Option<u32>| {
        let options = Options {
            descriptions: Descriptions {
                convex_parts,
                ..Descriptions::default()
            },
            ..Options::default()
        };
        let kinds = morse_sim::simulation::kinds(&no_extensions);
        let plan = morse_sim::simulation::load::load(&path, &options, &kinds).unwrap();
        plan.assembly.scene.frame("bowl").unwrap().geometry[0].convex_parts
    };
    assert_eq!((limit(None), limit(Some(32))), (None, Some(32.0)));
}
