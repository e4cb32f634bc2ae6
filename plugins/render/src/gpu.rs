//! The renderer `gpu`: colours from the graphics card. Depths and segmentation stay with the ray caster, whose results are
//! exact and reproducible.
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bevy::prelude::*;
use morse_api::{
    body::BodyState,
    component::ComponentPath,
    render::{self, CameraView, CardError, Channels, Picture, Render, Renderer, RendererKind},
    tick::Look,
    warning::Warnings,
    world_view::Scenery,
};
use morse_diagnostics::Diagnostic;
use nalgebra::Isometry3;

use super::Software;

/// Graphics card, with the state of the world that it draws.
#[derive(Resource, Clone)]
struct Card(Arc<Shared>);

struct Shared {
    gpu: Box<dyn render::Card>,
    software: Software,
    /// Renderer of cameras without a renderer setting.
    usual: RendererKind,
    /// Poses of all bodies, in the order of the scenery.
    poses: RwLock<Vec<Isometry3<f64>>>,
    /// Error after which the card stopped drawing.
    failure: OnceLock<CardError>,
}

/// Bodies, in the order of the scenery.
#[derive(Resource)]
struct Drawn(Vec<Entity>);

/// Installs a graphics card for the cameras that use the renderer `gpu`. Without a card the ray caster continues, with a
/// warning.
pub(super) fn install(
    app: &mut App,
    open: fn(Arc<Scenery>) -> Result<Box<dyn render::Card>, CardError>,
    scenery: Scenery,
    bodies: Vec<Entity>,
    usual: RendererKind,
) -> Option<Diagnostic> {
    let software = app.world().get_resource::<Software>()?.clone();
    let poses = scenery.bodies.iter().map(|body| body.pose).collect();
    let gpu = match open(Arc::new(scenery)) {
        Ok(gpu) => gpu,
        Err(why) => {
            let message =
                format!("the renderer `gpu` cannot be used, `software` draws instead: {why}");
            return Some(Diagnostic::warning("render::gpu", message));
        }
    };
    let card = Card(Arc::new(Shared {
        gpu,
        software,
        usual,
        poses: RwLock::new(poses),
        failure: OnceLock::new(),
    }));
    app.insert_resource(Renderer(Box::new(card.clone())))
        .insert_resource(card)
        .insert_resource(Drawn(bodies))
        .add_systems(FixedUpdate, (follow, warn).chain().in_set(Look::Shapes));
    None
}

/// Returns true if a card draws.
pub(super) fn is_there(world: &World) -> bool {
    world.contains_resource::<Card>()
}

/// Stores the poses of the bodies after this tick.
fn follow(card: Res<Card>, drawn: Res<Drawn>, bodies: Query<&BodyState>) {
    let mut poses = card.0.poses.write().unwrap_or_else(PoisonError::into_inner);
    for (pose, &body) in poses.iter_mut().zip(&drawn.0) {
        if let Ok(state) = bodies.get(body) {
            *pose = state.pose;
        }
    }
}

/// Stores the poses of the bodies between two ticks, if a card draws.
pub(super) fn catch_up(world: &mut World) {
    if is_there(world) {
        // Cannot fail: the system has no run conditions.
        world.run_system_cached(follow).ok();
    }
}

/// Reports a failure of the card once.
fn warn(card: Res<Card>, mut warnings: ResMut<Warnings>) {
    if let Some(why) = card.0.failure.get() {
        let text = format!("the graphics card failed, `software` draws from here on: {why}");
        warnings.add(&ComponentPath("gpu".into()), &text);
    }
}

impl Render for Card {
    fn render(&self, camera: &CameraView, picture: &mut Picture) {
        let Shared {
            gpu,
            software,
            usual,
            poses,
            failure,
        } = &*self.0;
        let is_ours =
            camera.renderer.unwrap_or(*usual) == RendererKind::Gpu && failure.get().is_none();
        // A card projects straight lines to straight lines; images with lens distortion are left to the ray caster.
        let drawn = if is_ours && camera.channels.color && camera.lens.is_none() {
            let poses = poses.read().unwrap_or_else(PoisonError::into_inner);
            gpu.draw(camera, &poses)
                .map_err(|why| drop(failure.set(why)))
                .ok()
        } else {
            None
        };
        let Some(color) = drawn else {
            software.render(camera, picture);
            return;
        };
        let channels = Channels {
            color: false,
            ..camera.channels
        };
        software.render(
            &CameraView {
                channels,
                ..camera.clone()
            },
            picture,
        );
        picture.color = color;
    }

    fn geometry(&self) -> Vec<Entity> {
        self.0.software.geometry()
    }
}
