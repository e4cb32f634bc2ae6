//! Settings that users of MORSE write are within the ranges: its defaults, the values of its tests and of its documentation,
//! and half and quarter turns, also rounded.
use morse_sim::{Simulation, simulation::no_extensions};

/// Half a turn, in several roundings.
const HALF: [&str; 4] = ["3.141592653589793", "3.14159265", "3.1415927", "3.1416"];
const QUARTER: [&str; 3] = ["1.5707963267948966", "1.5707963", "1.5708"];

/// Kinds of sensors with settings of MORSE.
const SENSORS: &[&str] = &[
    r#"kind: "laser_scanner", laser_range: 30, resolution: 0.017453292519943295, scan_window: 3.141592653589793,
       layers: 1, layer_separation: 0.013962634015954637, layer_offset: 0.0021816615649929115"#,
    r#"kind: "hokuyo", scan_window: 6.283185307179586, resolution: 0.004363323129985824"#,
    r#"kind: "infrared", laser_range: 2, scan_window: 0.3490658503988659"#,
    r#"kind: "velodyne", laser_range: 50, scan_window: 0.5497787143782138, resolution: 0.008726646259971648"#,
    r#"kind: "video_camera", width: 256, height: 256, focal: 0.035, near: 0.1, far: 100, frequency: 20"#,
    r#"kind: "depth_camera", near: 1, far: 20, frequency: 20"#,
    r#"kind: "proximity", range: 100, frequency: 12"#,
    r#"kind: "radar_altimeter", max_range: 30"#,
    r#"kind: "thermometer", default_temperature: 15, fire_temperature: 200, range: 9223372036854775807, alpha: 0.2"#,
    r#"kind: "battery", discharging_rate: 0.05"#,
    r#"kind: "battery", discharging_rate: 10"#,
    r#"kind: "barometer", reference_pressure: 101325"#,
    r#"kind: "search_and_rescue", heal_range: 5, abilities: [1, 2], angle: 1.0471975511965976, distance: 10"#,
    r#"kind: "pose", modifiers: [(kind: "utm_offset", x_offset: 123456789.0, y_offset: -4828639.67, z_offset: 1000000000)]"#,
    r#"kind: "pose", modifiers: [(kind: "pose_noise", position_sigma: (0.05, 0.05, 0.05), orientation_sigma: (0.0873, 0.0873, 0.0873))]"#,
    r#"kind: "imu", modifiers: [(kind: "imu_noise", gyro_sigma: 0.5, accel_sigma: 0.5)]"#,
    r#"kind: "odometry", modifiers: [(kind: "odometry_noise", factor: 1.05, gyro_drift: 0.00872664625)]"#,
];

/// Kinds of actuators with settings of MORSE.
const ACTUATORS: &[&str] = &[
    r#"kind: "waypoint", angle_tolerance: 0.17453292519943295, speed: 1"#,
    r#"kind: "destination", speed: 5, tolerance: 0.5"#,
    r#"kind: "orientation", tolerance: 0.02"#,
    r#"kind: "drag", drag_coeff_x: 0.09, drag_coeff_y: 0.09, drag_coeff_z: 0.5"#,
    r#"kind: "rotorcraft_attitude", roll_pitch_p_gain: 100, yaw_p_gain: 16, thrust_factor: 40"#,
    r#"kind: "rotorcraft_velocity", horizontal_p_gain: 0.2, max_velocity: 2, max_bank_angle: 0.5235987755982988"#,
    r#"kind: "quadrotor_dynamic_control", thrust_factor: 9.169e-6, drag_factor: 2.4e-7, lever: 0.18"#,
    r#"kind: "ptu", speed: 1, tolerance: 0.0052"#,
    r#"kind: "gripper", angle: 1.0471975511965976, distance: 0.5"#,
    r#"kind: "light", distance: 10, color: (0, 0, 0), size: 1.5707963267948966, energy: 1"#,
];

fn load(section: &str, settings: &str) {
    let text = format!(
        r#"Simulation(robots: {{ "rover": (model: "robots/quadrotor.robray", {section}: {{ "part": ({settings}) }}) }})"#
    );
    if let Err(error) = Simulation::parse(&text, "scenes", &no_extensions) {
        panic!("{settings}\n{error}");
    }
}

#[test]
fn settings_of_morse_are_within_the_ranges() {
    SENSORS
        .iter()
        .for_each(|settings| load("sensors", settings));
    ACTUATORS
        .iter()
        .for_each(|settings| load("actuators", settings));
}

#[test]
fn half_and_quarter_turns_are_within_the_ranges_of_angles() {
    for half in HALF {
        for sensor in [
            "search_and_rescue\", angle: ",
            "laser_scanner\", scan_window: ",
            "sick_ldmrs\", layer_offset: -",
        ] {
            load("sensors", &format!("kind: \"{sensor}{half}"));
        }
        for actuator in [
            "gripper\", angle: ",
            "light\", size: ",
            "waypoint\", angle_tolerance: ",
            "orientation\", tolerance: ",
        ] {
            load("actuators", &format!("kind: \"{actuator}{half}"));
        }
    }
    for quarter in QUARTER {
        for actuator in ["rotorcraft_velocity", "rotorcraft_waypoint"] {
            load(
                "actuators",
                &format!("kind: \"{actuator}\", max_bank_angle: {quarter}"),
            );
        }
    }
}
