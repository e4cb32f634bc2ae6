//! Checks of an assembly's settings against its scene.

use morse_api::joint::JointTarget;
use morse_api::range::ValueRange;
use morse_diagnostics::{Diagnostic, printable};

use super::{Assembly, BodySettings, JointSettings, RobotBase};
use crate::{
    bounds::Bounds,
    model::Violation,
    ranges::{self, Number, violation},
};

/// Maximum number of out-of-range values in the scene that are reported.
const MOST_VIOLATIONS: usize = 100;

/// Checks an assembly. Returns its warnings, or its errors if there are any.
pub(super) fn check(assembly: &Assembly) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    if let Some(cycle) = assembly.scene.cycle() {
        let names = printable(&cycle.join(" → "));
        diagnostics.push(Diagnostic::error(
            "scene::cycle",
            format!("the parents of frames form a cycle: {names}"),
        ));
    }
    let violations = assembly.scene.violations(MOST_VIOLATIONS);
    diagnostics.extend(violations.iter().map(out_of_range));
    for (name, body) in &assembly.bodies {
        known_frame(assembly, name, "bodies", &mut diagnostics);
        body_settings(name, body, &mut diagnostics);
    }
    for (path, robot) in &assembly.robots {
        known_frame(assembly, &robot.frame, path, &mut diagnostics);
        robot_base(path, robot, &mut diagnostics);
    }
    let variables = assembly.scene.variables();
    for (name, joint) in &assembly.joints {
        if !variables.contains(name.as_str()) {
            diagnostics.push(unknown("variable", name, variables.iter().copied()));
        }
        joint_settings(name, joint, &mut diagnostics);
    }
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    Ok(diagnostics)
}

fn known_frame(assembly: &Assembly, name: &str, whose: &str, diagnostics: &mut Vec<Diagnostic>) {
    if assembly.scene.frame(name).is_none() {
        let known = assembly
            .scene
            .frames()
            .iter()
            .map(|frame| frame.name.as_str());
        diagnostics
            .push(unknown("frame", name, known).note(format!("named by `{}`", printable(whose))));
    }
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let message = format!("the scene has no {what} `{}`", printable(name));
    Diagnostic::error("scene::unknown-name", message).suggest(name, known)
}

// The patterns have no `..`, so that the compiler requires a check of each new field.
fn body_settings(name: &str, body: &BodySettings, diagnostics: &mut Vec<Diagnostic>) {
    let BodySettings {
        kind: _,
        mass,
        friction,
        restitution,
        linear_velocity,
        angular_velocity,
        linear_damping,
        angular_damping,
        gravity: _,
        locked: _,
        can_sleep: _,
        drag_area,
    } = body;
    let mut check = |field, numbers: &[f64]| within(name, field, numbers, diagnostics);
    check(&ranges::BODY_MASS, mass.as_slice());
    check(&ranges::BODY_FRICTION, friction.as_slice());
    check(&ranges::RESTITUTION, restitution.as_slice());
    check(&ranges::BODY_LINEAR, linear_velocity.as_slice());
    check(&ranges::BODY_ANGULAR, angular_velocity.as_slice());
    check(&ranges::BODY_LINEAR_DAMPING, &[*linear_damping]);
    check(&ranges::BODY_ANGULAR_DAMPING, &[*angular_damping]);
    check(&ranges::BODY_DRAG, drag_area.as_slice());
}

fn robot_base(path: &str, robot: &RobotBase, diagnostics: &mut Vec<Diagnostic>) {
    let RobotBase {
        frame: _,
        kind: _,
        is_ground_robot: _,
        mass,
        friction,
        gravity: _,
        locked: _,
        linear_damping,
        angular_damping,
        drag_area,
    } = robot;
    let mut check = |field, numbers: &[f64]| within(path, field, numbers, diagnostics);
    check(&ranges::ROBOT_MASS, mass.as_slice());
    check(&ranges::ROBOT_FRICTION, friction.as_slice());
    check(&ranges::ROBOT_LINEAR_DAMPING, linear_damping.as_slice());
    check(&ranges::ROBOT_ANGULAR_DAMPING, angular_damping.as_slice());
    let areas = drag_area.iter().flatten().copied();
    check(&ranges::ROBOT_DRAG, &areas.collect::<Vec<f64>>());
}

fn joint_settings(name: &str, joint: &JointSettings, diagnostics: &mut Vec<Diagnostic>) {
    let JointSettings {
        mode: _,
        position,
        target,
        stiffness,
        damping,
        max_effort,
        gravity_compensation: _,
        interpolate: _,
        armature,
        dry_friction,
    } = joint;
    let mut check = |field, numbers: &[f64]| within(name, field, numbers, diagnostics);
    check(&ranges::JOINT_POSITION, &[*position]);
    check(&ranges::JOINT_STIFFNESS, stiffness.as_slice());
    check(&ranges::JOINT_DAMPING, damping.as_slice());
    check(&ranges::JOINT_EFFORT, max_effort.as_slice());
    check(&ranges::JOINT_ARMATURE, armature.as_slice());
    check(&ranges::JOINT_FRICTION, dry_friction.as_slice());
    match target {
        JointTarget::Velocity(velocity) => check(&ranges::JOINT_VELOCITY, &[*velocity]),
        JointTarget::Position(position) | JointTarget::Jump(position) => {
            check(&ranges::JOINT_POSITION, &[*position]);
        }
        JointTarget::Free => {}
        JointTarget::Effort(effort) => check(&ranges::JOINT_EFFORT, &[effort.abs()]),
        JointTarget::Impedance(target) => {
            check(&ranges::JOINT_POSITION, &[target.position]);
            check(&ranges::JOINT_VELOCITY, &[target.velocity]);
            check(&ranges::JOINT_STIFFNESS, &[target.stiffness]);
            check(&ranges::JOINT_DAMPING, &[target.damping]);
            check(&ranges::JOINT_EFFORT, &[target.effort.abs()]);
        }
    }
}

fn within(of: &str, field: &Number, numbers: &[f64], diagnostics: &mut Vec<Diagnostic>) {
    if let Some(number) = field.bounds.violation(numbers) {
        let path = format!("{of}.{}", field.name());
        diagnostics.extend(violation(field, &path, number));
    }
}

fn out_of_range(violation: &Violation<'_>) -> Diagnostic {
    let Violation {
        frame,
        attribute,
        number,
        source,
    } = violation;
    let (name, number) = (attribute.name, ValueRange::shown(*number));
    let range = attribute.bounds.unwrap_or(Bounds::ANY);
    let frame = printable(frame);
    let message = format!("`{name}` of `{frame}` must be {range}, not {number}");
    let error = Diagnostic::error("scene::out-of-range", message);
    match source.0 {
        Some(span) => error.at(span, "declared here"),
        None => error,
    }
}
