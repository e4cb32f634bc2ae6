//! Errors and warnings of SDF files, and files that are damaged, large or circular.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use morse_sim::scene::{
    diagnostic::{Style, render},
    load::{LoadOptions, load},
    sdf::codes,
};

use super::folder;

/// Returns the messages about a file.
fn messages(path: &Path) -> String {
    let options = LoadOptions {
        simulated: true,
        ..LoadOptions::default()
    };
    let (diagnostics, sources) = match load(path, &options) {
        Ok(loaded) => (loaded.warnings, loaded.sources),
        Err(failed) => (failed.diagnostics, failed.sources),
    };
    assert!(!diagnostics.is_empty(), "{}: nothing found", path.display());
    let mut text = String::new();
    for diagnostic in &diagnostics {
        assert!(
            !diagnostic.help.is_empty() && diagnostic.place().is_some(),
            "{}: {diagnostic:?}",
            path.display()
        );
        writeln!(text, "{}", render(diagnostic, &sources, Style::Plain)).unwrap();
    }
    let text = text.replace(&format!("{}/", path.parent().unwrap().display()), "");
    // Directories above the project differ between machines.
    let lines = text.lines().filter(|line| !line.contains("looked for `/"));
    lines.fold(String::new(), |all, line| all + line + "\n")
}

/// Compares a text with the golden one, or replaces the golden one on request.
fn check(path: &Path, found: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, found).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(found, expected, "{}", path.display());
}

#[test]
fn every_bad_file_is_explained() {
    let entries = std::fs::read_dir(folder("tests/golden/sdf")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "sdf"))
        .collect();
    assert!(files.len() >= 25, "{} bad files", files.len());
    for file in files {
        check(&file.with_extension("txt"), &messages(&file));
    }
}

#[test]
fn every_code_has_a_golden_text() {
    let entries = std::fs::read_dir(folder("tests/golden/sdf")).unwrap();
    let texts: String = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let codes = codes::ALL.iter();
    // The limits of sizes are tried with files that are made.
    let missing: Vec<_> = codes
        .filter(|code| !texts.contains(&format!("[{code}]")) && **code != codes::TOO_LARGE)
        .collect();
    assert!(missing.is_empty(), "no golden text shows {missing:?}");
}

/// Loads the world with values of its text replaced by hostile ones, or with its end cut off.
#[test]
fn damaged_worlds_are_read_or_refused() {
    let data = folder("tests/data/sdf");
    let options = LoadOptions {
        allow_paths: vec![data.clone()],
        ..LoadOptions::default()
    };
    let made = tempfile::tempdir().unwrap();
    let values = [
        "-1",
        "1e308",
        "0 0 0",
        "nan",
        "",
        "world",
        "arm",
        "&#0;",
        "a::b",
        "__model__",
    ];
    let mut refused = 0;
    let mut tried = 0;
    for name in ["world.sdf", "models/arm/arm.sdf"] {
        let text = std::fs::read_to_string(data.join(name)).unwrap();
        let text = text.replace("model://", &format!("file://{}/models/", data.display()));
        let attributes = text.match_indices("=\"").map(|(at, _)| (at + 2, '"'));
        let texts = text.match_indices('>').map(|(at, _)| (at + 1, '<'));
        let path = made.path().join("damaged.sdf");
        for (number, (start, end)) in attributes.chain(texts).enumerate() {
            let (before, rest) = text.split_at(start);
            let Some(length) = rest.find(end) else {
                continue;
            };
            for turn in [number % values.len(), (number * 7 + 3) % values.len()] {
                let mut damaged = format!("{before}{}{}", values[turn], &rest[length..]);
                if number % 5 == 0 {
                    damaged.truncate(start);
                }
                std::fs::write(&path, damaged).unwrap();
                refused += usize::from(load(&path, &options).is_err());
                tried += 1;
            }
        }
    }
    assert!(refused > tried / 3, "{refused} of {tried}");
}

#[test]
fn large_and_circular_files_are_refused_in_time() {
    let made = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = made.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let code = |path: &Path| {
        let failed = load(path, &LoadOptions::default()).unwrap_err();
        failed.diagnostics[0].code
    };
    let sdf = |inside: &str| format!("<sdf version=\"1.9\">{inside}</sdf>");
    let nested = "<model name=\"m\">".repeat(100_000);
    assert_eq!(code(&write("deep.sdf", &sdf(&nested))), "xml::too-deep");
    let links: String = (0..100_001).fold(String::new(), |all, at| {
        all + &format!("<link name='{at}'/>")
    });
    let many = format!("<model name='m'>{links}</model>");
    assert_eq!(code(&write("many.sdf", &sdf(&many))), codes::TOO_LARGE);
    // Each file includes the next one ten times.
    for level in 0..8 {
        let next = format!(
            "<include><uri>level{}.sdf</uri><name>N</name></include>",
            level + 1
        );
        let all: String = (0..10)
            .map(|at| next.replace('N', &format!("n{at}")))
            .collect();
        let text = format!("<model name='m'><link name='l'/>{all}</model>");
        write(&format!("level{level}.sdf"), &sdf(&text));
    }
    write(
        "level8.sdf",
        &sdf("<model name='m'><link name='l'/></model>"),
    );
    assert_eq!(code(&made.path().join("level0.sdf")), codes::INCLUDE);
    // A chain of frames in the wrong order, closed to a cycle.
    let frames: String = (0..20_000)
        .map(|at| {
            format!(
                "<frame name='f{at}'><pose relative_to='f{}'/></frame>",
                (at + 1) % 20_000
            )
        })
        .collect();
    let chain = format!("<model name='m'><link name='l'/>{frames}</model>");
    assert_eq!(code(&write("chain.sdf", &sdf(&chain))), codes::CYCLE);
}
