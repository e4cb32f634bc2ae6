//! Content of a compiled scene, and the checks of a scene that was read from a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use morse_geometry::archive::{self, Hull};
use morse_geometry::mesh::Triangles;
use morse_scene::model::{Class, Frame, Geometry, LoopClosure, Scene, Shape};
use serde::{Deserialize, Serialize};

use crate::CompiledError;

/// Everything that a compiled scene contains.
#[derive(Debug, Default)]
pub struct Content {
    /// The scene; the paths of its meshes and images are names of `meshes` and `files`.
    pub scene: Scene,
    /// Meshes by name; scale factors of the axes belong to the name.
    pub meshes: BTreeMap<String, Triangles>,
    /// Convex hulls by the name of the mesh and the bits of the scale.
    pub hulls: BTreeMap<(String, u64), Hull>,
    /// Images, materials and other files by name.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Files from which the scene was compiled.
    pub sources: Vec<Source>,
}

/// A file from which a scene was compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Path relative to the directory of the compiled scene.
    pub path: String,
    /// Hash of the content.
    pub hash: u128,
}

/// Contents of a scene, as they are stored.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredScene {
    pub(crate) frames: Vec<Frame>,
    pub(crate) classes: Vec<Class>,
    pub(crate) allowed: Vec<(String, String)>,
    pub(crate) closures: Vec<LoopClosure>,
}

impl StoredScene {
    pub(crate) fn of(scene: &Scene) -> Self {
        Self {
            frames: scene.frames().to_vec(),
            classes: scene.classes().to_vec(),
            allowed: scene.allowed_collisions().iter().cloned().collect(),
            closures: scene.closures().to_vec(),
        }
    }
}

/// Returns the scene of an archive, whose paths lead into the archive, after all checks of a scene.
pub(crate) fn resolved(stored: StoredScene, identifier: &str) -> Result<Scene, CompiledError> {
    let invalid = |error: morse_scene::model::SceneError| CompiledError::Invalid(error.to_string());
    let mut scene = Scene::default();
    for mut frame in stored.frames {
        if (frame.pose.rotation.coords.norm_squared() - 1.0).abs() > 1e-6 {
            let message = format!("the rotation of `{}` is no rotation", frame.name);
            return Err(CompiledError::Invalid(message));
        }
        for geometry in &mut frame.geometry {
            move_paths(geometry, |name| archive::path(identifier, &text(name)));
        }
        scene.add_frame(frame).map_err(invalid)?;
    }
    for class in stored.classes {
        scene.add_class(class).map_err(invalid)?;
    }
    for (one, other) in stored.allowed {
        scene.allow_collision(one, other);
    }
    for closure in stored.closures {
        scene.add_closure(closure);
    }
    scene.check().map_err(invalid)?;
    if let Some(violation) = scene.violations(1).first() {
        let (name, number) = (violation.attribute.name, violation.number);
        let message = format!("`{name}` of `{}` is {number}", violation.frame);
        return Err(CompiledError::Invalid(message));
    }
    Ok(scene)
}

/// Changes the paths of the mesh and the image of a geometry.
pub fn move_paths(geometry: &mut Geometry, mut moved: impl FnMut(&Path) -> PathBuf) {
    if let Shape::Mesh(mesh) = &mut geometry.shape {
        mesh.resolved = moved(&mesh.resolved);
    }
    if let Some(path) = geometry
        .image
        .as_mut()
        .and_then(|image| image.resolved.as_mut())
    {
        *path = moved(path);
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
