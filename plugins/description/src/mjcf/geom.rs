//! Reader of `<geom>`: shape, size, pose, mass and contact settings.

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::bounds::Bounds;
use nalgebra::{Isometry3, Vector3};

use super::{codes, compiler::Settings, fields, pose::pose};
use crate::{
    problems::Problems,
    shapes::turned_z,
    xml::{Attribute, Element},
};

/// Words of the shapes.
const TYPES: &[&str] = &[
    "plane",
    "hfield",
    "sphere",
    "capsule",
    "ellipsoid",
    "cylinder",
    "box",
    "mesh",
    "sdf",
];

/// Attributes of `<geom>`.
const KNOWN: &[&str] = &[
    "name",
    "class",
    "type",
    "contype",
    "conaffinity",
    "condim",
    "group",
    "priority",
    "size",
    "material",
    "friction",
    "mass",
    "density",
    "shellinertia",
    "solmix",
    "solref",
    "solimp",
    "margin",
    "gap",
    "fromto",
    "pos",
    "quat",
    "axisangle",
    "xyaxes",
    "zaxis",
    "euler",
    "hfield",
    "mesh",
    "fitscale",
    "rgba",
    "fluidshape",
    "fluidcoef",
    "user",
    "surfacevel",
];

/// Density of geoms without mass and density, kg/m³.
const WATER: f64 = 1_000.0;

/// A geom as written.
#[derive(Clone, Debug)]
pub(super) struct Geom {
    pub(super) name: Option<String>,
    pub(super) pose: Isometry3<f64>,
    pub(super) form: Form,
    /// Bits of the contacts: `contype` and `conaffinity`.
    pub(super) bits: [i64; 2],
    pub(super) group: f64,
    /// Mass, kg.
    pub(super) mass: Option<f64>,
    /// Density, kg/m³; of a shell, kg/m².
    pub(super) density: f64,
    /// True if the mass is on the surface.
    pub(super) is_shell: bool,
    pub(super) friction: f64,
    /// Number of dimensions of the contact forces: 1 without friction, 3, 4 with torsional and 6 with rolling friction.
    pub(super) dimensions: f64,
    /// Priority of the geom's contact settings over those of the other geom.
    pub(super) priority: f64,
    pub(super) rgba: Option<[f64; 4]>,
    pub(super) material: Option<Attribute>,
    pub(super) span: Span,
}

/// Shape of a geom, with half sizes as in MuJoCo, m.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// Plane with half sizes along x and y; zero is infinite.
    Plane([f64; 2]),
    Sphere(f64),
    /// Radius and half height.
    Capsule([f64; 2]),
    Ellipsoid([f64; 3]),
    /// Radius and half height.
    Cylinder([f64; 2]),
    Box([f64; 3]),
    /// Name of the mesh.
    Mesh(Attribute),
    /// Name of the height field.
    Field(Attribute),
}

/// Reads a geom with the attributes of its class.
pub(super) fn read(
    element: &Element,
    settings: &Settings,
    problems: &mut Problems,
) -> Option<Geom> {
    fields::check(element, KNOWN, problems);
    let kind = fields::word(element, "type", TYPES, problems);
    let mut at = pose(element, settings, problems);
    let half = from_to(element, &mut at, problems);
    let form = match kind.unwrap_or("sphere") {
        "hfield" => {
            let field = fields::needed(element, "hfield", "hills", problems)?;
            Form::Field(field.clone())
        }
        kind => form(element, kind, half, problems)?,
    };
    let bits = Bounds::within(2_147_483_648.0);
    let bits = ["contype", "conaffinity"].map(|name| {
        let bits = fields::number(element, name, bits, problems).unwrap_or(1.0);
        #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
        let bits = bits as i64;
        bits
    });
    let friction = Bounds::between(0.0, 1e6);
    let friction = fields::numbers(element, "friction", [1, 3], friction, problems);
    let mass = Bounds::between(0.0, 1e9);
    Some(Geom {
        name: fields::name(element, "name", problems),
        pose: at,
        form,
        bits,
        group: fields::number(element, "group", Bounds::within(1e6), problems).unwrap_or(0.0),
        mass: fields::number(element, "mass", mass, problems),
        density: fields::number(element, "density", mass, problems).unwrap_or(WATER),
        is_shell: fields::flag(element, "shellinertia", problems).unwrap_or(false),
        friction: friction.and_then(|all| all.first().copied()).unwrap_or(1.0),
        dimensions: fields::number(element, "condim", Bounds::between(1.0, 6.0), problems)
            .unwrap_or(3.0),
        priority: fields::number(element, "priority", Bounds::within(1e9), problems).unwrap_or(0.0),
        rgba: fields::array(element, "rgba", super::looks::COLOR, problems),
        material: element.attribute("material").cloned(),
        span: element.span,
    })
}

/// Sets the pose from the ends of `fromto`, and returns half of their distance.
fn from_to(element: &Element, pose: &mut Isometry3<f64>, problems: &mut Problems) -> Option<f64> {
    let [a, b, c, d, e, f] = fields::array(element, "fromto", fields::POSITION, problems)?;
    let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, e, f));
    *pose = Isometry3::from_parts(((from + to) / 2.0).into(), turned_z(from - to));
    Some((from - to).norm() / 2.0)
}

fn form(element: &Element, kind: &str, half: Option<f64>, problems: &mut Problems) -> Option<Form> {
    if kind == "sdf" {
        let diagnostic = Diagnostic::warning(codes::IGNORED, "a geom `sdf` is not read")
            .at(element.span, "left out")
            .help("make a mesh of the surface, and use `type=\"mesh\"`");
        problems.push(diagnostic);
        return None;
    }
    if let Some(mesh) = element.attribute("mesh") {
        if kind != "mesh" {
            let message = format!("the {kind} that fits the mesh is replaced by the mesh");
            let diagnostic = Diagnostic::warning(codes::APPROXIMATION, message)
                .at(mesh.span, "primitive shapes are not fitted")
                .help("give the shape a `size`, and remove `mesh`");
            problems.push(diagnostic);
        }
        return Some(Form::Mesh(mesh.clone()));
    }
    if kind == "mesh" {
        fields::needed(element, "mesh", "arm", problems)?;
    }
    let sizes = Bounds::between(0.0, 1e7);
    let written = fields::numbers(element, "size", [0, 3], sizes, problems).unwrap_or_default();
    let size = |index: usize| written.get(index).copied().filter(|size| *size > 0.0);
    if kind == "plane" {
        return Some(Form::Plane([
            size(0).unwrap_or(0.0),
            size(1).unwrap_or(0.0),
        ]));
    }
    let form = (|| {
        Some(match (kind, half) {
            ("capsule", half) => Form::Capsule([size(0)?, half.or(size(1))?]),
            ("cylinder", half) => Form::Cylinder([size(0)?, half.or(size(1))?]),
            ("ellipsoid", Some(half)) => Form::Ellipsoid([size(0)?, size(0)?, half]),
            ("box", Some(half)) => Form::Box([size(0)?, size(0)?, half]),
            ("ellipsoid", None) => Form::Ellipsoid([size(0)?, size(1)?, size(2)?]),
            ("box", None) => Form::Box([size(0)?, size(1)?, size(2)?]),
            _ => Form::Sphere(size(0)?),
        })
    })();
    if form.is_none() {
        let span = element
            .attribute("size")
            .map_or(element.span, |size| size.value_span);
        let example = match kind {
            "sphere" => "0.1",
            "capsule" | "cylinder" => "0.1 0.5",
            _ => "0.1 0.1 0.1",
        };
        let diagnostic =
            Diagnostic::error(codes::MISSING_ATTRIBUTE, format!("the {kind} has no size"))
                .at(span, "too few positive numbers")
                .help(format!(
                    "for example `size=\"{example}\"`: radius and half lengths"
                ));
        problems.push(diagnostic);
    }
    form
}
