//! Meshes and materials of a model.
use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::model::{Geometry, MeshFile, Shape, stretch};
use nalgebra::Isometry3;

use super::{
    codes,
    compiler::Compiler,
    defaults::{Classes, MAIN},
    item::Item,
    values,
};
use crate::{problems::Problems, urdf::Assets, xml::Element};

/// A mesh, as it is used by geoms.
#[derive(Clone, Debug)]
pub(super) struct Mesh {
    pub(super) file: String,
    scale: [f64; 3],
    /// Pose of the vertices' origin in the frame of the geom.
    pub(super) pose: Isometry3<f64>,
    span: Span,
}

/// Appearance of a material.
#[derive(Clone, Debug, Default)]
struct Material {
    rgba: Option<[f64; 4]>,
    specular: Option<f64>,
    /// Colours of a checker pattern.
    checker: Option<[[f64; 3]; 2]>,
}

/// Meshes and materials by name.
#[derive(Default)]
pub(super) struct Library {
    meshes: BTreeMap<String, Mesh>,
    materials: BTreeMap<String, Material>,
}

const MESH: &[&str] = &["file", "scale", "refpos", "refquat"];
const MESH_WITHOUT_EFFECT: &[&str] = &[
    "content_type",
    "smoothnormal",
    "maxhullvert",
    "inertia",
    "normal",
    "texcoord",
    "face",
];
const MATERIAL: &[&str] = &["rgba", "texture", "specular"];
const MATERIAL_WITHOUT_EFFECT: &[&str] = &[
    "texrepeat",
    "texuniform",
    "emission",
    "shininess",
    "reflectance",
    "metallic",
    "roughness",
];

impl Library {
    /// Reads the sections `<asset>` of a model.
    pub(super) fn of<'a>(
        root: &'a Element,
        classes: &Classes<'a>,
        compiler: &Compiler,
        problems: &mut Problems,
    ) -> Self {
        let mut library = Self::default();
        let mut checkers = BTreeMap::new();
        for element in root.named("asset").flat_map(Element::elements) {
            let known = match element.name.as_str() {
                "mesh" => (MESH, MESH_WITHOUT_EFFECT),
                "material" => (MATERIAL, MATERIAL_WITHOUT_EFFECT),
                "texture" => {
                    checkers.extend(checker(element, problems));
                    continue;
                }
                _ => continue,
            };
            let kind = if element.name == "mesh" {
                "mesh"
            } else {
                "material"
            };
            let item = Item::new((element, kind), MAIN, classes, known, problems);
            match kind {
                "mesh" => library.add_mesh(&item, compiler, problems),
                _ => library.add_material(&item, &checkers, problems),
            }
        }
        library
    }

    fn add_mesh(&mut self, item: &Item<'_, '_>, compiler: &Compiler, problems: &mut Problems) {
        let Some(file) = item.attribute("file") else {
            let message = "a mesh without a file is not read";
            let problem = Diagnostic::warning(codes::NOT_TAKEN, message)
                .at(item.span(), "its geoms are left out");
            problems
                .push(problem.help("save the mesh as an STL or OBJ file, and name it in `file`"));
            return;
        };
        let written = file.value.replace('\\', "/");
        let last = written.rsplit('/').next().unwrap_or_default();
        let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
        let name = item.text("name").unwrap_or(stem).to_owned();
        let base = if compiler.strip_path {
            last
        } else {
            written.as_str()
        };
        let file_name = match compiler.mesh_directory.trim_end_matches('/') {
            "" => base.to_owned(),
            directory => format!("{directory}/{base}"),
        };
        let scale = item.numbers("scale", 3..=3, problems);
        let scale = scale.map_or([1.0; 3], |scale| [scale[0], scale[1], scale[2]]);
        let place = item.vector("refpos", problems).unwrap_or_default();
        let turn = item.numbers("refquat", 4..=4, problems);
        let turn = turn.and_then(|turn| compiler.rotation("quat", &turn));
        let reference = Isometry3::from_parts(place.into(), turn.unwrap_or_default());
        let mesh = Mesh {
            file: file_name,
            scale,
            pose: reference.inverse(),
            span: file.value_span,
        };
        self.meshes.insert(name, mesh);
    }

    fn add_material(
        &mut self,
        item: &Item<'_, '_>,
        checkers: &BTreeMap<String, [[f64; 3]; 2]>,
        problems: &mut Problems,
    ) {
        let Some(name) = item.needed("name", "steel", problems) else {
            return;
        };
        let texture = item.text("texture").unwrap_or_default();
        let material = Material {
            rgba: color(item, problems),
            specular: item.number("specular", problems),
            checker: checkers.get(texture).copied(),
        };
        self.materials.insert(name.value.clone(), material);
    }

    /// Returns the shape of a mesh by name, and its pose in the geom.
    pub(super) fn shape(
        &self,
        item: &Item<'_, '_>,
        needed: bool,
        assets: &mut Assets<'_>,
        problems: &mut Problems,
    ) -> Option<(Shape, Isometry3<f64>)> {
        let name = item.needed("mesh", "hand", problems)?;
        let Some(mesh) = self.meshes.get(&name.value) else {
            let message = format!("there is no mesh `{}`", printable(&name.value));
            let problem = Diagnostic::warning(codes::UNKNOWN_NAME, message)
                .at(name.value_span, "the geom is left out")
                .suggest(&name.value, self.meshes.keys().map(String::as_str));
            problems.push(match problem.help.is_empty() {
                true => {
                    problem.help("declare it in `<asset>`: `<mesh name=\"…\" file=\"….stl\"/>`")
                }
                false => problem,
            });
            return None;
        };
        let found = assets.find("mesh", &mesh.file, needed, mesh.span, problems)?;
        let resolved = match mesh.scale {
            [1.0, 1.0, 1.0] => found,
            scale => stretch(&found, scale),
        };
        let file = MeshFile {
            file: mesh.file.clone(),
            resolved,
        };
        Some((Shape::Mesh(file), mesh.pose))
    }

    /// Sets the appearance of a geom.
    pub(super) fn paint(
        &self,
        item: &Item<'_, '_>,
        geometry: &mut Geometry,
        problems: &mut Problems,
    ) {
        let name = item.attribute("material");
        let material = name.and_then(|name| {
            let known = self.materials.get(&name.value);
            if known.is_none() {
                let message = format!("there is no material `{}`", printable(&name.value));
                let problem = Diagnostic::warning(codes::UNKNOWN_NAME, message)
                    .at(name.value_span, "the shape is grey")
                    .suggest(&name.value, self.materials.keys().map(String::as_str));
                problems.push(match problem.help.is_empty() {
                    true => problem
                        .help("declare it in `<asset>`: `<material name=\"…\" rgba=\"1 0 0 1\"/>`"),
                    false => problem,
                });
            }
            known
        });
        // MuJoCo's default.
        let mut rgba = [0.5, 0.5, 0.5, 1.0];
        if let Some(material) = material {
            // A texture is multiplied by the colour, which is white by default.
            rgba = material.rgba.unwrap_or([1.0; 4]);
            geometry.specular = [material.specular.unwrap_or(0.5); 3];
            if let Some([first, second]) = material.checker {
                rgba = [first[0], first[1], first[2], rgba[3]];
                geometry.checker = Some(second);
            }
        }
        if let Some(own) = color(item, problems) {
            rgba = own;
        }
        let [red, green, blue, alpha] = rgba.map(|share| share.clamp(0.0, 1.0));
        geometry.color = [red, green, blue];
        geometry.alpha = alpha;
    }
}

fn color(item: &Item<'_, '_>, problems: &mut Problems) -> Option<[f64; 4]> {
    let numbers = item.numbers("rgba", 4..=4, problems)?;
    numbers.try_into().ok()
}

/// Returns the name and the colours of a texture with a checker pattern.
fn checker(element: &Element, problems: &mut Problems) -> Option<(String, [[f64; 3]; 2])> {
    let is_checker = element
        .attribute("builtin")
        .is_some_and(|word| word.value == "checker");
    let name = element.attribute("name").filter(|_| is_checker)?;
    let mut color = |attribute: &str, usual: f64| {
        let written = element.attribute(attribute);
        let numbers = written.and_then(|written| values::numbers(written, 3..=3, problems));
        numbers.map_or([usual; 3], |numbers| [numbers[0], numbers[1], numbers[2]])
    };
    Some((name.value.clone(), [color("rgb1", 0.8), color("rgb2", 0.5)]))
}
