//! Messages of runs that cannot begin, or that begin with a warning, compared word by word.
//!
//! `tests/golden/run` contains folders with the files of a run and, beside each, the expected text. A file `arguments`
//! contains the arguments of the program in that folder; without it the program runs one tick of `main.ron`. After a change,
//! `UPDATE_GOLDEN=1 cargo test` writes the texts again.
#![cfg(test)]
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use morse_sim::{
    Simulation,
    scene::{
        assembly::{Assembly, BodySettings},
        model::{Frame, Geometry, Scene, Shape},
    },
    simulation::{load::Plan, no_extensions},
};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/run")
}

/// Compares a text with the golden one, or replaces the golden one on request.
fn check(name: &str, actual: &str) -> Result<(), String> {
    let path = golden().join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, actual).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if actual == expected {
        return Ok(());
    }
    Err(format!("{name}\nexpected:\n{expected}\nfound:\n{actual}"))
}

/// Returns the exit code of a call in a folder, and its stderr.
fn call(folder: &Path) -> String {
    let arguments = fs::read_to_string(folder.join("arguments"));
    let arguments = arguments.unwrap_or("main.ron --steps 1".to_owned());
    let output = Command::new(env!("CARGO_BIN_EXE_morse-sim"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap();
    let code = output.status.code().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let lines: String = stderr
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    format!("exit code {code}\n{lines}")
}

#[test]
fn every_call_is_explained() {
    let mut wrong = Vec::new();
    let mut folders = 0;
    for entry in fs::read_dir(golden()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            folders += 1;
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            wrong.extend(check(&name, &call(&path)).err());
        }
    }
    assert!(folders >= 15, "{folders} folders");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the message about an assembly that was built in Rust, which has no source positions.
fn refused(assembly: Assembly) -> String {
    let plan = Plan {
        assembly,
        ..Plan::default()
    };
    match Simulation::build(plan, &no_extensions) {
        Ok(_) => String::new(),
        Err(error) => format!("{error}\n"),
    }
}

#[test]
fn mistakes_made_in_rust_are_explained() {
    let mut scene = Scene::default();
    scene.add_frame(Frame::new("table")).unwrap();
    let mut assembly = Assembly {
        scene: scene.clone(),
        ..Assembly::default()
    };
    let heavy = BodySettings {
        mass: Some(-1.0),
        linear_damping: f64::NAN,
        ..BodySettings::default()
    };
    assembly.bodies.insert("table".to_owned(), heavy);
    assembly
        .bodies
        .insert("tabel".to_owned(), BodySettings::default());
    check("made_bad_value", &refused(assembly)).unwrap();

    let mut sizes = Scene::default();
    let ball = Geometry::new(Shape::Sphere { radius: -1.0 });
    sizes.add_frame(Frame::new("ball").with(ball)).unwrap();
    let assembly = Assembly {
        scene: sizes,
        ..Assembly::default()
    };
    check("made_bad_size", &refused(assembly)).unwrap();

    for (name, parent) in [("left", "right"), ("right", "left")] {
        scene.add_frame(Frame::new(name).under(parent)).unwrap();
    }
    let assembly = Assembly {
        scene,
        ..Assembly::default()
    };
    check("made_cycle", &refused(assembly)).unwrap();
}

#[test]
fn too_much_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let values = "1,".repeat(2_100_000);
    let text = format!("Simulation(\n    environment: (gravity: ({values})),\n)\n");
    fs::write(folder.path().join("main.ron"), text).unwrap();
    let shown = call(folder.path());
    let short: String = shown
        .lines()
        .map(|line| line.chars().take(80).collect::<String>() + "\n")
        .collect();
    check("made_too_large", &short).unwrap();
}

/// Returns the codes of diagnostics in the program's sources: texts such as `"load::format"`.
fn codes() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src"), root.join("plugins")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            codes.extend(
                text.split('"')
                    .filter(|word| is_code(word))
                    .map(str::to_owned),
            );
        }
    }
    codes
}

fn is_code(word: &str) -> bool {
    let known = ["load", "usage", "scene", "simulation"];
    word.split_once("::").is_some_and(|(family, rest)| {
        known.contains(&family)
            && !rest.is_empty()
            && rest.chars().all(|c| c.is_ascii_lowercase() || c == '-')
    })
}

#[test]
fn every_code_has_a_golden_text() {
    let mut texts = String::new();
    for folder in ["run", "simulation"] {
        for entry in fs::read_dir(golden().with_file_name(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "txt") {
                texts.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    let codes = codes();
    assert!(codes.len() > 40, "{codes:?}");
    let missing: Vec<&String> = codes
        .iter()
        .filter(|code| !texts.contains(&format!("[{code}]")))
        .collect();
    assert!(missing.is_empty(), "no golden text shows {missing:?}");
}
