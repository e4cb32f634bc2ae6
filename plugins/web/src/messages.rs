//! Messages of the run to all viewers.
use std::sync::{Mutex, PoisonError};

/// Messages of the run that have not been sent to the viewers.
#[derive(Default)]
pub(crate) struct Messages(Mutex<Vec<String>>);

impl Messages {
    pub(crate) fn add(&self, text: &str) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(text.to_owned());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
