//! Reader of `<geometry>`, and of the surfaces of collisions.

use morse_diagnostics::{Diagnostic, Span, nearest, printable};
use morse_scene::{bounds::Bounds, model::Shape};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::{
    codes,
    fields::{self, SIZE, Written},
    ignored::Said,
    walls::{self, Walls},
};
use crate::{
    outline::{self, MOST_POINTS},
    problems::Problems,
    shapes::{self, INFINITE, THICKNESS},
    xml::Element,
};

/// Shape of a visual or collision.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// A primitive shape, with its pose.
    Shape(Shape, Isometry3<f64>),
    /// A prism, and the maximum number of its convex parts.
    Prism(Shape, Option<f64>),
    /// A mesh file, with scale factors along its axes, its pose, and the maximum number of its convex parts.
    Mesh(Written, [f64; 3], Isometry3<f64>, Option<f64>),
    /// Walls where an image is dark.
    Walls(Walls),
}

/// Maximum number of convex parts by default, as in SDF.
const MOST_PARTS: f64 = 16.0;

/// Shapes that the simulator lacks, with the remedies.
const LACKING: [(&str, &str); 1] = [("voxels", "make a mesh of the voxels")];

/// Reads the shape of a visual or collision.
pub(super) fn read(element: &Element, problems: &mut Problems, said: &mut Said) -> Option<Form> {
    let example = "<geometry><sphere><radius>0.1</radius></sphere></geometry>";
    let geometry = fields::needed(element, "geometry", example, problems)?;
    let is_drawn = element.name == "visual";
    let Some(shape) = geometry.elements().next() else {
        let diagnostic = Diagnostic::warning(codes::MISSING_ELEMENT, "`<geometry>` has no shape")
            .at(geometry.span, "left out")
            .help(format!("for example `{example}`"));
        problems.push(diagnostic);
        return None;
    };
    if let Some((name, help)) = LACKING.iter().find(|(name, _)| *name == shape.name) {
        said.approximate(
            &format!("a geometry `<{name}>` is not read"),
            shape.span,
            help,
            problems,
        );
        return None;
    }
    match shape.name.as_str() {
        "plane" => plane(shape, is_drawn, problems),
        "mesh" => mesh(shape, problems, said),
        "heightmap" => heightmap(shape, problems, said),
        "polyline" => polyline(geometry, problems),
        "image" => walls::read(shape, problems).map(Form::Walls),
        _ => primitive(shape, problems),
    }
}

/// Reads a primitive shape. Unknown shapes are reported with all unknown elements.
fn primitive(shape: &Element, problems: &mut Problems) -> Option<Form> {
    let here = Isometry3::identity();
    let mut size = |name: &'static str, example: &str| {
        let example = format!("<{name}>{example}</{name}>");
        fields::needed(shape, name, &example, problems)?;
        fields::number(shape, name, SIZE, problems)
    };
    Some(match shape.name.as_str() {
        "sphere" => {
            let radius = size("radius", "0.1")?;
            Form::Shape(Shape::Sphere { radius }, here)
        }
        "cylinder" | "capsule" | "cone" => {
            let (radius, height) = (size("radius", "0.1"), size("length", "0.5"));
            let (radius, height) = (radius?, height?);
            let own = match shape.name.as_str() {
                "cylinder" => Shape::Cylinder { radius, height },
                "capsule" => Shape::Capsule { radius, height },
                _ => Shape::Cone {
                    start_radius: radius,
                    end_radius: 0.0,
                    height,
                },
            };
            Form::Shape(own, lift(-height / 2.0))
        }
        "box" => {
            fields::needed(shape, "size", "<size>1 1 1</size>", problems)?;
            let dimension = fields::array(shape, "size", SIZE, problems)?;
            Form::Shape(Shape::Box { dimension }, here)
        }
        "ellipsoid" => {
            fields::needed(shape, "radii", "<radii>0.3 0.2 0.1</radii>", problems)?;
            let radii = fields::array(shape, "radii", SIZE, problems)?;
            Form::Shape(shapes::ellipsoid(radii), here)
        }
        _ => return None,
    })
}

fn lift(height: f64) -> Isometry3<f64> {
    Isometry3::translation(0.0, 0.0, height)
}

/// Returns a box with its upper side in the plane. Collisions of planes are infinite, whatever their size.
fn plane(shape: &Element, is_drawn: bool, problems: &mut Problems) -> Option<Form> {
    let bounds = Bounds::between(0.0, 1e7);
    let size = fields::array::<2>(shape, "size", bounds, problems);
    let normal = fields::array::<3>(shape, "normal", fields::POSITION, problems);
    let normal = Vector3::from(normal.unwrap_or([0.0, 0.0, 1.0]));
    if normal.norm() <= 0.0 {
        let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, "the normal of a plane is zero")
            .at(shape.span, "no direction")
            .help("for example `<normal>0 0 1</normal>`");
        problems.push(diagnostic);
        return None;
    }
    let [x, y] = size.unwrap_or([1.0, 1.0]).map(|side| match is_drawn {
        true => side.max(1e-3),
        false => side.max(INFINITE),
    });
    let dimension = [x, y, THICKNESS];
    let turn = Isometry3::from_parts(nalgebra::Translation3::identity(), shapes::turned_z(normal));
    Some(Form::Shape(
        Shape::Box { dimension },
        turn * lift(-THICKNESS / 2.0),
    ))
}

/// Returns the prism over the outlines of a geometry, whose base is at z = 0, as in Gazebo.
fn polyline(geometry: &Element, problems: &mut Problems) -> Option<Form> {
    let mut outlines = Vec::new();
    let mut height: Option<f64> = None;
    let mut count = 0;
    for line in geometry.named("polyline") {
        fields::needed(line, "height", "<height>0.5</height>", problems)?;
        let own = fields::number(line, "height", SIZE, problems)?;
        height = Some(height.map_or(own, |known| known.max(own)));
        let mut outline = Vec::new();
        for point in line.named("point") {
            let numbers = fields::numbers(point, [2, 2], fields::POSITION, problems)?;
            outline.extend(<[f64; 2]>::try_from(numbers));
        }
        count += outline.len();
        outlines.push(outline);
    }
    if count > MOST_POINTS {
        let message = format!("the outlines have {count} points, more than {MOST_POINTS}");
        let diagnostic = Diagnostic::error(codes::TOO_LARGE, message)
            .at(geometry.span, "too many")
            .help("leave out points, or make a mesh of the prism");
        problems.push(diagnostic);
        return None;
    }
    let height = height.filter(|height| *height > 0.0)?;
    let Some(prism) = outline::prism(&outlines, height) else {
        let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, "a polyline encloses no area")
            .at(
                geometry.span,
                "its points are on a line, or fewer than three",
            )
            .help("for example `<point>0 0</point><point>1 0</point><point>0 1</point>`");
        problems.push(diagnostic);
        return None;
    };
    let most_parts = (!prism.is_convex).then_some(MOST_PARTS);
    Some(Form::Prism(prism.shape, most_parts))
}

/// Returns a height map: the mesh of its image. Heights are fractions of the largest value that the image could have.
fn heightmap(shape: &Element, problems: &mut Problems, said: &mut Said) -> Option<Form> {
    let uri = fields::needed(shape, "uri", "<uri>hills.png</uri>", problems)?;
    let uri = fields::written(uri);
    if !uri.text.to_ascii_lowercase().ends_with(".png") {
        let help = "convert it to a PNG image whose grey values are the heights";
        let message = "a height map that is no PNG image is not read";
        said.approximate(message, uri.span, help, problems);
        return None;
    }
    let size = fields::array::<3>(shape, "size", SIZE, problems).unwrap_or([1.0; 3]);
    let at = fields::array::<3>(shape, "pos", fields::POSITION, problems).unwrap_or_default();
    let pose = Isometry3::from_parts(Vector3::from(at).into(), UnitQuaternion::identity());
    Some(Form::Mesh(uri, size, pose, None))
}

fn mesh(shape: &Element, problems: &mut Problems, said: &mut Said) -> Option<Form> {
    let uri = fields::needed(shape, "uri", "<uri>meshes/arm.stl</uri>", problems)?;
    let uri = fields::written(uri);
    let bounds = Bounds::within(1e6);
    let scale = fields::array::<3>(shape, "scale", bounds, problems).unwrap_or([1.0; 3]);
    if scale.iter().any(|factor| factor.abs() < 1e-9) {
        let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, "a factor of the scale is zero")
            .at(shape.span, "the mesh has no volume")
            .help("for example `<scale>0.001 0.001 0.001</scale>`");
        problems.push(diagnostic);
        return None;
    }
    if let Some(submesh) = shape.named("submesh").next() {
        said.approximate(
            "a submesh is not separated from its mesh",
            submesh.span,
            "the whole mesh is used: write the part into a file of its own",
            problems,
        );
    }
    let most_parts = convex_parts(shape, problems);
    Some(Form::Mesh(uri, scale, Isometry3::identity(), most_parts))
}

/// Reads the maximum number of convex parts of a mesh; `None` if it is not divided.
fn convex_parts(shape: &Element, problems: &mut Problems) -> Option<f64> {
    let written = shape.attribute("optimization")?;
    match written.value.trim() {
        "convex_decomposition" => {}
        "" | "convex_hull" => return None,
        other => {
            let known = ["convex_decomposition", "convex_hull"];
            let message = format!("there is no optimization `{}`", printable(other));
            let diagnostic = Diagnostic::warning(codes::BAD_WORD, message)
                .at(written.span, "left out")
                .help(match nearest(other, known) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("write `{}` or `{}`", known[0], known[1]),
                });
            problems.push(diagnostic);
            return None;
        }
    }
    let settings = shape.named("convex_decomposition").next();
    let bounds = Bounds::between(1.0, 1024.0);
    let most = settings.and_then(|all| fields::number(all, "max_convex_hulls", bounds, problems));
    Some(most.unwrap_or(MOST_PARTS))
}

/// Contact properties of a collision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface {
    pub(super) friction: f64,
    /// Source position of a coefficient of friction in the second direction that differs from the first.
    pub(super) second_friction: Option<Span>,
    pub(super) restitution: Option<f64>,
    /// Bits of which two collisions share one, to collide.
    pub(super) bits: u32,
    /// Density for masses that are computed, kg/m³.
    pub(super) density: Option<f64>,
}

/// Reads the surface of a collision.
pub(super) fn surface(element: &Element, problems: &mut Problems) -> Surface {
    let mut properties = Surface {
        friction: 1.0,
        second_friction: None,
        restitution: None,
        bits: u32::MAX,
        density: fields::number(element, "density", Bounds::between(1e-6, 1e7), problems),
    };
    let Some(surface) = fields::only(element, "surface", problems) else {
        return properties;
    };
    let within = |parents: [&'static str; 2]| {
        let outer = surface.named(parents[0]).next()?;
        outer.named(parents[1]).next()
    };
    let bounds = Bounds::between(0.0, f64::MAX);
    let ode = within(["friction", "ode"]);
    let ode = ode.and_then(|ode| fields::number(ode, "mu", bounds, problems));
    let second = within(["friction", "ode"]).and_then(|ode| ode.named("mu2").next());
    let bullet = within(["friction", "bullet"]);
    let bullet = bullet.and_then(|all| fields::number(all, "friction", bounds, problems));
    // Large coefficients of files stand for infinity.
    properties.friction = ode.or(bullet).unwrap_or(1.0).min(1e6);
    properties.second_friction = second
        .filter(|second| {
            let number: Option<f64> = second.text().trim().parse().ok();
            number.is_some_and(|number| number.min(1e6) != properties.friction)
        })
        .map(|second| second.span);
    let bounce = surface.named("bounce").next();
    let unit = Bounds::between(0.0, 1.0);
    properties.restitution =
        bounce.and_then(|bounce| fields::number(bounce, "restitution_coefficient", unit, problems));
    let contact = surface.named("contact").next();
    let mask = contact.and_then(|contact| contact.named("collide_bitmask").next());
    if let Some(mask) = mask {
        properties.bits = bits(mask, problems).unwrap_or(u32::MAX);
    }
    properties
}

/// Reads a mask, decimal or hexadecimal.
fn bits(element: &Element, problems: &mut Problems) -> Option<u32> {
    let written = fields::written(element);
    let hexadecimal = written.text.strip_prefix("0x");
    let read = match hexadecimal {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => written.text.parse(),
    };
    if read.is_err() {
        problems.push(not_a_mask(written.span));
    }
    read.ok()
}

fn not_a_mask(span: Span) -> Diagnostic {
    Diagnostic::error(codes::BAD_NUMBER, "this is no mask of bits")
        .at(span, "expected an integer from 0 to 4294967295")
        .help("for example `<collide_bitmask>0x01</collide_bitmask>`")
}
