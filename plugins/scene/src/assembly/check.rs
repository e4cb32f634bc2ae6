//! Checks of an assembly's settings against its scene.

use nalgebra::Vector3;

use super::{Assembly, BodySettings, JointSettings};
use crate::diagnostic::{Diagnostic, printable};

/// The errors of an assembly, or its warnings where there is none.
pub(super) fn check(assembly: &Assembly) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let mut found = Vec::new();
    if let Some(cycle) = assembly.scene.cycle() {
        let names = printable(&cycle.join(" → "));
        found.push(Diagnostic::error(
            "scene::cycle",
            format!("frames hang on each other: {names}"),
        ));
    }
    for (name, body) in &assembly.bodies {
        known_frame(assembly, name, "bodies", &mut found);
        body_settings(name, body, &mut found);
    }
    for (path, robot) in &assembly.robots {
        known_frame(assembly, &robot.frame, path, &mut found);
        positive(path, "mass", robot.mass, &mut found);
        let numbers = [
            ("linear_damping", robot.linear_damping),
            ("angular_damping", robot.angular_damping),
        ];
        for (field, value) in numbers {
            not_negative(path, field, value.unwrap_or(0.0), &mut found);
        }
        for area in robot.drag_area.iter().flatten() {
            not_negative(path, "drag_area", *area, &mut found);
        }
    }
    let variables = assembly.scene.variables();
    for (name, joint) in &assembly.joints {
        if !variables.contains(name.as_str()) {
            found.push(unknown("variable", name, variables.iter().copied()));
        }
        joint_settings(name, joint, &mut found);
    }
    if found.iter().any(Diagnostic::is_error) {
        return Err(found);
    }
    Ok(found)
}

fn known_frame(assembly: &Assembly, name: &str, whose: &str, found: &mut Vec<Diagnostic>) {
    if assembly.scene.frame(name).is_none() {
        let known = assembly
            .scene
            .frames()
            .iter()
            .map(|frame| frame.name.as_str());
        found.push(unknown("frame", name, known).note(format!("named by `{}`", printable(whose))));
    }
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let message = format!("the scene has no {what} `{}`", printable(name));
    Diagnostic::error("scene::unknown-name", message).suggest(name, known)
}

fn body_settings(name: &str, body: &BodySettings, found: &mut Vec<Diagnostic>) {
    positive(name, "mass", body.mass, found);
    let numbers = [
        ("friction", body.friction.unwrap_or(0.0)),
        ("restitution", body.restitution.unwrap_or(0.0)),
        ("linear_damping", body.linear_damping),
        ("angular_damping", body.angular_damping),
    ];
    for (field, value) in numbers {
        not_negative(name, field, value, found);
    }
    for area in &body.drag_area {
        not_negative(name, "drag_area", *area, found);
    }
    let velocities = [
        ("linear_velocity", body.linear_velocity),
        ("angular_velocity", body.angular_velocity),
    ];
    for (field, value) in velocities {
        finite(name, field, &value, found);
    }
}

fn joint_settings(name: &str, joint: &JointSettings, found: &mut Vec<Diagnostic>) {
    let numbers = [
        ("stiffness", joint.stiffness),
        ("damping", joint.damping),
        ("max_effort", joint.max_effort),
    ];
    for (field, value) in numbers {
        not_negative(name, field, value.unwrap_or(0.0), found);
    }
    finite(name, "position", &Vector3::repeat(joint.position), found);
}

fn positive(name: &str, field: &str, value: Option<f64>, found: &mut Vec<Diagnostic>) {
    if value.is_some_and(|value| !value.is_finite() || value <= 0.0) {
        found.push(wrong(name, field, "must be a number above zero"));
    }
}

fn not_negative(name: &str, field: &str, value: f64, found: &mut Vec<Diagnostic>) {
    if value.is_nan() || value < 0.0 {
        found.push(wrong(name, field, "must be a number that is not negative"));
    }
}

fn finite(name: &str, field: &str, value: &Vector3<f64>, found: &mut Vec<Diagnostic>) {
    if value.iter().any(|part| !part.is_finite()) {
        found.push(wrong(name, field, "must be finite"));
    }
}

fn wrong(name: &str, field: &str, what: &str) -> Diagnostic {
    let message = format!("`{field}` of `{}` {what}", printable(name));
    Diagnostic::error("scene::bad-value", message)
}
