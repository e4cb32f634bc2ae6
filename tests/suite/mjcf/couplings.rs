//! Tendons, followers and springs of a time constant, compared with MuJoCo.

use morse_sim::{
    Simulation,
    scene::{
        load::{LoadOptions, Loaded, load},
        model::{Joint, JointAxis},
    },
    sensor::{imu::ImuData, joint_state::JointStateData},
};

use crate::golden_messages::in_project;

fn coupled() -> Loaded {
    let options = LoadOptions {
        is_alone: true,
        ..LoadOptions::default()
    };
    let loaded = load(&in_project("tests/data/mjcf/coupled.xml"), &options);
    loaded.unwrap_or_else(|failed| panic!("{failed}"))
}

/// Returns a number of the settings of a joint in a simulation file.
fn setting(components: &str, joint: &str, field: &str) -> f64 {
    let start = format!("\"{joint}\": (");
    let line = components
        .lines()
        .find_map(|line| line.trim().strip_prefix(&start));
    let line = line.unwrap_or_else(|| panic!("no joint {joint} in {components}"));
    let mut fields = line.split([',', '(', ')']).map(str::trim);
    let value = fields.find_map(|one| one.strip_prefix(field)?.strip_prefix(": "));
    let value = value.unwrap_or_else(|| panic!("no {field} in {line}"));
    value.parse().unwrap()
}

fn near(own: f64, expected: f64) {
    assert!(
        (own - expected).abs() < 1e-6 * expected.abs().max(1.0),
        "{own}, not {expected}"
    );
}

#[test]
fn springs_of_a_time_constant_are_those_of_mujoco() {
    let loaded = coupled();
    let expected = std::fs::read_to_string(in_project("tests/data/mjcf/coupled.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
    let mut count = 0;
    for frame in loaded.scene.frames() {
        let (Joint::Revolute(axis) | Joint::Prismatic(axis)) = &frame.joint else {
            continue;
        };
        let spring = &expected["springs"][axis.variable.split('.').next().unwrap()];
        let Some(damping) = spring["damping"].as_f64() else {
            continue;
        };
        near(axis.damping.unwrap(), damping);
        let stiffness = setting(&loaded.components, &axis.variable, "stiffness");
        near(stiffness, spring["stiffness"].as_f64().unwrap());
        count += 1;
    }
    assert_eq!(count, 5);
    near(
        setting(&loaded.components, "a", "target"),
        10.0_f64.to_radians(),
    );
}

#[test]
fn tendons_and_followers_act_on_their_leader_as_in_mujoco() {
    let loaded = coupled();
    let expected = std::fs::read_to_string(in_project("tests/data/mjcf/coupled.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
    let of_left = |name: &str| expected["left"][name].as_f64().unwrap();
    let axes: Vec<&JointAxis> = loaded
        .scene
        .frames()
        .iter()
        .filter_map(|frame| match &frame.joint {
            Joint::Revolute(axis) | Joint::Prismatic(axis) => Some(axis),
            _ => None,
        })
        .filter(|axis| axis.variable == "left")
        .collect();
    // The joints `right` and `tip` move with it.
    let ratios: Vec<Option<f64>> = axes.iter().map(|axis| axis.ratio).collect();
    assert_eq!(ratios, [None, Some(0.125), Some(0.5)]);
    for name in ["stiffness", "target"] {
        near(setting(&loaded.components, "left", name), of_left(name));
    }
    let damping: f64 = axes.iter().filter_map(|axis| axis.damping).sum();
    let motor = setting(&loaded.components, "left", "damping");
    near(damping + motor, of_left("damping"));
    let friction: f64 = axes.iter().filter_map(|axis| axis.dry_friction).sum();
    near(friction, 0.02 + 0.75 * 0.1);
    let armature: f64 = axes.iter().filter_map(|axis| axis.armature).sum();
    near(armature, 0.25 * 0.02);
    let [lower, upper] = axes[0].limits.position.unwrap();
    near(lower, expected["left"]["range"][0].as_f64().unwrap());
    near(upper, expected["left"]["range"][1].as_f64().unwrap());
    // The tendon's actuator has a gear of 2 and a slope of 0.75, those of the followers have 0.5 and 0.125.
    let expected = 5.0 * 1.5 + 1.5 * 0.5 + 40.0 * 0.125;
    near(axes[0].limits.effort.unwrap(), expected);
}

#[test]
fn followers_move_with_the_actuator_of_a_tendon() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("hand.xml");
    let finger = |name: &str, y: f64| {
        format!(
            "<body name='{name}' pos='0 {y} 1'><joint name='{name}' axis='1 0 0'/><geom size='0.1' mass='1'/></body>"
        )
    };
    let text = format!(
        "<mujoco model='hand'><worldbody>{}{}</worldbody>
         <tendon><fixed name='same'><joint joint='one' coef='1'/><joint joint='two' coef='-1'/></fixed>
         <fixed name='mean'><joint joint='one' coef='0.5'/><joint joint='two' coef='0.5'/></fixed></tendon>
         <equality><tendon tendon1='same'/></equality>
         <actuator><position tendon='mean' kp='40' kv='6'/></actuator>
         <sensor><jointpos joint='one'/></sensor>
         <keyframe><key ctrl='0.5'/></keyframe></mujoco>",
        finger("one", 1.0),
        finger("two", -1.0),
    );
    std::fs::write(&path, text).unwrap();
    let mut simulation = Simulation::load(&path).unwrap();
    simulation.run(240).unwrap();
    let state = simulation
        .read::<JointStateData>("hand.joint_state")
        .unwrap();
    assert_eq!(state.names, ["one"]);
    assert!((state.positions[0] - 0.5).abs() < 1e-3, "{state:?}");
}

#[test]
fn gravity_is_that_of_the_model() {
    for (option, expected) in [
        ("<option gravity='0 0 -1.62'/>", 1.62),
        ("<option gravity='1 2 -2'/>", 3.0),
        (
            "<option gravity='0 0 -1.62'><flag gravity='disable'/></option>",
            0.0,
        ),
        ("<option><flag gravity='enable'/></option>", 9.81),
    ] {
        let made = tempfile::tempdir().unwrap();
        let path = made.path().join("moon.xml");
        let text = format!(
            "<mujoco model='moon'>{option}<worldbody>
             <body name='arm'><joint damping='1000'/><geom size='0.1'/><site name='s'/></body></worldbody>
             <sensor><accelerometer name='imu' site='s'/></sensor></mujoco>"
        );
        std::fs::write(&path, text).unwrap();
        let mut simulation = Simulation::load(&path).unwrap();
        simulation.run(20).unwrap();
        // The joint turns about the centre of the sphere: the sensor is at rest.
        let imu = simulation.read::<ImuData>("moon.imu").unwrap();
        let force = nalgebra::Vector3::from(imu.linear_acceleration).norm();
        assert!((force - expected).abs() < 1e-6, "{force}, not {expected}");
    }
}
