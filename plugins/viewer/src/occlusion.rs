//! Pause of drawing while the window is hidden: minimised, on another desktop, or behind other windows.
use bevy::{
    ecs::system::NonSendMarker,
    prelude::*,
    window::{PrimaryWindow, WindowOccluded},
    winit::{WINIT_WINDOWS, WinitSettings},
};

use crate::{
    screenshots::ScreenshotQueue,
    window::{FRAMES, Opened, frames},
};

/// Update rate of a hidden window, Hz.
const RARELY: f64 = 10.0;

/// Disables the cameras while the window is hidden and no screenshot is pending. It does not before the first frames are
/// drawn, since the simulation waits for them.
pub(crate) fn rest(
    mut covered: MessageReader<WindowOccluded>,
    mut is_covered: Local<bool>,
    window: Single<Entity, With<PrimaryWindow>>,
    opened: Res<Opened>,
    screenshots: Res<ScreenshotQueue>,
    mut cameras: Query<&mut Camera>,
    mut settings: ResMut<WinitSettings>,
    _main_thread: NonSendMarker,
) {
    if let Some(latest) = covered.read().last() {
        *is_covered = latest.occluded;
    }
    let is_seen = !*is_covered && !is_minimized(*window);
    let is_drawn = is_seen || !screenshots.are_done() || !opened.is_told();
    for mut camera in &mut cameras {
        if camera.is_active != is_drawn {
            camera.is_active = is_drawn;
            *settings = frames(if is_drawn { FRAMES } else { RARELY });
        }
    }
}

/// Returns true if the desktop has minimised the window. On desktops that do not report it (Wayland), the window is reported
/// as occluded instead.
fn is_minimized(window: Entity) -> bool {
    WINIT_WINDOWS.with_borrow(|windows| {
        let window = windows.get_window(window);
        window.is_some_and(|window| window.is_minimized() == Some(true))
    })
}
