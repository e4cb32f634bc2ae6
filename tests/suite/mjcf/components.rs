//! Sensors, actuators, springs and keyframes of models that run by themselves.

use std::path::Path;

use morse_sim::{
    Simulation,
    scene::load::{LoadOptions, load},
    sensor::{
        force_torque::ForceTorqueData, imu::ImuData, joint_state::JointStateData,
        laser::LaserScannerData, pose::PoseData,
    },
};

use crate::golden_messages::{check, in_project};

/// Returns a model that runs by itself.
fn alone(text: &str) -> Simulation {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("model.xml");
    std::fs::write(&path, text).unwrap();
    Simulation::load(&path).unwrap()
}

#[test]
fn a_model_alone_has_its_simulation_file() {
    let options = LoadOptions {
        is_alone: true,
        ..LoadOptions::default()
    };
    let loaded = load(&in_project("tests/data/mjcf/dog.xml"), &options);
    let loaded = loaded.unwrap_or_else(|failed| panic!("{failed}"));
    check(&in_project("tests/golden/mjcf/dog.ron"), &loaded.components).unwrap();
}

#[test]
fn a_model_starts_at_its_keyframe_and_measures() {
    let mut simulation = Simulation::load(in_project("tests/data/mjcf/dog.xml")).unwrap();
    simulation.run(1).unwrap();
    let trunk = simulation.read::<PoseData>("trunk.p").unwrap();
    let ball = simulation.read::<PoseData>("ball.q").unwrap();
    assert!((trunk.z - 0.6).abs() < 0.01, "{trunk:?}");
    assert!(
        (ball.x - 1.5).abs() < 1e-6 && (ball.z - 3.0).abs() < 0.01,
        "{ball:?}"
    );
    let joints = simulation
        .read::<JointStateData>("trunk.joint_state")
        .unwrap();
    assert_eq!(joints.names, ["hip"]);
    assert!((joints.positions[0] - 0.2).abs() < 0.1, "{joints:?}");
    // From the nose at 0.2 m to the wall at 2 m.
    let eye = simulation.read::<LaserScannerData>("trunk.eye").unwrap();
    assert_eq!(eye.range_list.len(), 1);
    assert!((eye.range_list[0] - 1.8).abs() < 0.02, "{eye:?}");
    for path in [
        "trunk.imu",
        "trunk.imu_velocity",
        "trunk.foot",
        "trunk.foot_force_torque",
    ] {
        assert!(simulation.read_any(path).is_ok(), "{path}");
    }
    assert!(
        simulation
            .read::<ImuData>("trunk.imu")
            .unwrap()
            .angular_velocity[0]
            != 0.0
    );
}

#[test]
fn force_and_torque_of_a_site_are_those_on_its_body() {
    let mut simulation = alone(
        "<mujoco model='m'><worldbody><body name='base' pos='0 0 1'><geom type='box' size='.1 .1 .1' mass='1'/>
         <body name='arm' pos='0.3 0 0'><joint name='h' axis='0 0 1'/><geom size='.05' mass='2'/>
         <site name='wrist' pos='0.02 0.1 0' euler='0 0 90'/></body></body></worldbody>
         <sensor><force site='wrist'/><torque site='wrist'/></sensor></mujoco>",
    );
    simulation.run(2).unwrap();
    let wrist = simulation
        .read::<ForceTorqueData>("m.wrist_force_torque")
        .unwrap();
    // The values of MuJoCo 3: the base holds the arm, 2 kg.
    for (value, expected) in [
        (wrist.force, [0.0, 0.0, 19.62]),
        (wrist.torque, [0.3924, 1.962, 0.0]),
    ] {
        for axis in 0..3 {
            assert!((value[axis] - expected[axis]).abs() < 1e-6, "{wrist:?}");
        }
    }
}

#[test]
fn springs_pull_to_their_rest_and_servos_hold() {
    // The spheres are centred on their joints: gravity exerts no torque.
    let mut simulation = alone(
        "<mujoco model='m'><worldbody>
         <body name='a'><joint name='a' axis='0 1 0' stiffness='20' springref='30' damping='3'/><geom size='0.1' mass='1'/></body>
         <body name='b' pos='0 1 0'><joint name='b' type='slide' axis='1 0 0' ref='0.5'/><geom size='0.1' mass='1'/></body>
         <body name='c' pos='0 2 0'><joint name='c' axis='0 1 0'/><geom size='0.1' mass='1'/></body>
         <body name='d' pos='0 3 0'><joint name='d' axis='0 1 0'/><geom size='0.1' mass='1'/></body></worldbody>
         <actuator><velocity joint='b' kv='50'/><position joint='c' kp='20' kv='3' gear='2'/><velocity joint='d' kv='5'/></actuator>
         <sensor><jointpos joint='a'/><jointpos joint='b'/><jointpos joint='c'/><jointpos joint='d'/></sensor>
         <keyframe><key qpos='0 0.5 0 0' ctrl='0 1 0.25'/></keyframe></mujoco>",
    );
    simulation.run(240).unwrap();
    let joints = simulation.read::<JointStateData>("m.joint_state").unwrap();
    // Rest of the spring; initial position; control divided by the gear; velocity times time.
    for (position, expected, error) in [
        (joints.positions[0], 30.0_f64.to_radians(), 1e-3),
        (joints.positions[1], 0.5, 1e-3),
        (joints.positions[2], 0.5, 1e-3),
        (joints.positions[3], 1.0, 2e-2),
    ] {
        assert!((position - expected).abs() < error, "{joints:?}");
    }
}

/// Writes a height map of five times five grey values, which are high in the first two rows.
pub(crate) fn write_hills(path: &Path) {
    let file = std::fs::File::create(path).unwrap();
    let mut encoder = png::Encoder::new(file, 5, 5);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().unwrap();
    let grey = |pixel: usize| if pixel < 10 { 200 } else { 100 };
    let pixels: Vec<u8> = (0..25).map(grey).collect();
    writer.write_image_data(&pixels).unwrap();
}

#[test]
fn balls_rest_on_height_fields() {
    let made = tempfile::tempdir().unwrap();
    write_hills(&made.path().join("hills.png"));
    let ball = |name: &str, y: f64| {
        format!(
            "<body name='{name}' pos='0 {y} 0.8'><freejoint/><geom size='0.1'/><site name='{name}-site'/></body>"
        )
    };
    let text = format!(
        "<mujoco><asset><hfield name='hills' file='hills.png' size='1 1 0.5 0.1'/></asset><worldbody>
         <geom type='hfield' hfield='hills'/>{}{}</worldbody>
         <sensor><framepos name='p' objtype='body' objname='high'/><framepos name='p' objtype='body' objname='low'/></sensor></mujoco>",
        ball("high", 0.75),
        ball("low", -0.5)
    );
    std::fs::write(made.path().join("model.xml"), text).unwrap();
    let mut simulation = Simulation::load(made.path().join("model.xml")).unwrap();
    simulation.run(180).unwrap();
    // As in MuJoCo, the lowest point is at 0, the highest one at the third size, and the first row at positive y.
    let high = simulation.read::<PoseData>("high.p").unwrap();
    let low = simulation.read::<PoseData>("low.p").unwrap();
    assert!((high.z - 0.6).abs() < 2e-3, "{high:?}");
    assert!((low.z - 0.1).abs() < 2e-3, "{low:?}");
}
