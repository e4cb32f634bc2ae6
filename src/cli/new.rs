//! `morse-sim new`: creates a crate with a sensor, an actuator or a modifier, which builds and passes its tests at once.
use std::{
    io::Write,
    path::{Path, PathBuf},
};

use bevy::prelude::App;
use clap::{Args as ClapArgs, ValueEnum};
use morse_diagnostics::printable;

use super::{exit, say};
use crate::simulation::{Extensions, components, kinds::Kinds};

/// Create a crate with a new sensor, actuator or modifier
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Family of the component
    #[arg(value_name = "FAMILY")]
    pub family: Family,
    /// Name of the kind in simulation files, such as tilt; also the name of the directory and the crate
    pub name: String,
    /// Repository of morse-sim: by default the one that contains the directory, or else the version on crates.io
    #[arg(long, value_name = "PATH")]
    pub morse: Option<PathBuf>,
}

/// Families of components that can be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Family {
    /// Measures the world
    Sensor,
    /// Moves the robot
    Actuator,
    /// Changes data or commands in transit
    Modifier,
}

/// Names of crates that the new crate depends on, and Rust's keywords: reserved names.
const TAKEN: [&str; 19] = [
    "alloc",
    "bevy",
    "core",
    "crate",
    "example",
    "fn",
    "libm",
    "mod",
    "morse_api",
    "morse_sim",
    "morse_testing",
    "move",
    "proc_macro",
    "self",
    "serde",
    "sim",
    "std",
    "super",
    "test",
];

/// Further keywords of Rust.
const KEYWORDS: &str = " abstract as async await become box break const continue do dyn else enum extern false final for gen if impl in \
    let loop macro match mut override priv pub ref return static struct trait true try type typeof unsafe unsized use \
    virtual where while yield ";

/// Names of the component in the text of the templates: its kind, and its type.
const WORD: &str = "new_component";
const TYPE: &str = "NewComponent";

const SENSOR: &str = include_str!("new/sensor.rs");
const ACTUATOR: &str = include_str!("new/actuator.rs");
const MODIFIER: &str = include_str!("new/modifier.rs");
const MANIFEST: &str = include_str!("new/manifest.txt");
const MAIN: &str = include_str!("new/main.rs");
const README: &str = include_str!("new/readme.txt");
const SCENE: &str = include_str!("new/scene.txt");

/// Runs the command.
pub fn run(args: &Args, extensions: Extensions, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    match make(args, extensions, out) {
        Ok(()) => exit::FINE,
        Err((code, why)) => {
            say(err, format_args!("error: {why}"));
            code
        }
    }
}

/// Exit code, and the reason.
type Refused = (u8, String);

fn make(args: &Args, extensions: Extensions, out: &mut dyn Write) -> Result<(), Refused> {
    let wrong = |why: String| (exit::INPUT, why);
    check_name(&args.name).map_err(wrong)?;
    let mut app = App::empty();
    components(&mut app, extensions);
    if is_known(app.world().resource::<Kinds>(), &args.name) {
        let name = &args.name;
        return Err(wrong(format!(
            "the kind `{name}` already exists (`morse-sim describe {name}`); how about `my_{name}`?"
        )));
    }
    let folder = Path::new(&args.name);
    if folder.exists() {
        return Err(wrong(format!(
            "`{}` already exists, and is not overwritten",
            args.name
        )));
    }
    let source = source(args.morse.as_deref()).map_err(wrong)?;
    for (file, text) in files(args.family, &args.name, &source) {
        let path = folder.join(file);
        write(&path, &text).map_err(|error| {
            let path = printable(&path.to_string_lossy());
            (
                exit::ENVIRONMENT,
                format!("`{path}` cannot be written: {error}"),
            )
        })?;
        say(out, format_args!("made {}", path.display()));
    }
    let name = &args.name;
    say(
        out,
        format_args!(
            "\nNow: cd {name}\n  cargo test\n  cargo run --example sim -- examples/{name}.ron --until 5s"
        ),
    );
    Ok(())
}

/// Checks a name, which has to be valid in simulation files and in Rust.
fn check_name(name: &str) -> Result<(), String> {
    let is_usual =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let is_word = name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.chars().all(is_usual)
        && !name.ends_with('_')
        && !name.contains("__")
        && name.len() <= 64;
    if !is_word {
        let mut near = String::new();
        for letter in name.chars() {
            if letter.is_ascii_uppercase() && !near.is_empty() && !near.ends_with('_') {
                near.push('_');
            }
            let letter = letter.to_ascii_lowercase();
            near.push(if is_usual(letter) { letter } else { '_' });
        }
        let near = near
            .trim_matches(|letter: char| !letter.is_ascii_lowercase() && !letter.is_ascii_digit());
        let help = if near != name && check_name(near).is_ok() {
            format!("; did you mean `{near}`?")
        } else {
            String::new()
        };
        return Err(format!(
            "invalid name `{}`: use lower-case letters, digits and single `_`, with a letter first{help}",
            printable(name)
        ));
    }
    if TAKEN.contains(&name) || KEYWORDS.contains(&format!(" {name} ")) {
        return Err(format!(
            "`{name}` means something else in Rust; how about `my_{name}`?"
        ));
    }
    Ok(())
}

fn is_known(kinds: &Kinds, name: &str) -> bool {
    kinds.sensors.contains_key(name)
        || kinds.actuators.contains_key(name)
        || kinds.modifiers.contains_key(name)
        || kinds.overlays.contains_key(name)
        || kinds.middlewares.contains_key(name)
}

/// Returns the directory of the simulator's repository; `None` for crates.io.
fn source(given: Option<&Path>) -> Result<Option<String>, String> {
    let is_repository = |folder: &Path| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml"));
        manifest.is_ok_and(|text| text.contains("name = \"morse-sim\""))
            && folder.join("plugins/api/Cargo.toml").is_file()
    };
    let folder = match given {
        Some(folder) if is_repository(folder) => Some(folder.to_owned()),
        Some(folder) => {
            let folder = printable(&folder.to_string_lossy());
            return Err(format!(
                "`--morse`: `{folder}` is not the repository of morse-sim"
            ));
        }
        None => {
            let here = std::env::current_dir().unwrap_or_default();
            let mut above = here.ancestors();
            above
                .find(|folder| is_repository(folder))
                .map(Path::to_owned)
        }
    };
    let Some(folder) = folder else {
        return Ok(None);
    };
    let whole = folder.canonicalize();
    let whole = whole.map_err(|error| format!("`{}`: {error}", folder.display()))?;
    match whole.to_str() {
        Some(text) if !text.contains(char::is_control) => {
            Ok(Some(text.replace('\\', "\\\\").replace('"', "\\\"")))
        }
        _ => Err(format!(
            "the path `{}` cannot be written in a manifest",
            whole.display()
        )),
    }
}

/// Returns the files of a new crate, each with its path.
fn files(family: Family, name: &str, source: &Option<String>) -> Vec<(String, String)> {
    let (code, words) = match family {
        Family::Sensor => (
            SENSOR,
            (
                "sensor",
                format!(
                    "sensors: {{ \"{name}\": (kind: \"{name}\", outputs: {{ \"log\": (format: csv) }}) }}"
                ),
            ),
        ),
        Family::Actuator => (
            ACTUATOR,
            (
                "actuator",
                format!("actuators: {{ \"{name}\": (kind: \"{name}\", start: (speed: 0.5)) }}"),
            ),
        ),
        Family::Modifier => (
            MODIFIER,
            (
                "modifier",
                format!(
                    "sensors: {{ \"pose\": (kind: \"pose\", modifiers: [(kind: \"{name}\")], outputs: {{ \"log\": (format: csv) }}) }}"
                ),
            ),
        ),
    };
    let (family, components) = words;
    let dependency = |package: &str, folder: &str| match source {
        Some(root) => format!("{package} = {{ path = \"{root}{folder}\" }}"),
        None => format!("{package} = \"{}\"", env!("CARGO_PKG_VERSION")),
    };
    let filled = |text: &str| {
        text.replace("{api}", &dependency("morse_api", "/plugins/api"))
            .replace(
                "{testing}",
                &dependency("morse_testing", "/plugins/testing"),
            )
            .replace("{simulator}", &dependency("morse-sim", ""))
            .replace("{family}", family)
            .replace("{components}", &components)
            .replace(TYPE, &type_name(name))
            .replace(WORD, name)
    };
    [
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", code),
        ("examples/sim.rs", MAIN),
        (&format!("examples/{name}.ron"), SCENE),
        ("README.md", README),
    ]
    .map(|(path, text)| (path.to_owned(), filled(text)))
    .into()
}

/// Converts a name to a type name: `wind_vane` to `WindVane`.
fn type_name(word: &str) -> String {
    let mut name = String::new();
    for segment in word.split('_') {
        let (first, rest) = segment.split_at(segment.len().min(1));
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    name
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for fine in ["tilt", "wind_vane", "lidar_3d", "a"] {
            assert_eq!(check_name(fine), Ok(()), "{fine}");
        }
        for (bad, near) in [
            ("WindVane", "did you mean `wind_vane`?"),
            ("wind-vane", "did you mean `wind_vane`?"),
            ("_tilt_", "did you mean `tilt`?"),
            ("3d", "with a letter first"),
            ("", "with a letter first"),
            ("a__b", "single `_`"),
            ("../tilt", "did you mean `tilt`?"),
            ("näher", "invalid name"),
            ("serde", "how about `my_serde`?"),
            ("match", "how about `my_match`?"),
        ] {
            let why = check_name(bad).expect_err(bad);
            assert!(why.contains(near), "{bad}: {why}");
        }
    }

    #[test]
    fn types() {
        assert_eq!(type_name("wind_vane"), "WindVane");
        assert_eq!(type_name("lidar_3d"), "Lidar3d");
    }

    #[test]
    fn nothing_is_left_of_the_template() {
        for family in Family::value_variants() {
            for (path, text) in files(*family, "wind_vane", &None) {
                let left = [
                    "{api}",
                    "{testing}",
                    "{simulator}",
                    "{family}",
                    "{components}",
                    TYPE,
                    WORD,
                ];
                for word in left {
                    assert!(
                        !text.contains(word) && !path.contains(word),
                        "{path}: {word}"
                    );
                }
            }
        }
    }

    /// Two versions of Bevy in one program are incompatible.
    #[test]
    fn bevy_is_that_of_the_simulator() {
        let own = include_str!("../../Cargo.toml");
        let version = |text: &str| -> String {
            let line = text.lines().find(|line| line.starts_with("bevy = "));
            let version = line.and_then(|line| line.split('"').nth(1));
            version.expect("a version").to_owned()
        };
        assert_eq!(version(MANIFEST), version(own));
    }
}
