//! Blocks of code in a page of Markdown.
use std::fmt;

use super::Page;

/// A block, and how it is to be tried.
pub(super) struct Block {
    pub(super) page: String,
    /// Line of its fence, from 1.
    line: usize,
    pub(super) language: String,
    pub(super) keep: Option<Keep>,
    /// Reason why it is not tried.
    pub(super) reason: Option<String>,
    pub(super) text: String,
}

/// A file to which a block is written.
pub(super) enum Keep {
    /// A valid file.
    File(String),
    /// A file with mistakes.
    Wrong(String),
}

impl Block {
    /// Returns the name and text of its file.
    pub(super) fn file(&self) -> Option<(&str, &str)> {
        match self.keep.as_ref()? {
            Keep::File(name) | Keep::Wrong(name) => Some((name, &self.text)),
        }
    }

    /// Returns a name for a file without one.
    pub(super) fn name(&self) -> String {
        format!("{}-{}", self.page.trim_end_matches(".md"), self.line)
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.page, self.line)
    }
}

/// Returns the blocks of a page, in order.
pub(super) fn of(page: &Page) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in page.text.lines().enumerate() {
        let fence = line.strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(info)) => open = Some(begun(page, number + 1, info)),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{}: a block has no end", page.name);
    blocks
}

fn begun(page: &Page, line: usize, info: &str) -> Block {
    let (words, reason) = match info.split_once('(') {
        Some((words, reason)) => (words, Some(reason.trim_end_matches(')').to_owned())),
        None => (info, None),
    };
    let mut block = Block {
        page: page.name.clone(),
        line,
        language: String::new(),
        keep: None,
        reason: reason.filter(|reason| !reason.is_empty()),
        text: String::new(),
    };
    for word in words.split([',', ' ']).filter(|word| !word.is_empty()) {
        match word.split_once(':') {
            Some(("file", name)) => block.keep = Some(Keep::File(name.to_owned())),
            Some(("wrong", name)) => block.keep = Some(Keep::Wrong(name.to_owned())),
            Some(_) => panic!("{}:{line}: `{word}` is not known", page.name),
            // The first of several words is the language: `rust,no_run`.
            None if block.language.is_empty() => block.language = word.to_owned(),
            None => assert!(
                word == "no_run",
                "{}:{line}: `{word}` is not known",
                page.name
            ),
        }
    }
    block
}
