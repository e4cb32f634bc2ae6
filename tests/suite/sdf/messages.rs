//! Errors and warnings of SDF files, and files that are damaged, large or circular.

use std::path::Path;

use morse_sim::scene::{
    load::{LoadOptions, load},
    sdf::codes,
};

use crate::golden_messages::{explained, in_project, show_all, with_ending};

#[test]
fn every_bad_file_is_explained() {
    let files = with_ending(&in_project("tests/golden/sdf"), "sdf");
    assert!(files.len() >= 25, "{} bad files", files.len());
    explained(&files);
}

#[test]
fn every_code_has_a_golden_text() {
    // The limits of sizes are tried with files that are made.
    let codes = codes::ALL.iter().filter(|code| **code != codes::TOO_LARGE);
    show_all(&[in_project("tests/golden/sdf")], codes);
}

/// Loads the world with values of its text replaced by hostile ones, or with its end cut off.
#[test]
fn damaged_worlds_are_read_or_refused() {
    let data = in_project("tests/data/sdf");
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
