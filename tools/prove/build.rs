//! Embeds the commit into release builds of a checkout, for reports. Debug builds do not, since each commit would rebuild
//! them.
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::rustc-env=MORSE_SIM_COMMIT={}",
        commit().unwrap_or_else(|| "unknown".to_owned())
    );
}

/// Returns the commit, with a note if files differ from it.
fn commit() -> Option<String> {
    if std::env::var("PROFILE").ok()? != "release" {
        return None;
    }
    // Inside another repository the commit would be that repository's.
    if git(&["rev-parse", "--show-prefix"])? != "tools/prove/" {
        return None;
    }
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", name])?;
        println!("cargo::rerun-if-changed={path}");
    }
    // The description lists uncommitted changes.
    for path in ["src", "plugins", "tools", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed=../../{path}");
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

/// Returns git's output, or `None` if this folder is no repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
