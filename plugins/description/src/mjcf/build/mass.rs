//! Masses and inertias of bodies.

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::bounds::Bounds;
use nalgebra::{Matrix3, SymmetricEigen, Vector3};

use super::{Builder, WORLD};
use crate::{
    mjcf::{codes, fields, pose::pose, solid::Solid},
    xml::Element,
};

/// Smallest mass of a scene, kg.
const SMALLEST: f64 = 1e-9;

/// Smallest moment of inertia of a scene, kg·m².
const SMALLEST_MOMENT: f64 = 1e-18;

impl Builder<'_, '_> {
    /// Returns mass and inertia of a body: those of `<inertial>`, or of its geoms.
    pub(super) fn inertia(&mut self, element: &Element, geoms: &[Solid]) -> Option<Solid> {
        let written = element.named("inertial").next();
        let solid = match (self.settings.from_geoms, written) {
            (None, Some(written)) | (Some(false), Some(written)) => self.inertial(written),
            (Some(false), None) => None,
            // As in MuJoCo, `<inertial>` is kept if there are no geoms to replace it.
            (Some(true), Some(written)) if geoms.is_empty() => self.inertial(written),
            (Some(true), _) | (None, None) => Solid::sum(geoms),
        };
        let [mass, moment] = self.settings.least;
        let solid = match solid {
            None if mass > 0.0 => Some(Solid::new(mass, [0.0; 3])),
            solid => solid,
        };
        solid.map(|mut solid| {
            solid.mass = solid.mass.max(mass);
            if moment > 0.0 || self.settings.balance {
                solid.inertia = bounded(&solid.inertia, moment, self.settings.balance);
            }
            solid
        })
    }

    fn inertial(&mut self, element: &Element) -> Option<Solid> {
        let moments = Bounds::within(1e15);
        let range = Bounds::between(0.0, 1e9);
        fields::needed(element, "mass", "1.5", self.problems)?;
        let mass = fields::number(element, "mass", range, self.problems)?;
        let at = pose(element, &self.settings, self.problems);
        let diagonal = fields::array(element, "diaginertia", moments, self.problems);
        let full = fields::array(element, "fullinertia", moments, self.problems);
        let mut solid = Solid::new(mass, diagonal.unwrap_or_default());
        if let Some([xx, yy, zz, xy, xz, yz]) = full {
            solid.inertia = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        }
        if full.is_none() && diagonal.is_none() && element.attribute("diaginertia").is_none() {
            let diagnostic =
                Diagnostic::error(codes::MISSING_ATTRIBUTE, "`<inertial>` has no inertia")
                    .at(element.span, "`diaginertia` is missing")
                    .help("add it, for example `diaginertia=\"0.01 0.01 0.01\"`");
            self.problems.push(diagnostic);
        }
        Some(solid.moved(&at))
    }

    /// Scales the masses to that of `settotalmass`, raises them to those that a scene can have, and reports moving bodies without mass.
    pub(super) fn weigh_model(&mut self) {
        let groups = self.groups.iter();
        let light: Vec<Span> = groups
            .filter(|(head, (mass, _))| head.as_str() != WORLD && *mass <= 0.0)
            .map(|(_, (_, span))| *span)
            .collect();
        for span in light {
            let diagnostic = Diagnostic::error(codes::MASS, "a moving body has no mass")
                .at(span, "neither `<inertial>` nor a geom with mass")
                .help("add `<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.01 0.01 0.01\"/>`");
            self.problems.push(diagnostic);
        }
        let mass: f64 = self.groups.values().map(|(mass, _)| mass).sum();
        let total = self.settings.total.filter(|_| mass > 0.0);
        let factor = total.map_or(1.0, |total| total / mass);
        let raised = |number: f64, least: f64| match number > 0.0 {
            true => number.max(least),
            false => number,
        };
        for frame in &mut self.frames {
            frame.mass = frame.mass.map(|own| raised(own * factor, SMALLEST));
            frame.inertia = frame.inertia.map(|[xx, yy, zz, xy, xz, yz]| {
                let diagonal = [xx, yy, zz].map(|one| raised(one * factor, SMALLEST_MOMENT));
                let [xx, yy, zz] = diagonal;
                [xx, yy, zz, xy * factor, xz * factor, yz * factor]
            });
        }
    }
}

/// Returns an inertia with moments of at least a value. Moments that violate the triangle inequality are replaced by their
/// mean, if `balance`.
fn bounded(inertia: &Matrix3<f64>, least: f64, balance: bool) -> Matrix3<f64> {
    let decomposition = SymmetricEigen::new(*inertia);
    let mut moments: Vector3<f64> = decomposition.eigenvalues.map(|moment| moment.max(least));
    if balance && moments.sum() < 2.0 * moments.max() {
        moments = Vector3::repeat(moments.mean());
    }
    let axes = decomposition.eigenvectors;
    axes * Matrix3::from_diagonal(&moments) * axes.transpose()
}
