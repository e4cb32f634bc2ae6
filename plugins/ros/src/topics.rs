//! Topics of a sensor, by its kind and level: the mapping of sensors to messages.
use erased_serde::Serialize;
use morse_api::{fields::data_to_json, reading::SensorInfo};
use nalgebra::Isometry3;

pub use crate::data::Sample;
use crate::{
    messages::{
        BatteryState, CameraInfo, FluidPressure, Image, Imu, JointState, LaserScan, MagneticField,
        Message as _, NavSatFix, NavSatStatus, Odometry, PointCloud2, PointStamped, Pose,
        PoseStamped, PoseWithCovariance, Range, Temperature, Text, Twist, TwistStamped,
        TwistWithCovariance,
    },
    names, pictures, scans,
};

/// Converts a reading to a message.
pub type Make = fn(&Sample<'_>) -> Box<dyn Serialize>;

/// Topic on which the readings of a sensor are published.
#[derive(Clone, Debug)]
pub struct Topic {
    /// Name of the topic, such as `/rover/scan`.
    pub name: String,
    /// Type of the messages, such as `sensor_msgs/msg/LaserScan`.
    pub message: &'static str,
    /// Converts a reading to a message.
    pub make: Make,
}

/// Tesla per nanotesla.
const TESLA: f64 = 1e-9;

macro_rules! made {
    ($make:path => $message:ty) => {
        (<$message>::TYPE, (|sample| Box::new($make(sample))) as Make)
    };
}

/// Returns the topics of a sensor, the main one first. Data without a message type are published as the text of a JSON
/// object, so that all data are available.
#[must_use]
pub fn topics(info: &SensorInfo) -> Vec<Topic> {
    let own = names::topic(&info.path);
    let mut topics = vec![(String::new(), kind(info))];
    match (info.kind, info.level) {
        ("video_camera" | "depth_video_camera", _) => {
            topics = vec![
                ("/image".to_owned(), kind(info)),
                (
                    "/camera_info".to_owned(),
                    made!(pictures::lens => CameraInfo),
                ),
            ];
        }
        ("gps", Some("raw" | "extended")) => {
            topics.push(("/velocity".to_owned(), made!(gps_velocity => TwistStamped)));
        }
        _ => {}
    }
    let topics = topics.into_iter().map(|(suffix, (message, make))| Topic {
        name: format!("{own}{suffix}"),
        message,
        make,
    });
    topics.collect()
}

/// Returns the message type of a kind, and the conversion.
fn kind(info: &SensorInfo) -> (&'static str, Make) {
    let has = |name: &str| info.fields.get(name).is_some();
    let layers = info
        .settings
        .get("layers")
        .and_then(serde_json::Value::as_f64);
    match info.kind {
        "pose" if has("x") && has("yaw") => made!(pose => PoseStamped),
        "odometry" if has("vx") => made!(odometry => Odometry),
        "imu" => made!(imu => Imu),
        "gps" if has("latitude") => made!(fix => NavSatFix),
        "gps" if has("x") => made!(point => PointStamped),
        "magnetometer" => made!(magnetic_field => MagneticField),
        "barometer" => made!(pressure => FluidPressure),
        "thermometer" => made!(temperature => Temperature),
        "battery" => made!(battery => BatteryState),
        "video_camera" => made!(pictures::color => Image),
        "depth_video_camera" if info.level == Some("raw") => made!(pictures::millimetres => Image),
        "depth_video_camera" => made!(pictures::depth => Image),
        "depth_camera" | "velodyne_zb" | "depth_camera_aggregator" if has("points") => {
            made!(scans::depth_cloud => PointCloud2)
        }
        "joint_state" => made!(joints => JointState),
        "armature_pose" => made!(armature => JointState),
        _ if info.level == Some("range") && has("range") => made!(scans::range => Range),
        _ if has("range_list") && layers == Some(1.0) => made!(scans::laser_scan => LaserScan),
        _ if has("point_list") => made!(scans::cloud => PointCloud2),
        _ => made!(json => Text),
    }
}

/// Returns the exported fields as JSON.
fn json(sample: &Sample<'_>) -> Text {
    let mut object = serde_json::Map::new();
    object.insert("timestamp".to_owned(), sample.reading.seconds().into());
    if let serde_json::Value::Object(fields) =
        data_to_json(&sample.info.fields, sample.reading.data())
    {
        object.extend(fields);
    }
    Text {
        data: serde_json::Value::Object(object).to_string(),
    }
}

fn own_header(sample: &Sample<'_>) -> crate::messages::Header {
    sample.header(names::frame(&sample.info.path))
}

fn pose(sample: &Sample<'_>) -> PoseStamped {
    PoseStamped {
        header: sample.header("map".to_owned()),
        pose: sample.pose().into(),
    }
}

fn point(sample: &Sample<'_>) -> PointStamped {
    PointStamped {
        header: sample.header("map".to_owned()),
        point: Pose::from(Isometry3::from_parts(
            sample.three(["x", "y", "z"]).into(),
            nalgebra::UnitQuaternion::identity(),
        ))
        .position,
    }
}

/// Returns the frames of an odometry: those of the robot if it is mounted at the base, otherwise its own.
pub(crate) fn odometry_frames(info: &SensorInfo) -> (String, String) {
    if info.robot_from_sensor == Isometry3::identity() {
        return (names::odom(&info.robot), names::base(&info.robot));
    }
    let own = names::frame(&info.path);
    (format!("{own}_odom"), own)
}

fn odometry(sample: &Sample<'_>) -> Odometry {
    let (frame, child_frame_id) = odometry_frames(sample.info);
    Odometry {
        header: sample.header(frame),
        child_frame_id,
        pose: PoseWithCovariance {
            pose: sample.pose().into(),
            ..PoseWithCovariance::default()
        },
        twist: TwistWithCovariance {
            twist: Twist {
                linear: sample.three(["vx", "vy", "vz"]).into(),
                angular: sample.three(["wx", "wy", "wz"]).into(),
            },
            ..TwistWithCovariance::default()
        },
    }
}

fn imu(sample: &Sample<'_>) -> Imu {
    let mut no_orientation = [0.0; 9];
    no_orientation[0] = -1.0;
    Imu {
        header: own_header(sample),
        orientation_covariance: no_orientation,
        angular_velocity: sample.vector("angular_velocity").into(),
        linear_acceleration: sample.vector("linear_acceleration").into(),
        ..Imu::default()
    }
}

fn magnetic_field(sample: &Sample<'_>) -> MagneticField {
    let field = match sample.info.fields.get("x") {
        Some(_) => sample.three(["x", "y", "z"]),
        None => sample.vector("magnetic_field"),
    };
    MagneticField {
        header: own_header(sample),
        magnetic_field: (field * TESLA).into(),
        ..MagneticField::default()
    }
}

fn fix(sample: &Sample<'_>) -> NavSatFix {
    NavSatFix {
        header: own_header(sample),
        status: NavSatStatus {
            status: 0,
            service: 1,
        },
        latitude: sample.number("latitude"),
        longitude: sample.number("longitude"),
        altitude: sample.number("altitude"),
        ..NavSatFix::default()
    }
}

/// Returns the velocity to the east, to the north and up, whatever the orientation of the receiver.
fn gps_velocity(sample: &Sample<'_>) -> TwistStamped {
    TwistStamped {
        header: sample.header("map".to_owned()),
        twist: Twist {
            linear: sample.vector("velocity").into(),
            ..Twist::default()
        },
    }
}

fn pressure(sample: &Sample<'_>) -> FluidPressure {
    FluidPressure {
        header: own_header(sample),
        fluid_pressure: sample.number("pressure"),
        variance: 0.0,
    }
}

fn temperature(sample: &Sample<'_>) -> Temperature {
    Temperature {
        header: own_header(sample),
        temperature: sample.number("temperature"),
        variance: 0.0,
    }
}

fn battery(sample: &Sample<'_>) -> BatteryState {
    let unknown = f32::NAN;
    BatteryState {
        header: own_header(sample),
        voltage: unknown,
        temperature: unknown,
        current: unknown,
        charge: unknown,
        capacity: unknown,
        design_capacity: unknown,
        percentage: (sample.number("charge") / 100.0) as f32,
        power_supply_status: match sample.text("status") {
            "Charging" => 1,
            "Discharging" => 2,
            "Charged" => 4,
            _ => 0,
        },
        present: true,
        ..BatteryState::default()
    }
}

fn joints(sample: &Sample<'_>) -> JointState {
    JointState {
        header: sample.header(names::base(&sample.info.robot)),
        name: sample.texts("names").to_vec(),
        position: sample.numbers("positions").to_vec(),
        velocity: sample.numbers("velocities").to_vec(),
        effort: sample.numbers("efforts").to_vec(),
    }
}

fn armature(sample: &Sample<'_>) -> JointState {
    let (name, position) = sample.named("joints");
    JointState {
        header: sample.header(names::base(&sample.info.robot)),
        name,
        position,
        ..JointState::default()
    }
}
