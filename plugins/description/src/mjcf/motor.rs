//! Reader of actuators: stiffness and damping of the joints' motors, and what no motor can do.

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::bounds::Bounds;

use super::{
    codes, compiler::Settings, coupling::Couplings, defaults::Defaults, fields, joint::limited,
};
use crate::{problems::Problems, xml::Element};

/// Range of gains.
const GAIN: Bounds = Bounds::within(1e12);

/// Actuators of one joint: their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Motor {
    /// Stiffness about the target, N·m/rad or N/m.
    pub(super) stiffness: f64,
    /// Damping, N·m·s/rad or N·s/m.
    pub(super) damping: f64,
    /// Damping that damping ratios add, divided by the square root of the inertia that the joint feels: the sum of
    /// 2 · ratio · √stiffness.
    pub(super) relative_damping: f64,
    /// Sum of the forces at position and velocity zero, N·m or N: of constant forces, of stiffnesses times targets, and of dampings
    /// times target velocities.
    pub(super) force: f64,
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
    /// Number of actuators whose force lags behind the control, and where that of the first one is written.
    lags: Option<(usize, Span)>,
    /// Number of activations of all actuators.
    pub(super) activation_count: usize,
    /// Number of actuators that integrate their control, and the first one.
    integrators: Option<(usize, Span)>,
}

/// Law of an actuator: force = gain · control − stiffness · position − damping · velocity + bias.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Law {
    gain: f64,
    stiffness: f64,
    damping: f64,
    bias: f64,
    /// Ratio of the damping to that which is critical for the inertia of the joint.
    ratio: f64,
    /// True if the integral of the control over time, the activation, takes its place.
    integrates: bool,
}

impl Motor {
    /// True if the force depends on neither position nor velocity.
    pub(super) const fn is_constant(&self) -> bool {
        self.stiffness == 0.0 && self.damping == 0.0
    }
}

impl Law {
    /// True if the force depends on the control only.
    pub(super) const fn is_constant(&self) -> bool {
        let is_servo = self.stiffness != 0.0 || self.damping != 0.0;
        !is_servo && !self.integrates
    }

    /// Returns the range of the force of a constant law for a range of the control.
    pub(super) fn forces(&self, controls: [f64; 2]) -> [f64; 2] {
        let [one, other] = controls.map(|control| self.gain * control + self.bias);
        [one.min(other), one.max(other)]
    }
}

impl Motors {
    /// Reads the actuators. `controls` are their controls at the start and `activations` those of their activations that exist, 0 by
    /// default.
    pub(super) fn read(
        root: &Element,
        (settings, defaults): (&Settings, &Defaults),
        couplings: &Couplings,
        [controls, activations]: [&[f64]; 2],
        problems: &mut Problems,
    ) -> Self {
        let mut motors = Self::default();
        let all = root.named("actuator").flat_map(Element::elements);
        for (index, element) in all.enumerate() {
            // Unknown classes are reported with the limits of forces.
            let element = defaults.merged(element, None, &mut Problems::new(false));
            let at = |list: &[f64], index: usize| list.get(index).copied().unwrap_or(0.0);
            let inputs = [
                at(controls, index),
                at(activations, motors.activation_count),
            ];
            motors.add(&element, settings, couplings, inputs, problems);
            motors.activation_count += activation_count(&element);
        }
        motors.report(problems);
        motors
    }

    /// Reports the actuators whose force does not follow the control at once.
    fn report(&self, problems: &mut Problems) {
        let kinds = [
            (
                self.lags,
                "the force of {} does not follow the control at once",
                "left out: it follows at once",
                "filter or delay the commands before they are sent",
            ),
            (
                self.integrators,
                "the force of {} follows the integral of the control",
                "left out: it is that at the start",
                "command the positions of the joints",
            ),
        ];
        for (actuators, message, label, help) in kinds {
            let Some((count, span)) = actuators else {
                continue;
            };
            let actuators = match count {
                1 => "an actuator".to_owned(),
                count => format!("{count} actuators"),
            };
            let message = message.replace("{}", &actuators);
            let diagnostic = Diagnostic::warning(codes::IGNORED, message);
            problems.push(diagnostic.at(span, label).help(help));
        }
    }

    fn add(
        &mut self,
        element: &Element,
        settings: &Settings,
        couplings: &Couplings,
        [control, activation]: [f64; 2],
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
        if settings.switches.disable(element) {
            return;
        }
        if let Some(span) = lag(element) {
            self.lags.get_or_insert((0, span)).0 += 1;
        }
        if law.integrates {
            self.integrators.get_or_insert((0, element.span)).0 += 1;
        }
        // Faults of ranges are reported with the limits of forces.
        let mut silent = Problems::new(false);
        let mut within = |names: [&str; 2], number: f64| {
            let range = limited(element, names, settings, &mut silent);
            let range = range.or_else(|| couplings.inherited(element, names[1]));
            range.map_or(number, |[lower, upper]| number.clamp(lower, upper))
        };
        let control = match law.integrates {
            true => within(["actlimited", "actrange"], activation),
            false => within(["ctrllimited", "ctrlrange"], control),
        };
        let mut force = law.gain * control + law.bias - law.stiffness * drive.base;
        if law.is_constant() {
            force = within(["forcelimited", "forcerange"], force);
        }
        let motor = &mut self
            .joints
            .entry(joint)
            .or_insert_with(|| (Motor::default(), element.span))
            .0;
        motor.stiffness += law.stiffness * drive.slope * drive.slope;
        motor.damping += law.damping * drive.slope * drive.slope;
        motor.relative_damping += 2.0 * law.ratio * law.stiffness.sqrt() * drive.slope.abs();
        motor.force += force * drive.slope;
    }
}

/// Returns where the time constant or the delay of an actuator is written, if it has one.
fn lag(element: &Element) -> Option<Span> {
    // Classes have attributes of all kinds of actuators.
    let lags = |name: &str, value: &str| match (element.name.as_str(), name) {
        (_, "delay") | ("position", "timeconst") => value.parse().is_ok_and(|time: f64| time > 0.0),
        ("general", "dyntype") => value.starts_with("filter"),
        _ => false,
    };
    let mut attributes = element.attributes.iter();
    let written = attributes.find(|one| lags(&one.name, one.value.trim()))?;
    Some(written.value_span)
}

/// Returns the number of activations of an actuator in a keyframe.
fn activation_count(element: &Element) -> usize {
    let text = |name: &str| element.attribute(name).map(|one| one.value.trim());
    let is_positive = |text: &str| text.parse().is_ok_and(|number: f64| number > 0.0);
    match element.name.as_str() {
        "general" if text("dyntype").is_some_and(|kind| kind != "none") => {
            let count = text("actdim").and_then(|count| count.parse().ok());
            count.unwrap_or(1)
        }
        "position" => usize::from(text("timeconst").is_some_and(is_positive)),
        "intvelocity" | "cylinder" | "muscle" => 1,
        _ => 0,
    }
}

/// Returns the law of an actuator; `None` if no motor of a joint can follow it.
pub(super) fn law(element: &Element, problems: &mut Problems) -> Option<Law> {
    let mut number =
        |name: &str, usual: f64| fields::number(element, name, GAIN, problems).unwrap_or(usual);
    let law = match element.name.as_str() {
        "motor" => Law {
            gain: 1.0,
            ..Law::default()
        },
        "position" | "intvelocity" => {
            let gain = number("kp", 1.0);
            let ratio = number("dampratio", 0.0);
            Law {
                gain,
                stiffness: gain,
                damping: number("kv", 0.0),
                bias: 0.0,
                ratio,
                integrates: element.name == "intvelocity",
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
    let is_read = ["", "fixed"].contains(&word("gaintype"))
        && ["", "none", "filter", "filterexact", "integrator"].contains(&word("dyntype"));
    if !is_read {
        return None;
    }
    let integrates = word("dyntype") == "integrator";
    let mut list = |name: &str| {
        let numbers = fields::numbers(element, name, [0, 10], GAIN, problems);
        numbers.unwrap_or_default()
    };
    let gain = list("gainprm").first().copied().unwrap_or(1.0);
    match word("biastype") {
        "" | "none" => Some(Law {
            gain,
            integrates,
            ..Law::default()
        }),
        "affine" => {
            let bias = list("biasprm");
            let of = |index: usize| bias.get(index).copied().unwrap_or(0.0);
            let stiffness = -of(1);
            // As in MuJoCo, a positive number is the damping ratio of an actuator that controls positions.
            let [damping, ratio] = match of(2) > 0.0 && stiffness == gain {
                true => [0.0, of(2)],
                false => [-of(2), 0.0],
            };
            Some(Law {
                gain,
                stiffness,
                damping,
                bias: of(0),
                ratio,
                integrates,
            })
        }
        _ => None,
    }
}
