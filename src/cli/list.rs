//! `morse-sim list`: the catalogue, one line per kind.
use std::io::Write;

use bevy::reflect::TypeInfo;
use clap::{Args as ClapArgs, ValueEnum};
use morse_scene::assets::{self, Embedded};
use morse_simulation_file::Assets as _;
use serde_json::json;

use super::{exit, say};
use crate::simulation::{
    Extensions, kinds,
    kinds::{Kinds, summary},
};

/// List the catalogue
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Family to list
    pub family: Family,
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
}

/// Families that can be listed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Family {
    /// Kinds of sensor
    Sensors,
    /// Kinds of actuator
    Actuators,
    /// Kinds of modifier
    Modifiers,
    /// Kinds of overlay
    Overlays,
    /// Kinds of middleware
    Middlewares,
    /// Models of robots and arms that are included in the program
    Robots,
    /// Scenes that are included in the program
    Environments,
    /// Models of objects that are included in the program
    Objects,
    /// Services
    Services,
}

/// Runs the command.
pub fn run(args: &Args, extensions: Extensions, out: &mut dyn Write) -> u8 {
    let rows = match args.family {
        Family::Services => super::describe::services(extensions),
        Family::Robots => models(&["arms/", "robots/"]),
        Family::Environments => models(&["environments/"]),
        Family::Objects => models(&["objects/"]),
        family => of_kinds(&kinds(extensions), family),
    };
    if args.json {
        let list: Vec<_> = rows
            .iter()
            .map(|(kind, summary)| json!({ "kind": kind, "summary": summary }))
            .collect();
        say(out, serde_json::Value::from(list));
        return exit::FINE;
    }
    let width = rows.iter().map(|(kind, _)| kind.len()).max().unwrap_or(0);
    for (kind, summary) in rows {
        say(out, format!("{kind:width$}  {summary}").trim_end());
    }
    exit::FINE
}

/// Returns the models in some directories of the assets, with the description in their first line.
fn models(folders: &[&str]) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    for folder in folders {
        let paths = Embedded.paths().into_iter();
        rows.extend(
            paths
                .filter(|path| path.starts_with(folder))
                .map(|path| (path.to_owned(), assets::summary(path))),
        );
    }
    rows
}

fn of_kinds(kinds: &Kinds, family: Family) -> Vec<(String, String)> {
    let row = |(word, info): (&&str, &'static TypeInfo)| ((*word).to_owned(), summary(info));
    match family {
        Family::Sensors => kinds
            .sensors
            .iter()
            .map(|(word, kind)| row((word, kind.about.settings)))
            .collect(),
        Family::Actuators => kinds
            .actuators
            .iter()
            .map(|(word, kind)| row((word, kind.about.settings)))
            .collect(),
        Family::Modifiers => kinds
            .modifiers
            .iter()
            .map(|(word, kind)| row((word, kind.about.settings)))
            .collect(),
        Family::Overlays => kinds
            .overlays
            .iter()
            .map(|(word, kind)| row((word, kind.about.settings)))
            .collect(),
        Family::Middlewares => kinds
            .middlewares
            .iter()
            .map(|(word, kind)| row((word, kind.about.settings)))
            .collect(),
        Family::Robots | Family::Environments | Family::Objects | Family::Services => Vec::new(),
    }
}
