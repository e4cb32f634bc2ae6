//! Attitude sensor: orientation and angular velocity.
use std::f64::consts::FRAC_PI_2;

use morse_api::{
    angles::{normalized, yaw_pitch_roll},
    prelude::*,
};
use morse_geodesy::Origin;

use crate::motion::{ComputationMode, Moment, Motion, track};

/// Attitude and heading reference without error: angles in the world, angular velocity in the sensor's axes.
///
/// In computation mode `position`, the angular velocity follows from the rotation between two measurements; MORSE subtracts
/// Euler angles, which wrap.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Motion)]
pub struct Attitude {
    /// Source of the angular velocity: `automatic`, `velocity` (live) or `position` (from poses).
    #[reflect(@Property("ComputationMode"), @Form::COMPUTATION)]
    pub computation_mode: ComputationMode,
    /// True if yaw is measured from north, counter-clockwise seen from above, instead of from the world's x axis; requires
    /// an origin in the environment. As in MORSE, this yaw is minus the compass angle.
    #[reflect(@Property("UseAngleAgainstNorth"))]
    pub use_angle_against_north: bool,
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AttitudeData {
    /// Orientation in the world: yaw, pitch and roll, rad.
    pub rotation: Angles,
    /// Angular velocity about the sensor's x, y and z axes.
    #[reflect(@Unit("rad/s"))]
    pub angular_velocity: [f64; 3],
}

/// Yaw, pitch and roll: R = Rz(yaw) · Ry(pitch) · Rx(roll). Of the two triples for the same rotation, the one with the
/// smaller sum of absolute values.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Angles {
    /// Rotation about the world's z axis, from x or from north.
    #[reflect(@Unit("rad"))]
    pub yaw: f64,
    /// Rotation about the y axis, after yaw.
    #[reflect(@Unit("rad"))]
    pub pitch: f64,
    /// Rotation about the x axis, after yaw and pitch.
    #[reflect(@Unit("rad"))]
    pub roll: f64,
}

impl Sensor for Attitude {
    const KIND: &'static str = "attitude";
    const MORSE_CLASSES: &'static [&'static str] = &["Attitude"];
    type Data = AttitudeData;

    fn check(&self, world: &World, _: Entity) -> Result<(), CheckError> {
        if !self.use_angle_against_north || world.contains_resource::<Origin>() {
            return Ok(());
        }
        Err(CheckError::unmet(
            "yaw from north requires the orientation of the scene: \
             `environment: (origin: (latitude: …, longitude: …, angle_against_north: …))`, or \
             `use_angle_against_north: false`",
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    track(app);
    app.add_sensor::<Attitude, _>(default_action);
}

fn default_action(
    moment: Moment<'_>,
    origin: Option<Res<Origin>>,
    mut sensors: Query<(
        &Attitude,
        &Due,
        &WorldPose,
        &WorldVelocity,
        &mut Motion,
        &mut AttitudeData,
    )>,
) {
    // Direction of the world's x axis, counter-clockwise from north.
    let x_from_north = origin.map_or(-FRAC_PI_2, |origin| {
        -origin.angle_against_north.to_radians()
    });
    for (settings, due, pose, velocity, mut motion, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        let moved = motion.measure(settings.computation_mode, pose, velocity, &moment);
        let [yaw, pitch, roll] = yaw_pitch_roll(&pose.0.rotation);
        let yaw = if settings.use_angle_against_north {
            normalized(yaw + x_from_north)
        } else {
            yaw
        };
        *data = AttitudeData {
            rotation: Angles { yaw, pitch, roll },
            angular_velocity: pose
                .0
                .rotation
                .inverse_transform_vector(&moved.angular)
                .into(),
        };
    }
}

#[cfg(test)]
mod tests {
    use morse_api::fields::to_json;
    use morse_testing::{TestWorld, moving};

    use super::*;

    /// State of a body that rotates about the vertical.
    fn turning(yaw: f64, rate: f64) -> BodyState {
        moving([1.0, 0.0, 0.0], yaw, [0.0; 3], [0.0, 0.0, rate])
    }

    #[test]
    fn rates_are_about_the_axes_of_the_sensor_in_both_ways() {
        let (omega, frequency) = (1.5, 7.0);
        for mode in ["velocity", "position"] {
            let text = format!("(computation_mode: {mode})");
            let mut test = TestWorld::new(60.0, plugin, turning(0.0, omega));
            // Pitched nose down by 30°: the vertical lies between the z axis and minus the x axis.
            let mount = Isometry3::rotation(Vector3::y() * FRAC_PI_2 / 3.0);
            let sensor = test.sensor::<Attitude>("rover.attitude", &text, frequency, mount);
            // More than two full turns; yaw wraps from π to -π.
            let mut measured = 0;
            for tick in 1..=600 {
                let yaw = omega * f64::from(tick) / 60.0;
                test.step(turning(yaw, omega));
                let data: AttitudeData = test.read(sensor);
                let (half, root) = (0.5 * omega, 0.75_f64.sqrt() * omega);
                let error = Vector3::from(data.angular_velocity) - Vector3::new(-half, 0.0, root);
                assert!(error.norm() < 1e-9, "{mode}, tick {tick}: {data:?}");
                if test.clock().is_due(frequency) {
                    measured += 1;
                    let rotation = data.rotation;
                    assert!(normalized(rotation.yaw - yaw).abs() < 1e-9, "{rotation:?}");
                    assert!(
                        (rotation.pitch - FRAC_PI_2 / 3.0).abs() < 1e-9
                            && rotation.roll.abs() < 1e-9
                    );
                }
            }
            assert!((70..=71).contains(&measured), "{measured}");
        }
    }

    #[test]
    fn yaw_from_north() {
        // Angle of x against north, yaw in the scene, yaw from north: west is a quarter turn.
        for (against_north, yaw, expected) in [
            (90.0, 0.0, -FRAC_PI_2),
            (90.0, FRAC_PI_2, 0.0),
            (0.0, 0.3, 0.3),
            (0.0, 3.0, 3.0),
            (45.0, -3.0, -3.0 - FRAC_PI_2 / 2.0 + std::f64::consts::TAU),
        ] {
            let mut test = TestWorld::new(60.0, plugin, BodyState::default());
            test.app.insert_resource(Origin {
                angle_against_north: against_north,
                ..Origin::default()
            });
            let at = Isometry3::identity();
            let north = "(use_angle_against_north: true)";
            let north = test.sensor::<Attitude>("rover.north", north, 60.0, at);
            let scene = test.sensor::<Attitude>("rover.scene", "()", 60.0, at);
            test.step(turning(yaw, 0.0));
            let of = |sensor| test.read::<AttitudeData>(sensor).rotation.yaw;
            assert!((of(north) - expected).abs() < 1e-12, "{}", of(north));
            assert!((of(scene) - yaw).abs() < 1e-12);
        }
        let world = World::new();
        let check = |use_angle_against_north| {
            let settings = Attitude {
                use_angle_against_north,
                ..Attitude::default()
            };
            settings.check(&world, Entity::PLACEHOLDER)
        };
        assert!(check(false).is_ok());
        assert!(check(true).unwrap_err().to_string().contains("origin"));
    }

    #[test]
    fn clients_get_an_object_of_angles() {
        let data = AttitudeData {
            rotation: Angles {
                yaw: 1.0,
                pitch: 2.0,
                roll: 3.0,
            },
            angular_velocity: [4.0, 5.0, 6.0],
        };
        let expected =
            r#"{"rotation":{"yaw":1.0,"pitch":2.0,"roll":3.0},"angular_velocity":[4.0,5.0,6.0]}"#;
        assert_eq!(serde_json::to_string(&data).unwrap(), expected);
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(to_json(&data), expected);
    }
}
