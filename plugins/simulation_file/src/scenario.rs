//! Scenario files: a simulation, timed commands, and the conditions that the run must meet.

use std::ops::Range;
use std::sync::Arc;

use morse_diagnostics::{Diagnostic, SourceId, Sources, Span};
use morse_scene::bounds::Bounds;
use serde_json::Value as Json;

use super::condition::{Condition, Demand};
use super::expression::ExpressionError;
use super::fields::Fields;
use super::index::Recorder;
use super::load::{parsed, text_of};
use super::model::Named;
use super::problem::{Problems, Wording as _, error, quoted};
use super::ranges::Number;
use super::read::named;
use super::reader::Reader;
use super::span::Spanned;
use super::tree::{Kind, Node};

/// Content of a scenario file.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Path of the simulation file or scene, relative to the scenario; by default the one beside the scenario.
    pub simulation: Option<Spanned<String>>,
    /// Simulated time at which a run ends, s.
    pub length: f64,
    /// Wall-clock time after which a run fails, s.
    pub timeout: Option<f64>,
    /// Values to set in the simulation file: `path=value`.
    pub set: Vec<String>,
    /// Commands for actuators, in the order of their times.
    pub commands: Vec<TimedCommand>,
    /// Conditions that must be met, by name.
    pub conditions: Named<Condition>,
}

/// Command for an actuator at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedCommand {
    /// Simulated time, s; the command takes effect in the next tick.
    pub at: f64,
    /// Path of the actuator.
    pub to: Spanned<String>,
    /// Fields of the command; absent fields keep their values.
    pub fields: serde_json::Map<String, Json>,
}

/// Reads a scenario file; `name` is its name in messages.
///
/// # Errors
///
/// Returns all errors of the file in one pass.
pub fn read_scenario(
    name: &str,
    bytes: &[u8],
    sources: &mut Sources,
) -> Result<Scenario, Vec<Diagnostic>> {
    read_file((name, bytes), sources, "Scenario", |reader, root, _| {
        scenario(reader, root)
    })
}

/// Reads a file whose root value has the name `of`; `read` receives the root and the text.
pub(super) fn read_file<T>(
    (name, bytes): (&str, &[u8]),
    sources: &mut Sources,
    of: &str,
    read: impl FnOnce(&mut Reader<'_>, &Node, &str) -> Option<T>,
) -> Result<T, Vec<Diagnostic>> {
    let (text, objection) = text_of(bytes);
    let text: Arc<str> = text.into();
    let source = sources.add(name, Arc::clone(&text));
    let mut problems = Problems::new(false);
    if let Some(objection) = objection {
        let end = Span::new(source, text.len()..text.len());
        return Err(vec![objection.at(end, "")]);
    }
    let Some(root) = parsed(&text, source, of, &mut problems, false) else {
        return Err(problems.into_sorted());
    };
    let mut index = Recorder::default();
    let mut reader = Reader {
        vocabulary: &(),
        problems: &mut problems,
        file: source,
        index: &mut index,
        middlewares: std::collections::BTreeMap::new(),
    };
    let content = read(&mut reader, &root, &text);
    let diagnostics = problems.into_sorted();
    match content {
        Some(content) if diagnostics.is_empty() => Ok(content),
        _ => Err(diagnostics),
    }
}

/// Maximum time, s: about thirty years.
const LONG: f64 = 1e9;

pub(super) const LENGTH: Number = Number {
    path: "length",
    bounds: Bounds::between(1e-6, LONG),
    help: "in simulated seconds",
};
pub(super) const TIMEOUT: Number = Number {
    path: "timeout",
    bounds: Bounds::between(1e-6, LONG),
    help: "in seconds by the wall clock",
};
const TIME: Number = Number {
    path: "at",
    bounds: Bounds::between(0.0, LONG),
    help: "in simulated seconds from the start",
};
const TOLERANCE: Number = Number {
    path: "tolerance",
    bounds: Bounds::between(0.0, 1e12),
    help: "in the unit of the value",
};

const VALUE: Number = Number {
    path: "of",
    bounds: Bounds::ANY,
    help: "write it with fewer digits",
};

/// Reads a number in its range.
pub(super) fn number<'s>(
    field: &'static Number,
) -> impl FnOnce(&mut Reader<'s>, &Node, &str) -> Option<f64> {
    move |reader, node, name| reader.number(node, name, field)
}

fn scenario(reader: &mut Reader<'_>, root: &Node) -> Option<Scenario> {
    let mut fields = Fields::open(reader, root, "Scenario")?;
    let simulation = fields.read(reader, "simulation", Reader::text);
    let help = "add `length: 30`: the simulated seconds after which a run ends";
    let length = fields.need(reader, "length", help, number(&LENGTH));
    let timeout = fields.read(reader, "timeout", number(&TIMEOUT));
    let set = fields.read(reader, "set", |reader, node, name| {
        let items = reader.list(node, name).iter();
        let texts = items.filter_map(|item| reader.text(item, name));
        Some(texts.map(|text| text.value).collect::<Vec<_>>())
    });
    let commands = fields.read(reader, "commands", |reader, node, name| {
        let items = reader.list(node, name).iter();
        let commands = items.filter_map(|item| command(reader, item));
        Some(commands.collect::<Vec<_>>())
    });
    let help = "add `conditions: { \"arrives\": reach(when: \"rover.pose.x > 3.9\") }`";
    let conditions = fields.need(reader, "conditions", help, |reader, node, name| {
        let conditions = named(reader, node, name, |reader, node, _| {
            condition(reader, node, length)
        });
        Some((conditions, node.span))
    });
    fields.finish(reader);
    let (conditions, conditions_span) = conditions?;
    if conditions.is_empty() {
        let message = "a scenario without conditions cannot fail";
        reader
            .problems
            .push(error("simulation::missing-field", conditions_span, message).help(help));
    }
    let mut commands = commands.unwrap_or_default();
    commands.sort_by(|one, other| one.at.total_cmp(&other.at));
    Some(Scenario {
        simulation,
        length: length?,
        timeout,
        set: set.unwrap_or_default(),
        commands,
        conditions,
    })
}

fn command(reader: &mut Reader<'_>, node: &Node) -> Option<TimedCommand> {
    let mut fields = Fields::open(reader, node, "a command")?;
    let at = fields.read(reader, "at", number(&TIME));
    let help = "add `to: \"rover.motion\"`, the path of an actuator";
    let to = fields.need(reader, "to", help, Reader::text);
    let help = "add `command: (v: 0.5)`, fields of the actuator's command";
    let command = fields.need(reader, "command", help, |reader, node, name| {
        match json(node) {
            Json::Object(fields) => Some(fields),
            Json::Array(items) if items.is_empty() => Some(serde_json::Map::new()),
            _ => reader.refuse(node, name, "named fields in `( )`"),
        }
    });
    fields.finish(reader);
    Some(TimedCommand {
        at: at.unwrap_or(0.0),
        to: to?,
        fields: command?,
    })
}

/// Converts a value to JSON, in which variants become their names.
fn json(node: &Node) -> Json {
    match &node.kind {
        Kind::Bool(value) => (*value).into(),
        Kind::Integer(value) => (*value as f64).into(),
        Kind::Float(value) => (*value).into(),
        Kind::Text(text) | Kind::Word(text) => text.clone().into(),
        Kind::Character(letter) => letter.to_string().into(),
        Kind::List(items) | Kind::Tuple(_, items) => items.iter().map(json).collect(),
        Kind::Struct(_, fields) => {
            let fields = fields.iter();
            let fields = fields.map(|field| (field.name.value.clone(), json(&field.value)));
            Json::Object(fields.collect())
        }
        Kind::Map(pairs) => {
            let pairs = pairs.iter();
            let pairs =
                pairs.filter_map(|(key, value)| Some((key.as_word()?.to_owned(), json(value))));
            Json::Object(pairs.collect())
        }
    }
}

const DEMANDS: [&str; 4] = ["reach", "stay", "never", "within"];

fn condition(reader: &mut Reader<'_>, node: &Node, length: Option<f64>) -> Option<Condition> {
    let name = node.name().map(|name| name.value.as_str());
    let Some(word) = name.and_then(|name| DEMANDS.into_iter().find(|word| *word == name)) else {
        let message = match name {
            Some(name) => format!("{} is no condition", quoted(name)),
            None => format!("expected a condition, found {}", node.description()),
        };
        let problem = error("simulation::unknown-word", node.name_span(), message)
            .known(name.unwrap_or_default(), DEMANDS)
            .help("write `reach(when: \"rover.pose.x > 3.9\", before: 30)`");
        reader.problems.push(problem);
        return None;
    };
    let mut fields = Fields::open_variant(reader, node, word)?;
    let demand = if word == "within" {
        let value = fields.need(reader, "value", "add `value: \"rover.pose.x\"`", term);
        let target = fields.need(reader, "of", "add `of: 4`, the target", target);
        let (value, span) = value?;
        target.map(|target| (Demand::Within { value, target }, span))
    } else {
        let help = "add `when: \"rover.pose.x > 3.9\"`";
        let when = fields.need(reader, "when", help, expression);
        when.map(|(when, span)| match word {
            "reach" => (Demand::Reach(when), span),
            "stay" => (Demand::Stay(when), span),
            _ => (Demand::Never(when), span),
        })
    };
    let tolerance = if word == "within" {
        fields.need(
            reader,
            "tolerance",
            "add `tolerance: 0.1`",
            number(&TOLERANCE),
        )
    } else {
        fields.read(reader, "tolerance", number(&TOLERANCE))
    };
    let end = if word == "reach" { "before" } else { "until" };
    let from = interval_end(reader, &mut fields, "from", length);
    let until = interval_end(reader, &mut fields, end, length);
    if let (Some(from), Some(until)) = (&from, &until)
        && from.value > until.value
    {
        let message = format!("the interval ends before it begins, at {} s", from.value);
        let span = until.span.unwrap_or(fields.span);
        reader
            .problems
            .push(error("simulation::out-of-range", span, message));
    }
    fields.finish(reader);
    let (demand, span) = demand?;
    Some(Condition {
        demand,
        tolerance: tolerance.unwrap_or(0.0),
        from: from.map(|from| from.value),
        until: until.map(|until| until.value),
        span: Some(span),
    })
}

/// Reads a time within the run.
fn interval_end(
    reader: &mut Reader<'_>,
    fields: &mut Fields<'_>,
    name: &'static str,
    length: Option<f64>,
) -> Option<Spanned<f64>> {
    fields.read(reader, name, |reader, node, name| {
        let value = reader.number(node, name, &TIME)?;
        match length {
            Some(length) if value > length => reader.out_of_range(
                node,
                name,
                &format!("at most {length} s, when the run has ended"),
            ),
            _ => Some(Spanned::new(value, node.span)),
        }
    })
}

fn expression(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &str,
) -> Option<(super::Expression, Span)> {
    let text = reader.text(node, name)?;
    match text.value.parse() {
        Ok(expression) => Some((expression, node.span)),
        Err(mistake) => refused(reader, node, &text, &mistake),
    }
}

pub(super) fn term(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &str,
) -> Option<(super::Term, Span)> {
    let text = reader.text(node, name)?;
    match text.value.parse() {
        Ok(term) => Some((term, node.span)),
        Err(mistake) => refused(reader, node, &text, &mistake),
    }
}

/// Reads a number, or a reference to data.
fn target(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<super::Term> {
    if let Kind::Integer(_) | Kind::Float(_) = node.kind {
        return reader.number(node, name, &VALUE).map(super::Term::Number);
    }
    term(reader, node, name).map(|(term, _)| term)
}

fn refused<T>(
    reader: &mut Reader<'_>,
    node: &Node,
    text: &str,
    mistake: &ExpressionError,
) -> Option<T> {
    let span = within_literal(node.span, text, &mistake.at, reader.file);
    let problem = error("simulation::expression", span, mistake.message.clone()).help(
        "write `rover.pose.x > 3.9`, `rover.bumper.collision`, or `distance(rover.pose, (4, 0, 0)) < 0.2`, \
         joined by `and` and `or`",
    );
    reader.problems.push(problem);
    None
}

/// Returns the span of a range of a text inside its literal, for literals without escape sequences.
fn within_literal(literal: Span, text: &str, bytes: &Range<usize>, file: SourceId) -> Span {
    let range = literal.range();
    if literal.source != file || range.len() != text.len() + 2 {
        return literal;
    }
    let start = range.start + 1;
    // An empty range is shown as one character.
    let end = bytes.end.max(bytes.start + 1).min(text.len() + 1);
    Span::new(file, start + bytes.start..start + end)
}

#[cfg(test)]
mod tests;
