//! Inline code in the text: commands run; options, kinds and files exist.
use std::{collections::BTreeSet, process::Command};

use morse_sim::simulation::{kinds, no_extensions};

use super::{pages, root, shell::Room};

/// Options of other programs: of cargo, and of amino's compiler.
const OTHERS: [&str; 15] = [
    "--release",
    "--features",
    "--bench",
    "--open",
    "--list-frames",
    "--list-vars",
    "--var",
    "--val",
    "--render",
    "--pov-x",
    "--pov-y",
    "--cam-eye",
    "--cam-look",
    "--gui",
    "--end-effector",
];

/// Folders of the repository.
const FOLDERS: [&str; 7] = [
    "src/",
    "plugins/",
    "tools/",
    "scenes/",
    "examples/",
    "tests/",
    ".ci/",
];

/// Returns the pieces of a text in back quotes, outside of blocks.
fn inline(text: &str) -> Vec<String> {
    let mut is_block = false;
    let outside: Vec<&str> = text
        .lines()
        .filter(|line| {
            let is_fence = line.starts_with("```");
            is_block ^= is_fence;
            !is_fence && !is_block
        })
        .collect();
    let outside = outside.join("\n");
    let pieces = outside.split('`').enumerate();
    pieces
        .filter(|(index, _)| index % 2 == 1)
        .map(|(_, piece)| piece.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// Returns all inline code, each with its page.
fn everywhere() -> Vec<(String, String)> {
    let pages = pages().into_iter();
    let pieces = pages.flat_map(|page| {
        inline(&page.text)
            .into_iter()
            .map(move |piece| (page.name.clone(), piece))
    });
    pieces.collect()
}

/// Words in capitals, dots and bars are placeholders.
fn is_pattern(command: &str) -> bool {
    let is_placeholder = |word: &str| word.len() > 1 && word.chars().all(char::is_uppercase);
    command.contains(['…', '|', '[']) || command.split([' ', '=', ':', ',']).any(is_placeholder)
}

#[test]
fn commands_in_the_text_succeed() {
    let room = Room::new();
    let commands: BTreeSet<String> = everywhere()
        .into_iter()
        .map(|(_, piece)| piece)
        .filter(|piece| piece.starts_with("morse-sim ") && !is_pattern(piece))
        // Files of a single page are tried where the page shows them.
        .filter(|piece| !piece.contains(".ro") || piece.contains("scenes/"))
        .filter(|piece| !piece.starts_with("morse-sim new "))
        .collect();
    let failed = commands.iter().filter_map(|command| {
        // A command alone, or with options: it has to exist.
        let is_named = command
            .split(' ')
            .skip(2)
            .all(|word| word.starts_with("--"));
        let more = if is_named && *command != "morse-sim --help" {
            " --help"
        } else {
            ""
        };
        room.succeed(&format!("{command}{more}")).err()
    });
    let failed: Vec<String> = failed.collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(commands.len() > 8, "{commands:?}");
}

/// Returns the help of all commands, and of the programs beside `morse-sim`.
fn helps() -> String {
    let commands = [
        "run", "test", "batch", "check", "compile", "convert", "inspect", "render", "list",
        "describe", "fmt", "new",
    ];
    let own = commands.map(|command| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_morse-sim"));
        program.args([command, "--help"]);
        program
    });
    let others = ["morse-bench", "morse-prove"].map(|name| {
        let mut cargo = Command::new(env!("CARGO"));
        let quiet = ["run", "--offline", "--quiet", "--bin", name];
        cargo.args(quiet).args(["--", "--help"]).current_dir(root());
        cargo
    });
    let print = |mut program: Command| {
        let output = program.output().expect("the program runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    own.into_iter().chain(others).map(print).collect()
}

#[test]
fn options_in_the_text_are_known() {
    let known = helps();
    let mut count = 0;
    let mut problems = Vec::new();
    for (page, piece) in everywhere() {
        // Commands of other programs.
        if [
            "cargo",
            "pip",
            "morse ",
            "python3",
            "nc ",
            "tests/bench/compare",
        ]
        .iter()
        .any(|other| piece.starts_with(other))
        {
            continue;
        }
        for word in piece
            .split([' ', '=', ','])
            .filter(|word| word.starts_with("--") && word.len() > 2)
        {
            count += 1;
            let is_there =
                known.contains(&format!("{word} ")) || known.contains(&format!("{word}\n"));
            if !is_there && !OTHERS.contains(&word) {
                problems.push(format!("{page}: `{word}`"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count > 20, "{count} options");
}

#[test]
fn kinds_in_the_text_are_known() {
    let kinds = kinds(&no_extensions);
    let words: BTreeSet<&str> = kinds
        .sensors
        .keys()
        .chain(kinds.actuators.keys())
        .chain(kinds.modifiers.keys())
        .chain(kinds.overlays.keys())
        .chain(kinds.middlewares.keys())
        .copied()
        .collect();
    let mut count = 0;
    let mut problems = Vec::new();
    for (page, piece) in everywhere() {
        for after in piece.split("kind: \"").skip(1) {
            count += 1;
            let word = after.split('"').next().unwrap_or_default();
            if !words.contains(word) {
                problems.push(format!("{page}: `{word}`"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count > 1, "{count} kinds");
}

#[test]
fn files_in_the_text_are_there() {
    let mut count = 0;
    let mut problems = Vec::new();
    for (page, piece) in everywhere() {
        let is_file = FOLDERS.iter().any(|folder| piece.starts_with(folder));
        if is_file && !piece.contains(['*', ' ', '…']) {
            count += 1;
            if !root().join(&piece).exists() {
                problems.push(format!("{page}: `{piece}`"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count > 15, "{count} files");
}

/// Numbers that grow with the catalogue.
#[test]
fn models_are_counted() {
    let count = |folder: &str| {
        let files = std::fs::read_dir(root().join("assets").join(folder)).expect("a folder");
        let names = files.map(|file| file.expect("an entry").path());
        names
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "robray")
            })
            .count()
    };
    let expected = format!(
        "{} robots, {} arms and heads, {} environments, {} objects",
        count("robots"),
        count("arms"),
        count("environments"),
        count("objects")
    );
    let readme = std::fs::read_to_string(root().join("README.md")).expect("a README");
    assert!(
        readme.contains(&expected),
        "the README should say: {expected}"
    );
}

#[test]
fn inline_code_is_read() {
    let text = "Say `morse-sim\nlist sensors`, or `x`.\n```sh\n`no`\n```\nand `y`\n";
    assert_eq!(inline(text), ["morse-sim list sensors", "x", "y"]);
    assert!(is_pattern("morse-sim describe KIND") && !is_pattern("morse-sim describe gps"));
}
