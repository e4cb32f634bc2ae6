//! Messages that an actuator accepts, according to the fields of its command.
use bevy::reflect::structs::DynamicStruct;
use morse_api::{
    command::{ActuatorInfo, BadCommand, CommandSender},
    fields::Fields,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value as Json;

use crate::messages::{
    AckermannDriveStamped, Float64MultiArray, JointState, Joy, Message as _, Point, PoseStamped,
    Text, Twist, TwistStamped,
};

/// Converts a message to the fields of a command.
type Read = fn(&ActuatorInfo, &Json) -> Result<DynamicStruct, MessageError>;

/// A message type that an actuator accepts.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// The type, such as `geometry_msgs/msg/Twist`.
    pub message: &'static str,
    read: Read,
}

/// Reason why a message is no command of an actuator.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// It has a field that its type does not have.
    #[error("`{path}`: not a {message}: unknown field `{field}`; expected: {known}")]
    UnknownField {
        /// The actuator.
        path: String,
        /// Type of the message.
        message: &'static str,
        /// The field.
        field: String,
        /// Fields of the type, with commas between.
        known: String,
    },
    /// A number is infinite or not a number; in JSON it is `null`.
    #[error("`{path}`: not a {message}: the number in `{field}` is not finite")]
    NotFinite {
        /// The actuator.
        path: String,
        /// Type of the message.
        message: &'static str,
        /// The field, with those around it.
        field: String,
    },
    /// A field has a value of another type.
    #[error("`{path}`: not a {message}: {cause}")]
    WrongForm {
        /// The actuator.
        path: String,
        /// Type of the message.
        message: &'static str,
        /// Error of the parser.
        cause: serde_json::Error,
    },
    /// The pose is in a frame other than the world's.
    #[error("`{path}`: the pose is in `{frame}`; poses are in `map` or `world`")]
    OtherFrame {
        /// The actuator.
        path: String,
        /// The frame.
        frame: String,
    },
    /// The actuator does not take velocities or efforts of joints.
    #[error("`{path}` takes no {list}")]
    NoList {
        /// The actuator.
        path: String,
        /// The list: `velocities` or `efforts`.
        list: &'static str,
    },
    /// The text is no JSON.
    #[error("`{path}`: expected a JSON object of fields: {cause}")]
    NotJson {
        /// The actuator.
        path: String,
        /// Error of the parser.
        cause: serde_json::Error,
    },
    /// The text is JSON, but no object.
    #[error("`{0}`: expected a JSON object of fields")]
    NotAnObject(String),
    /// The message has none of the types of the topic.
    #[error("the topic does not accept this type")]
    NoType,
    /// The actuator does not accept its fields or numbers.
    #[error(transparent)]
    Refused(#[from] BadCommand),
}

/// Reason why a message has not the form of its type.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongForm(String);

/// Returns the types that an actuator accepts, the preferred one first. Every actuator accepts a text with a JSON object of
/// its fields.
#[must_use]
pub fn taken(info: &ActuatorInfo) -> Vec<Taken> {
    taken_for(&info.fields)
}

/// Returns the types that an actuator with these fields of its command accepts, as [`taken`] does.
#[must_use]
pub fn taken_for(fields: &Fields) -> Vec<Taken> {
    let has = |names: &[&str]| names.iter().all(|name| fields.get(name).is_some());
    let mut taken = Vec::new();
    let mut take = |message, read| taken.push(Taken { message, read });
    if has(&["v", "w"]) || has(&["x", "y", "w"]) {
        take(Twist::TYPE, twist as Read);
        take(TwistStamped::TYPE, twist_stamped);
    }
    if has(&["v", "steering_angle"]) {
        take(AckermannDriveStamped::TYPE, ackermann);
    }
    if has(&["x", "y", "z"]) {
        take(PoseStamped::TYPE, pose);
    }
    if has(&["names", "positions"]) {
        take(JointState::TYPE, joints);
        take(Float64MultiArray::TYPE, positions);
    }
    if has(&["axes"]) {
        take(Joy::TYPE, joy);
    }
    take(Text::TYPE, text);
    taken
}

/// Sends a message as a command, by the first type that the message matches.
///
/// # Errors
///
/// The message matches no type, or the actuator does not accept its values.
pub fn send(sender: &CommandSender, taken: &[Taken], message: &Json) -> Result<(), MessageError> {
    let mut wrong = None;
    let mut read = taken
        .iter()
        .map(|taken| (taken.read)(&sender.info, message));
    let command = read.find_map(|command| match command {
        Ok(command) => Some(command),
        Err(why) => {
            // The error for the preferred type is the most helpful one.
            wrong.get_or_insert(why);
            None
        }
    });
    let command = command.ok_or_else(|| wrong.unwrap_or(MessageError::NoType))?;
    Ok(sender.send(Box::new(command))?)
}

fn parse<M: DeserializeOwned + Serialize + Default>(
    info: &ActuatorInfo,
    message: &Json,
    kind: &'static str,
) -> Result<M, MessageError> {
    let form = serde_json::to_value(M::default()).unwrap_or_default();
    if let Some((field, known)) = unknown(message, &form) {
        return Err(MessageError::UnknownField {
            path: info.path.to_string(),
            message: kind,
            field,
            known,
        });
    }
    if let Some(field) = not_finite(message, &form) {
        return Err(MessageError::NotFinite {
            path: info.path.to_string(),
            message: kind,
            field: field.trim_start_matches('.').to_owned(),
        });
    }
    M::deserialize(message).map_err(|cause| MessageError::WrongForm {
        path: info.path.to_string(),
        message: kind,
        cause,
    })
}

/// Returns a value of a type whose fields have defaults.
///
/// # Errors
///
/// The message has a field that the type lacks, or a value of another type.
pub fn parse_strictly<M: DeserializeOwned + Serialize + Default>(
    message: &Json,
) -> Result<M, WrongForm> {
    let form = serde_json::to_value(M::default()).unwrap_or_default();
    if let Some((field, known)) = unknown(message, &form) {
        return Err(WrongForm(format!(
            "unknown field `{field}`; expected: {known}"
        )));
    }
    M::deserialize(message).map_err(|why| WrongForm(why.to_string()))
}

/// Returns the first field of a message that its type lacks, and the existing ones. A header of ROS 1 is accepted.
fn unknown(message: &Json, form: &Json) -> Option<(String, String)> {
    let (Json::Object(message), Json::Object(form)) = (message, form) else {
        return None;
    };
    message
        .iter()
        .find_map(|(name, value)| match form.get(name) {
            None => {
                let known: Vec<&str> = form.keys().map(String::as_str).collect();
                Some((name.clone(), known.join(", ")))
            }
            Some(_) if name == "header" => None,
            Some(form) => unknown(value, form),
        })
}

/// Returns the first field of a message that should be a number and is `null`, with a dot in front.
fn not_finite(message: &Json, form: &Json) -> Option<String> {
    match (message, form) {
        (Json::Null, Json::Number(_)) => Some(String::new()),
        (Json::Object(message), Json::Object(form)) => message.iter().find_map(|(name, value)| {
            let below = not_finite(value, form.get(name)?)?;
            Some(format!(".{name}{below}"))
        }),
        (Json::Array(values), Json::Array(_)) => {
            let index = values.iter().position(Json::is_null)?;
            Some(format!("[{index}]"))
        }
        _ => None,
    }
}

fn twist(info: &ActuatorInfo, message: &Json) -> Result<DynamicStruct, MessageError> {
    Ok(speeds(info, &parse(info, message, Twist::TYPE)?))
}

fn twist_stamped(info: &ActuatorInfo, message: &Json) -> Result<DynamicStruct, MessageError> {
    let message: TwistStamped = parse(info, message, TwistStamped::TYPE)?;
    Ok(speeds(info, &message.twist))
}

fn speeds(info: &ActuatorInfo, twist: &Twist) -> DynamicStruct {
    let forward = if info.fields.get("v").is_some() {
        "v"
    } else {
        "x"
    };
    let mut command = DynamicStruct::default();
    command.insert(forward, twist.linear.x);
    if forward == "x" {
        command.insert("y", twist.linear.y);
    }
    command.insert("w", twist.angular.z);
    if info.fields.get("steering_angle").is_some() {
        command.insert("steering_angle", 0.0);
    }
    command
}

fn ackermann(info: &ActuatorInfo, message: &Json) -> Result<DynamicStruct, MessageError> {
    let message: AckermannDriveStamped = parse(info, message, AckermannDriveStamped::TYPE)?;
    let mut command = DynamicStruct::default();
    command.insert("v", f64::from(message.drive.speed));
    command.insert("w", 0.0);
    command.insert("steering_angle", f64::from(message.drive.steering_angle));
    Ok(command)
}

/// Returns true if a frame of a pose is the world: `map`, `world`, or none.
#[must_use]
pub fn is_world(frame: &str) -> bool {
    ["", "map", "world"].contains(&frame.trim_start_matches('/'))
}

fn pose(info: &ActuatorInfo, message: &Json) -> Result<DynamicStruct, MessageError> {
    let message: PoseStamped = parse(info, message, PoseStamped::TYPE)?;
    let frame = &message.header.frame_id;
    if !is_world(frame) {
        return Err(MessageError::OtherFrame {
            path: info.path.to_string(),
            frame: frame.clone(),
        });
    }
    let Point { x, y, z } = message.pose.position;
    let mut command = DynamicStruct::default();
    for (name, number) in [("x", x), ("y", y), ("z", z)] {
        command.insert(name, number);
    }
    let of = message.pose.orientation;
    let rotation = nalgebra::Quaternion::new(of.w, of.x, of.y, of.z);
    if rotation.norm() > 0.5 {
        let (roll, pitch, yaw) = nalgebra::UnitQuaternion::from_quaternion(rotation).euler_angles();
        for (name, number) in [("roll", roll), ("pitch", pitch), ("yaw", yaw)] {
            if info.fields.get(name).is_some() {
                command.insert(name, number);
            }
        }
    }
    Ok(command)
}

fn joints(info: &ActuatorInfo, message: &Json) -> Result<DynamicStruct, MessageError> {
    let message: JointState = parse(info, message, JointState::TYPE)?;
    let mut command = DynamicStruct::default();
    command.insert("names", message.name);
    let lists = [
        ("positions", message.position),
        ("velocities", message.velocity),
        ("efforts", message.effort),
    ];
    for (name, numbers) in lists {
        if info.fields.get(name).is_some() {
            command.insert(name, numbers);
        } else if !numbers.is_empty() {
            return Err(MessageError::NoList {
                path: info.path.to_string(),
                list: name,
            });
        }
    }
    Ok(command)
}

fn joy(info: &ActuatorInfo, message: &Json) -> Result<DynamicStruct, MessageError> {
    let message: Joy = parse(info, message, Joy::TYPE)?;
    let axes: Vec<f64> = message.axes.into_iter().map(f64::from).collect();
    let mut command = DynamicStruct::default();
    command.insert("axes", axes);
    Ok(command)
}

fn positions(info: &ActuatorInfo, message: &Json) -> Result<DynamicStruct, MessageError> {
    let data = message.get("data").unwrap_or(&Json::Null);
    let numbers: Vec<f64> = parse(info, data, Float64MultiArray::TYPE)?;
    let mut command = DynamicStruct::default();
    command.insert("names", Vec::<String>::new());
    command.insert("positions", numbers);
    Ok(command)
}

fn text(info: &ActuatorInfo, message: &Json) -> Result<DynamicStruct, MessageError> {
    let path = || info.path.to_string();
    let message: Text = parse(info, message, Text::TYPE)?;
    let value = serde_json::from_str(&message.data);
    let value = value.map_err(|cause| MessageError::NotJson {
        path: path(),
        cause,
    })?;
    let Json::Object(fields) = value else {
        return Err(MessageError::NotAnObject(path()));
    };
    let mut command = DynamicStruct::default();
    for (name, value) in &fields {
        command.insert_boxed(name.clone(), info.value_from_json(name, value)?);
    }
    Ok(command)
}
