//! MORSE's class names of kinds, which the service `simulation details` reports to clients.

/// Class names by kinds of sensor and actuator, and by models of robots. Kinds that MORSE does not have keep their own
/// names.
pub const CLASSES: &[(&str, &str)] = &[
    // Sensors.
    ("accelerometer", "Accelerometer"),
    ("airspeed", "Airspeed"),
    ("armature_pose", "ArmaturePose"),
    ("attitude", "Attitude"),
    ("barometer", "Barometer"),
    ("battery", "Battery"),
    ("clock", "Clock"),
    ("collision", "Collision"),
    ("compound", "CompoundSensor"),
    ("depth_camera", "DepthCamera"),
    ("depth_camera_aggregator", "DepthCameraAggregator"),
    ("depth_video_camera", "DepthVideoCamera"),
    ("gps", "GPS"),
    ("gyroscope", "Gyroscope"),
    ("hokuyo", "LaserScanner"),
    ("human_posture", "HumanPosture"),
    ("imu", "IMU"),
    ("infrared", "LaserScanner"),
    ("laser_scanner", "LaserScanner"),
    ("magnetometer", "Magnetometer"),
    ("odometry", "Odometry"),
    ("pose", "Pose"),
    ("proximity", "Proximity"),
    ("ptu_posture", "PTUPosture"),
    ("radar_altimeter", "RadarAltimeter"),
    ("search_and_rescue", "SearchAndRescue"),
    ("semantic_camera", "SemanticCamera"),
    ("sick", "LaserScanner"),
    ("sick_ldmrs", "LaserScanner"),
    ("stereo_unit", "StereoUnit"),
    ("thermometer", "Thermometer"),
    ("velocity", "Velocity"),
    ("velodyne", "LaserScannerRotationZ"),
    ("velodyne_zb", "DepthCameraRotationZ"),
    ("video_camera", "VideoCamera"),
    // Actuators.
    ("armature", "Armature"),
    ("arucomarker", "Arucomarker"),
    ("destination", "Destination"),
    ("drag", "Drag"),
    ("external_force", "ExternalForce"),
    ("force_torque", "ForceTorque"),
    ("gripper", "Gripper"),
    ("joystick", "Joystick"),
    ("keyboard", "Keyboard"),
    ("light", "Light"),
    ("orientation", "Orientation"),
    ("pa_10", "PA10"),
    ("ptu", "PTU"),
    ("quadrotor_dynamic_control", "QuadrotorDynamicControl"),
    ("rotorcraft_attitude", "RotorcraftAttitude"),
    ("rotorcraft_velocity", "RotorcraftVelocity"),
    ("rotorcraft_waypoint", "RotorcraftWaypoint"),
    ("sound", "Sound"),
    ("stabilized_quadrotor", "StabilizedQuadrotor"),
    ("steer_force", "SteerForce"),
    ("teleport", "Teleport"),
    ("v_omega", "MotionVW"),
    ("v_omega_diff", "MotionVWDiff"),
    ("waypoint", "Waypoint"),
    ("xy_omega", "MotionXYW"),
    // Models of robots. MORSE's two quadrotors have the same class name.
    ("atrv", "ATRV"),
    ("b21", "B21"),
    ("fake_robot", "FakeRobot"),
    ("human", "Human"),
    ("hummer", "Hummer"),
    ("jido", "Jido"),
    ("morsy", "Morsy"),
    ("patrolbot", "PatrolBot"),
    ("pioneer3dx", "Pioneer3DX"),
    ("pr2", "PR2"),
    ("quad2012", "Quadrotor"),
    ("quadrotor", "Quadrotor"),
    ("rmax", "RMax"),
    ("segway_rmp400", "SegwayRMP400"),
    ("submarine", "Submarine"),
    ("victim", "Victim"),
];

/// Class names that depend on the level: kind, level, class.
const LEVELS: &[(&str, &str, &str)] = &[
    ("gps", "raw", "RawGPS"),
    ("gps", "extended", "ExtendedGPS"),
    ("odometry", "raw", "RawOdometry"),
    ("odometry", "integrated", "IntegratedOdometry"),
];

/// Returns MORSE's class name of a kind at a level; the name of the kind if MORSE does not have it.
#[must_use]
pub fn class_of<'a>(kind: &'a str, level: Option<&str>) -> &'a str {
    let of_level = LEVELS
        .iter()
        .find(|(own, at, _)| *own == kind && Some(*at) == level);
    let of_kind = || CLASSES.iter().find(|(own, _)| *own == kind);
    of_level
        .map(|(_, _, class)| *class)
        .or_else(|| of_kind().map(|(_, class)| *class))
        .unwrap_or(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_may_have_classes_of_their_own() {
        for (kind, level, expected) in [
            ("pose", None, "Pose"),
            ("v_omega", None, "MotionVW"),
            ("gps", Some("simple"), "GPS"),
            ("gps", Some("raw"), "RawGPS"),
            ("odometry", Some("differential"), "Odometry"),
            ("odometry", Some("integrated"), "IntegratedOdometry"),
            ("sick", Some("raw"), "LaserScanner"),
            ("joint_state", None, "joint_state"),
        ] {
            assert_eq!(class_of(kind, level), expected);
        }
    }
}
