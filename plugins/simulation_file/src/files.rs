//! Search for the files that a simulation names: relative to the simulation file, then among the program's own assets.

use std::path::{Path, PathBuf};

use morse_diagnostics::{Diagnostic, nearest_file};
use morse_scene::assets;

use super::problem::{Wording as _, listing, quoted};
use super::span::Spanned;

/// Files that are embedded in the program.
pub trait Assets {
    /// Returns the paths of the files, with `/`: `robots/atrv.robray`.
    fn paths(&self) -> Vec<&str>;
}

impl Assets for assets::Embedded {
    fn paths(&self) -> Vec<&str> {
        let paths = assets::SHIPPED.0.iter().map(|(path, _)| *path);
        paths.filter(|path| path.ends_with(".robray")).collect()
    }
}

/// Location of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileLocation {
    /// A file on the disk; the path is canonical.
    Disk(PathBuf),
    /// An asset of the program.
    Asset(String),
}

/// Looks up scenes and models for one simulation file.
pub struct Files<'a> {
    /// The directory of the simulation file.
    pub directory: &'a Path,
    /// Other permitted directories: the current directory, and those of `--allow-path`.
    pub roots: &'a [PathBuf],
    /// Assets of the program.
    pub assets: &'a dyn Assets,
}

impl Files<'_> {
    /// Finds a file by its path as written: relative to the simulation file, then among the assets.
    ///
    /// # Errors
    ///
    /// Returns a diagnostic if the file does not exist, or is outside the permitted directories.
    pub fn find(&self, path: &Spanned<String>) -> Result<FileLocation, Box<Diagnostic>> {
        if path.value.is_empty() || path.value.contains('\0') {
            let mut problem = refused("simulation::file", path, "this names no file");
            let help = "name a file such as \"arena.robray\", or leave the field out";
            problem.help.push(help.to_owned());
            return Err(problem);
        }
        let candidate = self.directory.join(&path.value);
        if let Ok(real) = candidate.canonicalize() {
            return self.permit(path, real);
        }
        match self.asset(&path.value) {
            Some(asset) => Ok(FileLocation::Asset(asset)),
            None => Err(self.missing(path)),
        }
    }

    fn permit(
        &self,
        path: &Spanned<String>,
        real: PathBuf,
    ) -> Result<FileLocation, Box<Diagnostic>> {
        let is_below = |root: &Path| {
            // An empty path means the current directory, which `canonicalize` refuses.
            let root = if root.as_os_str().is_empty() {
                Path::new(".")
            } else {
                root
            };
            root.canonicalize().is_ok_and(|root| real.starts_with(root))
        };
        let allowed = is_below(self.directory) || self.roots.iter().any(|root| is_below(root));
        if !allowed {
            let message = format!(
                "{} lies outside the allowed directories",
                quoted(&path.value)
            );
            let mut problem = refused("simulation::outside", path, &message);
            let note = "files are read from the directory of the simulation, the current directory, \
                        and the program's assets";
            problem.notes.push(note.to_owned());
            problem
                .help
                .push("allow it with `--allow-path DIRECTORY`".to_owned());
            return Err(problem);
        }
        if !real.is_file() {
            let message = format!("{} is not a file", quoted(&path.value));
            return Err(refused("simulation::file", path, &message));
        }
        Ok(FileLocation::Disk(real))
    }

    fn asset(&self, path: &str) -> Option<String> {
        let plain = path.strip_prefix("./").unwrap_or(path);
        let paths = self.assets.paths();
        paths
            .into_iter()
            .find(|asset| *asset == plain)
            .map(str::to_owned)
    }

    fn missing(&self, path: &Spanned<String>) -> Box<Diagnostic> {
        let message = format!("there is no file {}", quoted(&path.value));
        let mut problem = refused("simulation::file", path, &message);
        let note = "looked next to the simulation file, then among the program's assets";
        problem.notes.push(note.to_owned());
        let paths = self.assets.paths();
        let near = self.near(path).or_else(|| {
            let near = morse_diagnostics::nearest(&path.value, paths.iter().copied());
            near.map(str::to_owned)
        });
        match (near, listing(&self.neighbours(path))) {
            (Some(near), _) => problem
                .help
                .push(format!("did you mean {}?", quoted(&near))),
            (None, Some(list)) => problem.notes.push(format!("there is: {list}")),
            (None, None) => {}
        }
        problem
    }

    /// Returns the file on the disk with the most similar name; files outside the permitted directories are not revealed.
    fn near(&self, path: &Spanned<String>) -> Option<String> {
        let wanted = self.directory.join(&path.value);
        let near = nearest_file(&wanted, &path.value)?;
        let real = self.directory.join(&near).canonicalize().ok()?;
        let here = Spanned::from(near.clone());
        self.permit(&here, real).is_ok().then_some(near)
    }

    /// Returns the assets in the same directory as the missing one.
    fn neighbours(&self, path: &str) -> Vec<&str> {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let is_near =
            |asset: &&str| asset.rsplit_once('/').map_or("", |(near, _)| near) == directory;
        self.assets.paths().into_iter().filter(is_near).collect()
    }
}

fn refused(code: &'static str, path: &Spanned<String>, message: &str) -> Box<Diagnostic> {
    let problem = Diagnostic::error(code, message);
    Box::new(match path.span {
        Some(span) => problem.at(span, "").label("named here"),
        None => problem,
    })
}
