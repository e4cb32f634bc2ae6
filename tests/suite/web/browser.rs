//! The page in a browser: `tests/browser`, where Playwright drives a headless Chromium.
use std::{path::Path, process::Command};

/// Where Playwright or a Chromium is not there, the tests say so.
#[test]
fn the_page_lives_in_a_browser() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let output = Command::new("python3")
        .args(["-m", "unittest", "discover", "--verbose"])
        .current_dir(folder)
        .env("MORSE_SIM", env!("CARGO_BIN_EXE_morse-sim"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output();
    let Ok(output) = output else {
        eprintln!("there is no python3: the page was not tried in a browser");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    // What is skipped is said: `cargo test` shows it with `--nocapture`.
    eprintln!("{said}");
    assert!(output.status.success(), "{said}");
    let count = said
        .lines()
        .find_map(|line| line.strip_prefix("Ran ")?.split(' ').next()?.parse().ok());
    assert!(count.is_some_and(|count: u32| count >= 11), "{said}");
}
