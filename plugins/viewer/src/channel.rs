//! Channel from a simulation to its window: the simulation is built on one thread, the window is on another.
use bevy::prelude::{App, Reflect};
use crossbeam_channel::{Receiver, Sender, bounded};
use morse_api::{
    middleware::{
        AddMiddleware as _, Failure, Middleware, MiddlewareContext, RequestSender, Running, Wake,
    },
    world_view::WorldView,
};
use serde::Deserialize;

/// A window on the main thread, which `morse-sim SCENE --view` opens.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[reflect(from_reflect = false)]
#[serde(default, deny_unknown_fields)]
pub struct Window {
    /// Sender that reaches the window.
    #[reflect(ignore)]
    #[serde(skip)]
    pub sender: Option<WindowSender>,
}

/// Nothing has to be said of a sensor or actuator.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Nothing {}

/// Makes the kind `window` known.
pub fn plugin(app: &mut App) {
    app.add_middleware::<Window>();
}

/// The simulation's side.
#[derive(Clone, Debug)]
pub struct WindowSender(Sender<WindowContext>);

/// The window's side.
pub struct WindowReceiver(Receiver<WindowContext>);

/// Everything that a window needs of a simulation.
pub struct WindowContext {
    /// Things in the world, and their poses.
    pub world_view: WorldView,
    /// Requests to the simulation.
    pub requests: RequestSender,
    /// Says when the simulation has ended.
    pub wake: Wake,
    /// Hears once whether the window is there, or why not. The simulation waits for it.
    pub opened: Sender<Result<(), WindowError>>,
}

/// Reason for which a window cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    /// No screen is named.
    #[error(
        "there is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set; leave out `--view`, or use `--serve` and a browser"
    )]
    NoScreen,
    /// The screen or its driver failed: what they said.
    #[error("the screen or its driver failed: {0}")]
    Screen(String),
    /// A picture could not be written: which, and why.
    #[error("{0}")]
    Picture(String),
}

/// Makes the two sides.
#[must_use]
pub fn window_channel() -> (WindowSender, WindowReceiver) {
    let (inner, outer) = bounded(1);
    (WindowSender(inner), WindowReceiver(outer))
}

impl WindowReceiver {
    /// Waits for the simulation; nothing if it could not be built.
    #[must_use]
    pub fn wait(self) -> Option<WindowContext> {
        self.0.recv().ok()
    }
}

impl Middleware for Window {
    const KIND: &'static str = "window";
    const VIEWS_WORLD: bool = true;
    type Output = Nothing;
    type Input = Nothing;

    fn start(
        &self,
        context: MiddlewareContext<Nothing, Nothing>,
    ) -> Result<Box<dyn Running>, Failure> {
        let failed = |why: &str| Failure::Environment(format!("no window can be opened: {why}"));
        let (Some(sender), Some(world_view)) = (&self.sender, context.world_view) else {
            return Err(failed("it is asked for by `--view`"));
        };
        let (opened, is_open) = bounded(1);
        let context = WindowContext {
            world_view,
            requests: context.requests,
            wake: context.wake,
            opened,
        };
        let gone = |_| failed("nobody waits for it");
        sender
            .0
            .send(context)
            .map_err(|_gone| failed("nobody waits for it"))?;
        match is_open.recv().map_err(gone)? {
            Ok(()) => Ok(Box::new(Open)),
            Err(why) => Err(failed(&why.to_string())),
        }
    }
}

/// A window that looks after itself.
struct Open;

impl Running for Open {
    fn failure(&mut self) -> Option<Failure> {
        None
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        Ok(())
    }
}
