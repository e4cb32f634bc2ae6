//! Time to read scenes, and to load many bodies.
use std::{fmt::Write as _, path::Path};

use criterion::{BatchSize, Criterion, Throughput};
use morse_sim::{
    Simulation,
    scene::{
        assembly::Assembly,
        load::{LoadOptions, parse_str},
        model::{Frame, Geometry, Scene, Shape},
    },
    simulation::{load::Plan, no_extensions},
};

/// Returns the text of a scene with a number of frames: definitions, classes, expressions, nested frames.
fn text(frames: usize) -> String {
    let mut text = "def size 0.1;\nclass block { shape box; dimension [size, size, size]; color [0.8, 0.1, 0.1]; }\n".to_owned();
    for n in 0..frames / 2 {
        writeln!(
            text,
            "frame stand_{n} {{\n  translation [{n}*0.3, -{n}/7, size/2 + 0.001]; // in rows\n  frame block_{n} {{ translation [0, 0, size]; rpy [0, 0, pi/{}]; geometry {{ isa block; }} }}\n}}",
            n + 2
        )
        .expect("memory");
    }
    text
}

/// Measures MB/s of scene text, from bytes to the checked model.
pub(crate) fn parse(criterion: &mut Criterion) {
    let text = text(2_000);
    let mut group = criterion.benchmark_group("scene");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("parse", |bencher| {
        bencher.iter(|| {
            parse_str(
                &text,
                "bench.robray",
                Path::new(""),
                &LoadOptions::default(),
            )
            .expect("a sound scene")
        });
    });
    group.finish();
}

/// Measures the time from the model to a world that can be stepped, with 1 000 and 10 000 static bodies.
pub(crate) fn load(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("load");
    group.sample_size(10);
    for count in [1_000, 10_000] {
        let scene = boxes(count);
        group.throughput(Throughput::Elements(count as u64));
        let plan = || Plan {
            assembly: Assembly {
                scene: scene.clone(),
                ..Assembly::default()
            },
            ..Plan::default()
        };
        group.bench_function(count.to_string(), |bencher| {
            bencher.iter_batched(
                plan,
                |plan| Simulation::build(plan, &no_extensions).expect("a sound plan"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn boxes(count: usize) -> Scene {
    let mut scene = Scene::default();
    for n in 0..count {
        let shape = Shape::Box {
            dimension: [0.5, 0.4, 1.0],
        };
        let (row, column) = ((n / 100) as f64, (n % 100) as f64);
        let frame = Frame::new(format!("box_{n}"))
            .at([2.0 * column, 2.0 * row, 0.5])
            .with(Geometry::new(shape));
        scene.add_frame(frame).expect("a new name");
    }
    scene
}
