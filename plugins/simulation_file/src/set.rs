//! `--set path=value`: sets a value in the tree before anything is read from it.

use morse_diagnostics::{Diagnostic, SourceId, Span};

use super::parser::parse;
use super::problem::{Problems, Wording as _, error, quoted};
use super::span::Spanned;
use super::tree::{Field, Kind, Node};

const EXAMPLE: &str = "write `--set environment.seed=3`";

/// Applies one argument; reports errors at the argument's own text.
pub(super) fn apply(root: &mut Node, argument: &str, source: SourceId, problems: &mut Problems) {
    let whole = Span::new(source, 0..argument.len());
    let Some((path, text)) = argument.split_once('=') else {
        let message = "`--set` requires a path, `=`, and a value";
        problems.push(error("simulation::set", whole, message).help(EXAMPLE));
        return;
    };
    let from = path.len() + 1;
    let steps = steps(path, source);
    if steps.iter().any(|step| step.value.is_empty()) {
        let problem = error("simulation::set", whole, "the path has an empty part");
        problems.push(problem.help(EXAMPLE));
        return;
    }
    if text.trim().is_empty() {
        let end = Span::new(source, from..argument.len());
        problems.push(error("simulation::set", end, "the value is missing").help(EXAMPLE));
        return;
    }
    let Some(value) = value(argument, source, from, problems) else {
        return;
    };
    if let Err(problem) = put(root, "the file", &steps, value) {
        problems.push(*problem);
    }
}

/// Splits a dotted path into its steps, each with its span.
fn steps(path: &str, source: SourceId) -> Vec<Spanned<String>> {
    let mut start = 0;
    path.split('.')
        .map(|segment| {
            let span = Span::new(source, start..start + segment.len());
            start += segment.len() + 1;
            Spanned::new(segment.trim().to_owned(), span)
        })
        .collect()
}

/// Parses the value: RON, or the name of a file without quotes, since shells remove them.
fn value(argument: &str, source: SourceId, from: usize, problems: &mut Problems) -> Option<Node> {
    let text = argument.get(from..).unwrap_or_default();
    let mut own_problems = Problems::new(false);
    let parsed = parse(argument, source, from, &mut own_problems);
    if parsed.sound && parsed.root.is_some() {
        own_problems
            .into_sorted()
            .into_iter()
            .for_each(|problem| problems.push(problem));
        return parsed.root;
    }
    let starts_like_a_name =
        text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '.' | '/'));
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | '+');
    if starts_like_a_name && text.chars().all(is_name) {
        let span = Span::new(source, from..argument.len());
        return Some(Node::new(span, Kind::Text(text.to_owned())));
    }
    own_problems
        .into_sorted()
        .into_iter()
        .for_each(|problem| problems.push(problem));
    None
}

/// Result of a change; the diagnostic is boxed because it is large and rare.
type Outcome = Result<(), Box<Diagnostic>>;

fn put(node: &mut Node, name: &str, path: &[Spanned<String>], value: Node) -> Outcome {
    let Some((step, rest)) = path.split_first() else {
        *node = value;
        return Ok(());
    };
    // Empty parentheses, and `None`, can become named fields.
    let is_empty = matches!(&node.kind, Kind::Tuple(_, items) if items.is_empty());
    if is_empty || node.is_none() {
        node.kind = Kind::Struct(node.name().cloned(), Vec::new());
    }
    let actual = node.description();
    match &mut node.kind {
        Kind::Struct(_, fields) => put_field(fields, step, rest, value),
        Kind::Map(pairs) => put_entry(pairs, name, path, value),
        Kind::List(items) | Kind::Tuple(_, items) => {
            let count = items.len();
            let index = step.value.parse().ok();
            match index.and_then(|index: usize| items.get_mut(index)) {
                Some(item) => put(item, step, rest, value),
                None => {
                    let message = format!("{} has no part {}", quoted(name), quoted(step));
                    let note = format!("its {count} values are counted from 0");
                    Err(Box::new(wrong(step, &message).note(note)))
                }
            }
        }
        _ => {
            let message = format!("{} is {actual}, which has no parts", quoted(name));
            Err(Box::new(wrong(step, &message)))
        }
    }
}

/// Sets a field, or adds it if it is absent; the reader reports later if the field does not exist.
fn put_field(
    fields: &mut Vec<Field>,
    step: &Spanned<String>,
    rest: &[Spanned<String>],
    value: Node,
) -> Outcome {
    if let Some(field) = fields.iter_mut().find(|field| field.name == *step) {
        return put(&mut field.value, step, rest, value);
    }
    let span = step.span.unwrap_or(value.span);
    let mut made = Node::new(span, Kind::Tuple(None, Vec::new()));
    put(&mut made, step, rest, value)?;
    let field = Field {
        name: step.clone(),
        value: made,
    };
    // The kind must be the first field.
    let index = if step.value == "kind" {
        0
    } else {
        fields.len()
    };
    fields.insert(index, field);
    Ok(())
}

/// Sets an entry of a map. The entry's name may contain dots: the longest matching name is used.
fn put_entry(
    pairs: &mut Vec<(Node, Node)>,
    map: &str,
    path: &[Spanned<String>],
    value: Node,
) -> Outcome {
    for length in (1..=path.len()).rev() {
        let (name, rest) = path.split_at(length);
        let name = joined(name);
        let entry = pairs
            .iter_mut()
            .find(|(key, _)| key.as_word() == Some(name.as_str()));
        if let Some((_, entry)) = entry {
            return put(entry, &name, rest, value);
        }
    }
    match path {
        [name] => {
            let span = name.span.unwrap_or(value.span);
            let key = Node::new(span, Kind::Text(name.value.clone()));
            pairs.push((key, value));
            Ok(())
        }
        [name, ..] => {
            let message = format!("{} has no entry {}", quoted(map), quoted(name));
            let names = pairs.iter().filter_map(|(key, _)| key.as_word());
            Err(Box::new(wrong(name, &message).known(name, names)))
        }
        [] => Ok(()),
    }
}

fn joined(path: &[Spanned<String>]) -> String {
    let segments: Vec<&str> = path.iter().map(|step| step.value.as_str()).collect();
    segments.join(".")
}

fn wrong(step: &Spanned<String>, message: &str) -> Diagnostic {
    match step.span {
        Some(span) => error("simulation::set", span, message),
        None => Diagnostic::error("simulation::set", message),
    }
}
