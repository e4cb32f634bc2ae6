//! Commands of the guide, in a folder with the repository's scenes: they succeed, and print the shown output.
//!
//! In the shown output `…` stands for any text, and a line of it alone for any lines; durations of runs are not compared.
//! The program is available as `morse-sim` and by `cargo run`. Commands that would wait for a user get an end time, servers
//! get a free port, and a window is reported as not built in.
use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Output},
};

use super::{blocks::Block, root};
use crate::{python, require};

/// Commands that are tried elsewhere, or cannot be tried: the beginnings of their lines, and the reasons.
const ELSEWHERE: [(&str, &str); 19] = [
    ("cargo test", "it is what runs this"),
    ("cargo install --path .", "it builds the program once more"),
    (
        "cargo build --release --manifest-path place",
        "python.rs builds such a folder",
    ),
    (
        "pip install -C pure=true ./plugins/python",
        "plugins/python/tests/test_installing.py installs it",
    ),
    (
        "pip install \"./plugins/python[gym]\"",
        "it builds the simulator with the optimiser; the suite builds its library, and plugins/python/tests use it",
    ),
    ("morse run", "plugins/python/tests runs scripts"),
    ("morse create place", "python.rs creates one"),
    ("morse add sensor nose place", "python.rs adds one"),
    (
        "python3 my_testing.py",
        "plugins/python/tests runs such programs",
    ),
    ("python3 -m venv ~/morse", FOLLOWED),
    (". ~/morse/bin/activate", FOLLOWED),
    ("MORSE_SHOTS=", "web/browser.rs runs these tests"),
    ("python3 plugins/python/examples/patrol_client.py", FOLLOWED),
    (
        "morse-prove",
        "the tests of tools/prove do it at its smallest: in a debug build this takes minutes",
    ),
    (
        "mkdir -p ~/.local/share/nvim",
        "editors/neovim.rs installs it",
    ),
    ("mkdir -p ~/.vim", "editors/vim.rs installs it"),
    ("emacs --batch", "editors/emacs.rs installs it"),
    (
        "(cd assets/editors/vscode",
        "it needs VS Code; editors/vscode.rs reads the grammars with its tokeniser",
    ),
    (
        "morse-sim new",
        "new.rs makes crates, builds and tests them",
    ),
];

const FOLLOWED: &str = "plugins/python/tests/test_guide.py follows the page";

/// The program, with its environment for these tests.
const MORSE_SIM: &str = r#"#!/usr/bin/env bash
set -euo pipefail
arguments=() has_end= is_run=1 has_window=
case ${1-} in check | compile | convert | inspect | render | list | describe | fmt | new | test | batch | completions | man | --help | --version) is_run= ;; esac
while (($#)); do
    case $1 in
    --until | --steps) has_end=1 ;;
    --view) has_window=1 ;;
    --serve)
        address=0
        if [[ ${2-} =~ ^[0-9.]+:[0-9]+$ ]]; then address=${2%:*}:0; fi
        if [[ ${2-} =~ ^[0-9.:]+$ ]]; then shift; fi
        set -- --serve "$@"
        arguments+=(--serve "$address")
        shift 2
        continue
        ;;
    *.ron)
        for name in $(sed -n 's/.*"\(.*\)": (kind: "socket".*/\1/p' "$1" 2>/dev/null); do
            [ -z "$is_run" ] || arguments+=(--set "middlewares.$name.port=0")
        done
        ;;
    esac
    arguments+=("$1")
    shift
done
if [ -n "$has_window" ]; then
    said=$("$MORSE_SIM" "${arguments[@]}" 2>&1) && exit 1
    [[ $said == *"built without the window"* ]] && exit 0
    echo "$said" >&2
    exit 1
fi
if [ -n "${BESIDE-}" ]; then arguments+=(--rtf 1 --port-file ports.json)
elif [ -n "$is_run" ] && [ -z "$has_end" ]; then arguments+=(--until 0.1s); fi
exec "$MORSE_SIM" "${arguments[@]}"
"#;

const CARGO: &str = r#"#!/usr/bin/env bash
set -euo pipefail
[ "$1" = run ] || { echo "nothing tries: cargo $*" >&2; exit 1; }
while [ "$1" != -- ]; do shift; done
shift
exec morse-sim "$@"
"#;

/// The program of another package, in the build of these tests.
const MORSE_BENCH: &str = r#"#!/usr/bin/env bash
exec "$CARGO_PROGRAM" run --offline --quiet --manifest-path "$ROOT/Cargo.toml" --bin morse-bench -- "$@"
"#;

const MORSE: &str = r#"#!/usr/bin/env bash
PYTHONDONTWRITEBYTECODE=1 exec python3 plugins/python/bin/morse "$@"
"#;

/// Connects to the simulation in the background, whose port for requests is a free one.
const NC: &str = r#"#!/usr/bin/env bash
set -euo pipefail
for _ in {1..400}; do if [ -s ports.json ]; then break; fi; sleep 0.05; done
port=$(sed 's/.*"what":"requests","port":\([0-9]*\).*/\1/' ports.json)
exec 3<>"/dev/tcp/127.0.0.1/$port"
cat >&3
timeout 2 cat <&3 || true
"#;

/// The lines that were skipped.
#[derive(Default)]
pub(super) struct Excuses(BTreeSet<&'static str>);

impl Excuses {
    /// Returns true if a line is tried elsewhere.
    fn has(&mut self, line: &str) -> bool {
        let excuse = ELSEWHERE.iter().find(|(start, _)| line.starts_with(start));
        self.0.extend(excuse.map(|(start, _)| start));
        excuse.is_some()
    }

    pub(super) fn unused(&self) -> impl Iterator<Item = &'static str> {
        let all = ELSEWHERE.iter().map(|(start, _)| *start);
        all.filter(|start| !self.0.contains(start))
    }
}

/// The folder in which the commands of a page run, one after the other.
pub(super) struct Room {
    folder: tempfile::TempDir,
    beside: std::cell::RefCell<Vec<Child>>,
}

impl Drop for Room {
    fn drop(&mut self) {
        for child in self.beside.get_mut() {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

impl Room {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a directory");
        let room = Self {
            folder,
            beside: std::cell::RefCell::default(),
        };
        copy(&root().join("scenes"), &room.path().join("scenes"));
        std::os::unix::fs::symlink(root().join("plugins"), room.path().join("plugins"))
            .expect("a link");
        let programs = room.path().join("bin");
        fs::create_dir(&programs).expect("a folder");
        for (name, script) in [
            ("morse-sim", MORSE_SIM),
            ("morse-bench", MORSE_BENCH),
            ("cargo", CARGO),
            ("morse", MORSE),
            ("nc", NC),
        ] {
            let path = programs.join(name);
            fs::write(&path, script).expect("a script");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        }
        room
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes the file of a block.
    pub(super) fn keep(&self, block: &Block) {
        if let Some((name, text)) = block.file() {
            let path = self.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
    }

    pub(super) fn run(&self, block: &Block, excuses: &mut Excuses) -> Result<(), String> {
        if block.language == "console" {
            return self.converse(&block.text);
        }
        let lines = block.text.lines().filter(|line| !excuses.has(line));
        let lines = lines.filter(|line| !line.starts_with("morse ") || has_launcher());
        let script: String = lines.map(|line| format!("{line}\n")).collect();
        self.succeed(&script)
    }

    /// Runs commands that have to succeed.
    pub(super) fn succeed(&self, script: &str) -> Result<(), String> {
        let ran = self.command(script).output().expect("bash");
        if ran.status.success() {
            Ok(())
        } else {
            Err(format!("{script}{}", said(&ran)))
        }
    }

    /// Returns the commands after `$ `, each with its output.
    fn converse(&self, text: &str) -> Result<(), String> {
        let mut entries = text.split("$ ").filter(|entry| !entry.is_empty());
        entries.try_for_each(|entry| {
            let (command, expected) = entry.split_once('\n').unwrap_or((entry, ""));
            if let Some(command) = command.strip_suffix(" &") {
                let mut command = self.command(&format!("exec {command} >/dev/null 2>&1"));
                let child = command.env("BESIDE", "1").spawn().expect("bash");
                self.beside.borrow_mut().push(child);
                return Ok(());
            }
            let ran = self.command(&format!("{command} 2>&1")).output();
            let printed = said(&ran.expect("bash"));
            if fits(expected, &printed) {
                Ok(())
            } else {
                Err(format!(
                    "{command}\nis shown to print\n{expected}\nand prints\n{printed}"
                ))
            }
        })
    }

    fn command(&self, script: &str) -> Command {
        let mut command = Command::new("bash");
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .args(["-eu", "-o", "pipefail", "-c", script])
            .current_dir(self.path())
            .env(
                "PATH",
                format!("{}:{path}", self.path().join("bin").display()),
            )
            .env("MORSE_SIM", PathBuf::from(env!("CARGO_BIN_EXE_morse-sim")))
            .env("CARGO_PROGRAM", env!("CARGO"))
            .env("ROOT", root())
            .stdin(std::process::Stdio::null());
        command
    }
}

/// Returns true if MORSE's command, which is written in Python, can be run.
fn has_launcher() -> bool {
    let is_there = python::has_python();
    if !is_there {
        require::left_out("python", python::NO_PYTHON);
    }
    is_there
}

fn said(ran: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    text(&ran.stdout) + &text(&ran.stderr)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file");
        }
    }
}

/// Returns true if an output matches the shown one.
fn fits(shown: &str, printed: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        text.trim_end()
            .lines()
            .map(|line| without_time(line.trim_end()))
            .collect()
    };
    lines_fit(&lines(shown), &lines(printed))
}

fn lines_fit(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=printed.len()).any(|skipped| lines_fit(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, others)| line_fits(first, line) && lines_fit(rest, others)),
    }
}

fn line_fits(shown: &str, printed: &str) -> bool {
    let mut pieces = shown.split('…');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    let Some(last) = pieces.next_back() else {
        return rest.is_empty();
    };
    for piece in pieces {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Returns a summary without the durations.
fn without_time(line: &str) -> String {
    match line.split_once(" s simulated in ") {
        Some((before, after)) if after.ends_with(" times real time)") => {
            format!("{before} s simulated")
        }
        _ => line.to_owned(),
    }
}

#[test]
fn outputs_are_compared() {
    let run = "3 ticks, 0.050 s simulated in 0.002 s (25.0 times real time)\nstate 1f\n";
    for (shown, printed, expected) in [
        (
            run,
            "3 ticks, 0.050 s simulated in 9.1 s (0.1 times real time)\nstate 1f\n",
            true,
        ),
        (
            run,
            "4 ticks, 0.050 s simulated in 0.002 s (25.0 times real time)\nstate 1f\n",
            false,
        ),
        (
            run,
            "3 ticks, 0.050 s simulated in 0.002 s (25.0 times real time)\nstate 2f\n",
            false,
        ),
        ("state …", "state 77", true),
        ("a … c … e", "a b c d e", true),
        ("a … c … e", "a b d e", false),
        ("a\n…\nd", "a\nb\nc\nd", true),
        ("a\n…\nd", "a\nd", true),
        ("a\n…\nd", "a\nb", false),
        ("a", "a\nb", false),
        ("a\nb", "a", false),
    ] {
        assert_eq!(fits(shown, printed), expected, "{shown} / {printed}");
    }
}

#[test]
fn commands_that_fail_are_reported() {
    let page = super::Page {
        name: "planted.md".to_owned(),
        text: "```sh\nmorse-sim list sensors\n```\n```sh\nmorse-sim list sensor\n```\n\
            ```console\n$ morse-sim check scenes/table.robray\nsomething else\n```\n\
            ```sh\ncargo run --release --features viewer -- scenes/patrol.ron --tiem\n```\n\
            ```sh\ncargo run --release --features viewer -- scenes/patrol.ron --view --seed x\n```\n\
            ```sh\ncargo build\n```\n\
            ```sh\ncargo run --release --features viewer -- scenes/table.robray --view\n```\n"
            .to_owned(),
    };
    let room = Room::new();
    let mut excuses = Excuses::default();
    let blocks = super::blocks::of(&page);
    let verdicts = blocks
        .iter()
        .map(|block| room.run(block, &mut excuses).is_ok());
    let verdicts: Vec<bool> = verdicts.collect();
    assert_eq!(verdicts, [true, false, false, false, false, false, true]);
}
