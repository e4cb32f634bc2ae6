//! Reader of sensors: the component of a simulation file that measures the same.

use morse_scene::{bounds::Bounds, model::rotation_from_rpy};
use nalgebra::UnitQuaternion;

use super::fields;
use crate::{components::gaussian, problems::Problems, xml::Element};

/// Object to which a sensor is attached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    /// Kind of the object: `site`, `body`, `geom`, `camera`, `joint` or `actuator`.
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) span: morse_diagnostics::Span,
}

/// A sensor as a component.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) kind: &'static str,
    pub(super) object: Object,
    /// Rotation of the component in the frame of the object.
    pub(super) turn: UnitQuaternion<f64>,
    /// Settings after the kind, each with a comma before it.
    pub(super) settings: String,
    /// Field that has noise, with the standard deviation.
    pub(super) noise: Option<String>,
}

/// Component, kind of the object, and field, by the element.
const KINDS: &[(&[&str], &str, &str, &str)] = &[
    (&["accelerometer"], "imu", "site", "linear_acceleration"),
    (&["gyro"], "imu", "site", "angular_velocity"),
    (&["velocimeter"], "velocity", "site", ""),
    (&["force", "torque"], "force_torque", "site", ""),
    (&["touch"], "contact", "site", ""),
    (&["rangefinder"], "laser_scanner", "site", "range_list"),
    (
        &[
            "framepos",
            "framequat",
            "framexaxis",
            "frameyaxis",
            "framezaxis",
        ],
        "pose",
        "",
        "",
    ),
    (&["framelinvel", "frameangvel"], "velocity", "", ""),
    (&["framelinacc"], "accelerometer", "", ""),
    (
        &[
            "jointpos",
            "jointvel",
            "jointactuatorfrc",
            "ballquat",
            "ballangvel",
        ],
        "joint_state",
        "joint",
        "",
    ),
    (
        &["actuatorpos", "actuatorvel", "actuatorfrc"],
        "joint_state",
        "actuator",
        "",
    ),
];

/// Returns the component of a sensor; `None` if there is none.
pub(super) fn read(element: &Element, problems: &mut Problems) -> Option<Component> {
    let known = |names: &&[&str]| names.contains(&element.name.as_str());
    let (_, kind, object, field) = KINDS.iter().find(|(names, ..)| known(names))?;
    if element.attribute("refname").is_some() {
        return None;
    }
    let object = match *object {
        "" => object_of(element, problems)?,
        kind => {
            let own = match element.attribute(kind) {
                None if kind == "site" && element.attribute("camera").is_some() => "camera",
                _ => kind,
            };
            named(element, own, own, problems)?
        }
    };
    let mut component = Component {
        kind,
        object,
        turn: UnitQuaternion::identity(),
        settings: String::new(),
        noise: None,
    };
    if *kind == "laser_scanner" {
        range_finder(element, &mut component, problems);
    }
    if *kind == "force_torque" {
        // Force and torque that the parent exerts on the body.
        component.settings += ", direction: \"parent_to_child\"";
    }
    let sigma = fields::number(element, "noise", fields::EFFORT, problems);
    component.noise = sigma
        .filter(|sigma| *sigma > 0.0 && !field.is_empty())
        .map(|sigma| gaussian(field, sigma));
    Some(component)
}

/// Returns the object that `objtype` and `objname` name.
fn object_of(element: &Element, problems: &mut Problems) -> Option<Object> {
    fields::needed(element, "objtype", "site", problems)?;
    let words = ["body", "xbody", "geom", "site", "camera"];
    let kind = fields::word(element, "objtype", &words, problems)?;
    let kind = words.into_iter().find(|word| *word == kind)?;
    let kind = if kind == "xbody" { "body" } else { kind };
    named(element, "objname", kind, problems)
}

fn named(
    element: &Element,
    attribute: &str,
    kind: &'static str,
    problems: &mut Problems,
) -> Option<Object> {
    let written = fields::needed(element, attribute, "tip", problems)?;
    Some(Object {
        kind,
        name: written.value.trim().to_owned(),
        span: written.value_span,
    })
}

/// Sets one ray along z of the site, or along the view of a camera.
fn range_finder(element: &Element, component: &mut Component, problems: &mut Problems) {
    let quarter = std::f64::consts::FRAC_PI_2;
    let pitch = match component.object.kind {
        "camera" => quarter,
        _ => -quarter,
    };
    component.turn = rotation_from_rpy(0.0, pitch, 0.0);
    component.settings += ", scan_window: 0, resolution: 6.3";
    let cutoff = fields::number(element, "cutoff", Bounds::between(0.0, 1e12), problems);
    if let Some(cutoff) = cutoff.filter(|cutoff| *cutoff > 0.0) {
        component.settings += &format!(", laser_range: {}", cutoff.clamp(0.001, 1e6));
    }
}
