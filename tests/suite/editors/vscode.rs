//! VS Code: its own tokeniser reads the grammars, and the extension is complete.
use std::{path::PathBuf, process::Command};

use serde_json::Value as Json;

use super::{assert_golden, has, path, run};
use crate::require;

const VSCODE: &str = "assets/editors/vscode";

/// Returns the directory with the packages of the tokeniser, which npm installs once.
fn packages() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("editors");
    let package = std::fs::read_to_string(path("tests/editors/package.json")).expect("a file");
    let copy = folder.join("package.json");
    let is_current = std::fs::read_to_string(&copy).is_ok_and(|known| known == package);
    if is_current && folder.join("node_modules/vscode-textmate").is_dir() {
        return Some(folder);
    }
    std::fs::create_dir_all(&folder).expect("a directory");
    std::fs::write(copy, package).expect("a file");
    let installed = Command::new("npm")
        .args(["install", "--silent", "--no-audit", "--no-fund"])
        .current_dir(&folder)
        .output();
    installed
        .is_ok_and(|output| output.status.success())
        .then_some(folder)
}

#[test]
fn vs_code_highlights() {
    if !has("node") {
        require::left_out("editors", "there is no Node.js");
        return;
    }
    let Some(packages) = packages() else {
        require::left_out("editors", "npm cannot install vscode-textmate");
        return;
    };
    let mut command = Command::new("node");
    command.arg(path("tests/editors/textmate.js")).arg(packages);
    for (grammar, file) in [
        ("robray", "tests/editors/sample.robray"),
        ("ron", "scenes/drop.ron"),
    ] {
        command.arg(path(&format!(
            "{VSCODE}/syntaxes/{grammar}.tmLanguage.json"
        )));
        command.arg(path(file));
    }
    assert_golden("tests/golden/editors/vscode.txt", &run(&mut command));
}

#[test]
fn the_extension_names_files_that_exist() {
    let text = std::fs::read_to_string(path(&format!("{VSCODE}/package.json"))).expect("a file");
    let package: Json = serde_json::from_str(&text).expect("JSON");
    let mut files = vec![package["main"].clone()];
    for language in package["contributes"]["languages"]
        .as_array()
        .expect("a list")
    {
        files.push(language["configuration"].clone());
    }
    for grammar in package["contributes"]["grammars"]
        .as_array()
        .expect("a list")
    {
        files.push(grammar["path"].clone());
    }
    assert_eq!(files.len(), 5);
    for file in files {
        let file = path(VSCODE).join(file.as_str().expect("a path"));
        let text = std::fs::read_to_string(&file);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        if file
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            serde_json::from_str::<Json>(&text).expect("JSON");
        }
    }
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_extension_is_valid_javascript() {
    if !has("node") {
        require::left_out("editors", "there is no Node.js");
        return;
    }
    run(Command::new("node")
        .arg("--check")
        .arg(path(&format!("{VSCODE}/extension.js"))));
}
