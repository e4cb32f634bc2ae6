//! Default classes: values of attributes that elements leave out.
use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, printable};

use super::codes;
use crate::{
    problems::Problems,
    xml::{Attribute, Element},
};

/// Name of the class of elements without a class.
pub(super) const MAIN: &str = "main";

/// All default classes, by name.
#[derive(Default)]
pub(super) struct Classes<'a>(BTreeMap<&'a str, Class<'a>>);

#[derive(Default)]
struct Class<'a> {
    parent: Option<&'a str>,
    /// Elements with default values, in the order of the file.
    elements: Vec<&'a Element>,
}

impl<'a> Classes<'a> {
    /// Reads the sections `<default>` of a model.
    pub(super) fn of(root: &'a Element, problems: &mut Problems) -> Self {
        let mut classes = Self::default();
        for section in root.named("default") {
            let name = section.attribute("class");
            classes.add(
                section,
                name.map_or(MAIN, |name| &name.value),
                None,
                problems,
            );
        }
        classes
    }

    fn add(
        &mut self,
        section: &'a Element,
        name: &'a str,
        parent: Option<&'a str>,
        problems: &mut Problems,
    ) {
        let class = self.0.entry(name).or_default();
        class.parent = class.parent.or(parent);
        for element in section.elements().filter(|one| one.name != "default") {
            class.elements.push(element);
        }
        for inner in section.named("default") {
            match inner.attribute("class") {
                Some(own) => self.add(inner, &own.value, Some(name), problems),
                None => {
                    let message = "a default class inside another one has no `class`";
                    let problem = Diagnostic::error(codes::MISSING_ATTRIBUTE, message)
                        .at(inner.span, "`class` is missing");
                    problems.push(problem.help("name it: `<default class=\"arm\">`"));
                }
            }
        }
    }

    /// Returns an attribute of an element, or its value in the class of the element.
    pub(super) fn attribute(
        &self,
        element: &'a Element,
        kind: &str,
        childclass: &'a str,
        name: &str,
    ) -> Option<&'a Attribute> {
        element
            .attribute(name)
            .or_else(|| self.usual(class_of(element, childclass), kind, name))
    }

    fn usual(&self, class: &'a str, kind: &str, name: &str) -> Option<&'a Attribute> {
        let mut next = Some(class);
        // Classes are nested in the file, so that there is no cycle.
        while let Some(class) = next.and_then(|name| self.0.get(name)) {
            let mut elements = class.elements.iter().rev();
            let found = elements
                .find_map(|element| element.attribute(name).filter(|_| element.name == kind));
            if found.is_some() {
                return found;
            }
            next = class.parent;
        }
        None
    }

    /// Reports a class that does not exist.
    pub(super) fn check(&self, attribute: Option<&Attribute>, problems: &mut Problems) {
        let Some(attribute) = attribute.filter(|name| !self.0.contains_key(name.value.as_str()))
        else {
            return;
        };
        if attribute.value == MAIN {
            return;
        }
        let message = format!(
            "there is no default class `{}`",
            printable(&attribute.value)
        );
        let problem = Diagnostic::error(codes::UNKNOWN_NAME, message)
            .at(attribute.value_span, "this class")
            .suggest(&attribute.value, self.0.keys().copied());
        problems.push(match problem.help.is_empty() {
            true => problem.help("declare it in `<default>`: `<default class=\"…\"> … </default>`"),
            false => problem,
        });
    }
}

/// Returns the class of an element.
fn class_of<'a>(element: &'a Element, childclass: &'a str) -> &'a str {
    let own = element.attribute("class");
    own.map_or(childclass, |own| &own.value)
}
