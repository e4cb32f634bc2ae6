//! Time to read a scene of 10 000 bodies with 100 meshes of 5 000 triangles, with its meshes and their hulls: as text and OBJ
//! files, and compiled.
use std::{
    collections::BTreeSet,
    f32::consts::{PI, TAU},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use criterion::Criterion;
use morse_sim::{
    geometry::{archive, mesh},
    physics::shapes,
    scene::{
        compiled::collect,
        load::{LoadOptions, load},
        model::{Scene, Shape},
    },
};

const BODIES: usize = 10_000;
const MESHES: usize = 100;

/// Numbers of bands from pole to pole, and of sides around the axis: 5 000 triangles.
const RINGS: usize = 51;
const SIDES: usize = 50;

/// Returns an OBJ file of an egg. Each index gives another one.
fn egg(index: usize) -> String {
    let mut text = String::new();
    let wide = 0.2 + 0.001 * index as f32;
    for ring in 0..=RINGS {
        let polar = PI * ring as f32 / RINGS as f32;
        let (sine, cosine) = (libm::sinf(polar), libm::cosf(polar));
        for side in 0..SIDES {
            let angle = TAU * side as f32 / SIDES as f32;
            let (x, y) = (libm::cosf(angle) * sine, libm::sinf(angle) * sine);
            let z = 0.3 * cosine;
            writeln!(text, "v {:.6} {:.6} {z:.6}", wide * x, 0.2 * y).expect("memory");
        }
    }
    for ring in 0..RINGS {
        for side in 0..SIDES {
            let next = (side + 1) % SIDES;
            let [a, b] = [side, next].map(|side| ring * SIDES + side + 1);
            let [c, d] = [a, b].map(|corner| corner + SIDES);
            if ring > 0 {
                writeln!(text, "f {a} {c} {b}").expect("memory");
            }
            if ring + 1 < RINGS {
                writeln!(text, "f {b} {c} {d}").expect("memory");
            }
        }
    }
    text
}

/// Writes the scene as text into a directory; returns its path.
fn write(directory: &Path) -> PathBuf {
    for index in 0..MESHES {
        let path = directory.join(format!("egg_{index}.obj"));
        fs::write(path, egg(index)).expect("a directory that can be written");
    }
    let mut text = String::new();
    for body in 0..BODIES {
        let (row, column) = (body / 100, body % 100);
        writeln!(
            text,
            "frame egg_{body} {{ type floating; translation [{column}, {row}, 1]; mass 1; \
             geometry {{ shape mesh; mesh \"egg_{}.obj\"; }} }}",
            body % MESHES
        )
        .expect("memory");
    }
    let path = directory.join("eggs.robray");
    fs::write(&path, text).expect("a directory that can be written");
    path
}

/// Returns the files of the meshes of a scene.
fn meshes(scene: &Scene) -> BTreeSet<&Path> {
    let all = scene.frames().iter().flat_map(|frame| &frame.geometry);
    let paths = all.filter_map(|geometry| match &geometry.shape {
        Shape::Mesh(mesh) => Some(mesh.resolved.as_path()),
        _ => None,
    });
    paths.collect()
}

/// Reads a scene with its meshes and their hulls; returns the number of corners of the hulls.
fn read(path: &Path) -> usize {
    let loaded = load(path, &LoadOptions::default()).expect("a sound scene");
    let corners = meshes(&loaded.scene).into_iter().map(|path| {
        let mesh = mesh::read(path).expect("a sound mesh");
        let hull = archive::hull(path, 1.0).or_else(|| shapes::hull(&mesh, 1.0));
        hull.expect("a hull").vertices.len()
    });
    corners.sum()
}

/// Measures both, and compares their results.
pub(crate) fn reading(criterion: &mut Criterion) {
    let directory = tempfile::tempdir().expect("a directory");
    let text = write(directory.path());
    let (content, _) = collect(&text, &LoadOptions::default(), directory.path()).expect("a scene");
    let compiled = directory.path().join("eggs.msc");
    let bytes = morse_compiled::encode(&content).expect("a compiled scene");
    fs::write(&compiled, bytes).expect("a directory that can be written");
    assert_eq!(read(&text), read(&compiled));
    let mut group = criterion.benchmark_group("reading");
    group.sample_size(10);
    for (name, path) in [("text", &text), ("compiled", &compiled)] {
        group.bench_function(name, |bencher| bencher.iter(|| read(path)));
    }
    group.finish();
}
