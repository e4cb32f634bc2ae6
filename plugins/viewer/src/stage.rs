//! The bodies of the simulation and their shapes, as the window's own entities.
use bevy::prelude::*;
use morse_api::sight::{Form, Scenery};

use crate::{
    mirror::{Mirror, transform},
    shape,
};

/// A body, by its place in the scenery.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Body(pub(crate) usize);

/// A shape, by the place of its body.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShapeOf(pub(crate) usize);

/// Spawns everything, once.
pub(crate) fn build(
    mirror: Res<Mirror>,
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let place = |body| mirror.body(body);
    raise(
        &mirror.scenery,
        place,
        &mut commands,
        &mut meshes,
        &mut materials,
    );
}

/// Spawns bodies, each where `place` says, and their shapes.
pub(crate) fn raise(
    scenery: &Scenery,
    place: impl Fn(usize) -> Transform,
    commands: &mut Commands,
    meshes: &mut Assets<Mesh>,
    materials: &mut Assets<StandardMaterial>,
) {
    let bodies: Vec<Entity> = (0..scenery.bodies.len())
        .map(|number| {
            let body = (Body(number), place(number), Visibility::default());
            commands.spawn(body).id()
        })
        .collect();
    let mut known = Known::default();
    for shape in &scenery.shapes {
        let (Some(&body), Some(mesh)) = (
            bodies.get(shape.body),
            known.mesh(&shape.form, scenery, meshes),
        ) else {
            continue;
        };
        commands.spawn((
            ShapeOf(shape.body),
            Mesh3d(mesh),
            MeshMaterial3d(known.material(shape.color, &shape.form, materials)),
            transform(&shape.body_from_shape),
            ChildOf(body),
        ));
    }
}

/// Meshes and materials that shapes share.
#[derive(Default)]
struct Known {
    meshes: Vec<(Form, Option<Handle<Mesh>>)>,
    materials: Vec<([f64; 4], bool, Handle<StandardMaterial>)>,
}

impl Known {
    fn mesh(
        &mut self,
        form: &Form,
        scenery: &Scenery,
        meshes: &mut Assets<Mesh>,
    ) -> Option<Handle<Mesh>> {
        if let Some((_, mesh)) = self.meshes.iter().find(|(known, _)| known == form) {
            return mesh.clone();
        }
        let mesh = shape::mesh(form, scenery).map(|mesh| meshes.add(mesh));
        self.meshes.push((form.clone(), mesh.clone()));
        mesh
    }

    fn material(
        &mut self,
        color: [f64; 4],
        form: &Form,
        materials: &mut Assets<StandardMaterial>,
    ) -> Handle<StandardMaterial> {
        // Lines have two sides, and so have the triangles of files, which nobody has checked.
        let is_open = matches!(form, Form::Grid { .. } | Form::Mesh { .. });
        let is_it = |(known, open, _): &&([f64; 4], bool, _)| *known == color && *open == is_open;
        if let Some((.., material)) = self.materials.iter().find(is_it) {
            return material.clone();
        }
        let [red, green, blue, alpha] = color.map(|part| part as f32);
        let material = materials.add(StandardMaterial {
            base_color: Color::srgba(red, green, blue, alpha),
            perceptual_roughness: 0.75,
            reflectance: 0.35,
            alpha_mode: if alpha < 1.0 {
                AlphaMode::Blend
            } else {
                AlphaMode::Opaque
            },
            double_sided: is_open,
            cull_mode: None,
            ..default()
        });
        self.materials.push((color, is_open, material.clone()));
        material
    }
}

/// Puts bodies where they are.
pub(crate) fn follow(mirror: Res<Mirror>, mut bodies: Query<(&Body, &mut Transform)>) {
    for (&Body(place), mut at) in &mut bodies {
        at.set_if_neq(mirror.body(place));
    }
}
