//! Tree at the left: robots with their sensors and actuators, and the remaining bodies.
use bevy::prelude::*;
use bevy_egui::{EguiContexts, egui};
use morse_api::{body::BodyKind, world_view::Scenery};

use crate::{bar::Rest, camera::OrbitCamera, pick::Selected, replica::Replica};

/// Maximum number of bodies without a robot in the tree.
const MOST_BODIES: usize = 400;

/// Filter text of the tree.
#[derive(Resource, Default)]
pub(crate) struct Search(String);

/// Draws the tree.
pub(crate) fn draw(
    mut contexts: EguiContexts,
    replica: Res<Replica>,
    mut selected: ResMut<Selected>,
    mut camera: ResMut<OrbitCamera>,
    mut search: ResMut<Search>,
    mut rest: ResMut<Rest>,
) -> Result {
    let mut root = rest.root(contexts.ctx_mut()?, "tree");
    egui::Panel::left("tree")
        .default_size(210.0)
        .size_range(120.0..=480.0)
        .show_inside(&mut root, |ui| {
            ui.add_space(4.0);
            ui.add(
                egui::TextEdit::singleline(&mut search.0)
                    .hint_text("Search")
                    .desired_width(f32::INFINITY),
            );
            ui.add_space(4.0);
            egui::ScrollArea::both()
                .auto_shrink([false, false])
                .show(ui, |ui| {
                    let wanted = search.0.to_lowercase();
                    let branches = Branches {
                        scenery: &replica.scenery,
                        wanted: &wanted,
                    };
                    if let Some((chosen, is_double)) = branches.draw(ui, *selected) {
                        *selected = chosen;
                        if let (true, Some(pose)) = (is_double, chosen.pose(&replica)) {
                            camera.look_at(replica.transform(&pose).translation);
                        }
                    }
                });
        });
    rest.keep(&root);
    Ok(())
}

/// Content of the tree.
struct Branches<'a> {
    scenery: &'a Scenery,
    wanted: &'a str,
}

/// Clicked element, and true for a double click.
type Chosen = Option<(Selected, bool)>;

impl Branches<'_> {
    fn draw(&self, ui: &mut egui::Ui, selected: Selected) -> Chosen {
        let mut chosen = None;
        for (index, robot) in self.scenery.robots.iter().enumerate() {
            let components = self.components_of(&robot.name);
            if components.is_empty() && !self.is_wanted(&robot.name) {
                continue;
            }
            let id = ui.make_persistent_id(("robot", index));
            let opens = self.scenery.robots.len() <= 6 || !self.wanted.is_empty();
            egui::collapsing_header::CollapsingState::load_with_default_open(ui.ctx(), id, opens)
                .show_header(ui, |ui| {
                    let name = egui::RichText::new(&robot.name).strong();
                    leaf(
                        ui,
                        name,
                        "robot",
                        Selected::Robot(index),
                        selected,
                        &mut chosen,
                    );
                })
                .body(|ui| {
                    for &component in &components {
                        self.component(ui, component, &robot.name, selected, &mut chosen);
                    }
                });
        }
        self.bodies(ui, selected, &mut chosen);
        chosen
    }

    fn is_wanted(&self, name: &str) -> bool {
        self.wanted.is_empty() || name.to_lowercase().contains(self.wanted)
    }

    /// Returns the indices of the sensors and actuators of a robot.
    fn components_of(&self, robot: &str) -> Vec<usize> {
        let components = self.scenery.components.iter().enumerate();
        let components = components.filter(|(_, component)| {
            component.robot == robot
                && (self.is_wanted(&component.path) || self.is_wanted(component.kind))
        });
        components.map(|(index, _)| index).collect()
    }

    fn component(
        &self,
        ui: &mut egui::Ui,
        index: usize,
        robot: &str,
        selected: Selected,
        chosen: &mut Chosen,
    ) {
        let Some(component) = self.scenery.components.get(index) else {
            return;
        };
        let name = component
            .path
            .strip_prefix(robot)
            .unwrap_or(&component.path)
            .trim_start_matches('.');
        let sign = if component.is_sensor { "•" } else { "▶" };
        let hint = format!("{}, {} Hz", component.kind, component.frequency);
        let text = egui::RichText::new(format!("{sign} {name}"));
        leaf(
            ui,
            text,
            &hint,
            Selected::Component(index),
            selected,
            chosen,
        );
    }

    /// Draws the bodies that belong to no robot.
    fn bodies(&self, ui: &mut egui::Ui, selected: Selected, chosen: &mut Chosen) {
        let others = self.scenery.bodies.iter().enumerate();
        let others: Vec<usize> = others
            .filter(|(_, body)| {
                body.robot.is_none() && !body.name.is_empty() && self.is_wanted(&body.name)
            })
            .map(|(index, _)| index)
            .collect();
        if others.is_empty() {
            return;
        }
        egui::CollapsingHeader::new("Bodies")
            .default_open(!self.wanted.is_empty())
            .show(ui, |ui| {
                for &index in others.iter().take(MOST_BODIES) {
                    let Some(body) = self.scenery.bodies.get(index) else {
                        continue;
                    };
                    let hint = kind(body.kind);
                    leaf(
                        ui,
                        egui::RichText::new(&body.name),
                        hint,
                        Selected::Body(index),
                        selected,
                        chosen,
                    );
                }
                if others.len() > MOST_BODIES {
                    ui.weak(format!(
                        "and {} more: search for them",
                        others.len() - MOST_BODIES
                    ));
                }
            });
    }
}

/// Returns the name of the kind of a body.
pub(crate) fn kind(kind: BodyKind) -> &'static str {
    match kind {
        BodyKind::Fixed => "fixed",
        BodyKind::Kinematic => "kinematic",
        BodyKind::Dynamic => "dynamic",
    }
}

fn leaf(
    ui: &mut egui::Ui,
    text: egui::RichText,
    hint: &str,
    own: Selected,
    selected: Selected,
    chosen: &mut Chosen,
) {
    let response = ui
        .selectable_label(selected == own, text)
        .on_hover_text(hint);
    if response.clicked() || response.double_clicked() {
        *chosen = Some((own, response.double_clicked()));
    }
}
