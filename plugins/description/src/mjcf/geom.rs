//! Geoms: shapes with appearance, mass and collision filter.
use std::f64::consts::PI;

use morse_diagnostics::Diagnostic;
use morse_scene::model::{Frame, Geometry, MeshFile, Origin, Shape, stretch};
use morse_scene::shipped::Shipped;
use nalgebra::{Isometry3, Vector3};

use super::{
    assets::Library,
    codes,
    compiler::{Compiler, from_z, shift},
    item::Item,
    values,
};
use crate::{problems::Problems, urdf::Assets};

pub(super) const ATTRIBUTES: &[&str] = &[
    "type",
    "pos",
    "quat",
    "axisangle",
    "euler",
    "xyaxes",
    "zaxis",
    "fromto",
    "size",
    "rgba",
    "material",
    "mesh",
    "friction",
    "mass",
    "density",
    "contype",
    "conaffinity",
    "group",
];

/// Attributes of MuJoCo's solver, of its fluids and of its viewer.
pub(super) const WITHOUT_EFFECT: &[&str] = &[
    "condim",
    "priority",
    "solmix",
    "solref",
    "solimp",
    "margin",
    "gap",
    "fluidshape",
    "fluidcoef",
    "user",
    "shellinertia",
    "hfield",
    "fitscale",
];

/// Density of geoms without a mass, kg/m³.
const DENSITY: f64 = 1000.0;

/// Least mass of a geom that counts, kg.
const LIGHTEST: f64 = 1e-9;

/// First of the groups that MuJoCo's viewer hides.
const HIDDEN: f64 = 3.0;

/// Half side of a plane without a size, m, and thickness of planes, m.
const PLANE: [f64; 2] = [100.0, 0.2];

/// Mesh of a sphere with radius 1, for ellipsoids.
const SPHERE: &str = "meshes/sphere.obj";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plane,
    Sphere,
    Capsule,
    Ellipsoid,
    Cylinder,
    Box,
    Mesh,
    /// A type that is not read.
    Other,
}

const KINDS: [(&str, Kind); 9] = [
    ("plane", Kind::Plane),
    ("sphere", Kind::Sphere),
    ("capsule", Kind::Capsule),
    ("ellipsoid", Kind::Ellipsoid),
    ("cylinder", Kind::Cylinder),
    ("box", Kind::Box),
    ("mesh", Kind::Mesh),
    ("hfield", Kind::Other),
    ("sdf", Kind::Other),
];

/// Collision filter: two geoms collide if a type of one is among the affinities of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter {
    kind: u32,
    affinity: u32,
}

impl Filter {
    pub(super) fn collides(self, other: Self) -> bool {
        self.kind & other.affinity != 0 || other.kind & self.affinity != 0
    }

    fn is_any(self) -> bool {
        self.kind != 0 || self.affinity != 0
    }
}

/// A geom as a frame that is fixed to its body.
pub(super) struct Geom {
    pub(super) frame: Frame,
    /// `None` without collisions.
    pub(super) filter: Option<Filter>,
}

/// A shape, its pose in the geom, and its volume (m³) and moments of inertia per mass (m²) about its centre.
struct Form {
    shape: Shape,
    pose: Isometry3<f64>,
    /// Centre of mass in the shape's frame, m.
    center: Vector3<f64>,
    /// `None` for meshes, whose mass the physics computes.
    mass: Option<(f64, [f64; 3])>,
}

/// Common parts of reading geoms.
pub(super) struct Context<'a, 'f> {
    pub(super) library: &'a Library,
    pub(super) compiler: &'a Compiler,
    pub(super) assets: &'a mut Assets<'f>,
    pub(super) problems: &'a mut Problems,
}

/// Reads a geom; `placed` is the pose of its parent element in the body, and `weighs` is true if it contributes to the mass of
/// its body.
pub(super) fn geom(
    item: &Item<'_, '_>,
    (name, body): (String, Option<&str>),
    (placed, weighs): (&Isometry3<f64>, bool),
    context: &mut Context<'_, '_>,
) -> Option<Geom> {
    let filter = filter(item, context.problems);
    let (form, pose) = form(item, filter.is_any(), context)?;
    let group = item.number("group", context.problems).unwrap_or(0.0);
    let mut geometry = Geometry::new(form.shape);
    geometry.source = Origin(Some(item.span()));
    geometry.collision = filter.is_any();
    geometry.visual = group < HIDDEN;
    let friction = item.numbers("friction", 1..=3, context.problems);
    geometry.friction = friction.and_then(|all| all.first().copied());
    context.library.paint(item, &mut geometry, context.problems);
    let mut frame = Frame::new(name);
    frame.parent = body.map(ToOwned::to_owned);
    frame.pose = placed * pose * form.pose;
    frame.source = Origin(Some(item.span()));
    let [least, most] = context.compiler.inertia_groups;
    let weighs = weighs && (least..=most).contains(&group);
    weigh(
        item,
        weighs,
        (form.mass, form.center),
        &mut frame,
        &mut geometry,
        context.problems,
    );
    frame.geometry.push(geometry);
    Some(Geom {
        frame,
        filter: Some(filter).filter(|filter| filter.is_any()),
    })
}

/// Sets the mass of a geom's frame.
fn weigh(
    item: &Item<'_, '_>,
    weighs: bool,
    (known, center): (Option<(f64, [f64; 3])>, Vector3<f64>),
    frame: &mut Frame,
    geometry: &mut Geometry,
    problems: &mut Problems,
) {
    let mass = item.number("mass", problems);
    let density = item.number("density", problems).unwrap_or(DENSITY);
    if !weighs {
        frame.mass = Some(0.0);
        return;
    }
    let Some((volume, moments)) = known else {
        match mass {
            Some(mass) => frame.mass = Some(mass),
            None => geometry.density = Some(density),
        }
        return;
    };
    let mass = mass.unwrap_or(density * volume);
    // Lighter bodies are not simulated.
    let mass = if mass < LIGHTEST { 0.0 } else { mass };
    let [x, y, z] = moments.map(|moment| moment * mass);
    frame.mass = Some(mass);
    frame.center_of_mass = Some(center);
    frame.inertia = (mass > 0.0).then_some([x, y, z, 0.0, 0.0, 0.0]);
}

fn filter(item: &Item<'_, '_>, problems: &mut Problems) -> Filter {
    let mut bits = |name: &str| {
        let number = item.number(name, problems).unwrap_or(1.0);
        number as i64 as u32
    };
    Filter {
        kind: bits("contype"),
        affinity: bits("conaffinity"),
    }
}

/// Returns the shape of a geom, and its pose.
fn form(
    item: &Item<'_, '_>,
    needed: bool,
    context: &mut Context<'_, '_>,
) -> Option<(Form, Isometry3<f64>)> {
    let problems = &mut *context.problems;
    let usual = match item.attribute("mesh") {
        // A geom with a mesh and no type is one.
        Some(_) if item.attribute("type").is_none() => Kind::Mesh,
        _ => Kind::Sphere,
    };
    let kind = item.word("type", &KINDS, problems).unwrap_or(usual);
    let mut pose = item.pose(context.compiler, problems);
    let mut size = item.numbers("size", 1..=3, problems).unwrap_or_default();
    if let Some(ends) = item.numbers("fromto", 6..=6, problems)
        && [Kind::Capsule, Kind::Cylinder, Kind::Box, Kind::Ellipsoid].contains(&kind)
    {
        let half = between(&ends, &mut pose);
        match kind {
            Kind::Capsule | Kind::Cylinder => size = vec![*size.first()?, half],
            _ => size = vec![*size.first()?, *size.get(1).or(size.first())?, half],
        }
    }
    let form = match kind {
        Kind::Mesh => {
            let (shape, in_geom) = context.library.shape(item, needed, context.assets, problems)?;
            Form {
                shape,
                pose: in_geom,
                center: Vector3::zeros(),
                mass: None,
            }
        }
        Kind::Other => {
            let word = item.text("type").unwrap_or_default();
            let problem = Diagnostic::warning(codes::NOT_TAKEN, format!("`{word}` is not read"));
            problems.push(
                problem
                    .at(item.span(), "this geom is left out")
                    .help("use a mesh or a primitive shape"),
            );
            return None;
        }
        _ => primitive(kind, &size).or_else(|| {
            let message = "the `size` of this geom is incomplete, or not positive";
            let span = item.attribute("size").map_or(item.span(), |size| size.value_span);
            let problem = Diagnostic::error(codes::BAD_NUMBER, message).at(span, "this size");
            problems.push(problem.help(
                "half sizes: a radius for spheres; radius and half length for capsules and cylinders; three for boxes and ellipsoids",
            ));
            None
        })?,
    };
    Some((form, pose))
}

/// Sets a pose to the middle of two points, with z from the second to the first one as in MuJoCo. Returns half the distance.
fn between(ends: &[f64], pose: &mut Isometry3<f64>) -> f64 {
    let point = |from: usize| Vector3::new(ends[from], ends[from + 1], ends[from + 2]);
    let (from, to) = (point(0), point(3));
    pose.translation.vector = (from + to) / 2.0;
    pose.rotation = from_z(from - to).unwrap_or_default();
    (from - to).norm() / 2.0
}

fn primitive(kind: Kind, size: &[f64]) -> Option<Form> {
    let positive = |at: usize| size.get(at).copied().filter(|size| *size > 0.0);
    let square = |number: f64| number * number;
    Some(match kind {
        Kind::Plane => plane(positive(0), positive(1)),
        Kind::Sphere => {
            let radius = positive(0)?;
            let volume = 4.0 / 3.0 * PI * radius.powi(3);
            centred(
                Shape::Sphere { radius },
                (volume, [0.4 * square(radius); 3]),
            )
        }
        Kind::Box => {
            let half = [positive(0)?, positive(1)?, positive(2)?];
            let [x, y, z] = half.map(square);
            let moments = [y + z, x + z, x + y].map(|sum| sum / 3.0);
            let dimension = half.map(|half| 2.0 * half);
            centred(
                Shape::Box { dimension },
                (dimension.iter().product(), moments),
            )
        }
        Kind::Cylinder => {
            let (radius, half) = (positive(0)?, positive(1)?);
            let across = square(radius) / 4.0 + square(half) / 3.0;
            let moments = [across, across, square(radius) / 2.0];
            let height = 2.0 * half;
            along(
                Shape::Cylinder { radius, height },
                half,
                (PI * square(radius) * height, moments),
            )
        }
        Kind::Capsule => {
            let (radius, half) = (
                positive(0)?,
                size.get(1).copied().filter(|half| *half >= 0.0)?,
            );
            let height = 2.0 * half;
            along(
                Shape::Capsule { radius, height },
                half,
                capsule(radius, half),
            )
        }
        Kind::Ellipsoid => ellipsoid([positive(0)?, positive(1)?, positive(2)?]),
        Kind::Mesh | Kind::Other => return None,
    })
}

/// Returns a shape that is centred on the geom.
fn centred(shape: Shape, mass: (f64, [f64; 3])) -> Form {
    Form {
        shape,
        pose: Isometry3::identity(),
        center: Vector3::zeros(),
        mass: Some(mass),
    }
}

/// Returns a plane, by its half sides: a box below it.
fn plane(x: Option<f64>, y: Option<f64>) -> Form {
    let [x, y] = [x, y].map(|half| half.unwrap_or(PLANE[0]));
    let shape = Shape::Box {
        dimension: [2.0 * x, 2.0 * y, PLANE[1]],
    };
    Form {
        pose: shift(Vector3::new(0.0, 0.0, -PLANE[1] / 2.0)),
        ..centred(shape, (0.0, [0.0; 3]))
    }
}

/// Returns an ellipsoid, by its half axes: a stretched mesh.
fn ellipsoid(half: [f64; 3]) -> Form {
    let [x, y, z] = half.map(|half| half * half);
    let moments = [y + z, x + z, x + y].map(|sum| sum / 5.0);
    let shape = Shape::Mesh(MeshFile {
        file: SPHERE.to_owned(),
        resolved: stretch(&Shipped::path(SPHERE), half),
    });
    let volume = 4.0 / 3.0 * PI * half.iter().product::<f64>();
    centred(shape, (volume, moments))
}

/// Returns a shape that begins at z = 0 in its own frame and is centred on the geom.
fn along(shape: Shape, half: f64, mass: (f64, [f64; 3])) -> Form {
    Form {
        shape,
        pose: shift(Vector3::new(0.0, 0.0, -half)),
        center: Vector3::new(0.0, 0.0, half),
        mass: Some(mass),
    }
}

/// Returns volume and moments per mass of a capsule: a cylinder and two half spheres, whose centres of mass are 3/8 of the
/// radius away from their flat sides.
fn capsule(radius: f64, half: f64) -> (f64, [f64; 3]) {
    let square = |number: f64| number * number;
    let tube = PI * square(radius) * 2.0 * half;
    let caps = 4.0 / 3.0 * PI * radius.powi(3);
    let volume = tube + caps;
    let axial = tube * square(radius) / 2.0 + caps * 0.4 * square(radius);
    let caps_across = 0.4 * square(radius) + square(half) + 0.75 * half * radius;
    let across = tube * (square(radius) / 4.0 + square(half) / 3.0) + caps * caps_across;
    (volume, [across / volume, across / volume, axial / volume])
}

/// Returns true if an attribute is present and true.
pub(super) fn is_true(item: &Item<'_, '_>, name: &str, problems: &mut Problems) -> bool {
    let attribute = item.attribute(name);
    attribute
        .and_then(|attribute| values::truth(attribute, problems))
        .unwrap_or(false)
}
