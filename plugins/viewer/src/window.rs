//! The window's own `App`.
use std::{any::Any, panic::AssertUnwindSafe, time::Duration};

use bevy::{
    app::TerminalCtrlCHandlerPlugin,
    asset::AssetEventSystems,
    prelude::*,
    render::{RenderPlugin, settings::RenderCreation},
    window::{ExitCondition, PrimaryWindow, WindowCloseRequested},
    winit::{UpdateMode, WinitSettings},
};
use bevy_egui::{EguiContexts, EguiPlugin, EguiPostUpdateSet, EguiPrimaryContextPass, egui};
use crossbeam_channel::Sender;

use crate::{
    bar::{self, Help, ObjectsOpen},
    camera,
    camera_image::CameraImage,
    channel::{WindowContext, WindowError},
    command_panel::CommandPanel,
    entities, gamepads, gizmos, inspector, keys, labels, lamps,
    light::{self, Hurry, Theme},
    objects::{self, ObjectPanel},
    occlusion, pick,
    plot::{self, Plots},
    replica::{self, Replica, Watched},
    requests::{self, Notice, Requests},
    screenshots::{self, ScreenshotQueue, ScreenshotRequest},
    sky, tree,
};

/// Maximum frame rate while the pointer does not move, Hz.
pub(crate) const FRAMES: f64 = 60.0;

/// Number of frames after which the window counts as open: its shaders are compiled by then.
const FIRST: u32 = 6;

/// Sender of the message that the window is open, which is sent once.
#[derive(Resource)]
pub(crate) struct Opened(Option<Sender<Result<(), WindowError>>>);

impl Opened {
    /// Returns true if the message was sent.
    pub(crate) fn is_told(&self) -> bool {
        self.0.is_none()
    }
}

/// Opens the window. Returns when it is closed, or when the simulation has ended and all screenshots are finished. Must be
/// called on the main thread.
///
/// # Errors
///
/// Returns an error if there is no screen or no means to draw on it, or if a screenshot could not be written.
pub fn show(
    context: WindowContext,
    screenshots: Vec<ScreenshotRequest>,
) -> Result<(), WindowError> {
    let opened = context.opened.clone();
    let failed = |why: WindowError| {
        // The simulation may have ended already.
        opened.send(Err(why.clone())).ok();
        Err(why)
    };
    if cfg!(target_os = "linux")
        && ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .all(|name| std::env::var_os(name).is_none())
    {
        return failed(WindowError::NoScreen);
    }
    // The underlying libraries panic if the screen or its driver fails.
    let ran = std::panic::catch_unwind(AssertUnwindSafe(|| run(context, screenshots)));
    match ran {
        Ok(outcome) => outcome,
        Err(panic) => failed(WindowError::Screen(words(panic.as_ref()))),
    }
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

fn run(context: WindowContext, screenshots: Vec<ScreenshotRequest>) -> Result<(), WindowError> {
    let failure = std::sync::Arc::new(std::sync::Mutex::new(None));
    let reported = failure.clone();
    let mut app = app(context, screenshots);
    app.add_systems(Last, move |screenshots: Res<ScreenshotQueue>| {
        if let (Some(why), Ok(mut reported)) = (&screenshots.failure, reported.lock()) {
            *reported = Some(why.clone());
        }
    });
    app.run();
    let failure = failure
        .lock()
        .map(|mut failure| failure.take())
        .unwrap_or_default();
    failure.map_or(Ok(()), |why| Err(WindowError::Picture(why)))
}

fn app(mut context: WindowContext, screenshots: Vec<ScreenshotRequest>) -> App {
    let actuators = std::mem::take(&mut context.world_view.actuators);
    let opened = context.opened.clone();
    let replica = Replica::new(context);
    let mut app = App::new();
    app.add_plugins(plugins(&replica.scenery.name));
    light::plugin(&mut app, &replica.scenery.lighting, Hurry::Frames);
    sky::plugin(&mut app, &replica.scenery.lighting);
    app.init_resource::<Theme>()
        .add_plugins(EguiPlugin::default())
        .insert_resource(frames(FRAMES))
        .insert_resource(replica)
        .insert_resource(CommandPanel::new(actuators))
        .insert_resource(ScreenshotQueue {
            wanted: screenshots,
            ..default()
        })
        .insert_resource(Opened(Some(opened)))
        .init_resource::<Watched>()
        .init_resource::<Requests>()
        .init_resource::<Notice>()
        .init_resource::<Help>()
        .init_resource::<ObjectsOpen>()
        .init_resource::<ObjectPanel>()
        .init_resource::<bar::Rest>()
        .init_resource::<Plots>()
        .init_resource::<CameraImage>()
        .init_resource::<tree::Search>()
        .add_plugins((camera::plugin, pick::plugin, gizmos::plugin, lamps::plugin))
        .add_systems(Startup, entities::build)
        .add_systems(First, replica::take)
        .add_systems(PreUpdate, requests::show_errors)
        .add_systems(
            Update,
            (
                entities::follow,
                plot::sample,
                keys::run,
                keys::look,
                keys::drive,
                gamepads::drive,
                screenshots::take,
            ),
        )
        .add_systems(Last, (replica::request, greet, occlusion::rest, close));
    panels(&mut app);
    app
}

/// Returns settings with this frame rate, Hz.
pub(crate) fn frames(rate: f64) -> WinitSettings {
    let interval = Duration::from_secs_f64(1.0 / rate);
    WinitSettings {
        focused_mode: UpdateMode::reactive(interval),
        unfocused_mode: UpdateMode::reactive_low_power(interval),
    }
}

/// Adds the panels, which use egui.
fn panels(app: &mut App) {
    app.add_systems(
        EguiPrimaryContextPass,
        (
            dress,
            bar::draw,
            tree::draw,
            objects::draw,
            inspector::draw,
            plot::draw,
            labels::draw,
        )
            .chain(),
    )
    // New glyphs are drawn in the frame in which they first appear.
    .configure_sets(
        PostUpdate,
        EguiPostUpdateSet::PostProcessOutput.before(AssetEventSystems),
    );
}

/// Returns Bevy's default plugins without those that a simulation replaces.
fn plugins(name: &str) -> bevy::app::PluginGroupBuilder {
    let title = if name.is_empty() {
        "morse-sim".to_owned()
    } else {
        format!("{name} – morse-sim")
    };
    let window = Window {
        title,
        resolution: (1280, 800).into(),
        ..default()
    };
    DefaultPlugins
        .set(WindowPlugin {
            primary_window: Some(window),
            exit_condition: ExitCondition::DontExit,
            close_when_requested: false,
            ..default()
        })
        .set(RenderPlugin {
            render_creation: RenderCreation::Automatic(Box::default()),
            // The simulation waits until the window is open, so that the window misses nothing.
            synchronous_pipeline_compilation: true,
            ..default()
        })
        // The program handles signals itself.
        .disable::<TerminalCtrlCHandlerPlugin>()
}

/// Reports that the window is open, once frames have been drawn.
fn greet(mut opened: ResMut<Opened>, mut frames: Local<u32>) {
    *frames += 1;
    if *frames == FIRST
        && let Some(opened) = opened.0.take()
    {
        // The simulation may have ended already.
        opened.send(Ok(())).ok();
    }
}

/// Exits when the window is closed, or when the simulation has ended and no screenshot is pending.
fn close(
    mut close_requests: MessageReader<WindowCloseRequested>,
    mut exit: MessageWriter<AppExit>,
    replica: Res<Replica>,
    requests: Res<Requests>,
    screenshots: Res<ScreenshotQueue>,
    mut is_asked: Local<bool>,
) {
    let is_close_requested = close_requests.read().next().is_some();
    if is_close_requested && !*is_asked {
        requests.quit(&replica);
        *is_asked = true;
        return;
    }
    // A second close request does not wait for a simulation that does not respond.
    if is_close_requested || (replica.is_over && screenshots.are_done()) {
        exit.write(AppExit::Success);
    }
}

/// Sets colours and fonts of the panels.
fn dress(
    mut contexts: EguiContexts,
    theme: Res<Theme>,
    window: Single<&Window, With<PrimaryWindow>>,
    mut known: Local<Option<Theme>>,
) -> Result {
    let context = contexts.ctx_mut()?;
    if *known != Some(*theme) {
        let mut visuals = match *theme {
            Theme::Dark => egui::Visuals::dark(),
            Theme::Light => egui::Visuals::light(),
        };
        let (panel, weak) = match *theme {
            Theme::Dark => (30, 165),
            Theme::Light => (246, 95),
        };
        visuals.panel_fill = egui::Color32::from_gray(panel);
        visuals.weak_text_color = Some(egui::Color32::from_gray(weak));
        context.set_visuals(visuals);
        *known = Some(*theme);
    }
    // The panels use the window's own scale factor; text in very wide windows is additionally enlarged.
    let zoom = if window.width() > 2400.0 { 1.25 } else { 1.0 };
    context.set_zoom_factor(zoom);
    Ok(())
}
