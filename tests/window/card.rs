//! The renderer `gpu`: off-screen, without a display.
#![cfg(test)]
use std::path::Path;

use bevy::prelude::World;
use morse_api::{
    lighting::{Lighting, code},
    render::{CameraView, Channels, Picture, RendererKind},
};
use morse_sim::{
    render,
    sensor::video_camera::VideoCameraData,
    simulation::{
        Simulation, kinds,
        load::{self, Options},
        no_extensions,
    },
};
use nalgebra::Point3;

use crate::require::left_out;

/// Returns a built-in scene, drawn by one renderer.
fn simulation(renderer: RendererKind) -> Simulation {
    let options = Options {
        renderer,
        ..Options::default()
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/patrol.ron");
    let mut plan = load::load(&file, &options, &kinds(&no_extensions)).unwrap();
    plan.simulation.middlewares.clear();
    let mut simulation = Simulation::build(plan, &no_extensions).unwrap();
    simulation.run(30).unwrap();
    simulation
}

fn take(world: &mut World, camera: &CameraView) -> Picture {
    let mut picture = Picture::default();
    render::draw(world, camera, &mut picture);
    picture
}

fn camera(from: [f64; 3], to: [f64; 3]) -> CameraView {
    let camera = render::look(Point3::from(from), Point3::from(to), 320, 240);
    CameraView {
        shadows: false,
        channels: Channels {
            color: true,
            depth: true,
            things: true,
        },
        ..camera
    }
}

#[test]
fn both_renderers_see_the_same_outlines() {
    let mut simulation = simulation(RendererKind::Gpu);
    let said: String = simulation
        .warnings()
        .render(morse_sim::scene::diagnostic::Style::Plain);
    if said.contains("render::gpu") {
        left_out(
            "screen",
            &format!("the renderer `gpu` is not tried: {said}"),
        );
        return;
    }
    let mut exact = self::simulation(RendererKind::Software);
    for (from, to) in [
        ([6.0, -6.0, 4.0], [0.0, 0.0, 3.5]),
        ([-20.0, 12.0, 6.0], [0.0, 0.0, 5.0]),
    ] {
        let camera = camera(from, to);
        let by_card = take(simulation.world_mut(), &camera);
        let by_rays = take(exact.world_mut(), &camera);
        assert_eq!(by_card.things, by_rays.things);
        assert_eq!(by_card.depth, by_rays.depth);
        assert_eq!(by_card.color.len(), by_rays.color.len());
        agree(&by_card, &by_rays, &camera);
    }
}

/// Checks that the graphics card has drawn the background where the rays hit nothing, and another colour where they hit a
/// surface, except at edges, where pixels are mixed.
fn agree(by_card: &Picture, by_rays: &Picture, camera: &CameraView) {
    let (width, height) = (320, 240);
    let inner =
        (1..height - 1).flat_map(|row| (1..width - 1).map(move |column| row * width + column));
    let around = |index: usize| {
        [
            index - width - 1,
            index - width,
            index - width + 1,
            index - 1,
            index + 1,
            index + width - 1,
            index + width,
            index + width + 1,
        ]
    };
    let is_nothing = |index: usize| by_rays.things[index] == 0;
    let clear: Vec<usize> = inner
        .filter(|&index| {
            around(index)
                .into_iter()
                .all(|near| is_nothing(near) == is_nothing(index))
        })
        .collect();
    let wrong = clear
        .iter()
        .filter(|&&index| {
            let color: [u8; 3] = std::array::from_fn(|channel| by_card.color[4 * index + channel]);
            is_near(color, behind(camera, index % width, index / width)) != is_nothing(index)
        })
        .count();
    assert!(clear.len() > width * height / 2);
    assert!(clear.iter().any(|index| is_nothing(*index)));
    assert!(
        wrong * 1000 < clear.len(),
        "{wrong} of {} pixels are on the wrong side of an outline",
        clear.len()
    );
}

/// Returns the background colour of a pixel.
fn behind(camera: &CameraView, column: usize, row: usize) -> [u8; 3] {
    let way = camera.world_from_camera.rotation * camera.direction(column as f64, row as f64);
    let light = Lighting::default().background(way.z / way.norm());
    light.map(|light| (code(f64::from(light)) * 255.0).round() as u8)
}

fn is_near(one: [u8; 3], other: [u8; 3]) -> bool {
    let mut channels = one.iter().zip(other);
    channels.all(|(one, other)| one.abs_diff(other) <= 3)
}

/// A red ball before three cameras with the same viewing direction.
const CAMERAS: &str = r#"Simulation(
    scene: "scene.robray",
    robots: { "r": (frame: "eye", base: kinematic, sensors: {
        "usual": (kind: "video_camera", width: 64, height: 48, fov: 1.0),
        "exact": (kind: "video_camera", width: 64, height: 48, fov: 1.0, renderer: software),
        "card": (kind: "video_camera", width: 64, height: 48, fov: 1.0, renderer: gpu),
    }) })"#;

#[test]
fn a_camera_has_the_renderer_that_it_wants() {
    let folder = tempfile::tempdir().unwrap();
    let scene = r#"
        frame eye { translation [0, 0, 1]; }
        frame ball { translation [4, 0.3, 1]; geometry { shape sphere; radius 0.8; color [0.9, 0.1, 0.1]; } }
    "#;
    std::fs::write(folder.path().join("scene.robray"), scene).unwrap();
    let mut simulation = Simulation::parse(CAMERAS, folder.path(), &no_extensions).unwrap();
    let said = simulation
        .warnings()
        .render(morse_sim::scene::diagnostic::Style::Plain);
    simulation.run(2).unwrap();
    let mut image = |name: &str| {
        let data = simulation.read::<VideoCameraData>(name).unwrap();
        data.image.values().to_vec()
    };
    let [usual, exact, card] = ["r.usual", "r.exact", "r.card"].map(&mut image);
    assert_eq!(usual.len(), 64 * 48 * 4);
    assert_eq!(usual, exact);
    if said.contains("render::gpu") {
        left_out(
            "screen",
            &format!("the renderer `gpu` is not tried: {said}"),
        );
        assert_eq!(card, exact);
        return;
    }
    // The card's image is smooth at the edge of the ball, the exact one is not.
    assert_ne!(card, exact);
    let apart = card.iter().zip(&exact);
    let most = apart
        .clone()
        .filter(|(one, other)| one.abs_diff(**other) > 8);
    assert!(
        most.count() * 20 < card.len(),
        "{:?}",
        apart.map(|(one, other)| one.abs_diff(*other)).max()
    );
}

#[test]
fn a_picture_of_the_card_looks_like_the_one_that_was_looked_at() {
    let directory = tempfile::tempdir().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/patrol.ron");
    let file = file.to_string_lossy();
    let arguments = [
        "render",
        &file,
        "-o",
        "card.png",
        "--size",
        "320x240",
        "--eye",
        "6,-6,4",
        "--look",
        "0,0,0.3",
        "--renderer",
        "gpu",
    ];
    let output = crate::screen::program(&arguments, directory.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    if said.contains("render::gpu") {
        left_out(
            "screen",
            &format!("the renderer `gpu` is not tried: {said}"),
        );
        return;
    }
    let taken = directory.path().join("card.png");
    let seen = crate::picture::Picture::read(&taken);
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pictures/gpu.png");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::copy(&taken, &reference).unwrap();
    }
    let apart = seen.apart(&crate::picture::Picture::read(&reference), 8);
    assert!(
        apart < 4.0,
        "gpu.png differs from the one that was looked at by {apart:.2} of 255"
    );
}
