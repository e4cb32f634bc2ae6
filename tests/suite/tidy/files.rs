//! Every file: its first line, its length, its words; and the map in `src/lib.rs`.
use std::{collections::BTreeSet, fs};

use super::{Source, assert_clean, code::tokens, root, rust, sources};

/// Maximum number of lines in a file.
const LONGEST: usize = 500;

/// Returns every file that people write or read.
fn texts() -> Vec<Source> {
    let mut texts = sources(
        &[
            "src", "plugins", "tools", "tests", "examples", "scenes", "assets", ".ci",
        ],
        &["rs", "md", "toml", "ron", "robray", "sh"],
    );
    for name in [
        ".ci/run",
        "Cargo.toml",
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        ".clippy.toml",
        ".rustfmt.toml",
        ".typos.toml",
        "deny.toml",
    ] {
        if let Ok(text) = fs::read_to_string(root().join(name)) {
            texts.push(Source {
                path: name.to_owned(),
                text,
            });
        }
    }
    // Golden files contain intentional mistakes.
    texts.retain(|file| !file.path.starts_with("tests/golden/"));
    texts
}

fn first_line(file: &Source) -> Vec<String> {
    let is_fine = file
        .text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("//! "))
        .is_some_and(|docs| docs.len() > 10);
    if is_fine {
        Vec::new()
    } else {
        vec![format!(
            "{}: does not begin with `//!` and what it is for",
            file.path
        )]
    }
}

fn length(file: &Source) -> Vec<String> {
    let lines = file.text.lines().count();
    // A list of changes grows with each of them.
    if lines <= LONGEST || file.path == "CHANGELOG.md" {
        Vec::new()
    } else {
        vec![format!("{}: {lines} lines", file.path)]
    }
}

/// Finds notes about unfinished work, which belong in a list of issues, not in the code.
fn unfinished(file: &Source) -> Vec<String> {
    // Assembled from pieces, so that this file is checked too.
    let words = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["XX", "X"],
        ["HA", "CK:"],
        ["unimpl", "emented!"],
        ["to", "do!("],
        ["#[ign", "ore"],
    ];
    containing(file, &words.map(|word| word.concat()), |_| true)
}

/// Finds paths and names of the workplace, which do not belong in the repository.
fn workplace(file: &Source) -> Vec<String> {
    let words = [
        ["/wo", "rk/"],
        ["/tmp/", "wt-"],
        ["sha", "red/"],
        ["SHA", "RED/"],
    ]
    .map(|word| word.concat());
    // The only exception: conformance data that is too large for the repository.
    let mut lines = containing(file, &words, |line| {
        !line.contains("MORSE_SIM_SHARED") && !line.contains("../shared\"")
    });
    lines.extend(containing(file, &[["sess", "ion"].concat()], |_| true));
    lines
}

fn containing(file: &Source, words: &[String], counts: impl Fn(&str) -> bool) -> Vec<String> {
    let mut matches = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        for word in words
            .iter()
            .filter(|word| line.contains(word.as_str()) && counts(line))
        {
            matches.push(format!("{}:{}: `{word}`", file.path, number + 1));
        }
    }
    matches
}

/// Returns crates or modules that are declared or mapped, but not both.
fn map(lib: &str, crates: &[String]) -> Vec<String> {
    let mut declared: BTreeSet<String> = crates.iter().cloned().collect();
    let tokens = tokens(lib);
    for window in tokens.windows(4) {
        let [public, module, name, end] = window else {
            continue;
        };
        let is_module =
            public.text == "pub" && module.text == "mod" && [";", "{"].contains(&end.text.as_str());
        if is_module {
            declared.insert(name.text.clone());
        }
    }
    let exported = exports(lib);
    let docs: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .collect();
    let mut mapped = BTreeSet::new();
    for line in &docs {
        // An entry is a list item that begins with names: "- [`tick`], [`state`]: …".
        let Some((names, _)) = line
            .trim_start()
            .strip_prefix("- ")
            .and_then(|item| item.split_once(": "))
        else {
            continue;
        };
        mapped.extend(
            names
                .split(['`', '[', ']', '(', ')', ',', ' '])
                .filter(|name| !name.is_empty() && *name != "and")
                .map(str::to_owned),
        );
    }
    let unmapped = declared
        .difference(&mapped)
        .map(|name| format!("src/lib.rs: the map lacks `{name}`"));
    let unknown = mapped
        .difference(&declared)
        .filter(|name| !exported.contains(name.as_str()))
        .map(|name| format!("src/lib.rs: the map names `{name}`, which does not exist"));
    unmapped.chain(unknown).collect()
}

/// Returns the names under which a library re-exports our crates.
fn exports(lib: &str) -> BTreeSet<&str> {
    let statements = lib
        .lines()
        .filter(|line| line.starts_with("pub use morse_"));
    let words = statements.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.collect()
}

/// Returns the Rust names of the crates under `plugins/`.
pub(super) fn plugin_crates() -> Vec<String> {
    let manifests = sources(&["plugins"], &["toml"]);
    manifests
        .iter()
        .filter(|manifest| manifest.path.ends_with("Cargo.toml"))
        .filter_map(|manifest| crate_name(&manifest.text))
        .map(|name| name.replace('-', "_"))
        .collect()
}

fn crate_name(manifest: &str) -> Option<String> {
    let line = manifest.lines().find(|line| line.starts_with("name = "))?;
    line.split('"').nth(1).map(str::to_owned)
}

/// Returns files of a folder that are missing in its list, and not declared beside it; the compiler reports entries without
/// a file.
fn forgotten(folder: &str, list: &[&str]) -> Vec<String> {
    let read = |path: String| fs::read_to_string(root().join(path));
    let lib = read(format!("{folder}/lib.rs"));
    let lib = lib
        .or_else(|_| read(format!("{folder}.rs")))
        .expect("a list");
    let is_declared = |name: &str| lib.contains(&format!("pub mod {name};"));
    let files = fs::read_dir(root().join(folder)).expect("a readable folder");
    let names = files.map(|file| {
        file.expect("an entry")
            .file_name()
            .to_string_lossy()
            .trim_end_matches(".rs")
            .to_owned()
    });
    names
        .filter(|name| name != "lib" && !list.contains(&name.as_str()))
        .filter(|name| !is_declared(name))
        .map(|name| format!("{folder}/{name}.rs is not in the list"))
        .collect()
}

#[test]
fn files_say_what_they_are_for() {
    assert_clean(&rust(), first_line);
    assert_eq!(first_line(&Source::planted("a.rs", "use b;\n")).len(), 1);
    assert_eq!(
        first_line(&Source::planted("a.rs", "//!\n//! What it is for.\n")).len(),
        1
    );
}

#[test]
fn modules_are_files_beside_their_folders() {
    let is_mod = |path: &str| path == "mod.rs" || path.ends_with("/mod.rs");
    let paths: Vec<String> = rust()
        .into_iter()
        .map(|file| file.path)
        .filter(|path| is_mod(path))
        .collect();
    assert!(paths.is_empty(), "write `name.rs`: {}", paths.join(", "));
    assert!(is_mod("src/service/mod.rs") && !is_mod("src/service.rs"));
}

#[test]
fn files_are_short() {
    assert_clean(&rust(), length);
    assert_eq!(
        length(&Source::planted("a.rs", &"x\n".repeat(LONGEST + 1))).len(),
        1
    );
}

#[test]
fn nothing_is_left_to_do() {
    assert_clean(&texts(), unfinished);
    let planted = [
        "// TO",
        "DO: more\n#[ign",
        "ore = \"slow\"]\n fn a() { to",
        "do!() }",
    ]
    .concat();
    assert_eq!(unfinished(&Source::planted("a.rs", &planted)).len(), 3);
}

#[test]
fn the_workplace_is_not_mentioned() {
    assert_clean(&texts(), workplace);
    let planted = ["see /wo", "rk/main\nin this sess", "ion"].concat();
    assert_eq!(workplace(&Source::planted("a.md", &planted)).len(), 2);
}

#[test]
fn the_map_is_complete() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).expect("a library");
    let problems = map(&lib, &plugin_crates());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let planted =
        "//! - [`tick`], [`fog`]: time\npub mod tick;\npub mod state;\n// pub mod later;\n";
    assert_eq!(map(planted, &["morse_x".to_owned()]).len(), 3);
}

#[test]
fn every_kind_is_in_its_list() {
    use morse_sim::{actuator, modifier, overlay, sensor};
    for (folder, list) in [
        ("plugins/sensors/src", sensor::FILES),
        ("plugins/actuators/src", actuator::FILES),
        ("plugins/modifiers/src", modifier::FILES),
        ("plugins/actuators/src/overlay", overlay::FILES),
    ] {
        let problems = forgotten(folder, list);
        assert!(problems.is_empty(), "{}", problems.join("\n"));
        assert!(list.is_sorted(), "{folder}: the list is not sorted");
        assert!(
            !forgotten(folder, &[]).is_empty(),
            "{folder}: nothing was looked at"
        );
    }
}

#[test]
fn plugins_do_not_need_the_simulator() {
    let check = |file: &Source| {
        containing(
            file,
            &[
                "morse-sim = ".to_owned(),
                "morse-sim]".to_owned(),
                "morse_sim =".to_owned(),
                "morse_sim]".to_owned(),
                "\"morse-sim\"".to_owned(),
            ],
            |_| true,
        )
    };
    let mut manifests = sources(&["plugins"], &["toml"]);
    manifests.retain(|manifest| manifest.path.ends_with("Cargo.toml"));
    assert_clean(&manifests, check);
    assert_eq!(
        check(&Source::planted(
            "Cargo.toml",
            "morse-sim = { path = \"../..\" }"
        ))
        .len(),
        1
    );
}
