//! The page in a headless Chromium, driven by Playwright: `tests/browser`. Where they are not installed, it says so.
use std::{path::Path, process::Command};

#[test]
fn the_page_lives_in_a_browser() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let output = Command::new("python3")
        .args(["-m", "unittest", "discover", "-v", "-s"])
        .arg(folder)
        .env("MORSE_SIM", env!("CARGO_BIN_EXE_morse-sim"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: there is no python3");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    eprintln!("{said}");
    assert!(output.status.success(), "{said}");
    assert!(said.contains("Ran 7 tests"), "{said}");
}
