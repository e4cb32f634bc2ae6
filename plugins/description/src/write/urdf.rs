//! URDF: links and joints side by side, with one root.
use morse_scene::{
    assembly::WORLD,
    model::{Geometry, ImageFile, Shape},
};
use nalgebra::Isometry3;

use super::{
    Context, Inertial,
    links::{Axis, Link, Links, Motion},
    markup::{Markup, number, numbers, origin, six},
};

/// Mesh formats that tools for URDF read.
const MESHES: [&str; 4] = ["stl", "dae", "obj", "glb"];

/// Limit of a joint without one: the format demands numbers.
const UNLIMITED: f64 = 1e9;

/// Returns the text of a description.
pub(super) fn text(links: &Links<'_>, context: &mut Context<'_>) -> String {
    let mut markup = Markup::new();
    markup.open("robot", &[("name", context.name.to_owned())]);
    // A root link is free, unless its name is `world`: a floating one needs no joint.
    let is_root = |link: &Link<'_>| {
        links.has_one_root
            && link.parent.is_none()
            && link.pose == Isometry3::identity()
            && (matches!(link.motion, Motion::Fixed)
                || matches!(link.motion, Motion::Floating) && link.name != WORLD)
    };
    let world = (!links.links.iter().any(is_root)).then(|| links.world_name());
    if let Some(world) = &world {
        markup.empty("link", &[("name", world.clone())]);
    }
    for link in &links.links {
        write_link(&mut markup, link, context);
        let parent = link.parent.and_then(|parent| links.links.get(parent));
        let parent = parent.map(|parent| &parent.name).or(world.as_ref());
        if let Some(parent) = parent {
            joint(&mut markup, link, parent, context);
        }
    }
    for closure in context.scene.closures() {
        let name = closure.frames.join(" to ");
        context.losses.note("URDF has no closed loops", &name);
    }
    for (one, other) in context.scene.allowed_collisions() {
        let pair = format!("{one} and {other}");
        context
            .losses
            .note("URDF has no allowed contacts (MoveIt's SRDF has)", &pair);
    }
    markup.finish()
}

fn write_link(markup: &mut Markup, link: &Link<'_>, context: &mut Context<'_>) {
    let name = &link.name;
    let attributes = [("name", name.clone())];
    if link.inertial.is_none() && link.geometry.is_empty() {
        markup.empty("link", &attributes);
        return;
    }
    markup.open("link", &attributes);
    if let Some(inertial) = &link.inertial {
        write_inertial(markup, inertial);
    }
    for (at, geometry) in &link.geometry {
        let shapes = shapes(geometry, name, context);
        for (kind, is_wanted) in [
            ("visual", geometry.visual),
            ("collision", geometry.collision),
        ] {
            for (pose, element, attributes) in shapes.iter().filter(|_| is_wanted) {
                markup.open(kind, &[]);
                write_origin(markup, &(at * pose));
                markup.open("geometry", &[]);
                markup.empty(element, attributes);
                markup.close();
                if kind == "visual" {
                    material(markup, geometry, name, context);
                }
                markup.close();
            }
        }
        if geometry.friction.is_some() || geometry.restitution.is_some() {
            context
                .losses
                .note("URDF has no friction or restitution", name);
        }
        if geometry.checker.is_some() {
            context.losses.note("URDF has no checker patterns", name);
        }
    }
    markup.close();
}

fn write_inertial(markup: &mut Markup, inertial: &Inertial) {
    markup.open("inertial", &[]);
    markup.empty("origin", &[("xyz", numbers(inertial.center.iter()))]);
    markup.empty("mass", &[("value", number(inertial.mass))]);
    let names = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"];
    let values = six(&inertial.inertia);
    let pairs: Vec<_> = names.into_iter().zip(values.map(number)).collect();
    markup.empty("inertia", &pairs);
    markup.close();
}

fn write_origin(markup: &mut Markup, pose: &Isometry3<f64>) {
    let [xyz, rpy] = origin(pose);
    markup.empty("origin", &[("xyz", xyz), ("rpy", rpy)]);
}

/// A shape of the format, with its pose in the link.
type Element = (Isometry3<f64>, &'static str, Vec<(&'static str, String)>);

/// Returns the shapes that make up a geometry.
fn shapes(geometry: &Geometry, frame: &str, context: &mut Context<'_>) -> Vec<Element> {
    let Some(shape) = geometry
        .shape
        .scaled(geometry.scale, |mesh| Some(mesh.clone()))
    else {
        return Vec::new();
    };
    let here = Isometry3::identity();
    let up = |z: f64| Isometry3::translation(0.0, 0.0, z);
    let sphere = |z: f64, radius: f64| (up(z), "sphere", vec![("radius", number(radius))]);
    let cylinder = |radius: f64, height: f64| {
        let size = vec![("radius", number(radius)), ("length", number(height.abs()))];
        (up(height / 2.0), "cylinder", size)
    };
    match shape {
        Shape::Box { dimension } => vec![(here, "box", vec![("size", numbers(&dimension))])],
        Shape::Sphere { radius } => vec![sphere(0.0, radius)],
        Shape::Cylinder { radius, height } => vec![cylinder(radius, height)],
        // URDF has no capsules: a cylinder and two spheres are one.
        Shape::Capsule { radius, height } => vec![
            cylinder(radius, height),
            sphere(0.0, radius),
            sphere(height, radius),
        ],
        Shape::Cone {
            start_radius,
            end_radius,
            height,
        } => {
            let name = context.cone(frame, [start_radius, end_radius], height);
            let mesh = name.map(|name| (here, "mesh", vec![("filename", name)]));
            mesh.into_iter().collect()
        }
        Shape::Grid { .. } => {
            context.losses.note("URDF has no grids of lines", frame);
            Vec::new()
        }
        Shape::Mesh(mesh) => {
            let written = context.mesh(frame, (&mesh, geometry.scale), &MESHES);
            let mesh = written.map(|(name, factors)| {
                let attributes = vec![("filename", name), ("scale", numbers(&factors))];
                (here, "mesh", attributes)
            });
            mesh.into_iter().collect()
        }
    }
}

fn material(markup: &mut Markup, geometry: &Geometry, frame: &str, context: &mut Context<'_>) {
    let [red, green, blue] = geometry.color;
    markup.open("material", &[("name", String::new())]);
    markup.empty(
        "color",
        &[("rgba", numbers(&[red, green, blue, geometry.alpha]))],
    );
    if let Some(ImageFile {
        resolved: Some(file),
        ..
    }) = &geometry.image
    {
        if let Some(name) = context.assets.image(file) {
            markup.empty("texture", &[("filename", name)]);
        } else {
            let property = "an image has to be copied beside the description";
            context.losses.note(property, frame);
        }
    }
    markup.close();
}

fn joint(markup: &mut Markup, link: &Link<'_>, parent: &str, context: &mut Context<'_>) {
    let (kind, axis) = match &link.motion {
        Motion::Fixed => ("fixed", None),
        Motion::Floating => ("floating", None),
        Motion::Revolute(axis) if axis.limits.is_none() => ("continuous", Some(axis)),
        Motion::Revolute(axis) => ("revolute", Some(axis)),
        Motion::Prismatic(axis) => ("prismatic", Some(axis)),
    };
    markup.open(
        "joint",
        &[("name", link.joint.clone()), ("type", kind.to_owned())],
    );
    markup.empty("parent", &[("link", parent.to_owned())]);
    markup.empty("child", &[("link", link.name.clone())]);
    write_origin(markup, &link.pose);
    if let Some(axis) = axis {
        write_axis(markup, axis, kind);
        if axis.armature.is_some() {
            context
                .losses
                .note("URDF has no inertia of rotors (`armature`)", &link.joint);
        }
    }
    markup.close();
}

fn write_axis(markup: &mut Markup, axis: &Axis, kind: &str) {
    markup.empty("axis", &[("xyz", numbers(axis.axis.iter()))]);
    let mut limit = Vec::new();
    if kind != "continuous" {
        let [lower, upper] = axis.limits.unwrap_or([-UNLIMITED, UNLIMITED]);
        limit.extend([("lower", number(lower)), ("upper", number(upper))]);
    }
    if kind != "continuous" || axis.effort.is_some() || axis.velocity.is_some() {
        limit.extend([
            ("effort", number(axis.effort.unwrap_or(UNLIMITED))),
            ("velocity", number(axis.velocity.unwrap_or(UNLIMITED))),
        ]);
        markup.empty("limit", &limit);
    }
    if axis.damping.is_some() || axis.friction.is_some() {
        let dynamics = [("damping", axis.damping), ("friction", axis.friction)];
        let dynamics = dynamics.map(|(name, value)| (name, number(value.unwrap_or(0.0))));
        markup.empty("dynamics", &dynamics);
    }
    if let Some(mimic) = &axis.mimic {
        let attributes = [
            ("joint", mimic.joint.clone()),
            ("multiplier", number(mimic.multiplier)),
            ("offset", number(mimic.offset)),
        ];
        markup.empty("mimic", &attributes);
    }
}
