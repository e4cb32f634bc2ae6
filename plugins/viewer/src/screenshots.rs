//! Screenshots of the window, at a simulated time or when a key is pressed.
use std::path::PathBuf;

use bevy::{
    prelude::*,
    render::view::screenshot::{Screenshot, ScreenshotCaptured},
};

use crate::{replica::Replica, requests::Notice};

/// Request for a screenshot.
#[derive(Clone, Debug, PartialEq)]
pub struct ScreenshotRequest {
    /// Simulated time from which the screenshot is taken, s; by default when the simulation has ended.
    pub time: Option<f64>,
    /// Path of the image file.
    pub file: PathBuf,
}

/// Pending screenshots, and the number of those in progress.
#[derive(Resource, Default)]
pub(crate) struct ScreenshotQueue {
    pub(crate) wanted: Vec<ScreenshotRequest>,
    pub(crate) under_way: usize,
    /// Reason for the last failure.
    pub(crate) failure: Option<String>,
}

impl ScreenshotQueue {
    /// Returns true if all requested screenshots are finished.
    pub(crate) fn are_done(&self) -> bool {
        self.wanted.is_empty() && self.under_way == 0
    }
}

/// Takes the screenshots whose time has come.
pub(crate) fn take(
    replica: Res<Replica>,
    mut screenshots: ResMut<ScreenshotQueue>,
    mut commands: Commands,
) {
    let is_due = |shot: &mut ScreenshotRequest| {
        replica.is_over
            || shot
                .time
                .is_some_and(|time| replica.seconds() >= time - 1e-9)
    };
    let due = screenshots.wanted.extract_if(.., is_due);
    let files: Vec<PathBuf> = due.map(|shot| shot.file).collect();
    if !files.is_empty() {
        snap(&mut commands, &mut screenshots, files);
    }
}

/// Takes a screenshot, and writes it to all these files: Bevy refuses a second screenshot of a window in the same frame.
fn snap(commands: &mut Commands, screenshots: &mut ScreenshotQueue, files: Vec<PathBuf>) {
    screenshots.under_way += 1;
    commands.spawn(Screenshot::primary_window()).observe(
        move |captured: On<ScreenshotCaptured>,
              mut screenshots: ResMut<ScreenshotQueue>,
              mut notice: ResMut<Notice>,
              time: Res<Time<Real>>| {
            screenshots.under_way = screenshots.under_way.saturating_sub(1);
            for file in &files {
                let text = match write(&captured.image, file) {
                    Ok(()) => format!("{} was written", file.display()),
                    Err(why) => {
                        let text = format!("`{}` cannot be written: {why}", file.display());
                        screenshots.failure = Some(text.clone());
                        text
                    }
                };
                *notice = Notice::new(text, time.elapsed_secs_f64());
            }
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
