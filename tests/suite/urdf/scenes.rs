//! Scenes of descriptions: frames, joints, shapes, materials, and scenes that include them.
use std::{collections::BTreeMap, path::Path};

use morse_sim::{
    Simulation,
    scene::{
        load::{LoadOptions, load, parse_str},
        model::{Joint, Scene, Shape, stretched},
        packages::Packages,
        urdf::{self, Root},
    },
};
use nalgebra::{UnitQuaternion, Vector3};

use super::{data, fine, read};
use crate::golden_messages::in_project;

fn axis(scene: &Scene, frame: &str) -> morse_sim::scene::model::JointAxis {
    scene.frame(frame).unwrap().joint.axis().unwrap().clone()
}

#[test]
fn every_link_is_a_frame_and_every_joint_that_moves_a_variable() {
    let scene = fine("arm.urdf");
    let links = [
        "world",
        "base_link",
        "upper_arm",
        "fore_arm",
        "hand",
        "camera",
    ];
    for link in links {
        assert!(scene.frame(link).is_some(), "{link}");
    }
    let variables: Vec<&str> = scene.variables().into_iter().collect();
    assert_eq!(variables, ["shoulder", "slide", "wrist"]);
    assert_eq!(
        scene.frame("camera").unwrap().parent.as_deref(),
        Some("hand")
    );
    let shoulder = axis(&scene, "upper_arm");
    assert_eq!(shoulder.limits.position, Some([-2.0, 2.0]));
    assert_eq!(shoulder.limits.effort, Some(120.0));
    assert_eq!(
        (shoulder.damping, shoulder.dry_friction),
        (Some(0.5), Some(0.1))
    );
    assert_eq!(axis(&scene, "hand").limits.position, None);
    assert!(matches!(
        scene.frame("fore_arm").unwrap().joint,
        Joint::Prismatic(_)
    ));
}

#[test]
fn shapes_stand_where_their_origins_are() {
    let scene = fine("arm.urdf");
    let visual = scene.frame("upper_arm-visual").unwrap();
    // Our cylinders begin at their origin, the description's are centred there: 0.25 m - 0.4 m / 2.
    assert!((visual.pose.translation.z - 0.05).abs() < 1e-12);
    let [shape] = visual.geometry.as_slice() else {
        panic!("one shape");
    };
    assert_eq!(
        shape.shape,
        Shape::Cylinder {
            radius: 0.04,
            height: 0.4
        }
    );
    assert_eq!((shape.color, shape.alpha), ([0.8, 0.2, 0.1], 0.5));
    assert!(shape.visual && !shape.collision);
    let base = &scene.frame("base_link").unwrap().geometry;
    assert_eq!(base.len(), 2, "they need no frames of their own");
    assert_eq!(base[0].color, [0.5, 0.55, 0.6], "of the robot's material");
    let second = scene.frame("upper_arm-collision-2").unwrap();
    assert_eq!(second.mass, Some(0.0), "the link has its mass");
    let capsule = &scene.frame("fore_arm-visual").unwrap();
    assert!((capsule.pose.translation.z + 0.1).abs() < 1e-12);
}

#[test]
fn links_of_a_robot_do_not_touch_each_other() {
    let scene = fine("rover.urdf");
    let pair = (
        "left_wheel-collision".to_owned(),
        "right_wheel-collision".to_owned(),
    );
    assert!(scene.allowed_collisions().contains(&pair));
    assert_eq!(scene.allowed_collisions().len(), 6);
    let caster = &scene.frame("caster-collision").unwrap().geometry[0];
    assert_eq!(caster.friction, Some(0.0));
    assert!(!caster.visual, "other links have looks");
}

#[test]
fn a_robot_is_free_unless_its_root_is_the_world() {
    assert_eq!(
        fine("rover.urdf").frame("base_footprint").unwrap().joint,
        Joint::Floating
    );
    assert_eq!(fine("arm.urdf").frame("world").unwrap().joint, Joint::Fixed);
    let options = LoadOptions {
        urdf: urdf::Options {
            root: Root::Fixed,
            ..urdf::Options::default()
        },
        ..LoadOptions::default()
    };
    let scene = load(&data().join("rover.urdf"), &options).unwrap().scene;
    assert_eq!(scene.frame("base_footprint").unwrap().joint, Joint::Fixed);
}

#[test]
fn planes_are_two_slides_and_a_turn() {
    let scene = fine("table.urdf");
    let variables: Vec<&str> = scene.variables().into_iter().collect();
    assert_eq!(variables, ["stage.x", "stage.y", "stage.yaw"]);
    let values = [("stage.x", 0.5), ("stage.y", -0.25), ("stage.yaw", 0.3)];
    let values = values.map(|(name, value)| (name.to_owned(), value)).into();
    let pose = scene.absolute_poses_at(&values)["table"];
    assert!((pose.translation.vector - Vector3::new(1.5, 1.75, 3.0)).norm() < 1e-12);
    assert!((pose.rotation.angle() - 0.3).abs() < 1e-12);
    assert_eq!(scene.frame("ball").unwrap().joint, Joint::Floating);
}

#[test]
fn scenes_include_descriptions_and_know_joints_as_frames() {
    let include = |text: &str, packages: Packages| {
        let options = LoadOptions {
            urdf: urdf::Options {
                packages,
                ..urdf::Options::default()
            },
            ..LoadOptions::default()
        };
        parse_str(text, "scene", &data(), &options)
    };
    let text = "include \"arm.urdf\"\nframe tool { parent camera_mount; translation [0, 0, 0.1]; }";
    let loaded = include(text, Packages::default()).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let poses = loaded.scene.absolute_poses(|_| 0.0);
    let pose = |name: &str| poses[loaded.scene.frame_index(name).unwrap()];
    assert_eq!(pose("camera_mount"), pose("camera"));
    let text = "include \"package://robots/rover.urdf\"";
    let named = Packages {
        named: vec![("robots".into(), data())],
        ..Packages::default()
    };
    let rover = include(text, named).unwrap().scene;
    assert_eq!(
        rover.frame("base_footprint").unwrap().joint,
        Joint::Fixed,
        "as all frames of scenes"
    );
    let failed = include(text, Packages::default()).unwrap_err().to_string();
    assert!(failed.contains("--package robots=DIRECTORY"), "{failed}");
    let twice = include(
        "include \"arm.urdf\"\ninclude \"arm.urdf\"",
        Packages::default(),
    );
    let failed = twice.unwrap_err().to_string();
    assert!(failed.contains("robray::duplicate-frame"), "{failed}");
    let text = "include \"/etc/passwd.urdf\"";
    assert!(include(text, Packages::default()).is_err());
}

#[test]
fn meshes_are_found_scaled_and_mirrored() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("arm/urdf")).unwrap();
    std::fs::create_dir_all(root.join("arm/meshes")).unwrap();
    std::fs::write(
        root.join("arm/package.xml"),
        "<package><name>arm</name></package>",
    )
    .unwrap();
    std::fs::write(root.join("arm/meshes/a.stl"), "solid a").unwrap();
    let mesh = |scale: &str| {
        format!(
            "<visual><geometry><mesh filename='package://arm/meshes/a.stl' {scale}/></geometry></visual>"
        )
    };
    let text = format!(
        "<robot name='r'><link name='a'>{}{}{}</link></robot>",
        mesh(""),
        mesh("scale='0.001 0.001 0.001'"),
        mesh("scale='1 -1 1'")
    );
    let path = root.join("arm/urdf/r.urdf");
    std::fs::write(&path, text).unwrap();
    let loaded = read(&path, &LoadOptions::default()).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let geometry = &loaded.scene.frame("a").unwrap().geometry;
    let meshes = geometry.iter().map(|geometry| match &geometry.shape {
        Shape::Mesh(mesh) => (stretched(&mesh.resolved), geometry.scale),
        _ => panic!("a mesh"),
    });
    let file: &Path = &root.join("arm/meshes/a.stl");
    let expected = [
        ((file, None), 1.0),
        ((file, None), 0.001),
        ((file, Some([1.0, -1.0, 1.0])), 1.0),
    ];
    assert!(meshes.eq(expected));
    assert_eq!(loaded.assets.len(), 1, "each file once");
    assert_eq!(loaded.assets[0].path.as_deref(), Some(file));
}

/// Other programs read files with mistakes that have one remedy.
#[test]
fn mistakes_with_one_remedy_are_repaired() {
    let path = in_project("tests/golden/urdf/repaired.urdf");
    let loaded = read(&path, &LoadOptions::default()).unwrap_or_else(|failed| panic!("{failed}"));
    let scene = loaded.scene;
    let variables: Vec<&str> = scene.variables().iter().copied().collect();
    assert_eq!(variables, ["shoulder.x", "shoulder.y", "shoulder.z"]);
    let at = |angles: [f64; 3]| {
        let names = variables.iter().map(|name| (*name).to_owned());
        let values: BTreeMap<String, f64> = names.zip(angles).collect();
        scene.absolute_poses_at(&values)
    };
    let shoulder = Vector3::new(0.1, -0.2, 1.0);
    let imu = Vector3::new(0.19, 0.0, 0.149);
    let turn = [0.3, -0.4, 0.5];
    let axes = [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()];
    let rotation = axes
        .iter()
        .zip(turn)
        .fold(UnitQuaternion::identity(), |all, (axis, angle)| {
            all * UnitQuaternion::from_axis_angle(axis, angle)
        });
    let position = at(turn)["imu"].translation.vector;
    assert!(
        (position - (shoulder + rotation * imu)).norm() < 1e-12,
        "{position}"
    );
    // The upper side of the plane is at 0.
    let Shape::Box { dimension } = &scene.frame("world-collision").unwrap().geometry[0].shape
    else {
        panic!("a plane is a box");
    };
    let middle = scene.frame("world-collision").unwrap().pose.translation.z;
    assert!((middle + dimension[2] / 2.0).abs() < 1e-12);
}

#[test]
fn inertia_without_mass_is_added_to_its_body() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("foot.urdf");
    let moments = "<inertia ixx='0.1' iyy='0.2' izz='0.25'/>";
    let text = format!(
        "<robot name='r'><link name='leg'><inertial><mass value='2'/>{moments}</inertial></link>\
         <link name='foot'><inertial><mass value='0'/>{moments}</inertial></link>\
         <joint name='j' type='fixed'><origin xyz='0 0 5'/><parent link='leg'/><child link='foot'/></joint></robot>"
    );
    std::fs::write(&path, text).unwrap();
    let loaded = read(&path, &LoadOptions::default()).unwrap();
    let foot = loaded.scene.frame("foot").unwrap();
    assert_eq!(foot.mass, Some(0.0));
    assert_eq!(foot.inertia, Some([0.1, 0.2, 0.25, 0.0, 0.0, 0.0]));
    let said: Vec<String> = loaded
        .warnings
        .iter()
        .map(|one| format!("{one:?}"))
        .collect();
    let expected = "it has no mass; its inertia is added to that of its body";
    assert!(
        matches!(&said[..], [one] if one.contains(expected)),
        "{said:?}"
    );
}

#[test]
fn meshes_in_millimetres_are_reported() {
    let made = tempfile::tempdir().unwrap();
    let mesh = "v 0 0 0\nv 250 0 0\nv 0 90 0\nv 0 0 80\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(made.path().join("part.obj"), mesh).unwrap();
    let path = made.path().join("part.urdf");
    for (scale, count) in [
        ("1 1 1", 1),
        ("0.001 0.001 0.001", 0),
        ("1e-6 1e-6 1e-6", 1),
    ] {
        let text = format!(
            "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\
             <collision><geometry><mesh filename='part.obj' scale='{scale}'/></geometry></collision></link></robot>"
        );
        std::fs::write(&path, text).unwrap();
        let simulation = Simulation::load(&path).unwrap();
        let warnings = simulation.warnings().entries();
        let codes: Vec<&str> = warnings.map(|(one, _)| one.code).collect();
        let warnings_of_size = codes.iter().filter(|code| **code == "scene::mesh-size");
        assert_eq!(warnings_of_size.count(), count, "{scale}: {codes:?}");
    }
}
