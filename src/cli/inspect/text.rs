//! A scene as text for people.
use std::{collections::BTreeMap, io::Write};

use morse_diagnostics::printable;
use morse_scene::model::{Frame, Geometry, Joint, Scene, Shape};
use nalgebra::Isometry3;

/// Writes the scene as text: a tree of frames, then variables and allowed pairs.
pub(super) fn text(
    scene: &Scene,
    values: Option<&BTreeMap<String, f64>>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let none = BTreeMap::new();
    let absolute = scene.absolute_poses_at(values.unwrap_or(&none));
    writeln!(out, "frames: {}", scene.frames().len())?;
    let mut depths: BTreeMap<&str, usize> = BTreeMap::new();
    for frame in tree(scene) {
        let parent = scene.parent_of(frame);
        let depth = parent.map_or(0, |parent| {
            depths
                .get(parent.name.as_str())
                .map_or(0, |depth| depth + 1)
        });
        depths.insert(&frame.name, depth);
        let indent = " ".repeat(2 * depth.min(20) + 2);
        writeln!(
            out,
            "{indent}{}{}",
            printable(&frame.name),
            joint_text(frame)
        )?;
        if frame.parent.is_some() && parent.is_none() {
            let missing = printable(frame.parent.as_deref().unwrap_or_default());
            writeln!(out, "{indent}    parent    {missing} (missing)")?;
        }
        writeln!(out, "{indent}    local     {}", pose_text(&frame.pose))?;
        if let Some(pose) = absolute.get(frame.name.as_str()) {
            writeln!(out, "{indent}    absolute  {}", pose_text(pose))?;
        }
        if let Some(mass) = frame.mass {
            writeln!(out, "{indent}    mass      {}", number(mass))?;
        }
        for geometry in &frame.geometry {
            writeln!(out, "{indent}    geometry  {}", geometry_text(geometry))?;
        }
    }
    let variables = scene.variables();
    writeln!(out, "variables: {}", variables.len())?;
    for variable in variables {
        let value = values.and_then(|values| values.get(variable));
        let value = value.copied().unwrap_or(0.0);
        writeln!(out, "  {} = {}", printable(variable), number(value))?;
    }
    let pairs = scene.allowed_collisions();
    writeln!(out, "allowed collisions: {}", pairs.len())?;
    for (one, other) in pairs {
        writeln!(out, "  {}, {}", printable(one), printable(other))?;
    }
    for closure in scene.closures() {
        let [one, other] = [0, 1].map(|index| printable(&closure.frames[index]));
        writeln!(out, "{}: {one}, {other}", closure.kind.word())?;
    }
    Ok(())
}

/// Returns the frames with their children below them, by name.
fn tree(scene: &Scene) -> Vec<&Frame> {
    let mut children: BTreeMap<Option<&str>, Vec<&Frame>> = BTreeMap::new();
    for frame in scene.parents_first().into_iter().rev() {
        let parent = scene.parent_of(frame).map(|parent| parent.name.as_str());
        children.entry(parent).or_default().push(frame);
    }
    let mut pending = children.remove(&None).unwrap_or_default();
    pending.sort_by(|one, other| other.name.cmp(&one.name));
    let mut frames = Vec::new();
    while let Some(frame) = pending.pop() {
        frames.push(frame);
        let mut below = children
            .remove(&Some(frame.name.as_str()))
            .unwrap_or_default();
        below.sort_by(|one, other| other.name.cmp(&one.name));
        pending.extend(below);
    }
    frames
}

fn joint_text(frame: &Frame) -> String {
    let Some(joint) = frame.joint.axis() else {
        return match frame.joint {
            Joint::Floating => " (floating)".into(),
            _ => String::new(),
        };
    };
    let mut text = format!(
        " ({} about {}",
        frame.joint.word(),
        vector(joint.axis.as_slice())
    );
    if matches!(frame.joint, Joint::Prismatic(_)) {
        text = text.replacen("about", "along", 1);
    }
    text += &format!(", variable {}", printable(&joint.variable));
    if joint.offset != 0.0 {
        text += &format!(", offset {}", number(joint.offset));
    }
    if let Some([lower, upper]) = joint.limits.position {
        text += &format!(", {} to {}", number(lower), number(upper));
    }
    let rest = [
        ("damping", joint.damping),
        ("dry friction", joint.dry_friction),
        ("armature", joint.armature),
        ("gear", joint.gear),
        ("ratio", joint.ratio),
    ];
    for (name, value) in rest {
        if let Some(value) = value {
            text += &format!(", {name} {}", number(value));
        }
    }
    text + ")"
}

pub(super) fn pose_text(pose: &Isometry3<f64>) -> String {
    let translation = vector(pose.translation.vector.as_slice());
    let rotation = vector(pose.rotation.coords.as_slice());
    format!("t {translation}  q {rotation}")
}

fn geometry_text(geometry: &Geometry) -> String {
    let mut text = match &geometry.shape {
        Shape::Box { dimension } => format!("box {}", vector(dimension)),
        Shape::Sphere { radius } => format!("sphere, radius {}", number(*radius)),
        Shape::Cylinder { radius, height } | Shape::Capsule { radius, height } => {
            let (radius, height) = (number(*radius), number(*height));
            format!(
                "{}, radius {radius}, height {height}",
                geometry.shape.word()
            )
        }
        Shape::Cone {
            start_radius,
            end_radius,
            height,
        } => {
            let (start, end) = (number(*start_radius), number(*end_radius));
            format!("cone, radius {start} to {end}, height {}", number(*height))
        }
        Shape::Grid { dimension, .. } => format!("grid {}", vector(dimension)),
        Shape::Mesh(mesh) => format!("mesh {}", printable(&mesh.file)),
    };
    if geometry.scale != 1.0 {
        text += &format!(", scale {}", number(geometry.scale));
    }
    if !geometry.visual {
        text += ", not drawn";
    }
    if !geometry.collision {
        text += ", not touchable";
    }
    if !geometry.tags.is_empty() {
        let tags: Vec<String> = geometry.tags.iter().map(|tag| printable(tag)).collect();
        text += &format!(", isa {}", tags.join(" "));
    }
    text
}

pub(super) fn vector(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().copied().map(number).collect();
    format!("[{}]", numbers.join(", "))
}

/// Formats six decimals, without trailing zeros, and without a negative zero.
pub(super) fn number(value: f64) -> String {
    if value.abs() >= 1e9 {
        return format!("{value:e}");
    }
    let digits = format!("{value:.6}");
    let text = digits.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}
