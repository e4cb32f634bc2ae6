//! Error-prone rules of the scene language, one small scene each.
#![cfg(test)]
use std::path::Path;

use morse_sim::scene::{
    load::{LoadOptions, parse_str},
    model::{Joint, Scene, Shape},
};
use nalgebra::Vector3;

fn read(text: &str) -> Result<Scene, String> {
    let options = LoadOptions {
        skip_mesh_check: true,
        ..LoadOptions::default()
    };
    match parse_str(text, "rule", Path::new(""), &options) {
        Ok(loaded) => Ok(loaded.scene),
        Err(failed) => Err(failed.to_string()),
    }
}

/// Checks the position of the frame `probe` in the root frame, all variables at `value`.
fn check_at(text: &str, value: f64, expected: [f64; 3]) {
    let scene = read(text).unwrap();
    let index = scene.frame_index("probe").unwrap();
    let position = scene.absolute_poses(|_| value)[index].translation.vector;
    let difference = position - Vector3::from(expected);
    assert!(
        difference.norm() < 1e-7,
        "{text}\nfound {position}, expected {expected:?}"
    );
}

fn check(text: &str, expected: [f64; 3]) {
    check_at(text, 0.0, expected);
}

fn refused(text: &str) {
    assert!(read(text).is_err(), "accepted: {text}");
}

#[test]
fn definitions_are_sequential() {
    check(
        "def x 1; def y x+1; def x 10; frame probe { translation [x,y,0]; }",
        [10.0, 2.0, 0.0],
    );
    check(
        "def t table; def u t; frame table { translation [1,0,0]; } frame probe { parent u; }",
        [1.0, 0.0, 0.0],
    );
    check(
        "def base table; frame table { translation [2,0,0]; } frame probe { parent \"base\"; }",
        [2.0, 0.0, 0.0],
    );
    refused("def e \"x\"; frame a {}");
    refused("frame a { translation [x,0,0]; } def x 1;");
}

#[test]
fn expressions_are_ordinary_arithmetic() {
    for (text, expected) in [
        ("-2**2", 4.0),
        ("2**3**2", 512.0),
        ("2**-1", 0.5),
        ("24/4/2", 3.0),
        ("10-4-3", 3.0),
        ("2*(-b)", -10.0),
        ("b -1", 4.0),
        ("-b**2", 25.0),
        ("0**0", 1.0),
        ("pi-b", std::f64::consts::PI - 5.0),
        ("1e+2", 100.0),
        ("2 - -3", 5.0),
        ("(((b)))", 5.0),
        ("180*deg/π", 1.0),
    ] {
        check(
            &format!("def b 5; frame probe {{ translation [{text},0,0]; }}"),
            [expected, 0.0, 0.0],
        );
        check(
            &format!("def b 5; def x {text}; frame probe {{ translation [x,0,0]; }}"),
            [expected, 0.0, 0.0],
        );
        let scene = read(&format!(
            "def b 5; frame a {{ geometry {{ shape sphere; radius {text}; }} }}"
        ));
        let Shape::Sphere { radius } = scene.unwrap().frames()[0].geometry[0].shape else {
            panic!("not a sphere");
        };
        assert!((radius - expected).abs() < 1e-9, "{text}");
    }
    for text in [
        "b-1", "b- 1", "+3", "2 3", "()", "(1", "1)", "1/0", "b%2", "[1]", "sqrt(2)", "\"b\"+1",
    ] {
        refused(&format!("def b 5; frame a {{ translation [{text},0,0]; }}"));
    }
}

#[test]
fn frames_take_the_first_class_and_geometry_the_last() {
    let classes = "class k { translation [1,0,0]; color [1,0,0]; } class m { translation [2,0,0]; color [0,1,0]; }";
    check(
        &format!("{classes} frame probe {{ isa k; isa m; }}"),
        [1.0, 0.0, 0.0],
    );
    check(
        &format!("{classes} frame probe {{ isa k; translation [3,0,0]; }}"),
        [3.0, 0.0, 0.0],
    );
    let text = format!("{classes} frame a {{ geometry {{ isa k; isa m; shape box; }} }}");
    assert_eq!(
        read(&text).unwrap().frames()[0].geometry[0].color,
        [0.0, 1.0, 0.0]
    );
    let diamond = "class r { color [1,0,0]; } class k { isa r; alpha .5; }
        class m { isa r; alpha .25; color [0,1,0]; }
        frame a { geometry { isa m; isa k; shape box; } }";
    let scene = read(diamond).unwrap();
    let geometry = &scene.frames()[0].geometry[0];
    assert_eq!((geometry.color, geometry.alpha), ([1.0, 0.0, 0.0], 0.5));
    assert_eq!(geometry.tags.iter().collect::<Vec<_>>(), ["k", "m", "r"]);
}

#[test]
fn classes_are_evaluated_where_they_are_written() {
    check(
        "def c 1; class k { translation [c,0,0]; } def c 2; frame probe { isa k; }",
        [1.0, 0.0, 0.0],
    );
    check(
        "def kk k; class k { translation [1,0,0]; } frame probe { isa kk; }",
        [1.0, 0.0, 0.0],
    );
    check(
        "class k { isa k; translation [1,0,0]; } frame probe { isa k; }",
        [1.0, 0.0, 0.0],
    );
    check(
        "frame probe { isa k; } class k { translation [1,0,0]; }",
        [0.0; 3],
    );
    refused("class k {} class k {}");
    check("class k {} frame k {} frame probe { parent k; }", [0.0; 3]);
}

#[test]
fn a_class_may_move_things() {
    let text = "class k { parent other; } frame other { translation [5,0,0]; } frame a { frame probe { isa k; } }";
    check(text, [5.0, 0.0, 0.0]);
    let text = "class k { parent other; } frame a { geometry { isa k; shape sphere; radius 1; } } frame other {}";
    let scene = read(text).unwrap();
    assert_eq!(scene.frame("other").unwrap().geometry.len(), 1);
    assert!(scene.frame("a").unwrap().geometry.is_empty());
}

#[test]
fn the_first_of_two_frames_counts() {
    let text = "frame probe { translation [1,0,0]; geometry { shape sphere; radius 1; } }
        frame probe { translation [2,0,0]; geometry { shape sphere; radius 2; } frame inner {} }";
    check(text, [1.0, 0.0, 0.0]);
    let scene = read(text).unwrap();
    assert_eq!(scene.frame("probe").unwrap().geometry.len(), 2);
    assert_eq!(
        scene.frame("inner").unwrap().parent.as_deref(),
        Some("probe")
    );
}

#[test]
fn rotations_come_before_translations_and_quaternions_before_rpy() {
    check(
        "frame a { translation [1,0,0]; rpy [0,0,pi/2]; frame probe { translation [1,0,0]; } }",
        [1.0, 1.0, 0.0],
    );
    check(
        "frame a { quaternion [1,0,0,0]; frame probe { translation [0,1,0]; } }",
        [0.0, -1.0, 0.0],
    );
    check(
        "frame a { quaternion [0,0,2,2]; frame probe { translation [1,0,0]; } }",
        [0.0, 1.0, 0.0],
    );
    check(
        "frame a { rpy [pi/2,pi/3,pi/6]; frame probe { translation [1,2,3]; } }",
        [3.4330127, -1.4820508, 0.1339746],
    );
    check(
        "class k { quaternion [0,0,0,1]; } frame a { isa k; rpy [0,0,pi]; frame probe { translation [1,0,0]; } }",
        [1.0, 0.0, 0.0],
    );
    refused("frame a { quaternion [0,0,0,0]; }");
}

#[test]
fn joints_move() {
    let diagonal = "frame a { type revolute; axis [1,1,1]; frame probe { translation [1,0,0]; } }";
    check_at(diagonal, 0.1, [0.9966694, 0.0593041, -0.0559736]);
    check_at(
        "frame probe { type prismatic; axis [2,0,0]; }",
        0.1,
        [0.2, 0.0, 0.0],
    );
    let turned =
        "frame probe { type prismatic; axis [1,0,0]; rpy [0,0,pi/2]; translation [0,0,1]; }";
    check_at(turned, 0.1, [0.0, 0.1, 1.0]);
    let offset = "frame a { type revolute; axis [0,0,1]; offset pi/2; frame probe { translation [1,0,0]; } }";
    check(offset, [0.0, 1.0, 0.0]);
    check_at(
        "frame probe { type prismatic; axis [0,0,0]; }",
        1.0,
        [0.0; 3],
    );
    check_at(
        "frame probe { axis [1,0,0]; offset 3; variable q; }",
        1.0,
        [0.0; 3],
    );
    refused("frame a { type revolute; axis [0,0,0]; }");
    refused("frame a { type revolute; }");
    refused("frame a { type Revolute; axis [0,0,1]; }");
}

#[test]
fn extensions_are_kept() {
    let text = "class k { limit_velocity 2; density 500; mass 3; }
        frame a { isa k; type revolute; axis [0,0,1]; limit_position [-1,1]; limit_effort 4; damping 0.1;
          dry_friction 0.2; armature 3e-5; gear 100; ratio 2;
          center_of_mass [0,0,1]; inertia [1,2,3,0,0,0];
          geometry { isa k; shape capsule; radius 1; height 2; friction 0.5; restitution 0.1; } }
        frame b { type floating; }";
    let scene = read(text).unwrap();
    let frame = scene.frame("a").unwrap();
    let Joint::Revolute(joint) = &frame.joint else {
        panic!("not revolute");
    };
    assert_eq!(joint.limits.position, Some([-1.0, 1.0]));
    assert_eq!(
        (joint.limits.velocity, joint.limits.effort),
        (Some(2.0), Some(4.0))
    );
    assert_eq!((joint.damping, frame.mass), (Some(0.1), Some(3.0)));
    let rotor = (joint.armature, joint.gear);
    assert_eq!(
        (joint.dry_friction, rotor),
        (Some(0.2), (Some(3e-5), Some(100.0)))
    );
    assert_eq!(joint.ratio, Some(2.0));
    assert_eq!(frame.inertia, Some([1.0, 2.0, 3.0, 0.0, 0.0, 0.0]));
    let geometry = &frame.geometry[0];
    assert_eq!(
        geometry.shape,
        Shape::Capsule {
            radius: 1.0,
            height: 2.0
        }
    );
    let material = (geometry.friction, geometry.restitution, geometry.density);
    assert_eq!(material, (Some(0.5), Some(0.1), Some(500.0)));
    assert_eq!(scene.frame("b").unwrap().joint, Joint::Floating);
    assert_eq!(scene.frame("b").unwrap().mass, None);
}
