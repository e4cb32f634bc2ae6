//! Toolbar at the top of the window: time controls, layers and theme.
use bevy::prelude::*;
use bevy_egui::{EguiContexts, egui, input::EguiWantsInput};

use crate::{
    camera::OrbitCamera,
    gizmos::Layers,
    light::Theme,
    pick::Selected,
    replica::{Pace, Replica},
    requests::{Notice, Requests},
};

/// Available factors of simulated time.
const SPEEDS: [f64; 8] = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, f64::INFINITY];

/// True while the list of keys is visible.
#[derive(Resource, Default)]
pub(crate) struct Help(pub(crate) bool);

/// True while the panel of objects and their links is visible.
#[derive(Resource, Default)]
pub(crate) struct ObjectsOpen(pub(crate) bool);

/// Keys and their functions, in groups.
const KEYS: [(&str, &str); 24] = [
    ("Space", "hold the run, or let it go on"),
    (".", "one tick"),
    ("[  ]", "slower, faster"),
    ("Ctrl R", "back to the start, time included"),
    ("F11", "bodies back to where they started"),
    ("drag", "turn the view"),
    ("right drag", "move the view"),
    ("Ctrl drag", "aim elsewhere from the same place"),
    ("wheel", "nearer, farther"),
    ("W A S D", "fly"),
    ("R F", "fly up and down"),
    ("F8", "the first view"),
    ("F7", "the next robot"),
    ("Z", "follow what is selected"),
    ("F5", "print where the eye is"),
    ("F6", "objects and their links"),
    ("F12", "a picture of the window"),
    ("click", "select; once more for the part"),
    ("Shift drag", "move a body, or a robot"),
    ("Alt click", "push a body"),
    ("1 … 9", "layers, in the order of the menu"),
    ("gamepad", "drive robots by their joystick"),
    ("Esc", "select nothing"),
    ("F1  ?", "these keys"),
];

/// Draws the toolbar.
pub(crate) fn draw(
    mut contexts: EguiContexts,
    replica: Res<Replica>,
    requests: Res<Requests>,
    notice: Res<Notice>,
    selected: Res<Selected>,
    mut camera: ResMut<OrbitCamera>,
    mut layers: ResMut<Layers>,
    mut theme: ResMut<Theme>,
    mut help: ResMut<Help>,
    mut objects: ResMut<ObjectsOpen>,
    mut rest: ResMut<Rest>,
) -> Result {
    let context = contexts.ctx_mut()?;
    *rest = Rest(context.viewport_rect(), context.zoom_factor());
    let mut root = rest.root(context, "bar");
    egui::Panel::top("bar").show_inside(&mut root, |ui| {
        ui.add_space(3.0);
        ui.horizontal_wrapped(|ui| {
            ui.add_enabled_ui(!replica.is_over, |ui| time(ui, &replica, &requests));
            ui.separator();
            clock(ui, &replica);
            ui.separator();
            ui.menu_button("Show", |ui| layers.menu(ui));
            ui.menu_button("View", |ui| view(ui, &mut camera, &replica, *selected));
            if !replica.graphs.is_empty() {
                let button = ui.toggle_value(&mut objects.0, "Objects");
                button.on_hover_text("Objects and their links (F6)");
            }
            let next = match *theme {
                Theme::Dark => Theme::Light,
                Theme::Light => Theme::Dark,
            };
            if ui
                .button(if next == Theme::Light { "☀" } else { "🌙" })
                .on_hover_text("Dark or light")
                .clicked()
            {
                *theme = next;
            }
            if ui.button("Keys").clicked() {
                help.0 = !help.0;
            }
            if !notice.text.is_empty() {
                ui.separator();
                ui.colored_label(ui.visuals().warn_fg_color, &notice.text);
            }
        });
        ui.add_space(2.0);
    });
    rest.keep(&root);
    keys(context, &mut help.0);
    Ok(())
}

/// Area of the window that panels have not taken, in points of the panels, and the number of the window's logical pixels per
/// point.
#[derive(Resource)]
pub(crate) struct Rest(egui::Rect, f32);

impl Default for Rest {
    fn default() -> Self {
        Self(egui::Rect::NOTHING, 1.0)
    }
}

impl Rest {
    /// Returns true if the pointer is over the 3D view, and not over a panel or a menu.
    pub(crate) fn has_pointer(&self, window: &Window, egui: &EguiWantsInput) -> bool {
        let is_over = window.cursor_position().is_some_and(|at| {
            let scale = self.1;
            self.0.contains(egui::pos2(at.x / scale, at.y / scale))
        });
        is_over && !egui.wants_any_pointer_input()
    }

    /// Returns the root of a panel, which takes its area from the remaining one.
    pub(crate) fn root(&self, context: &egui::Context, name: &'static str) -> egui::Ui {
        let builder = egui::UiBuilder::new()
            .layer_id(egui::LayerId::background())
            .max_rect(self.0);
        egui::Ui::new(context.clone(), name.into(), builder)
    }

    /// Returns the area that no panel has taken.
    pub(crate) fn left(&self) -> egui::Rect {
        self.0
    }

    /// Stores the area that remains after a panel.
    pub(crate) fn keep(&mut self, root: &egui::Ui) {
        self.0 = root.available_rect_before_wrap();
    }
}

/// Draws the buttons that control time.
fn time(ui: &mut egui::Ui, replica: &Replica, requests: &Requests) {
    let Pace {
        is_held, factor, ..
    } = replica.pace;
    let (sign, hint) = if is_held {
        ("▶", "Go on (Space)")
    } else {
        ("⏸", "Hold (Space)")
    };
    if ui.button(sign).on_hover_text(hint).clicked() {
        requests.pause_or_go_on(replica);
    }
    if ui.button("⏭").on_hover_text("One tick (.)").clicked() {
        requests.step(replica);
    }
    if ui
        .button("⟲")
        .on_hover_text("Back to the start (Ctrl R)")
        .clicked()
    {
        requests.reset(replica);
    }
    egui::ComboBox::from_id_salt("speed")
        .width(70.0)
        .selected_text(speed(factor))
        .show_ui(ui, |ui| {
            for wanted in SPEEDS {
                if ui
                    .selectable_label(is_same(factor, wanted), speed(wanted))
                    .clicked()
                {
                    requests.speed(replica, wanted);
                }
            }
        });
}

fn is_same(one: f64, other: f64) -> bool {
    one.is_infinite() && other.is_infinite() || (one / other - 1.0).abs() < 1e-4
}

fn speed(factor: f64) -> String {
    if factor.is_finite() {
        format!("{factor}×")
    } else {
        "fastest".to_owned()
    }
}

/// Returns the next higher or lower factor of simulated time.
pub(crate) fn shifted(factor: f64, is_faster: bool) -> f64 {
    let mut faster = SPEEDS.into_iter();
    let next = if is_faster {
        faster.find(|speed| *speed > factor * (1.0 + 1e-4))
    } else {
        faster.rfind(|speed| *speed < factor * (1.0 - 1e-4))
    };
    next.unwrap_or(factor)
}

fn clock(ui: &mut egui::Ui, replica: &Replica) {
    let seconds = replica.seconds();
    let (minutes, rest) = ((seconds / 60.0).floor(), seconds % 60.0);
    let text = if minutes > 0.0 {
        format!("{minutes}:{rest:06.3}")
    } else {
        format!("{rest:.3} s")
    };
    ui.monospace(text);
    ui.weak(format!("tick {}", replica.poses.tick));
    let pace = &replica.pace;
    ui.weak(match () {
        () if replica.is_over => "ended".to_owned(),
        () if pace.is_held => "held".to_owned(),
        () if pace.measured < 10.0 => format!("{:.2}× real time", pace.measured),
        () => format!("{:.0}× real time", pace.measured),
    });
}

fn view(ui: &mut egui::Ui, camera: &mut OrbitCamera, replica: &Replica, selected: Selected) {
    if ui.button("The first view (F8)").clicked() {
        *camera = OrbitCamera::new(replica);
        ui.close();
    }
    let can_follow = selected != Selected::Nothing;
    let follow = egui::Checkbox::new(&mut camera.follows, "Follow what is selected (Z)");
    ui.add_enabled(can_follow, follow);
}

fn keys(context: &egui::Context, is_open: &mut bool) {
    egui::Window::new("Keys")
        .open(is_open)
        .collapsible(false)
        .resizable(false)
        .default_pos([420.0, 80.0])
        .show(context, |ui| {
            egui::Grid::new("keys")
                .num_columns(2)
                .striped(true)
                .show(ui, |ui| {
                    for (key, meaning) in KEYS {
                        ui.strong(key);
                        ui.label(meaning);
                        ui.end_row();
                    }
                });
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_follow_one_another() {
        assert_eq!(shifted(1.0, true), 2.0);
        assert_eq!(shifted(1.0, false), 0.5);
        assert_eq!(shifted(3.0, false), 2.0);
        assert_eq!(shifted(10.0, true), f64::INFINITY);
        assert_eq!(shifted(f64::INFINITY, true), f64::INFINITY);
        assert_eq!(shifted(f64::INFINITY, false), 10.0);
        assert_eq!(shifted(0.1, false), 0.1);
    }
}
