//! Boxes around robots and bodies.
use std::collections::BTreeMap;

use bevy::prelude::*;
use morse_api::{
    body::BodyState,
    object::Bounds,
    prelude::{Deserialize, Reflect},
    service::{AddService as _, Outcome, Service, ServiceError},
};
use morse_geometry::GeometryOf;
use nalgebra::{Isometry3, Point3};
use serde_json::json;

use super::{
    Itself,
    lookup::{body, pose},
};
use crate::{simulation::objects::Meshes, spawn::Frame};

pub(super) fn add(app: &mut App) {
    app.init_resource::<Boxes>().add_service::<Itself>(
        Service::new(
            "get_object_bounds",
            "Returns the box around a robot, or around any frame of the scene with everything on it, in the axes of the object.",
            get_object_bounds,
        )
        .returns("`lower` and `upper`: opposite corners relative to the object, m; null without geometry")
        .read_only(),
    );
}

/// Boxes around geometries, each in the axes of its frame. They do not change, so that they are no state.
#[derive(Resource, Default)]
struct Boxes(BTreeMap<Entity, Option<Bounds>>);

/// Arguments of `get_object_bounds`.
#[derive(Reflect, Deserialize)]
struct Named {
    /// Name of the robot or frame.
    name: String,
}

fn get_object_bounds(
    world: &mut World,
    _: Entity,
    Named { name }: Named,
) -> Result<Outcome, ServiceError> {
    let object = body(world, &name)?;
    let origin = pose(world, object).unwrap_or_default();
    let bounds = bounds(world, object, &origin);
    let [lower, upper] = [-1.0, 1.0].map(|side| {
        let corner = bounds.as_ref().map(|bounds| bounds.at([side; 3]));
        corner.map(|corner| <[f64; 3]>::from(corner.coords))
    });
    Ok(Outcome::Done(json!({ "lower": lower, "upper": upper })))
}

/// Returns true if an object reaches into a box along the axes of the world, given by two opposite corners. An object
/// without geometry is a point.
pub(super) fn reaches_into(world: &mut World, name: &str, corners: [[f64; 3]; 2]) -> bool {
    let Ok(object) = body(world, name) else {
        return false;
    };
    let position = pose(world, object).unwrap_or_default().translation.vector;
    let own =
        bounds(world, object, &Isometry3::identity()).or_else(|| Bounds::around([position.into()]));
    let (Some(own), Some(asked)) = (own, Bounds::around(corners.map(Point3::from))) else {
        return false;
    };
    let distance = own.center - asked.center;
    let most = own.half + asked.half;
    distance
        .iter()
        .zip(&most)
        .all(|(distance, most)| distance.abs() <= *most)
}

/// Returns the box around everything on a frame, in the axes of `origin`.
fn bounds(world: &mut World, object: Entity, origin: &Isometry3<f64>) -> Option<Bounds> {
    let mut frames: BTreeMap<String, Option<Entity>> = BTreeMap::new();
    let mut parents: BTreeMap<Entity, Option<Entity>> = BTreeMap::new();
    for (entity, frame) in world.query::<(Entity, &Frame)>().iter(world) {
        frames.insert(frame.name.clone(), Some(entity));
        parents.insert(entity, frame.parent);
    }
    let is_on = |of: &GeometryOf| {
        let first = frames.get(&of.frame).copied().flatten();
        let parent = |entity: &Entity| parents.get(entity).copied().flatten();
        let chain = std::iter::successors(first, parent).take(parents.len());
        let mut chain = chain;
        of.robot == Some(object) || chain.any(|above| above == object)
    };
    let mut geometries = world.query::<(Entity, &GeometryOf)>();
    let geometries = geometries.iter(world).filter(|(_, of)| is_on(of));
    let geometries: Vec<(Entity, GeometryOf)> = geometries
        .map(|(entity, of)| (entity, of.clone()))
        .collect();
    let mut corners = Vec::new();
    for (entity, of) in geometries {
        let Some(own) = own_box(world, entity, &of) else {
            continue;
        };
        let Some(state) = world.get::<BodyState>(of.body) else {
            continue;
        };
        let at = origin.inverse() * state.pose * of.body_from_frame;
        corners.extend((0..8).map(|number: u32| {
            let side = |bit: u32| if number & bit == 0 { -1.0 } else { 1.0 };
            at * own.at([side(1), side(2), side(4)])
        }));
    }
    Bounds::around(corners)
}

/// Returns the box around a geometry in the axes of its frame.
fn own_box(world: &mut World, entity: Entity, of: &GeometryOf) -> Option<Bounds> {
    let mut boxes = world.resource_mut::<Boxes>();
    let bounds = boxes.0.entry(entity).or_insert_with(|| {
        Bounds::around(Meshes::default().around(&of.geometry, &Isometry3::identity()))
    });
    *bounds
}
