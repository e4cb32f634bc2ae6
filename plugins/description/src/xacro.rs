//! xacro, the macros of robot descriptions, without ROS and without Python.
//!
//! It turns a tree of elements into one without macros. Every element and attribute keeps the place where it was
//! written, so that a mistake in a macro is shown in the macro, with the file that it is in. That is also why this is
//! our own: the ready-made readers return text, in which places are lost.
//!
//! Known are properties, blocks, macros with defaults, conditions, arguments, inclusion with namespaces, YAML files, and
//! the part of Python's expressions that descriptions use. Conditions of other Python code are not.

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
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{
    packages::{Finder, Packages, Roots},
    problems::Problems,
    xml::Element,
};
use expand::Expander;
use morse_diagnostics::Sources;

/// Options for macros.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Arguments: name and value.
    pub arguments: Vec<(String, String)>,
    /// Variables that `$(env NAME)` and `$(optenv NAME)` see.
    pub environment: BTreeMap<String, String>,
}

/// Replaces all macros. Included files are added to `sources`.
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
