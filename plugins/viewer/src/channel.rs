//! Channel from a simulation to its window, since the simulation is built on a different thread than the window.
use bevy::prelude::{App, Reflect};
use crossbeam_channel::{Receiver, Sender, bounded};
use morse_api::{
    middleware::{
        AddMiddleware as _, Failure, Middleware, MiddlewareContext, Nothing, RequestSender,
        Running, Wake,
    },
    world_view::WorldView,
};
use serde::Deserialize;

/// A window on the main thread; `morse-sim SCENE --view` opens it.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[reflect(from_reflect = false)]
#[serde(default, deny_unknown_fields)]
pub struct Window {
    /// Sender that hands the simulation's context to the window.
    #[reflect(ignore)]
    #[serde(skip)]
    pub sender: Option<WindowSender>,
}

/// Registers the middleware kind `window`.
pub fn plugin(app: &mut App) {
    app.add_middleware::<Window>();
}

/// Sender on the side of the simulation.
#[derive(Clone, Debug)]
pub struct WindowSender(Sender<WindowContext>);

/// Receiver on the side of the window.
pub struct WindowReceiver(Receiver<WindowContext>);

/// Interfaces of a simulation that a window requires.
pub struct WindowContext {
    /// Description of the things in the world, and their poses.
    pub world_view: WorldView,
    /// Requests to the simulation.
    pub requests: RequestSender,
    /// Signal for the end of the simulation.
    pub wake: Wake,
    /// Sender of the result of opening the window, used once. The simulation waits for the result.
    pub opened: Sender<Result<(), WindowError>>,
}

/// Reason why a window cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    /// No screen is set in the environment.
    #[error(
        "there is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set; leave out `--view`, or use `--serve` and a browser"
    )]
    NoScreen,
    /// The screen or its driver failed, with the error message.
    #[error("the screen or its driver failed: {0}")]
    Screen(String),
    /// A screenshot could not be written: file and reason.
    #[error("{0}")]
    Picture(String),
}

/// Returns a connected sender and receiver.
#[must_use]
pub fn window_channel() -> (WindowSender, WindowReceiver) {
    let (inner, outer) = bounded(1);
    (WindowSender(inner), WindowReceiver(outer))
}

impl WindowReceiver {
    /// Waits for the simulation. Returns `None` if the simulation could not be built.
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
        let gone = |_| failed("no window is available");
        sender
            .0
            .send(context)
            .map_err(|_gone| failed("no window is available"))?;
        match is_open.recv().map_err(gone)? {
            Ok(()) => Ok(Box::new(Open)),
            Err(why) => Err(failed(&why.to_string())),
        }
    }
}

/// Handle of an open window, which requires no supervision.
struct Open;

impl Running for Open {
    fn failure(&mut self) -> Option<Failure> {
        None
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        Ok(())
    }
}
