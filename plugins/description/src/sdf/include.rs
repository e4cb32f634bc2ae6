//! Replacement of `<include>` by the model of its file.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use morse_diagnostics::{Diagnostic, Overlay, SourceId, Sources, Span, printable, printable_path};

use super::{
    codes, fields,
    version::{self, File, NEWEST, Version},
};
use crate::{
    packages::{Finder, Packages, Search},
    problems::Problems,
    urdf::decoded,
    xml::{self, Attribute, Content, Element},
};

/// Maximum nesting depth of elements, over all files.
const DEEPEST: usize = 250;

/// Maximum number of inclusions.
const MOST_INCLUSIONS: usize = 10_000;

/// Maximum number of elements of all inclusions together.
const MOST_ELEMENTS: usize = 1_000_000;

/// Maximum number of paths in a message.
const MOST_LISTED: usize = 12;

/// Attribute of a model that is merged into the model around it.
pub(super) const MERGED: &str = "merge";

/// State of the replacement.
pub(super) struct Includes<'a> {
    pub(super) packages: &'a Packages,
    /// Directories whose files may be read, besides those of the models.
    pub(super) allowed: Vec<PathBuf>,
    pub(super) overlay: &'a Overlay,
    pub(super) sources: &'a mut Sources,
    pub(super) problems: &'a mut Problems,
    /// Files that were read.
    pub(super) files: BTreeMap<SourceId, File>,
    /// Finders by the directories of the files.
    pub(super) finders: BTreeMap<PathBuf, Finder<'a>>,
    /// True paths of the files that are being read.
    pub(super) open: Vec<PathBuf>,
    /// Root elements by true path; `None` if the file is not usable.
    pub(super) known: BTreeMap<PathBuf, Option<Element>>,
    pub(super) inclusions: usize,
    pub(super) elements: usize,
}

impl Includes<'_> {
    /// Replaces all `<include>` elements of worlds and models below an element at a depth.
    pub(super) fn resolve(&mut self, element: &mut Element, depth: usize) {
        if depth > DEEPEST {
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, "models are nested too deeply")
                .at(element.span, format!("deeper than {DEEPEST}"))
                .help("nest fewer models and files");
            self.problems.push(diagnostic);
            element.content.clear();
            return;
        }
        for content in std::mem::take(&mut element.content) {
            match content {
                Content::Element(child) if child.name == "include" => {
                    if let Some(model) = self.included(&child, depth) {
                        element.content.push(Content::Element(model));
                    }
                }
                Content::Element(mut child) => {
                    if ["world", "model"].contains(&child.name.as_str()) {
                        self.resolve(&mut child, depth + 1);
                    }
                    element.content.push(Content::Element(child));
                }
                text @ Content::Text(..) => element.content.push(text),
            }
        }
    }

    /// Returns the element of an included file, with the settings of the inclusion.
    fn included(&mut self, include: &Element, depth: usize) -> Option<Element> {
        let uri = fields::needed(include, "uri", "<uri>model://robot</uri>", self.problems)?;
        let uri = fields::written(uri);
        self.inclusions += 1;
        if self.inclusions > MOST_INCLUSIONS || self.elements > MOST_ELEMENTS {
            if self.problems.any_error() {
                return None;
            }
            let why = "too many models are included";
            let help = "include each model once, where it is needed".to_owned();
            return self.refuse(&uri.text, why, &[], help, uri.span);
        }
        let source = self.search(include, &uri.text, uri.span);
        let (path, mut model) = match source {
            ModelSource::File(path) => {
                let real = path.canonicalize().unwrap_or_else(|_| path.clone());
                if self.open.contains(&real) {
                    let why = "these models include each other";
                    let help = "remove one of the inclusions".to_owned();
                    return self.refuse(&uri.text, why, &[], help, uri.span);
                }
                let model = self.model(&path, &real, &uri)?;
                (Some(real), model)
            }
            ModelSource::Known(model) => (None, model),
            ModelSource::Nothing => return None,
        };
        self.settings(include, &mut model);
        self.elements += count(&model);
        self.open.extend(path.clone());
        self.resolve(&mut model, depth + 1);
        if path.is_some() {
            self.open.pop();
        }
        Some(model)
    }

    /// Searches for the file of a URI.
    fn search(&mut self, include: &Element, uri: &str, span: Span) -> ModelSource {
        let directory = self.files.get(&include.span.source);
        let directory = directory.map(|file| file.directory.clone());
        let directory = directory.unwrap_or_default();
        if !self.finders.contains_key(&directory) {
            let finder = Finder::new(self.packages, &directory, &self.allowed);
            self.finders.insert(directory.clone(), finder);
        }
        let Some(finder) = self.finders.get_mut(&directory) else {
            return ModelSource::Nothing;
        };
        let last = uri.trim_end_matches('/').rsplit('/').next();
        let name = last.unwrap_or_default().to_owned();
        let wanted = match is_remote(uri) {
            true => format!("model://{name}"),
            false => uri.trim_end_matches('/').to_owned(),
        };
        let mut search = look(finder, &wanted);
        let is_plain = !wanted.contains("://") && !wanted.contains("..");
        if search.path.is_none() && search.outside.is_none() && is_plain {
            let other = look(finder, &format!("model://{wanted}"));
            search.looked.extend(other.looked);
            search.path = other.path;
        }
        if let Some(path) = search.path {
            return ModelSource::File(path);
        }
        if let Some(model) = shipped(&name, include) {
            // A light is reported with all lights.
            if model.name == "model" {
                let message = format!("there is no model `{name}`");
                let diagnostic = Diagnostic::warning(codes::INCLUDE, message)
                    .at(span, "replaced by a plane")
                    .help("set the directory that contains models with `--sdf-path DIRECTORY`");
                self.problems.push(diagnostic);
            }
            return ModelSource::Known(model);
        }
        let (why, help) = reason(&search, uri, &name);
        self.refuse(uri, &why, &search.looked, help, span);
        ModelSource::Nothing
    }

    /// Returns the model of a file.
    fn model(&mut self, path: &Path, real: &Path, uri: &fields::Written) -> Option<Element> {
        if let Some(known) = self.known.get(real) {
            return known.clone();
        }
        self.known.insert(real.to_owned(), None);
        let name = path.display().to_string();
        let bytes = match self.overlay.read_bytes(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                let help = "check that it is a file you may read".to_owned();
                return self.refuse(&uri.text, &error.to_string(), &[], help, uri.span);
            }
        };
        let read = decoded(bytes, &name, self.sources)
            .and_then(|(source, text)| Ok((source, xml::parse(&text, source)?)));
        let (source, root) = match read {
            Ok(read) => read,
            Err(diagnostic) => {
                self.problems.push(*diagnostic);
                return None;
            }
        };
        if root.name == "robot" {
            let why = "it is a robot description of ROS";
            let help = "simulate it by itself: `morse-sim robot.urdf`, or convert it with `gz sdf --print`";
            return self.refuse(&uri.text, why, &[], help.to_owned(), uri.span);
        }
        let version = version::read(&root, self.problems)?;
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        self.files.insert(source, File { directory, version });
        let kinds = ["model", "light", "actor"];
        let model = root
            .elements()
            .find(|child| kinds.contains(&child.name.as_str()));
        if model.is_none() {
            let why = "there is no model in it";
            let help = "include a file with `<model>`; a world is not included".to_owned();
            self.refuse(&uri.text, why, &[], help, uri.span);
        }
        self.known.insert(real.to_owned(), model.cloned());
        model.cloned()
    }

    /// Applies name, pose and other settings of an inclusion to its model.
    fn settings(&mut self, include: &Element, model: &mut Element) {
        if let Some(name) = fields::child_name(include, "name", self.problems) {
            set(model, "name", &name);
        }
        if let Some(frame) = fields::child_name(include, "placement_frame", self.problems) {
            set(model, "placement_frame", &frame);
        }
        for name in ["pose", "static"] {
            if let Some(own) = fields::only(include, name, self.problems) {
                let is_other = |content: &Content| !matches!(content, Content::Element(child) if child.name == name);
                model.content.retain(is_other);
                model.content.push(Content::Element(own.clone()));
            }
        }
        let merge = include.attribute("merge");
        if let Some(merge) = merge.filter(|merge| ["true", "1"].contains(&merge.value.trim())) {
            model.attributes.push(Attribute {
                name: MERGED.to_owned(),
                ..merge.clone()
            });
        }
    }

    fn refuse(
        &mut self,
        uri: &str,
        why: &str,
        looked: &[PathBuf],
        help: String,
        span: Span,
    ) -> Option<Element> {
        let message = format!("cannot include `{}`: {why}", printable_path(uri));
        let mut diagnostic = Diagnostic::error(codes::INCLUDE, message).at(span, "named here");
        for path in looked.iter().take(MOST_LISTED) {
            let path = printable_path(&path.display().to_string());
            diagnostic = diagnostic.note(format!("looked for `{path}`"));
        }
        self.problems.push(diagnostic.help(help));
        None
    }
}

/// Result of the search for a model.
enum ModelSource {
    File(PathBuf),
    /// A model of the simulator.
    Known(Element),
    /// Nothing; an error was reported.
    Nothing,
}

/// Returns true for the address of a model on a server.
fn is_remote(uri: &str) -> bool {
    uri.starts_with("https://") || uri.starts_with("http://")
}

/// Returns cause and remedy of a search without success.
fn reason(search: &Search, uri: &str, name: &str) -> (String, String) {
    if let Some(outside) = &search.outside {
        let folder = outside.parent().unwrap_or(Path::new("/"));
        let folder = printable_path(&folder.display().to_string());
        let why = "it lies outside the allowed directories".to_owned();
        return (why, format!("if you trust it: `--allow-path {folder}`"));
    }
    if is_remote(uri) {
        let (uri, name) = (printable_path(uri), printable(name));
        let help = format!(
            "download it: `gz fuel download -u {uri}`, copy the directory with its `model.config` to `models/{name}` beside \
             this file, or name the directory above it: `--sdf-path DIRECTORY`"
        );
        return ("models are not downloaded".to_owned(), help);
    }
    match &search.objection {
        Some(objection) => (
            objection.clone(),
            "write `model://NAME`, or a path from the directory of this file".to_owned(),
        ),
        None => (
            "there is no such model".to_owned(),
            "set the directory that contains models with `--sdf-path DIRECTORY`, or `GZ_SIM_RESOURCE_PATH`".to_owned(),
        ),
    }
}

/// Searches for a file, or for the file of a model in a directory.
fn look(finder: &mut Finder<'_>, uri: &str) -> Search {
    let is_file = [".sdf", ".world", ".urdf", ".xml"];
    if is_file.iter().any(|ending| uri.ends_with(ending)) {
        return finder.find(uri);
    }
    let config = finder.find(&format!("{uri}/model.config"));
    let newest = config.path.as_deref().and_then(newest);
    if config.path.is_none() && (config.outside.is_some() || config.objection.is_some()) {
        return config;
    }
    let file = newest.unwrap_or_else(|| "model.sdf".to_owned());
    let mut search = finder.find(&format!("{uri}/{file}"));
    let mut looked = config.looked;
    looked.append(&mut search.looked);
    Search { looked, ..search }
}

/// Returns the file of a model with the newest version that can be read, by its `model.config`.
fn newest(config: &Path) -> Option<String> {
    let bytes = morse_diagnostics::read_bytes(config).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let mut sources = Sources::default();
    let source = sources.add("model.config", text.as_str());
    let root = xml::parse(&text, source).ok()?;
    let version = |file: &Element| {
        let written = file.attribute("version");
        written.and_then(|written| Version::parse(&written.value))
    };
    let known = root.named("sdf").map(|file| (version(file), file.text()));
    let readable = known.filter(|(version, _)| version.is_none_or(|version| version <= NEWEST));
    // Of equal versions, the first one is used.
    let best = readable.reduce(|best, other| if other.0 > best.0 { other } else { best });
    best.map(|(_, file)| file).filter(|file| !file.is_empty())
}

/// Returns a model that Gazebo downloads and most worlds include.
fn shipped(name: &str, include: &Element) -> Option<Element> {
    let text = match name {
        "sun" => {
            "<light name=\"sun\" type=\"directional\"><direction>-0.5 0.1 -0.9</direction></light>"
        }
        "ground_plane" => {
            "<model name=\"ground_plane\"><static>true</static><link name=\"link\">\
             <collision name=\"collision\"><geometry><plane/></geometry></collision>\
             <visual name=\"visual\"><geometry><plane><size>100 100</size></plane></geometry></visual></link></model>"
        }
        _ => return None,
    };
    let mut model = xml::parse(text, include.span.source).ok()?;
    set_span(&mut model, include.span);
    Some(model)
}

/// Sets the source position of an element and its descendants.
fn set_span(element: &mut Element, span: Span) {
    element.span = span;
    for attribute in &mut element.attributes {
        (attribute.span, attribute.value_span) = (span, span);
    }
    for content in &mut element.content {
        match content {
            Content::Element(child) => set_span(child, span),
            Content::Text(_, own) => *own = span,
        }
    }
}

/// Sets an attribute of an element.
fn set(element: &mut Element, name: &str, value: &fields::Written) {
    element
        .attributes
        .retain(|attribute| attribute.name != name);
    element.attributes.push(Attribute {
        name: name.to_owned(),
        value: value.text.clone(),
        span: value.span,
        value_span: value.span,
    });
}

/// Returns the number of elements of a tree.
fn count(element: &Element) -> usize {
    1 + element.elements().map(count).sum::<usize>()
}
