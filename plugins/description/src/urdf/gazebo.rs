//! Reader of `<gazebo>`, `<transmission>` and `<ros2_control>`: sensors, plugins and motors as a simulation file, or as a
//! warning with its entries.

use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::{Diagnostic, Severity, Span, printable};
use morse_scene::{
    bounds::Bounds,
    model::{self, Scene},
};
use nalgebra::Isometry3;

use super::{codes, touch, tree::Tree};
use crate::{
    components::{File, Robot, frequency, list, mount},
    problems::Problems,
    sdf::{
        fields::{self, Written},
        ignored,
        plugin::{self, Plugin},
        sensor,
    },
    xml::Element,
};

/// Elements that motors of a robot are declared in.
const MOTORS: &[&str] = &["transmission", "ros2_control"];

/// Elements of `<gazebo>` without an effect here: settings of Gazebo's solver, viewer and parser.
const SILENT: &[&str] = &[
    "material",
    "visual",
    "selfCollide",
    "self_collide",
    "kp",
    "kd",
    "mu2",
    "fdir1",
    "slip1",
    "slip2",
    "maxVel",
    "minDepth",
    "maxContacts",
    "max_contacts",
    "laserRetro",
    "stopCfm",
    "stopErp",
    "stopKp",
    "stopKd",
    "cfmDamping",
    "fudgeFactor",
    "implicitSpringDamper",
    "provideFeedback",
    "provide_feedback",
    "preserveFixedJoint",
    "disableFixedJointLumping",
    "canonicalBody",
    "collision",
    "mu1",
    "mu",
];

/// Interface by which a motor is commanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interface {
    Position,
    Velocity,
    Effort,
}

/// Conversion of the elements for other programs.
struct Reader<'a, 't> {
    tree: &'a Tree<'t>,
    scene: &'a Scene,
    robot: Robot,
    /// Settings of joints by their names.
    joints: BTreeMap<String, String>,
    /// Names of other elements and of plugins, with the remedy.
    others: BTreeMap<(String, &'static str), (usize, Span)>,
    /// Diagnostics of values, which are warnings: a robot without these components is still the robot.
    warnings: Problems,
}

/// Returns the simulation file of a description that runs by itself. Otherwise adds a warning with its entries to
/// `problems`, and returns an empty text.
pub(super) fn components(
    root: &Element,
    tree: &Tree<'_>,
    scene: &Scene,
    is_alone: bool,
    problems: &mut Problems,
) -> String {
    let name = root.attribute("name").map(|name| name.value.trim());
    let name = name.filter(|name| !name.is_empty()).unwrap_or("robot");
    let Some(base) = scene.frames().iter().find(|frame| frame.parent.is_none()) else {
        return String::new();
    };
    let mut reader = Reader {
        tree,
        scene,
        robot: Robot {
            name: name.to_owned(),
            frame: base.name.clone(),
            is_fixed: base.joint != model::Joint::Floating,
            ..Robot::default()
        },
        joints: BTreeMap::new(),
        others: BTreeMap::new(),
        warnings: Problems::new(false),
    };
    for element in root.elements() {
        match element.name.as_str() {
            "gazebo" => reader.gazebo(element),
            "joint" => reader.safety(element),
            name if MOTORS.contains(&name) => reader.motors(element),
            _ => {}
        }
    }
    let Reader {
        mut robot,
        joints,
        others,
        warnings,
        ..
    } = reader;
    for mut diagnostic in warnings.finish() {
        diagnostic.severity = Severity::Warning;
        problems.push(diagnostic);
    }
    for ((name, help), (count, span)) in others {
        let message = match count {
            1 => format!("{name} is not read"),
            count => format!("{name} is not read, {count} times"),
        };
        let diagnostic = Diagnostic::warning(codes::IGNORED, message);
        problems.push(diagnostic.at(span, "for another program").help(help));
    }
    robot.finish();
    let has_any = !robot.sensors.is_empty() || !robot.actuators.is_empty();
    let file = File {
        joints,
        span: robot.span,
        robots: has_any.then_some(robot).into_iter().collect(),
        ..File::default()
    };
    if is_alone {
        return file.text();
    }
    file.report(codes::COMPONENT, problems);
    String::new()
}

impl Reader<'_, '_> {
    /// Reads the sensors and plugins of a `<gazebo>` element, whose reference is a link or a joint.
    fn gazebo(&mut self, element: &Element) {
        let reference = element.attribute("reference");
        let link = match reference {
            Some(reference) => self.link(reference.value.trim()),
            None => self
                .tree
                .links
                .first()
                .map(|(link, _)| link.name.text.clone()),
        };
        let Some(link) = link else {
            let name = reference.map_or("", |reference| reference.value.as_str());
            let what = format!("`<gazebo>` of `{}`", printable(name));
            let help = "name a link or joint of this robot";
            self.other(what, element.span, help);
            return;
        };
        for child in element.elements() {
            match child.name.as_str() {
                "sensor" => self.sensor(child, &link),
                "plugin" => self.plugin(child, &link),
                "static" | "turnGravityOff" if ["false", "0"].contains(&child.text().as_str()) => {}
                name if SILENT.contains(&name) || name.contains(':') => {}
                "gravity" if ["true", "1"].contains(&child.text().as_str()) => {}
                name => {
                    let what = format!("`<{}>` of `<gazebo>`", printable(name));
                    self.other(what, child.span, remedy(name));
                }
            }
        }
    }

    /// Returns the link with a name, or the child link of the joint with that name.
    fn link(&self, name: &str) -> Option<String> {
        let is_link = self
            .tree
            .links
            .iter()
            .find(|(link, _)| link.name.text == name);
        let of_joint = || {
            let has_name = |joint: &super::robot::Joint| joint.name.text == name;
            let all = self.tree.links.iter();
            let mut all = all.filter(|(_, joint)| joint.is_some_and(has_name));
            all.next()
        };
        is_link
            .or_else(of_joint)
            .map(|(link, _)| link.name.text.clone())
    }

    fn sensor(&mut self, element: &Element, link: &str) {
        let kind = element.attribute("type");
        let kind = kind.map_or("", |kind| kind.value.trim());
        let name = element.attribute("name").map(|name| name.value.trim());
        let name = name.filter(|name| !name.is_empty()).unwrap_or(kind);
        let component = match sensor::read(element, false, &mut self.warnings) {
            Ok(component) => component,
            Err(help) => {
                let what = format!(
                    "the sensor `{}` of type `{}`",
                    printable(name),
                    printable(kind)
                );
                self.other(what, element.span, help);
                return;
            }
        };
        ignored::report(element, false, &mut self.warnings);
        if let Some([message, help]) = component.approximation {
            let diagnostic = Diagnostic::warning(codes::COMPONENT, message);
            self.warnings
                .push(diagnostic.at(element.span, "here").help(help));
        }
        let bounds = Bounds::between(0.0, 1e9);
        let rate = fields::number(element, "update_rate", bounds, &mut self.warnings);
        let rate = rate.map_or(String::new(), frequency);
        let pose = fields::pose(element, &mut self.warnings).local;
        let mount = mount(link, pose * component.pose);
        let mut settings = component.settings;
        if component.kind == "contact" {
            let named = (component.collisions.len(), element.span);
            settings = touch::counted(self.scene, link, named, &mut self.warnings) + &settings;
        }
        let entry = format!("(kind: \"{}\"{mount}{settings}{rate})", component.kind);
        self.robot.add("sensors", name, entry, element.span);
    }

    fn plugin(&mut self, element: &Element, link: &str) {
        let written = element.attribute("name").or(element.attribute("filename"));
        let name = written.map_or("plugin", |written| written.value.trim());
        match plugin::read(element, &mut self.warnings) {
            Some(Plugin::JointState) => {
                let entry = "(kind: \"joint_state\")".to_owned();
                self.robot
                    .add("sensors", "joint_state", entry, element.span);
            }
            Some(Plugin::Sensor(kind, settings, body, rate)) => {
                let named = body.and_then(|body| self.link(&body.text));
                let link = named.unwrap_or_else(|| link.to_owned());
                let mount = mount(&link, Isometry3::identity());
                let entry = format!("(kind: \"{kind}\"{mount}{settings}{})", frequency(rate));
                self.robot.add("sensors", name, entry, element.span);
            }
            Some(Plugin::Joints(names)) => {
                let names = self.variables(&names);
                self.robot.span = self.robot.span.or(Some(element.span));
                self.robot.joints.extend(names);
            }
            Some(Plugin::Vehicle(vehicle)) => {
                let mut entry = format!("(kind: \"{}\"", vehicle.kind);
                for (setting, names) in vehicle.lists {
                    let names = self.variables(&names);
                    if names.is_empty() {
                        let what = format!("the plugin `{}`", printable(name));
                        let help = "name the joints of its wheels";
                        self.other(what, element.span, help);
                        return;
                    }
                    entry += &format!(", {setting}: [{}]", list(&names));
                }
                entry += &format!("{})", vehicle.settings);
                self.robot.add("actuators", "drive", entry, element.span);
                if let Some(rate) = vehicle.odometry {
                    let entry = format!("(kind: \"odometry\"{})", frequency(rate));
                    self.robot.add("sensors", "odometry", entry, element.span);
                }
            }
            // Motors are those of `<transmission>` and `<ros2_control>`.
            None if is_control(element) => {}
            None => {
                let what = format!("the plugin `{}`", printable(name));
                let help = "`morse-sim list actuators` lists the actuators of simulation files";
                self.other(what, element.span, help);
            }
        }
    }

    /// Returns those of the names that are joints with one axis; reports the others.
    fn variables(&mut self, names: &[Written]) -> Vec<String> {
        let mut variables = Vec::new();
        for name in names {
            if self.is_variable(&name.text) {
                variables.push(name.text.clone());
                continue;
            }
            let joints = self.tree.links.iter().filter_map(|(_, joint)| *joint);
            let known: Vec<&str> = joints.map(|joint| joint.name.text.as_str()).collect();
            let text = (name.text.as_str(), name.span);
            let diagnostic = fields::VALUES.unknown("joint", text, known);
            self.warnings.push(diagnostic);
        }
        variables
    }

    /// Returns true for a joint with a variable of its own name.
    fn is_variable(&self, name: &str) -> bool {
        let mut joints = self.tree.links.iter().filter_map(|(_, joint)| *joint);
        let is_moving = joints.any(|joint| joint.name.text == name && joint.kind.has_axis());
        is_moving && !self.tree.followers.contains_key(name)
    }

    /// Reports the soft limits of a joint, which controllers of ROS enforce.
    fn safety(&mut self, joint: &Element) {
        for element in joint.named("safety_controller") {
            let mut values = element.attributes.iter().map(|one| one.value.trim());
            if values.any(|value| value.parse() != Ok(0.0)) {
                let what = "`<safety_controller>` of `<joint>`".to_owned();
                let help = "narrow `<limit>`, or keep to the soft limits in the controller";
                self.other(what, element.span, help);
            }
        }
    }

    /// Reports gears and rotors of a transmission.
    fn gears(&mut self, transmission: &Element) {
        let gear = "commands, efforts and limits are those of the joint, after the gear";
        let rotor = "set `armature` of the joint in a simulation file: motor inertia · reduction²";
        let usual = [
            ("mechanicalReduction", 1.0, gear),
            ("motorInertia", 0.0, rotor),
        ];
        let owners = ["actuator", "joint"].map(|name| transmission.named(name));
        let owners: Vec<&Element> = owners.into_iter().flatten().chain([transmission]).collect();
        for (name, usual, help) in usual {
            for element in owners.iter().flat_map(|owner| owner.named(name)) {
                if element.text().trim().parse() != Ok(usual) {
                    let what = format!("`<{name}>` of `<transmission>`");
                    self.other(what, element.span, help);
                }
            }
        }
    }

    /// Reads the joints of a transmission or of a control system, with their interfaces and initial positions.
    fn motors(&mut self, element: &Element) {
        self.gears(element);
        for joint in element.named("joint") {
            let Some(name) = joint.attribute("name").map(|name| name.value.trim()) else {
                continue;
            };
            let known = self.interfaces(element, joint);
            if !self.is_variable(name) || known.is_empty() {
                continue;
            }
            self.robot.span = self.robot.span.or(Some(joint.span));
            self.robot.joints.push(name.to_owned());
            let mut settings = Vec::new();
            let initial = self.initial(joint);
            if let Some(initial) = initial.filter(|initial| *initial != 0.0) {
                settings.push(format!("position: {initial}"));
            }
            // As in Gazebo, motors hold what they are commanded from the start.
            if known.contains(&Interface::Effort) {
            } else if known.contains(&Interface::Position) {
                settings.push(format!("target: {}", initial.unwrap_or(0.0)));
            } else {
                settings.push("velocity: 0".to_owned());
            }
            if !settings.is_empty() {
                let settings = format!("({})", settings.join(", "));
                self.joints.insert(name.to_owned(), settings);
            }
        }
    }

    /// Returns the interfaces of a joint's commands.
    fn interfaces(&self, element: &Element, joint: &Element) -> Vec<Interface> {
        let mut texts = Vec::new();
        if element.name == "transmission" {
            let actuators = element.named("actuator");
            for owner in actuators.chain([joint]) {
                let all = ["hardwareInterface", "hardware_interface"];
                let all = all.iter().flat_map(|name| owner.named(name));
                texts.extend(all.map(Element::text));
            }
            if texts.is_empty() {
                return vec![Interface::Effort];
            }
        } else {
            let commands = joint.named("command_interface");
            let names = commands.filter_map(|one| one.attribute("name"));
            texts.extend(names.map(|name| name.value.clone()));
        }
        let interface = |text: String| {
            let text = text.to_ascii_lowercase();
            let words = [
                ("position", Interface::Position),
                ("velocity", Interface::Velocity),
                ("effort", Interface::Effort),
            ];
            let entry = words.into_iter().find(|(word, _)| text.contains(word));
            entry.map(|(_, interface)| interface)
        };
        texts.into_iter().filter_map(interface).collect()
    }

    /// Returns the initial position of a joint.
    fn initial(&mut self, joint: &Element) -> Option<f64> {
        let is_position = |state: &&Element| {
            let name = state.attribute("name");
            name.is_some_and(|name| name.value.trim() == "position")
        };
        let states = joint.named("state_interface").filter(is_position);
        let mut params = states.flat_map(|state| state.named("param"));
        let param = params.find(|param| {
            let name = param.attribute("name");
            name.is_some_and(|name| name.value.trim() == "initial_value")
        })?;
        let bounds = Bounds::within(1e4);
        let positions = fields::numbers(param, [1, 1], bounds, &mut self.warnings)?;
        positions.first().copied()
    }

    /// Remembers something for another program, once for each kind.
    fn other(&mut self, what: String, span: Span, help: &'static str) {
        self.others.entry((what, help)).or_insert((0, span)).0 += 1;
    }
}

/// Returns the coefficient of friction of each link that a `<gazebo>` element sets.
pub(super) fn frictions(root: &Element, problems: &mut Problems) -> BTreeMap<String, f64> {
    let mut frictions = BTreeMap::new();
    let mut values = Problems::new(false);
    for element in root.named("gazebo") {
        let Some(reference) = element.attribute("reference") else {
            continue;
        };
        let bounds = Bounds::between(0.0, f64::MAX);
        // Some programs write an attribute instead of a text.
        let is_text = |name: &&&str| element.named(name).any(|one| !one.text().is_empty());
        let friction = ["mu1", "mu"]
            .iter()
            .filter(is_text)
            .find_map(|name| fields::number(element, name, bounds, &mut values));
        let friction = friction.or_else(|| {
            let value = element
                .named("mu1")
                .find_map(|one| one.attribute("value"))?;
            let number = value.value.trim().parse::<f64>().ok()?;
            Some(number).filter(|number| number.is_finite() && *number >= 0.0)
        });
        if let Some(friction) = friction {
            frictions.insert(reference.value.trim().to_owned(), friction.min(1e6));
        }
    }
    for mut diagnostic in values.finish() {
        diagnostic.severity = Severity::Warning;
        problems.push(diagnostic);
    }
    frictions
}

/// Returns true for a plugin that reads the declarations of motors.
fn is_control(element: &Element) -> bool {
    ["filename", "name"].iter().any(|name| {
        let text = element.attribute(name);
        let text = text.map_or(String::new(), |text| text.value.to_ascii_lowercase());
        let text: BTreeSet<&str> = text.split(['_', '-', '.', ':', '/']).collect();
        text.contains("control") || text.contains("ros2control")
    })
}

/// Returns the remedy for an element of `<gazebo>` that is not read.
fn remedy(name: &str) -> &'static str {
    match name {
        "static" => "give the robot `base: fixed` in a simulation file",
        "gravity" | "turnGravityOff" => {
            "set it in a simulation file: `bodies: { \"LINK\": (gravity: false) }`"
        }
        "dampingFactor" => {
            "set it in a simulation file: `bodies: { \"LINK\": (linear_damping: 0.1) }`"
        }
        "springStiffness" | "springReference" | "initialJointPosition" => {
            "set it in a simulation file: `joints: { \"JOINT\": (position: 0.5, stiffness: 10) }`"
        }
        _ => "remove it; sensors, plugins and `mu1` are read",
    }
}
