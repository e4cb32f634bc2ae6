//! Malicious scenes: every one of them ends in an ordinary error, quickly, on a small stack.
#![cfg(test)]
use std::path::Path;

use morse_sim::scene::{
    load::{LoadOptions, load, parse_str},
    robray::{codes, format},
};

/// Reads a text on a thread with a small stack, and expects this code among the errors.
fn check(text: &str, code: &str) {
    let text = text.to_owned();
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let thread = thread.spawn(move || {
        // The formatter reads the same texts; it must not panic, whatever its result.
        drop(format(&text, Path::new("hostile")));
        parse_str(&text, "hostile", Path::new(""), &LoadOptions::default()).map(|_| ())
    });
    let failed = thread.unwrap().join().unwrap().unwrap_err();
    let codes: Vec<&str> = failed.diagnostics.iter().map(|said| said.code).collect();
    assert!(codes.contains(&code), "{code} not in {codes:?}");
    assert!(failed.to_string().len() < 1_000_000);
}

#[test]
fn nesting_is_limited() {
    let deep = 100_000;
    check(&"frame a { ".repeat(deep), codes::TOO_DEEP);
    let frames: String = (0..deep)
        .map(|number| format!("frame f{number} {{ "))
        .collect();
    check(&(frames + &"} ".repeat(deep)), codes::TOO_DEEP);
    check(
        &format!("def a {}1{};", "(".repeat(deep), ")".repeat(deep)),
        codes::TOO_DEEP,
    );
    check(
        &format!("frame a {{ translation {} }}", "[".repeat(deep)),
        codes::UNEXPECTED,
    );
    check(
        &format!("frame a {{ {}", "geometry { ".repeat(deep)),
        codes::MISPLACED,
    );
    check(&"class k { ".repeat(deep), codes::MISPLACED);
}

#[test]
fn expressions_are_limited() {
    check("def a 9**9**9**9;", codes::NOT_FINITE);
    check(
        "frame a { translation [1e308, 0, 0]; frame b { translation [1e308, 0, 0]; } }",
        codes::NOT_FINITE,
    );
    let doubling: String = (0..100)
        .map(|n| format!("def a{} a{n}*a{n};", n + 1))
        .collect();
    check(&format!("def a0 1e200; {doubling}"), codes::NOT_FINITE);
    check(
        &format!("def a {}1;", "-".repeat(100_000)),
        codes::TOO_LARGE,
    );
    check(
        &format!("def a {}1;", "2**".repeat(100_000)),
        codes::TOO_LARGE,
    );
    check(
        &format!("def a 1{};", "+1".repeat(100_000)),
        codes::TOO_LARGE,
    );
    let ones = "1,".repeat(100_000);
    check(
        &format!("frame a {{ translation [{ones}]; }}"),
        codes::TOO_LARGE,
    );
}

#[test]
fn sizes_are_limited() {
    check(
        &format!("frame {} {{}}", "a".repeat(1 << 20)),
        codes::NAME_TOO_LONG,
    );
    for length in [1_025, 1_026, 1_027] {
        let name = "a".repeat(length);
        check(
            &format!("class {name} {{}} frame {name} {{}}"),
            codes::NAME_TOO_LONG,
        );
        check(&format!("class \"{name}\" {{}}"), codes::NAME_TOO_LONG);
    }
    check(
        &format!("def a {};", "1".repeat(1 << 20)),
        codes::NOT_FINITE,
    );
    check(&"@".repeat(1 << 20), codes::UNKNOWN_CHARACTER);
    check(&"@ ".repeat(1 << 20), codes::AND_MORE);
    check(&";".repeat(1 << 20), codes::AND_MORE);
    let frames: String = (0..150_000)
        .map(|number| format!("frame f{number} {{}}"))
        .collect();
    check(&frames, codes::TOO_LARGE);
    check(
        &format!("frame a {{ {} }}", "mass 1; ".repeat(600_000)),
        codes::TOO_LARGE,
    );
    let classes: String = (0..2_000)
        .map(|n| format!("class c{} {{ isa c{n}; }}", n + 1))
        .collect();
    check(
        &format!("class c0 {{}} frame c {{ parent c; }} {classes}"),
        codes::TOO_DEEP,
    );
    let cycle: String = (0..50_000)
        .map(|number| format!("frame f{number} {{ parent f{}; }}", (number + 1) % 50_000))
        .collect();
    check(&cycle, codes::PARENT_CYCLE);
}

/// Loads `main.robray` of these files on a thread with the stack of a test.
fn load_files(files: &[(String, Vec<u8>)]) -> Vec<&'static str> {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    match load(&folder.path().join("main.robray"), &LoadOptions::default()) {
        Ok(_) => Vec::new(),
        Err(failed) => failed.diagnostics.iter().map(|said| said.code).collect(),
    }
}

#[test]
fn files_are_limited() {
    let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
    let mut chain = vec![file("main.robray", "include \"0\"")];
    for number in 0..300 {
        let include = format!("include \"{}\"", number + 1);
        chain.push(file(&format!("{number}.robray"), &include));
    }
    assert_eq!(load_files(&chain), [codes::TOO_DEEP]);

    let large = " ".repeat(60 << 20);
    let twice = [
        file("main.robray", "include \"a\" include \"a\""),
        file("a.robray", &large),
    ];
    assert_eq!(load_files(&twice), [codes::CANNOT_READ]);
    assert_eq!(
        load_files(&[file("main.robray", &" ".repeat(65 << 20))]),
        [codes::CANNOT_READ]
    );

    let loop_of_two = [
        file("main.robray", "include \"a\" include \"a\""),
        file("a.robray", "def x 1; include \"main\""),
    ];
    assert_eq!(load_files(&loop_of_two), [codes::INCLUDE_CYCLE]);
}

#[test]
fn only_text_is_read() {
    for bytes in [
        &b"frame a {}\0"[..],
        b"frame \xff {}",
        b"\xff\xfef\0r\0",
        b"\0\0\0",
    ] {
        let file = ("main.robray".to_owned(), bytes.to_vec());
        assert_eq!(load_files(&[file]), [codes::NOT_TEXT]);
    }
    let bom = (
        "main.robray".to_owned(),
        "\u{FEFF}frame a {}\r\n".as_bytes().to_vec(),
    );
    assert!(load_files(&[bom]).is_empty());
    if cfg!(unix) {
        let device = ("main.robray".to_owned(), b"include \"/dev/zero\"".to_vec());
        assert_eq!(load_files(&[device]), [codes::CANNOT_READ]);
    }
}

#[test]
fn includes_define_again_and_keep_classes() {
    let folder = tempfile::tempdir().unwrap();
    let included = "def size 1; class block { shape sphere; radius size; }";
    std::fs::write(folder.path().join("part.robray"), included).unwrap();
    let main = "include \"part\" def size 2; include \"part\"
        frame a { translation [size, 0, 0]; geometry { isa block; } }";
    let path = folder.path().join("main.robray");
    std::fs::write(&path, main).unwrap();
    let loaded = load(&path, &LoadOptions::default()).unwrap();
    assert!(loaded.warnings.is_empty());
    let frame = loaded.scene.frame("a").unwrap();
    assert_eq!(frame.pose.translation.x, 1.0);
}
