//! Rate of pictures of the renderers, 1/s: colour and depth of the arena by the software renderer, and of a
//! shipped scene by each renderer in several sizes.
use criterion::{Criterion, SamplingMode, Throughput};
use morse_api::render::{CameraView, Channels, Picture, Renderer, RendererKind};
use morse_sim::{
    Simulation,
    render::{draw, look},
    simulation::{
        kinds,
        load::{Options, load},
        no_extensions,
    },
};
use nalgebra::Point3;

use crate::rays::Arena;

/// Image width and height, pixels.
const SIZE: (u32, u32) = (640, 480);

/// Measures one and two threads, with and without shadows; elements are pixels.
pub(crate) fn arena(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("render/arena");
    group.throughput(Throughput::Elements(u64::from(SIZE.0 * SIZE.1)));
    for (threads, shadows) in [(1, false), (2, false), (2, true)] {
        let arena = Arena::new(10, threads);
        let mut camera = camera();
        camera.shadows = shadows;
        let mut picture = Picture::default();
        let light = if shadows { "with" } else { "without" };
        let name = format!("{threads} threads, {light} shadows");
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                camera.world_from_camera.translation.vector.x += 1e-5;
                arena
                    .app
                    .world()
                    .resource::<Renderer>()
                    .0
                    .render(&camera, &mut picture);
            });
        });
    }
    group.finish();
}

/// Measures two threads, without shadows; elements are pictures. `gpu` requires the feature `viewer` and a graphics device;
/// otherwise it is left out.
pub(crate) fn sizes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("render/patrol");
    group.throughput(Throughput::Elements(1));
    // With a software device (llvmpipe), one picture takes seconds.
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for (renderer, name) in [
        (RendererKind::Software, "software"),
        (RendererKind::Gpu, "gpu"),
    ] {
        let Some(mut simulation) = patrol(renderer) else {
            continue;
        };
        let mut picture = Picture::default();
        for (width, height) in [(320, 240), (640, 480), (1280, 720)] {
            let mut camera = CameraView {
                shadows: false,
                channels: COLOR_AND_DEPTH,
                ..look(
                    Point3::new(-6.0, -5.0, 4.0),
                    Point3::origin(),
                    width,
                    height,
                )
            };
            group.bench_function(format!("{name}, {width}x{height}"), |bencher| {
                bencher.iter(|| {
                    camera.world_from_camera.translation.vector.x += 1e-5;
                    draw(simulation.world_mut(), &camera, &mut picture);
                });
            });
        }
    }
    group.finish();
}

/// Returns a shipped scene with a renderer, or `None` if that is not available.
fn patrol(renderer: RendererKind) -> Option<Simulation> {
    let options = Options {
        renderer,
        threads: 2,
        ..Options::default()
    };
    let mut plan = load(
        "scenes/patrol.ron".as_ref(),
        &options,
        &kinds(&no_extensions),
    )
    .ok()?;
    plan.simulation.middlewares.clear();
    let mut simulation = Simulation::build(plan, &no_extensions).expect("a shipped scene");
    simulation.run(1).expect("no observer to lose");
    simulation.warnings().is_empty().then_some(simulation)
}

const COLOR_AND_DEPTH: Channels = Channels {
    color: true,
    depth: true,
    things: false,
};

/// Returns a view from a corner to the middle, 60° high.
fn camera() -> CameraView {
    let (width, height) = SIZE;
    CameraView {
        focal: f64::from(height) / 2.0 / libm::tan(30.0_f64.to_radians()),
        near: 0.1,
        far: 100.0,
        channels: COLOR_AND_DEPTH,
        ..look(
            Point3::new(-18.5, -18.5, 3.0),
            Point3::origin(),
            width,
            height,
        )
    }
}
