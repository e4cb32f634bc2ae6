//! Messages of ROS in which middlewares publish the readings of a sensor, and the check that a sensor has their fields.
use std::any::TypeId;

use bevy::reflect::TypeInfo;

use crate::{fields::Fields, named::Named, samples::Samples};

/// Message of ROS that a reading is converted to, with the fields of the data that the conversion reads.
///
/// A sensor names its messages in [`Sensor::ROS`](crate::sensor::Sensor::ROS).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RosMessage {
    /// `std_msgs/String`: all fields as a JSON object.
    Json,
    /// `geometry_msgs/PoseStamped` in `map`: `x`, `y`, `z`, `yaw`, `pitch`, `roll`.
    Pose,
    /// `geometry_msgs/PointStamped` in `map`: `x`, `y`, `z`.
    Point,
    /// `geometry_msgs/TwistStamped` in `map`, on the topic `/velocity`: `velocity` to the east, to the north, and up.
    Velocity,
    /// `nav_msgs/Odometry`: the fields of [`RosMessage::Pose`], and `vx`, `vy`, `vz`, `wx`, `wy`, `wz`.
    Odometry,
    /// `sensor_msgs/NavSatFix`: `latitude`, `longitude`, `altitude`.
    NavSatFix,
    /// `sensor_msgs/Imu`: `angular_velocity`, `linear_acceleration`.
    Imu,
    /// `sensor_msgs/MagneticField`: `x`, `y`, `z`, nT.
    MagneticField,
    /// `sensor_msgs/FluidPressure`: `pressure`, Pa.
    FluidPressure,
    /// `sensor_msgs/Temperature`: `temperature`, °C.
    Temperature,
    /// `sensor_msgs/BatteryState`: `charge`, %, and `status`.
    BatteryState,
    /// `sensor_msgs/JointState`: `names`, `positions`, `velocities`, `efforts`.
    JointState,
    /// `sensor_msgs/JointState`: `joints`, positions by name.
    JointPositions,
    /// `sensor_msgs/Range`: `range`; settings `scan_window` and `laser_range`.
    Range,
    /// `sensor_msgs/LaserScan` for one layer, the message of [`RosMessage::PointList`] for several: `range_list`,
    /// `point_list`; settings `scan_window`, `resolution`, `laser_range` and `layers`. `remission_list` is optional.
    LaserScan,
    /// `sensor_msgs/PointCloud2` of the points that rays hit: `point_list`.
    PointList,
    /// `sensor_msgs/PointCloud2` of the points of pixels: `points`, in the axes of a camera.
    Points,
    /// `sensor_msgs/Image`, `rgba8`, on the topic `/image`: `height`, `width`, `image`.
    ColorImage,
    /// `sensor_msgs/Image`, `32FC1`, on the topic `/image`: `height`, `width`, `image`, depths in metres.
    DepthImage,
    /// `sensor_msgs/Image`, `16UC1`, on the topic `/image`: `height`, `width`, `raw`, depths in millimetres.
    MillimetreImage,
    /// `geometry_msgs/WrenchStamped`: `force`, `torque`.
    Wrench,
    /// `gazebo_msgs/ContactsState`, in the sensor's frame: `objects`, `parts`, `points`, `normals`, `forces`, `depths`.
    Contacts,
    /// `std_msgs/Bool`: `contact`.
    Contact,
    /// `sensor_msgs/CameraInfo`, on the topic `/camera_info`: `height`, `width`, `intrinsic_matrix`, `distortion`.
    CameraInfo,
    /// `sensor_msgs/Image`, `rgba8`, on the topic `/rgb/image`: `height`, `width`, `image`; in the optical frame of the setting
    /// `rgb_at`.
    KinectColor,
    /// `sensor_msgs/CameraInfo` of [`RosMessage::KinectColor`], on the topic `/rgb/camera_info`.
    KinectColorInfo,
    /// `sensor_msgs/Image`, `32FC1`, on the topic `/depth/image`: `height`, `width`, `depth`, in metres; in the optical frame of
    /// the setting `depth_at`.
    KinectDepth,
    /// `sensor_msgs/Image`, `16UC1`, on the topic `/depth/image`: `height`, `width`, `raw`, depths in millimetres.
    KinectMillimetres,
    /// `sensor_msgs/CameraInfo` of the depth image, on the topic `/depth/camera_info`.
    KinectDepthInfo,
}

/// Names of fields or settings, and their type.
type Required = (&'static [&'static str], TypeId);

const NUMBER: TypeId = TypeId::of::<f64>();
const COUNT: TypeId = TypeId::of::<u32>();
const VECTOR: TypeId = TypeId::of::<[f64; 3]>();
const NUMBERS: TypeId = TypeId::of::<Vec<f64>>();
const VECTORS: TypeId = TypeId::of::<Vec<[f64; 3]>>();
const POSE: Required = (&["x", "y", "z", "yaw", "pitch", "roll"], NUMBER);
const DEPTH: Required = (&["depth"], TypeId::of::<Samples<f32>>());
const SIZE: Required = (&["height", "width"], COUNT);

impl RosMessage {
    /// Returns the fields of the data that the conversion reads.
    const fn fields(self) -> &'static [Required] {
        match self {
            Self::Json => &[],
            Self::Pose => &[POSE],
            Self::Point | Self::MagneticField => &[(&["x", "y", "z"], NUMBER)],
            Self::Velocity => &[(&["velocity"], VECTOR)],
            Self::Odometry => &[POSE, (&["vx", "vy", "vz", "wx", "wy", "wz"], NUMBER)],
            Self::NavSatFix => &[(&["latitude", "longitude", "altitude"], NUMBER)],
            Self::Imu => &[(&["angular_velocity", "linear_acceleration"], VECTOR)],
            Self::Wrench => &[(&["force", "torque"], VECTOR)],
            Self::Contacts => {
                const NAMES: Required = (&["objects", "parts"], TypeId::of::<Vec<String>>());
                const POINTS: Required = (&["points", "normals", "forces"], VECTORS);
                &[NAMES, POINTS, (&["depths"], NUMBERS)]
            }
            Self::Contact => {
                const CONTACT: Required = (&["contact"], TypeId::of::<bool>());
                &[CONTACT]
            }
            Self::FluidPressure => &[(&["pressure"], NUMBER)],
            Self::Temperature => &[(&["temperature"], NUMBER)],
            Self::BatteryState => {
                const STATUS: Required = (&["status"], TypeId::of::<String>());
                &[(&["charge"], NUMBER), STATUS]
            }
            Self::JointState => {
                const NAMES: Required = (&["names"], TypeId::of::<Vec<String>>());
                &[NAMES, (&["positions", "velocities", "efforts"], NUMBERS)]
            }
            Self::JointPositions => {
                const JOINTS: Required = (&["joints"], TypeId::of::<Named>());
                &[JOINTS]
            }
            Self::Range => &[(&["range"], NUMBER)],
            Self::LaserScan => &[(&["range_list"], NUMBERS), (&["point_list"], VECTORS)],
            Self::PointList => &[(&["point_list"], VECTORS)],
            Self::Points => {
                const POINTS: Required = (&["points"], TypeId::of::<Samples<f32>>());
                &[POINTS]
            }
            Self::ColorImage | Self::KinectColor => {
                const IMAGE: Required = (&["image"], TypeId::of::<Samples<u8>>());
                &[SIZE, IMAGE]
            }
            Self::DepthImage => {
                const IMAGE: Required = (&["image"], TypeId::of::<Samples<f32>>());
                &[SIZE, IMAGE]
            }
            Self::KinectDepth => &[SIZE, DEPTH],
            Self::MillimetreImage | Self::KinectMillimetres => {
                const RAW: Required = (&["raw"], TypeId::of::<Samples<u16>>());
                &[SIZE, RAW]
            }
            Self::CameraInfo | Self::KinectColorInfo | Self::KinectDepthInfo => {
                const MATRIX: Required = (&["intrinsic_matrix"], TypeId::of::<[[f64; 3]; 3]>());
                const DISTORTION: Required = (&["distortion"], TypeId::of::<[f64; 5]>());
                &[SIZE, MATRIX, DISTORTION]
            }
        }
    }

    /// Returns the settings of the sensor that the conversion reads.
    const fn settings(self) -> &'static [Required] {
        match self {
            Self::Range => &[(&["scan_window", "laser_range"], NUMBER)],
            Self::LaserScan => &[
                (&["scan_window", "resolution", "laser_range"], NUMBER),
                (&["layers"], COUNT),
            ],
            Self::KinectColor | Self::KinectColorInfo => &[(&["rgb_at"], VECTOR)],
            Self::KinectDepth | Self::KinectMillimetres | Self::KinectDepthInfo => {
                &[(&["depth_at"], VECTOR)]
            }
            _ => &[],
        }
    }
}

/// Panics if the data of a kind at a level, or its settings, lack a field of its messages: an error in the program, not in
/// its input.
#[track_caller]
pub(crate) fn demand_fields(
    kind: &str,
    messages: &[RosMessage],
    data: &Fields,
    settings: &'static TypeInfo,
) {
    let settings = Fields::of(settings, None);
    for message in messages {
        if let Some((role, name)) = flaw(*message, data, &settings) {
            panic!(
                "`{kind}` is published as `{message:?}`, but its {role} have no field `{name}` of the required type"
            );
        }
    }
}

/// Returns the first missing field, and the role of the type in which it is missing.
fn flaw(
    message: RosMessage,
    data: &Fields,
    settings: &Fields,
) -> Option<(&'static str, &'static str)> {
    if let Some(name) = first_missing(data, message.fields()) {
        return Some(("data", name));
    }
    Some(("settings", first_missing(settings, message.settings())?))
}

fn first_missing(fields: &Fields, required: &[Required]) -> Option<&'static str> {
    let mut names = required
        .iter()
        .flat_map(|(names, type_id)| names.iter().map(move |name| (*name, *type_id)));
    let missing = names.find(|(name, type_id)| {
        let field = fields.get(name);
        field.is_none_or(|field| field.type_id != *type_id)
    });
    missing.map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use bevy::prelude::Reflect;

    use super::*;
    use crate::fields::Levels;

    #[derive(Reflect)]
    struct Data {
        pressure: f64,
        temperature: f32,
        #[reflect(@Levels(&["raw"]))]
        range: f64,
    }

    #[derive(Reflect)]
    struct Settings {
        scan_window: f64,
        laser_range: f64,
    }

    #[derive(Reflect)]
    struct NoSettings {}

    #[test]
    fn messages_demand_fields_of_their_types() {
        let (all, none) = (
            Fields::of_type::<Settings>(None),
            Fields::of_type::<NoSettings>(None),
        );
        for (message, level, settings, expected) in [
            (RosMessage::Json, None, &none, None),
            (RosMessage::FluidPressure, None, &none, None),
            (RosMessage::Range, Some("raw"), &all, None),
            (
                RosMessage::Temperature,
                None,
                &all,
                Some(("data", "temperature")),
            ),
            (RosMessage::Pose, None, &all, Some(("data", "x"))),
            (
                RosMessage::Range,
                Some("fine"),
                &all,
                Some(("data", "range")),
            ),
            (
                RosMessage::Range,
                Some("raw"),
                &none,
                Some(("settings", "scan_window")),
            ),
        ] {
            let data = Fields::of_type::<Data>(level);
            assert_eq!(flaw(message, &data, settings), expected, "{message:?}");
        }
    }
}
