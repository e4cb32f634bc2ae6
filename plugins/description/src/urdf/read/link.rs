//! Reader of links: mass, visuals and collisions.

use morse_diagnostics::Diagnostic;
use morse_scene::{
    bounds::Bounds,
    model::{Attribute, MeshFile, Shape},
};
use nalgebra::{Isometry3, Translation3};

use crate::{
    problems::Problems,
    shapes,
    urdf::{
        codes,
        fields::{Fields, POSITION},
        robot::{Inertial, Link, Piece},
    },
    xml::Element,
};

/// Range of sizes, m.
const SIZE: Bounds = Bounds::zero_or(1e-6, 1e7);

/// Range of the scales of meshes; a negative scale mirrors.
const SCALE: Bounds = Bounds::within(1e6).no_smaller_than(1e-6);

/// Range of moments and products of inertia, kg·m².
const MOMENT: Bounds = Bounds::within(1e15);

/// A shape with its pose, and the scale of a mesh along each axis.
type Shaped = (Shape, Isometry3<f64>, [f64; 3]);

pub(super) fn link(element: &Element, problems: &mut Problems) -> Option<Link> {
    let known = [
        "inertial",
        "visual",
        "collision",
        "contact",
        "self_collision_checking",
        "sensor",
    ];
    let mut fields = Fields::new(element, &["name", "type"], &known, problems);
    let name = fields.name("name", "base_link");
    let inertial = fields.only("inertial");
    let contact = fields.only("contact");
    let inertial = inertial.and_then(|element| read_inertial(element, problems));
    let contact = contact.map_or([None; 2], |element| read_contact(element, problems));
    let mut pieces = Vec::new();
    for child in element.elements() {
        if ["visual", "collision"].contains(&child.name.as_str()) {
            pieces.extend(piece(child, problems));
        }
    }
    Some(Link {
        name: name?,
        inertial,
        pieces,
        contact,
    })
}

fn read_inertial(element: &Element, problems: &mut Problems) -> Option<Inertial> {
    let mut fields = Fields::new(element, &[], &["origin", "mass", "inertia"], problems);
    let origin = fields.origin();
    let mass = fields.needed("mass", "<mass value=\"1.5\"/>");
    let inertia = fields.only("inertia");
    if inertia.is_none() && mass.is_some() {
        let message = "`<inertial>` has no `<inertia>`";
        let diagnostic = Diagnostic::warning(codes::MISSING_ELEMENT, message)
            .at(element.span, "`<inertia>` is missing")
            .note("the inertia of a sphere with a radius of 5 cm is used")
            .help(
                "add it: `<inertia ixx=\"…\" ixy=\"0\" ixz=\"0\" iyy=\"…\" iyz=\"0\" izz=\"…\"/>`",
            );
        fields.problems.push(diagnostic);
    }
    let range = Attribute::find("mass").and_then(|mass| mass.bounds);
    let range = range.unwrap_or(Bounds::ANY);
    let mass = mass.and_then(|element| {
        let mut fields = Fields::new(element, &["value"], &[], problems);
        fields.needed_number("value", range, "1.5")
    });
    let inertia = inertia.and_then(|element| {
        let names = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"];
        let mut fields = Fields::new(element, &names, &[], problems);
        let mut moments = [0.0; 6];
        for (moment, name) in moments.iter_mut().zip(names) {
            // Products of inertia are optional and zero by default.
            *moment = match name.ends_with(['x', 'y', 'z']) && name.get(1..2) == name.get(2..3) {
                true => fields.needed_number(name, MOMENT, "0.01")?,
                false => fields.number(name, MOMENT).unwrap_or(0.0),
            };
        }
        Some(moments)
    });
    Some(Inertial {
        mass: mass?,
        origin,
        inertia,
        span: element.span,
    })
}

/// Reads friction and restitution, in Bullet's form.
fn read_contact(element: &Element, problems: &mut Problems) -> [Option<f64>; 2] {
    ["lateral_friction", "restitution"].map(|name| {
        let child = element.elements().find(|child| child.name == name)?;
        let mut fields = Fields::new(child, &["value"], &[], problems);
        let most = if name == "restitution" { 1.0 } else { 1e6 };
        fields.number("value", Bounds::between(0.0, most))
    })
}

fn piece(element: &Element, problems: &mut Problems) -> Option<Piece> {
    let is_visual = element.name == "visual";
    let known = ["origin", "geometry", "material", "verbose", "name"];
    let mut fields = Fields::new(element, &["name", "group", "concave"], &known, problems);
    let origin = fields.origin();
    let geometry = fields.needed("geometry", "<geometry><box size=\"1 1 1\"/></geometry>");
    let material = fields.only("material");
    let material = material.map(|element| super::material(element, problems));
    let geometry = geometry?;
    let (shape, pose, scale) = read_shape(geometry, problems)?;
    let file = geometry
        .elements()
        .find_map(|shape| shape.attribute("filename"));
    Some(Piece {
        is_visual,
        origin: origin * pose,
        shape,
        scale,
        material,
        span: element.span,
        file: file.map_or(element.span, |file| file.value_span),
    })
}

/// Reads a shape. Returns it with its pose in the description's frame, and the scale of a mesh. The description centres
/// cylinders and capsules on their origin; in a scene they stand on it.
fn read_shape(element: &Element, problems: &mut Problems) -> Option<Shaped> {
    const SHAPES: &[&str] = &["box", "cylinder", "sphere", "mesh", "capsule", "plane"];
    let fields = Fields::new(element, &[], SHAPES, problems);
    let mut shapes = element.elements();
    let Some(shape) = shapes.find(|child| SHAPES.contains(&child.name.as_str())) else {
        // Bullet, for which some files are written, leaves it out, too.
        let diagnostic = Diagnostic::warning(codes::MISSING_ELEMENT, "`<geometry>` has no shape")
            .at(element.span, "left out: nothing in it can be drawn or touched")
            .help("add one of `<box size=\"1 1 1\"/>`, `<cylinder radius=\"0.1\" length=\"1\"/>`, `<sphere radius=\"0.1\"/>`, `<mesh filename=\"a.stl\"/>`");
        fields.problems.push(diagnostic);
        return None;
    };
    let attributes: &[&str] = match shape.name.as_str() {
        "box" => &["size"],
        "sphere" => &["radius"],
        "mesh" => &["filename", "scale"],
        "plane" => &["normal"],
        _ => &["radius", "length"],
    };
    let mut fields = Fields::new(shape, attributes, &[], fields.problems);
    let (here, plain) = (Isometry3::identity(), [1.0; 3]);
    Some(match shape.name.as_str() {
        "box" => {
            fields.attribute("size", "1 1 1")?;
            let dimension = fields.numbers("size", SIZE)?;
            (Shape::Box { dimension }, here, plain)
        }
        "sphere" => {
            let radius = fields.needed_number("radius", SIZE, "0.1")?;
            (Shape::Sphere { radius }, here, plain)
        }
        "mesh" => read_mesh(&mut fields)?,
        "plane" => {
            // In Bullet's form: the plane through the origin with this normal.
            let normal = fields
                .numbers::<3>("normal", POSITION)
                .unwrap_or([0.0, 0.0, 1.0]);
            let dimension = [shapes::INFINITE, shapes::INFINITE, shapes::THICKNESS];
            let turn = shapes::turned_z(normal.into());
            let below = Isometry3::translation(0.0, 0.0, -shapes::THICKNESS / 2.0);
            let pose = Isometry3::from_parts(Translation3::identity(), turn) * below;
            (Shape::Box { dimension }, pose, plain)
        }
        kind => {
            let radius = fields.needed_number("radius", SIZE, "0.1");
            let height = fields.needed_number("length", SIZE, "1")?;
            let radius = radius?;
            let shape = match kind {
                "capsule" => Shape::Capsule { radius, height },
                _ => Shape::Cylinder { radius, height },
            };
            (
                shape,
                Isometry3::translation(0.0, 0.0, -height / 2.0),
                plain,
            )
        }
    })
}

/// Reads a mesh, whose file is resolved later.
fn read_mesh(fields: &mut Fields<'_, '_>) -> Option<Shaped> {
    let file = fields.name("filename", "package://robot/meshes/arm.stl")?;
    let written = fields.element.attribute("scale");
    let scale = match written {
        Some(scale) if scale.value.split_whitespace().count() == 1 => {
            [fields.number("scale", SCALE)?; 3]
        }
        Some(_) => fields.numbers("scale", SCALE)?,
        None => [1.0; 3],
    };
    if scale.contains(&0.0) {
        let message = "the scale of a mesh must not be zero";
        let span = written.map_or(fields.element.span, |scale| scale.value_span);
        let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, message)
            .at(span, "zero")
            .help("its size in metres is `scale=\"1 1 1\"`, from millimetres `scale=\"0.001 0.001 0.001\"`");
        fields.problems.push(diagnostic);
        return None;
    }
    let resolved = std::path::PathBuf::new();
    let file = file.text;
    let shape = Shape::Mesh(MeshFile { file, resolved });
    Some((shape, Isometry3::identity(), scale))
}
