//! Reader of actuators: stiffness and damping of the joints' motors, and what no motor can do.

use std::collections::BTreeMap;

use morse_diagnostics::Span;
use morse_scene::bounds::Bounds;

use super::{coupling::Couplings, defaults::Defaults, fields};
use crate::{problems::Problems, xml::Element};

/// Range of gains.
const GAIN: Bounds = Bounds::within(1e12);

/// Actuators of one joint: their sum.
#[derive(Clone, Debug, Default)]
pub(super) struct Motor {
    /// Stiffness about the target, N·m/rad or N/m.
    pub(super) stiffness: f64,
    /// Damping, N·m·s/rad or N·s/m.
    pub(super) damping: f64,
    /// True if the damping is critical for the inertia that the motor moves.
    pub(super) is_critical: bool,
    /// Sum of stiffness times target.
    pub(super) pull: f64,
    /// Sum of damping times target velocity.
    pub(super) push: f64,
}

/// Actuators of a model.
#[derive(Debug, Default)]
pub(super) struct Motors {
    /// Motors by the names of their joints.
    pub(super) joints: BTreeMap<String, (Motor, Span)>,
    /// Joints of actuators by the names of these.
    pub(super) names: BTreeMap<String, String>,
    /// Kinds of actuators that are not taken: number, and the first one.
    pub(super) others: BTreeMap<String, (usize, Span)>,
}

/// Law of an actuator: force = gain · control − stiffness · position − damping · velocity + bias.
#[derive(Clone, Copy, Debug, Default)]
struct Law {
    gain: f64,
    stiffness: f64,
    damping: f64,
    bias: f64,
    is_critical: bool,
}

impl Motors {
    /// Reads the actuators. `controls` are their controls at the start, 0 by default.
    pub(super) fn read(
        root: &Element,
        defaults: &Defaults,
        couplings: &Couplings,
        controls: &[f64],
        problems: &mut Problems,
    ) -> Self {
        let mut motors = Self::default();
        let all = root.named("actuator").flat_map(Element::elements);
        for (index, element) in all.enumerate() {
            // Unknown classes are reported with the limits of forces.
            let element = defaults.merged(element, None, &mut Problems::new(false));
            let control = controls.get(index).copied().unwrap_or(0.0);
            motors.add(&element, couplings, control, problems);
        }
        motors
    }

    fn add(
        &mut self,
        element: &Element,
        couplings: &Couplings,
        control: f64,
        problems: &mut Problems,
    ) {
        let law = law(element, problems);
        let (Some(drive), Some(law)) = (couplings.drive(element), law) else {
            if let Some(kind) = couplings.undriven(element) {
                self.others.entry(kind).or_insert((0, element.span)).0 += 1;
            }
            return;
        };
        let joint = drive.joint;
        if let Some(name) = element.attribute("name") {
            self.names
                .insert(name.value.trim().to_owned(), joint.clone());
        }
        let mut silent = Problems::new(false);
        let range = fields::array::<2>(element, "ctrlrange", GAIN, &mut silent);
        let is_limited = fields::flag(element, "ctrllimited", &mut silent);
        let control = match range.filter(|_| is_limited != Some(false)) {
            Some([lower, upper]) if lower < upper => control.clamp(lower, upper),
            _ => control,
        };
        let motor = &mut self
            .joints
            .entry(joint)
            .or_insert_with(|| (Motor::default(), element.span))
            .0;
        motor.stiffness += law.stiffness * drive.slope * drive.slope;
        motor.damping += law.damping * drive.slope * drive.slope;
        motor.is_critical |= law.is_critical;
        let force = (law.gain * control + law.bias - law.stiffness * drive.base) * drive.slope;
        if law.stiffness > 0.0 {
            motor.pull += force;
        } else if law.damping > 0.0 {
            motor.push += force;
        }
    }
}

/// Returns the law of an actuator; `None` if no motor of a joint can follow it.
fn law(element: &Element, problems: &mut Problems) -> Option<Law> {
    let mut number =
        |name: &str, usual: f64| fields::number(element, name, GAIN, problems).unwrap_or(usual);
    let law = match element.name.as_str() {
        "motor" => Law::default(),
        "position" => {
            let gain = number("kp", 1.0);
            let ratio = number("dampratio", 0.0);
            Law {
                gain,
                stiffness: gain,
                damping: number("kv", 0.0),
                bias: 0.0,
                is_critical: ratio > 0.0,
            }
        }
        "velocity" => {
            let gain = number("kv", 1.0);
            Law {
                gain,
                damping: gain,
                ..Law::default()
            }
        }
        "general" => general(element, problems)?,
        _ => return None,
    };
    (law.stiffness >= 0.0 && law.damping >= 0.0).then_some(law)
}

/// Returns the law of a general actuator with a constant gain.
fn general(element: &Element, problems: &mut Problems) -> Option<Law> {
    let word = |name: &str| element.attribute(name).map_or("", |word| word.value.trim());
    if !["", "fixed"].contains(&word("gaintype")) {
        return None;
    }
    let mut list = |name: &str| {
        let numbers = fields::numbers(element, name, [0, 10], GAIN, problems);
        numbers.unwrap_or_default()
    };
    let gain = list("gainprm").first().copied().unwrap_or(1.0);
    match word("biastype") {
        "" | "none" => Some(Law::default()),
        "affine" => {
            let bias = list("biasprm");
            let of = |index: usize| bias.get(index).copied().unwrap_or(0.0);
            Some(Law {
                gain,
                stiffness: -of(1),
                damping: -of(2),
                bias: of(0),
                is_critical: of(2) > 0.0,
            })
        }
        _ => None,
    }
}
