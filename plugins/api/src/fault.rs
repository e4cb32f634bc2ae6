//! Faults of components that cannot act, such as an exception in a script.
use std::{
    any::Any,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use bevy::prelude::*;

/// A component's failure to act. Unlike a panic it leaves the tick complete: the data and the drive of the component stay as
/// they were. The run ends with it.
#[derive(Debug)]
pub struct Fault {
    /// The component and the reason, for the user.
    pub text: String,
    /// Its cause, for libraries that pass it on.
    pub cause: Option<Box<dyn Any + Send + Sync>>,
}

impl Fault {
    /// Returns a fault with this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            cause: None,
        }
    }

    /// Adds its cause.
    #[must_use]
    pub fn cause(mut self, cause: impl Any + Send + Sync) -> Self {
        self.cause = Some(Box::new(cause));
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The first fault since the last look. Copies share it, for modifiers, which have no access to the world.
///
/// ```
/// use morse_api::fault::{Fault, Faults};
///
/// let faults = Faults::default();
/// faults.clone().add(Fault::new("`rover.arm`: the script failed"));
/// faults.add(Fault::new("`rover.gps`: the script failed"));
/// assert_eq!(faults.take().map(|fault| fault.text).as_deref(), Some("`rover.arm`: the script failed"));
/// assert!(faults.take().is_none());
/// ```
#[derive(Resource, Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<Option<Fault>>>);

impl Faults {
    /// Reports a fault.
    pub fn add(&self, fault: Fault) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(fault);
    }

    /// Returns the first fault since the last call.
    pub fn take(&self) -> Option<Fault> {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.take()
    }
}
