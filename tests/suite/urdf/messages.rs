//! Error messages of robot descriptions, compared word by word.
//!
//! `tests/golden/urdf` contains bad files and, beside each, the expected text. After a change, `UPDATE_GOLDEN=1 cargo test`
//! writes the texts again.
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use morse_sim::scene::{
    diagnostic::{Diagnostic, Sources, Style, render},
    load::LoadOptions,
    urdf::codes,
    xacro,
};

use super::read;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/urdf")
}

/// Returns the bad files with macros.
fn golden_macros() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/xacro")
}

fn diagnostics(path: &Path, options: &LoadOptions) -> (Vec<Diagnostic>, Sources) {
    match read(path, options) {
        Ok(loaded) => (loaded.warnings, loaded.sources),
        Err(failed) => (failed.diagnostics, failed.sources),
    }
}

fn shown(diagnostics: &[Diagnostic], sources: &Sources, folder: &Path) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        writeln!(text, "{}", render(diagnostic, sources, Style::Plain)).unwrap();
    }
    let text = text.replace(&format!("{}/", folder.display()), "");
    // Directories above the project differ between machines.
    let own = |line: &&str| !line.contains("looked for `/") || line.contains("`/etc/");
    text.lines()
        .filter(own)
        .fold(String::new(), |all, line| all + line + "\n")
}

/// Compares a text with the golden one, or replaces the golden one on request.
fn check(path: &Path, found: &str) -> Result<(), String> {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, found).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    let name = path.display();
    match found == expected {
        true => Ok(()),
        false => Err(format!("{name}\nexpected:\n{expected}\nfound:\n{found}")),
    }
}

pub(crate) fn with_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|own| own == ending))
        .collect();
    paths.sort();
    paths
}

#[test]
fn every_bad_description_is_explained() {
    let files = with_ending(&golden(), "urdf");
    assert!(files.len() >= 50, "{} bad files", files.len());
    explained(&files, &golden());
}

#[test]
fn every_bad_macro_is_explained() {
    let mut files = with_ending(&golden_macros(), "xacro");
    files.retain(|file| !file.ends_with("part.xacro"));
    assert!(files.len() >= 9, "{} bad files", files.len());
    explained(&files, &golden_macros());
}

/// Compares the messages about files in a folder with the texts beside them.
pub(crate) fn explained(files: &[PathBuf], folder: &Path) {
    let options = LoadOptions {
        simulated: true,
        ..LoadOptions::default()
    };
    let mut wrong = Vec::new();
    for file in files {
        let (diagnostics, sources) = diagnostics(file, &options);
        assert!(!diagnostics.is_empty(), "{}: nothing found", file.display());
        for diagnostic in &diagnostics {
            let file = file.display();
            assert!(!diagnostic.help.is_empty(), "{file}: {diagnostic:?}");
            assert!(diagnostic.place().is_some(), "{file}: {diagnostic:?}");
        }
        let found = shown(&diagnostics, &sources, folder);
        wrong.extend(check(&file.with_extension("txt"), &found).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_has_a_golden_text() {
    let texts = [golden(), golden_macros()];
    let texts = texts.iter().flat_map(|folder| with_ending(folder, "txt"));
    let texts: String = texts
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let missing: Vec<&&str> = [codes::ALL, xacro::codes::ALL]
        .into_iter()
        .flatten()
        .filter(|code| !texts.contains(&format!("[{code}]")))
        .collect();
    assert!(missing.is_empty(), "no golden text shows {missing:?}");
}

/// Checks the message with this code for a text that is too large to keep in a file.
fn check_made(name: &str, code: &str, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{name}.urdf"));
    std::fs::write(&path, text).unwrap();
    let (diagnostics, sources) = diagnostics(&path, &LoadOptions::default());
    let mut said = diagnostics.into_iter().filter(|said| said.code == code);
    let found = shown(said.next().as_slice(), &sources, folder.path());
    check(&golden().join(format!("made_{name}.txt")), &found).unwrap();
}

#[test]
fn large_things_are_explained() {
    let robot = |inside: &str| format!("<robot name=\"r\">\n{inside}\n</robot>\n");
    let deep = robot(&"<link>\n".repeat(10_000));
    check_made("deep", "xml::too-deep", &deep);
    let links = |count: usize| {
        (0..count).fold(String::new(), |text, number| {
            text + &format!("<link name=\"l{number}\"/>\n")
        })
    };
    check_made("many_links", codes::TOO_LARGE, &robot(&links(20_001)));
    let twice = links(1) + &links(200).replace("\"l", "\"k") + &links(1).repeat(150);
    check_made("many_errors", codes::AND_MORE, &robot(&twice));
    let long = format!("<link name=\"{}\"/>", "a".repeat(5_000));
    check_made("long_name", codes::BAD_NAME, &robot(&long));
    let ball = "<collision><geometry><sphere radius=\"1\"/></geometry></collision>";
    let touchable = (0..700).fold(String::new(), |text, number| {
        let link = format!("<link name=\"l{number}\">{ball}</link>\n");
        let joint = format!(
            "<joint name=\"j{number}\" type=\"fixed\"><parent link=\"l0\"/><child link=\"l{number}\"/></joint>\n"
        );
        text + &link + if number == 0 { "" } else { &joint }
    });
    check_made("many_shapes", codes::TOO_LARGE, &robot(&touchable));
}

#[test]
fn a_missing_description_is_explained() {
    let (diagnostics, sources) = diagnostics(Path::new("no/such.urdf"), &LoadOptions::default());
    let found = shown(&diagnostics, &sources, Path::new("none"));
    check(&golden().join("made_missing.txt"), &found).unwrap();
}

#[test]
fn warnings_are_errors_where_the_reading_is_strict() {
    let file = golden().join("long_axis.urdf");
    let options = LoadOptions {
        strict: true,
        ..LoadOptions::default()
    };
    assert!(read(&file, &options).is_err());
    assert!(read(&file, &LoadOptions::default()).is_ok());
}
