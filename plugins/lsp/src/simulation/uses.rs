//! Uses of the frames and variables of scenes in simulation files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lsp_types::{Location, TextEdit};
use morse_diagnostics::{Sources, Span};
use morse_robray::Symbol;
use morse_simulation_file::analyse;

use super::names::{Target, all};
use crate::documents::Documents;
use crate::program::{Program, World};
use crate::report;
use crate::scene::names::Name;
use crate::text;

/// Names of scenes that are searched: the names, and the files that declare them.
pub(crate) struct Wanted<'a> {
    pub(crate) names: &'a BTreeSet<Name>,
    pub(crate) files: &'a BTreeSet<PathBuf>,
}

/// A use of a name in a simulation file.
pub(crate) struct Use {
    pub(crate) path: PathBuf,
    pub(crate) location: Location,
    /// Text in quotes up to the name: the names of parts of a robot.
    before: String,
}

impl Use {
    /// Returns the edit that replaces the name.
    pub(crate) fn renamed(&self, new: &str) -> TextEdit {
        TextEdit {
            range: self.location.range,
            new_text: format!("\"{}{new}\"", self.before),
        }
    }
}

/// Returns the uses of names in a simulation file. A file with errors has none, since its scene is not known.
pub(crate) fn uses(
    program: &dyn Program,
    documents: &Documents,
    path: &Path,
    wanted: &Wanted<'_>,
) -> Vec<Use> {
    let overlay = documents.overlay();
    let (Some(world), Ok(bytes)) = (program.world(path, overlay), overlay.read_bytes(path)) else {
        return Vec::new();
    };
    let vocabulary = program.vocabulary();
    let analysis = analyse("", &bytes, vocabulary.as_ref());
    let Some(source) = analysis.sources.get(analysis.loaded.source) else {
        return Vec::new();
    };
    let mut uses_here = Vec::new();
    for name in all(&analysis.loaded.simulation) {
        let Some(declared) = wanted.declared(&name.target, &world) else {
            continue;
        };
        let written = source.slice(name.span).trim_matches('"');
        let (Some(before), Some(uri)) =
            (written.strip_suffix(declared.as_str()), documents.uri(path))
        else {
            continue;
        };
        uses_here.push(Use {
            path: path.to_owned(),
            location: Location {
                uri,
                range: text::range(source.text(), name.span.range()),
            },
            before: before.to_owned(),
        });
    }
    uses_here
}

impl Wanted<'_> {
    /// Returns the name in the scene's file to which a name of the world belongs, if it is searched.
    fn declared(&self, target: &Target, world: &World) -> Option<String> {
        let (symbol, whole) = match target {
            Target::Frame(name) => (Symbol::Frame, name),
            Target::Variable(name) => (Symbol::Variable, name),
            _ => return None,
        };
        let frames = world.scene.frames().iter();
        let mut spans = frames.filter_map(|frame| {
            let is_it = match symbol {
                Symbol::Frame => frame.name == *whole,
                _ => frame
                    .joint
                    .axis()
                    .is_some_and(|axis| axis.variable == *whole),
            };
            frame.source.0.filter(|_| is_it)
        });
        let is_theirs = spans.any(|span| self.declares(span, &world.sources));
        let names = self.names.iter().filter(|name| name.0 == symbol);
        let mut names = names
            .map(|(_, name)| name)
            .filter(|name| is_suffix(name, whole));
        names.next().filter(|_| is_theirs).cloned()
    }

    fn declares(&self, span: Span, sources: &Sources) -> bool {
        let path = sources.get(span.source).and_then(report::path_of);
        path.is_some_and(|path| self.files.contains(&path))
    }
}

/// Returns true if a name of the world is the name of a scene, after the names of a robot and its parts.
fn is_suffix(name: &str, whole: &str) -> bool {
    whole
        .strip_suffix(name)
        .is_some_and(|before| before.is_empty() || before.ends_with('.'))
}
