//! File access of a load: permitted directories, the chain of includes, and files whose text must not be shown.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use morse_diagnostics::{Diagnostic, SourceId, Span, nearest_file, printable_path};
use morse_scene::formats::Format;
use morse_scene::shipped::Shipped;

use super::{File, Loader};
use crate::codes;
use crate::parser::DEEPEST;
use crate::syntax::Word;

/// Maximum total size of all texts of a load, bytes; a file counts each time it is included.
const MOST_TEXT: u64 = 64 * 1024 * 1024;
/// Maximum number of inclusions.
const MOST_INCLUSIONS: usize = 10_000;

/// Files of a load.
pub(super) struct Files {
    /// Directories whose files may be quoted in messages and used as meshes.
    roots: Vec<PathBuf>,
    /// Files that were read, by canonical path.
    known: BTreeMap<PathBuf, SourceId>,
    /// Files that are being read; each one includes the next.
    open: Vec<(PathBuf, SourceId)>,
    inclusions: usize,
    text: u64,
}

/// Result of the search for a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FileStatus {
    There,
    Missing,
    Outside,
}

impl Files {
    pub(super) fn new(directory: &Path, allowed: &[PathBuf]) -> Self {
        let here = Path::new(".");
        let directory = if directory.as_os_str().is_empty() {
            here
        } else {
            directory
        };
        let roots = [directory, here]
            .into_iter()
            .chain(allowed.iter().map(PathBuf::as_path))
            .filter_map(|root| root.canonicalize().ok())
            .collect();
        Self {
            roots,
            known: BTreeMap::new(),
            open: Vec::new(),
            inclusions: 0,
            text: 0,
        }
    }

    /// Checks whether a file in another language may be read.
    ///
    /// # Errors
    ///
    /// Returns the reason of the refusal, in one line.
    pub(super) fn may_read(&self, path: &Path) -> Result<(), String> {
        let shown = printable_path(&path.display().to_string());
        match path.canonicalize() {
            Ok(real) if self.allows(&real) => Ok(()),
            Ok(_) => Err(format!("`{shown}` lies outside the allowed directories")),
            Err(_) => Err(format!("cannot read `{shown}`: there is no such file")),
        }
    }

    /// Adds the directory of a file in a package to the permitted directories.
    pub(super) fn trust(&mut self, path: &Path) {
        let real = path.canonicalize().ok();
        let directory = real.as_deref().and_then(Path::parent);
        self.roots.extend(directory.map(Path::to_owned));
    }

    fn allows(&self, true_path: &Path) -> bool {
        if Shipped::owns(true_path) {
            return true;
        }
        self.roots.iter().any(|root| true_path.starts_with(root))
    }

    /// Returns the directory of the file that is being read, if the file is embedded in the program.
    pub(super) fn shipped_directory(&self) -> Option<&Path> {
        let (path, _) = self.open.last()?;
        path.parent().filter(|_| Shipped::owns(path))
    }

    /// Checks whether a file exists, without opening it; paths outside the permitted directories are not even checked.
    pub(super) fn look(&self, path: &Path) -> FileStatus {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let (allowed, status) = match path.canonicalize() {
            Ok(real) => (self.allows(&real), FileStatus::There),
            Err(_) => (
                self.allows_text(&without_dots(&absolute)),
                FileStatus::Missing,
            ),
        };
        if allowed { status } else { FileStatus::Outside }
    }

    /// Returns true if a path that does not exist would be in a permitted directory.
    fn allows_text(&self, absolute: &Path) -> bool {
        let mut ancestors = absolute.ancestors();
        let there = ancestors.find_map(|ancestor| ancestor.canonicalize().ok());
        there.is_some_and(|there| self.allows(&there))
    }
}

/// Returns a path without `.` and `..`, resolved lexically.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

impl Loader<'_> {
    /// Reads the top-level file.
    pub(super) fn top_file(&mut self, path: &Path) {
        let name = path.display().to_string();
        let (true_path, bytes) = match self.bytes(path) {
            Ok(read) => read,
            Err(reason) => {
                let shown = printable_path(&name);
                let message = format!("cannot read `{shown}`: {reason}");
                let near = nearest_file(path, &name).filter(|_| !path.exists());
                let help = match near {
                    Some(near) => format!("did you mean `{}`?", printable_path(&near)),
                    None => "check the path, and that it is a file you may read".to_owned(),
                };
                let diagnostic = Diagnostic::error(codes::CANNOT_READ, message).help(help);
                self.problems.push(diagnostic);
                return;
            }
        };
        let text = match String::from_utf8(bytes) {
            Ok(text) => Arc::from(text),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let mut bytes = error.into_bytes();
                bytes.truncate(valid);
                let readable = String::from_utf8(bytes).unwrap_or_default();
                let source = self.sources.add(name, readable);
                self.not_text(source, valid, "this is not UTF-8");
                return;
            }
        };
        let source = self.sources.add(name, Arc::clone(&text));
        self.files.known.insert(true_path.clone(), source);
        self.enter(text, source, path, true_path, false);
    }

    pub(super) fn include(&mut self, written: &Word<'_>, file: &File) {
        let Some(path) = self.include_path(written, file) else {
            return;
        };
        self.index.link(written.span, &path);
        if matches!(
            Format::of(&path),
            Format::Urdf | Format::Xacro | Format::Mjcf | Format::Sdf | Format::Compiled
        ) {
            self.described(written, &path);
            return;
        }
        self.files.inclusions += 1;
        if self.files.inclusions > MOST_INCLUSIONS {
            if self.files.inclusions == MOST_INCLUSIONS + 1 {
                let message = format!("more than {MOST_INCLUSIONS} inclusions");
                let diagnostic = Diagnostic::error(codes::TOO_MANY_INCLUDES, message)
                    .at(written.span, "exceeds the limit")
                    .help("include each file once, where it is needed");
                self.problems.push(diagnostic);
                self.problems.stop();
            }
            return;
        }
        let (true_path, bytes) = match self.bytes(&path) {
            Ok(read) => read,
            Err(reason) => {
                let message = format!("cannot read `{}`: {reason}", written.shown());
                let diagnostic = Diagnostic::error(codes::CANNOT_READ, message)
                    .at(written.span, "not read")
                    .note(format!(
                        "looked for `{}`",
                        printable_path(&path.display().to_string())
                    ))
                    .help(self.include_help(&path, written));
                self.problems.push(diagnostic);
                return;
            }
        };
        if self.is_cycle(&true_path, written) || self.is_too_deep(written) {
            return;
        }
        self.include_text(bytes, &path, true_path, written.span);
    }

    /// Returns the help text for a missing include file. File names are suggested only from directories whose texts may be
    /// shown.
    fn include_help(&self, path: &Path, written: &Word<'_>) -> String {
        let is_open = self.files.look(path) == FileStatus::Missing;
        match nearest_file(path, written.text).filter(|_| is_open) {
            Some(near) => format!("did you mean `{}`?", printable_path(&near)),
            None => "check the path: it starts from the directory of the including file".to_owned(),
        }
    }

    fn include_text(&mut self, bytes: Vec<u8>, path: &Path, true_path: PathBuf, at: Span) {
        let again = self.files.known.get(&true_path).copied();
        let quotable = self.files.allows(&true_path);
        let name = path.display().to_string();
        match String::from_utf8(bytes) {
            Ok(text) => {
                let text: Arc<str> = text.into();
                let source = again.unwrap_or_else(|| {
                    self.sources
                        .add_included(name, Arc::clone(&text), at, quotable)
                });
                self.files.known.insert(true_path.clone(), source);
                self.enter(text, source, path, true_path, again.is_some());
            }
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let mut bytes = error.into_bytes();
                bytes.truncate(valid);
                let readable = String::from_utf8(bytes).unwrap_or_default();
                let source = self.sources.add_included(name, readable, at, quotable);
                self.not_text(source, valid, "this is not UTF-8");
            }
        }
    }

    fn enter(
        &mut self,
        text: Arc<str>,
        source: SourceId,
        path: &Path,
        true_path: PathBuf,
        again: bool,
    ) {
        if let Some(nul) = text.find('\0') {
            self.not_text(source, nul, "this is NUL, a character of binary files");
            return;
        }
        let file = File {
            source,
            directory: path.parent().unwrap_or(Path::new("")).to_owned(),
            extension: path
                .extension()
                .map(|extension| extension.to_string_lossy().into_owned()),
            again,
        };
        self.files.open.push((true_path, source));
        self.read(text, &file);
        self.files.open.pop();
    }

    /// Resolves the path of an include, relative to the including file, and adds the default extension.
    fn include_path(&mut self, written: &Word<'_>, file: &File) -> Option<PathBuf> {
        let text = written.text;
        let objection = if text.is_empty() {
            Some("the path is empty")
        } else if text.contains(['*', '?', '[']) {
            Some("wildcards are not followed")
        } else if text.starts_with("package://") {
            return self.package_path(written, file);
        } else if text.contains("://") {
            Some("URLs are not followed")
        } else {
            None
        };
        if let Some(objection) = objection {
            let message = format!("cannot include `{}`: {objection}", written.shown());
            let diagnostic = Diagnostic::error(codes::BAD_PATH, message)
                .at(written.span, objection)
                .help("name one file: `include \"file.robray\"`");
            self.problems.push(diagnostic);
            return None;
        }
        let mut path = file.directory.join(text);
        if let (None, Some(extension)) = (path.extension(), &file.extension) {
            path.set_extension(extension);
        }
        let written = Path::new(text).with_extension(path.extension().unwrap_or_default());
        Some(self.options.shipped.instead_of(path, &written))
    }

    fn is_cycle(&mut self, true_path: &Path, written: &Word<'_>) -> bool {
        let open = &self.files.open;
        let Some(first) = open.iter().position(|(path, _)| path == true_path) else {
            return false;
        };
        let mut names: Vec<String> = Vec::new();
        let sources = open.iter().skip(first).chain(open.get(first));
        for (_, source) in sources {
            names.extend(
                self.sources
                    .get(*source)
                    .map(|file| printable_path(file.name())),
            );
        }
        let length = names.len() - 1;
        if names.len() > 9 {
            names.splice(4..names.len() - 4, ["…".to_owned()]);
        }
        let message = if length == 1 {
            format!("`{}` includes itself", written.shown())
        } else {
            "these files include each other".to_owned()
        };
        let diagnostic = Diagnostic::error(codes::INCLUDE_CYCLE, message)
            .at(written.span, "closes the cycle")
            .note(names.join(" → "))
            .help("move what they share into a file of its own");
        self.problems.push(diagnostic);
        true
    }

    fn is_too_deep(&mut self, written: &Word<'_>) -> bool {
        if self.files.open.len() < DEEPEST {
            return false;
        }
        let message = format!("files include each other more than {DEEPEST} deep");
        let diagnostic = Diagnostic::error(codes::TOO_DEEP, message)
            .at(written.span, "exceeds the limit")
            .help("include from one place");
        self.problems.push(diagnostic);
        true
    }

    pub(super) fn not_text(&mut self, source: SourceId, offset: usize, what: &str) {
        let diagnostic = Diagnostic::error(codes::NOT_TEXT, "this is not a text file")
            .at(Span::new(source, offset..offset), what)
            .help("save it as UTF-8 text");
        self.problems.push(diagnostic);
    }

    /// Returns the content of a regular file of acceptable size, and its canonical path.
    fn bytes(&mut self, path: &Path) -> Result<(PathBuf, Vec<u8>), String> {
        let plain = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        let left = MOST_TEXT.saturating_sub(self.files.text);
        if let Some(bytes) = self.options.shipped.content(path) {
            self.count_text(bytes.len(), left)?;
            return Ok((path.to_owned(), bytes.to_vec()));
        }
        if let Some((true_path, text)) = self.options.overlay.get(path) {
            self.count_text(text.len(), left)?;
            return Ok((true_path, text.as_bytes().to_vec()));
        }
        let true_path = path.canonicalize().map_err(plain)?;
        let metadata = true_path.metadata().map_err(plain)?;
        if !metadata.is_file() {
            // Reading a device or pipe may never end.
            let what = if metadata.is_dir() {
                "a directory"
            } else {
                "not a regular file"
            };
            return Err(format!("it is {what}"));
        }
        let mut bytes = Vec::new();
        let file = std::fs::File::open(&true_path).map_err(plain)?;
        // The file may grow during the read.
        let read = file.take(left + 1).read_to_end(&mut bytes).map_err(plain)?;
        self.count_text(read, left)?;
        Ok((true_path, bytes))
    }

    fn count_text(&mut self, read: usize, left: u64) -> Result<(), String> {
        let read = u64::try_from(read).unwrap_or(u64::MAX);
        if read > left {
            self.problems.stop();
            return Err("all files of a scene together are limited to 64 MiB".to_owned());
        }
        self.files.text += read;
        Ok(())
    }
}
