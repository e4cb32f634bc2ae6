//! Reader of components: sensors, actuators, modifiers, middlewares. The common fields are read here, all others by the
//! component's kind.

use morse_diagnostics::Span;

use super::fields::Fields;
use super::model::{
    Actuator, Component, CountedFrom, Input, Middleware, Modifier, Mount, Named, On, Output,
    Overlay, Policy, Sensor, Settings,
};
use super::problem::{Wording as _, error, listing, quoted};
use super::ranges;
use super::read::named;
use super::reader::Reader;
use super::settings::{self, Written};
use super::span::Spanned;
use super::tree::{Field, Kind, Node};
use super::vocabulary::Family;

const COUNTED_FROM: &[(&str, CountedFrom)] =
    &[("tip", CountedFrom::Tip), ("base", CountedFrom::Base)];

/// Common fields that are also passed to a kind whose settings have fields of these names.
const SHARED: &[&str] = &["level", "frequency", "active"];

pub(super) fn sensor(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &Spanned<String>,
) -> Option<Sensor> {
    let mut fields = Fields::open(reader, node, name)?;
    let shared = fields.some_of(SHARED);
    let mut component = component(reader, &mut fields, Family::Sensor);
    let outputs = fields.read(reader, "outputs", outputs);
    let kind = &component.kind;
    component.settings = settings_of(reader, Family::Sensor, kind, fields, shared);
    Some(Sensor {
        component,
        outputs: outputs.unwrap_or_default(),
    })
}

pub(super) fn actuator(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &Spanned<String>,
) -> Option<Actuator> {
    let mut fields = Fields::open(reader, node, name)?;
    let shared = fields.some_of(SHARED);
    let mut component = component(reader, &mut fields, Family::Actuator);
    let inputs = fields.read(reader, "inputs", inputs);
    let kind = &component.kind;
    let start = fields.read(reader, "start", |reader, node, name| {
        let fields = Fields::open(reader, node, name)?;
        Some(settings_of(
            reader,
            Family::Command,
            kind,
            fields,
            Vec::new(),
        ))
    });
    component.settings = settings_of(reader, Family::Actuator, kind, fields, shared);
    Some(Actuator {
        component,
        start,
        inputs: inputs.unwrap_or_default(),
    })
}

/// Reads `(kind: …, of: …, settings …)`; `of` is absent for a kind that belongs to a robot.
pub(super) fn overlay(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &Spanned<String>,
) -> Option<Overlay> {
    let mut fields = Fields::open(reader, node, name)?;
    let kind = kind(reader, &mut fields, Family::Overlay);
    let lies_over_robot = reader.vocabulary.lies_over_robot(&kind);
    let of = if lies_over_robot {
        None
    } else {
        let help = "add `of: \"…\"`, with the name of the component to which it belongs";
        Some(fields.need(reader, "of", help, Reader::text)?)
    };
    let beside = fields.read(reader, "beside", Reader::boolean);
    let services = fields.read(reader, "services", middleware_names);
    let settings = settings_of(reader, Family::Overlay, &kind, fields, Vec::new());
    Some(Overlay {
        kind,
        of,
        beside: beside.unwrap_or(lies_over_robot),
        services: services.unwrap_or_default(),
        settings,
    })
}

/// Reads `(kind: …, settings …)`.
pub(super) fn middleware(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &Spanned<String>,
) -> Option<Middleware> {
    let (kind, settings) = kind_and_settings(reader, node, name, Family::Middleware)?;
    Some(Middleware { kind, settings })
}

/// Reads the fields that all components share.
fn component(reader: &mut Reader<'_>, fields: &mut Fields<'_>, family: Family) -> Component {
    let kind = kind(reader, fields, family);
    let level = fields.read(reader, "level", Reader::word);
    let frequency = fields.spanned_number(reader, &ranges::FREQUENCY);
    let active = fields.read(reader, "active", Reader::boolean);
    let mount = fields.read(reader, "mount", mount);
    let on = fields.read(reader, "on", on);
    let modifiers = fields.read(reader, "modifiers", |reader, node, name| {
        let list = reader.list(node, name);
        let read = |node| modifier(reader, node);
        Some(list.iter().filter_map(read).collect())
    });
    let services = fields.read(reader, "services", middleware_names);
    Component {
        kind,
        level,
        frequency,
        active: active.unwrap_or(true),
        mount: mount.unwrap_or_default(),
        on,
        modifiers: modifiers.unwrap_or_default(),
        services: services.unwrap_or_default(),
        settings: Settings::default(),
    }
}

fn modifier(reader: &mut Reader<'_>, node: &Node) -> Option<Modifier> {
    let (kind, settings) = kind_and_settings(reader, node, "modifier", Family::Modifier)?;
    Some(Modifier { kind, settings })
}

fn kind_and_settings(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &str,
    family: Family,
) -> Option<(Spanned<String>, Settings)> {
    let mut fields = Fields::open(reader, node, name)?;
    let kind = kind(reader, &mut fields, family);
    let settings = settings_of(reader, family, &kind, fields, Vec::new());
    Some((kind, settings))
}

/// Reads the kind, and reports an unknown one. Returns an empty word if it is absent.
fn kind(reader: &mut Reader<'_>, fields: &mut Fields<'_>, family: Family) -> Spanned<String> {
    let is_first = fields.is_first("kind");
    let words = reader.vocabulary.words(family);
    if let Some(span) = fields.value_span("kind") {
        reader
            .index
            .choice(span, words.iter().copied(), Some(family));
    }
    let Some(field) = fields.take("kind") else {
        let known = listing(&words).unwrap_or_default();
        let help = format!("add `kind: …` as the first field: one of {known}");
        fields.missing(reader, "kind", &help);
        return Spanned::default();
    };
    let Some(kind) = reader.word(&field.value, "kind") else {
        return Spanned::default();
    };
    let span = kind.span.unwrap_or(fields.span);
    if !is_first {
        let message = "`kind` must be the first field, since it determines the others";
        let problem = error("simulation::kind-first", span, message)
            .help("move `kind` in front of the other fields");
        reader.problems.push(problem);
    }
    if !words.contains(&kind.value.as_str()) && !reader.problems.is_full() {
        let message = format!("unknown {} {}", family.noun(), quoted(&kind));
        let problem = error("simulation::unknown-kind", span, message).known(&kind, words);
        let elsewhere = Family::KINDS.into_iter().find(|other| {
            let words = reader.vocabulary.words(*other);
            words.contains(&kind.value.as_str())
        });
        reader.problems.push(match elsewhere {
            Some(other) => problem.note(format!("{} is a kind of {}", quoted(&kind), other.noun())),
            None => problem,
        });
    }
    kind
}

/// Passes all remaining fields to the kind. The fields of an unknown kind are not checked.
fn settings_of(
    reader: &mut Reader<'_>,
    family: Family,
    kind: &Spanned<String>,
    fields: Fields<'_>,
    common: Vec<&Field>,
) -> Settings {
    reader.index.close(fields.form, &fields.known);
    reader.index.kind(fields.form, family, kind);
    // The settings of an output or input are looked up by the middleware's kind.
    let kinds = match family {
        Family::Output | Family::Input => Family::Middleware,
        Family::Command => Family::Actuator,
        Family::Sensor
        | Family::Actuator
        | Family::Modifier
        | Family::Overlay
        | Family::Middleware => family,
    };
    if !reader
        .vocabulary
        .words(kinds)
        .contains(&kind.value.as_str())
    {
        return Settings::default();
    }
    let kind_span = kind.span.unwrap_or_else(|| start_of(fields.span));
    let common_names = fields.known.clone();
    let written = Written {
        family,
        word: &kind.value,
        kind: kind_span,
        own: fields.rest(),
        common,
        common_names: &common_names,
        file: reader.file,
    };
    settings::read(written, reader.vocabulary, reader.problems)
}

fn start_of(span: Span) -> Span {
    Span {
        end: span.start.saturating_add(1),
        ..span
    }
}

fn mount(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Mount> {
    let mut fields = Fields::open(reader, node, name)?;
    let pose = reader.pose_fields(&mut fields);
    let frame = fields.read(reader, "frame", Reader::text);
    fields.finish(reader);
    Some(Mount { pose, frame })
}

/// Reads `"arm"` or `(component: "arm", from: base)`.
fn on(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<On> {
    if !matches!(node.kind, Kind::Struct(..)) {
        return Some(On {
            component: reader.text(node, name)?,
            from: CountedFrom::Tip,
        });
    }
    let mut fields = Fields::open(reader, node, name)?;
    let help = "add `component: \"…\"`, with the name of the component that carries it";
    let component = fields.need(reader, "component", help, Reader::text);
    let from = fields.read(reader, "from", |reader, node, name| {
        reader.choice(node, name, COUNTED_FROM)
    });
    fields.finish(reader);
    Some(On {
        component: component?,
        from: from.unwrap_or_default(),
    })
}

/// Reads a list of middlewares.
pub(super) fn middleware_names(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &str,
) -> Option<Vec<Spanned<String>>> {
    let mut names: Vec<Spanned<String>> = Vec::new();
    for item in reader.list(node, name) {
        let Some(text) = reader.text(item, name) else {
            continue;
        };
        match names.iter().find(|other| **other == text) {
            Some(first) => reader.duplicate(&text, item.span, first.span),
            None => names.push(text),
        }
    }
    Some(names)
}

/// Reads a map of middlewares with settings, or a list of their names.
fn through<T>(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &str,
    mut read: impl FnMut(&mut Reader<'_>, Option<&Node>, &Spanned<String>) -> Option<T>,
) -> Named<T> {
    if node.items().is_none_or(<[Node]>::is_empty) && !matches!(node.kind, Kind::List(_)) {
        return named(reader, node, name, |reader, node, name| {
            read(reader, Some(node), name)
        });
    }
    let names = middleware_names(reader, node, name).unwrap_or_default();
    let mut entries = Named::new();
    for name in names {
        if let Some(value) = read(reader, None, &name) {
            entries.insert(name, value);
        }
    }
    entries
}

fn outputs(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Named<Output>> {
    Some(through(reader, node, name, |reader, node, middleware| {
        let node = node_or_empty(node, middleware)?;
        let mut fields = Fields::open(reader, &node, middleware)?;
        let policy = fields.read(reader, "policy", policy);
        let kind = kind_of(reader, middleware);
        Some(Output {
            policy,
            settings: settings_of(reader, Family::Output, &kind, fields, Vec::new()),
        })
    }))
}

fn inputs(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Named<Input>> {
    Some(through(reader, node, name, |reader, node, middleware| {
        let node = node_or_empty(node, middleware)?;
        let fields = Fields::open(reader, &node, middleware)?;
        let kind = kind_of(reader, middleware);
        Some(Input {
            settings: settings_of(reader, Family::Input, &kind, fields, Vec::new()),
        })
    }))
}

/// Returns empty settings for a name in a list.
fn node_or_empty<'n>(
    node: Option<&'n Node>,
    name: &Spanned<String>,
) -> Option<std::borrow::Cow<'n, Node>> {
    match (node, name.span) {
        (Some(node), _) => Some(std::borrow::Cow::Borrowed(node)),
        (None, Some(span)) => {
            let empty = Node::new(span, Kind::Tuple(None, Vec::new()));
            Some(std::borrow::Cow::Owned(empty))
        }
        (None, None) => None,
    }
}

/// Returns the kind of a middleware; an empty word if the middleware does not exist.
fn kind_of(reader: &Reader<'_>, middleware: &str) -> Spanned<String> {
    let kind = reader.middlewares.get(middleware).cloned();
    Spanned::from(kind.unwrap_or_default())
}

fn policy(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Policy> {
    const WANTED: &str = "latest, queue(…) or lockstep(…)";
    let word = node
        .name()
        .map(|name| name.value.as_str())
        .or(node.as_word());
    match (word, &node.kind) {
        (Some("latest"), Kind::Word(_) | Kind::Text(_)) => Some(Policy::Latest),
        (Some("queue"), Kind::Tuple(_, items)) if items.len() == 1 => {
            let length = reader.count(items.first()?, "queue", 1_000_000)?;
            Some(Policy::Queue(length))
        }
        (Some("lockstep"), Kind::Tuple(_, items)) if items.len() == 1 => {
            let seconds = reader.number(items.first()?, "lockstep", &ranges::LOCKSTEP)?;
            Some(Policy::Lockstep(seconds))
        }
        (Some("queue"), _) => reader.refuse(node, name, "queue(n), with the number of readings"),
        (Some("lockstep"), _) => {
            reader.refuse(node, name, "lockstep(t), with the longest wait in s")
        }
        (Some(word), _) => {
            let message = format!("{} is not a value of {}", quoted(word), quoted(name));
            let problem = error("simulation::unknown-word", node.span, message)
                .known(word, ["latest", "queue", "lockstep"]);
            reader.problems.push(problem);
            None
        }
        (None, _) => reader.refuse(node, name, WANTED),
    }
}
