//! Scanners and noise as descriptions of Gazebo have them, compared with the geometry of the world.

use morse_sim::{
    Simulation,
    scene::load::{LoadOptions, load},
    sensor::{barometer::BarometerData, imu::ImuData, laser::LaserScannerData},
};

/// A wall at y = 2.9, a floor, and scanners one metre above the origin.
const WORLD: &str = "<sdf version='1.9'><world name='w'>
    <model name='ground'><static>true</static><link name='l'>
      <collision name='c'><geometry><plane/></geometry></collision>
      <visual name='v'><geometry><plane><size>40 40</size></plane></geometry></visual></link></model>
    <model name='wall'><static>true</static><pose>0 3 1 0 0 0</pose><link name='l'>
      <collision name='c'><geometry><box><size>1 0.2 2</size></box></geometry></collision>
      <visual name='v'><geometry><box><size>1 0.2 2</size></box></geometry></visual></link></model>
    <model name='it'><static>true</static><pose>0 0 1 0 0 0</pose><link name='l'>
      <sensor name='turning' type='gpu_lidar'><update_rate>10</update_rate><lidar><scan>
        <horizontal><samples>360</samples><min_angle>0</min_angle><max_angle>6.28319</max_angle></horizontal></scan>
        <range><min>0.1</min><max>10</max></range></lidar></sensor>
      <sensor name='ends' type='gpu_lidar'><update_rate>10</update_rate><lidar><scan>
        <horizontal><samples>2</samples><min_angle>-4.712389</min_angle><max_angle>1.570796</max_angle></horizontal></scan>
        <range><min>0.1</min><max>10</max></range></lidar></sensor>
      <sensor name='down' type='gpu_lidar'><update_rate>10</update_rate><lidar><scan>
        <horizontal><samples>1</samples><min_angle>0</min_angle><max_angle>0</max_angle></horizontal>
        <vertical><samples>1</samples><min_angle>-0.3</min_angle><max_angle>-0.3</max_angle></vertical></scan>
        <range><min>0.1</min><max>10</max></range></lidar></sensor>
    </link></model></world></sdf>";

#[test]
fn scanners_may_turn_once_and_look_down() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("world.sdf");
    std::fs::write(&path, WORLD).unwrap();
    let mut simulation = Simulation::load(&path).unwrap();
    simulation.run(12).unwrap();
    let ranges = |name: &str| {
        let scan = simulation.read::<LaserScannerData>(&format!("it.{name}"));
        scan.unwrap().range_list.clone()
    };
    let turning = ranges("turning");
    assert_eq!(turning.len(), 360);
    for (index, range) in turning.iter().enumerate() {
        let angle = index as f64 * std::f64::consts::TAU / 359.0;
        let (sine, cosine) = libm::sincos(angle);
        let is_wall = sine > 0.0 && (2.9 * cosine / sine).abs() < 0.499;
        let is_beside = sine > 0.0 && (2.9 * cosine / sine).abs() < 0.54;
        let expected = if is_wall { 2.9 / sine } else { 10.0 };
        assert!(
            is_wall != is_beside || (range - expected).abs() < 1e-3,
            "{index}: {range}"
        );
    }
    // A whole turn lies between two rays that look at the wall.
    let ends = ranges("ends");
    assert_eq!(ends.len(), 2);
    assert!(
        ends.iter().all(|range| (range - 2.9).abs() < 1e-3),
        "{ends:?}"
    );
    let down = ranges("down");
    let expected = 1.0 / libm::sin(0.3);
    assert!(
        down.len() == 1 && (down[0] - expected).abs() < 1e-3,
        "{down:?}"
    );
}

/// Sensors whose noise is a constant error, and others whose noise is random.
const NOISY: &str = "<sdf version='1.9'><world name='w'><model name='ground'><static>true</static><link name='l'>
      <collision name='c'><geometry><plane/></geometry></collision>
      <visual name='v'><geometry><plane><size>40 40</size></plane></geometry></visual></link></model>
    <model name='it'><static>true</static><pose>0 0 1 0 0 0</pose><link name='l'>
    <visual name='v'><geometry><sphere><radius>0.05</radius></sphere></geometry></visual>
    <sensor name='down' type='gpu_lidar'><pose>0 0 -0.1 0 1.5708 0</pose><lidar>
      <scan><horizontal><samples>1</samples><min_angle>0</min_angle><max_angle>0</max_angle></horizontal></scan>
      <range><max>9</max></range><noise><type>gaussian</type><mean>0.25</mean><stddev>0</stddev></noise></lidar></sensor>
    <sensor name='imu' type='imu'><imu>
      <angular_velocity><y><noise type='gaussian'><mean>0.5</mean><bias_mean>0.25</bias_mean></noise></y></angular_velocity>
      <linear_acceleration><x><noise type='none'><mean>7</mean></noise></x></linear_acceleration></imu></sensor>
    <sensor name='calm' type='air_pressure'/>
    <sensor name='air' type='air_pressure'><air_pressure><pressure><noise type='gaussian'><mean>30</mean></noise></pressure></air_pressure></sensor>
    <sensor name='sky' type='navsat'><navsat><position_sensing><horizontal><noise type='gaussian'><stddev>2</stddev></noise></horizontal>
      <vertical><noise type='gaussian'><stddev>3</stddev></noise></vertical></position_sensing></navsat></sensor>
    <sensor name='eye' type='camera'><camera><distortion><k1>0.1</k1><p2>0.02</p2></distortion>
      <noise><type>gaussian</type><stddev>0.1</stddev></noise></camera></sensor>
    <sensor name='deep' type='depth_camera'><camera><noise><type>gaussian</type><stddev>0.2</stddev></noise></camera></sensor>
    <sensor name='hand' type='force_torque'><force_torque><force><z><noise type='gaussian'><stddev>4</stddev></noise></z></force></force_torque></sensor>
    </link></model></world></sdf>";

#[test]
fn noise_changes_readings() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("noisy.sdf");
    std::fs::write(&path, NOISY).unwrap();
    let options = LoadOptions {
        is_alone: true,
        ..LoadOptions::default()
    };
    let components = load(&path, &options).unwrap().components;
    for expected in [
        "(kind: \"gps_noise\", sigma: [2, 2, 3])",
        "distortion: [0.1, 0.0, 0.0, 0.02, 0.0]",
        "(kind: \"image_noise\", sigma: 0.1)",
        "(kind: \"depth_noise\", sigma: 0.2, growth: 0)",
        "(kind: \"gaussian\", fields: [\"force.2\"], sigma: 4)",
    ] {
        assert!(components.contains(expected), "{expected} in {components}");
    }
    let mut simulation = Simulation::load(&path).unwrap();
    simulation.run(12).unwrap();
    let down = simulation.read::<LaserScannerData>("it.down").unwrap();
    let imu = simulation.read::<ImuData>("it.imu").unwrap();
    let [x, y, z] = imu.angular_velocity;
    assert!(
        x.abs() < 1e-9 && (y - 0.75).abs() < 1e-9 && z.abs() < 1e-9,
        "{imu:?}"
    );
    assert!(imu.linear_acceleration[0].abs() < 1e-6, "{imu:?}");
    let pressure = |name: &str| {
        let read = simulation.read::<BarometerData>(&format!("it.{name}"));
        read.unwrap().pressure
    };
    assert!((pressure("air") - pressure("calm") - 30.0).abs() < 1e-6);
    // From 0.9 m above the ground.
    let range = down.range_list[0];
    assert!((range - 1.15).abs() < 1e-4, "{range}");
}
