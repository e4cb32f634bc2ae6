//! Messages of ROS 2, field by field in its order. Units are SI, quaternions are x, y, z, w.
//!
//! Text and names follow the packages `std_msgs`, `geometry_msgs`, `sensor_msgs`, `nav_msgs`, `tf2_msgs`,
//! `builtin_interfaces` and `rosgraph_msgs`.
mod parts;

use serde::{Deserialize, Serialize};

pub use parts::{Bytes, Matrix6};

/// A message with a name.
pub trait Message: Serialize {
    /// Its type, such as `sensor_msgs/msg/Imu`.
    const TYPE: &'static str;
}

/// Two names would hide Rust's own.
macro_rules! message_name {
    (Text) => {
        "String"
    };
    (Vector) => {
        "Vector3"
    };
    ($name:ident) => {
        stringify!($name)
    };
}

macro_rules! messages {
    ($($(#[$docs:meta])* $package:literal $name:ident { $($(#[$field_docs:meta])* $field:ident: $type:ty),+ $(,)? })+) => {$(
        $(#[$docs])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $name { $($(#[$field_docs])* pub $field: $type),+ }

        impl Message for $name {
            const TYPE: &'static str = concat!($package, "/msg/", message_name!($name));
        }
    )+};
}

messages! {
    /// A moment.
    "builtin_interfaces" Time {
        /// Whole seconds.
        sec: i32,
        /// Nanoseconds beyond them.
        nanosec: u32,
    }
    /// Stamp and frame.
    "std_msgs" Header {
        /// Simulated time of the measurement.
        stamp: Time,
        /// Name of the frame that numbers are in.
        frame_id: String,
    }
    /// Text.
    "std_msgs" Text {
        /// The text.
        data: String,
    }
    /// A vector.
    "geometry_msgs" Vector {
        /// Along x.
        x: f64,
        /// Along y.
        y: f64,
        /// Along z.
        z: f64,
    }
    /// A place, m.
    "geometry_msgs" Point {
        /// Along x.
        x: f64,
        /// Along y.
        y: f64,
        /// Along z.
        z: f64,
    }
    /// A rotation. All zeros where it is not given.
    "geometry_msgs" Quaternion {
        /// Part of x.
        x: f64,
        /// Part of y.
        y: f64,
        /// Part of z.
        z: f64,
        /// Real part.
        w: f64,
    }
    /// A place and a rotation.
    "geometry_msgs" Pose {
        /// Place, m.
        position: Point,
        /// Rotation.
        orientation: Quaternion,
    }
    /// A pose with stamp and frame.
    "geometry_msgs" PoseStamped {
        /// Stamp and frame.
        header: Header,
        /// The pose.
        pose: Pose,
    }
    /// A place with stamp and frame.
    "geometry_msgs" PointStamped {
        /// Stamp and frame.
        header: Header,
        /// The place, m.
        point: Point,
    }
    /// A pose, and how sure it is.
    "geometry_msgs" PoseWithCovariance {
        /// The pose.
        pose: Pose,
        /// Row by row over x, y, z and rotations about x, y, z; zeros where it is not known.
        covariance: Matrix6,
    }
    /// Speeds.
    "geometry_msgs" Twist {
        /// Speed, m/s.
        linear: Vector,
        /// Turning rates, rad/s.
        angular: Vector,
    }
    /// Speeds with stamp and frame.
    "geometry_msgs" TwistStamped {
        /// Stamp and frame.
        header: Header,
        /// The speeds.
        twist: Twist,
    }
    /// Speeds, and how sure they are.
    "geometry_msgs" TwistWithCovariance {
        /// The speeds.
        twist: Twist,
        /// As that of poses.
        covariance: Matrix6,
    }
    /// A place and a rotation, from one frame to another.
    "geometry_msgs" Transform {
        /// Place, m.
        translation: Vector,
        /// Rotation.
        rotation: Quaternion,
    }
    /// Pose of a frame in its parent, which the header names.
    "geometry_msgs" TransformStamped {
        /// Stamp and parent.
        header: Header,
        /// The frame.
        child_frame_id: String,
        /// Its pose.
        transform: Transform,
    }
    /// Poses of frames.
    "tf2_msgs" TFMessage {
        /// The poses.
        transforms: Vec<TransformStamped>,
    }
    /// The simulated time.
    "rosgraph_msgs" Clock {
        /// It.
        clock: Time,
    }
    /// Odometry: pose in the frame of the header, speeds in that of the child.
    "nav_msgs" Odometry {
        /// Stamp and frame of the pose.
        header: Header,
        /// Frame that moves.
        child_frame_id: String,
        /// Pose since the start.
        pose: PoseWithCovariance,
        /// Speeds.
        twist: TwistWithCovariance,
    }
    /// An inertial measurement (REP 145).
    "sensor_msgs" Imu {
        /// Stamp and frame.
        header: Header,
        /// Rotation, if it is known.
        orientation: Quaternion,
        /// -1 first: there is no rotation.
        orientation_covariance: [f64; 9],
        /// Turning rates, rad/s.
        angular_velocity: Vector,
        /// Zeros: not known.
        angular_velocity_covariance: [f64; 9],
        /// Specific force, m/s²: +g along z at rest.
        linear_acceleration: Vector,
        /// Zeros: not known.
        linear_acceleration_covariance: [f64; 9],
    }
    /// A magnetic field.
    "sensor_msgs" MagneticField {
        /// Stamp and frame.
        header: Header,
        /// The field, T.
        magnetic_field: Vector,
        /// Zeros: not known.
        magnetic_field_covariance: [f64; 9],
    }
    /// Fix, and the satellites that gave it.
    "sensor_msgs" NavSatStatus {
        /// 0: a fix.
        status: i8,
        /// 1: GPS.
        service: u16,
    }
    /// A place on Earth.
    "sensor_msgs" NavSatFix {
        /// Stamp and frame.
        header: Header,
        /// Fix or none.
        status: NavSatStatus,
        /// Degrees north.
        latitude: f64,
        /// Degrees east.
        longitude: f64,
        /// Metres above the ellipsoid of WGS 84.
        altitude: f64,
        /// Zeros: not known.
        position_covariance: [f64; 9],
        /// 0: not known.
        position_covariance_type: u8,
    }
    /// A pressure.
    "sensor_msgs" FluidPressure {
        /// Stamp and frame.
        header: Header,
        /// Pa.
        fluid_pressure: f64,
        /// 0: not known.
        variance: f64,
    }
    /// A temperature.
    "sensor_msgs" Temperature {
        /// Stamp and frame.
        header: Header,
        /// °C.
        temperature: f64,
        /// 0: not known.
        variance: f64,
    }
    /// Charge of a battery. What is not measured is not a number.
    "sensor_msgs" BatteryState {
        /// Stamp and frame.
        header: Header,
        /// V.
        voltage: f32,
        /// °C.
        temperature: f32,
        /// A.
        current: f32,
        /// Ah.
        charge: f32,
        /// Ah.
        capacity: f32,
        /// Ah.
        design_capacity: f32,
        /// Share of the charge that is left, 0 to 1.
        percentage: f32,
        /// 1 charging, 2 discharging, 4 full.
        power_supply_status: u8,
        /// 0: not known.
        power_supply_health: u8,
        /// 0: not known.
        power_supply_technology: u8,
        /// True: it is there.
        present: bool,
        /// V, none.
        cell_voltage: Vec<f32>,
        /// °C, none.
        cell_temperature: Vec<f32>,
        /// None.
        location: String,
        /// None.
        serial_number: String,
    }
    /// Ranges in one plane (REP 117: +∞ where nothing is met).
    "sensor_msgs" LaserScan {
        /// Stamp and frame.
        header: Header,
        /// Angle of the first ray, rad; they turn to the left.
        angle_min: f32,
        /// Angle of the last ray, rad.
        angle_max: f32,
        /// Angle between rays, rad.
        angle_increment: f32,
        /// 0: all at once.
        time_increment: f32,
        /// Seconds between scans.
        scan_time: f32,
        /// Nearest range, m.
        range_min: f32,
        /// Farthest range, m.
        range_max: f32,
        /// Ranges, m.
        ranges: Vec<f32>,
        /// Strengths of the echoes, where the level has them.
        intensities: Vec<f32>,
    }
    /// One range.
    "sensor_msgs" Range {
        /// Stamp and frame.
        header: Header,
        /// 1: infrared.
        radiation_type: u8,
        /// Angle that is looked at, rad.
        field_of_view: f32,
        /// Nearest range, m.
        min_range: f32,
        /// Farthest range, m.
        max_range: f32,
        /// The range, m; +∞ where nothing is met.
        range: f32,
        /// 0: not known.
        variance: f32,
    }
    /// A number of each point of a cloud.
    "sensor_msgs" PointField {
        /// Its name.
        name: String,
        /// Bytes before it.
        offset: u32,
        /// 4: u16, 7: f32.
        datatype: u8,
        /// Numbers in a row.
        count: u32,
    }
    /// Points.
    "sensor_msgs" PointCloud2 {
        /// Stamp and frame.
        header: Header,
        /// 1: in no order.
        height: u32,
        /// Number of points.
        width: u32,
        /// Numbers of each point.
        fields: Vec<PointField>,
        /// False: little end first.
        is_bigendian: bool,
        /// Bytes of a point.
        point_step: u32,
        /// Bytes of all.
        row_step: u32,
        /// The points.
        data: Bytes,
        /// True if every point is one.
        is_dense: bool,
    }
    /// A picture.
    "sensor_msgs" Image {
        /// Stamp and frame.
        header: Header,
        /// Rows.
        height: u32,
        /// Columns.
        width: u32,
        /// `rgba8`, `32FC1` or `16UC1`.
        encoding: String,
        /// 0: little end first.
        is_bigendian: u8,
        /// Bytes of a row.
        step: u32,
        /// Pixels, the top row first.
        data: Bytes,
    }
    /// A part of a picture: all of it.
    "sensor_msgs" RegionOfInterest {
        /// First column.
        x_offset: u32,
        /// First row.
        y_offset: u32,
        /// 0: all.
        height: u32,
        /// 0: all.
        width: u32,
        /// False.
        do_rectify: bool,
    }
    /// Lens of a camera.
    "sensor_msgs" CameraInfo {
        /// Stamp and frame.
        header: Header,
        /// Rows.
        height: u32,
        /// Columns.
        width: u32,
        /// `plumb_bob`.
        distortion_model: String,
        /// k1, k2, p1, p2, k3.
        d: Vec<f64>,
        /// From places at a depth of 1 to columns and rows, row by row.
        k: [f64; 9],
        /// The identity.
        r: [f64; 9],
        /// `k` with a fourth column of zeros.
        p: [f64; 12],
        /// 0: one.
        binning_x: u32,
        /// 0: one.
        binning_y: u32,
        /// All of it.
        roi: RegionOfInterest,
    }
    /// Positions, speeds and efforts of joints.
    "sensor_msgs" JointState {
        /// Stamp and frame.
        header: Header,
        /// Joints.
        name: Vec<String>,
        /// rad or m.
        position: Vec<f64>,
        /// rad/s or m/s.
        velocity: Vec<f64>,
        /// N·m or N.
        effort: Vec<f64>,
    }
}
