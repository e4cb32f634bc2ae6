//! Sensors, plugins and motors in descriptions of robots that run by themselves.

use morse_sim::{
    Simulation,
    scene::load::{LoadOptions, load},
    sensor::{joint_state::JointStateData, laser::LaserScannerData, pose::PoseData},
};

use crate::golden_messages::{check, in_project};

#[test]
fn a_description_alone_has_its_simulation_file() {
    let options = LoadOptions {
        is_alone: true,
        ..LoadOptions::default()
    };
    let loaded = load(&in_project("tests/data/urdf/cart.urdf"), &options);
    let loaded = loaded.unwrap_or_else(|failed| panic!("{failed}"));
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let golden = in_project("tests/golden/urdf/cart.ron");
    check(&golden, &loaded.components).unwrap();
    let friction = |frame: &str| {
        let frame = loaded.scene.frame(frame).unwrap();
        frame.geometry.first().unwrap().friction
    };
    assert_eq!(friction("base"), Some(0.0));
    assert_eq!(friction("left-collision"), Some(0.9));
}

#[test]
fn sensors_and_motors_run_with_their_robot() {
    let mut simulation = Simulation::load(in_project("tests/data/urdf/cart.urdf")).unwrap();
    simulation.run(30).unwrap();
    let scan = simulation.read::<LaserScannerData>("cart.scan").unwrap();
    assert_eq!(scan.range_list.len(), 181);
    let joints = simulation
        .read::<JointStateData>("cart.joint_state")
        .unwrap();
    let lift = joints.names.iter().position(|name| name == "lift").unwrap();
    // The robot stands on the floor below it; its position motor holds the initial value.
    assert!((joints.positions[lift] - 0.2).abs() < 1e-3, "{joints:?}");
    let truth = simulation.read::<PoseData>("cart.truth").unwrap();
    assert!((truth.z - 0.3).abs() < 0.01, "{truth:?}");
    for path in ["cart.imu", "cart.camera", "cart.wrench"] {
        assert!(simulation.read_any(path).is_ok(), "{path}");
    }
}
