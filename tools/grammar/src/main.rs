//! Writes the tree-sitter grammar of the scene language to `assets/editors/tree-sitter-robray`, from the keywords, attributes
//! and words of the parser.
//!
//! - `words`: the words; `identifier`: names beside keywords; `rules`: the grammar; `queries`: queries for editors.
mod identifier;
mod queries;
mod rules;
#[cfg(test)]
mod tests;
mod words;

use std::{error::Error, fs, path::Path};

use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

/// Directory of the grammar.
const FOLDER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../assets/editors/tree-sitter-robray"
);

/// Version of tree-sitter's interface to parsers: the one that editors since 2022 accept.
const INTERFACE: usize = 14;

fn main() -> Result<(), Box<dyn Error>> {
    for (name, text) in files()? {
        let path = Path::new(FOLDER).join(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(FOLDER)))?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// Returns the generated files, by their paths in the directory.
fn files() -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let grammar = folder.path().join("grammar.json");
    fs::write(
        &grammar,
        serde_json::to_string_pretty(&rules::grammar())? + "\n",
    )?;
    generate_parser_in_directory(
        folder.path(),
        Some(folder.path()),
        Some(grammar),
        INTERFACE,
        None,
        None,
        true,
        OptLevel::default(),
    )?;
    let mut files = vec![
        ("queries/highlights.scm", queries::highlights()),
        ("queries/folds.scm", queries::folds()),
        ("queries/indents.scm", queries::indents()),
    ];
    for (name, generated) in [
        ("src/grammar.json", "grammar.json"),
        ("src/node-types.json", "node-types.json"),
        ("src/parser.c", "parser.c"),
        ("src/tree_sitter/parser.h", "tree_sitter/parser.h"),
    ] {
        files.push((name, fs::read_to_string(folder.path().join(generated))?));
    }
    Ok(files)
}
