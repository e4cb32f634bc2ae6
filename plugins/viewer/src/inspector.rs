//! Inspector at the right: name, pose, readings and commands of the selection.
use bevy::prelude::*;
use bevy_egui::{EguiContexts, egui};
use morse_api::world_view::{ComponentInfo, Scenery};
use nalgebra::Isometry3;

use crate::{
    bar::Rest,
    camera_image::CameraImage,
    command_panel::{self, CommandPanel},
    pick::Selected,
    plot::Plots,
    replica::{Replica, SensorReplica},
    requests::Notice,
    rows::{self, Cell, Row},
    tree,
};

/// Draws the inspector.
pub(crate) fn draw(
    mut contexts: EguiContexts,
    replica: Res<Replica>,
    selected: Res<Selected>,
    mut plots: ResMut<Plots>,
    mut camera_image: ResMut<CameraImage>,
    mut command_panel: ResMut<CommandPanel>,
    mut notice: ResMut<Notice>,
    mut rest: ResMut<Rest>,
) -> Result {
    let mut root = rest.root(contexts.ctx_mut()?, "facts");
    egui::Panel::right("facts")
        .default_size(270.0)
        .size_range(160.0..=700.0)
        .show_inside(&mut root, |ui| {
            ui.add_space(4.0);
            egui::ScrollArea::vertical()
                .auto_shrink([false, false])
                .show(ui, |ui| {
                    let scenery = &replica.scenery;
                    if *selected == Selected::Nothing {
                        nothing(ui, scenery);
                        return;
                    }
                    ui.heading(selected.name(scenery));
                    let component = match *selected {
                        Selected::Component(index) => scenery.components.get(index),
                        _ => None,
                    };
                    about(ui, *selected, scenery, component);
                    if let Some((index, seen)) = selected
                        .sensor(&replica)
                        .and_then(|index| Some((index, replica.sensors.get(index)?)))
                    {
                        data(ui, index, seen, &mut plots, &mut camera_image);
                    }
                    if let Some(text) = component.and_then(|component| {
                        command_panel::draw(ui, &mut command_panel, &component.path)
                    }) {
                        *notice = text;
                    }
                    if let Some(pose) = selected.pose(&replica) {
                        show_pose(ui, &pose);
                    }
                });
        });
    rest.keep(&root);
    Ok(())
}

fn nothing(ui: &mut egui::Ui, scenery: &Scenery) {
    ui.heading(if scenery.name.is_empty() {
        "morse-sim"
    } else {
        &scenery.name
    });
    let count = |count: usize, one: &str, many: &str| {
        format!("{count} {}", if count == 1 { one } else { many })
    };
    ui.label(count(scenery.robots.len(), "robot", "robots"));
    ui.label(count(scenery.components.len(), "component", "components"));
    ui.label(count(scenery.bodies.len(), "body", "bodies"));
    ui.add_space(6.0);
    ui.weak("Select something in the tree or in the view.");
}

fn about(
    ui: &mut egui::Ui,
    selected: Selected,
    scenery: &Scenery,
    component: Option<&ComponentInfo>,
) {
    let text = match (selected, component) {
        (
            _,
            Some(ComponentInfo {
                kind,
                is_sensor,
                frequency,
                ..
            }),
        ) => {
            format!(
                "{kind} · {} · {frequency} Hz",
                if *is_sensor { "sensor" } else { "actuator" }
            )
        }
        (Selected::Body(index), _) => scenery.bodies.get(index).map_or_else(String::new, |body| {
            let robot = body
                .robot
                .as_ref()
                .map(|robot| format!(" · part of {robot}"));
            format!(
                "body · {}{}",
                tree::kind(body.kind),
                robot.unwrap_or_default()
            )
        }),
        _ => "robot".to_owned(),
    };
    ui.weak(text);
    ui.add_space(4.0);
}

/// Draws the last reading of a sensor.
fn data(
    ui: &mut egui::Ui,
    sensor: usize,
    seen: &SensorReplica,
    plots: &mut Plots,
    camera_image: &mut CameraImage,
) {
    ui.strong("Data");
    let Some(reading) = &seen.reading else {
        ui.weak("Nothing was measured yet.");
        return;
    };
    let info = &seen.observer.info;
    camera_image.draw(ui, sensor, info, reading);
    let rows = rows::of(info, reading);
    egui::Grid::new("data")
        .num_columns(3)
        .striped(true)
        .show(ui, |ui| {
            for row in &rows {
                name(ui, sensor, &info.path, row, plots);
                match &row.cell {
                    Cell::Number(value) => ui.monospace(rows::number(*value)),
                    Cell::Text(text) => ui.add(egui::Label::new(text).truncate()),
                    Cell::Strip(values) => strip(ui, values),
                };
                ui.weak(row.unit);
                ui.end_row();
            }
        });
    ui.weak(format!("measured at {:.3} s", reading.seconds()));
    ui.add_space(6.0);
}

/// Draws the name of a row; the name of a number is a button that plots it.
fn name(ui: &mut egui::Ui, sensor: usize, path: &str, row: &Row, plots: &mut Plots) {
    if !matches!(row.cell, Cell::Number(_)) {
        ui.label(&row.name).on_hover_text(row.docs);
        return;
    }
    let mut text = egui::RichText::new(&row.name);
    if let Some(color) = plots.color(sensor, &row.name) {
        text = text.color(color).strong();
    }
    let hint = format!("{} Click to draw it over time.", row.docs);
    let button = egui::Button::new(text).frame(false);
    if ui.add(button).on_hover_text(hint.trim_start()).clicked() {
        plots.toggle(sensor, path, row);
    }
}

/// Draws an array of numbers as bars.
fn strip(ui: &mut egui::Ui, values: &[f32]) -> egui::Response {
    let (response, painter) = ui.allocate_painter(egui::vec2(120.0, 32.0), egui::Sense::hover());
    let rect = response.rect;
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(0.0, f32::min), finite().fold(1e-9, f32::max));
    let color = ui.visuals().selection.bg_fill;
    let wide = rect.width() / values.len().max(1) as f32;
    for (index, value) in values.iter().enumerate() {
        let fraction = if value.is_finite() {
            (value - low) / (high - low)
        } else {
            1.0
        };
        let left = rect.left() + index as f32 * wide;
        let bar = egui::Rect::from_min_max(
            egui::pos2(left, rect.bottom() - fraction * rect.height()),
            egui::pos2(left + wide.max(0.5), rect.bottom()),
        );
        painter.rect_filled(bar, 0.0, color);
    }
    response.on_hover_text(format!("{} numbers from {low} to {high}", values.len()))
}

fn show_pose(ui: &mut egui::Ui, pose: &Isometry3<f64>) {
    ui.strong("Pose in the world");
    let (roll, pitch, yaw) = pose.rotation.euler_angles();
    let [x, y, z]: [f64; 3] = pose.translation.vector.into();
    let rows = [
        ("x", x, "m"),
        ("y", y, "m"),
        ("z", z, "m"),
        ("roll", roll, "rad"),
        ("pitch", pitch, "rad"),
        ("yaw", yaw, "rad"),
    ];
    egui::Grid::new("pose")
        .num_columns(3)
        .striped(true)
        .show(ui, |ui| {
            for (name, value, unit) in rows {
                ui.label(name);
                ui.monospace(rows::number(value));
                ui.weak(unit);
                ui.end_row();
            }
        });
}
