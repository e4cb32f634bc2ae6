//! The Python side: builder scripts, the launcher, the client, and MORSE's own harness where it can be had.
#![cfg(test)]

use std::{
    path::Path,
    process::{Command, Stdio},
};

/// Whether a Python is there that is new enough.
fn has_python() -> bool {
    let version = "import sys; sys.exit(sys.version_info < (3, 9))";
    Command::new("python3")
        .args(["-c", version])
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[test]
fn python_tests() {
    if !has_python() {
        eprintln!("skipped: there is no python3 of 3.9 or later");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins/python");
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-morse");
    let output = Command::new("python3")
        .args(["-m", "unittest", "discover", "-s", "tests", "-t", "."])
        .current_dir(folder)
        .env("MORSE_SIM", env!("CARGO_BIN_EXE_morse-sim"))
        .env("MORSE_CACHE", cache)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("python3 runs");
    let said = String::from_utf8_lossy(&output.stderr);
    // What is skipped is said: `cargo test` shows it with `--nocapture`.
    eprintln!("{said}");
    assert!(output.status.success(), "{said}");
    let count = said
        .lines()
        .find_map(|line| line.strip_prefix("Ran ")?.split(' ').next()?.parse().ok());
    assert!(count.is_some_and(|count: u32| count > 30), "{said}");
}
