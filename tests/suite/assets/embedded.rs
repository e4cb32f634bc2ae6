//! All assets are in the program, and depend on nothing else.
use std::{fs, path::Path};

use morse_sim::scene::{
    assets::{SHIPPED, summary},
    load::{LoadOptions, load, parse_str},
    model::Shape,
    robray::{format, write},
    shipped::Shipped,
};

use super::{model, simulation};

/// Returns the relative paths of all files in a folder and below.
fn files(folder: &Path) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let mut paths = Vec::new();
    for entry in fs::read_dir(root.join(folder)).expect("a folder") {
        let path = folder.join(entry.expect("an entry").file_name());
        if root.join(&path).is_dir() {
            paths.extend(files(&path));
        } else {
            paths.push(path.to_str().expect("plain names").replace('\\', "/"));
        }
    }
    paths.sort();
    paths
}

#[test]
fn every_asset_is_embedded() {
    let mut on_disk = files(Path::new(""));
    // The sensor that reads the tables of the geomagnetic models contains them; the files of editors are installed there.
    on_disk.retain(|file| !file.starts_with("wmm/") && !file.starts_with("editors/"));
    let embedded: Vec<&str> = SHIPPED.0.iter().map(|(path, _)| *path).collect();
    assert_eq!(embedded, on_disk, "the list in src/assets.rs, sorted");
    for (path, content) in SHIPPED.0 {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("assets")
            .join(path);
        assert_eq!(fs::read(file).expect("a file"), *content, "{path}");
        assert!(
            content.len() <= 300_000,
            "{path} has {} bytes",
            content.len()
        );
    }
}

/// Each model has no warning, is formatted, has a summary, and can be written and read again without its includes.
#[test]
fn every_model_is_in_order() {
    let models = SHIPPED
        .0
        .iter()
        .filter(|(path, _)| path.ends_with(".robray"));
    let mut count = 0;
    for (path, content) in models {
        let scene = model(path);
        let text = std::str::from_utf8(content).expect("UTF-8");
        assert_eq!(
            format(text, Path::new(path)).expect("no mistakes"),
            text,
            "{path} is not tidy"
        );
        let line = summary(path);
        assert!(
            line.len() > 15 && line.contains(": ") && line.ends_with('.'),
            "{path}: {line}"
        );
        let options = LoadOptions {
            strict: true,
            shipped: SHIPPED,
            ..LoadOptions::default()
        };
        let written = write(&scene).expect("it can be written");
        let again = parse_str(&written, "again", Path::new("nowhere"), &options);
        let again = again
            .unwrap_or_else(|failed| panic!("{path}: {failed}"))
            .scene;
        assert_eq!(again.frames(), scene.frames(), "{path}");
        count += 1;
    }
    assert!(count > 40, "{count}");
}

#[test]
fn shipped_files_are_found_behind_those_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    };
    let options = LoadOptions {
        shipped: SHIPPED,
        ..LoadOptions::default()
    };
    let read = |path: &Path| load(path, &options).unwrap_or_else(|failed| panic!("{failed}"));
    // Includes of a built-in file are relative to its own directory; it includes its mesh.
    let loaded = read(&file(
        "mine.robray",
        "include \"environments/outdoors\"\ninclude \"environments/room.robray\"\n",
    ));
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let terrain = &loaded.scene.frame("terrain").expect("a frame").geometry[0].shape;
    let Shape::Mesh(mesh) = terrain else {
        panic!("{terrain:?}");
    };
    assert_eq!(mesh.resolved, Shipped::path("environments/terrain.obj"));
    // A mesh can be named directly.
    let loaded = read(&file(
        "wedge.robray",
        "frame a { geometry { mesh \"environments/ramp.obj\"; } }",
    ));
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    // A file of the same name next to the scene takes precedence.
    file("environments/room.robray", "frame my_room { }");
    let loaded = read(&file(
        "other.robray",
        "include \"environments/room.robray\"",
    ));
    assert!(loaded.scene.frame("my_room").is_some());
    // No path leads out of the built-in files.
    for path in [
        "shipped:/../Cargo.toml",
        "shipped:/robots/../../Cargo.toml",
        "shipped:/robots",
    ] {
        assert!(load(Path::new(path), &options).is_err(), "{path}");
    }
    let failed = load(
        &file("gone.robray", "include \"environments/nothing\""),
        &options,
    )
    .unwrap_err();
    assert!(failed.to_string().contains("no such file"), "{failed}");
}

#[test]
fn a_world_can_be_built_of_shipped_files_alone() {
    let mut simulation = simulation(
        r#"Simulation(
            scene: "environments/sandbox.robray",
            robots: { "atrv": (model: "robots/atrv.robray", at: (translation: (0, 0, 0.1))) },
        )"#,
    );
    assert!(
        simulation.warnings().is_empty(),
        "{:?}",
        simulation.warnings().render(Default::default())
    );
    simulation.run(10).unwrap();
}
