//! Reader of plain values. It reports errors and continues.

use std::collections::BTreeMap;

use morse_api::range::ValueRange;
use morse_diagnostics::{Diagnostic, SourceId, Span};
use morse_scene::model::{rotation_from_rpy, rotation_from_xyzw};
use nalgebra::{Isometry3, Translation3, Vector3};

use super::fields::Fields;
use super::index::Recorder;
use super::model::Named;
use super::problem::{Problems, Wording as _, error, quoted};
use super::ranges::{self, Number};
use super::span::Spanned;
use super::tree::{Kind, Node};
use super::vocabulary::Vocabulary;

/// A full turn, rad, with a margin for rounding.
const TURN: f64 = std::f64::consts::TAU + 0.01;

/// Shared state of all readers.
pub(super) struct Reader<'a> {
    pub(super) vocabulary: &'a dyn Vocabulary,
    pub(super) problems: &'a mut Problems,
    /// Simulation file; values of any other source come from the command line.
    pub(super) file: SourceId,
    pub(super) index: &'a mut Recorder,
    /// Kind of each middleware, by name.
    pub(super) middlewares: BTreeMap<String, String>,
}

impl Reader<'_> {
    /// Reports that the value of `name` has the wrong type.
    pub(super) fn refuse<T>(&mut self, node: &Node, name: &str, wanted: &str) -> Option<T> {
        let message = format!(
            "{} must be {wanted}, found {}",
            quoted(name),
            node.description()
        );
        let problem =
            error("simulation::wrong-type", node.span, message).label(format!("expected {wanted}"));
        self.problems.push(problem);
        None
    }

    /// Reads a number within the range of its field.
    pub(super) fn number(&mut self, node: &Node, name: &str, field: &Number) -> Option<f64> {
        let number = match node.kind {
            Kind::Float(value) if value.is_finite() => value,
            // Integers up to 2⁵³ are exact; further digits are not significant.
            Kind::Integer(value) => value as f64,
            Kind::Float(_) => return self.refuse(node, name, "a finite number"),
            _ => return self.refuse(node, name, "a number"),
        };
        if field.bounds.contains(number) {
            return Some(number);
        }
        let (range, actual) = (field.bounds, ValueRange::shown(number));
        let message = format!("{} must be {range}, not {actual}", quoted(name));
        let problem = error("simulation::out-of-range", node.span, message);
        self.problems.push(problem.help(field.help));
        None
    }

    pub(super) fn out_of_range<T>(&mut self, node: &Node, name: &str, range: &str) -> Option<T> {
        let message = format!("{} must be {range}", quoted(name));
        self.problems
            .push(error("simulation::out-of-range", node.span, message));
        None
    }

    /// Reads an unsigned 64-bit integer.
    pub(super) fn whole(&mut self, node: &Node, name: &str) -> Option<u64> {
        match node.kind {
            Kind::Integer(value) => match u64::try_from(value) {
                Ok(value) => Some(value),
                Err(_) => self.refuse(node, name, "a whole number, 0 or more"),
            },
            _ => self.refuse(node, name, "a whole number"),
        }
    }

    /// Reads an integer from 1 to `most`.
    pub(super) fn count(&mut self, node: &Node, name: &str, most: u32) -> Option<u32> {
        let value = self.whole(node, name)?;
        match u32::try_from(value) {
            Ok(value) if (1..=most).contains(&value) => Some(value),
            _ => self.out_of_range(node, name, &format!("from 1 to {most}")),
        }
    }

    pub(super) fn boolean(&mut self, node: &Node, name: &str) -> Option<bool> {
        self.index.choice(node.span, ["true", "false"], None);
        match node.kind {
            Kind::Bool(value) => Some(value),
            _ => self.refuse(node, name, "`true` or `false`"),
        }
    }

    pub(super) fn text(&mut self, node: &Node, name: &str) -> Option<Spanned<String>> {
        match &node.kind {
            Kind::Text(text) => Some(Spanned::new(text.clone(), node.span)),
            // Shells remove quotes: on the command line a bare word is accepted as a text.
            Kind::Word(word) if node.span.source != self.file => {
                Some(Spanned::new(word.clone(), node.span))
            }
            Kind::Word(word) => self.unquoted(node, name, "a bare word", word),
            Kind::Character(letter) => {
                self.unquoted(node, name, "in single quotes", &letter.to_string())
            }
            _ => self.refuse(node, name, "a text in quotes"),
        }
    }

    /// Reports a text without double quotes.
    fn unquoted<T>(&mut self, node: &Node, name: &str, what: &str, text: &str) -> Option<T> {
        let message = format!("{} must be a text in quotes", quoted(name));
        let problem = error("simulation::wrong-type", node.span, message)
            .label(what)
            .help(format!("write {}", quoted(&format!("\"{text}\""))));
        self.problems.push(problem);
        None
    }

    /// Reads a bare word or a text.
    pub(super) fn word(&mut self, node: &Node, name: &str) -> Option<Spanned<String>> {
        match node.as_word() {
            Some(word) => Some(Spanned::new(word.to_owned(), node.span)),
            None => self.refuse(node, name, "a word"),
        }
    }

    /// Reads one of several words.
    pub(super) fn choice<T: Copy>(
        &mut self,
        node: &Node,
        name: &str,
        choices: &[(&'static str, T)],
    ) -> Option<T> {
        let names = || choices.iter().map(|(word, _)| *word);
        self.index.choice(node.span, names(), None);
        let Some(word) = node.as_word() else {
            let wanted = names().collect::<Vec<_>>().join(", ");
            return self.refuse(node, name, &format!("one of {wanted}"));
        };
        if let Some((_, value)) = choices.iter().find(|(choice, _)| *choice == word) {
            return Some(*value);
        }
        let message = format!("{} is not a value of {}", quoted(word), quoted(name));
        let problem = error("simulation::unknown-word", node.span, message).known(word, names());
        self.problems.push(problem);
        None
    }

    /// Reads an array of numbers within the range of their field.
    pub(super) fn numbers<const N: usize>(
        &mut self,
        node: &Node,
        name: &str,
        field: &Number,
    ) -> Option<[f64; N]> {
        let Some(items) = node.items().filter(|items| items.len() == N) else {
            return self.refuse(node, name, &format!("{N} numbers in `( )`"));
        };
        let mut numbers = [0.0; N];
        for (slot, item) in numbers.iter_mut().zip(items) {
            *slot = self.number(item, name, field)?;
        }
        Some(numbers)
    }

    pub(super) fn vector(
        &mut self,
        node: &Node,
        name: &str,
        field: &Number,
    ) -> Option<Vector3<f64>> {
        self.numbers::<3>(node, name, field).map(Vector3::from)
    }

    /// Returns the elements of a list, or an empty list after an error.
    pub(super) fn list<'n>(&mut self, node: &'n Node, name: &str) -> &'n [Node] {
        match node.items() {
            Some(items) => items,
            None => self.refuse(node, name, "a list `[ ]`").unwrap_or_default(),
        }
    }

    /// Returns the entries of a map, sorted by name; reports repeated names.
    pub(super) fn entries<'n>(&mut self, node: &'n Node, name: &str) -> Named<&'n Node> {
        let mut entries = Named::new();
        match &node.kind {
            Kind::Map(pairs) => {
                for (key, value) in pairs {
                    if let Some(key) = self.key(key, name) {
                        self.enter(&mut entries, key, value);
                    }
                }
            }
            Kind::Tuple(None, items) if items.is_empty() => {}
            // `--set` creates fields where a map is absent.
            Kind::Struct(None, fields) if node.span.source != self.file => {
                for field in fields {
                    self.enter(&mut entries, field.name.clone(), &field.value);
                }
            }
            _ => {
                let actual = node.description();
                let message = format!("{} must be a map `{{ }}`, found {actual}", quoted(name));
                let problem = error("simulation::wrong-type", node.span, message)
                    .label("expected `{ \"name\": … }`");
                self.problems.push(problem);
            }
        }
        entries
    }

    fn key(&mut self, key: &Node, map: &str) -> Option<Spanned<String>> {
        if let Kind::Word(word) = &key.kind {
            let message = format!("names in {} are written in quotes", quoted(map));
            let problem = error("simulation::wrong-type", key.span, message)
                .help(format!("write {}", quoted(&format!("\"{word}\""))));
            self.problems.push(problem);
            return Some(Spanned::new(word.clone(), key.span));
        }
        self.text(key, map)
    }

    fn enter<'n>(&mut self, entries: &mut Named<&'n Node>, key: Spanned<String>, value: &'n Node) {
        if let Some((first, _)) = entries.get_key_value(key.value.as_str()) {
            let span = key.span.unwrap_or(value.span);
            self.duplicate(&key.value, span, first.span);
        } else {
            entries.insert(key, value);
        }
    }

    pub(super) fn duplicate(&mut self, name: &str, span: Span, first: Option<Span>) {
        if self.problems.is_full() {
            return;
        }
        let message = format!("{} is written twice", quoted(name));
        let problem = error("simulation::duplicate", span, message);
        let problem = match first {
            Some(first) => problem.at(first, "first written here"),
            None => problem,
        };
        self.problems
            .push(problem.help("rename or remove one of them"));
    }

    /// Reads `translation`, and `rpy` or `quaternion`.
    pub(super) fn pose_fields(&mut self, fields: &mut Fields<'_>) -> Isometry3<f64> {
        let translation = fields.vector(self, &ranges::TRANSLATION);
        let rpy = fields.read(self, "rpy", |reader, node, name| {
            let rpy = reader.numbers::<3>(node, name, &ranges::RPY)?;
            reader.doubt_angles(node, &rpy);
            Some((rpy, node.span))
        });
        let quaternion = fields.read(self, "quaternion", Self::quaternion);
        let rotation = match (rpy, quaternion) {
            (Some((_, span)), Some((_, other))) => {
                let problem = error("simulation::conflict", other, "a rotation is given twice")
                    .at(span, "the other one")
                    .help("keep `rpy` or `quaternion`");
                self.problems.push(problem);
                None
            }
            (Some(([roll, pitch, yaw], _)), None) => Some(rotation_from_rpy(roll, pitch, yaw)),
            (None, quaternion) => quaternion.map(|(rotation, _)| rotation),
        };
        Isometry3::from_parts(
            Translation3::from(translation.unwrap_or_default()),
            rotation.unwrap_or_default(),
        )
    }

    /// Warns of angles that are probably in degrees.
    fn doubt_angles(&mut self, node: &Node, rpy: &[f64; 3]) {
        let Some(angle) = rpy.iter().find(|angle| angle.abs() > TURN) else {
            return;
        };
        let message = format!("{} rad is more than a full turn", ValueRange::shown(*angle));
        let radians = (angle.to_radians() * 1e4).round() / 1e4;
        let warning = Diagnostic::warning("simulation::degrees", message)
            .at(node.span, "angles are in radians")
            .help(format!(
                "if degrees were meant, write {radians} instead of {angle}"
            ));
        self.problems.push(warning);
    }

    fn quaternion(
        &mut self,
        node: &Node,
        name: &str,
    ) -> Option<(nalgebra::UnitQuaternion<f64>, Span)> {
        let coordinates = self.numbers::<4>(node, name, &ranges::QUATERNION)?;
        let rotation = rotation_from_xyzw(coordinates);
        if rotation.is_none() {
            let problem = error(
                "simulation::out-of-range",
                node.span,
                "a quaternion of length zero",
            )
            .note("the order is x, y, z, w; no rotation is (0, 0, 0, 1)");
            self.problems.push(problem);
        }
        rotation.map(|rotation| (rotation, node.span))
    }

    pub(super) fn pose(&mut self, node: &Node, name: &str) -> Option<Isometry3<f64>> {
        if let Kind::Tuple(None, items) | Kind::List(items) = &node.kind
            && items.len() == 3
        {
            let message = format!(
                "{} must be named fields in `( )`, found {}",
                quoted(name),
                node.description()
            );
            let problem = error("simulation::wrong-type", node.span, message)
                .label("expected named fields")
                .help(format!(
                    "name the position: `{name}: (translation: (…))`; `rpy` or `quaternion` is the rotation"
                ));
            self.problems.push(problem);
            return None;
        }
        let mut fields = Fields::open(self, node, name)?;
        let pose = self.pose_fields(&mut fields);
        fields.finish(self);
        Some(pose)
    }
}
