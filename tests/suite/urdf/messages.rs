//! Error messages of robot descriptions, compared word by word.
//!
//! `tests/golden/urdf` contains bad files and, beside each, the expected text. After a change, `UPDATE_GOLDEN=1 cargo test`
//! writes the texts again.
use std::path::{Path, PathBuf};

use morse_sim::scene::{description_codes, load::LoadOptions, urdf::codes, xacro};

use super::read;
use crate::golden_messages::{
    check, diagnostics, explained, in_project, show_all, shown, with_ending,
};

fn golden() -> PathBuf {
    in_project("tests/golden/urdf")
}

/// Returns the bad files with macros.
fn golden_macros() -> PathBuf {
    in_project("tests/golden/xacro")
}

#[test]
fn every_bad_description_is_explained() {
    let files = with_ending(&golden(), "urdf");
    assert!(files.len() >= 50, "{} bad files", files.len());
    explained(&files);
}

#[test]
fn every_bad_macro_is_explained() {
    let mut files = with_ending(&golden_macros(), "xacro");
    files.retain(|file| !file.ends_with("part.xacro"));
    assert!(files.len() >= 9, "{} bad files", files.len());
    explained(&files);
}

#[test]
fn every_code_has_a_golden_text() {
    // The size limit of files is 64 MiB.
    let of_all = description_codes::ALL.iter();
    let of_all = of_all.filter(|code| **code != description_codes::TOO_LARGE);
    let codes = codes::ALL.iter().chain(xacro::codes::ALL).chain(of_all);
    show_all(&[golden(), golden_macros()], codes);
}

/// Checks the message with this code for a text that is too large to keep in a file.
fn check_made(name: &str, code: &str, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{name}.urdf"));
    std::fs::write(&path, text).unwrap();
    let (diagnostics, sources) = diagnostics(&path, &LoadOptions::default());
    let mut said = diagnostics.into_iter().filter(|said| said.code == code);
    let message = shown(said.next().as_slice(), &sources, folder.path());
    check(&golden().join(format!("made_{name}.txt")), &message).unwrap();
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
    check_made("many_errors", description_codes::AND_MORE, &robot(&twice));
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
    let message = shown(&diagnostics, &sources, Path::new("none"));
    check(&golden().join("made_missing.txt"), &message).unwrap();
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

/// Golden texts of descriptions in all formats: each message has a position, a label there with the cause, and a remedy.
#[test]
fn messages_of_descriptions_have_position_cause_and_remedy() {
    // Messages that are about no position in a file.
    let placeless = ["[description::and-more]", "[description::cannot-read]"];
    let (mut files, mut kinds) = (0, std::collections::BTreeSet::new());
    for format in ["urdf", "xacro", "sdf", "mjcf"] {
        for path in with_ending(&in_project(&format!("tests/golden/{format}")), "txt") {
            let text = std::fs::read_to_string(&path).unwrap();
            let starts = |line: &str| line.starts_with("error[") || line.starts_with("warning[");
            let mut lines = text.lines().peekable();
            while let Some(head) = lines.next() {
                assert!(starts(head), "{}: {head}", path.display());
                let mut rest = Vec::new();
                while let Some(line) = lines.next_if(|line| !starts(line)) {
                    rest.push(line);
                }
                kinds.insert(head.to_owned());
                if placeless.iter().any(|code| head.contains(code)) {
                    continue;
                }
                let position = rest
                    .iter()
                    .find_map(|line| line.trim().strip_prefix("--> "));
                let mut numbers = position.unwrap_or_default().rsplit(':').take(2);
                let is_placed = numbers.all(|number| number.parse::<u32>().is_ok());
                // Of a very long line only the label is shown.
                let marks = |line: &&str| line.contains('^') || line.contains("= note: ");
                let is_labelled = rest.iter().any(marks);
                let is_helped = rest.iter().any(|line| line.contains("= help: "));
                let shown = path.display();
                assert!(is_placed && is_labelled && is_helped, "{shown}: {head}");
            }
            files += 1;
        }
    }
    assert!(
        files >= 120 && kinds.len() >= 350,
        "{files} {}",
        kinds.len()
    );
}
