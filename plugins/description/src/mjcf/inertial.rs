//! Mass and inertia of a body.
use morse_diagnostics::Diagnostic;
use morse_scene::model::Frame;
use nalgebra::Matrix3;

use super::{codes, compiler::Compiler, item::Item, values};
use crate::problems::Problems;

pub(super) const ATTRIBUTES: &[&str] = &[
    "pos",
    "quat",
    "axisangle",
    "euler",
    "xyaxes",
    "zaxis",
    "mass",
    "diaginertia",
    "fullinertia",
];

/// Sets the mass of a body's frame by its element `<inertial>`.
pub(super) fn weigh(
    item: &Item<'_, '_>,
    compiler: &Compiler,
    frame: &mut Frame,
    problems: &mut Problems,
) {
    let pose = item.pose(compiler, problems);
    let mass = item.needed("mass", "1.5", problems);
    let Some(mass) = mass.and_then(|mass| values::number(mass, problems)) else {
        return;
    };
    let inertia = inertia(item, compiler.bound_inertia, problems);
    if mass < 0.0 || inertia.diagonal().min() < 0.0 {
        let message = "mass and moments of inertia must not be negative";
        let problem = Diagnostic::error(codes::MASS, message).at(item.span(), "this body");
        problems.push(problem.help("give a mass above 0, kg, and moments above 0, kg·m²"));
        return;
    }
    let mass = mass.max(compiler.bound_mass);
    let turn = pose.rotation.to_rotation_matrix();
    let inertia = turn.matrix() * inertia * turn.matrix().transpose();
    frame.mass = Some(mass);
    frame.center_of_mass = Some(pose.translation.vector);
    let moments = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    frame.inertia = (mass > 0.0).then(|| moments.map(|at| inertia[at]));
}

/// Returns the inertia about the centre of mass in the axes of the element.
fn inertia(item: &Item<'_, '_>, least: f64, problems: &mut Problems) -> Matrix3<f64> {
    if let Some(full) = item.numbers("fullinertia", 6..=6, problems) {
        let [xx, yy, zz, xy, xz, yz] = [0, 1, 2, 3, 4, 5].map(|at| full[at]);
        return Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    }
    let diagonal = item.numbers("diaginertia", 3..=3, problems);
    diagonal.map_or_else(Matrix3::zeros, |moments| {
        Matrix3::from_diagonal(&[0, 1, 2].map(|at| moments[at].max(least)).into())
    })
}
