//! How many pictures a second the renderer draws: colour and depth of the arena, 640 by 480, without shadows.
use criterion::{Criterion, Throughput};
use morse_api::render::{Eye, Picture, Renderer, Wants};
use morse_sim::render::look;
use nalgebra::Point3;

use crate::rays::Arena;

/// Columns and rows.
const SIZE: (u32, u32) = (640, 480);

/// One and two threads, with and without shadows; elements are pixels.
pub(crate) fn arena(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("render/arena");
    group.throughput(Throughput::Elements(u64::from(SIZE.0 * SIZE.1)));
    for (threads, shadows) in [(1, false), (2, false), (2, true)] {
        let arena = Arena::new(10, threads);
        let mut eye = eye();
        eye.shadows = shadows;
        let mut picture = Picture::default();
        let light = if shadows { "with" } else { "without" };
        let name = format!("{threads} threads, {light} shadows");
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                eye.world_from_eye.translation.vector.x += 1e-5;
                arena
                    .app
                    .world()
                    .resource::<Renderer>()
                    .0
                    .render(&eye, &mut picture);
            });
        });
    }
    group.finish();
}

/// From a corner to the middle, 60° high.
fn eye() -> Eye {
    let (width, height) = SIZE;
    Eye {
        focal: f64::from(height) / 2.0 / libm::tan(30.0_f64.to_radians()),
        near: 0.1,
        far: 100.0,
        wants: Wants {
            color: true,
            depth: true,
            things: false,
        },
        ..look(
            Point3::new(-18.5, -18.5, 3.0),
            Point3::origin(),
            width,
            height,
        )
    }
}
