//! Reader of joints: type, pose, axis, limits, friction, and mimic joints.

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::bounds::Bounds;
use nalgebra::Vector3;

use crate::{
    problems::Problems,
    urdf::{
        codes,
        fields::Fields,
        robot::{Joint, Kind, Limit, Mimic, Name},
    },
    xml::Element,
};

/// Range of efforts, speeds, dampings and frictions.
const EFFORT: Bounds = Bounds::between(0.0, 1e12);

/// Range of effort and speed limits, where some programs write -1 for unlimited.
const GREATEST: Bounds = Bounds::between(-1e12, f64::MAX);

/// Range of joint positions, rad or m.
const POSITION: Bounds = Bounds::within(FARTHEST);

/// Greatest joint position, rad or m.
const FARTHEST: f64 = 1e9;

pub(super) fn joint(element: &Element, problems: &mut Problems) -> Option<Joint> {
    let known = [
        "origin",
        "parent",
        "child",
        "axis",
        "limit",
        "dynamics",
        "mimic",
        "calibration",
        "safety_controller",
    ];
    let mut fields = Fields::new(element, &["name", "type"], &known, problems);
    let name = fields.name("name", "elbow");
    let kind = kind(&mut fields);
    let origin = fields.origin();
    let parent = fields.needed("parent", "<parent link=\"base_link\"/>");
    let child = fields.needed("child", "<child link=\"arm\"/>");
    let children = ["axis", "limit", "dynamics", "mimic"].map(|name| fields.only(name));
    let [axis, limit, dynamics, mimic] = children;
    let [parent, child] = [parent, child].map(|end| {
        let mut fields = Fields::new(end?, &["link"], &[], problems);
        fields.name("link", "base_link")
    });
    let kind = kind?;
    let name = name?;
    let axis = match axis {
        Some(axis) if kind.has_axis() || kind == Kind::Planar => read_axis(axis, problems)?,
        _ => Vector3::x(),
    };
    let limit = read_limit(kind, &name, limit, problems);
    let [damping, friction] = match dynamics {
        Some(dynamics) => {
            let names = ["damping", "friction"];
            // Bullet and Gazebo define two further ones, which no other program reads.
            let known = [
                "damping",
                "friction",
                "spring_stiffness",
                "spring_reference",
            ];
            let mut fields = Fields::new(dynamics, &known, &[], problems);
            names.map(|name| fields.number(name, EFFORT))
        }
        None => [None; 2],
    };
    let mimic = mimic.and_then(|mimic| read_mimic(mimic, problems));
    Some(Joint {
        name,
        kind,
        parent: parent?,
        child: child?,
        origin,
        axis,
        limit,
        damping,
        friction,
        mimic: mimic.filter(|_| kind.has_axis()),
    })
}

fn kind(fields: &mut Fields<'_, '_>) -> Option<Kind> {
    let written = fields.attribute("type", "revolute")?;
    let pair = Kind::ALL
        .iter()
        .find(|(word, _)| *word == written.value.trim());
    if pair.is_none() {
        let words = Kind::ALL.map(|(word, _)| word);
        let message = format!("there is no joint type `{}`", printable(&written.value));
        let diagnostic = Diagnostic::error(codes::UNKNOWN_JOINT_TYPE, message)
            .at(written.value_span, "unknown")
            .suggest(&written.value, words)
            .note(format!("known types: {}", words.join(", ")));
        let diagnostic = match diagnostic.help.is_empty() {
            true => diagnostic.help("write one of the known types"),
            false => diagnostic,
        };
        fields.problems.push(diagnostic);
    }
    pair.map(|(_, kind)| *kind)
}

fn read_axis(element: &Element, problems: &mut Problems) -> Option<Vector3<f64>> {
    let mut fields = Fields::new(element, &["xyz"], &[], problems);
    fields.attribute("xyz", "0 0 1")?;
    let axis = Vector3::from(fields.numbers::<3>("xyz", POSITION)?);
    let written = element.attribute("xyz")?;
    let largest = axis.amax();
    if largest <= 0.0 {
        let diagnostic = Diagnostic::error(codes::ZERO_AXIS, "a zero axis has no direction")
            .at(written.value_span, "zero")
            .help("for example, along z: `<axis xyz=\"0 0 1\"/>`");
        problems.push(diagnostic);
        return None;
    }
    let length = (axis / largest).norm() * largest;
    if (length - 1.0).abs() > 1e-2 {
        let message = "an axis has to be of unit length";
        let diagnostic = Diagnostic::warning(codes::LONG_AXIS, message)
            .at(written.value_span, format!("its length is {length:.4}"))
            .note("its direction is used")
            .help("divide it by its length");
        problems.push(diagnostic);
    }
    Some((axis / largest).normalize())
}

fn read_limit(
    kind: Kind,
    joint: &Name,
    element: Option<&Element>,
    problems: &mut Problems,
) -> Limit {
    let is_limited = matches!(kind, Kind::Revolute | Kind::Prismatic);
    let Some(element) = element else {
        if is_limited {
            let message = format!("the joint `{}` has no `<limit>`", printable(&joint.text));
            let diagnostic = Diagnostic::warning(codes::NO_LIMIT, message)
                .at(joint.span, "it is not limited")
                .note("revolute and prismatic joints have to have one")
                .help("add `<limit lower=\"-1.57\" upper=\"1.57\" effort=\"10\" velocity=\"3\"/>`, or let a revolute joint be `continuous`");
            problems.push(diagnostic);
        }
        return Limit::default();
    };
    let known = [
        "lower",
        "upper",
        "effort",
        "velocity",
        "acceleration",
        "deceleration",
        "jerk",
    ];
    let mut fields = Fields::new(element, &known, &[], problems);
    // A limit that no position can reach counts as unlimited.
    let ends = ["lower", "upper"].map(|name| {
        let end = fields.number(name, Bounds::ANY);
        end.map(|end| end.clamp(-FARTHEST, FARTHEST))
    });
    // Zero and negative values mean unlimited, as in MuJoCo and Bullet.
    let greatest = ["velocity", "effort"].map(|name| {
        let most = fields.number(name, GREATEST);
        most.filter(|most| *most > 0.0 && EFFORT.contains(*most))
    });
    let [velocity, effort] = greatest;
    let [lower, upper] = ends.map(Option::unwrap_or_default);
    let has_ends = ends.iter().any(Option::is_some);
    let position = match is_limited && has_ends {
        true if lower > upper => {
            let message = format!("the lower limit {lower} is above the upper one {upper}");
            let diagnostic = Diagnostic::warning(codes::CROSSED_LIMITS, message)
                .at(element.span, "it is not limited")
                .help("exchange them, or let a revolute joint be `continuous`");
            fields.problems.push(diagnostic);
            None
        }
        true => Some([lower, upper]),
        false => None,
    };
    if is_limited && !has_ends {
        let message = format!(
            "the limits of `{}` have neither `lower` nor `upper`",
            printable(&joint.text)
        );
        let diagnostic = Diagnostic::warning(codes::NO_LIMIT, message)
            .at(element.span, "it is not limited")
            .help("add `lower` and `upper`");
        fields.problems.push(diagnostic);
    }
    Limit {
        position,
        velocity,
        effort,
    }
}

fn read_mimic(element: &Element, problems: &mut Problems) -> Option<Mimic> {
    let known = ["joint", "multiplier", "offset"];
    let mut fields = Fields::new(element, &known, &[], problems);
    let joint = fields.name("joint", "left_finger");
    let multiplier = fields
        .number("multiplier", Bounds::within(1e6))
        .unwrap_or(1.0);
    let offset = fields.number("offset", POSITION).unwrap_or(0.0);
    Some(Mimic {
        joint: joint?,
        multiplier,
        offset,
    })
}
