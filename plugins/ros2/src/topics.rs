//! Topics of sensors and actuators: names, types and qualities of service, from the mapping of all middlewares of ROS and the
//! settings of outputs and inputs.
use morse_api::{command::ActuatorInfo, reading::SensorInfo, ros::RosMessage};
use morse_ros::{
    commands::{Taken, taken},
    names,
    topics::{Topic, topic_of, topics, use_jpeg},
};

use crate::{ImageFormat, Ros2Input, Ros2Output};

/// Returns the topics of a sensor.
///
/// # Errors
///
/// The settings name a topic or a type that does not exist.
pub(crate) fn check_output(info: &SensorInfo, output: &Ros2Output) -> Result<Vec<Topic>, String> {
    let path = &info.path;
    let mut list = topics(info);
    if let Some(wanted) = &output.r#type {
        let text = topic_of(info, RosMessage::Json);
        let known: Vec<&str> = list.iter().map(|topic| topic.message).collect();
        let known = known.join("`, `");
        list.retain(|topic| is_type(wanted, topic.message));
        if list.is_empty() && is_type(wanted, text.message) {
            list.push(text);
        }
        if list.is_empty() {
            return Err(format!(
                "`{path}` has no messages of the type `{wanted}`; it has `{known}`, and `std_msgs/msg/String` as any sensor"
            ));
        }
    }
    if let Some(format) = output.compressed {
        let is_compressed = |topic: &Topic| topic.message == "sensor_msgs/msg/CompressedImage";
        if !list.iter().any(is_compressed) {
            return Err(format!("`compressed`: `{path}` has no compressed images"));
        }
        if format == ImageFormat::Jpeg {
            list.iter_mut().for_each(|topic| {
                use_jpeg(topic);
            });
        }
    }
    if let Some(topic) = &output.topic {
        let own = names::topic(path);
        let name = absolute(topic);
        check_name(&format!("topic of `{path}`"), &name[1..])?;
        for each in &mut list {
            let below = each.name.strip_prefix(&own).unwrap_or_default();
            each.name = format!("{name}{below}");
        }
    }
    Ok(list)
}

/// Returns the topic of an actuator, and the type that it accepts there.
///
/// # Errors
///
/// The settings name a topic or a type that does not exist.
pub(crate) fn check_input(
    info: &ActuatorInfo,
    input: &Ros2Input,
) -> Result<(String, Taken), String> {
    let path = &info.path;
    let list = taken(info);
    let choice = match &input.r#type {
        None => list.first(),
        Some(wanted) => list.iter().find(|taken| is_type(wanted, taken.message)),
    };
    let Some(choice) = choice else {
        let known: Vec<&str> = list.iter().map(|taken| taken.message).collect();
        let (wanted, known) = (
            input.r#type.as_deref().unwrap_or_default(),
            known.join("`, `"),
        );
        return Err(format!(
            "`{path}` accepts no messages of the type `{wanted}`; it accepts `{known}`"
        ));
    };
    let name = match &input.topic {
        None => names::topic(path),
        Some(topic) => {
            let name = absolute(topic);
            check_name(&format!("topic of `{path}`"), &name[1..])?;
            name
        }
    };
    Ok((name, *choice))
}

/// Returns the name with a slash in front.
fn absolute(name: &str) -> String {
    format!("/{}", name.trim_start_matches('/'))
}

/// Returns true if a type is the expected one, which may lack the `/msg/` in the middle, or the package.
fn is_type(wanted: &str, message: &str) -> bool {
    wanted == message
        || message.replace("/msg/", "/") == wanted
        || message.rsplit('/').next() == Some(wanted)
}

/// Returns an error if a name is not valid in ROS: letters, digits and single underscores, in segments between slashes that
/// do not begin with a digit.
pub(crate) fn check_name(what: &str, name: &str) -> Result<(), String> {
    let is_segment = |segment: &str| {
        let usual = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        !segment.is_empty()
            && segment.chars().all(usual)
            && !segment.starts_with(|first: char| first.is_ascii_digit())
    };
    if name.split('/').all(is_segment) && !name.contains("__") && name.len() <= MAX_NAME {
        return Ok(());
    }
    Err(format!(
        "{what}: `{name}` is not a name of ROS: letters, digits and single underscores between slashes, at most {MAX_NAME} \
         of them, and no digit after a slash"
    ))
}

/// Maximum length of a name: that of ROS, less its prefixes.
const MAX_NAME: usize = 200;
