//! Forms for commands: one per actuator, and a virtual stick for actuators with axes.
use std::collections::BTreeMap;

use bevy::{
    prelude::Resource,
    reflect::{PartialReflect, structs::DynamicStruct},
};
use bevy_egui::egui;
use morse_api::{
    command::CommandSender,
    fields::{Field, from_json},
};
use serde_json::{Value as Json, json};

use crate::requests::Notice;

/// Half the side length of the stick's square, points.
const REACH: f32 = 60.0;

/// Senders of commands to the actuators, and the text that was entered for each.
#[derive(Resource)]
pub(crate) struct CommandPanel {
    senders: Vec<CommandSender>,
    typed: BTreeMap<String, Vec<String>>,
    /// Path of the actuator whose stick is held.
    held: Option<String>,
}

impl CommandPanel {
    pub(crate) fn new(senders: Vec<CommandSender>) -> Self {
        Self {
            senders,
            typed: BTreeMap::new(),
            held: None,
        }
    }

    /// Returns the command senders of all actuators of a kind.
    pub(crate) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a CommandSender> {
        self.senders
            .iter()
            .filter(move |sender| sender.info.kind == kind)
    }
}

/// Draws the form of an actuator. Returns an error message if a command is invalid.
pub(crate) fn draw(
    ui: &mut egui::Ui,
    command_panel: &mut CommandPanel,
    path: &str,
) -> Option<Notice> {
    let sender = command_panel
        .senders
        .iter()
        .find(|sender| *sender.info.path == *path)?;
    ui.strong("Command");
    if sender.info.kind == "joystick" {
        stick(ui, sender, &mut command_panel.held);
        ui.add_space(6.0);
        return None;
    }
    let fields = &sender.info.fields.0;
    let typed = command_panel
        .typed
        .entry(path.to_owned())
        .or_insert_with(|| vec![String::new(); fields.len()]);
    egui::Grid::new("command").num_columns(3).show(ui, |ui| {
        for (field, text) in fields.iter().zip(typed.iter_mut()) {
            ui.label(field.name)
                .on_hover_text(field.docs.unwrap_or_default());
            ui.add(
                egui::TextEdit::singleline(text)
                    .hint_text("as it is")
                    .desired_width(110.0),
            );
            ui.weak(field.unit.unwrap_or_default());
            ui.end_row();
        }
    });
    let mut outcome = None;
    if ui.button("Send").clicked() {
        let sent = command(fields, typed).and_then(|command| {
            sender
                .send(Box::new(command))
                .map_err(|error| error.to_string())
        });
        outcome = sent.err();
    }
    ui.add_space(6.0);
    outcome.map(|text| Notice::new(text, ui.input(|input| input.time)))
}

/// Returns a command with the fields that have text.
fn command(fields: &[Field], typed: &[String]) -> Result<DynamicStruct, String> {
    let mut command = DynamicStruct::default();
    for (field, text) in fields.iter().zip(typed) {
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        // Text that is not valid JSON is used as a string.
        let json = serde_json::from_str(text).unwrap_or_else(|_| Json::from(text));
        let Some(value) = from_json(field, &json) else {
            return Err(format!(
                "`{}`: `{text}` is no {}",
                field.name, field.type_name
            ));
        };
        command.insert_boxed(field.name, value);
    }
    Ok(command)
}

/// Draws a virtual stick: left and forward are positive; it returns to the centre when it is released.
fn stick(ui: &mut egui::Ui, sender: &CommandSender, held: &mut Option<String>) {
    let size = egui::Vec2::splat(2.0 * REACH + 16.0);
    let (response, painter) = ui.allocate_painter(size, egui::Sense::drag());
    let middle = response.rect.center();
    let visuals = ui.visuals();
    painter.circle(
        middle,
        REACH,
        visuals.extreme_bg_color,
        visuals.widgets.noninteractive.bg_stroke,
    );
    let is_held = response.dragged();
    let pointer = response.interact_pointer_pos().filter(|_| is_held);
    let offset = pointer.map_or(egui::Vec2::ZERO, |pointer| {
        let offset = pointer - middle;
        offset * (REACH / offset.length().max(REACH))
    });
    painter.circle_filled(middle + offset, 14.0, visuals.selection.bg_fill);
    let was_held = held.as_deref() == Some(&*sender.info.path);
    if is_held || was_held {
        // A refusal in every frame could not be read; finite numbers are never refused.
        send(
            sender,
            "axes",
            json!([-offset.x / REACH, -offset.y / REACH]),
        )
        .ok();
        *held = is_held.then(|| sender.info.path.to_string());
    }
}

/// Sends one field of a command to an actuator.
pub(crate) fn send(sender: &CommandSender, field: &str, value: Json) -> Result<(), String> {
    let known = sender.info.fields.get(field);
    let value = known
        .and_then(|field| from_json(field, &value))
        .ok_or_else(|| format!("no field `{field}`"))?;
    let mut command = DynamicStruct::default();
    command.insert_boxed(field.to_owned(), value);
    let command: Box<dyn PartialReflect> = Box::new(command);
    sender.send(command).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use bevy::prelude::Reflect;
    use morse_api::fields::Fields;

    use super::*;

    #[derive(Reflect, Default, Debug, PartialEq)]
    struct Move {
        speed: f64,
        at: [f64; 3],
        mode: String,
    }

    fn read(typed: [&str; 3]) -> Result<Move, String> {
        let fields = Fields::of_type::<Move>(None);
        let typed = typed.map(str::to_owned);
        let command = command(&fields.0, &typed)?;
        let mut moved = Move {
            speed: 7.0,
            ..Move::default()
        };
        moved.apply(&command);
        Ok(moved)
    }

    #[test]
    fn what_is_typed_is_told_and_the_rest_stays() {
        let moved = read(["", "[1, 2, 3]", "fast"]).unwrap();
        assert_eq!(
            moved,
            Move {
                speed: 7.0,
                at: [1.0, 2.0, 3.0],
                mode: "fast".to_owned()
            }
        );
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let why = read(["quick", "", ""]).unwrap_err();
        assert!(why.contains("`speed`: `quick` is no"), "{why}");
    }
}
