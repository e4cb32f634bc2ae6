//! Topics of a sensor: the conversions of readings to the messages that its kind names.
use erased_serde::Serialize;
use morse_api::{fields::data_to_json, reading::SensorInfo, ros::RosMessage};
use nalgebra::{Isometry3, Matrix3, Vector3};
use serde_json::Value as Json;

pub use crate::data::Sample;
use crate::{
    contacts, detections,
    messages::{
        BatteryState, CameraInfo, CompressedImage, ContactsState, Detection3DArray, Flag,
        FluidPressure, Image, Imu, JointState, LaserScan, MagneticField, Matrix6, Message as _,
        NavSatFix, NavSatStatus, Odometry, PointCloud2, PointStamped, Pose, PoseStamped,
        PoseWithCovariance, Range, Temperature, Text, Twist, TwistStamped, TwistWithCovariance,
        Wrench, WrenchStamped,
    },
    names,
    noise::{diagonal, of_modifier, of_odometry, variances},
    pictures, scans,
};

/// Deviation of a sensor from the base of its robot (m, rad) below which it sits there: that of the rounding of poses in the
/// world, from which its pose on the robot is computed.
const ROUNDING: f64 = 1e-6;

/// A message of any type.
pub type AnyMessage = Box<dyn Serialize + Send>;

/// Converts a reading to a message.
pub type Make = fn(&Sample<'_>) -> AnyMessage;

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

/// Mean radius of the Earth, m.
const EARTH_RADIUS: f64 = 6_371_000.0;

/// Tesla per nanotesla.
const TESLA: f64 = 1e-9;

macro_rules! made {
    ($make:path => $message:ty) => {
        (<$message>::TYPE, (|sample| Box::new($make(sample))) as Make)
    };
}

/// Returns the topics of a sensor, the main one first: one for each of its messages.
#[must_use]
pub fn topics(info: &SensorInfo) -> Vec<Topic> {
    let topics = info.ros.iter().map(|&message| topic_of(info, message));
    let mut topics: Vec<Topic> = topics.collect();
    topics.extend(further(info));
    topics
}

/// Changes a topic of compressed images so that they are JPEG files instead of PNG files. Returns false for other topics.
pub fn use_jpeg(topic: &mut Topic) -> bool {
    let is_compressed = topic.message == CompressedImage::TYPE;
    if is_compressed {
        topic.make = match topic.name.ends_with("/rgb/image/compressed") {
            true => |sample| Box::new(pictures::kinect_jpeg(sample)),
            false => |sample| Box::new(pictures::jpeg(sample)),
        };
    }
    is_compressed
}

/// Returns the topics that a sensor has in addition to those of its messages: compressed images, with the name that image
/// transports of ROS expect, and detected objects.
fn further(info: &SensorInfo) -> Vec<Topic> {
    let compressed = info.ros.iter().filter_map(|message| match message {
        RosMessage::ColorImage => Some((
            "/image/compressed",
            made!(pictures::compressed => CompressedImage),
        )),
        RosMessage::KinectColor => Some((
            "/rgb/image/compressed",
            made!(pictures::kinect_compressed => CompressedImage),
        )),
        _ => None,
    });
    let detections = detections::is_detector(info).then_some((
        "/detections",
        made!(detections::detections => Detection3DArray),
    ));
    let further = compressed.chain(detections);
    let topics = further.map(|(suffix, (message, make))| Topic {
        name: format!("{}{suffix}", names::topic(&info.path)),
        message,
        make,
    });
    topics.collect()
}

/// Returns the topic on which a sensor publishes a message. Any sensor has [`RosMessage::Json`].
#[must_use]
pub fn topic_of(info: &SensorInfo, message: RosMessage) -> Topic {
    let layers = info.settings.get("layers").and_then(Json::as_f64);
    let (suffix, (message, make)) = conversion(message, layers);
    Topic {
        name: format!("{}{suffix}", names::topic(&info.path)),
        message,
        make,
    }
}

/// Returns the suffix of the topic of a message, such as `/image`, and the types that it can have: scans of several layers
/// have another type than those of one.
#[must_use]
pub fn types_of(message: RosMessage) -> (&'static str, Vec<&'static str>) {
    let (suffix, (first, _)) = conversion(message, Some(1.0));
    let (_, (other, _)) = conversion(message, None);
    let mut types = vec![first];
    types.extend((other != first).then_some(other));
    (suffix, types)
}

/// Returns the suffix of the topic of a message, the message type, and the conversion, given the number of layers.
fn conversion(message: RosMessage, layers: Option<f64>) -> (&'static str, (&'static str, Make)) {
    match message {
        RosMessage::Json => ("", made!(json => Text)),
        RosMessage::Pose => ("", made!(pose => PoseStamped)),
        RosMessage::Point => ("", made!(point => PointStamped)),
        RosMessage::Velocity => ("/velocity", made!(velocity => TwistStamped)),
        RosMessage::Odometry => ("", made!(odometry => Odometry)),
        RosMessage::NavSatFix => ("", made!(fix => NavSatFix)),
        RosMessage::Imu => ("", made!(imu => Imu)),
        RosMessage::MagneticField => ("", made!(magnetic_field => MagneticField)),
        RosMessage::Wrench => ("", made!(wrench => WrenchStamped)),
        RosMessage::Contacts => ("", made!(contacts::states => ContactsState)),
        RosMessage::Contact => ("", made!(contacts::flag => Flag)),
        RosMessage::FluidPressure => ("", made!(pressure => FluidPressure)),
        RosMessage::Temperature => ("", made!(temperature => Temperature)),
        RosMessage::BatteryState => ("", made!(battery => BatteryState)),
        RosMessage::JointState => ("", made!(joints => JointState)),
        RosMessage::JointPositions => ("", made!(joint_positions => JointState)),
        RosMessage::Range => ("", made!(scans::range => Range)),
        RosMessage::LaserScan if layers == Some(1.0) => ("", made!(scans::laser_scan => LaserScan)),
        RosMessage::LaserScan | RosMessage::PointList => ("", made!(scans::cloud => PointCloud2)),
        RosMessage::Points => ("", made!(scans::depth_cloud => PointCloud2)),
        RosMessage::ColorImage => ("/image", made!(pictures::color => Image)),
        RosMessage::DepthImage => ("/image", made!(pictures::depth => Image)),
        RosMessage::MillimetreImage => ("/image", made!(pictures::millimetres => Image)),
        RosMessage::CameraInfo => ("/camera_info", made!(pictures::lens => CameraInfo)),
        RosMessage::KinectColor => ("/rgb/image", made!(pictures::kinect_color => Image)),
        RosMessage::KinectColorInfo => (
            "/rgb/camera_info",
            made!(pictures::kinect_color_lens => CameraInfo),
        ),
        RosMessage::KinectDepth => ("/depth/image", made!(pictures::kinect_depth => Image)),
        RosMessage::KinectMillimetres => {
            ("/depth/image", made!(pictures::kinect_millimetres => Image))
        }
        RosMessage::KinectDepthInfo => (
            "/depth/camera_info",
            made!(pictures::kinect_depth_lens => CameraInfo),
        ),
    }
}

/// Returns the exported fields as JSON.
fn json(sample: &Sample<'_>) -> Text {
    let mut object = serde_json::Map::new();
    object.insert("timestamp".to_owned(), sample.reading.seconds().into());
    if let Json::Object(fields) = data_to_json(&sample.info.fields, sample.reading.data()) {
        object.extend(fields);
    }
    Text {
        data: Json::Object(object).to_string(),
    }
}

fn wrench(sample: &Sample<'_>) -> WrenchStamped {
    WrenchStamped {
        header: sample.own_header(),
        wrench: Wrench::new(&sample.vector("force"), &sample.vector("torque")),
    }
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

/// Returns true if the frame of a sensor is that of its robot's base.
pub(crate) fn is_at_base(info: &SensorInfo) -> bool {
    let pose = info.robot_from_sensor;
    // Half the rotation vector, for small angles.
    let half_turn = pose.rotation.imag().norm();
    pose.translation.vector.norm() < ROUNDING && half_turn < ROUNDING / 2.0
}

/// Returns the frames of an odometry: those of the robot if it is mounted at the base, otherwise its own.
pub(crate) fn odometry_frames(info: &SensorInfo) -> (String, String) {
    if is_at_base(info) {
        return (names::odom(&info.robot), names::base(&info.robot));
    }
    let own = names::frame(&info.path);
    (format!("{own}_odom"), own)
}

fn odometry(sample: &Sample<'_>) -> Odometry {
    let (frame, child_frame_id) = odometry_frames(sample.info);
    let (linear, angular) = (
        sample.three(["vx", "vy", "vz"]),
        sample.three(["wx", "wy", "wz"]),
    );
    let noise = of_odometry(sample.info, [linear.x, linear.y], sample.reading.nanos);
    let white = |field| variances(sample.info, field, None)[0];
    Odometry {
        header: sample.header(frame),
        child_frame_id,
        pose: PoseWithCovariance {
            pose: sample.pose().into(),
            covariance: Matrix6::diagonal([
                white("x"),
                white("y"),
                white("z"),
                white("roll"),
                white("pitch"),
                white("yaw") + noise.yaw,
            ]),
        },
        twist: TwistWithCovariance {
            twist: Twist {
                linear: linear.into(),
                angular: angular.into(),
            },
            covariance: Matrix6::diagonal([
                white("vx") + noise.velocity[0],
                white("vy") + noise.velocity[1],
                white("vz"),
                white("wx"),
                white("wy"),
                white("wz") + noise.angular_velocity,
            ]),
        },
    }
}

fn imu(sample: &Sample<'_>) -> Imu {
    let mut no_orientation = [0.0; 9];
    no_orientation[0] = -1.0;
    let covariance = |field, setting| {
        let variances = variances(sample.info, field, Some(("imu_noise", setting)));
        diagonal(variances)
    };
    Imu {
        header: sample.own_header(),
        orientation_covariance: no_orientation,
        angular_velocity: sample.vector("angular_velocity").into(),
        angular_velocity_covariance: covariance("angular_velocity", "gyro_sigma"),
        linear_acceleration: sample.vector("linear_acceleration").into(),
        linear_acceleration_covariance: covariance("linear_acceleration", "accel_sigma"),
        ..Imu::default()
    }
}

fn magnetic_field(sample: &Sample<'_>) -> MagneticField {
    MagneticField {
        header: sample.own_header(),
        magnetic_field: (sample.three(["x", "y", "z"]) * TESLA).into(),
        ..MagneticField::default()
    }
}

/// Returns a position on Earth with the covariance of its white noise along east, north and up, m².
fn fix(sample: &Sample<'_>) -> NavSatFix {
    let latitude = sample.number("latitude");
    let to_enu = sample.info.enu_from_scene.matrix();
    let along_scene = Vector3::from(of_modifier(sample.info, "gps_noise", "sigma"));
    let mut covariance = to_enu * Matrix3::from_diagonal(&along_scene) * to_enu.transpose();
    // Noise of angles, in degrees, on a sphere.
    let white = |field| variances(sample.info, field, None)[0];
    let degree = EARTH_RADIUS.to_radians();
    let east = degree * libm::cos(latitude.to_radians());
    covariance[(0, 0)] += white("longitude") * east * east;
    covariance[(1, 1)] += white("latitude") * degree * degree;
    covariance[(2, 2)] += white("altitude");
    let is_diagonal = covariance == Matrix3::from_diagonal(&covariance.diagonal());
    NavSatFix {
        header: sample.own_header(),
        status: NavSatStatus {
            status: 0,
            service: 1,
        },
        latitude,
        longitude: sample.number("longitude"),
        altitude: sample.number("altitude"),
        // The matrix is symmetric, so that the order of its numbers does not matter.
        position_covariance: covariance.as_slice().try_into().unwrap_or_default(),
        // Unknown, a known diagonal, or a known matrix.
        position_covariance_type: match (covariance == Matrix3::zeros(), is_diagonal) {
            (true, _) => 0,
            (_, true) => 2,
            _ => 3,
        },
    }
}

/// Returns the velocity along the axes of the map, which are those of the scene, whatever the orientation of the receiver.
fn velocity(sample: &Sample<'_>) -> TwistStamped {
    let along_enu = sample.vector("velocity");
    TwistStamped {
        header: sample.header("map".to_owned()),
        twist: Twist {
            linear: (sample.info.enu_from_scene.inverse() * along_enu).into(),
            ..Twist::default()
        },
    }
}

fn pressure(sample: &Sample<'_>) -> FluidPressure {
    FluidPressure {
        header: sample.own_header(),
        fluid_pressure: sample.number("pressure"),
        variance: variances(sample.info, "pressure", None)[0],
    }
}

fn temperature(sample: &Sample<'_>) -> Temperature {
    Temperature {
        header: sample.own_header(),
        temperature: sample.number("temperature"),
        variance: variances(sample.info, "temperature", None)[0],
    }
}

fn battery(sample: &Sample<'_>) -> BatteryState {
    let unknown = f32::NAN;
    BatteryState {
        header: sample.own_header(),
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

fn joint_positions(sample: &Sample<'_>) -> JointState {
    let (name, position) = sample.named("joints");
    JointState {
        header: sample.header(names::base(&sample.info.robot)),
        name,
        position,
        ..JointState::default()
    }
}
