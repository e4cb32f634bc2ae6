//! Queries of simulation files: fields, kinds, and names of the scene.

pub(crate) mod completion;
pub(crate) mod hover;
pub(crate) mod names;
pub(crate) mod outline;
pub(crate) mod uses;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::Location;
use morse_scene::shipped::Shipped;
use morse_simulation_file::index::{Form, WrittenField};
use morse_simulation_file::{Analysis, analyse};

use crate::documents::{Document, Documents};
use crate::program::{Program, World};
use crate::report;

/// Worlds of the open simulation files: of each the newest one without errors.
#[derive(Debug, Default)]
pub(crate) struct Worlds {
    revision: u64,
    /// Files whose world is that of the revision.
    current: Vec<PathBuf>,
    built: BTreeMap<PathBuf, Arc<World>>,
}

/// A position in a simulation file.
pub(crate) struct Site<'a> {
    pub(crate) program: &'a dyn Program,
    pub(crate) documents: &'a Documents,
    pub(crate) path: &'a Path,
    pub(crate) document: &'a Document,
    pub(crate) analysis: Analysis,
    pub(crate) world: Option<Arc<World>>,
    pub(crate) offset: usize,
}

impl Worlds {
    /// Returns the world of a simulation file; the last one without errors if there are errors now.
    pub(crate) fn of(
        &mut self,
        program: &dyn Program,
        path: &Path,
        documents: &Documents,
    ) -> Option<Arc<World>> {
        if self.revision != documents.revision() {
            self.revision = documents.revision();
            self.current.clear();
        }
        if !self.current.iter().any(|current| current == path) {
            self.current.push(path.to_owned());
            if let Some(world) = program.world(path, documents.overlay()) {
                self.built.insert(path.to_owned(), Arc::new(world));
            }
        }
        self.built.get(path).cloned()
    }
}

impl<'a> Site<'a> {
    pub(crate) fn new(
        program: &'a dyn Program,
        documents: &'a Documents,
        (path, document): (&'a Path, &'a Document),
        offset: usize,
        world: Option<Arc<World>>,
    ) -> Self {
        let name = path.display().to_string();
        let vocabulary = program.vocabulary();
        Self {
            analysis: analyse(&name, document.text.as_bytes(), vocabulary.as_ref()),
            program,
            documents,
            path,
            document,
            world,
            offset,
        }
    }

    /// Returns the innermost field whose name is at the position, and its form.
    fn field(&self) -> Option<(&Form, &WrittenField)> {
        self.find_field(|field| field.name_span.range())
    }

    /// Returns the innermost field whose value is at the position, and its form.
    fn field_of_value(&self) -> Option<(&Form, &WrittenField)> {
        self.find_field(|field| field.value.range())
    }

    fn find_field(
        &self,
        range: impl Fn(&WrittenField) -> std::ops::Range<usize>,
    ) -> Option<(&Form, &WrittenField)> {
        let forms = self.analysis.index.forms.iter();
        let fields = forms.flat_map(|form| form.written.iter().map(move |field| (form, field)));
        let at = |(_, field): &(&Form, &WrittenField)| {
            let range = range(field);
            range.start <= self.offset && self.offset <= range.end
        };
        fields
            .filter(at)
            .min_by_key(|(_, field)| range(field).len())
    }

    /// Returns the documentation of a field.
    fn docs(&self, form: &Form, name: &str) -> Option<String> {
        let setting = form.kind.as_ref().and_then(|(family, word)| {
            let settings = self.program.settings(*family, word).into_iter();
            let mut settings = settings.filter(|_| !form.known.contains(&name));
            settings.find(|setting| setting.name == name)
        });
        match setting {
            Some(setting) => Some(format!("`{name}`: {}", setting.docs)),
            None => self.program.field_docs(&form.of, name),
        }
    }

    /// Returns the start of a file that the simulation names.
    pub(crate) fn file(&self, written: &str) -> Option<Location> {
        let path = self.path.parent()?.join(written);
        let path = match self.documents.overlay().has_file(&path) {
            true => morse_diagnostics::real_path(&path),
            false => self.program.copy_of_embedded(&Shipped::path(written))?,
        };
        let uri = self.documents.uri(&path)?;
        Some(Location {
            uri,
            range: lsp_types::Range::default(),
        })
    }

    /// Returns the location of a frame of the world.
    pub(crate) fn frame(&self, name: &str) -> Option<Location> {
        let world = self.world.as_ref()?;
        let span = world.scene.frame(name)?.source.0?;
        let known = report::location(span, &world.sources, |path| self.documents.uri(path));
        known.or_else(|| {
            let source = world.sources.get(span.source)?;
            let copy = self.program.copy_of_embedded(Path::new(source.name()))?;
            let uri = self.documents.uri(&copy)?;
            let range = crate::text::range(source.text(), span.range());
            Some(Location { uri, range })
        })
    }
}
