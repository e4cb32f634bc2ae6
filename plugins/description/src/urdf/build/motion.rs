//! Conversion of joints with one axis, and of mimic joints.

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::model::{self, Frame, JointAxis, Limits, rotation_from_xyzw};
use nalgebra::Vector3;

use crate::{
    problems::Problems,
    urdf::{
        codes,
        robot::{Joint, Kind},
        tree::{Follower, Tree},
    },
};

/// Minimum magnitude of the ratio of a mimic joint; a smaller one counts as zero.
const SMALLEST_RATIO: f64 = 1e-6;

/// Sets the joint of a frame.
pub(super) fn moves(joint: &Joint, tree: &Tree<'_>, frame: &mut Frame, problems: &mut Problems) {
    let axis = JointAxis {
        limits: Limits {
            position: joint
                .limit
                .position
                .filter(|_| joint.kind != Kind::Continuous),
            velocity: joint.limit.velocity,
            effort: joint.limit.effort,
        },
        damping: joint.damping,
        dry_friction: joint.friction,
        ..JointAxis::new(joint.axis.into(), &*joint.name.text)
    };
    let Some(follower) = tree.followers.get(joint.name.text.as_str()) else {
        frame.joint = kind(joint, axis);
        return;
    };
    let ratio = follower.multiplier.abs();
    if ratio < SMALLEST_RATIO {
        stand(joint, follower.offset, frame);
        return;
    }
    let offset = follower.offset / follower.multiplier;
    let axis = JointAxis {
        axis: axis.axis * follower.multiplier.signum(),
        variable: follower.leader.name.text.clone(),
        offset,
        ratio: Some(ratio).filter(|ratio| *ratio != 1.0),
        limits: Limits {
            position: axis.limits.position.and_then(|own| {
                let ends = own.map(|end| end / follower.multiplier - offset);
                let [lower, upper] = ends;
                within(
                    joint,
                    follower,
                    [lower.min(upper), lower.max(upper)],
                    problems,
                )
            }),
            velocity: axis.limits.velocity.map(|velocity| velocity / ratio),
            // The leader's motor moves both joints.
            effort: None,
        },
        // Damping as it acts on the leader.
        damping: axis.damping.map(|damping| damping * ratio * ratio),
        dry_friction: axis.dry_friction.map(|friction| friction * ratio),
        ..axis
    };
    frame.joint = kind(joint, axis);
}

fn kind(joint: &Joint, axis: JointAxis) -> model::Joint {
    match joint.kind {
        Kind::Prismatic => model::Joint::Prismatic(axis),
        _ => model::Joint::Revolute(axis),
    }
}

/// Fixes a mimic joint with a ratio of zero at its offset.
fn stand(joint: &Joint, offset: f64, frame: &mut Frame) {
    if joint.kind == Kind::Prismatic {
        let along = frame.pose.rotation * joint.axis;
        frame.pose.translation.vector += along * offset;
        return;
    }
    let (sin, cos) = libm::sincos(offset / 2.0);
    let axis = joint.axis * sin;
    if let Some(turn) = rotation_from_xyzw([axis.x, axis.y, axis.z, cos]) {
        frame.pose *= turn;
    }
}

/// Returns the limits of a mimic joint as positions of its leader, unless they leave the leader no range.
fn within(
    joint: &Joint,
    follower: &Follower<'_>,
    own: [f64; 2],
    problems: &mut Problems,
) -> Option<[f64; 2]> {
    let leader = follower.leader;
    let limited = leader
        .limit
        .position
        .filter(|_| leader.kind != Kind::Continuous);
    let Some([lower, upper]) = limited else {
        return Some(own);
    };
    let slack = 1e-3 * (upper - lower).abs();
    if own[0] <= lower + slack && own[1] >= upper - slack {
        // The leader's own limits are narrower.
        return None;
    }
    let room = own[1].min(upper) - own[0].max(lower);
    if room > 0.0 {
        return Some(own);
    }
    let [name, of] = [&joint.name.text, &leader.name.text].map(|name| printable(name));
    let message = format!("`{name}` cannot follow `{of}` within its limits");
    let diagnostic = Diagnostic::warning(codes::MIMIC_LIMITS, message)
        .at(joint.name.span, "these limits are ignored")
        .note(format!(
            "for `{of}` they are {:.4} to {:.4}, and its own are {lower:.4} to {upper:.4}",
            own[0], own[1]
        ))
        .help("change the limits, or `multiplier` and `offset` of `<mimic>`");
    problems.push(diagnostic);
    None
}

/// Returns two axes of the plane in which a planar joint moves, with their letters.
pub(super) fn plane(joint: &Joint) -> [(char, Vector3<f64>); 2] {
    let normal = joint.axis;
    // Along x or y of the joint if the normal is z.
    let least = if normal.x.abs() <= normal.z.abs() {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let one = (least - normal * normal.dot(&least)).normalize();
    [('x', one), ('y', normal.cross(&one))]
}
