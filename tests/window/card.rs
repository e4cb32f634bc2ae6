//! The renderer `gpu`: off-screen, without a display.
#![cfg(test)]
use std::path::Path;

use bevy::prelude::World;
use morse_api::render::{Eye, Painter, Picture, Wants};
use morse_sim::{
    load::{self, Options},
    render,
    simulation::{Simulation, kinds, no_parts},
};
use nalgebra::Point3;

/// A scene of the program's own, drawn by one renderer.
fn simulation(renderer: Painter) -> Simulation {
    let options = Options {
        renderer,
        opens_meshes: true,
        ..Options::default()
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/patrol.ron");
    let mut plan = load::load(&file, &options, &kinds(&no_parts)).unwrap();
    plan.simulation.middlewares.clear();
    let mut simulation = Simulation::build(plan, &no_parts).unwrap();
    simulation.run(30).unwrap();
    simulation
}

fn take(world: &mut World, eye: &Eye) -> Picture {
    let mut picture = Picture::default();
    render::draw(world, eye, &mut picture);
    picture
}

fn eye(from: [f64; 3], to: [f64; 3]) -> Eye {
    let eye = render::look(Point3::from(from), Point3::from(to), 320, 240);
    Eye {
        shadows: false,
        wants: Wants {
            color: true,
            depth: true,
            things: true,
        },
        ..eye
    }
}

#[test]
fn both_renderers_see_the_same_outlines() {
    let mut simulation = simulation(Painter::Gpu);
    let said: String = simulation
        .warnings()
        .render(morse_sim::scene::diagnostic::Style::Plain);
    if said.contains("render::gpu") {
        eprintln!("the renderer `gpu` was not tried: {said}");
        return;
    }
    let mut exact = self::simulation(Painter::Software);
    for (from, to) in [
        ([6.0, -6.0, 4.0], [0.0, 0.0, 3.5]),
        ([-20.0, 12.0, 6.0], [0.0, 0.0, 5.0]),
    ] {
        let eye = eye(from, to);
        let by_card = take(simulation.world_mut(), &eye);
        let by_rays = take(exact.world_mut(), &eye);
        assert_eq!(by_card.things, by_rays.things);
        assert_eq!(by_card.depth, by_rays.depth);
        assert_eq!(by_card.color.len(), by_rays.color.len());
        agree(&by_card, &by_rays);
    }
}

/// Where nothing is the card has drawn the sky alone, and where something is it has drawn something else: all but at
/// edges, where pixels are mixed.
fn agree(by_card: &Picture, by_rays: &Picture) {
    let (width, height) = (320, 240);
    let color = |at: usize| &by_card.color[4 * at..4 * at + 3];
    let inner =
        (1..height - 1).flat_map(|row| (1..width - 1).map(move |column| row * width + column));
    let around = |at: usize| {
        [
            at - width - 1,
            at - width,
            at - width + 1,
            at - 1,
            at + 1,
            at + width - 1,
            at + width,
            at + width + 1,
        ]
    };
    let is_sky = |at: usize| by_rays.things[at] == 0;
    let clear: Vec<usize> = inner
        .filter(|&at| {
            around(at)
                .into_iter()
                .all(|near| is_sky(near) == is_sky(at))
        })
        .collect();
    let sky = clear
        .iter()
        .find(|at| is_sky(**at))
        .map(|at| color(*at).to_vec())
        .expect("there is sky in the picture");
    let wrong = clear
        .iter()
        .filter(|at| (color(**at) == sky) != is_sky(**at))
        .count();
    assert!(clear.len() > width * height / 2);
    assert!(
        wrong * 1000 < clear.len(),
        "{wrong} of {} pixels are on the wrong side of an outline",
        clear.len()
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
        eprintln!("the renderer `gpu` was not tried: {said}");
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
