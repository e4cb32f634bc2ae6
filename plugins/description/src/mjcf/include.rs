//! Replacement of `<include file="…"/>` by the content of the file.
use std::{collections::BTreeSet, path::Path};

use morse_diagnostics::{Diagnostic, Overlay, Sources, printable_path};

use super::codes;
use crate::{
    packages::Finder,
    problems::Problems,
    urdf,
    xml::{self, Content, Element},
};

/// Maximum number of included files.
const MOST_FILES: usize = 1000;

/// Files that are being included.
pub(super) struct Includer<'a, 'f> {
    pub(super) finder: &'a mut Finder<'f>,
    pub(super) overlay: &'a Overlay,
    pub(super) sources: &'a mut Sources,
    pub(super) problems: &'a mut Problems,
    /// Canonical paths so far. MuJoCo includes a file only once.
    pub(super) seen: BTreeSet<std::path::PathBuf>,
}

impl Includer<'_, '_> {
    /// Replaces the includes below an element.
    pub(super) fn expand(&mut self, element: &mut Element) {
        let mut content = Vec::with_capacity(element.content.len());
        for part in std::mem::take(&mut element.content) {
            match part {
                Content::Element(child) if child.name == "include" => {
                    content.extend(self.included(&child));
                }
                Content::Element(mut child) => {
                    self.expand(&mut child);
                    content.push(Content::Element(child));
                }
                Content::Text(..) => {}
            }
        }
        element.content = content;
    }

    /// Returns the content of an included file.
    fn included(&mut self, element: &Element) -> Vec<Content> {
        let refused = |message: String, help: &str| {
            Diagnostic::error(codes::INCLUDE, message)
                .at(element.span, "included here")
                .help(help)
        };
        let Some(file) = element.attribute("file") else {
            let problem = Diagnostic::error(codes::MISSING_ATTRIBUTE, "`<include>` has no `file`");
            let problem = problem.at(element.span, "`file` is missing");
            self.problems
                .push(problem.help("name a file: `<include file=\"arm.xml\"/>`"));
            return Vec::new();
        };
        let shown = printable_path(&file.value);
        let search = self.finder.find(&file.value);
        let Some(path) = search.found else {
            let message = match search.outside {
                Some(_) => format!("`{shown}` lies outside the allowed directories"),
                None => format!("there is no file `{shown}`"),
            };
            let help =
                "paths begin at the directory of the model; `--allow-path DIRECTORY` allows others";
            self.problems.push(refused(message, help));
            return Vec::new();
        };
        if self.seen.len() >= MOST_FILES {
            let message = format!("more than {MOST_FILES} files are included");
            self.problems.push(refused(message, "include fewer files"));
            return Vec::new();
        }
        if !self
            .seen
            .insert(path.canonicalize().unwrap_or_else(|_| path.clone()))
        {
            let message = format!("`{shown}` is included again");
            let help = "include each file once; MuJoCo refuses this as well";
            self.problems.push(refused(message, help));
            return Vec::new();
        }
        self.content(&path)
    }

    fn content(&mut self, path: &Path) -> Vec<Content> {
        let read = urdf::text(path, self.overlay, self.sources)
            .and_then(|(source, text)| xml::parse(&text, source));
        match read {
            Ok(mut root) => {
                self.expand(&mut root);
                root.content
            }
            Err(problem) => {
                self.problems.push(*problem);
                Vec::new()
            }
        }
    }
}
