//! Textures of shapes, for viewers.
use std::{collections::BTreeMap, path::Path};

use morse_api::{
    paint::{Image, Paint, Pattern},
    world_view::Part,
};
use morse_diagnostics::Diagnostic;
use morse_geometry::mesh::Triangles;
use morse_render::paint::{Images, Material, Source};
use morse_scene::model::Geometry;

/// The images of a scene.
#[derive(Default)]
pub(super) struct Paints {
    /// Images, without repetitions.
    pub(super) images: Vec<Image>,
    files: Images,
    indices: BTreeMap<Source, Option<usize>>,
    warnings: Vec<String>,
}

impl Paints {
    /// Returns the texture of a geometry.
    pub(super) fn of(&mut self, geometry: &Geometry) -> Option<Paint> {
        let file = geometry.image.as_ref();
        let file = file.and_then(|image| image.resolved.as_deref());
        let image = file.and_then(|file| self.image(&file.into()));
        let checker = geometry
            .checker
            .map(|color| color.map(|channel| channel.clamp(0.0, 1.0)));
        Some(Paint {
            pattern: image
                .map(Pattern::Image)
                .or(checker.map(Pattern::Checker))?,
            size: geometry.pattern_size,
        })
    }

    /// Returns the parts of a mesh with materials of their own.
    pub(super) fn parts(&mut self, file: &Path, mesh: &Triangles) -> Vec<Part> {
        let materials = Material::read_all(file, mesh, &mut self.warnings);
        let parts = mesh.parts.iter().filter_map(|part| {
            let material = materials.get(&part.material)?;
            let image = material.image.as_ref();
            Some(Part {
                faces: part.faces.clone(),
                color: material.color,
                image: image.and_then(|image| self.image(image)),
                gloss: material.gloss,
            })
        });
        parts.collect()
    }

    /// Returns the index of an image; `None` with a warning if it cannot be read.
    fn image(&mut self, image: &Source) -> Option<usize> {
        if let Some(index) = self.indices.get(image) {
            return *index;
        }
        let index = match self.files.read(image) {
            Ok(image) => {
                self.images.push((*image).clone());
                Some(self.images.len() - 1)
            }
            Err(why) => {
                self.warnings
                    .push(format!("the image `{image}` cannot be shown: {why}"));
                None
            }
        };
        self.indices.insert(image.clone(), index);
        index
    }

    /// Returns warnings about textures that cannot be displayed.
    pub(super) fn warnings(self) -> impl Iterator<Item = Diagnostic> {
        let warning = |why| Diagnostic::warning("world_view::paint", why);
        self.warnings.into_iter().map(warning)
    }
}
