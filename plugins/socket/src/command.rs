//! A line of JSON as a command.
use bevy::reflect::{PartialReflect, structs::DynamicStruct};
use morse_api::{command::CommandSender, fields::from_json};
use serde_json::Value as Json;

/// Sends the command that a line holds. Fields that it lacks keep their values.
///
/// # Errors
///
/// What is wrong with the line, with the actuator's name.
pub fn send(sender: &CommandSender, line: &[u8]) -> Result<(), String> {
    let path = &sender.info.path;
    let value: Json = serde_json::from_slice(line)
        .map_err(|error| format!("`{path}`: not a JSON object: {error}"))?;
    let Json::Object(fields) = value else {
        return Err(format!("`{path}`: a JSON object of fields is expected"));
    };
    let mut command = DynamicStruct::default();
    let (mut names, mut positions) = (Vec::new(), Vec::new());
    let has_joints = ["names", "positions"].map(|name| sender.info.fields.get(name).is_some());
    for (name, value) in &fields {
        // Clients send back what they were sent.
        if name == "timestamp" {
            continue;
        }
        let Some(field) = sender.info.fields.get(name) else {
            // MORSE's arms take each joint as a field of its own.
            if let (Some(position), [true, true]) = (value.as_f64(), has_joints) {
                names.push(name.clone());
                positions.push(position);
                continue;
            }
            let known: Vec<&str> = sender
                .info
                .fields
                .0
                .iter()
                .map(|field| field.name)
                .collect();
            return Err(format!(
                "`{path}` has no field `{name}`; it has: {}",
                known.join(", ")
            ));
        };
        let value: Box<dyn PartialReflect> = from_json(field, value)
            .ok_or_else(|| format!("`{path}`: `{name}` wants {}", field.type_name))?;
        command.insert_boxed(name.clone(), value);
    }
    if !names.is_empty() {
        command.insert("names", names);
        command.insert("positions", positions);
    }
    sender
        .send(Box::new(command))
        .map_err(|error| error.to_string())
}
