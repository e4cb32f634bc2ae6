//! Messages of ROS 2, with all fields in their order. Units are SI, quaternions are x, y, z, w.
//!
//! Messages and fields follow the packages `std_msgs`, `geometry_msgs`, `sensor_msgs`, `nav_msgs`, `tf2_msgs`,
//! `builtin_interfaces` and `rosgraph_msgs`; `actions`, `control` and `vision` are those of further packages.
#[macro_use]
mod define;
mod actions;
mod control;
mod fields;
mod vision;

use serde::{Deserialize, Serialize};

pub use actions::*;
pub use control::*;
pub use define::Definition;
pub use fields::{Bytes, Matrix6};
pub use vision::*;

/// Iterates over the definitions of all messages.
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    let all = [
        DEFINITIONS,
        actions::DEFINITIONS,
        control::DEFINITIONS,
        vision::DEFINITIONS,
    ];
    all.into_iter().flatten()
}

/// A message with a type name.
pub trait Message: Serialize {
    /// Type of the message, such as `sensor_msgs/msg/Imu`.
    const TYPE: &'static str;
}

messages! {
    /// Time stamp.
    "builtin_interfaces" Time {
        /// Whole seconds.
        sec: i32,
        /// Nanoseconds in addition to `sec`.
        nanosec: u32,
    }
    /// Time stamp and frame.
    "std_msgs" Header {
        /// Simulated time of the measurement.
        stamp: Time,
        /// Name of the frame of the data.
        frame_id: String,
    }
    /// Text.
    "std_msgs" Text {
        /// The text.
        data: String,
    }
    /// Dimension of an array.
    "std_msgs" MultiArrayDimension {
        /// Name of the dimension.
        label: String,
        /// Number of elements.
        size: u32,
        /// Number of elements of this and all further dimensions.
        stride: u32,
    }
    /// Dimensions of an array.
    "std_msgs" MultiArrayLayout {
        /// The dimensions, the outermost one first.
        dim: Vec<MultiArrayDimension>,
        /// Number of elements before the first one.
        data_offset: u32,
    }
    /// Array of numbers.
    "std_msgs" Float64MultiArray {
        /// Dimensions; not used.
        layout: MultiArrayLayout,
        /// The numbers.
        data: Vec<f64>,
    }
    /// A vector.
    "geometry_msgs" Vector {
        /// x component.
        x: f64,
        /// y component.
        y: f64,
        /// z component.
        z: f64,
    }
    /// True or false.
    "std_msgs" Flag {
        /// The value.
        data: bool,
    }
    /// Force and torque.
    "geometry_msgs" Wrench {
        /// Force, N.
        force: Vector,
        /// Torque, N·m.
        torque: Vector,
    }
    /// Force and torque with time stamp and frame.
    "geometry_msgs" WrenchStamped {
        /// Time stamp and frame.
        header: Header,
        /// Force and torque.
        wrench: Wrench,
    }
    /// Contacts between two geometries.
    "gazebo_msgs" ContactState {
        /// Description of the contact.
        info: String,
        /// Name of the sensed geometry.
        collision1_name: String,
        /// Name of the other geometry.
        collision2_name: String,
        /// Force and torque at each point, on the first geometry.
        wrenches: Vec<Wrench>,
        /// Sum of the forces, and of their torques about the origin of the frame.
        total_wrench: Wrench,
        /// Position of each point, m.
        contact_positions: Vec<Vector>,
        /// Normal at each point, towards the first geometry.
        contact_normals: Vec<Vector>,
        /// Depth of each penetration, m.
        depths: Vec<f64>,
    }
    /// Contacts of a body.
    "gazebo_msgs" ContactsState {
        /// Time stamp and frame.
        header: Header,
        /// Contacts by pair of geometries.
        states: Vec<ContactState>,
    }
    /// Position, m.
    "geometry_msgs" Point {
        /// x coordinate.
        x: f64,
        /// y coordinate.
        y: f64,
        /// z coordinate.
        z: f64,
    }
    /// Rotation. All zeros if there is none.
    "geometry_msgs" Quaternion {
        /// x component.
        x: f64,
        /// y component.
        y: f64,
        /// z component.
        z: f64,
        /// Real component.
        w: f64,
    }
    /// Position and rotation.
    "geometry_msgs" Pose {
        /// Position, m.
        position: Point,
        /// Rotation.
        orientation: Quaternion,
    }
    /// Pose with time stamp and frame.
    "geometry_msgs" PoseStamped {
        /// Time stamp and frame.
        header: Header,
        /// The pose.
        pose: Pose,
    }
    /// Position with time stamp and frame.
    "geometry_msgs" PointStamped {
        /// Time stamp and frame.
        header: Header,
        /// The position, m.
        point: Point,
    }
    /// Pose with its covariance.
    "geometry_msgs" PoseWithCovariance {
        /// The pose.
        pose: Pose,
        /// Covariance, row by row over x, y, z and rotations about x, y, z; zeros if it is unknown.
        covariance: Matrix6,
    }
    /// Linear and angular velocity.
    "geometry_msgs" Twist {
        /// Velocity, m/s.
        linear: Vector,
        /// Angular velocity, rad/s.
        angular: Vector,
    }
    /// Linear and angular velocity with time stamp and frame.
    "geometry_msgs" TwistStamped {
        /// Time stamp and frame.
        header: Header,
        /// The velocities.
        twist: Twist,
    }
    /// Linear and angular velocity with their covariance.
    "geometry_msgs" TwistWithCovariance {
        /// The velocities.
        twist: Twist,
        /// Covariance, row by row over x, y, z and rotations about x, y, z; zeros if it is unknown.
        covariance: Matrix6,
    }
    /// Translation and rotation from one frame to another.
    "geometry_msgs" Transform {
        /// Translation, m.
        translation: Vector,
        /// Rotation.
        rotation: Quaternion,
    }
    /// Pose of a frame in its parent, which is the frame of the header.
    "geometry_msgs" TransformStamped {
        /// Time stamp and parent frame.
        header: Header,
        /// Name of the frame.
        child_frame_id: String,
        /// Pose of the frame.
        transform: Transform,
    }
    /// Poses of frames.
    "tf2_msgs" TFMessage {
        /// The poses.
        transforms: Vec<TransformStamped>,
    }
    /// The simulated time.
    "rosgraph_msgs" Clock {
        /// The time.
        clock: Time,
    }
    /// Odometry: pose in the frame of the header, velocities in the child frame.
    "nav_msgs" Odometry {
        /// Time stamp and frame of the pose.
        header: Header,
        /// Frame that moves.
        child_frame_id: String,
        /// Pose since the start.
        pose: PoseWithCovariance,
        /// Linear and angular velocity.
        twist: TwistWithCovariance,
    }
    /// Inertial measurement (REP 145).
    "sensor_msgs" Imu {
        /// Time stamp and frame.
        header: Header,
        /// Rotation, if it is known.
        orientation: Quaternion,
        /// Covariance of the rotation; -1 first if there is no rotation.
        orientation_covariance: [f64; 9],
        /// Angular velocity, rad/s.
        angular_velocity: Vector,
        /// Covariance; zeros if unknown.
        angular_velocity_covariance: [f64; 9],
        /// Specific force, m/s²: +g along z at rest.
        linear_acceleration: Vector,
        /// Covariance; zeros if unknown.
        linear_acceleration_covariance: [f64; 9],
    }
    /// Magnetic field.
    "sensor_msgs" MagneticField {
        /// Time stamp and frame.
        header: Header,
        /// The field, T.
        magnetic_field: Vector,
        /// Covariance; zeros if unknown.
        magnetic_field_covariance: [f64; 9],
    }
    /// Status of the fix, and satellite system.
    "sensor_msgs" NavSatStatus {
        /// Status; 0 for a fix.
        status: i8,
        /// Satellite system; 1 for GPS.
        service: u16,
    }
    /// Position on Earth.
    "sensor_msgs" NavSatFix {
        /// Time stamp and frame.
        header: Header,
        /// Status of the fix.
        status: NavSatStatus,
        /// Latitude, degrees north.
        latitude: f64,
        /// Longitude, degrees east.
        longitude: f64,
        /// Altitude above the ellipsoid of WGS 84, m.
        altitude: f64,
        /// Covariance; zeros if unknown.
        position_covariance: [f64; 9],
        /// Type of the covariance; 0 if unknown.
        position_covariance_type: u8,
    }
    /// Pressure.
    "sensor_msgs" FluidPressure {
        /// Time stamp and frame.
        header: Header,
        /// Pressure, Pa.
        fluid_pressure: f64,
        /// Variance; 0 if unknown.
        variance: f64,
    }
    /// Temperature.
    "sensor_msgs" Temperature {
        /// Time stamp and frame.
        header: Header,
        /// Temperature, °C.
        temperature: f64,
        /// Variance; 0 if unknown.
        variance: f64,
    }
    /// Charge of a battery. Values that are not measured are NaN.
    "sensor_msgs" BatteryState {
        /// Time stamp and frame.
        header: Header,
        /// Voltage, V.
        voltage: f32,
        /// Temperature, °C.
        temperature: f32,
        /// Current, A.
        current: f32,
        /// Charge, Ah.
        charge: f32,
        /// Capacity, Ah.
        capacity: f32,
        /// Design capacity, Ah.
        design_capacity: f32,
        /// Fraction of the charge that is left, 0 to 1.
        percentage: f32,
        /// Status: 1 charging, 2 discharging, 4 full.
        power_supply_status: u8,
        /// Health; 0 if unknown.
        power_supply_health: u8,
        /// Technology; 0 if unknown.
        power_supply_technology: u8,
        /// True if the battery is present.
        present: bool,
        /// Voltages of the cells, V; empty.
        cell_voltage: Vec<f32>,
        /// Temperatures of the cells, °C; empty.
        cell_temperature: Vec<f32>,
        /// Location; empty.
        location: String,
        /// Serial number; empty.
        serial_number: String,
    }
    /// Ranges in one plane (REP 117: +∞ without a hit).
    "sensor_msgs" LaserScan {
        /// Time stamp and frame.
        header: Header,
        /// Angle of the first ray, rad; angles increase to the left.
        angle_min: f32,
        /// Angle of the last ray, rad.
        angle_max: f32,
        /// Angle between adjacent rays, rad.
        angle_increment: f32,
        /// Time between rays; 0 for simultaneous rays.
        time_increment: f32,
        /// Time between scans, s.
        scan_time: f32,
        /// Minimum range, m.
        range_min: f32,
        /// Maximum range, m.
        range_max: f32,
        /// Ranges, m.
        ranges: Vec<f32>,
        /// Strengths of the echoes, if the level has them.
        intensities: Vec<f32>,
    }
    /// A single range.
    "sensor_msgs" Range {
        /// Time stamp and frame.
        header: Header,
        /// Type of radiation; 1 for infrared.
        radiation_type: u8,
        /// Field of view, rad.
        field_of_view: f32,
        /// Minimum range, m.
        min_range: f32,
        /// Maximum range, m.
        max_range: f32,
        /// The range, m; +∞ without a hit.
        range: f32,
        /// Variance; 0 if unknown.
        variance: f32,
    }
    /// Field of the points of a cloud.
    "sensor_msgs" PointField {
        /// Name of the field.
        name: String,
        /// Offset within a point, bytes.
        offset: u32,
        /// Type of the numbers: 4 for u16, 7 for f32.
        datatype: u8,
        /// Number of elements.
        count: u32,
    }
    /// Point cloud.
    "sensor_msgs" PointCloud2 {
        /// Time stamp and frame.
        header: Header,
        /// Number of rows; 1 for an unordered cloud.
        height: u32,
        /// Number of points.
        width: u32,
        /// Fields of each point.
        fields: Vec<PointField>,
        /// False for little-endian.
        is_bigendian: bool,
        /// Bytes per point.
        point_step: u32,
        /// Bytes of all points.
        row_step: u32,
        /// Data of the points.
        data: Bytes,
        /// True if all points are valid.
        is_dense: bool,
    }
    /// Image.
    "sensor_msgs" Image {
        /// Time stamp and frame.
        header: Header,
        /// Number of rows.
        height: u32,
        /// Number of columns.
        width: u32,
        /// Encoding: `rgba8`, `32FC1` or `16UC1`.
        encoding: String,
        /// 0 for little-endian.
        is_bigendian: u8,
        /// Bytes per row.
        step: u32,
        /// Pixels, the top row first.
        data: Bytes,
    }
    /// Region of an image; here always the whole image.
    "sensor_msgs" RegionOfInterest {
        /// First column.
        x_offset: u32,
        /// First row.
        y_offset: u32,
        /// Height; 0 for the whole image.
        height: u32,
        /// Width; 0 for the whole image.
        width: u32,
        /// False, since the region is not rectified.
        do_rectify: bool,
    }
    /// Parameters of a camera.
    "sensor_msgs" CameraInfo {
        /// Time stamp and frame.
        header: Header,
        /// Number of rows.
        height: u32,
        /// Number of columns.
        width: u32,
        /// Distortion model: `plumb_bob`.
        distortion_model: String,
        /// Distortion: k1, k2, p1, p2, k3.
        d: Vec<f64>,
        /// Intrinsic matrix, row by row: maps points at depth 1 to columns and rows.
        k: [f64; 9],
        /// Rectification matrix: the identity.
        r: [f64; 9],
        /// Projection matrix: `k` with a fourth column of zeros.
        p: [f64; 12],
        /// Horizontal binning; 0 for none.
        binning_x: u32,
        /// Vertical binning; 0 for none.
        binning_y: u32,
        /// Region of interest: the whole image.
        roi: RegionOfInterest,
    }
    /// Positions, velocities and efforts of joints.
    "sensor_msgs" JointState {
        /// Time stamp and frame.
        header: Header,
        /// Names of the joints.
        name: Vec<String>,
        /// Positions, rad or m.
        position: Vec<f64>,
        /// Velocities, rad/s or m/s.
        velocity: Vec<f64>,
        /// Efforts, N·m or N.
        effort: Vec<f64>,
    }
}
