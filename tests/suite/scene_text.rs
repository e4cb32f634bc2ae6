//! Writing and formatting scenes: nothing is lost, both are idempotent, and no input makes the reader panic.
#![cfg(test)]
use std::collections::BTreeSet;
use std::path::Path;

use morse_sim::scene::{
    diagnostic::Failed,
    load::{LoadOptions, Loaded, parse_str},
    model::{
        Class, Frame, Geometry, ImageFile, Joint, JointAxis, Limits, MeshFile, Scene, Shape, Value,
    },
    robray::{format, write},
};
use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;

fn parse(text: &str) -> Result<Loaded, Box<Failed>> {
    let options = LoadOptions {
        skip_mesh_check: true,
        ..LoadOptions::default()
    };
    parse_str(text, "test.robray", Path::new(""), &options)
}

#[test]
fn formatted_files_look_like_this() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/fmt");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_none_or(|extension| extension != "robray")
        {
            continue;
        }
        count += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        let formatted = format(&text, &path).unwrap();
        let golden = path.with_extension("txt");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&golden, &formatted).unwrap();
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(formatted, expected, "{}", path.display());
        assert_eq!(
            format(&formatted, &path).unwrap(),
            formatted,
            "{} again",
            path.display()
        );
    }
    assert!(count > 0);
}

#[test]
fn a_scene_made_by_hand_is_written_like_this() {
    let mut scene = Scene::default();
    let red = Class::new("red").with("color", Value::Numbers(vec![1.0, 0.0, 0.0]));
    scene.add_class(red).unwrap();
    scene.add_class(Class::new("moveable").isa("red")).unwrap();
    let mut geometry = Geometry::new(Shape::Sphere { radius: 0.5 });
    geometry.tags = BTreeSet::from(["red".to_owned(), "moveable".to_owned()]);
    geometry.color = [1.0, 0.0, 0.0];
    geometry.friction = Some(0.6);
    let slider = Joint::Prismatic(JointAxis::new([0.0, 0.0, 1.0], "lift"));
    scene
        .add_frame(Frame::new("base plate").at([0.0, 0.0, 0.1]))
        .unwrap();
    let arm = Frame::new("arm")
        .under("base plate")
        .turned([0.0, 0.0, 1.5]);
    scene.add_frame(arm.joined(slider).with(geometry)).unwrap();
    scene.allow_collision("base plate", "arm");
    let text = write(&scene).unwrap();
    assert_eq!(
        text,
        r#"class red {
  color [1, 0, 0];
}
class moveable {
  isa red;
}
frame "base plate" {
  translation [0, 0, 0.1];
}
frame arm {
  parent "base plate";
  quaternion [0, 0, 0.6816387600233341, 0.7316888688738209];
  type prismatic;
  axis [0, 0, 1];
  variable lift;
  geometry {
    isa moveable;
    shape sphere;
    radius 0.5;
    friction 0.6;
  }
}
allow_collision "arm" "base plate";
"#
    );
    assert_eq!(parse(&text).unwrap().scene, scene);
    assert_eq!(format(&text, Path::new("written")).unwrap(), text);
}

#[test]
fn a_mounted_scene_keeps_its_shape() {
    let text = "frame base { translation [1, 0, 0]; frame arm { type revolute; axis [0, 0, 1]; } }
        frame loose { parent nowhere; } allow_collision base arm;";
    let robot = parse(text).unwrap().scene;
    let mut world = Scene::default();
    world
        .add_frame(Frame::new("table").at([0.0, 0.0, 1.0]))
        .unwrap();
    let pose = Isometry3::translation(0.0, 5.0, 0.0);
    world.mount(&robot, "left", Some("table"), pose).unwrap();
    world.mount(&robot, "right", None, pose).unwrap();
    assert!(world.mount(&robot, "left", None, pose).is_err());
    let names: Vec<&str> = world
        .parents_first()
        .iter()
        .map(|frame| frame.name.as_str())
        .collect();
    let expected = [
        "table",
        "left.base",
        "left.arm",
        "left.loose",
        "right.base",
        "right.arm",
        "right.loose",
    ];
    assert_eq!(names, expected);
    assert_eq!(world.variables(), BTreeSet::from(["left.arm", "right.arm"]));
    let frame_index = world.frame_index("left.arm").unwrap();
    let translation = world.absolute_poses(|_| 0.0)[frame_index]
        .translation
        .vector;
    assert_eq!(translation, Vector3::new(1.0, 5.0, 1.0));
    assert_eq!(
        world.frame("left.loose").unwrap().parent.as_deref(),
        Some("table")
    );
    let pair = ("left.arm".to_owned(), "left.base".to_owned());
    assert!(world.allowed_collisions().contains(&pair));
}

#[test]
fn frames_come_after_their_parents_in_order_of_name() {
    let text = "frame b { parent c; } frame a { parent b; } frame c { } frame d { parent a; }";
    let scene = parse(text).unwrap().scene;
    let names: Vec<&str> = scene
        .parents_first()
        .iter()
        .map(|frame| frame.name.as_str())
        .collect();
    assert_eq!(names, ["c", "b", "a", "d"]);
}

#[test]
fn axes_of_any_length_turn_alike() {
    for length in [1e-320, 1e-200, 1.0, 1e200] {
        let text = format!(
            "frame a {{ type revolute; axis [0, 0, {length:e}]; frame b {{ translation [1, 0, 0]; }} }}"
        );
        let poses = parse(&text)
            .unwrap()
            .scene
            .absolute_poses(|_| std::f64::consts::FRAC_PI_2);
        assert!(
            (poses[1].translation.vector - Vector3::y()).norm() < 1e-12,
            "{length:e}"
        );
    }
}

#[test]
fn what_cannot_be_written_is_refused() {
    let mut scene = Scene::default();
    assert!(scene.add_frame(Frame::new("a\"b")).is_err());
    assert!(scene.add_frame(Frame::new("")).is_err());
    assert!(scene.add_frame(Frame::new("a").under("a")).is_err());
    assert!(
        scene
            .add_frame(Frame::new("a").at([f64::NAN, 0.0, 0.0]))
            .is_err()
    );
    let still = Joint::Revolute(JointAxis::new([0.0; 3], "q"));
    assert!(scene.add_frame(Frame::new("a").joined(still)).is_err());
    scene.add_frame(Frame::new("a").under("b")).unwrap();
    scene.add_frame(Frame::new("b").under("a")).unwrap();
    assert!(write(&scene).is_err());
    assert_eq!(scene.cycle(), Some(vec!["a", "b"]));
    assert_eq!(scene.absolute_poses(|_| 0.0).len(), 2);
}

/// Generates names with and without a need for quotes.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-d][a-z0-9_-]{0,3}",
        Just("frame".to_owned()),
        Just("pi".to_owned()),
        "[^\"\0]{1,6}",
    ]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -10.0..10.0_f64,
        Just(0.0),
        Just(-0.0),
        Just(1.0),
        prop::num::f64::NORMAL,
        prop::num::f64::SUBNORMAL,
    ]
}

fn positive() -> impl Strategy<Value = Option<f64>> {
    prop::option::of(number().prop_map(f64::abs))
}

fn triple() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(number())
}

// Boxed, since unoptimised strategies need a large stack.
fn shape() -> BoxedStrategy<Shape> {
    let pair = || prop::array::uniform2(number());
    prop_oneof![
        triple().prop_map(|dimension| Shape::Box { dimension }),
        number().prop_map(|radius| Shape::Sphere { radius }),
        pair().prop_map(|[radius, height]| Shape::Cylinder { radius, height }),
        pair().prop_map(|[radius, height]| Shape::Capsule { radius, height }),
        triple().prop_map(|[start_radius, end_radius, height]| Shape::Cone {
            start_radius,
            end_radius,
            height
        }),
        (pair(), pair(), number()).prop_map(|(dimension, delta, thickness)| Shape::Grid {
            dimension,
            delta,
            thickness
        }),
        name().prop_map(|file| Shape::Mesh(MeshFile::new(file, Path::new("")))),
    ]
    .boxed()
}

fn geometry() -> BoxedStrategy<Geometry> {
    let tags = prop::collection::btree_set(name(), 0..3);
    let looks = (triple(), number(), triple(), number());
    let flags = prop::array::uniform3(any::<bool>());
    let material = (positive(), positive(), positive());
    let above_zero = || prop::option::of(0.001..100.0_f64);
    let painted = (
        above_zero(),
        above_zero(),
        prop::option::of(triple()),
        prop::option::of("[a-z]{1,8}\\.png"),
        prop::option::of(1.0..1024.0),
    );
    (shape(), tags, looks, flags, material, painted)
        .prop_map(
            |(shape, tags, (color, alpha, specular, scale), flags, material, painted)| Geometry {
                tags,
                color,
                alpha,
                specular,
                scale,
                visual: flags[0],
                collision: flags[1],
                no_shadow: flags[2],
                friction: material.0,
                restitution: material.1,
                density: material.2,
                shininess: painted.0,
                pattern_size: painted.1,
                checker: painted.2,
                convex_parts: painted.4,
                image: painted.3.map(|file| ImageFile {
                    resolved: Some(file.clone().into()),
                    file,
                }),
                ..Geometry::new(shape)
            },
        )
        .boxed()
}

fn joint() -> BoxedStrategy<Joint> {
    let range = prop::option::of((number(), number()));
    let range = range.prop_map(|range| range.map(|(one, other)| [one.min(other), one.max(other)]));
    let limits = (range, positive(), positive()).prop_map(|(position, velocity, effort)| Limits {
        position,
        velocity,
        effort,
    });
    let turns = || prop::option::of(1e-3..1e3);
    let motor = (positive(), positive(), turns(), turns());
    let axis = (triple(), name(), number(), limits, positive(), motor).prop_map(
        |(axis, variable, offset, limits, damping, (dry_friction, armature, gear, ratio))| {
            JointAxis {
                offset,
                limits,
                damping,
                dry_friction,
                armature,
                gear,
                ratio,
                ..JointAxis::new(axis, variable)
            }
        },
    );
    (0..4, axis)
        .prop_map(|(kind, axis)| match kind {
            0 => Joint::Fixed,
            1 if axis.axis.amax() > 0.0 => Joint::Revolute(axis),
            2 => Joint::Prismatic(axis),
            _ => Joint::Floating,
        })
        .boxed()
}

fn frame() -> BoxedStrategy<Frame> {
    let inertia = prop::option::of((triple(), triple()));
    let inertia = inertia.prop_map(|entries| {
        entries.map(|([a, b, c], [d, e, f])| [a.abs(), b.abs(), c.abs(), d, e, f])
    });
    let pose = (
        prop::option::of(name()),
        triple(),
        prop::array::uniform3(-4.0..4.0_f64),
    );
    let mass = (positive(), prop::option::of(triple()), inertia);
    let geometry = prop::collection::vec(geometry(), 0..3);
    (name(), pose, joint(), mass, geometry)
        .prop_map(
            |(name, (parent, translation, turn), joint, (mass, center, inertia), geometry)| Frame {
                parent,
                mass,
                center_of_mass: center.map(Vector3::from),
                inertia,
                geometry,
                ..Frame::new(name).at(translation).turned(turn).joined(joint)
            },
        )
        .boxed()
}

fn class() -> BoxedStrategy<Class> {
    let isa = prop::collection::vec(name(), 0..3);
    let colors = (prop::option::of(triple()), prop::option::of(triple()));
    let size = prop::option::of(0.001..100.0_f64);
    (
        name(),
        isa,
        colors,
        (positive(), size),
        prop::option::of(shape()),
    )
        .prop_map(|(name, isa, (color, checker), (friction, size), shape)| {
            let mut class = Class::new(name);
            class.isa = isa;
            let color = color.map(|color| Value::Numbers(color.into()));
            let shape = shape.map(|shape| Value::Name(shape.word().into()));
            let friction = friction.map(Value::Number);
            let attributes = [
                ("color", color),
                ("checker", checker.map(|color| Value::Numbers(color.into()))),
                ("pattern_size", size.map(Value::Number)),
                ("friction", friction),
                ("shape", shape),
            ];
            for (name, value) in attributes {
                class
                    .attributes
                    .extend(value.map(|value| (name.to_owned(), value)));
            }
            class
        })
        .boxed()
}

prop_compose! {
    fn scene()(
        classes in prop::collection::vec(class(), 0..5),
        frames in prop::collection::vec(frame(), 0..6),
        pairs in prop::collection::vec((name(), name()), 0..3),
    ) -> Scene {
        let mut scene = Scene::default();
        // Refused elements (a duplicate name, for example) are left out.
        for class in classes {
            drop(scene.add_class(class));
        }
        for frame in frames {
            drop(scene.add_frame(frame));
        }
        for (one, other) in pairs {
            scene.allow_collision(one, other);
        }
        scene
    }
}

/// Generates tokens that form almost valid texts.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "frame a",
        "frame \"b c\"",
        "geometry",
        "class k",
        "{",
        "}",
        "{}",
        "translation",
        "[1, 2, 3]",
        "[",
        "]",
        "(",
        ")",
        ",",
        ";",
        "isa k;",
        "shape box;",
        "radius -1;",
        "type revolute;",
        "axis [0, 0, 1];",
        "def x",
        "x",
        "b-1",
        "1",
        "2.5e-3",
        "-",
        "*",
        "/",
        "**",
        "+",
        "pi",
        "deg",
        "\"",
        "# note\n",
        "/* note */",
        "/*",
        "\n",
        "\n\n\n",
        "allow_collision a b;",
        "include \"x\"",
        "parent a;",
        "é",
        "\u{1b}",
        "rpy [x, pi/2, -x];",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn writing_loses_nothing(scene in scene()) {
        if let Ok(text) = write(&scene) {
            let again = parse(&text);
            prop_assert!(again.is_ok(), "{}\n{}", again.unwrap_err(), text);
            prop_assert_eq!(&again.unwrap().scene, &scene, "{}", text);
            let formatted = format(&text, Path::new("written")).unwrap();
            prop_assert_eq!(&parse(&formatted).unwrap().scene, &scene);
        }
    }

    #[test]
    fn formatting_twice_changes_nothing(text in pieces()) {
        if let Ok(once) = format(&text, Path::new("text")) {
            prop_assert_eq!(comments(&once), comments(&text));
            prop_assert_eq!(words(&once), words(&text));
            let twice = format(&once, Path::new("text")).unwrap();
            prop_assert_eq!(twice, once);
        }
    }

    #[test]
    fn nothing_brings_the_reader_down(text in prop_oneof![pieces(), any::<String>(), "[ -~\n]{0,80}"]) {
        if let Err(failed) = parse(&text) {
            prop_assert!(!failed.diagnostics.is_empty());
            let shown = failed.to_string();
            prop_assert!(!shown.contains(|letter: char| letter.is_control() && letter != '\n'));
        }
    }
}

/// Returns all characters except white space.
fn words(text: &str) -> String {
    text.split_whitespace().collect()
}

fn comments(text: &str) -> usize {
    text.matches("note").count()
}
