//! Configuration variables that several joints share: their combined damping, friction and armature, and the check that one
//! mechanism contains all of them.

use morse_diagnostics::{Diagnostic, printable};

use super::{JointMode, Layout, VariableLayout};
use crate::model::Scene;

impl Layout {
    /// Returns the combined damping, dry friction and armature of a variable's joints: `[N·m·s/rad, N·m, kg·m²]`, or
    /// `[N·s/m, N, kg]`. `variable` is an index in [`variables`](Self::variables).
    #[must_use]
    pub fn resistance(&self, variable: usize) -> [f64; 3] {
        let Some(variable) = self.variables.get(variable) else {
            return [0.0; 3];
        };
        let mut sum = [0.0; 3];
        let bodies = variable.bodies.iter();
        for joint in bodies.filter_map(|index| self.bodies.get(*index)?.attachment.as_ref()) {
            sum[0] += joint.damping;
            sum[1] += joint.dry_friction;
            sum[2] += joint.armature;
        }
        let settings = &variable.settings;
        let [damping, friction, armature] = sum;
        [
            damping,
            settings.dry_friction.unwrap_or(friction),
            settings.armature.unwrap_or(armature),
        ]
    }
}

/// Returns an error for each variable that moves joints of several mechanisms, since a coordinate belongs to one mechanism.
/// Kinematic joints are exempt.
pub(super) fn between_mechanisms(layout: &Layout, scene: &Scene) -> Vec<Diagnostic> {
    let bases = layout.bases(|joint| {
        let variable = layout.variables.get(joint.variable);
        variable.is_some_and(|variable| variable.settings.mode == JointMode::Dynamic)
    });
    let variables = layout.variables.iter();
    let dynamic = variables.filter(|variable| variable.settings.mode == JointMode::Dynamic);
    dynamic
        .filter_map(|variable| torn(variable, layout, &bases, scene))
        .collect()
}

fn torn(
    variable: &VariableLayout,
    layout: &Layout,
    bases: &[usize],
    scene: &Scene,
) -> Option<Diagnostic> {
    let first = *variable.bodies.first()?;
    let base = *bases.get(first)?;
    let mut others = variable.bodies.iter();
    let other = *others.find(|body| bases.get(**body) != Some(&base))?;
    let name = |body: usize| {
        let head = layout.bodies.get(body)?.head;
        Some(layout.frames.get(head)?.name.as_str())
    };
    let [one, two] = [name(first)?, name(other)?];
    let [one_base, two_base] = [name(base)?, name(*bases.get(other)?)?].map(printable);
    let (variable, one_name, two_name) =
        (printable(&variable.name), printable(one), printable(two));
    let message = format!("the variable `{variable}` moves joints of two mechanisms");
    let mut error = Diagnostic::error("scene::shared-variable", message);
    for (frame, label) in [
        (two, format!("this one belongs to `{two_base}`")),
        (one, format!("this one belongs to `{one_base}`")),
    ] {
        if let Some(span) = scene.frame(frame).and_then(|frame| frame.source.0) {
            error = error.at(span, label);
        }
    }
    Some(
        error
            .note(format!(
                "`{one_name}` and `{two_name}` are moved by forces, and nothing but their motors would join them"
            ))
            .help(format!(
                "give `{two_name}` a `variable` of its own and command both, or pose them: `joints: {{ \"{variable}\": (mode: kinematic) }}`"
            )),
    )
}
