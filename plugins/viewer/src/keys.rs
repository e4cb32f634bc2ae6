//! Keyboard control: MORSE's keys where it has them, and the keys of keyboard actuators.
use bevy::prelude::*;
use bevy_egui::input::EguiWantsInput;
use serde_json::json;

use crate::{
    bar::{Help, ObjectsOpen, shifted},
    camera::OrbitCamera,
    command_panel::{self, CommandPanel},
    gizmos::Layers,
    pick::Selected,
    replica::Replica,
    requests::{Notice, Requests},
    screenshots::{ScreenshotQueue, ScreenshotRequest},
};

/// Keys that drive robots, with their names in commands.
const DRIVING: [(KeyCode, &str); 12] = [
    (KeyCode::ArrowUp, "up"),
    (KeyCode::ArrowDown, "down"),
    (KeyCode::ArrowLeft, "left"),
    (KeyCode::ArrowRight, "right"),
    (KeyCode::KeyT, "t"),
    (KeyCode::KeyG, "g"),
    (KeyCode::KeyU, "u"),
    (KeyCode::KeyO, "o"),
    (KeyCode::KeyI, "i"),
    (KeyCode::KeyK, "k"),
    (KeyCode::KeyJ, "j"),
    (KeyCode::KeyL, "l"),
];

/// Keys that toggle the layers, in the order of the menu.
const DIGITS: [KeyCode; 9] = [
    KeyCode::Digit1,
    KeyCode::Digit2,
    KeyCode::Digit3,
    KeyCode::Digit4,
    KeyCode::Digit5,
    KeyCode::Digit6,
    KeyCode::Digit7,
    KeyCode::Digit8,
    KeyCode::Digit9,
];

/// Pauses, steps, resets, and changes the speed of time.
pub(crate) fn run(
    keys: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
    replica: Res<Replica>,
    requests: Res<Requests>,
) {
    if egui.wants_any_keyboard_input() {
        return;
    }
    let control = keys.any_pressed([KeyCode::ControlLeft, KeyCode::ControlRight]);
    if keys.just_pressed(KeyCode::Space) {
        requests.pause_or_go_on(&replica);
    }
    if keys.just_pressed(KeyCode::Period) {
        requests.step(&replica);
    }
    if keys.just_pressed(KeyCode::KeyR) && control {
        requests.reset(&replica);
    }
    if keys.just_pressed(KeyCode::F11) {
        requests.reset_objects(&replica);
    }
    for (key, is_faster) in [(KeyCode::BracketLeft, false), (KeyCode::BracketRight, true)] {
        if keys.just_pressed(key) {
            requests.speed(&replica, shifted(replica.pace.factor, is_faster));
        }
    }
}

/// Changes the view.
pub(crate) fn look(
    keys: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
    replica: Res<Replica>,
    time: Res<Time<Real>>,
    mut camera: ResMut<OrbitCamera>,
    mut selected: ResMut<Selected>,
    mut layers: ResMut<Layers>,
    mut help: ResMut<Help>,
    mut objects: ResMut<ObjectsOpen>,
    mut notice: ResMut<Notice>,
    mut screenshots: ResMut<ScreenshotQueue>,
) {
    if egui.wants_any_keyboard_input() {
        return;
    }
    if keys.just_pressed(KeyCode::F8) {
        *camera = OrbitCamera::new(&replica);
    }
    if keys.just_pressed(KeyCode::F6) {
        objects.0 = !objects.0;
    }
    if keys.just_pressed(KeyCode::KeyZ) && *selected != Selected::Nothing {
        camera.follows = !camera.follows;
    }
    if keys.just_pressed(KeyCode::F7) && !replica.scenery.robots.is_empty() {
        let next = match *selected {
            Selected::Robot(index) => (index + 1) % replica.scenery.robots.len(),
            _ => 0,
        };
        *selected = Selected::Robot(next);
        if let Some(pose) = selected.pose(&replica) {
            camera.look_at(replica.transform(&pose).translation);
        }
    }
    if keys.just_pressed(KeyCode::Escape) {
        *selected = Selected::Nothing;
    }
    if keys.any_just_pressed([KeyCode::F1, KeyCode::Slash]) {
        help.0 = !help.0;
    }
    for (digit, key) in DIGITS.into_iter().enumerate() {
        if keys.just_pressed(key) {
            layers.toggle(digit);
        }
    }
    let now = time.elapsed_secs_f64();
    if keys.just_pressed(KeyCode::F5) {
        *notice = Notice::new(whereabouts(&camera, &replica), now);
    }
    if keys.just_pressed(KeyCode::F12) {
        let name = format!("window-{}.png", replica.poses.tick);
        screenshots.wanted.push(ScreenshotRequest {
            time: Some(replica.seconds()),
            file: name.into(),
        });
    }
}

/// Returns the viewpoint of the camera as options of `morse-sim render`.
fn whereabouts(camera: &OrbitCamera, replica: &Replica) -> String {
    let text = |point: Vec3| {
        let [x, y, z]: [f64; 3] =
            (nalgebra::Vector3::from(point.as_dvec3().to_array()) + replica.origin).into();
        format!("{x:.2},{y:.2},{z:.2}")
    };
    format!(
        "--eye {} --look {}",
        text(camera.transform().translation),
        text(camera.target)
    )
}

/// Sends the pressed keys to keyboard actuators when they change.
pub(crate) fn drive(
    keys: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
    command_panel: Res<CommandPanel>,
    mut before: Local<Vec<&'static str>>,
) {
    let free = !egui.wants_any_keyboard_input();
    let is_pressed = |(key, _): &(KeyCode, _)| free && keys.pressed(*key);
    let pressed: Vec<&str> = DRIVING
        .into_iter()
        .filter(is_pressed)
        .map(|(_, name)| name)
        .collect();
    if pressed != *before {
        for sender in command_panel.of_kind("keyboard") {
            // Cannot fail: the field exists, and accepts any words.
            command_panel::send(sender, "keys", json!(pressed)).ok();
        }
        *before = pressed;
    }
}
