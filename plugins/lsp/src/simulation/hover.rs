//! Hover in simulation files: documentation of fields, kinds and settings, and the frames that names refer to.

use std::ops::Range;

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};

use super::Site;
use super::names::Target;
use crate::scene::hover::{frame, variable};

/// Returns the description of the name or value at a position.
pub(crate) fn hover(site: &Site<'_>) -> Option<Hover> {
    let (value, range) = name(site)
        .or_else(|| kind(site))
        .or_else(|| field(site))
        .or_else(|| word(site))?;
    let kind = MarkupKind::Markdown;
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind, value }),
        range: Some(site.range(range)),
    })
}

fn name(site: &Site<'_>) -> Option<(String, Range<usize>)> {
    let name = site.names().into_iter().next()?;
    let scene = site.world.as_ref().map(|world| &world.scene);
    let text = match &name.target {
        Target::Frame(name) => frame(scene?, name)?,
        Target::Variable(name) => variable(scene?, name),
        Target::Robot(_) | Target::Component { .. } | Target::Middleware(_) | Target::File(_) => {
            return None;
        }
    };
    Some((text, name.span.range()))
}

fn kind(site: &Site<'_>) -> Option<(String, Range<usize>)> {
    let choices = site.analysis.index.choices.iter();
    let mut choices = choices.filter(|choice| {
        let range = choice.span.range();
        range.start <= site.offset && site.offset <= range.end
    });
    let choice = choices.find(|choice| choice.family.is_some())?;
    let word = site
        .document
        .text
        .get(choice.span.range())?
        .trim_matches('"');
    let text = site.program.kind_docs(choice.family?, word)?;
    Some((text, choice.span.range()))
}

fn field(site: &Site<'_>) -> Option<(String, Range<usize>)> {
    let (form, field) = site.field()?;
    Some((site.docs(form, &field.name)?, field.name_span.range()))
}

/// Describes the field of a word of a fixed set.
fn word(site: &Site<'_>) -> Option<(String, Range<usize>)> {
    let (form, field) = site.field_of_value()?;
    let is_word = site
        .analysis
        .index
        .choices
        .iter()
        .any(|choice| choice.span == field.value);
    let text = site.docs(form, &field.name).filter(|_| is_word)?;
    Some((text, field.value.range()))
}
