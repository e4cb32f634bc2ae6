//! Snippets of the README and of the guide, all of them: each is executed as its page describes.
//!
//! The word after the fence determines how a block is tried; a block that cannot be tried is a failure:
//!
//! - none, `rust` and `no_run`: `cargo test --doc` runs them, with warnings as errors;
//! - `ron` and `robray`: a world is built from the block and ticks ([`worlds`]). A complete file is used unchanged; the
//!   first field of a fragment determines its position in a file. A scenario is written to a file, and a command of its page
//!   tests it;
//! - `sh`: all its commands succeed ([`shell`]); `console`: they print the shown output;
//! - `python`: it is one of the examples of `plugins/python`, which its tests run;
//! - `xml`: it is written to a file, and commands of its page read it;
//! - `toml`: it is the manifest that `morse-sim new` writes;
//! - `text`: not tried, for the reason in the parentheses that follow.
//!
//! `file:NAME` after the word writes a block to a file, for the blocks below it; a block with `wrong:NAME` is written and
//! has mistakes, which a command below it shows.
#![cfg(test)]
mod blocks;
mod inline;
mod shell;
mod worlds;

use std::{fs, path::Path};

use blocks::{Block, Keep};
use morse_sim::simulation::{kinds, no_extensions};

/// A page, and its path.
struct Page {
    name: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the README and the pages of the guide, by name.
fn pages() -> Vec<Page> {
    let read = |path: &Path| fs::read_to_string(path).expect("a page");
    let guide = fs::read_dir(root().join("src/docs")).expect("the guide");
    let files = guide.map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<Page> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| Page {
            name: path.file_name().unwrap().to_string_lossy().into_owned(),
            text: read(&path),
        })
        .collect();
    pages.push(Page {
        name: "README.md".to_owned(),
        text: read(&root().join("README.md")),
    });
    pages.sort_by(|one, other| one.name.cmp(&other.name));
    pages
}

/// Collects the failures of the blocks of some languages.
#[track_caller]
fn assert_all(languages: &[&str], least: usize, check: impl Fn(&Block) -> Result<(), String>) {
    let pages = pages();
    let blocks: Vec<Block> = pages.iter().flat_map(blocks::of).collect();
    let own = blocks
        .iter()
        .filter(|block| languages.contains(&block.language.as_str()));
    let mut count = 0;
    let problems: Vec<String> = own
        .inspect(|_| count += 1)
        .filter_map(|block| check(block).err().map(|why| format!("{block}: {why}")))
        .collect();
    assert!(
        problems.is_empty(),
        "{} blocks:\n{}",
        problems.len(),
        problems.join("\n")
    );
    assert!(count >= least, "{count} blocks were looked at");
}

const RUST: [&str; 3] = ["", "rust", "no_run"];
const WORLDS: [&str; 2] = ["ron", "robray"];
const SHELL: [&str; 2] = ["sh", "console"];

/// Accepts blocks of the only language that is not tried, if they give a reason.
fn untried(block: &Block) -> Result<(), String> {
    match block.language.as_str() {
        "text" if block.reason.is_none() => {
            Err("text that is tried by nothing says why, as ```text (because of this)".to_owned())
        }
        "xml" if block.file().is_none() => {
            Err("a description is kept as a file, for the commands of its page".to_owned())
        }
        "text" | "python" | "toml" | "xml" => Ok(()),
        word if [&RUST[..], &WORLDS, &SHELL].concat().contains(&word) => Ok(()),
        word => Err(format!("nothing tries `{word}`")),
    }
}

#[test]
fn every_block_can_be_tried() {
    let pages = pages();
    let blocks: Vec<Block> = pages.iter().flat_map(blocks::of).collect();
    let problems: Vec<String> = blocks
        .iter()
        .filter_map(|block| untried(block).err().map(|why| format!("{block}: {why}")))
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(blocks.len() > 150, "{} blocks", blocks.len());
    let planted = Page {
        name: "planted.md".to_owned(),
        text: "```text\na\n```\n```text (a tree)\na\n```\n```yaml\na\n```\n".to_owned(),
    };
    let planted = blocks::of(&planted);
    assert_eq!(
        planted
            .iter()
            .filter(|block| untried(block).is_err())
            .count(),
        2
    );
}

/// Rustdoc runs the Rust blocks, if their page is part of its docs and no attribute prevents it.
#[test]
fn rust_is_left_to_rustdoc() {
    let docs = fs::read_to_string(root().join("src/docs.rs")).expect("the guide");
    let lib = fs::read_to_string(root().join("src/lib.rs")).expect("a library");
    assert!(
        lib.contains("#![doc(test(attr(deny(warnings))))]"),
        "warnings of snippets are errors"
    );
    assert_all(&RUST, 20, |block| {
        let is_there = docs.contains(&format!("docs/{}\")]", block.page))
            || docs.contains(&format!("../{}\")]", block.page));
        if !is_there {
            return Err("the page is no part of src/docs.rs".to_owned());
        }
        if block.text.contains("#[test]") && !block.text.contains("// #[test]") {
            return Err("a test inside of a snippet is never run".to_owned());
        }
        Ok(())
    });
}

#[test]
fn python_is_an_example_that_is_run() {
    let tests =
        fs::read_to_string(root().join("plugins/python/tests/test_guide.py")).expect("tests");
    let examples = root().join("plugins/python/examples");
    assert_all(&["python"], 2, |block| {
        let files = fs::read_dir(&examples).expect("examples");
        let mut files = files.map(|entry| entry.expect("an entry").path());
        let file = files.find(|path| fs::read_to_string(path).is_ok_and(|text| text == block.text));
        let file = file.ok_or("it is none of plugins/python/examples")?;
        let name = file.file_name().unwrap().to_string_lossy();
        if tests.contains(&*name) {
            Ok(())
        } else {
            Err(format!(
                "plugins/python/tests/test_guide.py does not run {name}"
            ))
        }
    });
}

/// The worlds of a page, in order: a block may depend on the files above it.
#[test]
fn worlds_are_built_and_tick() {
    let mut count = 0;
    let mut problems = Vec::new();
    for page in pages() {
        let room = worlds::Room::new();
        for block in blocks::of(&page) {
            room.keep(&block);
            let is_wrong = matches!(block.keep, Some(Keep::Wrong(_)));
            if worlds::is_scenario(&block) {
                problems.extend(is_tested(&page, &block).err());
            } else if WORLDS.contains(&block.language.as_str()) && !is_wrong {
                count += 1;
                problems.extend(
                    room.run(&block)
                        .err()
                        .map(|why| format!("{block}: {why}\n{}", block.text)),
                );
            }
        }
    }
    assert!(
        problems.is_empty(),
        "{} blocks:\n{}",
        problems.len(),
        problems.join("\n")
    );
    assert!(count > 115, "{count} blocks");
}

/// Checks that a command of the page runs a scenario or batch.
fn is_tested(page: &Page, scenario: &Block) -> Result<(), String> {
    let (name, _) = scenario
        .file()
        .ok_or(format!("{scenario}: it is not kept as a file"))?;
    let command = if scenario.text.contains("Batch(") {
        format!("morse-sim batch {name}")
    } else {
        format!("morse-sim test {name}")
    };
    let blocks = blocks::of(page);
    let mut shell = blocks
        .iter()
        .filter(|block| SHELL.contains(&block.language.as_str()));
    match shell.any(|block| block.text.contains(&command)) {
        true => Ok(()),
        false => Err(format!("{scenario}: nothing runs `{command}`")),
    }
}

/// Ensures that the worlds of the catalogue cover all kinds.
#[test]
fn the_catalogue_shows_each_kind() {
    let kinds = kinds(&no_extensions);
    let words = kinds
        .sensors
        .keys()
        .chain(kinds.actuators.keys())
        .chain(kinds.modifiers.keys())
        .chain(kinds.overlays.keys())
        .chain(kinds.middlewares.keys());
    let pages = pages();
    let catalogue = pages.iter().find(|page| page.name == "catalogue.md");
    let blocks = blocks::of(catalogue.expect("a catalogue"));
    let silent = words.filter(|word| {
        let kind = format!("(kind: \"{word}\"");
        !blocks.iter().any(|block| block.text.contains(&kind))
    });
    let silent: Vec<_> = silent.collect();
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn commands_do_what_is_shown() {
    let mut count = 0;
    let mut problems = Vec::new();
    let mut excuses = shell::Excuses::default();
    for page in pages() {
        let blocks = blocks::of(&page);
        if !blocks
            .iter()
            .any(|block| SHELL.contains(&block.language.as_str()))
        {
            continue;
        }
        let room = shell::Room::new();
        for block in &blocks {
            room.keep(block);
            if SHELL.contains(&block.language.as_str()) {
                count += 1;
                problems.extend(
                    room.run(block, &mut excuses)
                        .err()
                        .map(|why| format!("{block}: {why}")),
                );
            }
        }
    }
    problems.extend(
        excuses
            .unused()
            .map(|line| format!("nothing shows `{line}` any more")),
    );
    assert!(
        problems.is_empty(),
        "{} blocks:\n{}",
        problems.len(),
        problems.join("\n")
    );
    assert!(count > 20, "{count} blocks");
}
