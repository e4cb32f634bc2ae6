//! Inclusion of files: descriptions and YAML.

use std::path::{Path, PathBuf};

use morse_diagnostics::{Span, nearest_file, printable_path, read_bytes};

use super::{codes, expand::Expander, value::Value, yaml};
use crate::xml::{self, Content, Element};

/// Maximum nesting depth of files.
const DEEPEST: usize = 40;

/// Maximum total size of all files, bytes.
const MOST_TEXT: u64 = 64 << 20;

impl Expander<'_> {
    /// Replaces an include element by the content of the file.
    pub(super) fn include(&mut self, element: &Element, scope: usize) -> Vec<Content> {
        let Some(name) = self.needed(element, "filename", scope) else {
            return Vec::new();
        };
        let span = element
            .attribute("filename")
            .map_or(element.span, |name| name.value_span);
        let path = self.path_of(&name);
        let optional = element.attribute("optional");
        if optional.is_some_and(|optional| optional.value == "true") && !path.exists() {
            return Vec::new();
        }
        let scope = match element.attribute("ns") {
            None => Some(scope),
            Some(space) => self.scopes.add(scope).inspect(|inner| {
                let spaces = &mut self.scopes.get(scope).spaces;
                spaces.insert(space.value.clone(), *inner);
            }),
        };
        let (Some(scope), Some(root)) = (scope, self.file(&path, span)) else {
            return Vec::new();
        };
        self.files.push(path);
        let content = self.all(&root.content, scope);
        self.files.pop();
        content
    }

    /// Resolves the path of a file, which may be in a package.
    fn path_of(&mut self, name: &str) -> PathBuf {
        if name.contains("://")
            && let Some(path) = self.finder.find(name).path
        {
            self.trusted.extend(path.parent().map(Path::to_owned));
            return path;
        }
        self.directory().join(name)
    }

    fn file(&mut self, path: &Path, span: Span) -> Option<Element> {
        let shown = printable_path(&path.display().to_string());
        let real = path.canonicalize().ok();
        let open = self
            .files
            .iter()
            .filter_map(|file| file.canonicalize().ok());
        let is_open = real.is_some() && open.into_iter().any(|file| Some(file) == real);
        if is_open || self.files.len() >= DEEPEST {
            let message =
                format!("`{shown}` includes itself, or the inclusions are nested too deeply");
            let help = "move what they share into a file of its own";
            self.say(codes::INCLUDE, span, message, help);
            return None;
        }
        let bytes = match self.bytes(path) {
            Ok(bytes) => bytes,
            Err(why) => {
                let message = format!("cannot include `{shown}`: {why}");
                let near = nearest_file(path, &shown).filter(|_| self.may_read(path));
                let help = match near {
                    Some(near) => format!("did you mean `{}`?", printable_path(&near)),
                    None => {
                        "paths begin at the directory of the file; packages are `$(find NAME)/…`"
                            .to_owned()
                    }
                };
                self.say(codes::INCLUDE, span, message, &help);
                return None;
            }
        };
        let Ok(text) = String::from_utf8(bytes) else {
            let message = format!("`{shown}` is not UTF-8 text");
            self.say(codes::INCLUDE, span, message, "save it as UTF-8 text");
            return None;
        };
        let name = path.display().to_string();
        let source = self.sources.add_included(name, text.as_str(), span, true);
        match xml::parse(&text, source) {
            Ok(root) => Some(root),
            Err(problem) => {
                self.problems.push(*problem);
                None
            }
        }
    }

    /// Returns the value of a YAML file.
    pub(super) fn yaml(&mut self, name: &str) -> Result<Value, String> {
        let path = self.directory().join(name);
        let shown = printable_path(&path.display().to_string());
        let text = self
            .bytes(&path)
            .map_err(|why| format!("cannot read `{shown}`: {why}"))?;
        let text = String::from_utf8_lossy(&text);
        yaml::parse(&text).map_err(|why| format!("`{shown}`: {why}"))
    }

    fn may_read(&self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else {
            return self.roots.allow_missing(path);
        };
        let trusted = |directory: &PathBuf| {
            directory
                .canonicalize()
                .is_ok_and(|directory| real.starts_with(directory))
        };
        self.roots.allow(&real) || self.trusted.iter().any(trusted)
    }

    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        if !self.may_read(path) {
            return Err(
                "it lies outside the allowed directories; allow them by `--allow-path DIRECTORY`"
                    .to_owned(),
            );
        }
        let bytes = read_bytes(path).map_err(|error| error.to_string())?;
        self.read += bytes.len() as u64;
        match self.read > MOST_TEXT {
            true => Err("all files together are limited to 64 MiB".to_owned()),
            false => Ok(bytes),
        }
    }
}
