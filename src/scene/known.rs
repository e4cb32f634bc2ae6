//! Scenes that are kept after they were read, for simulations that begin many times.
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use morse_diagnostics::{Failed, Sources, read_bytes};
use morse_scene::{formats::Format, shipped::Shipped};

use super::load::{LoadOptions, Loaded, load};

/// Maximum number of scenes that are kept.
const MOST: usize = 64;

/// Scenes in the scene language that were read. One is used again while its files have the same texts. Files that did not exist
/// when it was read are not looked for again. By default no scene is kept.
#[derive(Clone, Debug, Default)]
pub struct KnownScenes(Option<Arc<Mutex<Vec<Known>>>>);

/// A scene that was read.
#[derive(Debug)]
struct Known {
    path: PathBuf,
    options: Kept,
    loaded: Loaded,
}

/// Options that affect how a scene without robot descriptions is read.
#[derive(Debug, PartialEq)]
struct Kept {
    strict: bool,
    strict_amino: bool,
    simulated: bool,
    skip_mesh_check: bool,
    collada_up_axis: bool,
    allow_paths: Vec<PathBuf>,
    /// Number of files that were read before.
    before: usize,
}

impl Kept {
    fn of(options: &LoadOptions) -> Self {
        Self {
            strict: options.strict,
            strict_amino: options.strict_amino,
            simulated: options.simulated,
            skip_mesh_check: options.skip_mesh_check,
            collada_up_axis: options.collada_up_axis,
            allow_paths: options.allow_paths.clone(),
            before: options.sources.iter().count(),
        }
    }
}

impl KnownScenes {
    /// Returns an empty collection that keeps scenes. Its clones share them.
    #[must_use]
    pub fn kept() -> Self {
        Self(Some(Arc::default()))
    }

    /// Reads a scene file with all it names, unless it is known.
    ///
    /// # Errors
    ///
    /// All that is wrong with the files, in one pass.
    pub fn read(&self, path: &Path, options: &LoadOptions) -> Result<Loaded, Box<Failed>> {
        let Some(known) = self.0.as_ref().filter(|_| options.overlay.is_empty()) else {
            return load(path, options);
        };
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = Kept::of(options);
        let is_it = |scene: &Known| scene.path == path && scene.options == kept;
        let index = known.iter().position(is_it);
        if let Some(scene) = index.and_then(|index| known.get(index))
            && scene.is_unchanged()
        {
            return Ok(scene.again(&options.sources));
        }
        if let Some(index) = index {
            known.remove(index);
        }
        let loaded = load(path, options)?;
        if known.len() < MOST && is_plain(&loaded, kept.before) {
            known.push(Known {
                path: path.to_owned(),
                options: kept,
                loaded: loaded.clone(),
            });
        }
        Ok(loaded)
    }
}

impl Known {
    fn is_unchanged(&self) -> bool {
        let files = self.loaded.sources.iter().skip(self.options.before);
        files.into_iter().all(|file| {
            let path = Path::new(file.name());
            Shipped::owns(path)
                || read_bytes(path).is_ok_and(|bytes| bytes == file.text().as_bytes())
        })
    }

    /// Returns the scene with these files before its own.
    fn again(&self, before: &Sources) -> Loaded {
        let mut sources = before.clone();
        sources.extend(self.loaded.sources.iter().skip(self.options.before));
        Loaded {
            sources,
            ..self.loaded.clone()
        }
    }
}

/// Returns true if a scene, whose files come after the first `before` ones, consists of files in the scene language only.
fn is_plain(loaded: &Loaded, before: usize) -> bool {
    let mut files = loaded.sources.iter().skip(before);
    loaded.assets.is_empty()
        && files.all(|file| Format::of(Path::new(file.name())) == Format::Robray)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use morse_diagnostics::Source;

    use super::*;

    /// Reads a scene and returns the names of its frames.
    fn names(known: &KnownScenes, path: &Path) -> Result<Vec<String>, Box<Failed>> {
        let mut options = LoadOptions::default();
        options.sources.add("first.ron", "Simulation()");
        let loaded = known.read(path, &options)?;
        let files: Vec<&str> = loaded.sources.iter().map(Source::text).collect();
        assert_eq!(files.first(), Some(&"Simulation()"));
        assert_eq!(files.len(), 3, "the scene and what it includes");
        let frames = loaded.scene.frames().iter();
        Ok(frames.map(|frame| frame.name.clone()).collect())
    }

    #[test]
    fn a_known_scene_is_read_again_when_one_of_its_files_changes() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let path = folder.path().join("scene.robray");
        write("scene.robray", "include \"part.robray\"\nframe a {}");
        write("part.robray", "frame b {}");
        let known = KnownScenes::kept();
        let first = names(&known, &path).unwrap();
        assert_eq!(names(&known, &path).unwrap(), first);
        assert_eq!(known.0.as_ref().unwrap().lock().unwrap().len(), 1);
        write("part.robray", "frame c {}");
        assert_ne!(names(&known, &path).unwrap(), first);
        write("part.robray", "frame {");
        assert!(names(&known, &path).is_err());
        write("part.robray", "frame b {}");
        assert_eq!(names(&known, &path).unwrap(), first);
        fs::remove_file(folder.path().join("part.robray")).unwrap();
        assert!(known.read(&path, &LoadOptions::default()).is_err());
    }

    #[test]
    fn robot_descriptions_are_read_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robot.urdf");
        fs::write(&path, "<robot name=\"r\"><link name=\"base\"/></robot>").unwrap();
        let known = KnownScenes::kept();
        known.read(&path, &LoadOptions::default()).unwrap();
        assert!(known.0.unwrap().lock().unwrap().is_empty());
    }
}
