//! Definitions of messages, as queries of ROS describe them.
use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use crate::messages::{self, Definition};

/// Maximum depth of messages in messages.
const MOST_LEVELS: usize = 8;

/// Returns the definition of a type, written as in ROS 1 or ROS 2.
fn find(name: &str) -> Option<&'static Definition> {
    let name = name.replace("/msg/", "/");
    let mut all = messages::definitions();
    all.find(|known| known.name.replace("/msg/", "/") == name)
}

/// Type of a field in ROS: the name of a message or of a number, and the length of an array; 0 for one of any length.
struct FieldType {
    name: String,
    array: Option<usize>,
}

/// Returns the type in ROS of a field whose type in Rust is written so.
fn field_type(rust: &str) -> FieldType {
    let rust = rust.trim();
    if let Some(item) = rust
        .strip_prefix("Vec<")
        .and_then(|rest| rest.strip_suffix('>'))
    {
        return FieldType {
            array: Some(0),
            ..field_type(item)
        };
    }
    if let Some(inner) = rust
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        && let Some((item, length)) = inner.split_once(';')
    {
        return FieldType {
            array: length.trim().parse().ok(),
            ..field_type(item)
        };
    }
    let (name, array) = match rust {
        "f64" => ("float64", None),
        "f32" => ("float32", None),
        "i8" => ("int8", None),
        "i16" => ("int16", None),
        "i32" => ("int32", None),
        "i64" => ("int64", None),
        "u8" => ("uint8", None),
        "u16" => ("uint16", None),
        "u32" => ("uint32", None),
        "u64" => ("uint64", None),
        "String" => ("string", None),
        "Bytes" => ("uint8", Some(0)),
        "Matrix6" => ("float64", Some(36)),
        other => (other, None),
    };
    let mut all = messages::definitions();
    let message = all.find(|known| known.rust == name);
    FieldType {
        name: message.map_or(name, |message| message.name).to_owned(),
        array,
    }
}

/// Returns a type and the types of its fields, each once, the type itself first; empty if it does not exist.
fn nested(name: &str) -> Vec<&'static Definition> {
    let mut list = Vec::new();
    let mut seen = BTreeSet::new();
    let mut next: Vec<&'static Definition> = find(name).into_iter().collect();
    for _ in 0..MOST_LEVELS {
        next.retain(|definition| seen.insert(definition.name));
        let fields = next.iter().flat_map(|definition| definition.fields);
        let below = fields
            .filter_map(|(_, rust)| find(&field_type(rust).name))
            .collect();
        list.extend(std::mem::replace(&mut next, below));
    }
    list
}

/// Returns the fields of a type and of the types of its fields, in the form of `rosapi/message_details`; empty if the type
/// does not exist.
#[must_use]
pub fn details(name: &str) -> Json {
    let definitions = nested(name).into_iter().map(|definition| {
        let fields = definition
            .fields
            .iter()
            .map(|(field, rust)| (*field, field_type(rust)));
        let fields: Vec<(&str, FieldType)> = fields.collect();
        let names: Vec<&str> = fields
            .iter()
            .map(|(field, _)| field.trim_start_matches("r#"))
            .collect();
        let types: Vec<&str> = fields.iter().map(|(_, kind)| &*kind.name).collect();
        // -1 for a field that is no array, 0 for an array of any length.
        let lengths: Vec<i64> = fields
            .iter()
            .map(|(_, kind)| kind.array.map_or(-1, |length| length as i64))
            .collect();
        let examples: Vec<&str> = fields.iter().map(|(_, kind)| example(kind)).collect();
        json!({
            "type": definition.name,
            "fieldnames": names,
            "fieldtypes": types,
            "fieldarraylen": lengths,
            "examples": examples,
            "constnames": [],
            "constvalues": [],
        })
    });
    definitions.collect()
}

fn example(kind: &FieldType) -> &'static str {
    match (&*kind.name, kind.array) {
        (_, Some(_)) => "[]",
        ("string", _) => "",
        ("bool", _) => "False",
        ("float64" | "float32", _) => "0.0",
        (name, _) if name.contains('/') => "{}",
        _ => "0",
    }
}

/// Returns the text of a definition, with those of the types of its fields, as in recordings of ROS; empty if the type does
/// not exist.
#[must_use]
pub fn text(name: &str) -> String {
    let mut text = String::new();
    for (number, definition) in nested(name).into_iter().enumerate() {
        if number > 0 {
            text.push_str(&"=".repeat(80));
            text.push_str(&format!(
                "\nMSG: {}\n",
                definition.name.replace("/msg/", "/")
            ));
        }
        for (field, rust) in definition.fields {
            let FieldType { name, array } = field_type(rust);
            let array = match array {
                None => String::new(),
                Some(0) => "[]".to_owned(),
                Some(length) => format!("[{length}]"),
            };
            let (name, field) = (name.replace("/msg/", "/"), field.trim_start_matches("r#"));
            text.push_str(&format!("{name}{array} {field}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_those_of_ros() {
        let expected = "\
std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
";
        assert_eq!(text("sensor_msgs/msg/JointState"), expected);
        assert_eq!(text("sensor_msgs/JointState"), expected);
        assert_eq!(text("sensor_msgs/Nothing"), "");
        let imu = text("sensor_msgs/Imu");
        assert!(
            imu.contains("\nfloat64[9] orientation_covariance\n"),
            "{imu}"
        );
        assert!(text("nav_msgs/Odometry").contains("\nfloat64[36] covariance\n"));
        assert!(text("sensor_msgs/Image").contains("\nuint8[] data\n"));
    }

    #[test]
    fn every_field_has_a_type_of_ros() {
        let numbers =
            "float64 float32 int8 int16 int32 int64 uint8 uint16 uint32 uint64 string bool";
        for definition in messages::definitions() {
            for (field, rust) in definition.fields {
                let name = field_type(rust).name;
                let is_known =
                    numbers.split(' ').any(|known| known == name) || find(&name).is_some();
                assert!(is_known, "{}.{field}: {rust}", definition.name);
            }
        }
    }

    #[test]
    fn details_have_lists_of_the_same_length() {
        let details = details("geometry_msgs/Twist");
        assert_eq!(details[0]["fieldnames"], json!(["linear", "angular"]));
        assert_eq!(details[0]["fieldarraylen"], json!([-1, -1]));
        assert_eq!(details[1]["type"], "geometry_msgs/msg/Vector3");
        assert_eq!(
            details[1]["fieldtypes"],
            json!(["float64", "float64", "float64"])
        );
        assert_eq!(super::details("x/Y"), json!([]));
    }
}
