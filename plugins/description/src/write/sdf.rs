//! SDF 1.11: a model with links, frames and joints side by side.
use morse_scene::model::{ClosureKind, DEFAULT_FRICTION, Geometry, Shape};
use nalgebra::Isometry3;

use super::{
    CLOSURE_OF_MERGED, Context, Inertial,
    links::{Axis, Link, Links, Motion},
    markup::{Markup, number, numbers, origin, six},
};

/// Mesh formats that Gazebo reads.
const MESHES: [&str; 4] = ["stl", "dae", "obj", "glb"];

/// Mass (kg) and moments of inertia (kg·m²) of links without a mass, which would have 1 kg otherwise.
const LEAST: [f64; 2] = [1e-6, 1e-9];

/// Returns the text of a model.
pub(super) fn text(links: &Links<'_>, context: &mut Context<'_>) -> String {
    let mut markup = Markup::new();
    markup.open("sdf", &[("version", "1.11".to_owned())]);
    let mut attributes = vec![("name", context.name.to_owned())];
    // Frames without a link are attached to the canonical link, by default the first one, which may move.
    let anchor = links
        .links
        .iter()
        .find(|link| !is_frame(link) && is_still(links, link));
    let first = links.links.iter().find(|link| !is_frame(link));
    let is_other = |link: &&Link<'_>| first.is_some_and(|first| first.name != link.name);
    let canonical = anchor.filter(is_other).map(|link| link.name.clone());
    attributes.extend(canonical.map(|name| ("canonical_link", name)));
    markup.open("model", &attributes);
    let mut motions = links.links.iter().map(|link| &link.motion);
    let has_free = motions.any(|motion| matches!(motion, Motion::Floating));
    for link in &links.links {
        let parent = link.parent.and_then(|parent| links.links.get(parent));
        let parent = parent.map(|parent| parent.name.as_str());
        let is_first = links.has_one_root && parent.is_none();
        let has_anchor = anchor.is_some() || !is_still(links, link);
        if is_frame(link) && !is_first && has_anchor {
            frame(&mut markup, link, parent);
        } else {
            let collides = has_free && touches_others(links, link);
            write_link(&mut markup, link, parent, collides, context);
            let is_free = is_first && matches!(link.motion, Motion::Fixed);
            if !is_free && !matches!(link.motion, Motion::Floating) {
                let is_held = !stands_in_the_world(links, link);
                let holder = parent.filter(|_| is_held).unwrap_or("world");
                joint(&mut markup, link, holder, context);
            }
        }
    }
    if links.has_one_root {
        let root = links.links.iter().find(|link| link.parent.is_none());
        if let Some(root) = root.filter(|root| matches!(root.motion, Motion::Fixed)) {
            let text = "the model is free, as robots are; a joint of type `fixed` with the parent `world` fixes it";
            context.losses.note(text, &root.name);
        }
    }
    closures(&mut markup, links, context);
    for (one, other) in context.scene.allowed_collisions() {
        let pair = format!("{one} and {other}");
        context
            .losses
            .note("SDF has no allowed contacts between single links", &pair);
    }
    markup.finish()
}

/// Returns true if a frame need not be a link, which would get a mass of 1 kg.
fn is_frame(link: &Link<'_>) -> bool {
    link.inertial.is_none() && link.geometry.is_empty() && matches!(link.motion, Motion::Fixed)
}

/// Returns true if a link of a scene with free bodies touches other links, which links of one model do not in Gazebo: one of
/// the surroundings or the first one of a free body.
fn touches_others(links: &Links<'_>, link: &Link<'_>) -> bool {
    let mut geometries = link.geometry.iter();
    let is_solid = geometries.any(|(_, geometry)| geometry.collision);
    is_solid && (matches!(link.motion, Motion::Floating) || is_still(links, link))
}

/// Returns true if a link is fixed to the world, with only frames between them.
fn is_still(links: &Links<'_>, link: &Link<'_>) -> bool {
    let is_first = links.has_one_root && link.parent.is_none();
    !is_first && matches!(link.motion, Motion::Fixed) && stands_in_the_world(links, link)
}

/// Returns true if there are only frames between a link and the world. Such frames are attached to the model, which stands for
/// its canonical link in a joint.
fn stands_in_the_world(links: &Links<'_>, link: &Link<'_>) -> bool {
    let mut next = link.parent;
    while let Some(index) = next {
        let above = &links.links[index];
        if !is_frame(above) || (links.has_one_root && above.parent.is_none()) {
            return false;
        }
        next = above.parent;
    }
    true
}

fn frame(markup: &mut Markup, link: &Link<'_>, parent: Option<&str>) {
    let mut attributes = vec![("name", link.name.clone())];
    attributes.extend(parent.map(|parent| ("attached_to", parent.to_owned())));
    markup.open("frame", &attributes);
    pose(markup, &link.pose, None);
    markup.close();
}

fn pose(markup: &mut Markup, pose: &Isometry3<f64>, parent: Option<&str>) {
    let parent: Vec<_> = parent
        .map(|parent| ("relative_to", parent.to_owned()))
        .into_iter()
        .collect();
    markup.text("pose", &parent, &origin(pose).join(" "));
}

fn write_link(
    markup: &mut Markup,
    link: &Link<'_>,
    parent: Option<&str>,
    collides: bool,
    context: &mut Context<'_>,
) {
    let name = &link.name;
    markup.open("link", &[("name", name.clone())]);
    pose(markup, &link.pose, parent);
    if collides {
        markup.text("self_collide", &[], "true");
    }
    match &link.inertial {
        Some(inertial) => write_inertial(markup, inertial),
        None => {
            context
                .losses
                .note("links without a mass get 1e-6 kg", name);
            let least = Inertial {
                mass: LEAST[0],
                center: nalgebra::Vector3::zeros(),
                inertia: nalgebra::Matrix3::identity() * LEAST[1],
            };
            write_inertial(markup, &least);
        }
    }
    let mut count = 0;
    for (at, geometry) in &link.geometry {
        for (kind, is_wanted) in [
            ("visual", geometry.visual),
            ("collision", geometry.collision),
        ] {
            if is_wanted {
                count += 1;
                write_geometry(markup, (at, *geometry), (kind, count), name, context);
            }
        }
    }
    markup.close();
}

fn write_inertial(markup: &mut Markup, inertial: &Inertial) {
    markup.open("inertial", &[]);
    pose(
        markup,
        &Isometry3::from_parts(inertial.center.into(), nalgebra::UnitQuaternion::identity()),
        None,
    );
    markup.text("mass", &[], &number(inertial.mass));
    markup.open("inertia", &[]);
    let names = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"];
    for (name, value) in names.into_iter().zip(six(&inertial.inertia)) {
        markup.text(name, &[], &number(value));
    }
    markup.close();
    markup.close();
}

fn write_geometry(
    markup: &mut Markup,
    (geometry_pose, geometry): (&Isometry3<f64>, &Geometry),
    (kind, count): (&'static str, usize),
    frame: &str,
    context: &mut Context<'_>,
) {
    let Some((at, element, fields)) = shape(geometry, frame, context) else {
        return;
    };
    markup.open(kind, &[("name", format!("{kind}_{count}"))]);
    pose(markup, &(geometry_pose * at), None);
    markup.open("geometry", &[]);
    markup.open(element, &[]);
    for (name, value) in fields {
        markup.text(name, &[], &value);
    }
    markup.close();
    markup.close();
    if kind == "visual" {
        material(markup, geometry, frame, context);
    } else {
        surface(markup, geometry, frame, context);
    }
    markup.close();
}

/// An element of a shape, with its pose in the link and its children.
type Element = (Isometry3<f64>, &'static str, Vec<(&'static str, String)>);

fn shape(geometry: &Geometry, frame: &str, context: &mut Context<'_>) -> Option<Element> {
    let shape = geometry
        .shape
        .scaled(geometry.scale, |mesh| Some(mesh.clone()))?;
    let here = Isometry3::identity();
    let round = |element, radius: f64, height: f64| {
        let size = vec![("radius", number(radius)), ("length", number(height.abs()))];
        Some((
            Isometry3::translation(0.0, 0.0, height / 2.0),
            element,
            size,
        ))
    };
    match shape {
        Shape::Box { dimension } => Some((here, "box", vec![("size", numbers(&dimension))])),
        Shape::Sphere { radius } => Some((here, "sphere", vec![("radius", number(radius))])),
        Shape::Cylinder { radius, height } => round("cylinder", radius, height),
        Shape::Capsule { radius, height } => round("capsule", radius, height),
        Shape::Cone {
            start_radius,
            end_radius,
            height,
        } => {
            let name = context.cone(frame, [start_radius, end_radius], height)?;
            Some((here, "mesh", vec![("uri", name)]))
        }
        Shape::Grid { .. } => {
            context.losses.note("SDF has no grids of lines", frame);
            None
        }
        Shape::Mesh(mesh) => {
            let (name, factors) = context.mesh(frame, (&mesh, geometry.scale), &MESHES)?;
            Some((
                here,
                "mesh",
                vec![("uri", name), ("scale", numbers(&factors))],
            ))
        }
    }
}

fn material(markup: &mut Markup, geometry: &Geometry, frame: &str, context: &mut Context<'_>) {
    if geometry.image.is_some() || geometry.checker.is_some() {
        context
            .losses
            .note("images and patterns on surfaces are not written", frame);
    }
    let [red, green, blue] = geometry.color;
    let color = numbers(&[red, green, blue, 1.0]);
    let [red, green, blue] = geometry.specular;
    markup.open("material", &[]);
    markup.text("ambient", &[], &color);
    markup.text("diffuse", &[], &color);
    markup.text("specular", &[], &numbers(&[red, green, blue, 1.0]));
    if let Some(shininess) = geometry.shininess {
        markup.text("shininess", &[], &number(shininess));
    }
    markup.close();
    if geometry.alpha < 1.0 {
        markup.text("transparency", &[], &number(1.0 - geometry.alpha));
    }
    if geometry.no_shadow {
        markup.text("cast_shadows", &[], "false");
    }
}

fn surface(markup: &mut Markup, geometry: &Geometry, frame: &str, context: &mut Context<'_>) {
    let friction = geometry.friction.unwrap_or(DEFAULT_FRICTION);
    markup.open("surface", &[]);
    markup.open("friction", &[]);
    markup.open("ode", &[]);
    markup.text("mu", &[], &number(friction));
    markup.text("mu2", &[], &number(friction));
    markup.close();
    markup.close();
    if context.frictions_differ && geometry.friction.is_some() {
        let loss = "Gazebo takes the smaller friction of two surfaces, not their mean";
        context.losses.note(loss, frame);
    }
    if let Some(restitution) = geometry.restitution {
        let loss = "Gazebo multiplies the restitutions of two surfaces";
        context.losses.note(loss, frame);
        markup.open("bounce", &[]);
        markup.text("restitution_coefficient", &[], &number(restitution));
        markup.close();
    }
    markup.close();
}

fn joint(markup: &mut Markup, link: &Link<'_>, parent: &str, context: &mut Context<'_>) {
    let (kind, axis) = match &link.motion {
        Motion::Fixed | Motion::Floating => ("fixed", None),
        Motion::Revolute(axis) if axis.limits.is_none() => ("continuous", Some(axis)),
        Motion::Revolute(axis) => ("revolute", Some(axis)),
        Motion::Prismatic(axis) => ("prismatic", Some(axis)),
    };
    markup.open(
        "joint",
        &[("name", link.joint.clone()), ("type", kind.to_owned())],
    );
    markup.text("parent", &[], parent);
    markup.text("child", &[], &link.name);
    if let Some(axis) = axis {
        write_axis(markup, axis);
        if axis.armature.is_some() {
            context
                .losses
                .note("SDF has no inertia of rotors (`armature`)", &link.joint);
        }
    }
    markup.close();
}

fn write_axis(markup: &mut Markup, axis: &Axis) {
    markup.open("axis", &[]);
    markup.text("xyz", &[], &numbers(axis.axis.iter()));
    if let Some(mimic) = &axis.mimic {
        markup.open("mimic", &[("joint", mimic.joint.clone())]);
        markup.text("multiplier", &[], &number(mimic.multiplier));
        markup.text("offset", &[], &number(mimic.offset));
        markup.text("reference", &[], "0");
        markup.close();
    }
    let [lower, upper] = axis.limits.map_or([None; 2], |limits| limits.map(Some));
    let limits = [
        ("lower", lower),
        ("upper", upper),
        ("effort", axis.effort),
        ("velocity", axis.velocity),
    ];
    if limits.iter().any(|(_, value)| value.is_some()) {
        markup.open("limit", &[]);
        for (name, value) in limits {
            if let Some(value) = value {
                markup.text(name, &[], &number(value));
            }
        }
        markup.close();
    }
    if axis.damping.is_some() || axis.friction.is_some() {
        markup.open("dynamics", &[]);
        for (name, value) in [("damping", axis.damping), ("friction", axis.friction)] {
            markup.text(name, &[], &number(value.unwrap_or(0.0)));
        }
        markup.close();
    }
    markup.close();
}

/// Writes joints that close loops: the second frame is their child for the second time.
fn closures(markup: &mut Markup, links: &Links<'_>, context: &mut Context<'_>) {
    for (index, closure) in context.scene.closures().iter().enumerate() {
        let [one, other] = &closure.frames;
        let Some([parent, child]) = links.named([one, other]) else {
            context
                .losses
                .note(CLOSURE_OF_MERGED, &closure.frames.join(" to "));
            continue;
        };
        let kind = match closure.kind {
            ClosureKind::Connect => "ball",
            ClosureKind::Weld => "fixed",
        };
        markup.open(
            "joint",
            &[
                ("name", format!("closure_{index}")),
                ("type", kind.to_owned()),
            ],
        );
        markup.text("parent", &[], &parent);
        markup.text("child", &[], &child);
        markup.close();
    }
}
