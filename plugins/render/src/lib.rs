//! The renderer `software`: pictures without a graphics card, exact and the same everywhere.
//!
//! What is drawn is what is visual: boxes, spheres, cylinders, cones and capsules as the scene defines them,
//! exact in every pixel, meshes by their triangles, and the lines of grids. A picture is cut into tiles. Each
//! tile has a list of what may be in it, and each of its pixels sends one ray, which meets the nearest of
//! these. So no pixel depends on another one, on the order of things, or on the number of threads.
//!
//! A solid that the camera is in is not seen, and nothing is seen before `near` or beyond `far`.
//!
//! In reading order:
//! - `collect`: from geometry to things; `render_scene`: what there is; `mesh`: triangles with normals;
//! - `light`: sky, sun and lamps; `appearance`: how surfaces look; `texture`: images and checkers in a pixel;
//! - `projection`: what a camera has before it, and in which tiles; `pixels`: where those look;
//! - `bands`: all tiles of a picture; `canvas`: those that change, for films;
//! - `viewpoint`: where to look from if nobody says;
//! - `gpu`: colours by the graphics card instead, in programs with the window;
//! - [`paint`]: images and materials of meshes, from files;
//! - [`picture`]: pictures and films as files;
//! - `tile`: the nearest thing in each pixel; `shade`: its colour; `shadow`: what keeps the light away.
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
    component::{Mount, Path},
    lighting::{self, Lighting, Shine, linear},
    render::{CameraView, OpenCard, Picture, Render, Renderer, RendererKind, UsesRenderer},
    threads::Threads,
    tick::Look,
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

/// Adds the renderer. Pictures are shared among the simulation's [`Threads`], if there are any.
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
        )
        .add_systems(
            FixedUpdate,
            (collect, follow)
                .chain()
                .run_if(any_with_component::<UsesRenderer>)
                .in_set(Look::Shapes),
        );
}

/// Takes a picture of a world as it stands, whether or not cameras are in it.
pub fn draw(world: &mut World, camera: &CameraView, picture: &mut Picture) {
    watch(world);
    if let Some(renderer) = world.get_resource::<Renderer>() {
        renderer.0.render(camera, picture);
    }
}

/// Sees to it that the scene is as the world is now.
fn watch(world: &mut World) {
    let is_watched = world.query::<&UsesRenderer>().iter(world).next().is_some();
    if is_watched {
        return;
    }
    let is_empty = world
        .get_resource::<Software>()
        .is_none_or(|software| software.read().things.is_empty());
    // Neither system has conditions that could keep it from running.
    if is_empty {
        world.run_system_once(collect_all).ok();
    }
    world.run_system_once(follow).ok();
    gpu::catch_up(world);
}

/// Has colours drawn by the graphics card from now on, for whoever wants that, and for all others if it is the
/// `usual` one. Where there is no card, or a program that has none, the caster goes on, and that is said.
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

/// State that the systems here share with whoever holds the [`Renderer`].
#[derive(Resource, Clone)]
struct Software(Arc<Shared>);

#[derive(Default)]
struct Shared {
    scene: RwLock<RenderScene>,
    threads: Threads,
}

impl Software {
    // What a thread that panicked left behind is a scene all the same.
    fn read(&self) -> RwLockReadGuard<'_, RenderScene> {
        self.0.scene.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, for pictures.
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

/// Puts things and lamps where they are after this tick.
fn follow(
    software: Res<Software>,
    bodies: Query<&BodyState>,
    lights: Query<(&Path, &lighting::Lamp, &Shine, &Mount)>,
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
