//! Pose of a sensor, without error: the ground truth.
use morse_api::{angles::yaw_pitch_roll, prelude::*};

/// Measures the pose of the sensor in the world.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pose {}

/// Position, and orientation as Euler angles: R = Rz(yaw) · Ry(pitch) · Rx(roll).
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(alias("PoseStamped", "framepos", "framequat", "xpos"))]
pub struct PoseData {
    /// Position east of the scene's origin.
    #[reflect(@Unit("m"))]
    pub x: f64,
    /// Position north of the scene's origin.
    #[reflect(@Unit("m"))]
    pub y: f64,
    /// Height above the scene's origin.
    #[reflect(@Unit("m"))]
    pub z: f64,
    /// Rotation about the world's z axis.
    #[reflect(@Unit("rad"))]
    pub yaw: f64,
    /// Rotation about the y axis, after yaw.
    #[reflect(@Unit("rad"))]
    pub pitch: f64,
    /// Rotation about the x axis, after yaw and pitch.
    #[reflect(@Unit("rad"))]
    pub roll: f64,
}

impl Sensor for Pose {
    const KIND: &'static str = "pose";
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::Pose]];
    const MORSE_CLASSES: &'static [&'static str] = &["Pose"];
    type Data = PoseData;
}

/// Adds this sensor.
pub fn plugin(app: &mut App) {
    app.add_sensor::<Pose, _>(default_action);
}

fn default_action(mut sensors: Query<(&Due, &WorldPose, &mut PoseData), With<Pose>>) {
    for (due, pose, mut data) in &mut sensors {
        if due.0 {
            *data = measure(&pose.0);
        }
    }
}

fn measure(pose: &Isometry3<f64>) -> PoseData {
    let [yaw, pitch, roll] = yaw_pitch_roll(&pose.rotation);
    let position = pose.translation;
    PoseData {
        x: position.x,
        y: position.y,
        z: position.z,
        yaw,
        pitch,
        roll,
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn a_quarter_turn_to_the_left() {
        let pose = Isometry3::from_parts(
            Vector3::new(1.0, 2.0, 3.0).into(),
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), FRAC_PI_2),
        );
        let data = measure(&pose);
        assert_eq!((data.x, data.y, data.z), (1.0, 2.0, 3.0));
        assert!(
            (data.yaw - FRAC_PI_2).abs() < 1e-12
                && data.pitch.abs() < 1e-12
                && data.roll.abs() < 1e-12
        );
    }
}
