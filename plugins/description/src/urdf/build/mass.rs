//! Conversion of the masses and inertias of links.

use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::model::Frame;

use crate::{
    inertia,
    problems::Problems,
    urdf::{
        codes,
        robot::{Inertial, Kind, Link},
        tree::Tree,
    },
};

/// Mass of the bodies between the prismatic joints of a planar joint, kg.
pub(super) const SLIDE: f64 = 1e-3;

/// Mass of the links between the hinges of a spherical joint, kg, and their moments of inertia, kg·m².
pub(super) const BETWEEN: f64 = 1e-9;

/// Smallest moment of inertia that physics does not treat as zero, kg·m².
const SMALLEST_MOMENT: f64 = 1e-18;

/// Returns the links of bodies to which no link contributes a mass. A link without mass adds nothing to its body, but a body
/// needs a mass: it is then computed from shapes and densities.
pub(super) fn weightless<'r>(tree: &Tree<'r>) -> BTreeSet<&'r str> {
    let mut head_of: BTreeMap<&str, &str> = BTreeMap::new();
    let mut heavy = BTreeSet::new();
    for (link, joint) in &tree.links {
        let name = link.name.text.as_str();
        let fixed = joint.filter(|joint| joint.kind == Kind::Fixed);
        let head = fixed.and_then(|joint| head_of.get(joint.parent.text.as_str()).copied());
        let head = head.unwrap_or(name);
        head_of.insert(name, head);
        if link.inertial.as_ref().is_some_and(|own| own.mass > 0.0) {
            heavy.insert(head);
        }
    }
    let all = head_of.into_iter();
    all.filter(|(_, head)| !heavy.contains(head))
        .map(|(name, _)| name)
        .collect()
}

/// Sets the mass of a frame from its link.
pub(super) fn weigh(link: &Link, weightless: bool, frame: &mut Frame, problems: &mut Problems) {
    frame.mass = (!weightless).then_some(0.0);
    let Some(inertial) = &link.inertial else {
        return;
    };
    frame.mass = (!weightless).then_some(inertial.mass);
    if inertial.mass <= 0.0 && !counts(link, inertial, weightless, problems) {
        return;
    }
    frame.center_of_mass = Some(inertial.origin.translation.vector);
    let Some(written) = inertial.inertia else {
        return;
    };
    if inertial.mass > 0.0
        && let Some(why) = inertia::impossible(written, inertial.mass)
    {
        problems.push(doubt(link, inertial, why));
    }
    let mut inertia = inertia::turned(written, &inertial.origin.rotation);
    let (diagonal, _) = inertia.split_at_mut(3);
    for moment in &mut *diagonal {
        // Rounding errors of moments that should be zero.
        if moment.abs() < SMALLEST_MOMENT {
            *moment = 0.0;
        }
    }
    frame.inertia = diagonal
        .iter()
        .all(|moment| *moment >= 0.0)
        .then_some(inertia);
}

/// True if the inertia of a link without mass is added to that of its body, as Pinocchio and KDL do. Reports such an inertia.
fn counts(link: &Link, inertial: &Inertial, weightless: bool, problems: &mut Problems) -> bool {
    let written = inertial.inertia.unwrap_or_default();
    if written.iter().all(|moment| *moment == 0.0) {
        return false;
    }
    // The size of a body is unknown without its mass.
    let is_possible = inertia::impossible(written, f64::INFINITY).is_none();
    let counts = is_possible && !weightless;
    let effect = match counts {
        true => "is added to that of its body",
        false => "is not heeded",
    };
    let why = format!("it has no mass; its inertia {effect}");
    problems.push(doubt(link, inertial, why));
    counts
}

fn doubt(link: &Link, inertial: &Inertial, why: String) -> Diagnostic {
    let message = format!(
        "the inertia of `{}` is physically impossible",
        printable(&link.name.text)
    );
    Diagnostic::warning(codes::INERTIA, message)
        .at(inertial.span, why)
        .note("moments are in kg·m² about the centre of mass: no one of them is greater than the other two together")
        .help("compute it from the shapes: a solid box has ixx = m/12·(y² + z²)")
}
