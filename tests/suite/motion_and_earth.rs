//! Sensors of motion, air and Earth on robots moved by physics and actuators.
use morse_sim::{
    Simulation,
    actuator::teleport::{Teleport, TeleportCommand},
    sensor::{
        accelerometer::AccelerometerData, airspeed::AirspeedData, attitude::AttitudeData,
        barometer::BarometerData, gps::GpsData, imu::ImuData, magnetometer::MagnetometerData,
        pose::PoseData, radar_altimeter::RadarAltimeterData, velocity::VelocityData,
    },
    simulation::{BuildError, no_extensions},
};

/// Returns a rover at x = -3, two metres above the plain.
fn build(
    environment: &str,
    base: &str,
    sensors: &str,
    actuators: &str,
) -> Result<Simulation, BuildError> {
    let text = format!(
        r#"Simulation(
            scene: "boxes.robray",
            environment: (rate: 60, {environment}),
            robots: {{ "rover": (
                model: "robots/atrv.robray", base: {base}, at: (translation: (-3, 0, 2)),
                sensors: {{ {sensors} }},
                actuators: {{ {actuators} }},
            ) }},
        )"#
    );
    Simulation::parse(&text, "scenes", &no_extensions)
}

fn rover(base: &str, sensors: &str, actuators: &str) -> Simulation {
    build("", base, sensors, actuators).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(environment: &str, sensors: &str) -> String {
    match build(environment, "dynamic", sensors, "") {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    }
}

const EARTH: &str = "origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)";

/// One sensor of each kind, in both variants where there are two.
const ALL: &str = r#"
    "acc_v": (kind: "accelerometer", computation_mode: velocity),
    "acc_p": (kind: "accelerometer", computation_mode: position, frequency: 25),
    "att_v": (kind: "attitude", mount: (translation: (0.3, 0, 0.4))),
    "att_p": (kind: "attitude", computation_mode: position, use_angle_against_north: true),
    "imu_v": (kind: "imu"),
    "imu_p": (kind: "imu", computation_mode: position, frequency: 7),
    "speed": (kind: "airspeed", computation_mode: position),
    "vel_p": (kind: "velocity", computation_mode: position),
    "angles": (kind: "gyroscope"),
    "north": (kind: "magnetometer", frequency: 10),
    "air": (kind: "barometer"),
    "height": (kind: "radar_altimeter"),
"#;

#[test]
fn a_falling_rover_as_its_sensors_see_it() {
    let sensors = r#"
        "live": (kind: "accelerometer"),
        "poses": (kind: "accelerometer", computation_mode: position),
        "imu": (kind: "imu"),
        "height": (kind: "radar_altimeter", mount: (translation: (0, 0, 0.5))),
        "pose": (kind: "pose", mount: (translation: (0, 0, 0.5))),
        "air": (kind: "barometer"),
    "#;
    let mut simulation = rover("dynamic", sensors, "");
    for tick in 1..=20 {
        simulation.step().unwrap();
        let down = |acceleration: [f64; 3], expected: f64, tolerance: f64| {
            assert!(
                acceleration[0].abs() < tolerance && (acceleration[2] - expected).abs() < tolerance,
                "tick {tick}: {acceleration:?}"
            );
        };
        let live: &AccelerometerData = simulation.read("rover.live").unwrap();
        down(live.acceleration, -9.81, 1e-3);
        down(live.velocity, -9.81 * f64::from(tick) / 60.0, 1e-4);
        let imu: &ImuData = simulation.read("rover.imu").unwrap();
        down(imu.linear_acceleration, 0.0, 1e-3);
        assert_eq!(imu.magnetic_field, [0.0; 3]);
        if tick > 1 {
            // Poses have the engine's single precision: 2e-7 m, times 60 Hz squared.
            let poses: &AccelerometerData = simulation.read("rover.poses").unwrap();
            down(poses.acceleration, -9.81, 5e-3);
        }
        let pose: &PoseData = simulation.read("rover.pose").unwrap();
        let height: &RadarAltimeterData = simulation.read("rover.height").unwrap();
        assert!((height.z - pose.z).abs() < 1e-9, "{height:?} {pose:?}");
        // Near the start the pressure changes by 12.01 Pa per metre: p·M·g / (R·T).
        let air: &BarometerData = simulation.read("rover.air").unwrap();
        let fallen = 2.5 - pose.z;
        assert!(
            (air.pressure - 101_325.0 - 12.01 * fallen).abs() < 0.02,
            "{air:?}"
        );
    }
}

#[test]
fn every_computation_mode_sees_what_is_moved_past_physics() {
    let sensors = r#"
        "automatic": (kind: "velocity"),
        "poses": (kind: "velocity", computation_mode: position),
        "live": (kind: "velocity", computation_mode: velocity),
        "attitude": (kind: "attitude", computation_mode: position),
        "speed": (kind: "airspeed", computation_mode: position),
    "#;
    let drive = r#""motion": (kind: "v_omega", control: position, start: (v: 2, w: 0.5))"#;
    for base in ["fixed", "kinematic"] {
        let mut simulation = rover(base, sensors, drive);
        simulation.run(30).unwrap();
        let speed = |path: &str| {
            let data: &VelocityData = simulation.read(path).unwrap();
            data.linear_velocity[0]
        };
        for mode in ["automatic", "poses", "live"] {
            let speed = speed(&format!("rover.{mode}"));
            assert!((speed - 2.0).abs() < 1e-3, "{base}, {mode}: {speed}");
        }
        let attitude: &AttitudeData = simulation.read("rover.attitude").unwrap();
        assert!(
            (attitude.angular_velocity[2] - 0.5).abs() < 1e-3,
            "{attitude:?}"
        );
        let tube: &AirspeedData = simulation.read("rover.speed").unwrap();
        assert!(
            (tube.diff_pressure - 0.5 * 1.225 * 4.0).abs() < 5e-3,
            "{tube:?}"
        );
    }
}

#[test]
fn a_teleported_rover_turns_as_far_as_its_poses_say() {
    let sensors = r#""attitude": (kind: "attitude", computation_mode: position)"#;
    let mut simulation = rover("dynamic", sensors, r#""put": (kind: "teleport")"#);
    // From 3 rad to -3 rad is a small turn to the left, through π.
    let mut turn_to = |yaw| {
        let command = TeleportCommand {
            z: 2.0,
            yaw,
            ..TeleportCommand::default()
        };
        simulation
            .command::<Teleport>("rover.put", command)
            .unwrap();
        simulation.step().unwrap();
        let data: &AttitudeData = simulation.read("rover.attitude").unwrap();
        (data.rotation.yaw, data.angular_velocity[2])
    };
    turn_to(3.0);
    let (yaw, rate) = turn_to(-3.0);
    assert!((yaw + 3.0).abs() < 1e-4, "{yaw}");
    assert!(
        (rate - (std::f64::consts::TAU - 6.0) * 60.0).abs() < 1e-2,
        "{rate}"
    );
}

#[test]
fn the_field_is_that_of_the_position_and_the_same_for_imu_and_magnetometer() {
    let sensors = r#"
        "imu": (kind: "imu", mount: (rpy: (0.3, 1.2, -2))),
        "north": (kind: "magnetometer", mount: (rpy: (0.3, 1.2, -2))),
        "level": (kind: "magnetometer"),
    "#;
    let mut simulation =
        build(EARTH, "fixed", sensors, "").unwrap_or_else(|error| panic!("{error}"));
    simulation.step().unwrap();
    let of = |path: &str| {
        let data: &MagnetometerData = simulation.read(path).unwrap();
        [data.x, data.y, data.z]
    };
    let imu: &ImuData = simulation.read("rover.imu").unwrap();
    assert_eq!(imu.magnetic_field, of("rover.north"));
    // East, north and up at the origin by pygeomag 1.1.0; the rover is 3 m west of it and 2 m above.
    for (component, expected) in
        of("rover.level")
            .into_iter()
            .zip([763.769, 23_882.696, -40_074.517])
    {
        assert!(
            (component - expected).abs() < 0.1,
            "{component} instead of {expected}"
        );
    }
}

#[test]
fn morse_stores_the_position_with_32_bits_and_takes_north_east_and_down_for_the_axes_of_the_scene()
{
    let sensors = r#"
        "gps": (kind: "gps", level: raw, mount: (translation: (3, 0, 0))),
        "north": (kind: "magnetometer", mount: (rpy: (0, 0, 0.5))),
        "imu": (kind: "imu", mount: (rpy: (0, 0, 0.5))),
    "#;
    let run = |motion: &str| {
        let environment = format!(
            "motion: {motion}, origin: (latitude: -33.8688, longitude: 151.2093, altitude: 58.123456789)"
        );
        let mut simulation =
            build(&environment, "fixed", sensors, "").unwrap_or_else(|error| panic!("{error}"));
        simulation.step().unwrap();
        let gps: &GpsData = simulation.read("rover.gps").unwrap();
        let north: &MagnetometerData = simulation.read("rover.north").unwrap();
        let imu: &ImuData = simulation.read("rover.imu").unwrap();
        assert_eq!(imu.magnetic_field, [north.x, north.y, north.z]);
        (
            [gps.longitude, gps.latitude, gps.altitude],
            imu.magnetic_field,
        )
    };
    let given = [151.2093, -33.8688, 58.123_456_789];
    let rounded = given.map(|number: f64| f64::from(number as f32));
    // 1e-8° are a millimetre.
    let near = |actual: [f64; 3], expected: [f64; 3]| {
        (actual[0] - expected[0]).abs() < 1e-8
            && (actual[1] - expected[1]).abs() < 1e-8
            && (actual[2] - 2.0 - expected[2]).abs() < 1e-3
    };
    let (by_default, field) = run("default");
    assert!(near(by_default, given), "{by_default:?}");
    let (position, swapped) = run("morse");
    assert!(near(position, rounded), "{position:?}");
    assert!((rounded[0] - given[0]).abs() > 1e-6, "{rounded:?}");
    // East, north and up in axes rotated by 0.5 rad, and north, east and down in the same axes.
    let (sine, cosine) = libm::sincos(0.5);
    let unturned = [
        cosine * field[0] - sine * field[1],
        sine * field[0] + cosine * field[1],
    ];
    let [north, east, down] = [unturned[1], unturned[0], -field[2]];
    let expected = [
        cosine * north + sine * east,
        cosine * east - sine * north,
        down,
    ];
    for (component, expected) in swapped.into_iter().zip(expected) {
        assert!((component - expected).abs() < 0.1, "{swapped:?}");
    }
}

#[test]
fn what_is_missing_is_said_at_the_load() {
    let error = refused("", r#""north": (kind: "magnetometer")"#);
    assert!(
        error.contains("rover.north") && error.contains("origin: (latitude"),
        "{error}"
    );
    for sensor in ["imu", "magnetometer"] {
        let error = refused(
            EARTH,
            &format!(r#""field": (kind: "{sensor}", date: 2034.5)"#),
        );
        assert!(
            error.contains("2034.5") && error.contains("2015 to 2030"),
            "{error}"
        );
    }
    let sensors = r#""att": (kind: "attitude", use_angle_against_north: true)"#;
    assert!(refused("", sensors).contains("angle_against_north"));
    let error = refused("", r#""height": (kind: "radar_altimeter", max_range: -3)"#);
    assert!(
        error.contains("max_range") && error.contains("0.001 to 1e6 m"),
        "{error}"
    );
    let error = refused(
        "",
        r#""v": (kind: "velocity", computation_mode: positions)"#,
    );
    assert!(error.contains("`position`"), "{error}");
}

#[test]
fn a_restored_world_goes_on_with_the_same_bits() {
    let drive = r#""motion": (kind: "v_omega", start: (v: 1, w: 0.7))"#;
    let build = || build(EARTH, "dynamic", ALL, drive).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = build();
    simulation.hash_every_tick();
    simulation.run(40).unwrap();
    let snapshot = simulation.snapshot().unwrap();
    simulation.run(40).unwrap();
    let hash = simulation.state_hash();
    simulation.restore(&snapshot).unwrap();
    simulation.run(40).unwrap();
    assert_eq!(simulation.state_hash(), hash, "restored");
    simulation.reset().unwrap();
    simulation.run(80).unwrap();
    assert_eq!(simulation.state_hash(), hash, "reset");
    let mut other = build();
    other.hash_every_tick();
    other.run(80).unwrap();
    assert_eq!(other.state_hash(), hash, "another world");
}
