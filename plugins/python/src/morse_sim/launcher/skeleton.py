"""`morse add`: the beginning of a robot, a sensor or an actuator of one's own.

A robot is a class of the builder. A sensor or an actuator is a file of Rust in the folder's own simulator, which is
morse-sim with these parts added, and a class of the builder by which scripts ask for it.
"""
from __future__ import annotations

import json
import os
import re
from importlib import metadata
from typing import Dict, Optional

from ..builder.errors import MorseEnvironmentError

ROBOT = '''"""A robot of your own: a model of the catalogue, or a scene file, with what it carries."""
from morse.builder import *


class {classname}(ATRV):
    def __init__(self, name=None):
        super().__init__(name)
        self.motion = MotionVW()
        self.append(self.motion)
        self.pose = Pose()
        self.append(self.pose)
'''

COMPONENT = '''"""The {family} `{word}` of simulator/src/{word}.rs, for builder scripts."""
from morse.builder.creator import {creator}


class {classname}({creator}):
    # What it is called in simulation files; its properties are its settings.
    _kind = "{word}"
'''

MANIFEST = """# The simulator of this folder: morse-sim, and parts of its own.
[package]
name = "{program}"
version = "0.1.0"
edition = "2024"
publish = false

[dependencies]
bevy = {{ version = "0.19.1", default-features = false }}
morse-sim = {source}
serde = {{ version = "1", features = ["derive"] }}

[workspace]
"""

MAIN = """//! The whole command line of morse-sim, with parts of our own.
{modules}
fn main() -> std::process::ExitCode {{
    morse_sim::cli::main_with(|app| {{
        app.add_plugins(({plugins}));
    }})
}}
"""

SENSOR = """//! Height above a floor: write here what your sensor measures.
use morse_sim::prelude::*;

/// Height above a floor.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct {classname} {{
    /// Height of that floor.
    #[reflect(@Unit("m"))]
    pub floor: f64,
}}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
pub struct {classname}Data {{
    /// Above the floor.
    #[reflect(@Unit("m"))]
    pub height: f64,
}}

impl Sensor for {classname} {{
    const KIND: &'static str = "{word}";
    type Data = {classname}Data;
}}

pub fn plugin(app: &mut App) {{
    app.add_sensor::<{classname}, _>(default_action);
}}

fn default_action(mut sensors: Query<(&{classname}, &Due, &WorldPose, &mut {classname}Data)>) {{
    for (settings, due, pose, mut data) in &mut sensors {{
        if due.0 {{
            data.height = pose.0.translation.z - settings.floor;
        }}
    }}
}}
"""

ACTUATOR = """//! Pushes the robot ahead: write here what your actuator does.
use morse_sim::prelude::*;

/// A push along the robot's x axis.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct {classname} {{
    /// The strongest push.
    #[reflect(@Unit("m/s"))]
    pub most: f64,
}}

impl Default for {classname} {{
    fn default() -> Self {{
        Self {{ most: 1.0 }}
    }}
}}

/// One command.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct {classname}Command {{
    /// Ahead.
    #[reflect(@Unit("m/s"))]
    pub speed: f64,
}}

impl Stateful for {classname}Command {{}}

impl Actuator for {classname} {{
    const KIND: &'static str = "{word}";
    const MOVES_ROBOT: bool = true;
    type Command = {classname}Command;
}}

pub fn plugin(app: &mut App) {{
    app.add_actuator::<{classname}, _>(default_action);
}}

fn default_action(mut actuators: Query<(&{classname}, &Due, &{classname}Command, &mut Drive)>) {{
    for (settings, due, command, mut drive) in &mut actuators {{
        if due.0 {{
            let speed = command.speed.clamp(-settings.most, settings.most);
            *drive = Drive::Velocity {{
                linear: Vector3::new(speed, 0.0, 0.0),
                angular: Vector3::zeros(),
            }};
        }}
    }}
}}
"""


def _word(name: str) -> str:
    word = re.sub(r"\W+", "_", name).strip("_").lower()
    if not re.match(r"[a-z]", word):
        raise MorseEnvironmentError(f"`{name}` cannot be a name: begin with a letter")
    return word


def _classname(word: str) -> str:
    return "".join(segment.capitalize() for segment in word.split("_"))


def _repository(given: Optional[str]) -> str:
    """The repository of morse-sim: the one that is given, or that this file is in, or that it was installed from."""
    here = os.path.dirname(os.path.abspath(__file__))
    known = [given] if given else [os.path.normpath(os.path.join(here, *[".."] * 5)), _installed_from()]
    for root in known:
        is_there = root and os.path.isfile(os.path.join(root, "Cargo.toml"))
        if is_there and os.path.isdir(os.path.join(root, "plugins", "api")):
            return os.path.abspath(root)
    where = f"`{given}` is not the repository of morse-sim" if given else (
        "the repository of morse-sim, with which the simulator of a folder is built, is not where it was"
        if known[-1] else "this package does not know the repository of morse-sim, with which the simulator of a folder is built"
    )
    raise MorseEnvironmentError(f"{where}: say where it is, with --morse PATH")


def _installed_from() -> Optional[str]:
    """What the package says of itself; see packaging/wheel_backend.py."""
    try:
        text = metadata.distribution("morse-sim").read_text("repository.txt")
    except metadata.PackageNotFoundError:
        return None
    return text.strip() if text else None


def _lock(root: str, program: str) -> str:
    """The versions that the simulator was built with: what it took is at hand, and nothing has to be fetched."""
    with open(os.path.join(root, "Cargo.lock"), encoding="utf-8") as file:
        lock = file.read()
    entry = f'[[package]]\nname = "{program}"\nversion = "0.1.0"\ndependencies = [\n "bevy",\n "morse-sim",\n "serde",\n]\n'
    return f"{lock}\n{entry}"


def _write(files: Dict[str, str]) -> None:
    for path, text in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def _simulator(folder: str) -> str:
    return os.path.join(folder, "simulator")


def _main(folder: str, word: str) -> str:
    """`main.rs` with all parts that are there."""
    source = os.path.join(_simulator(folder), "src")
    known = os.listdir(source) if os.path.isdir(source) else []
    words = sorted({word, *(name[:-3] for name in known if name.endswith(".rs") and name != "main.rs")})
    plugins = "".join(f"{each}::plugin, " for each in words)
    return MAIN.format(modules="".join(f"mod {each};\n" for each in words), plugins=plugins.strip())


def add(kind: str, name: str, folder: str, is_forced: bool, repository: Optional[str] = None) -> int:
    """Writes the files, and says how to go on."""
    word = _word(name)
    package = os.path.basename(folder)
    # As MORSE names them.
    python = {"word": word, "classname": word.capitalize(), "family": kind, "creator": f"{kind.capitalize()}Creator"}
    rust = {"word": word, "classname": _classname(word)}
    builder = os.path.join(folder, "src", package, "builder", f"{kind}s")
    script = os.path.join(builder, f"{word}.py")
    files = {script: (ROBOT if kind == "robot" else COMPONENT).format(**python)}
    if kind != "robot":
        source = os.path.join(_simulator(folder), "src")
        files[os.path.join(source, f"{word}.rs")] = (SENSOR if kind == "sensor" else ACTUATOR).format(**rust)
    for path in files:
        if os.path.exists(path) and not is_forced:
            raise MorseEnvironmentError(f"`{path}` exists already; --force replaces it")
    if not os.path.exists(os.path.join(builder, "__init__.py")):
        files[os.path.join(builder, "__init__.py")] = ""
    if kind != "robot":
        # Every part but `main.rs` is the user's from now on.
        files[os.path.join(source, "main.rs")] = _main(folder, word)
        manifest = os.path.join(_simulator(folder), "Cargo.toml")
        if not os.path.exists(manifest):
            program, root = f"{package}-sim".replace("_", "-"), _repository(repository)
            # As TOML writes texts.
            source = f'{{ path = {json.dumps(root, ensure_ascii=False)} }}'
            files[manifest] = MANIFEST.format(program=program, source=source)
            files[os.path.join(_simulator(folder), "Cargo.lock")] = _lock(root, program)
    _write(files)
    for path in files:
        print(f"Made {path}")
    print(f"In a script: from {package}.builder.{kind}s.{word} import {python['classname']}")
    if kind != "robot":
        print(f"Build it with: cargo build --release --manifest-path {manifest}")
    return 0


def own_simulator(folder: Optional[str]) -> Optional[str]:
    """The program of a folder with parts of its own; nothing where there are none."""
    if folder is None or not os.path.isfile(os.path.join(_simulator(folder), "Cargo.toml")):
        return None
    name = f"{os.path.basename(os.path.abspath(folder))}-sim".replace("_", "-")
    targets = [os.environ.get("CARGO_TARGET_DIR") or os.path.join(_simulator(folder), "target")]
    built = [os.path.join(target, profile, name) for target in targets for profile in ("release", "debug")]
    programs = [path for path in built if os.access(path, os.X_OK)]
    if not programs:
        manifest = os.path.join(_simulator(folder), "Cargo.toml")
        raise MorseEnvironmentError(
            f"`{folder}` has parts of its own, which are not built: cargo build --release --manifest-path {manifest}"
        )
    return max(programs, key=os.path.getmtime)
