//! Documents that are open in the editor.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{FoldingRange, TextDocumentContentChangeEvent, Uri};
use morse_diagnostics::{Overlay, real_path};

use crate::text::Lines;
use crate::uri;

/// An open document.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// URI by which the client calls the document.
    pub(crate) uri: Uri,
    pub(crate) version: i32,
    pub(crate) text: Arc<str>,
    pub(crate) lines: Lines,
}

/// All open documents, by canonical path.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<PathBuf, Document>,
    overlay: Overlay,
    /// Number of changes so far; results of an older revision are outdated.
    revision: u64,
}

impl Document {
    /// Returns the fold of a byte range, if it extends over several lines.
    pub(crate) fn fold(&self, bytes: Range<usize>) -> Option<FoldingRange> {
        let range = self.lines.range(&self.text, bytes);
        (range.end.line > range.start.line).then(|| FoldingRange {
            start_line: range.start.line,
            end_line: range.end.line,
            ..FoldingRange::default()
        })
    }
}

impl Documents {
    /// Opens a document. Those that are no files are ignored.
    pub(crate) fn open(&mut self, uri: Uri, version: i32, text: String) {
        if let Some(path) = uri::to_path(&uri) {
            self.put(&real_path(&path), uri, version, text);
        }
    }

    fn put(&mut self, path: &Path, uri: Uri, version: i32, text: String) {
        let text: Arc<str> = text.into();
        let document = Document {
            uri,
            version,
            lines: Lines::new(&text),
            text: Arc::clone(&text),
        };
        self.overlay.set(path, text);
        self.open.insert(path.to_owned(), document);
        self.revision += 1;
    }

    /// Applies changes in their order.
    pub(crate) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) {
        let Some((path, document)) = self.find(uri) else {
            return;
        };
        let (path, uri) = (path.to_owned(), document.uri.clone());
        let mut text = document.text.to_string();
        for change in changes {
            match change.range {
                Some(range) => {
                    let bytes = Lines::new(&text).bytes(&text, range);
                    text.replace_range(bytes, &change.text);
                }
                None => text = change.text,
            }
        }
        self.put(&path, uri, version, text);
    }

    /// Closes a document: its content on the disk counts again.
    pub(crate) fn close(&mut self, uri: &Uri) {
        if let Some((path, _)) = self.find(uri) {
            let path = path.to_owned();
            self.open.remove(&path);
            self.overlay.remove(&path);
            self.revision += 1;
        }
    }

    /// Notes that files on the disk have changed.
    pub(crate) fn touch(&mut self) {
        self.revision += 1;
    }

    /// Returns an open document and its canonical path.
    pub(crate) fn find(&self, uri: &Uri) -> Option<(&Path, &Document)> {
        let path = real_path(&uri::to_path(uri)?);
        let (path, document) = self.open.get_key_value(&path)?;
        Some((path, document))
    }

    /// Returns the document at a canonical path.
    pub(crate) fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.open.keys().map(PathBuf::as_path)
    }

    /// Returns the URI of a file: the client's own for an open document.
    pub(crate) fn uri(&self, path: &Path) -> Option<Uri> {
        match self.open.get(path) {
            Some(document) => Some(document.uri.clone()),
            None => uri::of_path(path),
        }
    }

    pub(crate) fn overlay(&self) -> &Overlay {
        &self.overlay
    }

    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }
}
