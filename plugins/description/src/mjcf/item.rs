//! Reader of one element, with the values of its default class.
use std::ops::RangeInclusive;

use morse_diagnostics::{Diagnostic, Span};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::{codes, compiler::Compiler, defaults::Classes, values};
use crate::{
    problems::Problems,
    xml::{Attribute, Element},
};

/// Attributes of an orientation.
pub(super) const ORIENTATION: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// An element, and where its values come from.
pub(super) struct Item<'a, 'c> {
    pub(super) element: &'a Element,
    /// Name of the element in default classes.
    kind: &'static str,
    childclass: &'a str,
    classes: &'c Classes<'a>,
}

impl<'a, 'c> Item<'a, 'c> {
    /// Returns the reader of an element with these attributes; warns of others.
    pub(super) fn new(
        (element, kind): (&'a Element, &'static str),
        childclass: &'a str,
        classes: &'c Classes<'a>,
        (known, without_effect): (&[&str], &[&str]),
        problems: &mut Problems,
    ) -> Self {
        classes.check(element.attribute("class"), problems);
        for attribute in &element.attributes {
            let name = attribute.name.as_str();
            let is_common = ["name", "class"].contains(&name) || name.contains(':');
            if !is_common && !known.contains(&name) && !without_effect.contains(&name) {
                problems.push(values::unknown_attribute(&element.name, attribute, known));
            }
        }
        Self {
            element,
            kind,
            childclass,
            classes,
        }
    }

    pub(super) fn span(&self) -> Span {
        self.element.span
    }

    /// Returns an attribute of the element or of its class.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a Attribute> {
        self.classes
            .attribute(self.element, self.kind, self.childclass, name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.attribute(name)
            .map(|attribute| attribute.value.as_str())
    }

    pub(super) fn numbers(
        &self,
        name: &str,
        count: RangeInclusive<usize>,
        problems: &mut Problems,
    ) -> Option<Vec<f64>> {
        values::numbers(self.attribute(name)?, count, problems)
    }

    pub(super) fn number(&self, name: &str, problems: &mut Problems) -> Option<f64> {
        values::number(self.attribute(name)?, problems)
    }

    pub(super) fn vector(&self, name: &str, problems: &mut Problems) -> Option<Vector3<f64>> {
        let numbers = self.numbers(name, 3..=3, problems)?;
        Some(Vector3::from_column_slice(&numbers))
    }

    pub(super) fn word<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
        problems: &mut Problems,
    ) -> Option<T> {
        values::word(self.attribute(name)?, words, problems)
    }

    /// Returns the value of a required attribute.
    pub(super) fn needed(
        &self,
        name: &str,
        example: &str,
        problems: &mut Problems,
    ) -> Option<&'a Attribute> {
        let found = self.attribute(name);
        if found.is_none() {
            let message = format!("`<{}>` has no `{name}`", self.element.name);
            let problem = Diagnostic::error(codes::MISSING_ATTRIBUTE, message)
                .at(self.span(), format!("`{name}` is missing"));
            problems.push(problem.help(format!("add it, for example `{name}=\"{example}\"`")));
        }
        found
    }

    /// Returns the orientation; `None` if the element has none.
    pub(super) fn rotation(
        &self,
        compiler: &Compiler,
        problems: &mut Problems,
    ) -> Option<UnitQuaternion<f64>> {
        let name = ORIENTATION
            .into_iter()
            .find(|name| self.element.attribute(name).is_some())
            .or_else(|| {
                ORIENTATION
                    .into_iter()
                    .find(|name| self.attribute(name).is_some())
            })?;
        let attribute = self.attribute(name)?;
        let count = match name {
            "quat" | "axisangle" => 4,
            "xyaxes" => 6,
            _ => 3,
        };
        let numbers = values::numbers(attribute, count..=count, problems)?;
        let rotation = compiler.rotation(name, &numbers);
        if rotation.is_none() {
            let problem = Diagnostic::error(codes::BAD_NUMBER, "this is no orientation")
                .at(attribute.value_span, "a direction of length zero");
            problems.push(problem.help("give each direction a length, for example `0 0 1`"));
        }
        rotation
    }

    /// Returns the pose by `pos` and an orientation.
    pub(super) fn pose(&self, compiler: &Compiler, problems: &mut Problems) -> Isometry3<f64> {
        let place = self.vector("pos", problems).unwrap_or_default();
        let rotation = self.rotation(compiler, problems).unwrap_or_default();
        Isometry3::from_parts(place.into(), rotation)
    }
}
