//! Vehicles as descriptions of Gazebo have them: their odometry, and limits that are left out.

use morse_sim::{
    Simulation,
    actuator::{v_omega_diff::VOmegaDiff, wheels::WheelsCommand},
    scene::load::{LoadOptions, load},
    sensor::{gps::GpsData, odometry::OdometryData},
};

/// A rover of two wheels and a caster in a world with a position on Earth.
const ROVER: &str = "<sdf version='1.9'><world name='w'>
    <spherical_coordinates><latitude_deg>47</latitude_deg><longitude_deg>8</longitude_deg><elevation>400</elevation>
    <heading_deg>0</heading_deg></spherical_coordinates>
    <model name='ground'><static>true</static><link name='l'><collision name='c'><geometry><plane/></geometry></collision></link></model>
    <model name='it'><pose>0 0 0.1 0 0 0</pose>
    <link name='base'><inertial><mass>8</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>
      <collision name='caster'><pose>-0.2 0 -0.05 0 0 0</pose><geometry><sphere><radius>0.05</radius></sphere></geometry>
        <surface><friction><ode><mu>0</mu></ode></friction></surface></collision>
      <sensor name='sky' type='navsat'/></link>
    <link name='left'><pose>0.1 0.18 0 -1.5708 0 0</pose>
      <inertial><mass>0.5</mass><inertia><ixx>0.0014</ixx><iyy>0.0014</iyy><izz>0.0025</izz></inertia></inertial>
      <collision name='tyre'><geometry><cylinder><radius>0.1</radius><length>0.05</length></cylinder></geometry></collision></link>
    <link name='right'><pose>0.1 -0.18 0 -1.5708 0 0</pose>
      <inertial><mass>0.5</mass><inertia><ixx>0.0014</ixx><iyy>0.0014</iyy><izz>0.0025</izz></inertia></inertial>
      <collision name='tyre'><geometry><cylinder><radius>0.1</radius><length>0.05</length></cylinder></geometry></collision></link>
    <joint name='l' type='continuous'><parent>base</parent><child>left</child><axis><xyz>0 0 1</xyz></axis></joint>
    <joint name='r' type='continuous'><parent>base</parent><child>right</child><axis><xyz>0 0 1</xyz></axis></joint>
    <plugin filename='gz-sim-diff-drive-system' name='gz::sim::systems::DiffDrive'><left_joint>l</left_joint>
      <right_joint>r</right_joint><wheel_separation>0.36</wheel_separation><wheel_radius>0.1</wheel_radius>
      <odom_publish_frequency>20</odom_publish_frequency></plugin></model></world></sdf>";

#[test]
fn vehicles_publish_their_odometry_and_receivers_their_place_on_earth() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rover.sdf");
    std::fs::write(&path, ROVER).unwrap();
    let mut simulation = Simulation::load(&path).unwrap();
    simulation.run(30).unwrap();
    let ahead = WheelsCommand { v: 0.5, w: 0.0 };
    simulation.command::<VOmegaDiff>("it.drive", ahead).unwrap();
    simulation.run(240).unwrap();
    let odometry = simulation.read::<OdometryData>("it.odometry").unwrap();
    assert!(
        (odometry.x - 2.0).abs() < 0.05 && odometry.y.abs() < 0.01,
        "{odometry:?}"
    );
    assert!((odometry.vx - 0.5).abs() < 0.01, "{odometry:?}");
    let sky = simulation.read::<GpsData>("it.sky").unwrap();
    // A degree of longitude at 47° N has 76.06 km on the ellipsoid, 400 m above it.
    let east = (sky.longitude - 8.0) * 76_060.0;
    assert!(
        (east - 2.0).abs() < 0.06 && (sky.latitude - 47.0).abs() < 1e-6,
        "{sky:?}"
    );
    assert!(
        (sky.altitude - 400.1).abs() < 0.1 && (sky.velocity[0] - 0.5).abs() < 0.01,
        "{sky:?}"
    );
}

#[test]
fn limits_of_vehicles_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rover.sdf");
    let text = ROVER.replace(
        "<odom_publish",
        "<max_linear_velocity>0.5</max_linear_velocity><odom_publish",
    );
    for (text, count) in [(ROVER, 0), (&*text, 1)] {
        std::fs::write(&path, text).unwrap();
        let options = LoadOptions {
            is_alone: true,
            ..LoadOptions::default()
        };
        let warnings = load(&path, &options).unwrap().warnings;
        let limits = warnings
            .iter()
            .filter(|warning| warning.message == "limits of a vehicle are not read");
        assert_eq!(limits.count(), count, "{warnings:?}");
    }
}
