//! Queries of scenes: names and values at a position.

pub(crate) mod completion;
pub(crate) mod hover;
pub(crate) mod names;
pub(crate) mod outline;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{Location, Position};
use morse_diagnostics::{SourceId, Span};
use morse_robray::{Analysis, Declaration, Link, Reference, Setting};

use crate::documents::Documents;
use crate::program::Program;
use crate::report;
use crate::text::Lines;

/// A scene that was read, and its files.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) analysis: Analysis,
    /// Sources by canonical path. Embedded files are not among them.
    files: BTreeMap<PathBuf, SourceId>,
}

/// A position in a scene.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) scene: Arc<Scene>,
    source: SourceId,
    offset: u32,
}

/// Scenes of the open documents, as of one revision.
#[derive(Debug, Default)]
pub(crate) struct Scenes {
    revision: u64,
    read: BTreeMap<PathBuf, Arc<Scene>>,
}

impl Scene {
    pub(crate) fn read(program: &dyn Program, path: &Path, documents: &Documents) -> Self {
        let analysis = program.analyse(path, documents.overlay());
        let mut files = BTreeMap::new();
        for (source, id) in analysis.sources.iter().zip(analysis.sources.ids()) {
            if let Some(path) = report::path_of(source) {
                files.entry(path).or_insert(id);
            }
        }
        Self { analysis, files }
    }

    /// Returns the path of the file that was read first.
    pub(crate) fn root(&self) -> Option<PathBuf> {
        self.analysis
            .sources
            .iter()
            .next()
            .and_then(report::path_of)
    }

    /// Returns the source of a file of this scene.
    pub(crate) fn source(&self, path: &Path) -> Option<SourceId> {
        self.files.get(path).copied()
    }

    /// Returns a position in a file of this scene.
    pub(crate) fn site(self, path: &Path, position: Position) -> Option<Site> {
        let id = self.source(path)?;
        let text = self.analysis.sources.get(id)?.text();
        let offset = Lines::new(text).offset(text, position);
        Some(Site {
            source: id,
            offset: u32::try_from(offset).ok()?,
            scene: Arc::new(self),
        })
    }

    /// Returns the text of a span.
    pub(crate) fn slice(&self, span: Span) -> &str {
        let source = self.analysis.sources.get(span.source);
        source.map(|source| source.slice(span)).unwrap_or_default()
    }

    /// Returns the location of a span. For an embedded file it is a copy on the disk.
    pub(crate) fn location(
        &self,
        span: Span,
        documents: &Documents,
        program: &dyn Program,
    ) -> Option<Location> {
        let sources = &self.analysis.sources;
        let known = report::location(span, sources, |path| documents.uri(path));
        known.or_else(|| {
            let source = sources.get(span.source)?;
            let copy = program.copy_of_embedded(Path::new(source.name()))?;
            let uri = documents.uri(&copy)?;
            let range = Lines::new(source.text()).range(source.text(), span.range());
            Some(Location { uri, range })
        })
    }
}

impl Scenes {
    /// Returns the scene to which an open document belongs: that of another open document that includes it, or its own.
    pub(crate) fn of(
        &mut self,
        program: &dyn Program,
        path: &Path,
        documents: &Documents,
    ) -> Arc<Scene> {
        let own = self.read(program, path, documents);
        let others: Vec<&Path> = documents
            .paths()
            .filter(|other| *other != path && is_scene(other))
            .collect();
        for other in others {
            let scene = self.read(program, other, documents);
            if scene.source(path).is_some() && own.source(other).is_none() {
                return scene;
            }
        }
        own
    }

    fn read(&mut self, program: &dyn Program, path: &Path, documents: &Documents) -> Arc<Scene> {
        if self.revision != documents.revision() {
            self.revision = documents.revision();
            self.read.clear();
        }
        let read = || Arc::new(Scene::read(program, path, documents));
        Arc::clone(self.read.entry(path.to_owned()).or_insert_with(read))
    }

    /// Returns the position in the scene to which an open document belongs.
    pub(crate) fn site(
        &mut self,
        program: &dyn Program,
        path: &Path,
        offset: usize,
        documents: &Documents,
    ) -> Option<Site> {
        let scene = self.of(program, path, documents);
        Some(Site {
            source: scene.source(path)?,
            offset: u32::try_from(offset).ok()?,
            scene,
        })
    }
}

/// Returns true for files in the scene language.
pub(crate) fn is_scene(path: &Path) -> bool {
    path.extension().is_none_or(|extension| extension != "ron")
}

impl Site {
    pub(crate) fn has(&self, span: Span) -> bool {
        span.source == self.source && span.start <= self.offset && self.offset <= span.end
    }

    pub(crate) fn references(&self) -> impl Iterator<Item = &Reference> {
        let references = self.scene.analysis.index.references.iter();
        references.filter(|reference| self.has(reference.span))
    }

    pub(crate) fn declarations(&self) -> impl Iterator<Item = &Declaration> {
        let declarations = self.scene.analysis.index.declarations.iter();
        declarations.filter(|declaration| self.has(declaration.span))
    }

    pub(crate) fn link(&self) -> Option<&Link> {
        let mut links = self.scene.analysis.index.links.iter();
        links.find(|link| self.has(link.span))
    }

    pub(crate) fn setting(&self) -> Option<&Setting> {
        let mut settings = self.scene.analysis.index.settings.iter();
        settings.find(|setting| self.has(setting.name) || self.has(setting.span))
    }

    /// Returns the value of the shortest expression at the position, and its span.
    pub(crate) fn value(&self) -> Option<(Span, f64)> {
        let values = self.scene.analysis.index.values.iter();
        let values = values.filter(|(span, _)| self.has(*span)).copied();
        values.min_by_key(|(span, _)| span.end - span.start)
    }
}
