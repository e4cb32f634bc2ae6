//! Hover: documentation and unit of an attribute, value of an expression, pose of a frame, attributes of a class.

use std::fmt::Write as _;

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use morse_diagnostics::Span;
use morse_robray::{Setting, Symbol};
use morse_scene::model::{Class, Frame, Joint, JointAxis, Scene, Value};
use nalgebra::Isometry3;

use super::Site;
use crate::program::Program;

/// Returns the description of the name or expression at a position, and its span.
pub(crate) fn hover(site: &Site, program: &dyn Program) -> Option<(Hover, Span)> {
    let (text, span) = name(site, program)
        .or_else(|| setting(site, program))
        .or_else(|| expression(site))
        .or_else(|| path(site))?;
    let contents = HoverContents::Markup(MarkupContent {
        kind: MarkupKind::Markdown,
        value: text,
    });
    Some((
        Hover {
            contents,
            range: None,
        },
        span,
    ))
}

/// Describes a frame, class, definition or variable.
fn name(site: &Site, program: &dyn Program) -> Option<(String, Span)> {
    let used = site
        .references()
        .map(|reference| (reference.symbol, &reference.name, reference.span));
    let declared = site.declarations();
    let declared =
        declared.map(|declaration| (declaration.symbol, &declaration.name, declaration.span));
    let (symbol, name, span) = used.chain(declared).min_by_key(|(symbol, ..)| *symbol)?;
    let scene = &site.scene.analysis.scene;
    let text = match symbol {
        Symbol::Frame => frame(scene, name)?,
        Symbol::Class => class(scene.class(name)?),
        Symbol::Definition => return definition(site, name, span),
        Symbol::Variable => variable(scene, name),
    };
    // A word such as `revolute` may also be the value of an attribute.
    let docs = site
        .setting()
        .and_then(|setting| program.scene_docs(setting.attribute.name));
    let docs = docs
        .filter(|_| symbol == Symbol::Variable)
        .unwrap_or_default();
    Some((text + &docs, span))
}

/// Describes a definition by its value at this position.
fn definition(site: &Site, name: &str, span: Span) -> Option<(String, Span)> {
    let index = &site.scene.analysis.index;
    let target = index
        .references
        .iter()
        .find(|reference| reference.span == span);
    let name_span = target
        .and_then(|reference| reference.target)
        .unwrap_or(span);
    // The value follows the name.
    let text = site.scene.analysis.sources.get(name_span.source)?.text();
    let rest = text.get(name_span.range().end..)?;
    let start = name_span.range().end + (rest.len() - rest.trim_start().len());
    let values = index.values.iter();
    let mut values = values.filter(|(span, _)| span.source == name_span.source);
    let value = values.find(|(span, _)| span.range().start == start);
    let value = value.map(|(span, value)| with_text(site.scene.slice(*span), *value));
    let value = value.unwrap_or_else(|| rest.lines().next().unwrap_or_default().trim().to_owned());
    Some((format!("```robray\ndef {name} {value}\n```\n"), span))
}

/// Returns a number after the expression that it is the value of, unless they are the same.
fn with_text(written: &str, value: f64) -> String {
    let shown = shown(value);
    match written == shown {
        true => shown,
        false => format!("{written} = {shown}"),
    }
}

/// Describes an attribute and its value.
fn setting(site: &Site, program: &dyn Program) -> Option<(String, Span)> {
    let setting = site.setting()?;
    let inner = site.value().filter(|(span, _)| *span != setting.span);
    if let Some((span, value)) = inner
        && !site.has(setting.name)
    {
        let text = format!(
            "```robray\n{}\n```\n",
            with_text(site.scene.slice(span), value)
        );
        return Some((text, span));
    }
    let mut text = String::new();
    if let Some(value) = &setting.value {
        writeln!(
            text,
            "```robray\n{} {};\n```",
            setting.attribute.name,
            written(value)
        )
        .ok();
    }
    text.push_str(&rules(setting));
    let word = match &setting.value {
        Some(Value::Name(word)) if site.has(setting.span) => program.scene_docs(word),
        _ => None,
    };
    let docs = word.or_else(|| program.scene_docs(setting.attribute.name));
    text.push_str(&docs.unwrap_or_default());
    let span = if site.has(setting.name) {
        setting.name
    } else {
        setting.span
    };
    Some((text, span))
}

/// Returns type, range and origin of an attribute.
fn rules(setting: &Setting) -> String {
    let attribute = setting.attribute;
    let mut text = attribute.kind.demand();
    if let Some(bounds) = attribute.bounds {
        write!(text, ", {bounds}").ok();
    }
    if attribute.extension {
        text.push_str(" (an extension of the language)");
    }
    text + "\n\n"
}

fn expression(site: &Site) -> Option<(String, Span)> {
    let (span, value) = site.value()?;
    let text = with_text(site.scene.slice(span), value);
    Some((format!("```robray\n{text}\n```\n"), span))
}

fn path(site: &Site) -> Option<(String, Span)> {
    let link = site.link()?;
    Some((format!("`{}`\n", link.path.display()), link.span))
}

/// Describes a frame by its poses, joint and mass.
pub(crate) fn frame(scene: &Scene, name: &str) -> Option<String> {
    let index = scene.frame_index(name)?;
    let frame = scene.frames().get(index)?;
    let parent = scene
        .parent_of(frame)
        .map_or("the root", |parent| &parent.name);
    let mut text = format!("```robray\nframe {name}\n```\n");
    let local = pose(&frame.pose);
    writeln!(
        text,
        "| in | translation, m | roll, pitch, yaw, rad |\n|---|---|---|"
    )
    .ok();
    writeln!(text, "| `{parent}` | {local} |").ok();
    if scene.cycle().is_none()
        && scene.parent_of(frame).is_some()
        && let Some(absolute) = scene.absolute_poses(|_| 0.0).get(index)
    {
        writeln!(text, "| the root | {} |", pose(absolute)).ok();
    }
    text.push('\n');
    text.push_str(&joint(&frame.joint));
    text.push_str(&mass(frame));
    Some(text)
}

fn pose(pose: &Isometry3<f64>) -> String {
    let translation: Vec<String> = pose.translation.vector.iter().map(|x| shown(*x)).collect();
    let (roll, pitch, yaw) = pose.rotation.euler_angles();
    let angles = [roll, pitch, yaw].map(shown);
    format!("{} | {}", translation.join(", "), angles.join(", "))
}

fn joint(joint: &Joint) -> String {
    let (word, axis, unit) = match joint {
        Joint::Fixed => return String::new(),
        Joint::Floating => return "floating joint\n\n".to_owned(),
        Joint::Revolute(axis) => ("revolute", axis, "rad"),
        Joint::Prismatic(axis) => ("prismatic", axis, "m"),
    };
    let numbers: Vec<String> = axis.axis.iter().map(|x| shown(*x)).collect();
    let mut text = format!(
        "{word} joint `{}` about [{}]",
        axis.variable,
        numbers.join(", ")
    );
    if word == "prismatic" {
        text = text.replace(" about ", " along ");
    }
    text.push_str(&limits(axis, unit));
    text + "\n\n"
}

fn limits(axis: &JointAxis, unit: &str) -> String {
    match axis.limits.position {
        Some([lower, upper]) => format!(", from {} to {} {unit}", shown(lower), shown(upper)),
        None => String::new(),
    }
}

fn mass(frame: &Frame) -> String {
    let mass = frame.mass.map(|mass| format!("mass {} kg", shown(mass)));
    let count = match frame.geometry.len() {
        0 => None,
        1 => Some("1 geometry".to_owned()),
        count => Some(format!("{count} geometries")),
    };
    let phrases: Vec<String> = mass.into_iter().chain(count).collect();
    phrases.join(", ") + "\n"
}

fn class(class: &Class) -> String {
    let mut text = format!("```robray\nclass {} {{\n", class.name);
    for base in &class.isa {
        writeln!(text, "  isa {base};").ok();
    }
    for (name, value) in &class.attributes {
        writeln!(text, "  {name} {};", written(value)).ok();
    }
    text + "}\n```\n"
}

/// Describes a configuration variable by the joints that it moves.
pub(crate) fn variable(scene: &Scene, name: &str) -> String {
    let is_moved = |frame: &&Frame| frame.joint.axis().is_some_and(|axis| axis.variable == name);
    let frames = scene.frames().iter().filter(is_moved);
    let mut text = format!("configuration variable `{name}`\n\n");
    for frame in frames.take(20) {
        write!(
            text,
            "- `{}`: {}",
            frame.name,
            joint(&frame.joint).trim_end()
        )
        .ok();
        text.push('\n');
    }
    text + "\n"
}

fn written(value: &Value) -> String {
    match value {
        Value::Number(number) => shown(*number),
        Value::Numbers(numbers) => {
            let numbers: Vec<String> = numbers.iter().map(|number| shown(*number)).collect();
            format!("[{}]", numbers.join(", "))
        }
        Value::Name(name) => name.clone(),
    }
}

/// Returns a number with at most nine digits after the point.
pub(crate) fn shown(number: f64) -> String {
    let rounded = (number * 1e9).round() / 1e9;
    let is_exact = rounded == 0.0 && number != 0.0 || number.abs() > 1e15;
    let number = if is_exact { number } else { rounded };
    // Zero has no sign.
    format!("{}", number + 0.0)
}
