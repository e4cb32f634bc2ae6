//! Default classes: attributes that elements take from their class.

use std::collections::BTreeMap;

use super::fields;
use crate::{
    problems::Problems,
    xml::{Attribute, Element},
};

/// Attributes of a class by the name of the element, with those of the parent classes.
type Class = BTreeMap<String, Vec<Attribute>>;

/// Name of the outermost class, unless it has another one.
const MAIN: &str = "main";

/// Elements of actuators, which share one default.
pub(super) const ACTUATORS: &[&str] = &[
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "plugin",
];

/// Attributes that state an orientation.
const TURNS: &[&str] = &["quat", "axisangle", "xyaxes", "zaxis", "euler"];

/// All default classes of a model.
#[derive(Debug)]
pub(super) struct Defaults {
    classes: BTreeMap<String, Class>,
    /// Name of the outermost class.
    main: String,
}

impl Defaults {
    /// Reads the classes of a model.
    pub(super) fn read(root: &Element, problems: &mut Problems) -> Self {
        let mut defaults = Self {
            classes: BTreeMap::new(),
            main: MAIN.to_owned(),
        };
        for element in root.named("default") {
            if let Some(class) = element.attribute("class") {
                class.value.trim().clone_into(&mut defaults.main);
            }
            let main = defaults.main.clone();
            let known = defaults.classes.get(&main).cloned().unwrap_or_default();
            defaults.class(element, main, known, problems);
        }
        defaults
    }

    fn class(&mut self, element: &Element, name: String, mut own: Class, problems: &mut Problems) {
        for child in element.elements().filter(|child| child.name != "default") {
            let attributes = own.entry(key(&child.name).to_owned()).or_default();
            for attribute in &child.attributes {
                overwrite(attributes, attribute);
            }
        }
        for child in element.named("default") {
            if let Some(class) = fields::needed(child, "class", "wheel", problems) {
                let class = class.value.trim().to_owned();
                self.class(child, class, own.clone(), problems);
            }
        }
        self.classes.insert(name, own);
    }

    /// Returns an element with the attributes of its class, or else of the class that the bodies around it select.
    pub(super) fn merged(
        &self,
        element: &Element,
        inherited: Option<&Attribute>,
        problems: &mut Problems,
    ) -> Element {
        let mut merged = element.clone();
        let class = match element.attribute("class").or(inherited) {
            Some(named) => {
                let class = self.classes.get(named.value.trim());
                if class.is_none() && named.value.trim() != self.main {
                    let known = self.classes.keys().map(String::as_str);
                    fields::unknown("default class", named, known, problems);
                }
                class
            }
            None => self.classes.get(&self.main),
        };
        let is_set = |name: &str| element.attribute(name).is_some();
        let is_turned = TURNS.iter().any(|name| is_set(name)) || is_set("fromto");
        let defaults = class.and_then(|class| class.get(key(&element.name)));
        for attribute in defaults.into_iter().flatten() {
            let is_replaced = is_turned && TURNS.contains(&attribute.name.as_str());
            if attribute.name != "class" && !is_replaced && !is_set(&attribute.name) {
                merged.attributes.push(attribute.clone());
            }
        }
        merged
    }
}

/// Returns the name under which the defaults of an element are kept.
fn key(name: &str) -> &str {
    match name {
        "fixed" | "spatial" => "tendon",
        name if ACTUATORS.contains(&name) => "general",
        name => name,
    }
}

/// Sets an attribute; an orientation removes the others.
fn overwrite(attributes: &mut Vec<Attribute>, new: &Attribute) {
    let is_turn = TURNS.contains(&new.name.as_str());
    attributes.retain(|old| old.name != new.name && !(is_turn && TURNS.contains(&&*old.name)));
    attributes.push(new.clone());
}
