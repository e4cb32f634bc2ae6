//! Checks of a middleware before anything is started.
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use super::{ErasedContext, Middleware, Offers};
use crate::{about::ErasedSettings, command::ActuatorInfo, reading::SensorInfo};

/// Surroundings in which a middleware is going to start.
pub struct Prospect<'a, O, I> {
    /// Its name in the simulation file.
    pub name: &'a str,
    /// Directory of the simulation file: paths in settings are relative to it.
    pub directory: &'a Path,
    /// The sensors whose readings it carries, with their settings.
    pub outputs: Vec<(&'a SensorInfo, &'a O)>,
    /// The actuators that it commands, with their settings.
    pub inputs: Vec<(&'a ActuatorInfo, &'a I)>,
    /// Things that the program hands to its middlewares.
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

    /// Finds the file that a setting names.
    #[must_use]
    pub fn path(&self, written: &str) -> PathBuf {
        self.directory.join(written)
    }
}

/// Weight of an [`Obstacle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// It can start, but something is probably not meant.
    Warning,
    /// Its settings are wrong.
    Settings,
    /// Files that it needs are missing or wrong.
    Files,
}

/// Reason why a middleware cannot start, or why it will not do what is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Weight of the reason.
    pub weight: Weight,
    /// The reason, without the name of the middleware.
    pub message: String,
    /// Remedy, where the message names none.
    pub help: Option<String>,
}

impl Obstacle {
    /// Makes a reason without a remedy.
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
    /// Addresses that it is going to listen at. Port 0 stands for any free one.
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
