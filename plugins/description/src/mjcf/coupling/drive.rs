//! Transmissions of actuators: the joint that an actuator moves, and its gear.

use morse_diagnostics::printable;

use super::{Couplings, Length};
use crate::{
    mjcf::{
        compiler::Settings,
        fields,
        joint::{Joint, Kind, limited},
        motor,
    },
    problems::Problems,
    xml::Element,
};

impl Couplings {
    /// Returns the joint that an actuator moves, and its length; `None` if it moves none, or several independent ones.
    pub(in crate::mjcf) fn drive(&self, element: &Element) -> Option<Length> {
        let joint = element.attribute("joint");
        let joint = joint.or(element.attribute("jointinparent"));
        let length = match (joint, element.attribute("tendon")) {
            (Some(joint), _) => {
                let name = joint.value.trim();
                self.joints.get(name).filter(|own| own.kind != Kind::Free)?;
                self.position(name)?
            }
            (None, Some(tendon)) => self.length(self.tendons.get(tendon.value.trim())?)?,
            (None, None) => return None,
        };
        // Faults of the gear are reported with the limits of forces.
        let mut silent = Problems::new(false);
        let gear = fields::numbers(element, "gear", [1, 6], fields::POSITION, &mut silent);
        let gear = gear.and_then(|gear| gear.first().copied()).unwrap_or(1.0);
        Some(Length {
            base: length.base * gear,
            slope: length.slope * gear,
            joint: length.joint,
        })
    }

    /// Returns the range of the control (`ctrlrange`) or of the activation (`actrange`) of an actuator that controls positions,
    /// as a fraction of the range of its joint or tendon: `inheritrange`.
    pub(in crate::mjcf) fn inherited(&self, element: &Element, range: &str) -> Option<[f64; 2]> {
        let inherits = match element.name.as_str() {
            "position" => "ctrlrange",
            "intvelocity" => "actrange",
            _ => return None,
        };
        let text = |name: &str| element.attribute(name).map(|written| written.value.trim());
        let fraction = text("inheritrange")?.parse().ok();
        let fraction = fraction.filter(|fraction: &f64| *fraction > 0.0 && inherits == range)?;
        let [lower, upper] = match text("joint").or(text("jointinparent")) {
            Some(joint) => self.joints.get(joint)?.limits.position?,
            None => self.tendons.get(text("tendon")?)?.range?,
        };
        let (middle, half) = ((lower + upper) / 2.0, fraction * (upper - lower) / 2.0);
        Some([middle - half, middle + half])
    }

    /// Limits the effort of a joint to that of its actuator.
    pub(super) fn actuator(
        &mut self,
        element: &Element,
        settings: &Settings,
        problems: &mut Problems,
    ) {
        if let Some(joint) = element.attribute("joint")
            && !self.joints.contains_key(joint.value.trim())
        {
            let known = self.joints.keys().map(String::as_str);
            fields::unknown("joint", joint, known, problems);
            return;
        }
        fields::numbers(element, "gear", [1, 6], fields::POSITION, problems);
        // Faults of the gains are reported where the motors are read.
        let law = motor::law(element, &mut Problems::new(false));
        let mut force = limited(element, ["forcelimited", "forcerange"], settings, problems);
        if let Some(law) = law.filter(|law| force.is_none() && law.is_constant()) {
            let range = limited(element, ["ctrllimited", "ctrlrange"], settings, problems);
            force = range.map(|range| law.forces(range));
        }
        let Some(drive) = self.drive(element).filter(|drive| drive.slope != 0.0) else {
            return;
        };
        self.passive(element, &drive, settings, problems);
        if settings.switches.disable(element) {
            return;
        }
        let joint = self.efforts.entry(drive.joint).or_default();
        joint.add(force, drive.slope, law, element.span);
    }

    /// Adds the damping and the armature of an actuator, which act also if it exerts no force.
    fn passive(
        &mut self,
        element: &Element,
        drive: &Length,
        settings: &Settings,
        problems: &mut Problems,
    ) {
        let mut number = |name: &str| fields::linear(element, name, problems).unwrap_or(0.0);
        let [damping, armature] = ["damping", "armature"].map(&mut number);
        let square = drive.slope * drive.slope;
        let added = self.additions.entry(drive.joint.clone()).or_default();
        if !settings.switches.no_dampers {
            added.damping += damping * square;
        }
        added.armature += armature * square;
    }

    /// Returns the kind and the target of an actuator that moves no joint, for a message; `None` if its joint is unknown.
    pub(in crate::mjcf) fn undriven(&self, element: &Element) -> Option<String> {
        let kind = &element.name;
        if let Some(joint) = element.attribute("joint") {
            // An unknown joint is reported with the limits of forces.
            let is_known = self.joints.contains_key(joint.value.trim());
            let is_free = |own: &Joint| own.kind == Kind::Free;
            return match self.joints.get(joint.value.trim()).is_some_and(is_free) {
                true => Some(format!("{kind} of a free joint")),
                false => is_known.then(|| kind.clone()),
            };
        }
        let tendon = element.attribute("tendon").map(|name| name.value.trim());
        Some(match tendon {
            Some(name) if self.tendons.contains_key(name) => {
                format!("{kind} of the tendon {}", printable(name))
            }
            Some(_) => format!("{kind} of a spatial tendon"),
            None => format!("{kind} without a joint"),
        })
    }
}
