//! The renderer `software`: a tiled ray caster on the CPU, exact and with the same pixels on every machine.
//!
//! It draws visual geometry: boxes, spheres, cylinders, cones and capsules analytically, meshes by their triangles, and the
//! lines of grids. A picture is divided into tiles. Each tile has a list of the things that may be visible in it, and casts
//! one ray per pixel, which is tested against this list only. A pixel does not depend on other pixels, on the order of
//! things, or on the number of threads.
//!
//! A solid that contains the camera is invisible, and so is everything before `near` and beyond `far`.
//!
//! Modules in reading order:
//! - `collect`: conversion of geometry to things; `render_scene`: the things; `mesh`: triangles with normals;
//! - `light`: sky, sun and lamps; `appearance`: colour of surfaces; `texture`: filtered images and checkers;
//! - `projection`: things in the camera's axes, and their tiles; `pixels`: rays of pixels;
//! - `bands`: drawing of all tiles in parallel; `canvas`: incremental drawing for films;
//! - `viewpoint`: automatic choice of a viewpoint;
//! - `gpu`: colours from the graphics card, in programs with the viewer;
//! - [`paint`]: images and materials of meshes, from files;
//! - [`picture`]: pictures and films as files;
//! - `tile`: nearest thing in each pixel; `shade`: its colour; `shadow`: occlusion of lights.
mod appearance;
mod bands;
mod canvas;
mod collect;
mod gpu;
mod light;
mod mesh;
pub mod paint;
pub mod picture;
mod pixels;
mod projection;
mod render_scene;
mod shade;
mod shadow;
#[cfg(test)]
mod tests;
mod texture;
mod tile;
mod viewpoint;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bevy::{ecs::system::RunSystemOnce as _, prelude::*};
use morse_api::{
    body::BodyState,
    component::{ComponentPath, Mount},
    lighting::{self, Lighting, Shine, linear},
    render::{CameraView, OpenCard, Picture, Render, Renderer, RendererKind, UsesRenderer},
    threads::Threads,
    tick::Look,
    turn,
    warning::Warnings,
    world_view::Scenery,
};
use nalgebra::Vector3;

use bands::draw_picture;
pub use canvas::{Area, Canvas, redraw};
pub use collect::gloss;
use collect::{collect, collect_all};
use light::{Illumination, Lamp};
use morse_diagnostics::Diagnostic;
use render_scene::RenderScene;
pub use viewpoint::{Margin, automatic, look, view};

/// Adds the renderer. It draws with the simulation's [`Threads`], if there are any.
pub fn plugin(app: &mut App, lighting: &Lighting) {
    let threads = app.world_mut().get_resource_or_init::<Threads>().clone();
    let software = Software(Arc::new(Shared {
        scene: RwLock::new(RenderScene {
            things: Vec::new(),
            lamps: lighting.lamps.values().map(Lamp::hanging).collect(),
            hanging: lighting.lamps.len(),
            illumination: Illumination::new(lighting),
            generation: 0,
        }),
        threads,
    }));
    app.insert_resource(Renderer(Box::new(software.clone())))
        .insert_resource(software)
        .init_resource::<Warnings>()
        .add_systems(
            PostStartup,
            (collect, follow)
                .chain()
                .run_if(any_with_component::<UsesRenderer>),
        );
    let systems = || (collect, follow).chain().in_set(Look::Shapes);
    turn::add_waiting(app, "render", systems);
    turn::wait_for::<UsesRenderer>(app, "render", |world, _| {
        turn::require_turn(world, "render");
    });
}

/// Draws the current state of a world, with or without cameras in it.
pub fn draw(world: &mut World, camera: &CameraView, picture: &mut Picture) {
    watch(world);
    if let Some(renderer) = world.get_resource::<Renderer>() {
        renderer.0.render(camera, picture);
    }
}

/// Updates the scene to the current state of the world.
fn watch(world: &mut World) {
    let is_watched = world.query::<&UsesRenderer>().iter(world).next().is_some();
    if is_watched {
        return;
    }
    let is_empty = world
        .get_resource::<Software>()
        .is_none_or(|software| software.read().things.is_empty());
    // Neither call can fail: the systems have no run conditions.
    if is_empty {
        world.run_system_once(collect_all).ok();
    }
    world.run_system_once(follow).ok();
    gpu::catch_up(world);
}

/// Makes the graphics card draw the colours of cameras that use the renderer `gpu`, and of cameras without a renderer
/// setting if it is the `usual` one. Without a card, or in a program without support for one, the ray caster continues, with
/// a warning.
pub fn use_card(
    app: &mut App,
    scenery: Scenery,
    bodies: Vec<Entity>,
    usual: RendererKind,
) -> Option<Diagnostic> {
    let Some(&OpenCard(open)) = app.world().get_resource() else {
        let message = "this program was built without the renderer `gpu`: `software` draws instead";
        let hint = "build it with `cargo build --release --features viewer`";
        return Some(Diagnostic::warning("render::gpu", message).help(hint));
    };
    gpu::install(app, open, scenery, bodies, usual)
}

/// State that the systems share with the [`Renderer`].
#[derive(Resource, Clone)]
struct Software(Arc<Shared>);

#[derive(Default)]
struct Shared {
    scene: RwLock<RenderScene>,
    threads: Threads,
}

impl Software {
    // A scene stays valid even if a thread panicked while it held the lock.
    fn read(&self) -> RwLockReadGuard<'_, RenderScene> {
        self.0.scene.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the scene with the light tables prepared, for drawing.
    fn read_lit(&self) -> RwLockReadGuard<'_, RenderScene> {
        let scene = self.read();
        if scene.illumination.is_prepared() {
            return scene;
        }
        drop(scene);
        self.write().illumination.prepare();
        self.read()
    }

    fn write(&self) -> RwLockWriteGuard<'_, RenderScene> {
        self.0.scene.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Render for Software {
    fn render(&self, camera: &CameraView, picture: &mut Picture) {
        draw_picture(&self.read_lit(), camera, picture, self.0.threads.pool());
    }

    fn geometry(&self) -> Vec<Entity> {
        self.read()
            .things
            .iter()
            .map(|thing| thing.entity)
            .collect()
    }
}

/// Updates the poses of things and lamps after this tick.
fn follow(
    software: Res<Software>,
    bodies: Query<&BodyState>,
    lights: Query<(&ComponentPath, &lighting::Lamp, &Shine, &Mount)>,
) {
    let mut scene = software.write();
    for thing in &mut scene.things {
        if let Ok(body) = bodies.get(thing.body) {
            thing.world_from_thing = body.pose * thing.body_from_thing;
        }
    }
    let mut shining: Vec<_> = lights
        .iter()
        .filter(|(_, _, shine, _)| shine.0 > 0.0)
        .collect();
    shining.sort_by_key(|(path, ..)| *path);
    let hanging = scene.hanging;
    scene.lamps.truncate(hanging);
    for (_, light, shine, mount) in shining {
        let Ok(body) = bodies.get(mount.body) else {
            continue;
        };
        let pose = body.pose * mount.body_from_component;
        scene.lamps.push(Lamp {
            position: pose.translation.vector,
            axis: pose.rotation * Vector3::x(),
            edge: Some(libm::cos(light.size / 2.0)),
            distance: light.distance,
            color: linear(light.color).map(|light| light * shine.0 as f32),
        });
    }
}
