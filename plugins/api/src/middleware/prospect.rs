//! Checks of a middleware before anything is started.
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use super::{ErasedContext, Middleware, Offers};
use crate::{about::ErasedSettings, command::ActuatorInfo, reading::SensorInfo};

/// Context in which a middleware is going to start.
pub struct Prospect<'a, O, I> {
    /// Name of the middleware in the simulation file.
    pub name: &'a str,
    /// Directory of the simulation file: paths in settings are relative to it.
    pub directory: &'a Path,
    /// Sensors whose readings it exports, with their settings.
    pub outputs: Vec<(&'a SensorInfo, &'a O)>,
    /// Actuators that it commands, with their settings.
    pub inputs: Vec<(&'a ActuatorInfo, &'a I)>,
    /// Values that the program offers to its middlewares.
    pub offers: &'a Offers,
}

impl<'a, O: 'static, I: 'static> Prospect<'a, O, I> {
    fn of(context: &'a ErasedContext) -> Self {
        let outputs = context
            .outputs
            .iter()
            .filter_map(|(observer, settings)| Some((&*observer.info, settings.downcast_ref()?)));
        let inputs = context
            .inputs
            .iter()
            .filter_map(|(sender, settings)| Some((&*sender.info, settings.downcast_ref()?)));
        Self {
            name: &context.name,
            directory: &context.directory,
            outputs: outputs.collect(),
            inputs: inputs.collect(),
            offers: &context.offers,
        }
    }

    /// Returns the path of a file that a setting names.
    #[must_use]
    pub fn path(&self, written: &str) -> PathBuf {
        self.directory.join(written)
    }
}

/// Severity of an [`Obstacle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The middleware can start, but a setting is probably a mistake.
    Warning,
    /// The settings are invalid.
    Settings,
    /// Files are missing or invalid.
    Files,
}

/// Reason why a middleware cannot start, or why it will not do what the user expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Severity.
    pub weight: Weight,
    /// Reason, without the name of the middleware.
    pub message: String,
    /// Remedy, if the message does not contain one.
    pub help: Option<String>,
}

impl Obstacle {
    /// Returns an obstacle without a remedy.
    #[must_use]
    pub fn new(weight: Weight, message: impl Into<String>) -> Self {
        Self {
            weight,
            message: message.into(),
            help: None,
        }
    }

    /// Adds a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Result of the checks of a middleware.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// Reasons why it cannot start, and warnings.
    pub obstacles: Vec<Obstacle>,
    /// Addresses on which it is going to listen. Port 0 stands for any free port.
    pub listens: Vec<SocketAddr>,
}

/// Checks a middleware from erased settings.
pub type Examine = fn(&ErasedSettings, &ErasedContext) -> Outlook;

pub(super) fn examine<W: Middleware>(
    settings: &ErasedSettings,
    context: &ErasedContext,
) -> Outlook {
    let Some(middleware) = settings.downcast_ref::<W>() else {
        return Outlook::default();
    };
    let prospect = Prospect::of(context);
    Outlook {
        obstacles: middleware.check(&prospect),
        listens: middleware.listens(&prospect),
    }
}
