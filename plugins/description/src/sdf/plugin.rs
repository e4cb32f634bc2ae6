//! Reader of the plugins of models: the component of a simulation file that does the same.

use morse_diagnostics::Diagnostic;
use morse_scene::bounds::Bounds;

use super::{
    codes,
    fields::{self, Written},
};
use crate::{components::gaussian, problems::Problems, xml::Element};

/// Elements that name the joints of left wheels.
const LEFT: &[&str] = &["left_joint", "leftJoint", "leftFrontJoint", "leftRearJoint"];

/// Elements that name the joints of right wheels.
const RIGHT: &[&str] = &[
    "right_joint",
    "rightJoint",
    "rightFrontJoint",
    "rightRearJoint",
];

/// Component of a plugin.
#[derive(Clone, Debug)]
pub(crate) enum Plugin {
    /// A sensor of all joints.
    JointState,
    /// A sensor on a link: kind, settings with a comma before them, link, and rate in Hz.
    Sensor(&'static str, String, Option<Written>, f64),
    /// An actuator of joints.
    Joints(Vec<Written>),
    /// An actuator that drives a vehicle.
    Vehicle(Vehicle),
}

/// An actuator that drives a vehicle, and the sensor of its odometry.
#[derive(Clone, Debug)]
pub(crate) struct Vehicle {
    pub(crate) kind: &'static str,
    /// Settings with the joints of each.
    pub(crate) lists: Vec<(&'static str, Vec<Written>)>,
    /// Other settings, each with a comma before it.
    pub(crate) settings: String,
    /// Rate of the odometry, Hz, if it is published.
    pub(crate) odometry: Option<f64>,
}

/// Rate of the odometry where a plugin has none, Hz.
const ODOMETRY_RATE: f64 = 50.0;

/// Limits of the commands and motors of a vehicle, without the prefixes `max_` and `min_`.
const LIMITS: &[&str] = &[
    "velocity",
    "linear_velocity",
    "angular_velocity",
    "acceleration",
    "linear_acceleration",
    "angular_acceleration",
    "jerk",
    "linear_jerk",
    "angular_jerk",
    "wheel_torque",
    "wheel_acceleration",
];

/// Returns the component of a plugin; `None` if there is none.
pub(crate) fn read(element: &Element, problems: &mut Problems) -> Option<Plugin> {
    let words = ["filename", "name"].map(|name| {
        let written = element.attribute(name);
        let written = written.map_or("", |written| written.value.as_str());
        written.to_ascii_lowercase().replace(['-', '_'], "")
    });
    let is = |word: &str| words.iter().any(|own| own.contains(word));
    if is("diffdrive") || is("skidsteer") {
        Some(drive(element, problems))
    } else if is("planarmove") {
        Some(vehicle(
            "xy_omega",
            Vec::new(),
            String::new(),
            element,
            problems,
        ))
    } else if is("p3d") || is("odometrypublisher") {
        Some(sensor("pose", element, problems))
    } else if is("rosimu") || is("imuplugin") || is("imusensor") {
        Some(sensor("imu", element, problems))
    } else if is("ackermann") {
        Some(car(element, problems))
    } else if is("jointstatepublisher") {
        Some(Plugin::JointState)
    } else if is("jointpositioncontroller")
        || is("jointtrajectorycontroller")
        || is("jointcontroller")
    {
        Some(Plugin::Joints(joints(
            element,
            &["joint_name", "joint", "jointName"],
        )))
    } else {
        None
    }
}

/// Returns a sensor on the link that a plugin of ROS names.
fn sensor(kind: &'static str, element: &Element, problems: &mut Problems) -> Plugin {
    let link = ["bodyName", "body_name", "robot_base_frame"];
    let link = link.iter().find_map(|name| element.named(name).next());
    let mut number = |name: &str, most: f64| {
        let bounds = Bounds::between(0.0, most);
        fields::number(element, name, bounds, problems)
    };
    let rate = number("updateRate", 1e9)
        .or_else(|| number("update_rate", 1e9))
        .or_else(|| number("odom_publish_frequency", 1e9));
    let sigma = number("gaussianNoise", 1e6).or_else(|| number("gaussian_noise", 1e6));
    let noisy = match kind {
        "imu" => ["angular_velocity", "linear_acceleration"].as_slice(),
        _ => ["x", "y", "z"].as_slice(),
    };
    let mut settings = String::new();
    if let Some(sigma) = sigma.filter(|sigma| *sigma > 0.0) {
        let all = noisy.iter().map(|field| gaussian(field, sigma));
        let all: Vec<String> = all.collect();
        settings = format!(", modifiers: [{}]", all.join(", "));
    }
    let link = link
        .map(fields::written)
        .filter(|link| !link.text.is_empty());
    Plugin::Sensor(kind, settings, link, rate.unwrap_or(0.0))
}

fn joints(element: &Element, names: &[&str]) -> Vec<Written> {
    let all = element.elements();
    all.filter(|child| names.contains(&child.name.as_str()))
        .map(fields::written)
        .collect()
}

/// Returns the radius of the wheels as a setting.
fn radius(element: &Element, problems: &mut Problems) -> String {
    let bounds = Bounds::between(1e-3, 100.0);
    let mut number = |name| fields::number(element, name, bounds, problems);
    let radius = number("wheel_radius");
    let diameter = number("wheel_diameter").or_else(|| number("wheelDiameter"));
    let radius = radius.or(diameter.map(|diameter| diameter / 2.0));
    radius.map_or(String::new(), |radius| format!(", wheel_radius: {radius}"))
}

/// Returns a vehicle with its odometry. Reports its limits.
fn vehicle(
    kind: &'static str,
    lists: Vec<(&'static str, Vec<Written>)>,
    settings: String,
    element: &Element,
    problems: &mut Problems,
) -> Plugin {
    let is_limit = |child: &&Element| {
        let name = child.name.as_str();
        let own = name.strip_prefix("max_").or(name.strip_prefix("min_"));
        own.is_some_and(|own| LIMITS.contains(&own))
            || ["wheelTorque", "wheelAcceleration"].contains(&name)
    };
    if let Some(limit) = element.elements().find(is_limit) {
        let diagnostic = Diagnostic::warning(codes::IGNORED, "limits of a vehicle are not read");
        problems.push(diagnostic.at(limit.span, "the first of them").help(
            "limit commands by `max_speed` and `max_turning_rate` of the robot in a simulation file, and motors by \
             `max_effort` of its `joints`",
        ));
    }
    let mut number =
        |name: &str| fields::number(element, name, Bounds::between(0.0, 1e9), problems);
    let names = [
        "odom_publish_frequency",
        "update_rate",
        "updateRate",
        "odometryRate",
    ];
    let rate = names.iter().find_map(|name| number(name));
    let says = element.named("publish_odom").next().map(Element::text);
    let is_published = says.is_none_or(|says| !["false", "0"].contains(&says.as_str()));
    Plugin::Vehicle(Vehicle {
        kind,
        lists,
        settings,
        odometry: is_published.then_some(rate.unwrap_or(ODOMETRY_RATE)),
    })
}

fn drive(element: &Element, problems: &mut Problems) -> Plugin {
    let mut settings = radius(element, problems);
    let bounds = Bounds::between(1e-3, 1000.0);
    let mut number = |name| fields::number(element, name, bounds, problems);
    let apart = number("wheel_separation").or_else(|| number("wheelSeparation"));
    if let Some(apart) = apart {
        settings += &format!(", fix_turning_speed: {apart}");
    }
    let sides = vec![
        ("left", joints(element, LEFT)),
        ("right", joints(element, RIGHT)),
    ];
    vehicle("v_omega_diff", sides, settings, element, problems)
}

fn car(element: &Element, problems: &mut Problems) -> Plugin {
    let mut settings = radius(element, problems);
    let bounds = Bounds::between(1e-3, 1.575);
    if let Some(most) = fields::number(element, "steering_limit", bounds, problems) {
        settings += &format!(", max_steering_angle: {most}");
    }
    let lists = vec![
        ("driven", joints(element, &["left_joint", "right_joint"])),
        ("steer_left", joints(element, &["left_steering_joint"])),
        ("steer_right", joints(element, &["right_steering_joint"])),
    ];
    vehicle("ackermann", lists, settings, element, problems)
}
