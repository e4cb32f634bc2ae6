//! Joints of a PR2 as one flat record, with the names of the ROS drivers of that robot.
use std::collections::BTreeMap;

use morse_api::{
    dynamic::DynamicValue,
    reading::{Reading, SensorInfo},
};

use crate::python::{write_name, write_number};

/// Joints of the torso, the head and the scanner.
const BODY: [&str; 5] = [
    "torso_lift_joint",
    "torso_lift_motor_screw_joint",
    "head_pan_joint",
    "head_tilt_joint",
    "laser_tilt_mount_joint",
];
/// Joints of each arm, after `r_` and `l_`.
const ARM: [&str; 14] = [
    "upper_arm_roll_joint",
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "forearm_roll_joint",
    "elbow_flex_joint",
    "wrist_flex_joint",
    "wrist_roll_joint",
    "gripper_joint",
    "gripper_l_finger_joint",
    "gripper_r_finger_joint",
    "gripper_r_finger_tip_joint",
    "gripper_l_finger_tip_joint",
    "gripper_motor_screw_joint",
    "gripper_motor_slider_joint",
];
/// Joints of each caster, after `fl_`, `fr_`, `bl_` and `br_`.
const CASTER: [&str; 3] = [
    "caster_rotation_joint",
    "caster_l_wheel_joint",
    "caster_r_wheel_joint",
];

/// Returns a line with the time and all 45 joints.
pub(crate) fn record(info: &SensorInfo, reading: &Reading) -> Vec<u8> {
    let mut measured = BTreeMap::new();
    collect(
        &DynamicValue::of_data(&info.fields, reading.data()),
        &mut measured,
    );
    let mut line = b"{".to_vec();
    write_name(&mut line, 0, "timestamp");
    write_number(&mut line, reading.seconds());
    for name in joints() {
        write_name(&mut line, 1, &name);
        write_number(&mut line, measured.get(&name).copied().unwrap_or(0.0));
    }
    line.extend(b"}\n");
    line
}

/// Returns the names of all joints, in the order of the robot's drivers.
fn joints() -> impl Iterator<Item = String> {
    let with = |sides: &'static [&str], names: &'static [&str]| {
        let of = move |side: &&str| {
            names
                .iter()
                .map(move |name| (*side).to_owned() + name)
                .collect::<Vec<_>>()
        };
        sides.iter().flat_map(of)
    };
    with(&["fl_", "fr_", "bl_", "br_"], &CASTER)
        .chain(with(&[""], &BODY))
        .chain(with(&["r_", "l_"], &ARM))
}

/// Collects the positions of joints in a reading: from named fields, from two lists, or from nested readings.
fn collect(dynamic: &DynamicValue, joints: &mut BTreeMap<String, f64>) {
    let DynamicValue::Map(fields) = dynamic else {
        return;
    };
    let field = |wanted: &str| {
        fields
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value)
    };
    if let (Some(DynamicValue::List(names)), Some(DynamicValue::Numbers(positions))) =
        (field("names"), field("positions"))
    {
        for (name, position) in names.iter().zip(positions) {
            if let DynamicValue::Text(name) = name {
                joints.insert(name.clone(), *position);
            }
        }
    }
    for (name, value) in fields {
        match value {
            DynamicValue::Number(position) => {
                joints.insert(name.clone(), *position);
            }
            inner => collect(inner, joints),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_joints_have_names_of_their_own() {
        let names: std::collections::BTreeSet<String> = joints().collect();
        assert_eq!((names.len(), joints().count()), (45, 45));
    }

    #[test]
    fn positions_are_collected_in_every_form() {
        let text = |text: &str| DynamicValue::Text(text.to_owned());
        let map = |entries: &[(&str, DynamicValue)]| {
            DynamicValue::Map(
                entries
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), value.clone()))
                    .collect(),
            )
        };
        let lists = map(&[
            ("names", DynamicValue::List(vec![text("a"), text("b")])),
            ("positions", DynamicValue::Numbers(vec![1.0, 2.0])),
            ("velocities", DynamicValue::Numbers(vec![7.0, 7.0])),
        ]);
        let both = map(&[
            ("robot.arm", map(&[("c", DynamicValue::Number(3.0))])),
            ("robot.joints", lists),
        ]);
        let mut joints = BTreeMap::new();
        collect(&both, &mut joints);
        let expected = [("a", 1.0), ("b", 2.0), ("c", 3.0)];
        assert!(
            joints
                .iter()
                .map(|(name, position)| (name.as_str(), *position))
                .eq(expected)
        );
    }
}
