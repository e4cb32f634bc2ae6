//! Replacement of `<include>` by the content of its file.
//!
//! As in MuJoCo, file names are relative to the directory of the main file, and a file may be included once.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use morse_diagnostics::{Diagnostic, Sources, Span, nearest_file, printable_path, read_bytes};

use super::{codes, fields};
use crate::{
    packages::Roots,
    problems::Problems,
    urdf::decoded,
    xml::{self, Content, Element},
};

/// Maximum nesting depth of elements, over all files.
const DEEPEST: usize = 250;

/// Maximum number of included files.
const MOST_FILES: usize = 1_000;

/// State of the replacement.
pub(super) struct Includes<'a> {
    /// Directory of the main file.
    pub(super) directory: &'a Path,
    pub(super) roots: Roots,
    pub(super) sources: &'a mut Sources,
    pub(super) problems: &'a mut Problems,
    /// True paths of the files that were read.
    pub(super) known: BTreeSet<PathBuf>,
}

impl Includes<'_> {
    /// Replaces all `<include>` elements below an element at a depth.
    pub(super) fn resolve(&mut self, element: &mut Element, depth: usize) {
        if depth > DEEPEST {
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, "elements are nested too deeply")
                .at(element.span, format!("deeper than {DEEPEST}"))
                .help("nest fewer bodies and files");
            self.problems.push(diagnostic);
            element.content.clear();
            return;
        }
        for content in std::mem::take(&mut element.content) {
            match content {
                Content::Element(child) if child.name == "include" => {
                    if let Some(mut file) = self.read(&child) {
                        self.resolve(&mut file, depth + 1);
                        element.content.extend(file.content);
                    }
                }
                Content::Element(mut child) => {
                    self.resolve(&mut child, depth + 1);
                    element.content.push(Content::Element(child));
                }
                text @ Content::Text(..) => element.content.push(text),
            }
        }
    }

    /// Returns the root element of an included file.
    fn read(&mut self, include: &Element) -> Option<Element> {
        let written = fields::needed(include, "file", "common.xml", self.problems)?;
        let (text, span) = (written.value.trim(), written.value_span);
        let path = self.directory.join(text);
        let Ok(true_path) = path.canonicalize() else {
            let help = match nearest_file(&path, text) {
                Some(near) => format!("did you mean `{}`?", printable_path(&near)),
                None => "file names are relative to the directory of the main file".to_owned(),
            };
            return self.refuse(text, "there is no such file", help, span);
        };
        if !self.roots.allow(&true_path) {
            let folder = true_path.parent().unwrap_or(Path::new("/"));
            let folder = printable_path(&folder.display().to_string());
            let help = format!("if you trust it: `--allow-path {folder}`");
            return self.refuse(text, "it lies outside the allowed directories", help, span);
        }
        if self.known.len() >= MOST_FILES {
            let help = "merge some of the files".to_owned();
            return self.refuse(text, "too many files are included", help, span);
        }
        if !self.known.insert(true_path) {
            let help = "remove one of the inclusions".to_owned();
            return self.refuse(text, "it is included already", help, span);
        }
        let bytes = match read_bytes(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                let help = "check that it is a file you may read".to_owned();
                return self.refuse(text, &error.to_string(), help, span);
            }
        };
        let name = path.display().to_string();
        let read = decoded(bytes, &name, self.sources);
        match read.and_then(|(source, text)| xml::parse(&text, source)) {
            Ok(element) => Some(element),
            Err(diagnostic) => {
                self.problems.push(*diagnostic);
                None
            }
        }
    }

    fn refuse(&mut self, file: &str, why: &str, help: String, span: Span) -> Option<Element> {
        let message = format!("cannot include `{}`: {why}", printable_path(file));
        let diagnostic = Diagnostic::error(codes::INCLUDE, message)
            .at(span, "named here")
            .help(help);
        self.problems.push(diagnostic);
        None
    }
}
