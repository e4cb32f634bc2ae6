//! Runs of the program as separate processes.
use std::{
    env,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use clap::Args as ClapArgs;
use morse_sim::{
    cli::run,
    simulation::{Extensions, keep, load::Plan},
};
use serde_json::Value as Json;

use super::{
    bench::{Bench, Scene},
    plant::Plant,
};

/// Arguments of a fresh process: those of `morse-sim run`, and planted defects.
#[derive(Clone, Debug, ClapArgs)]
pub(super) struct RunArgs {
    #[command(flatten)]
    run: run::Args,
    /// Plant defects
    #[arg(long, value_name = "DEFECT")]
    plant: Vec<Plant>,
}

impl RunArgs {
    /// Runs the scene as `morse-sim run` does, with the defects.
    pub(super) fn run(
        &self,
        extensions: Extensions,
        out: &mut dyn Write,
        err: &mut dyn Write,
    ) -> u8 {
        let (plants, threads) = (self.plant.clone(), self.run.threads);
        let planted = keep(move |app| {
            extensions(app);
            for plant in &plants {
                plant.plugin(app, threads);
            }
        });
        let spoil = |plan: &mut Plan| self.plant.iter().for_each(|plant| plant.spoil(plan));
        run::run(&self.run, planted, &spoil, false, out, err)
    }
}

/// Parameters of a process.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    /// Program that starts the process, with its arguments.
    pub(super) through: Vec<String>,
    pub(super) threads: usize,
    /// Environment variables, in addition to those of this process.
    pub(super) variables: Vec<(String, String)>,
    /// True if the process does not inherit environment variables.
    pub(super) is_bare: bool,
    /// Working directory.
    pub(super) folder: PathBuf,
}

impl Launch {
    /// Returns the default parameters.
    pub(super) fn new(bench: &Bench) -> Result<Self, String> {
        Ok(Self {
            through: Vec::new(),
            threads: 1,
            variables: Vec::new(),
            is_bare: false,
            folder: bench.folder.inner("runs")?,
        })
    }

    /// Runs a scene for a number of ticks; returns the chained hash.
    pub(super) fn run(&self, bench: &Bench, scene: &Scene, ticks: u64) -> Result<String, String> {
        let (first, arguments) = match self.through.split_first() {
            Some((first, arguments)) => (PathBuf::from(first), arguments),
            None => (bench.program.clone(), &[][..]),
        };
        let mut command = Command::new(first);
        command.args(arguments);
        if !self.through.is_empty() {
            command.arg(&bench.program);
        }
        command
            .arg("run")
            .arg(&scene.path)
            .args(["--steps", &ticks.to_string()])
            .args(["--threads", &self.threads.to_string()])
            .args(["--hash", "every", "--json", "--quiet"]);
        for plant in &bench.plants {
            command.args(["--plant", &plant.word()]);
        }
        if self.is_bare {
            command.env_clear();
        }
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        let output = command
            .envs(variables)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("the program cannot be started: {error}"))?;
        let summary: Json = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let hash = summary["state_hash"].as_str().map(str::to_owned);
        let made = summary["steps"].as_u64();
        match hash {
            Some(hash) if output.status.success() && made == Some(ticks) => Ok(hash),
            _ => {
                let said = String::from_utf8_lossy(&output.stderr);
                Err(format!(
                    "a run ended with {}: {}",
                    output.status,
                    said.trim()
                ))
            }
        }
    }
}

/// Returns the reason why a program that starts others cannot be used, if there is one.
pub(super) fn missing(through: &[&str]) -> Option<String> {
    let (name, arguments) = through.split_first()?;
    if !is_there(name) {
        return Some(format!("there is no `{name}`"));
    }
    let tried = Command::new(name).args(arguments).arg("true").output();
    match tried {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Some(format!("`{name}` does not work here: {}", said.trim()))
        }
        Err(error) => Some(format!("`{name}` does not work here: {error}")),
    }
}

fn is_there(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder: PathBuf| Path::new(&folder).join(name).is_file())
}
