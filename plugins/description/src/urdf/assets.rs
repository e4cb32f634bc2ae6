//! Search for the meshes and textures of a robot.

use std::{collections::BTreeMap, path::PathBuf};

use morse_diagnostics::{Diagnostic, Span, nearest_file, printable, printable_path};

use crate::{
    codes,
    packages::{Finder, Search},
    problems::Problems,
};

/// Maximum number of paths in a message.
const MOST_LISTED: usize = 12;

/// A file to which a description refers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Kind of file for messages: mesh or image.
    pub what: &'static str,
    /// File name as written.
    pub written: String,
    /// Path of the file, if it exists and may be opened.
    pub path: Option<PathBuf>,
    /// Paths that were tried, in order.
    pub looked: Vec<PathBuf>,
}

/// Files of one robot; each is searched for once.
pub(crate) struct Assets<'a> {
    pub(crate) finder: Finder<'a>,
    /// True if a required mesh that is missing is an error.
    pub(crate) simulated: bool,
    searches: BTreeMap<String, Search>,
    pub(crate) list: Vec<Asset>,
}

impl<'a> Assets<'a> {
    pub(crate) fn new(finder: Finder<'a>, simulated: bool) -> Self {
        Self {
            finder,
            simulated,
            searches: BTreeMap::new(),
            list: Vec::new(),
        }
    }

    /// Returns the path of a file. A missing file is reported once; a missing `needed` file is an error in a simulation.
    pub(crate) fn find(
        &mut self,
        what: &'static str,
        written: &str,
        needed: bool,
        span: Span,
        problems: &mut Problems,
    ) -> Option<PathBuf> {
        if let Some(known) = self.searches.get(written) {
            if known.path.is_none() && needed && self.simulated {
                // An earlier report of the file may have been a warning.
                problems.push(missing(what, written, known, true).at(span, "needed here"));
            }
            return known.path.clone();
        }
        let search = self.finder.find(written);
        if search.path.is_none() {
            let error = needed && self.simulated;
            problems.push(missing(what, written, &search, error).at(span, "named here"));
        }
        self.list.push(Asset {
            what,
            written: written.to_owned(),
            path: search.path.clone(),
            looked: search.looked.clone(),
        });
        let path = search.path.clone();
        self.searches.insert(written.to_owned(), search);
        path
    }
}

fn missing(what: &str, written: &str, search: &Search, error: bool) -> Diagnostic {
    let shown = printable_path(written);
    let (code, message) = match (&search.outside, &search.objection) {
        (Some(_), _) => (
            codes::OUTSIDE,
            format!("the {what} `{shown}` lies outside the allowed directories"),
        ),
        (None, Some(objection)) => (
            codes::MISSING_FILE,
            format!("cannot find the {what} `{shown}`: {objection}"),
        ),
        (None, None) => (codes::MISSING_FILE, format!("there is no {what} `{shown}`")),
    };
    let mut diagnostic = match error {
        true => Diagnostic::error(code, message),
        false => Diagnostic::warning(code, message).note("the shape is left out"),
    };
    for path in search.looked.iter().take(MOST_LISTED) {
        let path = printable_path(&path.display().to_string());
        diagnostic = diagnostic.note(format!("looked for `{path}`"));
    }
    if let Some(outside) = &search.outside {
        let folder = outside.parent().map(|folder| folder.display().to_string());
        let folder = printable_path(&folder.unwrap_or_default());
        return diagnostic.help(format!("if you trust it: `--allow-path {folder}`"));
    }
    if search.objection.is_some() {
        return diagnostic.help(
            "name a file: `package://NAME/path`, or a path from the directory of the description",
        );
    }
    let near = search
        .looked
        .iter()
        .find_map(|path| nearest_file(path, written));
    let package = written
        .split_once("://")
        .filter(|(scheme, _)| *scheme != "file");
    match (near, package) {
        (Some(near), None) => diagnostic.help(format!("did you mean `{}`?", printable_path(&near))),
        (_, Some(("model", _))) => diagnostic.help(
            "set the directory that contains the model with `--sdf-path DIRECTORY`, or `GZ_SIM_RESOURCE_PATH`",
        ),
        (_, Some((_, rest))) => {
            let name = printable(rest.split('/').next().unwrap_or_default());
            diagnostic.help(format!(
                "set its location with `--package {name}=DIRECTORY`, or set `ROS_PACKAGE_PATH`"
            ))
        }
        (None, None) => {
            diagnostic.help("check the path: it begins at the directory of the description")
        }
    }
}
