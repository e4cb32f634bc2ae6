//! Entry point of the reader: converts bytes to a [`Simulation`], and reports all errors in one pass.

use std::collections::BTreeMap;
use std::sync::Arc;

use morse_diagnostics::{Diagnostic, LARGEST_FILE, SourceId, Sources, Span};

use super::drawn::read_drawn;
use super::index::Recorder;
use super::model::Simulation;
use super::parser::parse;
use super::problem::{Problems, error};
use super::read;
use super::reader::Reader;
use super::set;
use super::tree::{Kind, Node};
use super::vocabulary::Vocabulary;

/// Size from which a file counts as large, bytes.
const LARGE_FILE: usize = 2 * 1024 * 1024;

/// Result of loading a simulation file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The simulation, as far as it could be read; it must not run if a diagnostic is an error.
    pub simulation: Simulation,
    /// Diagnostics, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Identifier of the simulation file among the sources.
    pub source: SourceId,
}

impl Loaded {
    /// Returns true if there is no error.
    pub fn is_fine(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Reads a simulation file after applying all `--set path=value`.
///
/// `name` is the name of the file in messages. The file and the arguments are added to `sources`, so that diagnostics can
/// quote them. [`check`](super::check()) resolves the names that refer to the scene.
///
/// ```
/// use morse_diagnostics::Sources;
/// use morse_simulation_file::load;
///
/// let text = b"Simulation(environment: (rate: 50))";
/// let set = ["environment.seed=3".to_owned()];
/// let mut sources = Sources::default();
/// let loaded = load("test.ron", text, &set, &(), &mut sources);
/// assert!(loaded.is_fine());
/// assert_eq!(loaded.simulation.environment.rate.value, 50.0);
/// assert_eq!(loaded.simulation.environment.seed, 3);
/// ```
pub fn load(
    name: &str,
    bytes: &[u8],
    set: &[String],
    vocabulary: &dyn Vocabulary,
    sources: &mut Sources,
) -> Loaded {
    load_seeded(name, bytes, set, vocabulary, sources, None)
}

/// Reads a simulation file as [`load`]; its ranges are drawn from `seed`, or from the seed of the file.
pub fn load_seeded(
    name: &str,
    bytes: &[u8],
    set: &[String],
    vocabulary: &dyn Vocabulary,
    sources: &mut Sources,
    seed: Option<u64>,
) -> Loaded {
    let mut recorder = Recorder::default();
    let file = (name, bytes, set);
    read_file(file, vocabulary, sources, &mut recorder, seed)
}

/// Reads a simulation file as [`load`], and records its fields and words.
pub(super) fn load_indexed(
    name: &str,
    bytes: &[u8],
    set: &[String],
    vocabulary: &dyn Vocabulary,
    sources: &mut Sources,
    index: &mut Recorder,
) -> Loaded {
    let file = (name, bytes, set);
    read_file(file, vocabulary, sources, index, None)
}

fn read_file(
    (name, bytes, set): (&str, &[u8], &[String]),
    vocabulary: &dyn Vocabulary,
    sources: &mut Sources,
    index: &mut Recorder,
    seed: Option<u64>,
) -> Loaded {
    let (text, objection) = text_of(bytes);
    let text: Arc<str> = text.into();
    let source = sources.add(name, Arc::clone(&text));
    let mut problems = Problems::new(bytes.len() > LARGE_FILE);
    let arguments: Vec<_> = set
        .iter()
        .map(|argument| (argument, sources.add("--set", argument.as_str())))
        .collect();
    if let Some(objection) = objection {
        let end = Span::new(source, text.len()..text.len());
        problems.push(objection.at(end, ""));
        return loaded(Simulation::default(), problems, source);
    }
    let Some(mut root) = parsed(
        &text,
        source,
        "Simulation",
        &mut problems,
        index.is_recording(),
    ) else {
        return loaded(Simulation::default(), problems, source);
    };
    for (argument, source) in arguments {
        set::apply(&mut root, argument, source, &mut problems);
    }
    let read = |root: &Node, index: &mut Recorder, problems: &mut Problems| {
        let mut reader = Reader {
            vocabulary,
            problems,
            file: source,
            index,
            middlewares: BTreeMap::new(),
        };
        read::simulation(&mut reader, root)
    };
    let seed = seed.or_else(|| seed_of(&root)).unwrap_or_default();
    let (simulation, drawn) = read_drawn(&mut root, (&[], seed), index, &mut problems, read);
    let simulation = Simulation {
        drawn,
        ..simulation
    };
    loaded(simulation, problems, source)
}

/// Returns the seed that a file contains.
fn seed_of(root: &Node) -> Option<u64> {
    let field = |node: &Node, name: &str| match &node.kind {
        Kind::Struct(_, fields) => {
            let field = fields.iter().find(|field| field.name.value == name);
            field.map(|field| field.value.clone())
        }
        _ => None,
    };
    match field(&field(root, "environment")?, "seed")?.kind {
        Kind::Integer(seed) => u64::try_from(seed).ok(),
        _ => None,
    }
}

/// Returns the tree of a text whose only value is called `root`. After a syntax error it returns `None`, or the incomplete tree
/// if `incomplete`.
pub(super) fn parsed(
    text: &str,
    source: SourceId,
    root: &str,
    problems: &mut Problems,
    incomplete: bool,
) -> Option<Node> {
    if text.trim_start_matches('\u{FEFF}').trim().is_empty() {
        let shortest = match root {
            "Simulation" => "; the shortest one is `Simulation()`",
            _ => "",
        };
        let problem = error(
            "simulation::empty",
            Span::new(source, 0..0),
            "the file is empty",
        )
        .help(format!("write `{root}( … )`{shortest}"));
        problems.push(problem);
        return None;
    }
    let start = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    let parsed = parse(text, source, start, problems);
    parsed.root.filter(|_| parsed.sound || incomplete)
}

fn loaded(simulation: Simulation, problems: Problems, source: SourceId) -> Loaded {
    Loaded {
        simulation,
        diagnostics: problems.into_sorted(),
        source,
    }
}

/// Returns the text of the file. For invalid UTF-8 it returns the text before the first invalid byte, and an error.
pub(super) fn text_of(bytes: &[u8]) -> (&str, Option<Diagnostic>) {
    if bytes.len() > LARGEST_FILE {
        let message = "the file is larger than 64 MiB";
        let problem = Diagnostic::error("simulation::too-large", message)
            .help("use `repeat` for many robots of one kind");
        return ("", Some(problem));
    }
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        let problem = Diagnostic::error("simulation::encoding", "the file is UTF-16")
            .help("save it as UTF-8");
        return ("", Some(problem));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(failure) => {
            let good = bytes.get(..failure.valid_up_to()).unwrap_or_default();
            let problem =
                Diagnostic::error("simulation::encoding", "the file is not UTF-8 from here on")
                    .help("save it as UTF-8");
            return (std::str::from_utf8(good).unwrap_or_default(), Some(problem));
        }
    };
    if let Some(nul) = text.find('\0') {
        let message = "the file has a NUL character: it is not a text file";
        let problem = Diagnostic::error("simulation::encoding", message);
        return (text.get(..nul).unwrap_or_default(), Some(problem));
    }
    (text, None)
}
