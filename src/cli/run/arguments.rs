//! Arguments of `morse-sim run`.
use std::path::PathBuf;

use clap::Args as ClapArgs;
use morse_api::render::RendererKind;
use morse_scene::bounds::Bounds;

use crate::{
    cli::{
        camera_arguments::CameraArguments,
        memory::MemoryArgument,
        messages::Loudness,
        pictures::PictureRequest,
        progress,
        render::{renderer, size},
        robot_arguments::RobotArguments,
        serve,
        summary::Hashing,
        usage::UsageError,
    },
    run::Pace,
    service::time::PACES,
};

/// Run a scene (`.robray`), a robot (`.urdf`, `.xml`), a world (`.sdf`) or a simulation file (`.ron`)
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Scene; `scenes/table.robray` also loads `scenes/table.ron`, if it exists
    #[arg(value_name = "FILE", required = true)]
    pub file: Option<PathBuf>,
    /// End after this number of ticks
    #[arg(long, value_name = "N", alias = "iterations", conflicts_with = "until")]
    pub steps: Option<u64>,
    /// End after this simulated time: 30s, 500ms, 2min
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub until: Option<f64>,
    /// Simulated seconds per second: max, 1, 0.5; by default max if there is an end and no window, else 1
    #[arg(long, value_name = "FACTOR", value_parser = pace)]
    pub rtf: Option<Pace>,
    /// Seed, instead of the one in the file
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Threads for rays and images; they do not change the results
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// Renderer of images: software, or gpu (requires a program built with `--features viewer`)
    #[arg(long, value_name = "NAME", value_parser = renderer, default_value = "software")]
    pub renderer: RendererKind,
    /// Memory limit of robots and sensors
    #[command(flatten)]
    pub memory: MemoryArgument,
    /// Set a value of the simulation file: environment.rate=120
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Write the readings of all sensors: text:DIRECTORY or csv:DIRECTORY
    #[arg(long, value_name = "KIND:WHERE")]
    pub output: Vec<String>,
    /// Load the files again when one of them changes on disk, and continue: time, unchanged bodies and clients are kept
    #[arg(long, conflicts_with_all = ["view", "screenshot", "video", "profile"])]
    pub watch: bool,
    /// Show the simulation in a browser, by default at 127.0.0.1:8080
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, value_parser = serve::address)]
    #[arg(default_missing_value = serve::DEFAULT)]
    pub serve: Option<std::net::SocketAddr>,
    /// Token that browsers must present; required at addresses that other machines can reach. Other users of this machine
    /// can see the command line: use `--token-file`, or set `MORSE_TOKEN`, instead
    #[arg(long, value_name = "TEXT", requires = "serve")]
    pub token: Option<String>,
    /// Read the token from this file
    #[arg(
        long,
        value_name = "FILE",
        requires = "serve",
        conflicts_with = "token"
    )]
    pub token_file: Option<PathBuf>,
    /// Show the simulation in a window (requires a program built with `--features viewer`)
    #[arg(long, conflicts_with_all = ["screenshot", "video"])]
    pub view: bool,
    /// Save an image of the window: t=5s:out.png; without a time, at the end
    #[arg(long, value_name = "[t=TIME:]FILE", requires = "view", value_parser = whole)]
    pub view_screenshot: Vec<PictureRequest>,
    /// Save an image: t=5s:out.png, or t=5s:rover.video:out.png of a camera; without a time, at the end
    #[arg(long, value_name = "[t=TIME:][CAMERA:]FILE")]
    pub screenshot: Vec<PictureRequest>,
    /// Record a video: out.gif, out.mp4 (requires ffmpeg), or rover.video:out.gif of a camera
    #[arg(long, value_name = "[CAMERA:]FILE")]
    pub video: Vec<PictureRequest>,
    /// Viewpoint of overview images and videos
    #[command(flatten)]
    pub from: CameraArguments,
    /// Follow a robot or a body in overview images and videos
    #[arg(long, value_name = "NAME")]
    pub follow: Option<String>,
    /// Columns and rows of overview images and videos
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "640x480")]
    pub size: (u32, u32),
    /// Abort after this wall-clock time: 30s, 5min; the exit code is then 124
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// State to hash: the final one, or a chain of all, which takes time
    #[arg(long, value_name = "WHEN", value_enum, default_value = "final")]
    pub hash: Hashing,
    /// Report at the end where the time was spent: systems, sensors and middlewares, µs per tick
    #[arg(long)]
    pub profile: bool,
    /// Print the summary as one JSON object, or the errors that prevented the run
    #[arg(long)]
    pub json: bool,
    /// Report the progress of the run on stderr
    #[arg(long, value_name = "FORM", value_enum, default_value = "auto")]
    pub progress: progress::Form,
    /// Verbosity of messages
    #[command(flatten)]
    pub loudness: Loudness,
    /// Treat warnings as errors, and end the run when the physics loses a body
    #[arg(long)]
    pub strict: bool,
    /// Reject the extensions of the scene language that amino does not support
    #[arg(long)]
    pub strict_amino: bool,
    /// Robot descriptions
    #[command(flatten)]
    pub robots: RobotArguments,
    /// Write the open ports to this file, as JSON, when the simulation is ready to begin
    #[arg(long, value_name = "FILE")]
    pub port_file: Option<PathBuf>,
    /// Trust the files in this directory too
    #[arg(long = "allow-path", value_name = "DIRECTORY")]
    pub allow_paths: Vec<PathBuf>,
}

/// Valid times of a run, s: from 0 to about thirty years.
const SECONDS: Bounds = Bounds::between(0.0, 1e9);

/// Parses a time, such as `30s` or `500ms`; returns seconds.
///
/// # Errors
///
/// The text is no time, or the time is out of range.
pub fn seconds(text: &str) -> Result<f64, UsageError> {
    let number = text.trim_end_matches(char::is_alphabetic);
    let factor = match text.get(number.len()..).unwrap_or_default() {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "min" => 60.0,
        "h" => 3600.0,
        unit => return Err(format!("unknown unit `{unit}`; known: ms, s, min, h").into()),
    };
    match number.parse::<f64>() {
        Ok(value) if SECONDS.contains(value * factor) => Ok(value * factor),
        Ok(value) if value.is_finite() => Err(format!("a time is {SECONDS} seconds").into()),
        _ => Err("a time is a number and a unit, such as 30s".into()),
    }
}

/// Parses a request for an overview image.
fn whole(text: &str) -> Result<PictureRequest, UsageError> {
    match text.parse()? {
        shot @ PictureRequest { camera: None, .. } => Ok(shot),
        PictureRequest { .. } => {
            Err("write it as t=5s:out.png; images of cameras are for `--screenshot`".into())
        }
    }
}

fn pace(text: &str) -> Result<Pace, String> {
    match text.parse::<f64>() {
        _ if text == "max" => Ok(Pace::Max),
        Ok(factor) if PACES.contains(factor) => Ok(Pace::RealTime(factor)),
        _ => Err(format!(
            "a factor is `max` or a number from {PACES}, such as 1 or 0.5"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(seconds("30s"), Ok(30.0));
        assert_eq!(seconds("500ms"), Ok(0.5));
        assert_eq!(seconds("2min"), Ok(120.0));
        assert_eq!(seconds("1.5"), Ok(1.5));
        for bad in ["", "s", "-1s", "5 parsecs", "nan", "infs", "1e300h"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn paces() {
        assert_eq!(pace("max"), Ok(Pace::Max));
        assert_eq!(pace("0.5"), Ok(Pace::RealTime(0.5)));
        for bad in ["0", "fast", "inf", "1e-300", "1e300", "-1"] {
            assert!(pace(bad).is_err(), "{bad}");
        }
    }
}
