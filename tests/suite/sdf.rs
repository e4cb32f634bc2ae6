//! Worlds and models of Gazebo: the resulting scenes against the poses of libsdformat, and what runs with them; `messages`:
//! errors, warnings and hostile files.
//!
//! `tests/data/sdf/sdformat.json` is written by `tests/robots/sdf_poses.cc`; `tests/robots/compare_sdf.py` compares every
//! file that can be installed.
#![cfg(test)]
mod drives;
mod geometry;
mod messages;
mod readings;
mod scanners;

use std::{collections::BTreeMap, path::Path};

use morse_sim::{
    Simulation,
    scene::{
        load::{LoadOptions, Loaded, load, parse_str},
        model::{Joint, Scene, Shape},
        urdf::Root,
    },
    sensor::{
        imu::ImuData, joint_state::JointStateData, laser::LaserScannerData, pose::PoseData,
        video_camera::VideoCameraData,
    },
    simulation::{
        kinds,
        load::{Options, load as load_plan},
        no_extensions,
    },
};
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;

use crate::golden_messages::in_project;

fn read(path: &Path) -> Loaded {
    load(path, &LoadOptions::default()).unwrap_or_else(|failed| panic!("{failed}"))
}

fn world() -> Scene {
    read(&in_project("tests/data/sdf/world.sdf")).scene
}

/// Writes a model around some text, and loads it.
fn model(content: &str) -> Scene {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("model.sdf");
    let text = format!("<sdf version=\"1.9\"><model name=\"m\">{content}</model></sdf>");
    std::fs::write(&path, text).unwrap();
    read(&path).scene
}

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    let list = value.as_array().unwrap().iter();
    let list: Vec<f64> = list.map(|number| number.as_f64().unwrap()).collect();
    list.try_into().unwrap()
}

fn pose(entry: &Value) -> Isometry3<f64> {
    let [i, j, k, w] = numbers(&entry["q"]);
    let rotation = UnitQuaternion::new_normalize(Quaternion::new(w, i, j, k));
    Isometry3::from_parts(Vector3::from(numbers::<3>(&entry["t"])).into(), rotation)
}

fn reference() -> Vec<Value> {
    let text = std::fs::read_to_string(in_project("tests/data/sdf/sdformat.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn links_and_frames_are_where_libsdformat_has_them() {
    let scene = world();
    let poses = scene.absolute_poses_at(&BTreeMap::new());
    let mut compared = 0;
    for entry in reference() {
        let name = entry["name"].as_str().unwrap();
        if entry["kind"] == "joint" {
            continue;
        }
        let own = poses
            .get(name)
            .unwrap_or_else(|| panic!("there is no frame {name}"));
        let apart = own.inv_mul(&pose(&entry));
        assert!(apart.translation.vector.norm() < 1e-9, "{name}: {apart}");
        assert!(apart.rotation.angle() < 1e-9, "{name}: {apart}");
        compared += 1;
    }
    assert!(compared >= 35, "{compared}");
}

#[test]
fn axes_and_masses_are_those_of_libsdformat() {
    let scene = world();
    let poses = scene.absolute_poses_at(&BTreeMap::new());
    let mut axes = 0;
    for entry in reference() {
        let name = entry["name"].as_str().unwrap();
        if entry["kind"] == "link" && !name.starts_with("wall") {
            let frame = scene.frame(name).unwrap();
            assert_eq!(frame.mass, entry["mass"].as_f64(), "{name}");
            let inertia: [f64; 6] = numbers(&entry["inertia"]);
            for (own, expected) in frame.inertia.unwrap().iter().zip(inertia) {
                assert!((own - expected).abs() < 1e-12, "{name}: {own} {expected}");
            }
            let center = Vector3::from(numbers::<3>(&entry["center"]));
            assert_eq!(frame.center_of_mass, Some(center), "{name}");
        }
        let Some(expected) = entry.get("axis") else {
            continue;
        };
        let moved = scene
            .frames()
            .iter()
            .find(|frame| frame.joint.axis().is_some_and(|axis| axis.variable == name));
        let Some(moved) = moved else {
            assert!(entry["type"] == 4, "{name} is not a fixed joint");
            continue;
        };
        let at = poses[moved.name.as_str()];
        let axis = at.rotation * moved.joint.axis().unwrap().axis;
        let expected = Vector3::from(numbers::<3>(expected));
        assert!((axis - expected.normalize()).norm() < 1e-9, "{name}");
        let apart = at.translation.vector - pose(&entry).translation.vector;
        assert!(apart.norm() < 1e-9, "{name}: {apart}");
        axes += 1;
    }
    assert!(axes >= 7, "{axes}");
}

#[test]
fn joints_have_their_settings() {
    let scene = world();
    let axis = |frame: &str| scene.frame(frame).unwrap().joint.axis().unwrap().clone();
    let shoulder = axis("placed::shoulder");
    assert_eq!(shoulder.variable, "placed::shoulder");
    assert_eq!(shoulder.limits.position, Some([-1.5, 2.0]));
    assert_eq!(
        (shoulder.limits.velocity, shoulder.limits.effort),
        (Some(3.0), Some(30.0))
    );
    assert_eq!(
        (shoulder.damping, shoulder.dry_friction),
        (Some(0.4), Some(0.1))
    );
    assert_eq!(axis("old_cart::wheel").limits.position, None);
    let joint = |frame: &str| scene.frame(frame).unwrap().joint.clone();
    assert_eq!(joint("placed"), Joint::Floating);
    assert_eq!(joint("wall"), Joint::Fixed);
    // A model that hangs from the world stands still, and three hinges carry its lamp.
    assert_eq!(joint("hanging"), Joint::Fixed);
    for letter in ["x", "y", "z"] {
        let name = format!("hanging::hook.{letter}");
        assert!(scene.variables().contains(name.as_str()), "{name}");
    }
    assert_eq!(
        scene.frame("hanging::lamp").unwrap().parent.as_deref(),
        Some("hanging::hook.z")
    );
    let base = scene.frame("placed::base").unwrap();
    let drawn = base.geometry.iter().find(|one| one.visual).unwrap();
    assert_eq!((drawn.color, drawn.alpha), ([0.2, 0.4, 0.6], 0.5));
    let tube = &scene.frame("placed::upper-collision").unwrap().geometry[0];
    assert_eq!((tube.friction, tube.visual), (Some(0.7), false));
    let apart = |one: &str, other: &str| {
        let pair = (one.to_owned(), other.to_owned());
        scene.allowed_collisions().contains(&pair)
    };
    assert!(apart("placed::base", "placed::upper-collision"));
    assert!(!apart("placed::base", "wall::link") && !apart("old_cart::chassis", "placed::base"));
}

#[test]
fn shapes_are_centred_on_their_poses() {
    let scene = model(
        "<link name='l'>\
         <collision name='a'><pose>1 0 0 0 0 0</pose><geometry><cylinder><radius>0.1</radius><length>2</length></cylinder></geometry></collision>\
         <collision name='b'><geometry><plane><normal>1 0 0</normal></plane></geometry></collision>\
         <collision name='c'><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry></collision>\
         <collision name='d'><geometry><mesh><uri>none.stl</uri></mesh></geometry></collision></link>",
    );
    let tube = scene.frame("l-collision").unwrap();
    assert_eq!(tube.pose.translation.vector, Vector3::new(1.0, 0.0, -1.0));
    let plane = scene.frame("l-collision-2").unwrap();
    // The upper side of the box passes through the origin, with its normal along x.
    let top = plane.pose * nalgebra::Point3::new(0.0, 0.0, 0.5);
    assert!(top.coords.norm() < 1e-12, "{top}");
    assert!((plane.pose.rotation * Vector3::z() - Vector3::x()).norm() < 1e-12);
    let link = scene.frame("l").unwrap();
    assert!(matches!(&link.geometry[..], [one] if matches!(one.shape, Shape::Mesh(_))));
}

#[test]
fn followers_move_with_their_leaders() {
    // b = 2·a + 0.5, c = −3·(b − 1) = −6·a + 1.5.
    let joint = |name: &str, child: &str, more: &str| {
        format!(
            "<link name='{child}'/><joint name='{name}' type='prismatic'><parent>l</parent><child>{child}</child>\
             <axis><xyz>1 0 0</xyz>{more}</axis></joint>"
        )
    };
    let scene = model(&format!(
        "<link name='l'/>{}{}{}",
        joint(
            "c",
            "z",
            "<mimic joint='b'><multiplier>-3</multiplier><reference>1</reference></mimic>"
        ),
        joint(
            "b",
            "y",
            "<mimic joint='a'><multiplier>2</multiplier><offset>0.5</offset></mimic>"
        ),
        joint("a", "x", ""),
    ));
    assert_eq!(scene.variables().len(), 1);
    let values = BTreeMap::from([("a".to_owned(), 0.7)]);
    let poses = scene.absolute_poses_at(&values);
    for (link, expected) in [("x", 0.7), ("y", 1.9), ("z", -2.7)] {
        let own = poses[link].translation.vector.x;
        assert!((own - expected).abs() < 1e-12, "{link}: {own}");
    }
}

#[test]
fn a_world_has_its_own_environment() {
    let path = in_project("tests/data/sdf/sensors.sdf");
    let plan = load_plan(&path, &Options::default(), &kinds(&no_extensions)).unwrap();
    let environment = &plan.simulation.environment;
    // The light falls against x and down, and is turned by a quarter.
    let sun = Vector3::from(environment.light.sun.direction);
    let expected = Vector3::new(0.0, 1.0, 1.0).normalize();
    assert!((sun - expected).norm() < 1e-6, "{sun}");
    assert_eq!(environment.light.sun.color, [1.0, 0.9, 0.8]);
    let lamp = environment.light.lamps.values().next().unwrap();
    // 1 / (1 + 0.01 · d²) is a half at 10 m.
    assert_eq!((lamp.position, lamp.distance), ([1.0, 2.0, 3.0], 10.0));
    let codes: Vec<&str> = plan.warnings.entries().map(|(one, _)| one.code).collect();
    assert_eq!(codes.len(), 3, "{codes:?}");
}

#[test]
fn joints_connect_models_and_the_world() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("world.sdf");
    let axis = "<axis><xyz>0 0 1</xyz></axis>";
    let text = format!(
        "<sdf version='1.10'><world name='w'><model name='a'><pose>1 0 0 0 0 0</pose><link name='l'/></model>\
         <model name='b'><pose>3 0 0 0 0 0</pose><link name='l'/></model>\
         <joint name='j' type='revolute'><pose>-1 0 0 0 0 0</pose><parent>a::l</parent><child>b::l</child>{axis}</joint>\
         </world></sdf>"
    );
    std::fs::write(&path, text).unwrap();
    let scene = read(&path).scene;
    // b turns about the axis at x = 2.
    let values = BTreeMap::from([("j".to_owned(), std::f64::consts::FRAC_PI_2)]);
    let poses = scene.absolute_poses_at(&values);
    for name in ["b::l", "b"] {
        let own = poses[name].translation.vector;
        assert!((own - Vector3::new(2.0, 1.0, 0.0)).norm() < 1e-12, "{own}");
    }
    assert_eq!(scene.frame("a").unwrap().joint, Joint::Floating);
    let scene = model(&format!(
        "<pose>0 0 5 0 0 0</pose><link name='l'><pose>0 0 -1 0 0 0</pose></link>\
         <joint name='j' type='revolute'><parent>world</parent><child>l</child>{axis}</joint>"
    ));
    assert_eq!(scene.frame("m").unwrap().parent.as_deref(), Some("world"));
    assert_eq!(scene.frame("m").unwrap().joint, Joint::Fixed);
    let poses = scene.absolute_poses_at(&BTreeMap::new());
    assert_eq!(poses["l"].translation.vector, Vector3::new(0.0, 0.0, 4.0));
}

#[test]
fn models_are_found_in_the_given_directories() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("world.sdf");
    let include = "<include><uri>NAME</uri></include>";
    let write = |name: &str| {
        let include = include.replace("NAME", name);
        let text = format!("<sdf version='1.9'><world name='w'>{include}</world></sdf>");
        std::fs::write(&path, text).unwrap();
    };
    let mut options = LoadOptions::default();
    let count =
        |options: &LoadOptions| load(&path, options).map(|loaded| loaded.scene.frames().len());
    for name in [
        "model://arm",
        "arm",
        "https://fuel.gazebosim.org/1.0/me/models/arm",
    ] {
        write(name);
        options.urdf.packages.model_paths.clear();
        assert!(count(&options).is_err(), "{name}");
        options.urdf.packages.model_paths = vec![in_project("tests/data/sdf/models")];
        // The newest version that is read has five links and frames more than the model itself.
        assert!(count(&options).is_ok_and(|frames| frames > 6), "{name}");
    }
    // Beside a file, in `models`, a directory with `model.config` is found.
    let beside = made.path().join("models/post");
    std::fs::create_dir_all(&beside).unwrap();
    std::fs::write(
        beside.join("model.config"),
        "<model><sdf version='1.6'>post.sdf</sdf></model>",
    )
    .unwrap();
    let post =
        "<sdf version='1.6'><model name='post'><static>1</static><link name='l'/></model></sdf>";
    std::fs::write(beside.join("post.sdf"), post).unwrap();
    write("model://post");
    assert_eq!(count(&LoadOptions::default()).unwrap(), 2);
}

#[test]
fn models_are_robots_of_simulation_files() {
    let made = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| std::fs::write(made.path().join(name), text).unwrap();
    file(
        "box.sdf",
        "<sdf version='1.9'><model name='crate'><pose>0 0 9 0 0 0</pose><link name='l'>\
         <inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link></model></sdf>",
    );
    let sensor = "sensors: { \"pose\": (kind: \"pose\") }";
    let robots = format!(
        "\"falling\": (model: \"box.sdf\", {sensor}), \"held\": (model: \"box.sdf\", base: fixed, {sensor})"
    );
    file("drop.ron", &format!("Simulation(robots: {{ {robots} }})"));
    // The model is at its robot, whatever its pose in its own file.
    let mut options = LoadOptions::default();
    options.urdf.root = Root::Fixed;
    let scene = load(&made.path().join("box.sdf"), &options).unwrap().scene;
    assert_eq!(scene.frame("crate").unwrap().pose, Isometry3::identity());
    let warnings = load(&made.path().join("box.sdf"), &options)
        .unwrap()
        .warnings;
    let help = &warnings[0].help[0];
    assert!(
        help.contains("at: (translation: (0, 0, 9), rpy: (0, 0, 0))"),
        "{help}"
    );
    let mut simulation = Simulation::load(made.path().join("drop.ron")).unwrap();
    simulation.run(60).unwrap();
    let height = |name: &str| simulation.read::<PoseData>(name).unwrap().z;
    // g/2 after a second.
    assert!(
        (height("falling.pose") + 9.81 / 2.0).abs() < 0.1,
        "{}",
        height("falling.pose")
    );
    assert!(height("held.pose").abs() < 1e-9);
}

#[test]
fn loops_are_closed() {
    let scene = model(
        "<link name='a'/><link name='b'><pose>1 0 0 0 0 0</pose></link>\
         <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>\
         <joint name='k' type='ball'><pose>0 1 0 0 0 0</pose><parent>a</parent><child>b</child></joint>",
    );
    let [closure] = scene.closures() else {
        panic!("{:?}", scene.closures());
    };
    let poses = scene.absolute_poses_at(&BTreeMap::new());
    for frame in &closure.frames {
        let own = poses[frame.as_str()].translation.vector;
        assert!((own - Vector3::new(1.0, 1.0, 0.0)).norm() < 1e-12);
    }
}

#[test]
fn scenes_and_robots_include_models() {
    let text =
        "include \"models/arm/arm.sdf\"\nframe camera { parent tip; translation [0, 0, 0.1]; }";
    let directory = in_project("tests/data/sdf");
    let loaded = parse_str(text, "scene.robray", &directory, &LoadOptions::default());
    let scene: Scene = loaded.unwrap_or_else(|failed| panic!("{failed}")).scene;
    // The model is fixed to the scene, and its names have no prefix.
    assert_eq!(scene.frame("arm").unwrap().joint, Joint::Fixed);
    assert_eq!(
        scene.frame("camera").unwrap().parent.as_deref(),
        Some("tip")
    );
}

#[test]
fn sensors_and_plugins_run_with_their_world() {
    let path = in_project("tests/data/sdf/sensors.sdf");
    let mut simulation = Simulation::load(&path).unwrap();
    simulation.run(60).unwrap();
    let scan = simulation.read::<LaserScannerData>("rover.scan").unwrap();
    assert_eq!(scan.range_list.len(), 181);
    // The wall begins at 2.9 m, and its edges are at 2 m to the sides.
    assert!(
        (scan.range_list[90] - 2.9).abs() < 0.02,
        "{}",
        scan.range_list[90]
    );
    assert!((scan.range_list[45] - 12.0).abs() < 1e-9);
    // At rest the accelerometer measures the gravity of the world, not that of the simulator.
    let imu = simulation.read::<ImuData>("rover.imu").unwrap();
    assert!((imu.linear_acceleration[2] - 3.7).abs() < 1e-3, "{imu:?}");
    assert!(imu.angular_velocity[0].abs() > 1e-5, "noise");
    let eye = simulation.read::<VideoCameraData>("rover.eye").unwrap();
    assert_eq!((eye.width, eye.height), (64, 48));
    for path in ["rover.gps", "rover.field", "rover.hub", "rover.joint_state"] {
        assert!(simulation.read_any(path).is_ok(), "{path}");
    }
}

/// Gazebo's own worlds have 9.8 m/s², the simulator 9.81.
#[test]
fn the_gravity_of_a_world_is_exact() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("it.sdf");
    for (gravity, expected) in [("<gravity>0 0 -9.8</gravity>", 9.8), ("", 9.81)] {
        let text = format!(
            "<sdf version='1.9'><world name='w'>{gravity}<model name='m'><static>true</static><link name='l'>\
             <sensor name='imu' type='imu'/></link></model></world></sdf>"
        );
        std::fs::write(&path, text).unwrap();
        let mut simulation = Simulation::load(&path).unwrap();
        simulation.run(2).unwrap();
        let imu = simulation.read::<ImuData>("m.imu").unwrap();
        let up = imu.linear_acceleration[2];
        assert!((up - expected).abs() < 1e-6, "{up}, not {expected}");
    }
}

#[test]
fn balls_rest_on_height_maps() {
    let made = tempfile::tempdir().unwrap();
    crate::mjcf::components::write_hills(&made.path().join("hills.png"));
    let ball = |name: &str, y: f64| {
        format!(
            "<model name='{name}'><pose>0 {y} 2 0 0 0</pose><link name='l'><inertial><mass>1</mass></inertial>\
             <collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>\
             <sensor name='imu' type='imu'/></link><plugin filename='libgazebo_ros_p3d.so' name='p'/></model>"
        )
    };
    let map = "<heightmap><uri>hills.png</uri><size>2 2 1</size><pos>0 0 0.5</pos></heightmap>";
    let ground = format!(
        "<model name='ground'><static>1</static><link name='l'>\
         <collision name='c'><geometry>{map}</geometry></collision>\
         <visual name='v'><geometry>{map}</geometry></visual></link></model>"
    );
    let (high, low) = (ball("high", 0.75), ball("low", -0.5));
    let text = format!("<sdf version='1.9'><world name='w'>{ground}{high}{low}</world></sdf>");
    let path = made.path().join("hills.sdf");
    std::fs::write(&path, text).unwrap();
    let mut simulation = Simulation::load(&path).unwrap();
    simulation.run(240).unwrap();
    for (name, grey) in [("high.p", 200.0), ("low.p", 100.0)] {
        let pose = simulation.read::<PoseData>(name).unwrap();
        assert!(
            (pose.z - (0.5 + grey / 255.0 + 0.1)).abs() < 2e-3,
            "{pose:?}"
        );
    }
}

#[test]
fn springs_and_initial_positions_are_simulated() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("spring.sdf");
    let text = "<sdf version='1.9'><model name='m'><link name='base'/><link name='arm'/>\
        <joint name='fix' type='fixed'><parent>world</parent><child>base</child></joint>\
        <joint name='j' type='revolute'><parent>base</parent><child>arm</child>\
        <axis><xyz>0 0 1</xyz><initial_position>0.1</initial_position>\
        <dynamics><damping>8</damping><spring_stiffness>20</spring_stiffness><spring_reference>0.5</spring_reference></dynamics></axis></joint>\
        <plugin filename='libgazebo_ros_joint_state_publisher.so' name='p'/></model></sdf>";
    std::fs::write(&path, text).unwrap();
    let mut simulation = Simulation::load(&path).unwrap();
    let position = |simulation: &Simulation| {
        let joints = simulation.read::<JointStateData>("m.joint_state");
        joints.unwrap().positions[0]
    };
    simulation.run(1).unwrap();
    let start = position(&simulation);
    assert!((start - 0.1).abs() < 0.05, "{start}");
    simulation.run(600).unwrap();
    let rest = position(&simulation);
    assert!((rest - 0.5).abs() < 1e-3, "{rest}");
}
