//! Pictures of the window, at a time of the simulation or when a key is pressed.
use std::path::PathBuf;

use bevy::{
    prelude::*,
    render::view::screenshot::{Screenshot, ScreenshotCaptured},
};

use crate::{ask::Notice, mirror::Mirror};

/// A picture of the window that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// The simulated time from which on it is taken, s; without one, when the simulation has ended.
    pub time: Option<f64>,
    /// Where it goes.
    pub file: PathBuf,
}

/// Pictures that are still to be taken, and how many are being taken.
#[derive(Resource, Default)]
pub(crate) struct Shots {
    pub(crate) wanted: Vec<Shot>,
    pub(crate) under_way: usize,
    /// What went wrong with the last one.
    pub(crate) failure: Option<String>,
}

impl Shots {
    /// Whether all that were wanted are there.
    pub(crate) fn are_done(&self) -> bool {
        self.wanted.is_empty() && self.under_way == 0
    }
}

/// Takes those whose time has come.
pub(crate) fn take(mirror: Res<Mirror>, mut shots: ResMut<Shots>, mut commands: Commands) {
    let is_due = |shot: &mut Shot| {
        mirror.is_over
            || shot
                .time
                .is_some_and(|time| mirror.seconds() >= time - 1e-9)
    };
    let due: Vec<Shot> = shots.wanted.extract_if(.., is_due).collect();
    for shot in due {
        snap(&mut commands, &mut shots, shot.file);
    }
}

/// Takes a picture now.
pub(crate) fn snap(commands: &mut Commands, shots: &mut Shots, file: PathBuf) {
    shots.under_way += 1;
    commands.spawn(Screenshot::primary_window()).observe(
        move |captured: On<ScreenshotCaptured>,
              mut shots: ResMut<Shots>,
              mut notice: ResMut<Notice>,
              time: Res<Time<Real>>| {
            shots.under_way = shots.under_way.saturating_sub(1);
            let text = match write(&captured.image, &file) {
                Ok(()) => format!("{} was written", file.display()),
                Err(why) => {
                    let text = format!("`{}` cannot be written: {why}", file.display());
                    shots.failure = Some(text.clone());
                    text
                }
            };
            *notice = Notice::new(text, time.elapsed_secs_f64());
        },
    );
}

fn write(image: &Image, file: &std::path::Path) -> Result<(), String> {
    let picture = image
        .clone()
        .try_into_dynamic()
        .map_err(|error| error.to_string())?;
    picture
        .to_rgb8()
        .save(file)
        .map_err(|error| error.to_string())
}
