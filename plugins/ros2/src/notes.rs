//! Warnings of the threads of a node, and its counters.
use std::sync::{Arc, Mutex, PoisonError, atomic::AtomicU64};

/// Warnings of the threads that the run has not shown yet; the number of different ones is limited.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<NoteList>>);

#[derive(Default)]
struct NoteList {
    fresh: Vec<String>,
    seen: Vec<String>,
}

/// Maximum number of different warnings of a run: peers cause them, so they are limited.
const MOST_NOTES: usize = 64;

impl Notes {
    /// Adds a warning, unless it was added before.
    pub(crate) fn add(&self, text: String) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if list.seen.len() < MOST_NOTES && !list.seen.contains(&text) {
            list.seen.push(text.clone());
            list.fresh.push(text);
        }
    }

    /// Adds warnings.
    pub(crate) fn add_all(&self, texts: &[String]) {
        texts.iter().for_each(|text| self.add(text.clone()));
    }

    /// Returns the warnings since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut list.fresh)
    }
}

/// Counters of messages.
#[derive(Default)]
pub(crate) struct Counters {
    /// Published messages.
    pub(crate) published: AtomicU64,
    /// Messages that DDS did not accept, since reliable nodes have not confirmed earlier ones.
    pub(crate) refused: AtomicU64,
    /// Messages that became commands.
    pub(crate) commands: AtomicU64,
    /// Warnings.
    notes: Notes,
}

impl Counters {
    /// Returns counters whose losses become warnings.
    pub(crate) fn new(notes: Notes) -> Self {
        Self {
            notes,
            ..Self::default()
        }
    }

    /// Adds the warning that messages of a topic are lost.
    pub(crate) fn report_loss(&self, topic: &str) {
        self.notes.add(format!(
            "messages of `{topic}` are lost: a node that subscribes reliably does not confirm the earlier ones; let it read \
             faster, or subscribe with best effort"
        ));
    }
}
