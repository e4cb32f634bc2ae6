//! Resolution of file names in robot descriptions: `package://`, `model://`, `file://` and paths.
//!
//! Packages are resolved without ROS, in this order: packages that the user names, packages around the file itself
//! (`package.xml`), packages in `ROS_PACKAGE_PATH` and `AMENT_PREFIX_PATH`. Models of Gazebo are found in the directories that
//! contain models, and around the file itself (`model.config`).

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
};

/// Maximum number of directories that are searched below a directory of `ROS_PACKAGE_PATH`.
const MOST_DIRECTORIES: usize = 20_000;

/// Maximum depth of the search below a directory of `ROS_PACKAGE_PATH`.
const DEEPEST: usize = 8;

/// Maximum size of a `package.xml` file, bytes.
const LARGEST_MANIFEST: u64 = 1 << 20;

/// Locations of packages, in addition to the surroundings of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packages {
    /// Name and directory of packages that the user named.
    pub named: Vec<(String, PathBuf)>,
    /// Directories of `ROS_PACKAGE_PATH`, which are packages or contain packages.
    pub ros_package_path: Vec<PathBuf>,
    /// Directories of `AMENT_PREFIX_PATH`, which contain packages in `share`.
    pub ament_prefix_path: Vec<PathBuf>,
    /// Directories that contain models of Gazebo.
    pub model_paths: Vec<PathBuf>,
}

/// Result of a search for a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Path of the file, if it exists and may be opened.
    pub path: Option<PathBuf>,
    /// Paths that were tried, in order.
    pub looked: Vec<PathBuf>,
    /// Path that may not be opened, whether or not the file exists.
    pub outside: Option<PathBuf>,
    /// Reason why there was no search.
    pub objection: Option<String>,
}

/// Directories whose files may be opened.
#[derive(Clone, Debug, Default)]
pub struct Roots(Vec<PathBuf>);

impl Roots {
    /// Permits a directory, the current one, and others.
    #[must_use]
    pub fn new(directory: &Path, allowed: &[PathBuf]) -> Self {
        let all = [directory, Path::new(".")].into_iter();
        let all = all.chain(allowed.iter().map(PathBuf::as_path));
        let real = |root: &Path| match root.as_os_str().is_empty() {
            true => Path::new(".").canonicalize(),
            false => root.canonicalize(),
        };
        Self(all.filter_map(|root| real(root).ok()).collect())
    }

    /// Returns true if the canonical path of a file is below a permitted directory.
    #[must_use]
    pub fn allow(&self, true_path: &Path) -> bool {
        self.0.iter().any(|root| true_path.starts_with(root))
    }

    /// Returns true if a path that does not exist would be below a permitted directory.
    #[must_use]
    pub fn allow_missing(&self, path: &Path) -> bool {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut plain = PathBuf::new();
        for segment in absolute.components() {
            match segment {
                Component::ParentDir => drop(plain.pop()),
                other => plain.push(other),
            }
        }
        let there = plain.ancestors().find_map(|path| path.canonicalize().ok());
        there.is_some_and(|there| self.allow(&there))
    }
}

/// Resolver of file names for a description in one directory.
#[derive(Debug)]
pub struct Finder<'a> {
    packages: &'a Packages,
    directory: PathBuf,
    roots: Roots,
    /// Directories of the packages that were requested so far.
    known: BTreeMap<String, Vec<Candidate>>,
}

/// A directory that may be a package.
#[derive(Clone, Debug)]
struct Candidate {
    directory: PathBuf,
    /// True if files of the directory may be opened wherever it is.
    trusted: bool,
}

impl<'a> Finder<'a> {
    /// Returns a resolver for a description in a directory. Permitted are files in that directory, in the current one, in
    /// `allowed` ones, and in packages.
    #[must_use]
    pub fn new(packages: &'a Packages, directory: &Path, allowed: &[PathBuf]) -> Self {
        Self {
            packages,
            directory: directory.to_owned(),
            roots: Roots::new(directory, allowed),
            known: BTreeMap::new(),
        }
    }

    /// Searches for the file with this name.
    pub fn find(&mut self, written: &str) -> Search {
        let written = written.trim();
        if written.is_empty() || written.contains('\0') {
            return refused("it names no file");
        }
        match written.split_once("://") {
            Some(("package" | "model", rest)) => self.in_package(rest),
            Some(("file", rest)) => self.at(&[absolute(rest)]),
            Some((scheme, _)) => refused(&format!("`{scheme}://` is not supported")),
            None => self.beside(&written.replace('\\', "/")),
        }
    }

    /// Searches for a path, which begins at the directory of the description. An absolute path that does not exist is searched
    /// there too, since exporters put `/` before relative ones.
    fn beside(&self, written: &str) -> Search {
        let path = self.directory.join(written);
        let search = self.at(std::slice::from_ref(&path));
        let inner = written.trim_start_matches('/');
        if search.path.is_some() || inner.len() == written.len() {
            return search;
        }
        let below = self.at(&[path, self.directory.join(inner)]);
        if below.path.is_some() { below } else { search }
    }

    /// Returns the directory of a package, the first that exists, and true if its files may be read wherever it is.
    pub fn package(&mut self, name: &str) -> Option<(PathBuf, bool)> {
        let mut all = self.candidates(name).into_iter();
        let package = all.find(|one| one.directory.is_dir());
        package.map(|one| (one.directory, one.trusted))
    }

    fn in_package(&mut self, rest: &str) -> Search {
        let rest = rest.trim_start_matches('/');
        let (name, file) = match rest.split_once('/') {
            Some((name, file)) if !name.is_empty() && !file.is_empty() => (name, file),
            _ => return refused("write it as `package://NAME/path/of/file`"),
        };
        let leads_out =
            |segment: Component<'_>| !matches!(segment, Component::Normal(_) | Component::CurDir);
        if Path::new(file).components().any(leads_out) || name.starts_with('.') {
            return refused("it leads out of its package");
        }
        let mut search = Search::default();
        for candidate in self.candidates(name) {
            let path = candidate.directory.join(file);
            search.looked.push(path.clone());
            let Ok(real) = path.canonicalize() else {
                if !candidate.trusted && !self.roots.allow_missing(&path) {
                    search.outside = search.outside.or(Some(path));
                }
                continue;
            };
            let base = candidate.directory.canonicalize().unwrap_or_default();
            let inside = candidate.trusted && real.starts_with(base);
            match real.is_file() && (inside || self.roots.allow(&real)) {
                true => {
                    search.path = Some(path);
                    return search;
                }
                false if real.is_file() => search.outside = search.outside.or(Some(path)),
                false => {}
            }
        }
        search
    }

    fn at(&self, paths: &[PathBuf]) -> Search {
        let mut search = Search::default();
        for path in paths {
            search.looked.push(path.clone());
            match path.canonicalize() {
                Ok(real) if !real.is_file() => {}
                Ok(real) if self.roots.allow(&real) => {
                    search.path = Some(path.clone());
                    break;
                }
                Ok(_) => search.outside = Some(path.clone()),
                // The message must not reveal whether a file outside the permitted directories exists.
                Err(_) if !self.roots.allow_missing(path) => {
                    search.outside = Some(path.clone());
                }
                Err(_) => {}
            }
        }
        search
    }

    fn candidates(&mut self, name: &str) -> Vec<Candidate> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let mut candidates = Vec::new();
        let named = self.packages.named.iter();
        let named = named.filter(|(known, _)| known == name);
        candidates.extend(named.map(|(_, directory)| trusted(directory.clone())));
        let models = self.packages.model_paths.iter();
        candidates.extend(models.map(|path| trusted(path.join(name))));
        self.around(name, &mut candidates);
        for path in &self.packages.ros_package_path {
            candidates.extend(below(path, name).map(trusted));
        }
        let prefixes = self.packages.ament_prefix_path.iter();
        candidates.extend(prefixes.map(|prefix| trusted(prefix.join("share").join(name))));
        self.known.insert(name.to_owned(), candidates.clone());
        candidates
    }

    /// Adds the directories above the file, and their siblings.
    fn around(&self, name: &str, candidates: &mut Vec<Candidate>) {
        let start = match self.directory.as_os_str().is_empty() {
            true => Path::new("."),
            false => &self.directory,
        };
        let Ok(start) = start.canonicalize() else {
            return;
        };
        for directory in start.ancestors() {
            let is_named = directory.file_name().is_some_and(|own| own == name);
            let manifest = manifest(directory);
            if manifest.as_deref() == Some(name) || is_named {
                let is_model = directory.join("model.config").is_file();
                candidates.push(Candidate {
                    directory: directory.to_owned(),
                    trusted: manifest.is_some() || is_model,
                });
            }
            for beside in [directory.join(name), directory.join("models").join(name)] {
                if beside.is_dir() {
                    let manifests = ["package.xml", "model.config"];
                    let is_package = |manifest| beside.join(manifest).is_file();
                    candidates.push(Candidate {
                        trusted: manifests.into_iter().any(is_package),
                        directory: beside,
                    });
                }
            }
        }
    }
}

fn refused(objection: &str) -> Search {
    Search {
        objection: Some(objection.to_owned()),
        ..Search::default()
    }
}

fn trusted(directory: PathBuf) -> Candidate {
    Candidate {
        directory,
        trusted: true,
    }
}

/// Returns the path of `file://host/path`; the host is ignored.
fn absolute(rest: &str) -> PathBuf {
    let path = rest.strip_prefix("localhost/").unwrap_or(rest);
    Path::new("/").join(path.trim_start_matches('/'))
}

/// Returns the name of the package in a directory, by its `package.xml`, or else by the directory's name.
fn manifest(directory: &Path) -> Option<String> {
    let file = directory.join("package.xml");
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > LARGEST_MANIFEST {
        return None;
    }
    let text = std::fs::read_to_string(&file).ok()?;
    let (_, rest) = text.split_once("<name>")?;
    let (name, _) = rest.split_once("</name>")?;
    Some(name.trim().to_owned())
}

/// Returns the package with this name below a directory, or the directory itself.
fn below(root: &Path, name: &str) -> Option<PathBuf> {
    let mut left = MOST_DIRECTORIES;
    let mut level = vec![root.to_owned()];
    for _ in 0..DEEPEST {
        let mut next = Vec::new();
        for directory in level {
            let is_package = directory.join("package.xml").is_file();
            let is_named = directory.file_name().is_some_and(|own| own == name);
            if is_package && (is_named || manifest(&directory).as_deref() == Some(name)) {
                return Some(directory);
            }
            // Packages are not nested.
            if !is_package {
                next.extend(directories(&directory, &mut left));
            }
        }
        level = next;
    }
    None
}

/// Returns the subdirectories of a directory, sorted, within the remaining number.
fn directories(directory: &Path, left: &mut usize) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut directories: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .take(*left)
        .collect();
    *left -= directories.len();
    directories.sort();
    directories
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Creates empty files below a directory.
    fn make(root: &Path, files: &[&str]) {
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let text = match path.file_name().is_some_and(|name| name == "package.xml") {
                true => "<package>\n <name> arm </name></package>",
                false => "",
            };
            fs::write(path, text).unwrap();
        }
    }

    #[test]
    fn packages_are_looked_for_in_their_order() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        make(
            &root,
            &[
                "given/m.stl",
                "src/arm_v2/package.xml",
                "src/arm_v2/urdf/a.urdf",
                "src/arm_v2/m.stl",
                "ros/deep/arm/package.xml",
                "ros/deep/arm/m.stl",
                "ament/share/arm/m.stl",
            ],
        );
        let mut packages = Packages {
            named: vec![("arm".into(), root.join("given"))],
            ros_package_path: vec![root.join("ros")],
            ament_prefix_path: vec![root.join("ament")],
            model_paths: Vec::new(),
        };
        let urdf = root.join("src/arm_v2/urdf");
        let find = |packages: &Packages, directory: &Path| {
            let search = Finder::new(packages, directory, &[]).find("package://arm/m.stl");
            search.path
        };
        assert_eq!(find(&packages, &urdf), Some(root.join("given/m.stl")));
        packages.named.clear();
        assert_eq!(find(&packages, &urdf), Some(root.join("src/arm_v2/m.stl")));
        let elsewhere = root.join("given");
        let path = find(&packages, &elsewhere);
        assert_eq!(path, Some(root.join("ros/deep/arm/m.stl")));
        packages.ros_package_path.clear();
        let path = find(&packages, &elsewhere);
        assert_eq!(path, Some(root.join("ament/share/arm/m.stl")));
        packages.ament_prefix_path.clear();
        assert_eq!(find(&packages, &elsewhere), None);
    }

    #[test]
    fn no_path_leads_out() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        make(&root, &["secret/key", "a/b/r.urdf", "a/b/m.stl"]);
        let packages = Packages::default();
        let mut finder = Finder::new(&packages, &root.join("a/b"), &[]);
        assert!(finder.find("m.stl").path.is_some());
        let inside = format!("file://{}/a/b/m.stl", root.display());
        assert!(finder.find(&inside).path.is_some());
        // Exporters write `/m.stl` for a file beside the description.
        assert_eq!(finder.find("/m.stl").path, Some(root.join("a/b/m.stl")));
        assert!(finder.find("/secret/key").path.is_none());
        // A sibling of a parent directory is no package without a `package.xml`.
        let file = format!("file://{}/secret/key", root.display());
        for out in ["../../secret/key", "package://secret/key", &file] {
            let search = finder.find(out);
            assert_eq!(search.path, None, "{out}");
            assert!(search.outside.is_some(), "{out}");
        }
        for bad in [
            "package://b/../../../secret/key",
            "http://x/y",
            "",
            "package://b",
        ] {
            assert!(finder.find(bad).objection.is_some(), "{bad}");
        }
        let mut finder = Finder::new(&packages, &root.join("a/b"), std::slice::from_ref(&root));
        assert!(finder.find("package://secret/key").path.is_some());
    }
}
