//! Start of the servos: power, and the gains of the model information.
use crate::{
    body::{
        primitives::{Kind, Robot},
        robots::NO_ROBOT,
    },
    prelude::*,
};

/// Opens joints by their locators, sets their usual gains, and switches the power of the motors on. Returns the numbers of
/// the joints.
///
/// # Errors
///
/// The robot has no such joint.
pub(super) fn switch_on<'a>(
    context: &mut Context<'_>,
    locators: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<u32>, Status> {
    let mut joints = Vec::new();
    for locator in locators {
        let joint = context.open_primitive(locator)?;
        if let Some(Kind::Joint { gains, .. }) = context.primitive_kind(joint) {
            context.set_joint_gain(Some(joint), gains)?;
        }
        joints.push(joint);
    }
    context.set_motor_power(true);
    Ok(joints)
}

/// Returns the locators of the joints whose names in the model are selected, in the order of the primitives.
pub(super) fn locators(
    context: &mut Context<'_>,
    is_selected: impl Fn(&str) -> bool,
) -> Vec<&'static str> {
    let joints = robot(context)
        .primitives
        .iter()
        .filter(|primitive| match primitive.kind {
            Kind::Joint { name, .. } => is_selected(name),
            _ => false,
        });
    joints.map(|primitive| primitive.locator).collect()
}

/// Returns the robot.
pub(super) fn robot(context: &mut Context<'_>) -> &'static Robot {
    let robot = context.platform(|platform| platform.robot());
    robot.unwrap_or(&NO_ROBOT)
}

/// Returns the status of a step that may have failed.
pub(super) fn status(result: Result<(), Status>) -> Status {
    result.err().unwrap_or(Status::SUCCESS)
}
