//! Frames for `/tf` and `/tf_static`: `odom` → `base_link` → sensors (REP 105), and optical frames of cameras.
use morse_api::{reading::SensorInfo, ros::RosMessage};
use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};

use crate::{
    data::Sample,
    detections::is_detector,
    messages::{Header, TFMessage, Time, TransformStamped},
    names, pictures,
    topics::{is_at_base, odometry_frames},
};

/// Returns true if the readings of a sensor are the pose of its robot's base in `odom`: an odometry at the base.
#[must_use]
pub fn moves_base(info: &SensorInfo) -> bool {
    info.ros.contains(&RosMessage::Odometry) && is_at_base(info) && !info.is_moving
}

/// Returns true if readings of a sensor determine a pose in `/tf`.
#[must_use]
pub fn moves(info: &SensorInfo) -> bool {
    moves_base(info) || info.is_moving
}

/// Returns the pose that a reading determines in `/tf`: that of the base in `odom`, from its odometry, or that of a sensor that
/// moves on its robot.
#[must_use]
pub fn moved(sample: &Sample<'_>) -> TFMessage {
    let info = sample.info;
    let ((frame_id, child_frame_id), pose) = match info.is_moving {
        true => {
            let names = (names::base(&info.robot), names::frame(&info.path));
            (names, sample.reading.on_robot(info))
        }
        false => (odometry_frames(info), sample.pose()),
    };
    TFMessage {
        transforms: vec![TransformStamped {
            header: Header {
                stamp: sample.stamp(),
                frame_id,
            },
            child_frame_id,
            transform: pose.into(),
        }],
    }
}

/// Returns the poses of sensors that do not move on their robots, and of the optical frames of cameras.
#[must_use]
pub fn mounts<'a>(sensors: impl Iterator<Item = &'a SensorInfo>) -> TFMessage {
    let mut transforms = Vec::new();
    for info in sensors.filter(|info| !moves_base(info)) {
        let own = names::frame(&info.path);
        if !info.is_moving {
            let base = names::base(&info.robot);
            transforms.push(fixed(base, own.clone(), info.robot_from_sensor));
        }
        let optical = |at: Vector3<f64>, eye: &str| {
            let pose = Isometry3::from_parts(at.into(), optical());
            fixed(own.clone(), pictures::frame(&info.path, eye), pose)
        };
        if info.ros.contains(&RosMessage::KinectColor) {
            transforms.push(optical(setting(info, "rgb_at"), pictures::RGB));
            transforms.push(optical(setting(info, "depth_at"), pictures::DEPTH));
        } else if info.fields.get("intrinsic_matrix").is_some() || is_detector(info) {
            transforms.push(optical(Vector3::zeros(), ""));
        }
    }
    TFMessage { transforms }
}

/// Returns a position among the settings of a sensor, m.
fn setting(info: &SensorInfo, name: &str) -> Vector3<f64> {
    let numbers = info.settings.get(name);
    let number = |index| numbers?.get(index)?.as_f64();
    Vector3::from_fn(|at, _| number(at).unwrap_or_default())
}

pub(crate) fn fixed(
    parent: String,
    child_frame_id: String,
    pose: Isometry3<f64>,
) -> TransformStamped {
    TransformStamped {
        header: Header {
            stamp: Time::default(),
            frame_id: parent,
        },
        child_frame_id,
        transform: pose.into(),
    }
}

/// Returns the rotation of the axes of images relative to a camera that looks along x: z forward, x right, y down.
fn optical() -> UnitQuaternion<f64> {
    let columns = Matrix3::new(0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, -1.0, 0.0);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(columns))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use morse_api::fields::Fields;
    use serde_json::Value as Json;

    use super::*;

    #[test]
    fn an_odometry_at_the_base_moves_it_whatever_the_heading() {
        let odometry = |robot_from_sensor| SensorInfo {
            path: Arc::from("rover.odometry"),
            robot: Arc::from("rover"),
            kind: "odometry",
            level: None,
            fields: Fields::default(),
            ros: &[RosMessage::Odometry],
            frequency: 60.0,
            settings: Json::Null,
            modifiers: Vec::new(),
            robot_from_sensor,
            is_moving: false,
            enu_from_scene: Rotation3::identity(),
        };
        for index in 0..100 {
            let turn = Vector3::new(0.0, 0.01, 0.1 * f64::from(index));
            let robot = Isometry3::new(Vector3::new(1e6, f64::from(index), 0.1), turn);
            let on_robot = |mount: Isometry3<f64>| odometry(robot.inverse() * (robot * mount));
            assert!(moves_base(&on_robot(Isometry3::identity())), "{index}");
            assert!(!moves_base(&on_robot(Isometry3::translation(
                0.0, 0.001, 0.0
            ))));
            assert!(!moves_base(&on_robot(Isometry3::rotation(
                Vector3::z() * 0.001
            ))));
        }
    }

    #[test]
    fn optical_axes_look_ahead() {
        let near = |from: Vector3<f64>, to: Vector3<f64>| ((optical() * from) - to).norm() < 1e-12;
        assert!(near(Vector3::z(), Vector3::x()));
        assert!(near(Vector3::x(), -Vector3::y()));
        assert!(near(Vector3::y(), -Vector3::z()));
    }
}
