//! Meshes, materials and textures of `<asset>`.

use std::{collections::BTreeMap, path::Path};

use morse_diagnostics::{Diagnostic, Span, printable_path};
use morse_scene::{bounds::Bounds, model::rotation_from_xyzw};
use nalgebra::{Isometry3, Vector3};

use super::{
    codes,
    compiler::Settings,
    defaults::Defaults,
    fields,
    heights::{self, Field},
    source::{MOST_NUMBERS, Source},
};
use crate::{problems::Problems, xml::Element};

/// Range of colour components.
pub(super) const COLOR: Bounds = Bounds::within(1e6);

/// Extensions of meshes that the simulator reads.
const MESHES: &[&str] = &["stl", "obj", "dae", "glb", "gltf", "ply", "msh"];

/// A mesh asset.
#[derive(Clone, Debug)]
pub(super) struct Mesh {
    /// Triangles of the mesh; `None` if the mesh cannot be read.
    pub(super) source: Option<Source>,
    pub(super) scale: [f64; 3],
    /// Pose of the origin of the geom in the file.
    pub(super) origin: Isometry3<f64>,
    /// Computation of its mass.
    pub(super) inertia: Inertia,
    pub(super) span: Span,
}

/// Computation of the mass of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Inertia {
    /// Volumes of the pyramids below the triangles, without their signs.
    #[default]
    Legacy,
    /// Volumes with their signs.
    Exact,
    /// Volume of the convex hull.
    Convex,
    /// Area of the triangles.
    Shell,
}

/// A material asset.
#[derive(Clone, Debug, Default)]
pub(super) struct Material {
    pub(super) rgba: Option<[f64; 4]>,
    pub(super) texture: Option<Texture>,
    /// Repetitions of the texture along x and y.
    pub(super) repeat: [f64; 2],
    /// True if repetitions are per metre.
    pub(super) uniform: bool,
}

/// A texture asset.
#[derive(Clone, Debug)]
pub(super) enum Texture {
    /// Image file, relative to the model.
    Image(String, Span),
    /// Checker pattern of two colours.
    Checker([[f64; 3]; 2]),
}

/// All assets by their names.
#[derive(Debug, Default)]
pub(super) struct Looks {
    pub(super) meshes: BTreeMap<String, Mesh>,
    /// Height fields; `None` if one cannot be read.
    pub(super) fields: BTreeMap<String, Option<Field>>,
    pub(super) materials: BTreeMap<String, Material>,
    /// True if a skin covers bodies; skins are not read.
    pub(super) has_skin: bool,
}

impl Looks {
    /// Reads the assets of a model.
    pub(super) fn read(
        root: &Element,
        settings: &Settings,
        defaults: &Defaults,
        problems: &mut Problems,
    ) -> Self {
        let mut looks = Self::default();
        let mut textures = BTreeMap::new();
        let assets = || root.named("asset").flat_map(Element::elements);
        let deformable = root.named("deformable").flat_map(Element::elements);
        looks.has_skin = assets()
            .chain(deformable)
            .any(|element| element.name == "skin");
        for element in assets().filter(|element| element.name == "texture") {
            textures.extend(texture(element, settings, problems));
        }
        for element in assets() {
            let merged = || element.clone();
            match element.name.as_str() {
                "mesh" => {
                    let element = defaults.merged(element, None, problems);
                    if let Some((name, mesh)) = mesh(&element, settings, problems) {
                        looks.meshes.insert(name, mesh);
                    }
                }
                "hfield" => looks
                    .fields
                    .extend(heights::read(element, settings, problems)),
                "material" => {
                    let element = defaults.merged(&merged(), None, problems);
                    let Some(name) = fields::name(&element, "name", problems) else {
                        continue;
                    };
                    let material = material(&element, &textures, problems);
                    looks.materials.insert(name, material);
                }
                _ => {}
            }
        }
        looks
    }
}

fn mesh(element: &Element, settings: &Settings, problems: &mut Problems) -> Option<(String, Mesh)> {
    let written = element.attribute("file");
    let span = written.map_or(element.span, |file| file.value_span);
    let file = written.map(|file| settings.file(file.value.trim(), 0));
    let name = fields::name(element, "name", problems).or_else(|| {
        let stem = Path::new(file.as_deref()?).file_stem()?;
        Some(stem.to_string_lossy().into_owned())
    });
    let ending = file.as_deref().and_then(|file| Path::new(file).extension());
    let ending = ending.map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let is_readable = ending
        .as_deref()
        .is_some_and(|ending| MESHES.contains(&ending));
    let source = match file.filter(|_| is_readable) {
        Some(file) => Some(Source::File(file)),
        None if written.is_none() => vertices(element, problems),
        None => None,
    };
    // Mistakes in vertices are errors.
    if source.is_none() && element.attribute("vertex").is_none() {
        let file = written.map(|file| file.value.trim());
        let message = match &file {
            Some(file) => format!("the mesh `{}` has an unknown format", printable_path(file)),
            None => "a mesh without a file and without vertices is not read".to_owned(),
        };
        let diagnostic = Diagnostic::warning(codes::IGNORED, message)
            .at(span, "its geoms are left out")
            .help("convert it to an STL or OBJ file");
        problems.push(diagnostic);
    }
    let factor = Bounds::within(1e6).no_smaller_than(1e-6);
    let scale = fields::array(element, "scale", factor, problems).unwrap_or([1.0; 3]);
    let position = fields::array(element, "refpos", fields::POSITION, problems).unwrap_or([0.0; 3]);
    let turn = fields::array(element, "refquat", fields::POSITION, problems);
    let turn = turn.and_then(|[w, x, y, z]| rotation_from_xyzw([x, y, z, w]));
    let [x, y, z] = scale;
    if turn.is_some() && (x != y || y != z) {
        let message =
            "a mesh with `refquat` and different scales is not turned before it is scaled";
        let diagnostic = Diagnostic::warning(codes::APPROXIMATION, message)
            .at(span, "the shape is skewed in MuJoCo")
            .help("scale the mesh in its file");
        problems.push(diagnostic);
    }
    // The position applies before the scale.
    let position = [position[0] * x, position[1] * y, position[2] * z];
    let words = ["legacy", "exact", "convex", "shell"];
    let inertia = match fields::word(element, "inertia", &words, problems) {
        Some("exact") => Inertia::Exact,
        Some("convex") => Inertia::Convex,
        Some("shell") => Inertia::Shell,
        _ => Inertia::Legacy,
    };
    let mesh = Mesh {
        source: source.filter(|_| !scale.contains(&0.0)),
        scale,
        origin: Isometry3::from_parts(Vector3::from(position).into(), turn.unwrap_or_default()),
        inertia,
        span,
    };
    Some((name?, mesh))
}

/// Returns the triples of numbers of an attribute.
fn triples(element: &Element, name: &str, problems: &mut Problems) -> Option<Vec<[f64; 3]>> {
    let numbers = fields::numbers(element, name, [3, MOST_NUMBERS], fields::POSITION, problems)?;
    let (triples, rest) = numbers.as_chunks::<3>();
    if !rest.is_empty() {
        let count = numbers.len();
        let message = format!("`{name}` has {count} numbers, which are no triples");
        let span = element
            .attribute(name)
            .map_or(element.span, |written| written.value_span);
        let diagnostic = Diagnostic::error(codes::BAD_NUMBER, message)
            .at(span, "expected a multiple of 3")
            .help("three coordinates make a vertex, three indices of vertices a triangle");
        problems.push(diagnostic);
        return None;
    }
    Some(triples.to_vec())
}

/// Reads a mesh that is written into the model.
fn vertices(element: &Element, problems: &mut Problems) -> Option<Source> {
    element.attribute("vertex")?;
    let vertices = triples(element, "vertex", problems)?;
    let mut faces = Vec::new();
    if let Some(written) = element.attribute("face") {
        for face in triples(element, "face", problems)? {
            let exists = |corner: &f64| {
                corner.fract() == 0.0 && *corner >= 0.0 && (*corner as usize) < vertices.len()
            };
            if let Some(wrong) = face.iter().find(|corner| !exists(corner)) {
                let message = format!("there is no vertex {wrong}");
                let last = vertices.len() - 1;
                let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, message)
                    .at(written.value_span, "named here")
                    .help(format!("vertices have the numbers 0 to {last}"));
                problems.push(diagnostic);
                return None;
            }
            faces.push(face.map(|corner| corner as usize));
        }
    }
    Some(Source::Vertices(vertices, faces))
}

fn texture(
    element: &Element,
    settings: &Settings,
    problems: &mut Problems,
) -> Option<(String, Texture)> {
    let file = element.attribute("file");
    let name = fields::name(element, "name", problems).or_else(|| {
        let stem = Path::new(file?.value.trim()).file_stem()?;
        Some(stem.to_string_lossy().into_owned())
    });
    let kind = element
        .attribute("type")
        .map_or("cube", |kind| kind.value.trim());
    let builtin = element.attribute("builtin");
    let builtin = builtin.map_or("none", |builtin| builtin.value.trim());
    let texture = match (file, builtin) {
        (Some(file), _) if kind == "2d" => {
            Texture::Image(settings.file(file.value.trim(), 1), file.value_span)
        }
        (None, "checker") => {
            let mut color = |name, default: f64| {
                let color = fields::array(element, name, COLOR, problems);
                color
                    .unwrap_or([default; 3])
                    .map(|channel| channel.clamp(0.0, 1.0))
            };
            Texture::Checker([color("rgb1", 0.8), color("rgb2", 0.5)])
        }
        _ => return None,
    };
    Some((name?, texture))
}

fn material(
    element: &Element,
    textures: &BTreeMap<String, Texture>,
    problems: &mut Problems,
) -> Material {
    let texture = element.attribute("texture");
    Material {
        rgba: fields::array(element, "rgba", COLOR, problems),
        texture: texture.and_then(|name| textures.get(name.value.trim()).cloned()),
        repeat: fields::array(element, "texrepeat", COLOR, problems).unwrap_or([1.0; 2]),
        uniform: fields::flag(element, "texuniform", problems).unwrap_or(false),
    }
}
