//! Evaluation of statements to a scene: definitions, includes, inheritance, and the checks of the whole scene.

mod arithmetic;
mod blocks;
mod classes;
mod described;
mod files;
mod finish;
mod frames;
mod geometry;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use morse_diagnostics::{Diagnostic, Failed, SourceId, Sources, Span, printable};
use morse_scene::model::{ClosureKind, Geometry, LoopClosure, Origin, Scene};

use super::index::{Analysis, Recorder, Symbol};
use super::parser::Parser;
use super::problems::Problems;
use super::syntax::{Expression, Statement, Word};
use super::{Inclusions, Loaded, Options, codes};

/// Maximum number of elements of a scene: definitions, frames, geometry, tags, classes and allowed pairs together.
const MOST_ELEMENTS: usize = 100_000;

pub(super) fn load_file(
    path: &Path,
    options: Options<'_>,
    inclusions: &mut dyn Inclusions,
) -> Result<Loaded, Box<Failed>> {
    let path = options.shipped.instead_of(path.to_owned(), path);
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut loader = Loader::new(directory, options, inclusions);
    loader.top_file(&path);
    loader.finish()
}

pub(super) fn analyse_file(
    path: &Path,
    options: Options<'_>,
    inclusions: &mut dyn Inclusions,
) -> Analysis {
    let path = options.shipped.instead_of(path.to_owned(), path);
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut loader = Loader::new(directory, options, inclusions);
    loader.index = Recorder::recording();
    loader.top_file(&path);
    loader.analysis()
}

pub(super) fn load_text(
    text: &str,
    name: &str,
    directory: &Path,
    options: Options<'_>,
    inclusions: &mut dyn Inclusions,
) -> Result<Loaded, Box<Failed>> {
    let mut loader = Loader::new(directory, options, inclusions);
    let source = loader.sources.add(name, text);
    let file = File {
        source,
        directory: directory.to_owned(),
        extension: Some("robray".into()),
        again: false,
    };
    match text.find('\0') {
        Some(nul) => loader.not_text(source, nul, "this is NUL, a character of binary files"),
        None => loader.read(text.into(), &file),
    }
    loader.finish()
}

/// State of a load.
struct Loader<'o> {
    options: Options<'o>,
    inclusions: &'o mut dyn Inclusions,
    sources: Sources,
    problems: Problems,
    /// Directory of the top-level file; mesh paths are relative to it.
    directory: PathBuf,
    files: files::Files,
    definitions: BTreeMap<String, Definition>,
    classes: BTreeMap<String, classes::Flat>,
    scene: Scene,
    /// Geometry that a class attaches to a frame, by the frame's name, since the frame may be declared later.
    elsewhere: Vec<(OwnedName, Geometry)>,
    /// Names of parents and of frames in pairs, which are checked at the end.
    mentioned: Vec<(OwnedName, Mention)>,
    /// Classes that were undefined when they were used.
    missing_classes: Vec<OwnedName>,
    looked_for: BTreeMap<(&'static str, PathBuf), files::FileStatus>,
    elements: usize,
    index: Recorder,
}

/// A name and its span, which outlive the text.
#[derive(Clone, Debug)]
struct OwnedName {
    text: String,
    span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mention {
    Parent,
    AllowedPair,
    Closure,
}

/// A file during the evaluation of its statements.
#[derive(Clone, Debug)]
struct File {
    source: SourceId,
    /// Directory to which include paths are relative.
    directory: PathBuf,
    extension: Option<String>,
    /// True if the file was read before, so that its classes are defined already.
    again: bool,
}

#[derive(Clone, Debug)]
struct Definition {
    value: Defined,
    span: Span,
}

#[derive(Clone, Debug, PartialEq)]
enum Defined {
    Number(f64),
    Name(String),
    /// Erroneous value; the error has been reported.
    Wrong,
}

impl<'o> Loader<'o> {
    fn new(directory: &Path, options: Options<'o>, inclusions: &'o mut dyn Inclusions) -> Self {
        Self {
            options,
            inclusions,
            sources: options.sources.clone(),
            problems: Problems::new(options.strict),
            directory: directory.to_owned(),
            files: files::Files::new(directory, options.allow_paths),
            definitions: BTreeMap::new(),
            classes: BTreeMap::new(),
            scene: Scene::default(),
            elsewhere: Vec::new(),
            mentioned: Vec::new(),
            missing_classes: Vec::new(),
            looked_for: BTreeMap::new(),
            elements: 0,
            index: Recorder::default(),
        }
    }

    /// Evaluates a text, statement by statement.
    fn read(&mut self, text: Arc<str>, file: &File) {
        let mut problems = std::mem::replace(&mut self.problems, Problems::new(false));
        let mut parser = Parser::new(&text, file.source, &mut problems);
        while let Some(statement) = parser.next_statement() {
            // The parser owns the list of problems while it reads, and the loader during the evaluation.
            std::mem::swap(parser.problems(), &mut self.problems);
            self.statement(&statement, file);
            std::mem::swap(parser.problems(), &mut self.problems);
        }
        self.problems = problems;
    }

    fn statement(&mut self, statement: &Statement<'_>, file: &File) {
        match statement {
            Statement::Include(path) => self.include(path, file),
            Statement::Def(name, value) => {
                let value = self.defined(value);
                self.define(name, value);
            }
            Statement::WrongDef(name) => self.define(name, Defined::Wrong),
            Statement::Class(_) if file.again => {}
            Statement::Class(block) => self.class(block),
            Statement::Frame(block) => self.frame(block, None),
            Statement::AllowCollision(one, other) => self.allow(one, other),
            Statement::Closure(kind, span, frames) => self.close(*kind, *span, frames),
        }
    }

    /// Evaluates a definition. It is evaluated only here; uses take its value.
    fn define(&mut self, name: &Word<'_>, value: Defined) {
        let span = name.span;
        if !self.count(1, span) {
            return;
        }
        self.index.declare(Symbol::Definition, name.text, span);
        self.definitions
            .insert(name.text.to_owned(), Definition { value, span });
    }

    /// Returns the value of a definition. An undefined name stands for itself.
    fn defined(&mut self, value: &Expression<'_>) -> Defined {
        match value.name() {
            Some(word) => match self.definitions.get(word.text) {
                Some(definition) => {
                    self.index.refer_to(&word, definition.span);
                    definition.value.clone()
                }
                None => Defined::Name(word.text.to_owned()),
            },
            None => match self.number(value) {
                Some(number) => Defined::Number(number),
                None => Defined::Wrong,
            },
        }
    }

    /// Adds an allowed pair. Its names are literal, even if definitions with these names exist.
    fn allow(&mut self, one: &Word<'_>, other: &Word<'_>) {
        if !self.count(1, one.span) {
            return;
        }
        for word in [one, other] {
            self.index.refer(Symbol::Frame, word.text, word.span);
            self.mentioned
                .push((OwnedName::from(*word), Mention::AllowedPair));
        }
        self.scene.allow_collision(one.text, other.text);
    }

    /// Adds a loop closure. Its names are literal, as those of allowed pairs are.
    fn close(&mut self, kind: ClosureKind, span: Span, frames: &[Word<'_>; 2]) {
        if self.options.strict_amino {
            let message = format!("`{}` is an extension of the language", kind.word());
            let diagnostic = Diagnostic::error(codes::EXTENSION, message)
                .at(span, "amino does not support this")
                .help("remove it, or do without `--strict-amino`");
            self.problems.push(diagnostic);
        }
        if !self.count(1, span) {
            return;
        }
        for word in frames {
            self.index.refer(Symbol::Frame, word.text, word.span);
            self.mentioned
                .push((OwnedName::from(*word), Mention::Closure));
        }
        self.scene.add_closure(LoopClosure {
            kind,
            frames: frames.map(|word| word.text.to_owned()),
            source: Origin(Some(span)),
        });
    }

    /// Counts elements of the scene. Returns false above the limit, which is reported once.
    fn count(&mut self, count: usize, span: Span) -> bool {
        let before = self.elements;
        self.elements = before.saturating_add(count);
        if before <= MOST_ELEMENTS && self.elements > MOST_ELEMENTS {
            let message = format!("this scene has more than {MOST_ELEMENTS} parts");
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, message)
                .at(span, "exceeds the limit")
                .note("definitions, frames, geometry, classes, their tags, allowed pairs and loop closures count")
                .help("split the scene");
            self.problems.push(diagnostic);
            self.problems.stop();
        }
        self.elements <= MOST_ELEMENTS
    }
}

impl From<Word<'_>> for OwnedName {
    fn from(word: Word<'_>) -> Self {
        Self {
            text: word.text.to_owned(),
            span: word.span,
        }
    }
}

impl OwnedName {
    fn shown(&self) -> String {
        printable(&self.text)
    }
}
