//! Conversion of a line of JSON to a command.
use bevy::reflect::structs::DynamicStruct;
use morse_api::command::{BadCommand, CommandSender};
use serde_json::Value as Json;

/// Reason why a line is no command; the message contains the actuator's path.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// It is no JSON.
    #[error("`{path}`: not a JSON object of finite numbers{}: {cause}", in_field(field.as_deref()))]
    NotJson {
        /// The actuator.
        path: String,
        /// The field with the error, if it can be determined.
        field: Option<String>,
        /// Error of the parser.
        cause: serde_json::Error,
    },
    /// It is JSON, but no object.
    #[error("`{0}`: a JSON object of fields is expected")]
    NotAnObject(String),
    /// The actuator does not accept its fields or numbers.
    #[error(transparent)]
    Refused(#[from] BadCommand),
}

fn in_field(field: Option<&str>) -> String {
    field.map_or(String::new(), |name| format!(" in `{name}`"))
}

/// Sends the command in a line. Missing fields keep their values.
///
/// # Errors
///
/// The error in the line, with the actuator's name.
pub fn send(sender: &CommandSender, line: &[u8]) -> Result<(), LineError> {
    let path = &sender.info.path;
    let value: Json = serde_json::from_slice(line).map_err(|error| {
        let field = field_at(line, error.column());
        LineError::NotJson {
            path: path.to_string(),
            field,
            cause: error,
        }
    })?;
    let Json::Object(fields) = value else {
        return Err(LineError::NotAnObject(path.to_string()));
    };
    let mut command = DynamicStruct::default();
    let (mut names, mut positions) = (Vec::new(), Vec::new());
    let has_joints = ["names", "positions"].map(|name| sender.info.fields.get(name).is_some());
    for (name, value) in &fields {
        // Clients may send exported data back, which have a time stamp.
        if name == "timestamp" {
            continue;
        }
        // MORSE's arms accept each joint as a field.
        if let (None, Some(position), [true, true]) =
            (sender.info.fields.get(name), value.as_f64(), has_joints)
        {
            names.push(name.clone());
            positions.push(position);
            continue;
        }
        command.insert_boxed(name.clone(), sender.info.value_from_json(name, value)?);
    }
    if !names.is_empty() {
        command.insert("names", names);
        command.insert("positions", positions);
    }
    Ok(sender.send(Box::new(command))?)
}

/// Returns the name of the last field that begins before a column of a line: the probable position of a JSON error.
fn field_at(line: &[u8], column: usize) -> Option<String> {
    let before = line.get(..column.min(line.len()))?;
    let colon = before
        .windows(2)
        .rposition(|pair| pair == b"\":" || pair == b"\" ")?;
    let name = before.get(..colon)?;
    let start = name.iter().rposition(|&byte| byte == b'"')?;
    let name = name.get(start + 1..)?;
    Some(
        String::from_utf8_lossy(name)
            .chars()
            .filter(|letter| !letter.is_control())
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_with_the_mistake_is_named() {
        for (line, expected) in [
            (r#"{"v": 1.0, "w": NaN}"#, Some("w")),
            (r#"{"v": NaN, "w": 1.0}"#, Some("v")),
            (r#"{"force": [1.0, Infinity, 0.0]}"#, Some("force")),
            (r#"{"v" : -Infinity}"#, Some("v")),
            (r#"{"v": 1e999}"#, Some("v")),
            ("v=1", None),
        ] {
            let error = serde_json::from_str::<Json>(line).unwrap_err();
            assert_eq!(
                field_at(line.as_bytes(), error.column()).as_deref(),
                expected,
                "{line}"
            );
        }
    }
}
