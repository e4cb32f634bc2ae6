//! Queues of command vectors, one per sender, and their execution.
use std::collections::{BTreeMap, VecDeque};

use super::EFFECTOR;
use crate::{
    body::{
        layout::OPTIONAL,
        vectors::{Command, CommandVector},
    },
    prelude::*,
    sync::SyncKey,
};

/// Maximum number of queued vectors per sender; further ones are dropped. Each vector requires a credit, so more arrive only
/// from faulty objects.
const MOST_WAITING: usize = 16;

/// Commands of a frame, by primitive.
pub(super) type FrameCommands = BTreeMap<u32, Command>;

/// Queues of all senders.
pub(super) struct Effector {
    tracks: BTreeMap<usize, Track>,
    /// Optional bytes of the vector that has been started last.
    pub(super) optional: [u8; OPTIONAL],
}

impl Default for Effector {
    fn default() -> Self {
        Self {
            tracks: BTreeMap::new(),
            optional: [0; OPTIONAL],
        }
    }
}

/// Queued vectors of one sender.
#[derive(Default)]
struct Track {
    vectors: VecDeque<CommandVector>,
    /// Progress of the first vector.
    progress: Progress,
}

#[derive(Clone, Copy, Default)]
enum Progress {
    /// It waits for the other vectors with its sync key.
    #[default]
    Queued,
    /// It starts after a number of frames.
    Waiting(u32),
    /// This number of frames has been executed.
    Running(u32),
}

impl Track {
    /// Returns the sync key of the first vector, if it waits for one.
    fn key(&self) -> Option<SyncKey> {
        let key = self.vectors.front()?.header.sync_key;
        (key != 0).then_some(SyncKey(key))
    }

    /// Returns true if a later vector than the first has a sync key.
    fn has_later(&self, key: SyncKey) -> bool {
        let mut later = self.vectors.iter().skip(1);
        later.any(|vector| vector.header.sync_key == key.0)
    }

    /// Executes a frame of the first vector; returns true if it was the last one.
    fn step(&mut self, commands: &mut FrameCommands) -> bool {
        let Some(vector) = self.vectors.front() else {
            return false;
        };
        let frame = match self.progress {
            Progress::Queued => return false,
            Progress::Waiting(frames) if frames > 0 => {
                self.progress = Progress::Waiting(frames - 1);
                return false;
            }
            Progress::Waiting(_) => 0,
            Progress::Running(frame) => frame,
        };
        for entry in &vector.entries {
            let command = entry.at(frame);
            commands.extend(command.map(|command| (entry.primitive, command)));
        }
        self.progress = Progress::Running(frame + 1);
        let is_over = frame + 1 >= vector.frames();
        if is_over {
            self.vectors.pop_front();
            self.progress = Progress::Queued;
        }
        is_over
    }
}

impl Effector {
    /// Queues a command vector; an invalid one is reported, and its sender may send another one.
    pub(super) fn queue(&mut self, context: &mut Context<'_>, sender: usize, region: &Region) {
        let result = check(context, region);
        let track = self.tracks.entry(sender).or_default();
        match result {
            Ok(vector) if track.vectors.len() < MOST_WAITING => track.vectors.push_back(vector),
            Ok(_) => context.log(Level::Warning, "too many queued vectors: one was dropped"),
            Err(why) => {
                context.log(Level::Error, &format!("invalid command vector: {why}"));
                context.assert_ready_to(EFFECTOR, sender);
            }
        }
    }

    /// Executes one frame of each sender's vector, and returns the commands. If two senders command the same primitive, the
    /// one that was connected last takes precedence.
    pub(super) fn play(&mut self, context: &mut Context<'_>) -> FrameCommands {
        self.start(context);
        let mut commands = BTreeMap::new();
        for (&sender, track) in &mut self.tracks {
            if track.step(&mut commands) {
                context.assert_ready_to(EFFECTOR, sender);
            }
        }
        commands
    }

    /// Starts the first vector of each sender, unless vectors with its sync key are missing or have to wait for others.
    fn start(&mut self, context: &mut Context<'_>) {
        let senders: Vec<usize> = self.tracks.keys().copied().collect();
        let starts = |track: &Track, context: &mut Context<'_>| {
            let Some(key) = track.key() else {
                return true;
            };
            let is_whole = context.platform(|platform| platform.keys.is_whole(key));
            is_whole == Some(true) && !self.tracks.values().any(|other| other.has_later(key))
        };
        let is_queued =
            |track: &Track| matches!(track.progress, Progress::Queued) && !track.vectors.is_empty();
        let starting: Vec<usize> = senders
            .into_iter()
            .filter(|sender| is_queued(&self.tracks[sender]))
            .filter(|sender| starts(&self.tracks[sender], context))
            .collect();
        for sender in starting {
            let track = self.tracks.entry(sender).or_default();
            if let Some(key) = track.key() {
                context.platform(|platform| platform.keys.start(key));
            }
            if let Some(vector) = track.vectors.front() {
                track.progress = Progress::Waiting(vector.header.wait);
                self.optional = vector.header.optional;
            }
        }
    }
}

/// Parses a vector, checks its primitives, and reports the arrival of its division of a sync key.
fn check(context: &mut Context<'_>, region: &Region) -> Result<CommandVector, String> {
    let vector = CommandVector::read(region).map_err(|status| status.to_string())?;
    for entry in &vector.entries {
        let id = entry.primitive;
        let kind = context.primitive_kind(id);
        let kind = kind.ok_or_else(|| format!("{}: {id}", Status::INVALID_PRIMITIVE_ID))?;
        if !entry.format.fits(kind) {
            return Err(format!(
                "{}: primitive {id} takes no commands of type {}",
                Status::INVALID_DATA_TYPE,
                entry.format.code()
            ));
        }
    }
    if vector.header.sync_key != 0 {
        let key = SyncKey(vector.header.sync_key);
        let met = context.meet_sync_key(key);
        met.map_err(|status| format!("{status}: {}", key.0))?;
    }
    Ok(vector)
}
