//! Masses and inertias of links.

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::bounds::Bounds;
use nalgebra::Vector3;

use super::{Builder, Frames};
use crate::{
    inertia,
    sdf::{codes, document::Link, fields, tree},
};

/// Smallest mass of a scene, kg.
const SMALLEST: f64 = 1e-9;

/// Smallest moment of inertia that physics does not treat as zero, kg·m².
const SMALLEST_MOMENT: f64 = 1e-18;

/// Range of masses, kg.
const MASS: Bounds = Bounds::between(-1e9, 1e9);

/// Inertial properties of a link.
#[derive(Clone, Debug)]
pub(super) enum Weight {
    /// Computed from the collisions with this density, kg/m³.
    Computed(f64),
    Given {
        mass: f64,
        center: Vector3<f64>,
        inertia: Option<[f64; 6]>,
    },
}

impl<'a> Builder<'a, '_> {
    /// Reads the masses of all links, and reports bodies without mass.
    pub(super) fn weigh(&mut self, frames: &mut Frames<'a>) {
        let document = self.document;
        let mut masses: BTreeMap<usize, f64> = BTreeMap::new();
        for (index, link) in document.links.iter().enumerate() {
            if tree::is_static(document, index) {
                continue;
            }
            let weight = self.weight(link);
            let group = self.tree.groups.get(index).copied().unwrap_or(index);
            *masses.entry(group).or_default() += match &weight {
                Weight::Computed(_) => 1.0,
                Weight::Given { mass, .. } => *mass,
            };
            frames.weights.insert(index, weight);
        }
        for (group, mass) in masses {
            let Some(link) = document.links.get(group).filter(|_| mass <= 0.0) else {
                continue;
            };
            let name = printable(self.full(link.node));
            let is_free = self.tree.parents.get(group).is_some_and(Option::is_none);
            if is_free {
                let message = format!("`{name}` is immovable: its mass is 0");
                let diagnostic = Diagnostic::warning(codes::MASS, message)
                    .at(
                        link.element.span,
                        "a body without mass cannot be moved by forces",
                    )
                    .help(
                        "give it a mass above 0, or make the model static: `<static>true</static>`",
                    );
                self.problems.push(diagnostic);
                frames.immovable.insert(group);
            } else {
                let message = format!("`{name}` moves and has no mass");
                let diagnostic = Diagnostic::error(codes::MASS, message)
                    .at(link.element.span, "its mass is 0")
                    .help("give it a mass: `<inertial><mass>1</mass></inertial>`");
                self.problems.push(diagnostic);
            }
        }
    }

    /// Reads the inertial properties of a link: 1 kg with moments of 1 kg·m² by default, as in SDF.
    fn weight(&mut self, link: &Link<'_>) -> Weight {
        let usual = Weight::Given {
            mass: 1.0,
            center: Vector3::zeros(),
            inertia: Some([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
        };
        let Some(inertial) = fields::only(link.element, "inertial", self.problems) else {
            return usual;
        };
        let auto = inertial.attribute("auto");
        if auto.is_some_and(|auto| ["true", "1"].contains(&auto.value.trim())) {
            let bounds = Bounds::between(1e-6, 1e7);
            let density = fields::number(inertial, "density", bounds, self.problems);
            return Weight::Computed(density.unwrap_or(1000.0));
        }
        let mass = fields::number(inertial, "mass", MASS, self.problems).unwrap_or(1.0);
        if mass < 0.0 {
            let diagnostic = Diagnostic::error(codes::MASS, "a mass must not be negative")
                .at(inertial.span, format!("{mass} kg"))
                .help("give it a mass above 0");
            self.problems.push(diagnostic);
        }
        let pose = fields::pose(inertial, self.problems).local;
        let mut moments = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
        let written = fields::only(inertial, "inertia", self.problems);
        if let Some(written) = written {
            let names = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"];
            for (name, moment) in names.into_iter().zip(&mut moments) {
                let number = fields::number(written, name, Bounds::within(1e15), self.problems);
                *moment = number.unwrap_or(*moment);
            }
        }
        if let (Some(written), true) = (written, mass > 0.0)
            && let Some(why) = inertia::impossible(moments, mass)
        {
            let name = printable(self.full(link.node));
            let message = format!("the inertia of `{name}` is physically impossible");
            let diagnostic = Diagnostic::warning(codes::INERTIA, message)
                .at(written.span, why)
                .help("compute it from the shapes: a solid box has ixx = m/12·(y² + z²)");
            self.problems.push(diagnostic);
        }
        let mut turned = inertia::turned(moments, &pose.rotation);
        let (diagonal, _) = turned.split_at_mut(3);
        for moment in &mut *diagonal {
            // Rounding errors of moments that should be zero.
            if moment.abs() < SMALLEST_MOMENT {
                *moment = 0.0;
            }
        }
        let is_sound = diagonal.iter().all(|moment| *moment >= 0.0);
        Weight::Given {
            mass: if mass > 0.0 { mass.max(SMALLEST) } else { 0.0 },
            center: pose.translation.vector,
            inertia: (is_sound && mass > 0.0).then_some(turned),
        }
    }
}
