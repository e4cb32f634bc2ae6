//! How a simulation reaches its window: the simulation is built on one thread, the window is on another.
use bevy::prelude::{App, Reflect};
use crossbeam_channel::{Receiver, Sender, bounded};
use morse_api::{
    middleware::{AddMiddleware as _, Failure, Middleware, Plugs, RequestSender, Running, Wake},
    sight::Sight,
};
use serde::Deserialize;

/// A window on the main thread, which `morse-sim SCENE --view` opens.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[reflect(from_reflect = false)]
#[serde(default, deny_unknown_fields)]
pub struct Window {
    /// Where the window is.
    #[reflect(ignore)]
    #[serde(skip)]
    pub door: Option<Door>,
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
pub struct Door(Sender<Looker>);

/// The window's side.
pub struct Entrance(Receiver<Looker>);

/// Everything that a window needs of a simulation.
pub struct Looker {
    /// What there is, and where it is.
    pub sight: Sight,
    /// Requests to the simulation.
    pub requests: RequestSender,
    /// Says when the simulation has ended.
    pub wake: Wake,
    /// Hears once whether the window is there, or why not. The simulation waits for it.
    pub opened: Sender<Result<(), String>>,
}

/// Makes the two sides.
#[must_use]
pub fn door() -> (Door, Entrance) {
    let (inner, outer) = bounded(1);
    (Door(inner), Entrance(outer))
}

impl Entrance {
    /// Waits for the simulation; nothing if it could not be built.
    #[must_use]
    pub fn wait(self) -> Option<Looker> {
        self.0.recv().ok()
    }
}

impl Middleware for Window {
    const KIND: &'static str = "window";
    const LOOKS_ON: bool = true;
    type Output = Nothing;
    type Input = Nothing;

    fn start(&self, plugs: Plugs<Nothing, Nothing>) -> Result<Box<dyn Running>, Failure> {
        let failed = |why: &str| Failure::Environment(format!("no window can be opened: {why}"));
        let (Some(door), Some(sight)) = (&self.door, plugs.sight) else {
            return Err(failed("it is asked for by `--view`"));
        };
        let (opened, is_open) = bounded(1);
        let looker = Looker {
            sight,
            requests: plugs.requests,
            wake: plugs.wake,
            opened,
        };
        let gone = |_| failed("nobody waits for it");
        door.0
            .send(looker)
            .map_err(|_gone| failed("nobody waits for it"))?;
        match is_open.recv().map_err(gone)? {
            Ok(()) => Ok(Box::new(Open)),
            Err(why) => Err(failed(&why)),
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
