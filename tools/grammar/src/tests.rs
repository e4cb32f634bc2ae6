//! Tests: the files are those that the program writes, and the grammar accepts what the parser accepts.
use std::{
    fs,
    path::{Path, PathBuf},
};

use tree_sitter::{Parser, Query, QueryCursor, StreamingIterator as _};
use tree_sitter_language::LanguageFn;

use super::*;

#[expect(unsafe_code, reason = "the parser is C")]
mod language {
    use super::LanguageFn;

    unsafe extern "C" {
        fn tree_sitter_robray() -> *const ();
    }

    // SAFETY: the generated parser has this function.
    pub(super) const ROBRAY: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_robray) };
}

fn parser() -> Parser {
    let mut parser = Parser::new();
    let language = language::ROBRAY.into();
    parser.set_language(&language).expect("a version that fits");
    parser
}

/// Returns true if the grammar accepts a text.
fn accepts(parser: &mut Parser, text: &str) -> bool {
    let tree = parser.parse(text, None).expect("a tree");
    !tree.root_node().has_error()
}

/// Returns true if the parser of the program finds no mistake in the syntax of a text.
fn is_valid(text: &str) -> bool {
    morse_robray::format(text, Path::new("scene.robray")).is_ok()
}

fn add_scenes(folder: &Path, scenes: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            add_scenes(&path, scenes);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "robray")
        {
            scenes.push(path);
        }
    }
}

/// Returns the texts of all scenes of the repository, apart from those with a NUL, at which tree-sitter ends a text.
fn scenes() -> Vec<(PathBuf, String)> {
    let mut scenes = Vec::new();
    for folder in ["assets", "scenes", "tests", "plugins", "examples"] {
        let folder = Path::new(FOLDER).join("../../..").join(folder);
        add_scenes(&folder, &mut scenes);
    }
    let read = |path: PathBuf| {
        let text = fs::read(&path).expect("a file");
        (path, String::from_utf8_lossy(&text).into_owned())
    };
    let scenes = scenes.into_iter().map(read);
    scenes.filter(|(_, text)| !text.contains('\0')).collect()
}

#[test]
fn the_files_are_those_that_the_program_writes() {
    for (name, expected) in files().expect("a grammar") {
        let text = fs::read_to_string(Path::new(FOLDER).join(name)).expect(name);
        assert!(
            text == expected,
            "{name}: `cargo run -p morse_grammar` writes it again"
        );
    }
}

#[test]
fn the_grammar_accepts_the_scenes_that_the_parser_accepts() {
    let (mut parser, scenes) = (parser(), scenes());
    assert!(scenes.len() > 60, "{}", scenes.len());
    for (path, text) in scenes.iter().filter(|(_, text)| is_valid(text)) {
        assert!(accepts(&mut parser, text), "{}", path.display());
    }
}

#[test]
fn the_grammar_has_the_corners_of_the_language() {
    let mut parser = parser();
    for (text, expected) in [
        ("", true),
        ("\u{FEFF}frame a { }", true),
        ("frame \"a b\" { } class \"geometry\" { }", true),
        ("frame frame { }", false),
        ("frame pi { }", false),
        ("def a pi-x; def b frames; def c deg;", true),
        ("def a -2**-b^3*(1+-c)/π;", true),
        ("def a 1s2;", false),
        ("def a 1.5s2; def b 1d-2; def c .5E+1;", true),
        ("def a 5mm;", false),
        ("frame a { axis [,1,,2,]; rpy []; color [1 2]; }", false),
        ("frame a { axis [,1,,2,]; rpy []; }", true),
        ("class a { geometry { } }", false),
        ("geometry { }", false),
        ("include \"a.robray\"", true),
        ("include \"a.robray\";", false),
        ("allow_collision a \"b\"; connect a b; weld \"a\" b;", true),
        ("frame connect { weld 1; }", true),
        ("connect a;", false),
        ("object a { }", false),
        ("frame a { name \"two\nlines\"; } # end", true),
        ("frame a { /* not ** closed * / */ } // end", true),
        ("frame a { /* ", false),
        ("frame a { x \"", false),
    ] {
        assert_eq!(is_valid(text), expected, "the parser: {text}");
        assert_eq!(accepts(&mut parser, text), expected, "the grammar: {text}");
    }
}

#[test]
fn the_grammar_refuses_the_damaged_scenes_that_the_parser_refuses() {
    let mut parser = parser();
    let mut counts = [0; 2];
    let scenes = scenes().into_iter();
    for (path, text) in scenes.filter(|(_, text)| is_valid(text) && text.len() < 4000) {
        // Each punctuation is left out, and written twice.
        let signs = text.char_indices();
        let signs = signs.filter(|(_, letter)| "{}[]();,*-\"/".contains(*letter));
        for (start, sign) in signs.step_by(7) {
            let end = start + sign.len_utf8();
            for middle in ["", &text[start..end].repeat(2)] {
                let damaged = [&text[..start], middle, &text[end..]].concat();
                let expected = is_valid(&damaged);
                counts[usize::from(expected)] += 1;
                let line = text[..start].lines().count();
                let damage = format!("{}:{line}: `{sign}` as `{middle}`", path.display());
                assert_eq!(accepts(&mut parser, &damaged), expected, "{damage}");
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn the_queries_fit_the_grammar() {
    let language = language::ROBRAY.into();
    let text = "class red { color [1, 0, 0.5*deg]; } frame a { geometry { isa red; shape box; } }";
    let tree = parser().parse(text, None).expect("a tree");
    for (name, query) in files().expect("a grammar") {
        if !name.ends_with(".scm") {
            continue;
        }
        let query = Query::new(&language, &query).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut cursor = QueryCursor::new();
        let mut captured = Vec::new();
        let mut captures = cursor.captures(&query, tree.root_node(), text.as_bytes());
        while let Some((matched, index)) = captures.next() {
            let capture = matched.captures[*index];
            let kind = query.capture_names()[capture.index as usize];
            captured.push(format!("{kind} {}", &text[capture.node.byte_range()]));
        }
        let expected: &[&str] = match name {
            "queries/highlights.scm" => &[
                "keyword class",
                "type red",
                "property color",
                "constant.builtin deg",
                "constant.builtin box",
                "operator *",
            ],
            "queries/folds.scm" => &["fold geometry { isa red; shape box; }"],
            _ => &["indent.branch }", "indent.begin [1, 0, 0.5*deg]"],
        };
        for wanted in expected {
            assert!(
                captured.iter().any(|one| one == wanted),
                "{name}: {wanted}: {captured:?}"
            );
        }
    }
}
