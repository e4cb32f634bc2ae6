//! `morse-sim render`: a still image of a scene.
use std::{io::Write, path::PathBuf};

use clap::Args as ClapArgs;
use morse_api::render::{CameraView, Picture, RendererKind};
use morse_diagnostics::{Style, printable};
use morse_render::{Margin, picture::RgbaImage};

use super::{
    camera_arguments::CameraArguments, check::Reading, exit, memory::MemoryArgument, run, say,
};
use crate::simulation::{
    BuildError, Extensions, Simulation, kinds,
    load::{self, Options},
};

/// Number of pixels in each direction that are averaged to a pixel of the image.
const FINE: u32 = 3;

/// Render an image of a scene at its start
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Scene or simulation file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Image to write: a PNG file
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Viewpoint of the image
    #[command(flatten)]
    pub from: CameraArguments,
    /// Columns and rows of the image
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x720")]
    pub size: (u32, u32),
    /// Simulated time to run first: 2s, 500ms
    #[arg(long, value_name = "TIME", value_parser = run::seconds, default_value = "0")]
    pub after: f64,
    /// Threads; they do not change the image
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// Renderer of images: software, or gpu (requires a program built with `--features viewer`)
    #[arg(long, value_name = "NAME", value_parser = renderer, default_value = "software")]
    pub renderer: RendererKind,
    /// Options for reading the file
    #[command(flatten)]
    pub reading: Reading,
    /// Memory limit of robots and sensors
    #[command(flatten)]
    pub memory: MemoryArgument,
}

/// Parses the name of a renderer.
pub(super) fn renderer(text: &str) -> Result<RendererKind, String> {
    match text {
        "software" => Ok(RendererKind::Software),
        "gpu" => Ok(RendererKind::Gpu),
        _ => Err("unknown renderer; expected `software` or `gpu`".to_owned()),
    }
}

/// Parses columns and rows.
pub(super) fn size(text: &str) -> Result<(u32, u32), String> {
    let size = text.split_once('x').and_then(|(width, height)| {
        Some((width.trim().parse().ok()?, height.trim().parse().ok()?))
    });
    let is_fine = |side: u32| (1..=8192).contains(&side);
    size.filter(|(width, height)| is_fine(*width) && is_fine(*height))
        .ok_or_else(|| "expected columns and rows from 1 to 8192, such as 640x480".to_owned())
}

/// Renders the image and returns the exit code.
pub fn run(args: &Args, extensions: Extensions, err: &mut dyn Write) -> u8 {
    let style = if args.reading.color {
        Style::Colored
    } else {
        Style::Plain
    };
    let mut simulation = match build(args, extensions) {
        Ok(simulation) => simulation,
        Err(BuildError::Scene(report)) => {
            write!(err, "{}", report.render(style)).ok();
            return exit::INPUT;
        }
        Err(BuildError::Middleware(failure)) => {
            say(err, format_args!("error: {failure}"));
            return exit::ENVIRONMENT;
        }
    };
    write!(err, "{}", simulation.warnings().render(style)).ok();
    if let Err(why) = args.from.check() {
        say(err, format_args!("error: {why}"));
        return exit::INPUT;
    }
    let ticks = (args.after * simulation.clock().rate).round() as u64;
    if let Err(lost) = simulation.run(ticks) {
        say(err, format_args!("error: {lost}"));
        return exit::PEER;
    }
    let camera = args
        .from
        .camera(&mut simulation, args.size, Margin::STILL, None);
    let image = still(&mut simulation, &camera, FINE);
    for warning in simulation.take_warnings() {
        say(err, format_args!("warning: {warning}"));
    }
    match image.write_png(&args.output) {
        Ok(()) => exit::FINE,
        Err(error) => {
            let path = printable(&args.output.to_string_lossy());
            say(
                err,
                format_args!("error: `{path}` cannot be written: {error}"),
            );
            exit::ENVIRONMENT
        }
    }
}

fn build(args: &Args, extensions: Extensions) -> Result<Simulation, BuildError> {
    let options = Options {
        allow_paths: args.reading.allow_paths.clone(),
        descriptions: args.reading.robots.descriptions(),
        strict: args.reading.strict,
        strict_amino: args.reading.strict_amino,
        threads: args.threads,
        renderer: args.renderer,
        memory: args.memory.budget(),
        ..Options::default()
    };
    let mut plan = load::load(&args.file, &options, &kinds(extensions))?;
    // Rendering opens no ports and writes no logs.
    plan.simulation.disconnect();
    Simulation::build(plan, extensions)
}

/// Renders the whole scene as `morse-sim render` does without a camera, with smooth edges.
#[must_use]
pub fn overview(simulation: &mut Simulation, size: (u32, u32)) -> RgbaImage {
    let camera = CameraArguments::default().camera(simulation, size, Margin::STILL, None);
    still(simulation, &camera, FINE)
}

/// Renders the view of a camera, with smooth edges.
pub(super) fn still(simulation: &mut Simulation, camera: &CameraView, fine: u32) -> RgbaImage {
    let large = enlarged(camera, fine);
    let mut picture = Picture::default();
    morse_render::draw(simulation.world_mut(), &large, &mut picture);
    let image = RgbaImage {
        width: large.width,
        height: large.height,
        pixels: picture.color,
    };
    image.shrunk(fine)
}

/// Returns the same camera with more pixels in each direction.
pub(super) fn enlarged(camera: &CameraView, times: u32) -> CameraView {
    let more = f64::from(times);
    CameraView {
        width: camera.width * times,
        height: camera.height * times,
        focal: camera.focal * more,
        center: camera.center.map(|middle| (middle + 0.5) * more - 0.5),
        ..camera.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("640x480"), Ok((640, 480)));
        for bad in ["", "640", "0x480", "640x", "99999x2", "-1x2"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
