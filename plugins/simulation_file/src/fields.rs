//! Named fields of one value: each field is taken by its reader, and the remaining ones are reported as unknown.

use std::collections::BTreeMap;

use morse_diagnostics::Span;
use nalgebra::Vector3;

use super::index::FormIndex;
use super::problem::{Wording as _, error, quoted};
use super::ranges::Number;
use super::reader::Reader;
use super::span::Spanned;
use super::tree::{Field, Kind, Node};

/// Names that only the root value of a file has, each with the kind of file and the command that reads it.
const ROOTS: [(&str, &str, &str); 3] = [
    ("Simulation", "a simulation", "morse-sim run"),
    ("Scenario", "a scenario", "morse-sim test"),
    ("Batch", "a batch", "morse-sim batch"),
];

/// Named fields of one value, which readers take by name.
pub(super) struct Fields<'n> {
    of: String,
    pub(super) span: Span,
    first: Option<&'n str>,
    fields: Vec<&'n Field>,
    pub(super) known: Vec<&'static str>,
    pub(super) form: FormIndex,
}

impl<'n> Fields<'n> {
    /// Opens the fields of `node`; `of` names the value in messages.
    pub(super) fn open(reader: &mut Reader<'_>, node: &'n Node, of: &str) -> Option<Self> {
        let root = ROOTS.iter().find(|(root, ..)| *root == of);
        if let Some(name) = node
            .name()
            .filter(|name| root.is_none() || name.value != of)
        {
            let other = ROOTS.iter().find(|(other, ..)| *other == name.value);
            if let (Some((_, wanted, _)), Some((_, actual, command))) = (root, other) {
                let message = format!("this is {actual}, not {wanted}");
                let problem = error("simulation::syntax", node.name_span(), message)
                    .help(format!("it is for {}", quoted(command)));
                reader.problems.push(problem);
                return None;
            }
            let problem = error(
                "simulation::syntax",
                node.name_span(),
                "unexpected name before these fields",
            )
            .help(format!("remove {}", quoted(name)));
            reader.problems.push(problem);
        }
        Self::open_variant(reader, node, of)
    }

    /// Opens the fields of a variant, `name(…)`.
    pub(super) fn open_variant(reader: &mut Reader<'_>, node: &'n Node, of: &str) -> Option<Self> {
        let written: &[Field] = match &node.kind {
            Kind::Struct(_, fields) => fields,
            Kind::Tuple(_, items) if items.is_empty() => &[],
            _ => return reader.refuse(node, of, "named fields in `( )`"),
        };
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        let mut fields = Vec::new();
        for field in written {
            let name = field.name.value.as_str();
            match seen.get(name) {
                Some(first) => {
                    reader.duplicate(name, field.name_span(), Some(*first));
                }
                None => {
                    seen.insert(name, field.name_span());
                    fields.push(field);
                }
            }
        }
        Some(Self {
            of: of.to_owned(),
            span: node.span,
            first: written.first().map(|field| field.name.value.as_str()),
            fields,
            known: Vec::new(),
            form: reader.index.open(of, node.span, written),
        })
    }

    /// Returns true if the field with this name is the first in the text.
    pub(super) fn is_first(&self, name: &str) -> bool {
        self.first.is_none_or(|first| first == name)
    }

    /// Returns the span of the value of a field that was not taken.
    pub(super) fn value_span(&self, name: &str) -> Option<Span> {
        let field = self.fields.iter().find(|field| field.name.value == name)?;
        Some(field.value.span)
    }

    /// Returns those of the named fields that are present.
    pub(super) fn some_of(&self, names: &[&str]) -> Vec<&'n Field> {
        let wanted = |field: &&&Field| names.contains(&field.name.value.as_str());
        self.fields.iter().filter(wanted).copied().collect()
    }

    /// Takes a field, which counts as known from then on.
    pub(super) fn take(&mut self, name: &'static str) -> Option<&'n Field> {
        self.known.push(name);
        let index = self
            .fields
            .iter()
            .position(|field| field.name.value == name)?;
        Some(self.fields.remove(index)).filter(|field| !field.value.is_none())
    }

    /// Takes a field and reads it.
    pub(super) fn read<'r, T>(
        &mut self,
        reader: &mut Reader<'r>,
        name: &'static str,
        read: impl FnOnce(&mut Reader<'r>, &'n Node, &str) -> Option<T>,
    ) -> Option<T> {
        let field = self.take(name)?;
        read(reader, &field.value, name)
    }

    /// Takes a field and reads its number.
    pub(super) fn number(&mut self, reader: &mut Reader<'_>, field: &Number) -> Option<f64> {
        self.read(reader, field.name(), |reader, node, name| {
            reader.number(node, name, field)
        })
    }

    /// Takes a field and reads its number, with its span.
    pub(super) fn spanned_number(
        &mut self,
        reader: &mut Reader<'_>,
        field: &Number,
    ) -> Option<Spanned<f64>> {
        self.read(reader, field.name(), |reader, node, name| {
            let number = reader.number(node, name, field)?;
            Some(Spanned::new(number, node.span))
        })
    }

    /// Takes a field and reads its three numbers.
    pub(super) fn vector(
        &mut self,
        reader: &mut Reader<'_>,
        field: &Number,
    ) -> Option<Vector3<f64>> {
        self.read(reader, field.name(), |reader, node, name| {
            reader.vector(node, name, field)
        })
    }

    /// Takes a required field and reads it.
    pub(super) fn need<'r, T>(
        &mut self,
        reader: &mut Reader<'r>,
        name: &'static str,
        help: &str,
        read: impl FnOnce(&mut Reader<'r>, &'n Node, &str) -> Option<T>,
    ) -> Option<T> {
        let Some(field) = self.take(name) else {
            self.missing(reader, name, help);
            return None;
        };
        read(reader, &field.value, name)
    }

    /// Returns all fields that were not taken.
    pub(super) fn rest(self) -> Vec<&'n Field> {
        self.fields
    }

    /// Reports the absence of a required field.
    pub(super) fn missing(&self, reader: &mut Reader<'_>, name: &str, help: &str) {
        let message = format!("{} is missing its field {}", quoted(&self.of), quoted(name));
        let start = Span {
            end: self.span.start.saturating_add(1),
            ..self.span
        };
        reader
            .problems
            .push(error("simulation::missing-field", start, message).help(help));
    }

    /// Reports the remaining fields as unknown.
    pub(super) fn finish(self, reader: &mut Reader<'_>) {
        reader.index.close(self.form, &self.known);
        for field in &self.fields {
            if reader.problems.is_full() {
                return;
            }
            let name = &field.name.value;
            let message = format!("unknown field {} of {}", quoted(name), quoted(&self.of));
            let problem = error("simulation::unknown-field", field.name_span(), message)
                .known(name, self.known.iter().copied());
            reader.problems.push(problem);
        }
    }
}
