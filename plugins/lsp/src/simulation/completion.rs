//! Completion in simulation files: fields, kinds with their settings, words, and names of the scene.
//!
//! The word at the position is replaced by a placeholder, and the text is read with it: the reader then records which fields
//! and words could stand there.

use lsp_types::{CompletionItem, CompletionItemKind};
use morse_simulation_file::index::Form;
use morse_simulation_file::slot::{Expected, Slot};
use morse_simulation_file::{Analysis, Family, Simulation, analyse};

use super::Site;
use super::names::{prefix, robot};
use crate::markdown;
use crate::scene::completion::{files, item};

/// Placeholder for a name or word.
const PLACEHOLDER: &str = "placeholder_of_the_editor";

/// Returns all items; the client selects those that begin with the word at the position.
pub(crate) fn items(site: &Site<'_>, slot: &Slot) -> Vec<CompletionItem> {
    match slot.expected {
        Expected::Nothing => Vec::new(),
        Expected::Field => fields(site, slot),
        Expected::Key => keys(site, slot),
        Expected::Value => values(site, slot),
    }
}

/// Returns the analysis of the text with a placeholder: of the whole text, or of the text before the position if what follows
/// prevents that.
fn with_placeholder(site: &Site<'_>, slot: &Slot, inserted: &str) -> Option<(Analysis, usize)> {
    let text: &str = &site.document.text;
    let before = text.get(..slot.word.start)?;
    let before = if slot.quoted {
        before.strip_suffix('"')?
    } else {
        before
    };
    let after = text.get(slot.word.end..)?;
    let after = if slot.quoted {
        after.strip_prefix('"').unwrap_or(after)
    } else {
        after
    };
    let is_last = after.trim_start().starts_with([',', ')', ']', '}']);
    let comma = if is_last { "" } else { "," };
    let vocabulary = site.program.vocabulary();
    let offset = before.len();
    let candidates = [
        format!("{before}{inserted}{comma}{after}"),
        format!("{before}{inserted}{}", slot.closers),
    ];
    candidates.into_iter().find_map(|text| {
        let analysis = analyse("", text.as_bytes(), vocabulary.as_ref());
        let is_seen = innermost(&analysis, offset).is_some_and(|form| {
            form.written.iter().any(|field| {
                let (name_span, value) = (field.name_span.range(), field.value.range());
                name_span.start <= offset && offset < value.end
            })
        });
        is_seen.then_some((analysis, offset))
    })
}

fn innermost(analysis: &Analysis, offset: usize) -> Option<&Form> {
    let forms = analysis.index.forms.iter().filter(|form| {
        let range = form.span.range();
        range.start <= offset && offset < range.end
    });
    forms.min_by_key(|form| form.span.range().len())
}

fn fields(site: &Site<'_>, slot: &Slot) -> Vec<CompletionItem> {
    let inserted = format!("{PLACEHOLDER}: ()");
    let Some((analysis, offset)) = with_placeholder(site, slot, &inserted) else {
        return Vec::new();
    };
    let Some(form) = innermost(&analysis, offset) else {
        return Vec::new();
    };
    let is_new = |name: &str| form.written.iter().all(|field| field.name != name);
    let known = form.known.iter().filter(|name| is_new(name));
    let mut items: Vec<CompletionItem> = known
        .map(|name| CompletionItem {
            documentation: site.program.field_docs(&form.of, name).map(markdown),
            ..field(name)
        })
        .collect();
    if let Some((family, word)) = &form.kind {
        let settings = site.program.settings(*family, word).into_iter();
        let settings = settings.filter(|setting| {
            is_new(&setting.name) && !form.known.contains(&setting.name.as_str())
        });
        items.extend(settings.map(|setting| CompletionItem {
            detail: Some(format!("setting of {word}")),
            documentation: Some(markdown(setting.docs)),
            ..field(&setting.name)
        }));
    }
    items
}

fn field(name: &str) -> CompletionItem {
    CompletionItem {
        insert_text: Some(format!("{name}: ")),
        ..item(name, CompletionItemKind::FIELD)
    }
}

/// Returns the names of a map whose entries are named by the scene.
fn keys(site: &Site<'_>, slot: &Slot) -> Vec<CompletionItem> {
    let Some((map, outer)) = slot.path.split_last() else {
        return Vec::new();
    };
    match map.as_str() {
        "bodies" | "objects" => texts(slot, frames(site, ""), CompletionItemKind::VARIABLE),
        "joints" => texts(
            slot,
            variables(site, &prefix_of(site, outer)),
            CompletionItemKind::FIELD,
        ),
        "outputs" | "inputs" => texts(slot, middlewares(site), CompletionItemKind::MODULE),
        _ => Vec::new(),
    }
}

fn values(site: &Site<'_>, slot: &Slot) -> Vec<CompletionItem> {
    let list = slot.path.last().map(String::as_str);
    let field = slot.field.as_deref().or(list).unwrap_or_default();
    let prefix = prefix_of(site, &slot.path);
    let is_list = slot.field.is_none();
    match field {
        "frame" => return texts(slot, frames(site, &prefix), CompletionItemKind::VARIABLE),
        "scene" | "model" => return paths(site, slot),
        "of" | "on" | "component" => {
            return texts(
                slot,
                components(site, &slot.path),
                CompletionItemKind::FIELD,
            );
        }
        "services" | "outputs" | "inputs" if is_list => {
            return texts(slot, middlewares(site), CompletionItemKind::MODULE);
        }
        _ => {}
    }
    words(site, slot, field)
}

/// Returns the words of a fixed set that can stand at the position.
fn words(site: &Site<'_>, slot: &Slot, field: &str) -> Vec<CompletionItem> {
    let Some((analysis, offset)) = with_placeholder(site, slot, PLACEHOLDER) else {
        return Vec::new();
    };
    let mut choices = analysis.index.choices.iter();
    let choice = choices.find(|choice| choice.span.range().start == offset);
    let form = innermost(&analysis, offset).and_then(|form| form.kind.as_ref());
    match (choice, form) {
        (Some(choice), _) => choice
            .words
            .iter()
            .map(|word| match choice.family {
                Some(family) => CompletionItem {
                    documentation: site.program.kind_docs(family, word).map(markdown),
                    ..text(slot, word, CompletionItemKind::CLASS)
                },
                None => item(word, CompletionItemKind::ENUM_MEMBER),
            })
            .collect(),
        (None, Some((family, word))) => settings_words(site, *family, word, field),
        (None, None) => Vec::new(),
    }
}

/// Returns the words of a setting, or the levels of a kind.
fn settings_words(site: &Site<'_>, family: Family, word: &str, field: &str) -> Vec<CompletionItem> {
    let vocabulary = site.program.vocabulary();
    let levels: Vec<String> = match field {
        "level" => vocabulary
            .levels(family, word)
            .into_iter()
            .map(str::to_owned)
            .collect(),
        _ => {
            let mut settings = site.program.settings(family, word).into_iter();
            let setting = settings.find(|setting| setting.name == field);
            setting.map(|setting| setting.words).unwrap_or_default()
        }
    };
    levels
        .iter()
        .map(|level| item(level, CompletionItemKind::ENUM_MEMBER))
        .collect()
}

fn paths(site: &Site<'_>, slot: &Slot) -> Vec<CompletionItem> {
    if !slot.quoted {
        return Vec::new();
    }
    site.path
        .parent()
        .map(|directory| files(site.program, directory))
        .unwrap_or_default()
}

/// Returns names as texts in quotes, unless the position is within quotes.
fn texts(slot: &Slot, names: Vec<String>, kind: CompletionItemKind) -> Vec<CompletionItem> {
    names.iter().map(|name| text(slot, name, kind)).collect()
}

fn text(slot: &Slot, name: &str, kind: CompletionItemKind) -> CompletionItem {
    CompletionItem {
        insert_text: Some(match slot.quoted {
            true => name.to_owned(),
            false => format!("\"{name}\""),
        }),
        ..item(name, kind)
    }
}

fn simulation<'a>(site: &'a Site<'_>) -> &'a Simulation {
    &site.analysis.loaded.simulation
}

/// Returns the beginning of the names of the frames of the robot that encloses the position.
fn prefix_of(site: &Site<'_>, path: &[String]) -> String {
    let Some(name) = enclosing_robot(path) else {
        return String::new();
    };
    let robots = &simulation(site).robots;
    robot(robots, name).map_or_else(|| format!("{name}."), |robot| prefix(name, robot))
}

fn enclosing_robot(path: &[String]) -> Option<&str> {
    let robots = path.iter().position(|name| name == "robots")?;
    path.get(robots + 1).map(String::as_str)
}

fn frames(site: &Site<'_>, prefix: &str) -> Vec<String> {
    let Some(world) = &site.world else {
        return Vec::new();
    };
    let frames = world.scene.frames().iter();
    let names = frames.filter_map(|frame| frame.name.strip_prefix(prefix));
    names.map(str::to_owned).collect()
}

fn variables(site: &Site<'_>, prefix: &str) -> Vec<String> {
    let Some(world) = &site.world else {
        return Vec::new();
    };
    let variables = world.scene.variables().into_iter();
    let names = variables.filter_map(|name| name.strip_prefix(prefix));
    names.map(str::to_owned).collect()
}

fn middlewares(site: &Site<'_>) -> Vec<String> {
    let names = simulation(site).middlewares.keys();
    names.map(|name| name.value.clone()).collect()
}

/// Returns the components of the robot that encloses the position.
fn components(site: &Site<'_>, path: &[String]) -> Vec<String> {
    let name = enclosing_robot(path).unwrap_or_default();
    let Some(robot) = robot(&simulation(site).robots, name) else {
        return Vec::new();
    };
    let names = robot.sensors.keys().chain(robot.actuators.keys());
    let names = names.chain(robot.overlays.keys());
    names.map(|name| name.value.clone()).collect()
}
