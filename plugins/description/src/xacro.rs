//! Processor of xacro, the macro language of robot descriptions, without ROS and without Python.
//!
//! It converts a tree of elements to one without macros. Every element and attribute keeps its source span, so that an error
//! in a macro is shown in the macro and its file. Existing processors return text, which loses the spans; this one is our
//! own for that reason.
//!
//! Supported are properties, blocks, macros with defaults, conditions, arguments, inclusion with namespaces, YAML files, and
//! the subset of Python's expressions that descriptions use. Other Python code is not supported.

mod call;
pub mod codes;
mod evaluate;
mod expand;
mod expression;
mod functions;
mod include;
mod lexer;
mod parameters;
mod scope;
mod text;
mod value;
mod values;
mod yaml;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    packages::{Finder, Packages, Roots},
    problems::Problems,
    xml::Element,
};
use expand::Expander;
use morse_diagnostics::Sources;

/// Options of the macro processor.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Names and values of arguments.
    pub arguments: Vec<(String, String)>,
    /// Environment variables for `$(env NAME)` and `$(optenv NAME)`.
    pub environment: BTreeMap<String, String>,
    /// Names of the arguments of all descriptions that are read with these options, or with clones of them.
    pub known: KnownArguments,
}

/// Names of arguments that descriptions define or use. Clones share them: several descriptions are read with the same options.
#[derive(Clone, Debug, Default)]
pub struct KnownArguments(Arc<Mutex<BTreeSet<String>>>);

impl KnownArguments {
    fn add(&self, name: &str) {
        self.lock().insert(name.to_owned());
    }

    /// Returns the names, in alphabetical order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.lock().iter().cloned().collect()
    }

    // The set stays valid if a thread panics.
    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Expands all macros. Adds included files to `sources`.
pub(crate) fn expand(
    root: &Element,
    path: &Path,
    (options, packages): (&Options, &Packages),
    allowed: &[PathBuf],
    sources: &mut Sources,
    problems: &mut Problems,
) -> Element {
    let directory = path.parent().unwrap_or(Path::new(""));
    let finder = Finder::new(packages, directory, allowed);
    let roots = Roots::new(directory, allowed);
    let mut expander = Expander::new(options, (finder, roots), sources, problems);
    expander.files.push(path.to_owned());
    expander.root(root)
}
