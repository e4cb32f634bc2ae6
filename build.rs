//! Bakes the commit into release builds of a checkout, for reports. Debug builds do without: each commit would build them anew.
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::rustc-env=MORSE_SIM_COMMIT={}",
        commit().unwrap_or_else(|| "unknown".to_owned())
    );
}

/// The commit, with a note if files were changed since.
fn commit() -> Option<String> {
    if std::env::var("PROFILE").ok()? != "release" {
        return None;
    }
    // In the middle of somebody else's repository the commit would be theirs.
    if !git(&["rev-parse", "--show-prefix"])?.is_empty() {
        return None;
    }
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", name])?;
        println!("cargo::rerun-if-changed={path}");
    }
    // What is not committed yet shows in the description.
    for path in ["src", "plugins", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={path}");
    }
    git(&[
        "describe",
        "--always",
        "--dirty",
        "--abbrev=40",
        "--exclude",
        "*",
    ])
}

/// What git says, if it knows this folder.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
