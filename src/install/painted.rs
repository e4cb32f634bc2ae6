//! What is painted on shapes, for who looks on.
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use morse_api::{
    paint::{Image, Paint, Pattern},
    sight::Part,
};

use crate::{
    paint::{Images, Material},
    physics::mesh::Triangles,
    scene::{diagnostic::Diagnostic, model::Geometry},
};

/// The images of a scene.
#[derive(Default)]
pub(super) struct Paints {
    /// Each once.
    pub(super) images: Vec<Image>,
    files: Images,
    places: BTreeMap<PathBuf, Option<usize>>,
    complaints: Vec<String>,
}

impl Paints {
    /// What is painted on a geometry.
    pub(super) fn of(&mut self, geometry: &Geometry) -> Option<Paint> {
        let file = geometry.image.as_ref();
        let file = file.and_then(|image| image.resolved.as_deref());
        let image = file.and_then(|file| self.image(file));
        let checker = geometry
            .checker
            .map(|color| color.map(|part| part.clamp(0.0, 1.0)));
        Some(Paint {
            pattern: image
                .map(Pattern::Image)
                .or(checker.map(Pattern::Checker))?,
            size: geometry.pattern_size,
        })
    }

    /// The parts of a mesh that its file gives a look.
    pub(super) fn parts(&mut self, file: &Path, mesh: &Triangles) -> Vec<Part> {
        let materials = Material::read_all(file, mesh, &mut self.complaints);
        let parts = mesh.parts.iter().filter_map(|part| {
            let material = materials.get(&part.material)?;
            let image = material.image.as_deref();
            Some(Part {
                faces: part.faces.clone(),
                color: material.color,
                image: image.and_then(|file| self.image(file)),
                gloss: material.gloss,
            })
        });
        parts.collect()
    }

    /// The place of an image; without it, why is written down.
    fn image(&mut self, file: &Path) -> Option<usize> {
        if let Some(place) = self.places.get(file) {
            return *place;
        }
        let place = match self.files.read(file) {
            Ok(image) => {
                self.images.push((*image).clone());
                Some(self.images.len() - 1)
            }
            Err(why) => {
                let file = file.display();
                self.complaints
                    .push(format!("the image `{file}` cannot be shown: {why}"));
                None
            }
        };
        self.places.insert(file.to_owned(), place);
        place
    }

    /// What cannot be shown.
    pub(super) fn warnings(self) -> impl Iterator<Item = Diagnostic> {
        let warning = |why| Diagnostic::warning("sight::paint", why);
        self.complaints.into_iter().map(warning)
    }
}
