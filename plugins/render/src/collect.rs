//! Conversion of the geometry of a world to things that the renderer draws.
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use bevy::prelude::*;
use morse_api::{
    component::ComponentPath, lighting::linear, paint, warning::Warnings, world_view::Gloss,
};
use morse_geometry::{GeometryOf, mesh::MeshError, rays};
use morse_scene::model::{self, Shape};

use super::{
    Software,
    appearance::{Paint, Pattern},
    mesh::VisualMesh,
    render_scene::{Form, Grid, Thing},
    texture::Texture,
};
use crate::paint::{Images, Source};

/// Default specular exponent.
pub(crate) const SHININESS: f64 = 40.0;

/// Collects all geometry again after some was spawned, changed or removed.
pub(super) fn collect(
    software: Res<Software>,
    warnings: ResMut<Warnings>,
    geometry: Query<(Entity, &GeometryOf)>,
    changed: Query<(), Changed<GeometryOf>>,
    mut removed: RemovedComponents<GeometryOf>,
) {
    if removed.read().count() > 0 || !changed.is_empty() {
        collect_all(software, warnings, geometry);
    }
}

pub(super) fn collect_all(
    software: Res<Software>,
    mut warnings: ResMut<Warnings>,
    geometry: Query<(Entity, &GeometryOf)>,
) {
    let things = things(geometry.iter().collect(), &mut |frame, why| {
        warnings.add(&ComponentPath(frame.into()), why);
    });
    let mut scene = software.write();
    scene.things = things;
    scene.generation += 1;
}

/// Converts geometry to things; `warn` receives the frame and the reason for each geometry that cannot be drawn.
pub(super) fn things(
    mut all: Vec<(Entity, &GeometryOf)>,
    warn: &mut dyn FnMut(&str, &str),
) -> Vec<Thing> {
    // Things are numbered by the names of their frames, and within a frame in the order of the scene.
    all.sort_by(|(_, one), (_, other)| one.frame.cmp(&other.frame));
    let mut files = Files::default();
    let mut things = Vec::new();
    for (entity, of) in all.into_iter().filter(|(_, of)| of.geometry.visual) {
        let geometry = &of.geometry;
        let form = files.form(geometry);
        let form = form.unwrap_or_else(|why| {
            files.warnings.push(format!("it is not drawn: {why}"));
            None
        });
        if let Some(form) = form.filter(|_| geometry.alpha > 0.0) {
            things.push(Thing {
                entity,
                body: of.body,
                body_from_thing: of.body_from_frame,
                world_from_thing: of.body_from_frame,
                color: linear(geometry.color),
                paint: files.paint(geometry, &form),
                form,
                gloss: gloss(geometry),
                alpha: geometry.alpha.min(1.0) as f32,
                casts: !geometry.no_shadow,
            });
        }
        for warning in files.warnings.drain(..) {
            warn(&of.frame, &warning);
        }
    }
    things
}

/// Returns the highlights of a geometry.
pub fn gloss(geometry: &model::Geometry) -> Gloss {
    Gloss {
        color: geometry.specular.map(|value| value.clamp(0.0, 1.0)),
        shininess: geometry.shininess.unwrap_or(SHININESS),
    }
}

/// Contents of files; each file is read once.
#[derive(Default)]
struct Files {
    meshes: BTreeMap<PathBuf, Arc<VisualMesh>>,
    images: Images,
    textures: BTreeMap<Source, Arc<Texture>>,
    warnings: Vec<String>,
}

impl Files {
    /// Returns the form of a geometry; `None` if its size is zero.
    fn form(&mut self, geometry: &model::Geometry) -> Result<Option<Form>, MeshError> {
        let scale = geometry.scale;
        match &geometry.shape {
            Shape::Grid {
                dimension,
                delta,
                thickness,
            } => Ok(Some(Form::Grid(Grid {
                half: dimension.map(|half| (half * scale).abs()),
                delta: delta.map(|delta| (delta * scale).abs()),
                thickness: (thickness * scale).abs(),
            }))),
            Shape::Mesh(file) => {
                let mesh = self.mesh(&file.resolved)?;
                let is_there = scale != 0.0 && scale.is_finite() && !mesh.triangles.is_empty();
                Ok(is_there.then_some(Form::Mesh { mesh, scale }))
            }
            _ => Ok(rays::visual(geometry, None).map(Form::Solid)),
        }
    }

    fn mesh(&mut self, file: &Path) -> Result<Arc<VisualMesh>, MeshError> {
        if let Some(mesh) = self.meshes.get(file) {
            return Ok(mesh.clone());
        }
        let mut warnings = Vec::new();
        let mesh = VisualMesh::read(file, &mut warnings, &mut |image| self.texture(image))?;
        self.warnings.append(&mut warnings);
        let mesh = Arc::new(mesh);
        self.meshes.insert(file.to_owned(), mesh.clone());
        Ok(mesh)
    }

    /// Returns the texture of an image; reports a warning and returns `None` if it cannot be read.
    fn texture(&mut self, source: &Source) -> Option<Arc<Texture>> {
        if let Some(texture) = self.textures.get(source) {
            return Some(texture.clone());
        }
        match self.images.read(source) {
            Ok(image) => {
                let texture = Arc::new(Texture::new(&image));
                self.textures.insert(source.clone(), texture.clone());
                Some(texture)
            }
            Err(why) => {
                self.warnings
                    .push(format!("it is drawn without the image `{source}`: {why}"));
                None
            }
        }
    }

    /// Returns the pattern on a geometry.
    fn paint(&mut self, geometry: &model::Geometry, form: &Form) -> Option<Paint> {
        let file = geometry
            .image
            .as_ref()
            .and_then(|image| image.resolved.as_deref());
        let image = file.and_then(|file| self.texture(&file.into()));
        let pattern = match (image, geometry.checker) {
            (Some(image), _) => Pattern::Image(image),
            (None, Some(color)) => Pattern::Checker(linear(color)),
            (None, None) => return None,
        };
        let by_file = matches!(form, Form::Mesh { mesh, .. } if mesh.has_coordinates());
        let wrap = match form.wrap() {
            Some(_) if by_file && geometry.pattern_size.is_none() => None,
            wrap => Some(wrap?),
        };
        let rule = paint::Paint {
            pattern: match &pattern {
                Pattern::Checker(_) => {
                    paint::Pattern::Checker(geometry.checker.unwrap_or_default())
                }
                Pattern::Image(_) => paint::Pattern::Image(0),
            },
            size: geometry.pattern_size,
        };
        Some(Paint {
            pattern,
            rule,
            wrap,
        })
    }
}
