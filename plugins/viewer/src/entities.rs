//! Entities of the window for the bodies of the simulation and their shapes.
use bevy::{ecs::system::SystemParam, prelude::*};
use morse_api::world_view::{Scenery, ShapeInfo};

use crate::{
    appearance::{self, Appearance},
    replica::{Replica, transform},
};

/// A body, by its index in the scenery.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Body(pub(crate) usize);

/// A shape, by the index of its body.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShapeOf(pub(crate) usize);

/// Spawns all bodies and shapes once.
pub(crate) fn build(replica: Res<Replica>, mut commands: Commands, mut store: Store) {
    let pose_of = |body| replica.body(body);
    raise(&replica.scenery, pose_of, &mut commands, &mut store);
}

/// Spawns bodies, each at the pose that `pose_of` returns, and their shapes.
pub(crate) fn raise(
    scenery: &Scenery,
    pose_of: impl Fn(usize) -> Transform,
    commands: &mut Commands,
    store: &mut Store<'_>,
) {
    let bodies: Vec<Entity> = (0..scenery.bodies.len())
        .map(|number| {
            let body = (Body(number), pose_of(number), Visibility::default());
            commands.spawn(body).id()
        })
        .collect();
    let mut known = Known::default();
    for shape in &scenery.shapes {
        let Some(&body) = bodies.get(shape.body) else {
            continue;
        };
        for (mesh, material) in known.pieces(shape, scenery, store) {
            commands.spawn((
                ShapeOf(shape.body),
                Mesh3d(mesh),
                MeshMaterial3d(material),
                transform(&shape.body_from_shape),
                ChildOf(body),
            ));
        }
    }
}

/// Stores of meshes, materials and images.
#[derive(SystemParam)]
pub(crate) struct Store<'w> {
    meshes: ResMut<'w, Assets<Mesh>>,
    materials: ResMut<'w, Assets<StandardMaterial>>,
    images: ResMut<'w, Assets<Image>>,
}

/// Handles of a mesh and of its material.
type Piece = (Handle<Mesh>, Handle<StandardMaterial>);

/// Cache of meshes and materials, which equal shapes share.
#[derive(Default)]
struct Known {
    shapes: Vec<(ShapeInfo, Vec<Piece>)>,
    appearances: Vec<(Appearance, Handle<StandardMaterial>)>,
}

impl Known {
    fn pieces(
        &mut self,
        shape: &ShapeInfo,
        scenery: &Scenery,
        store: &mut Store<'_>,
    ) -> Vec<Piece> {
        let is_same = |(known, _): &&(ShapeInfo, Vec<Piece>)| {
            known.shape == shape.shape
                && known.paint == shape.paint
                && known.color == shape.color
                && known.gloss == shape.gloss
        };
        if let Some((_, pieces)) = self.shapes.iter().find(is_same) {
            return pieces.clone();
        }
        let pieces = appearance::pieces(shape, scenery).into_iter();
        let pieces: Vec<Piece> = pieces
            .map(|(mesh, appearance)| {
                (
                    store.meshes.add(mesh),
                    self.material(appearance, scenery, store),
                )
            })
            .collect();
        self.shapes.push((shape.clone(), pieces.clone()));
        pieces
    }

    fn material(
        &mut self,
        appearance: Appearance,
        scenery: &Scenery,
        store: &mut Store<'_>,
    ) -> Handle<StandardMaterial> {
        if let Some((_, material)) = self
            .appearances
            .iter()
            .find(|(known, _)| *known == appearance)
        {
            return material.clone();
        }
        let material = appearance.material(scenery, &mut store.images);
        let material = store.materials.add(material);
        self.appearances.push((appearance, material.clone()));
        material
    }
}

/// Updates the poses of the bodies.
pub(crate) fn follow(replica: Res<Replica>, mut bodies: Query<(&Body, &mut Transform)>) {
    for (&Body(index), mut at) in &mut bodies {
        at.set_if_neq(replica.body(index));
    }
}
