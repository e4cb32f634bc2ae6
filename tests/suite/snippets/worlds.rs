//! Scenes and simulation files of the guide: each is built, without a warning, and ticks.
use std::{fs, path::PathBuf};

use morse_sim::{
    Simulation,
    scene::robray::format,
    simulation::{
        kinds,
        load::{Options, load},
        no_extensions,
    },
};

use super::blocks::Block;

/// Ticks of each world.
const TICKS: u64 = 3;

/// Sensors and actuators that require only a robot, in the order in which modifiers are tried on them.
const PLAIN: [(&str, &str); 10] = [
    ("sensors", "pose"),
    ("sensors", "gps"),
    ("sensors", "imu"),
    ("sensors", "odometry"),
    ("sensors", "video_camera"),
    ("sensors", "depth_video_camera"),
    ("sensors", "laser_scanner"),
    ("sensors", "collision"),
    ("actuators", "v_omega"),
    ("actuators", "destination"),
];

/// A folder for the files of a page.
pub(super) struct Room(tempfile::TempDir);

impl Room {
    pub(super) fn new() -> Self {
        let room = tempfile::tempdir().expect("a directory");
        let scenes = room.path().join("scenes");
        std::os::unix::fs::symlink(super::root().join("scenes"), scenes).expect("a link");
        Self(room)
    }

    /// Writes the file of a block.
    pub(super) fn keep(&self, block: &Block) {
        if let Some((name, text)) = block.file() {
            fs::write(self.0.path().join(name), text).expect("a file");
        }
    }

    /// Builds the world of a block, and runs some ticks.
    pub(super) fn run(&self, block: &Block) -> Result<(), String> {
        if block.language == "robray" {
            let path = self.path(block, "robray");
            fs::write(&path, &block.text).expect("a file");
            let tidy = format(&block.text, &path).map_err(|failed| failed.to_string())?;
            if tidy != block.text {
                return Err(format!("`morse-sim fmt` writes it otherwise:\n{tidy}"));
            }
            return tick(&path, Vec::new());
        }
        let mut error = String::new();
        for text in files(&block.text)? {
            let path = self.path(block, "ron");
            fs::write(&path, &text).expect("a file");
            match tick(&path, self.changes(&text)) {
                Ok(()) => return Ok(()),
                Err(why) => error = why,
            }
        }
        Err(error)
    }

    fn path(&self, block: &Block, extension: &str) -> PathBuf {
        let name = block.file().map(|(name, _)| name.to_owned());
        let name = name.unwrap_or_else(|| format!("{}.{extension}", block.name()));
        self.0.path().join(name)
    }

    /// Returns the settings for parallel tests: free ports, and logs in the room.
    fn changes(&self, text: &str) -> Vec<String> {
        let logs = self.0.path().join("out");
        let logs = format!("directory=\"{}\"", logs.display());
        let kinds = [
            ("socket", vec!["port=0", "streams=0"]),
            ("web", vec!["port=0"]),
            ("rosbridge", vec!["port=0"]),
            ("text", vec![logs.as_str()]),
        ];
        let mut changes = Vec::new();
        for (kind, values) in kinds {
            let Some((before, _)) = text.split_once(&format!("\": (kind: \"{kind}\"")) else {
                continue;
            };
            let name = before.rsplit('"').next().unwrap_or_default();
            let values = values.iter();
            changes.extend(values.map(|value| format!("middlewares.{name}.{value}")));
        }
        changes
    }
}

/// Returns true if a block is a scenario or batch file.
pub(super) fn is_scenario(block: &Block) -> bool {
    let mut lines = block.text.lines();
    lines.any(|line| line.starts_with("Scenario(") || line.starts_with("Batch("))
}

/// Returns the files that a block may be part of: itself, or a file around a fragment. One of them has to be valid.
fn files(text: &str) -> Result<Vec<String>, String> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let first: String = code
        .trim_start()
        .chars()
        .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
        .collect();
    let robot = |fields: &str| format!("Simulation(robots: {{ \"robot\": ({fields}) }})");
    let files = match first.as_str() {
        "Simulation" => vec![text.to_owned()],
        "scene" | "environment" | "bodies" | "joints" | "robots" | "middlewares" => {
            vec![format!("Simulation({text})")]
        }
        "model" | "frame" => vec![robot(text)],
        "sensors" | "actuators" | "overlays" => {
            vec![robot(&format!("model: \"robots/atrv.robray\", {text}"))]
        }
        "modifiers" => PLAIN
            .iter()
            .map(|(family, kind)| {
                robot(&format!(
                    "model: \"robots/atrv.robray\", {family}: {{ \"part\": (kind: \"{kind}\", {text}) }}"
                ))
            })
            .collect(),
        _ => return Err(format!("`{first}` begins no part of a simulation file")),
    };
    Ok(files)
}

fn tick(path: &std::path::Path, set: Vec<String>) -> Result<(), String> {
    let options = Options {
        set,
        allow_paths: vec![super::root().to_owned()],
        ..Options::default()
    };
    let plan = load(path, &options, &kinds(&no_extensions)).map_err(|report| report.to_string())?;
    let mut simulation = match Simulation::build(plan, &no_extensions) {
        Ok(simulation) => simulation,
        Err(error) => return only_lacks_ros2(error.to_string()),
    };
    simulation.run(TICKS).map_err(|error| error.to_string())?;
    let warnings = simulation.warnings();
    if warnings.is_empty() {
        Ok(())
    } else {
        Err(format!("a warning: {warnings}"))
    }
}

#[test]
fn a_world_that_cannot_be_built_is_reported() {
    let page = super::Page {
        name: "planted.md".to_owned(),
        text: "```ron\nSimulation(scene: \"nowhere.robray\")\n```\n\
            ```ron\nsensors: { \"a\": (kind: \"camera\") }\n```\n\
            ```ron\nsensors: { \"a\": (kind: \"armature_pose\") }\n```\n\
            ```ron\nmodifiers: [(kind: \"gps_nose\")]\n```\n\
            ```ron\nwheels: 3\n```\n\
            ```robray\nframe a { parent none; }\n```\n\
            ```ron\nsensors: { \"a\": (kind: \"pose\") }\n```\n"
            .to_owned(),
    };
    let room = Room::new();
    let blocks = super::blocks::of(&page);
    let verdicts: Vec<bool> = blocks.iter().map(|block| room.run(block).is_ok()).collect();
    assert_eq!(verdicts, [false, false, false, false, false, false, true]);
}

/// Accepts worlds whose only error is that this program has no DDS: everything else in them is valid.
fn only_lacks_ros2(report: String) -> Result<(), String> {
    let is_only = report.matches("error[").count() == 1;
    if is_only && !cfg!(feature = "ros2") && report.contains("was built without ROS 2") {
        return Ok(());
    }
    Err(report)
}
