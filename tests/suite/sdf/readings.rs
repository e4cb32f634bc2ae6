//! Readings of sensors that descriptions configure: which collisions a bumper counts, and errors of scanners and barometers.

use morse_sim::{
    Simulation,
    scene::load::{LoadOptions, load},
    sensor::{
        barometer::BarometerData, contact::ContactData, force_torque::ForceTorqueData,
        laser::LaserScannerData,
    },
};

const GROUND: &str = "<model name='ground'><static>true</static><link name='l'>
    <collision name='c'><geometry><plane/></geometry></collision></link></model>";

/// Loads a file with this name and text, and makes 60 ticks.
fn run(name: &str, text: &str) -> Simulation {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    let mut simulation = Simulation::load(&path).unwrap();
    simulation.run(60).unwrap();
    simulation
}

fn world(models: &str) -> String {
    format!("<sdf version='1.9'><world name='w'>{GROUND}{models}</world></sdf>")
}

const BUMPER: &str = "<model name='it'><pose>0 0 0.2 0 0 0</pose><link name='base'>
    <inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
    <collision name='body'><geometry><box><size>0.4 0.4 0.4</size></box></geometry></collision>
    <collision name='bumper'><geometry><box><size>0.5 0.4 0.1</size></box></geometry></collision>
    <sensor name='bumper' type='contact'><contact><collision>it::base::bumper</collision></contact></sensor>
    <sensor name='body' type='contact'><contact><collision>body</collision></contact></sensor>
    </link>
    <link name='rail'><pose>0 0 0.3 0 0 0</pose>
    <inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
    <collision name='rail'><geometry><sphere><radius>0.05</radius></sphere></geometry></collision>
    <sensor name='rail' type='contact'><contact><collision>rail</collision></contact></sensor></link>
    <joint name='fixed' type='fixed'><parent>base</parent><child>rail</child></joint></model>";

#[test]
fn contact_sensors_count_the_collisions_that_they_name() {
    let simulation = run("bumper.sdf", &world(BUMPER));
    let touches = |name: &str| {
        let read = simulation.read::<ContactData>(&format!("it.{name}"));
        let data = read.unwrap();
        (data.contact, data.force[2])
    };
    assert_eq!(touches("bumper"), (false, 0.0));
    assert_eq!(touches("rail"), (false, 0.0));
    let (is_touched, force) = touches("body");
    assert!(is_touched && (force - 3.0 * 9.81).abs() < 1e-3, "{force}");
}

#[test]
fn contact_sensors_of_unknown_collisions_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("typo.sdf");
    let text = world(&BUMPER.replace("<collision>body<", "<collision>bodi<"));
    std::fs::write(&path, text).unwrap();
    let warnings = load(&path, &LoadOptions::default()).unwrap().warnings;
    let unknown = warnings
        .iter()
        .find(|warning| warning.message == "there is no collision `bodi`");
    let help = unknown.map(|warning| warning.help.join(" "));
    assert!(
        help.is_some_and(|help| help.contains("did you mean `body`?")),
        "{warnings:?}"
    );
}

#[test]
fn a_bumper_on_a_fixed_joint_of_a_robot_does_not_count_the_other_links() {
    let link = |name: &str, size: &str| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/>\
             <inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial>\
             <collision><geometry><box size='{size}'/></geometry></collision></link>\
             <gazebo reference='{name}'><sensor name='{name}' type='contact'><contact>\
             <collision>{name}_collision</collision></contact></sensor></gazebo>"
        )
    };
    let simulation = run(
        "robot.urdf",
        &format!(
            "<robot name='it'>{}{}<joint name='j' type='fixed'><parent link='base'/><child link='bumper'/>\
             <origin xyz='0.3 0 0'/></joint></robot>",
            link("base", "0.4 0.4 0.4"),
            link("bumper", "0.1 0.4 0.1"),
        ),
    );
    let touches = |name: &str| {
        let data = simulation.read::<ContactData>(&format!("it.{name}"));
        data.unwrap().contact
    };
    assert!(touches("base") && !touches("bumper"));
}

/// A sensor 1 m above the ground that looks ahead, where there is nothing, and down to both sides.
const SCANNER: &str = "<model name='it'><static>true</static><pose>0 0 1 0 0 0</pose><link name='l'>
    <sensor name='scan' type='gpu_lidar'><pose>0 0 0 0 0 1.5708</pose><lidar><scan>
      <horizontal><samples>2</samples><min_angle>-0.5</min_angle><max_angle>0.5</max_angle></horizontal>
      <vertical><samples>501</samples><min_angle>-0.5</min_angle><max_angle>0.5</max_angle></vertical></scan>
      <range><min>0.1</min><max>9</max></range><noise><type>gaussian</type><mean>0</mean><stddev>0.02</stddev></noise></lidar></sensor>
    </link></model>";

#[test]
fn noise_of_a_scanner_moves_points_and_leaves_misses() {
    let simulation = run("scan.sdf", &world(SCANNER));
    let scan = simulation.read::<LaserScannerData>("it.scan").unwrap();
    let (mut misses, mut hits, mut squares) = (0, 0.0, 0.0);
    for (point, range) in scan.point_list.iter().zip(&scan.range_list) {
        if *point == [0.0; 3] {
            assert_eq!(*range, 9.0);
            misses += 1;
            continue;
        }
        let distance = libm::hypot(libm::hypot(point[0], point[1]), point[2]);
        assert!((distance - range).abs() < 1e-9, "{distance} {range}");
        // The ground is at z = -1 along an exact ray.
        let exact = distance / -point[2];
        hits += 1.0;
        squares += (range - exact) * (range - exact);
    }
    assert!(misses > 500 && hits > 300.0, "{misses} {hits}");
    let sigma = libm::sqrt(squares / hits);
    assert!((sigma - 0.02).abs() < 0.003, "{sigma}");
}

const DRIFTING: &str = "<model name='it'><static>true</static><link name='l'>
    <sensor name='air' type='air_pressure'><air_pressure><reference_altitude>1000</reference_altitude></air_pressure></sensor>
    <sensor name='steps' type='air_pressure'><air_pressure><pressure><noise type='gaussian_quantized'><mean>0</mean>
      <stddev>7</stddev><precision>4</precision></noise></pressure></air_pressure></sensor>
    <sensor name='imu' type='imu'><imu><angular_velocity><x><noise type='gaussian'><mean>0</mean><stddev>0.002</stddev>
      <dynamic_bias_stddev>0.001</dynamic_bias_stddev><dynamic_bias_correlation_time>300</dynamic_bias_correlation_time></noise></x>
      </angular_velocity></imu></sensor>
    <sensor name='hand' type='force_torque'><force_torque><force><x><noise type='gaussian'><stddev>0</stddev>
      <precision>4</precision></noise></x></force></force_torque></sensor>
    </link></model>";

#[test]
fn barometers_have_their_altitude_and_errors_drift_and_are_rounded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("drift.sdf");
    std::fs::write(&path, world(DRIFTING)).unwrap();
    let options = LoadOptions {
        is_alone: true,
        ..LoadOptions::default()
    };
    let components = load(&path, &options).unwrap().components;
    let drift = "(kind: \"gaussian\", fields: [\"angular_velocity.0\"], sigma: 0.002), \
                 (kind: \"random_walk\", fields: [\"angular_velocity.0\"], sigma: 0.001, correlation_time: 300)";
    assert!(components.contains(drift), "{components}");
    let simulation = run("drift.sdf", &world(DRIFTING));
    let pressure = |name: &str| {
        let read = simulation.read::<BarometerData>(&format!("it.{name}"));
        read.unwrap().pressure
    };
    // Table of the International Standard Atmosphere, 1000 m.
    let air = pressure("air");
    assert!((air - 89_874.6).abs() < 1.0, "{air}");
    let steps = pressure("steps");
    assert!(steps != 101_325.0 && steps % 4.0 == 0.0, "{steps}");
    // Only the type `gaussian_quantized` has a precision.
    let hand = simulation.read::<ForceTorqueData>("it.hand").unwrap();
    assert_eq!(hand.force, [0.0; 3]);
}

/// An arm of 2 kg, 0.3 m in front of its joint, which is turned by a right angle to the left.
const WRIST: &str = "<model name='it'>
    <link name='base'><inertial><mass>5</mass></inertial></link>
    <joint name='fixed' type='fixed'><parent>world</parent><child>base</child></joint>
    <link name='arm'><pose>0.5 0 1 0 0 0</pose><inertial><mass>2</mass></inertial></link>
    <joint name='j' type='revolute'><pose>-0.3 0 0 0 0 1.5707963267949</pose><parent>base</parent><child>arm</child>
      <axis><xyz>0 0 1</xyz></axis>
      <sensor name='child' type='force_torque'/>
      <sensor name='own' type='force_torque'><force_torque><frame>sensor</frame>
        <measure_direction>parent_to_child</measure_direction></force_torque></sensor></joint></model>";

#[test]
fn wrenches_of_a_joint_are_about_its_origin() {
    let simulation = run("wrist.sdf", &world(WRIST));
    let torque = 0.3 * 2.0 * 9.81;
    // The arm pulls the base down, which turns the base about y of the link.
    for (name, expected) in [("child", [0.0, torque, 0.0]), ("own", [-torque, 0.0, 0.0])] {
        let read = simulation.read::<ForceTorqueData>(&format!("it.{name}"));
        let data = read.unwrap();
        for (torque, expected) in data.torque.iter().zip(expected) {
            assert!((torque - expected).abs() < 1e-5, "{name}: {data:?}");
        }
    }
}

/// A scanner in a box, whose rays all hit its walls, its floor or its ceiling.
const ROOM: &str = "<model name='room'><static>true</static><link name='l'>
    <collision name='a'><pose>0 0 -5.5 0 0 0</pose><geometry><box><size>40 40 1</size></box></geometry></collision>
    <collision name='b'><pose>0 0 5.5 0 0 0</pose><geometry><box><size>40 40 1</size></box></geometry></collision>
    <collision name='c'><pose>8.5 0 0 0 0 0</pose><geometry><box><size>1 40 20</size></box></geometry></collision>
    <collision name='d'><pose>-6.5 0 0 0 0 0</pose><geometry><box><size>1 40 20</size></box></geometry></collision>
    <collision name='e'><pose>0 4.5 0 0 0 0</pose><geometry><box><size>40 1 20</size></box></geometry></collision>
    <collision name='f'><pose>0 -7.5 0 0 0 0</pose><geometry><box><size>40 1 20</size></box></geometry></collision></link></model>";

#[test]
fn rays_have_the_azimuths_and_elevations_of_the_description() {
    // Samples and angles: a whole turn, those of an Ouster OS0, of a Velodyne VLP-32, and one layer that looks up.
    for [across, up] in [
        [(12.0, -3.0, 2.5), (5.0, -0.785, 0.785)],
        [(12.0, -3.0, 2.5), (4.0, -0.436, 0.1745)],
        [(7.0, -0.5, 1.0), (1.0, 0.4, 0.4)],
    ] {
        let axis = |name: &str, (samples, least, greatest): (f64, f64, f64)| {
            format!(
                "<{name}><samples>{samples}</samples><min_angle>{least}</min_angle>\
                 <max_angle>{greatest}</max_angle></{name}>"
            )
        };
        let text = format!(
            "<sdf version='1.9'><world name='w'>{ROOM}<model name='it'><static>true</static><link name='l'>
             <sensor name='scan' type='gpu_lidar'><lidar><scan>{}{}</scan><range><max>30</max></range></lidar></sensor>
             </link></model></world></sdf>",
            axis("horizontal", across),
            axis("vertical", up),
        );
        let simulation = run("room.sdf", &text);
        let scan = simulation.read::<LaserScannerData>("it.scan").unwrap();
        let angle = |(samples, least, greatest): (f64, f64, f64), index: f64| {
            least + (greatest - least) * index / (samples - 1.0_f64).max(1.0)
        };
        assert_eq!(scan.range_list.len() as f64, across.0 * up.0);
        for (index, range) in scan.range_list.iter().enumerate() {
            let (layer, ray) = (index as f64 / across.0, index as f64 % across.0);
            let (sine, cosine) = libm::sincos(angle(across, ray));
            // The highest layer first.
            let (height, along) = libm::sincos(angle(up, up.0 - 1.0 - layer.floor()));
            let walls = [
                (along * cosine, 8.0, 6.0),
                (along * sine, 4.0, 7.0),
                (height, 5.0, 5.0),
            ];
            let distances = walls.map(|(direction, ahead, behind)| match direction > 0.0 {
                true => ahead / direction,
                false => behind / direction.abs(),
            });
            let expected = distances.into_iter().fold(f64::INFINITY, f64::min);
            assert!(
                (range - expected).abs() < 1e-4,
                "{index}: {range}, not {expected}"
            );
        }
    }
}

#[test]
fn depth_cameras_have_the_clip_planes_of_the_format() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("camera.sdf");
    let model = "<model name='it'><static>true</static><link name='l'>
        <sensor name='deep' type='depth_camera'><camera><horizontal_fov>1</horizontal_fov></camera></sensor></link></model>";
    std::fs::write(&path, world(model)).unwrap();
    let options = LoadOptions {
        is_alone: true,
        ..LoadOptions::default()
    };
    let components = load(&path, &options).unwrap().components;
    assert!(components.contains("near: 0.1, far: 100"), "{components}");
}
