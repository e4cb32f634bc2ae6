//! Robots and bodies that are added to a plan or removed from it while its simulation runs.
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path},
};

use morse_diagnostics::{Diagnostic, printable, report::Report};
use morse_simulation_file::{self as simulation, assemble, load_robot, model::Form};
use serde::{Deserialize, Serialize};

use super::{AnyKinds, Loader, Plan, Root, Sources, Words, crowd};

/// Maximum number of texts of files of one robot.
const MOST_FILES: usize = 256;

/// A change of the robots and bodies of a running simulation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// Add a robot.
    Spawn(Spawn),
    /// Remove a robot or a body, by its name.
    Delete(String),
}

/// A robot that is added to a running simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spawn {
    /// Name of the robot.
    pub name: String,
    /// The robot in the form of the entries of `robots` in a simulation file, which must have a `model`:
    /// `(model: "robots/atrv.robray", at: (translation: (1, 2, 0)), sensors: { "gps": (kind: "gps") })`.
    pub definition: String,
    /// Texts of files that the definition names, by their names in it; for example a robot description that is on no disk.
    pub files: BTreeMap<String, String>,
}

impl Change {
    /// Returns the plan after this change, and the warnings about it.
    ///
    /// # Errors
    ///
    /// The robot cannot be read, its name is taken, it exceeds the memory budget, or the robot or body to remove does not
    /// exist.
    pub fn apply(&self, plan: &Plan, kinds: &AnyKinds) -> Result<(Plan, Report), Box<Report>> {
        match self {
            Self::Spawn(robot) => with_robot(plan, robot, kinds),
            Self::Delete(name) => without(plan, name).map(|plan| (plan, Report::default())),
        }
    }
}

fn with_robot(plan: &Plan, robot: &Spawn, kinds: &AnyKinds) -> Result<(Plan, Report), Box<Report>> {
    let mut options = plan.options.clone();
    let mut problems = Vec::new();
    for (name, text) in &robot.files {
        match is_plain(name) {
            true => options
                .overlay
                .set(&plan.directory.join(name), text.as_str()),
            false => problems.push(wrong_file(name)),
        }
    }
    if robot.files.len() > MOST_FILES {
        let message = format!("a robot may have {MOST_FILES} texts of files at most");
        problems.push(Diagnostic::error("spawn::files", message));
    }
    let mut loader = Loader::new(&options, kinds);
    loader.sources = plan.sources.clone();
    loader.report.add(problems, &plan.sources);
    let next = match loader.report.has_errors() {
        false => loader.with_robot(plan, robot),
        true => None,
    };
    let is_refused = options.strict && !loader.report.is_empty();
    match next {
        Some(next) if !loader.report.has_errors() && !is_refused => Ok((next, loader.report)),
        _ if is_refused => Err(Box::new(loader.report.into_errors())),
        _ => Err(Box::new(loader.report)),
    }
}

/// Returns true if a path names a file in the directory of the simulation or below.
fn is_plain(name: &str) -> bool {
    let is_normal = |segment| matches!(segment, Component::Normal(_));
    !name.is_empty() && !name.contains('\0') && Path::new(name).components().all(is_normal)
}

fn wrong_file(name: &str) -> Diagnostic {
    let message = format!("`{}` cannot name a text", printable(name));
    Diagnostic::error("spawn::files", message)
        .help("name it by a relative path without `..`, such as `arm.urdf`")
}

impl Loader<'_> {
    /// Returns the plan with another robot, or `None` after an error, which is in the report.
    fn with_robot(&mut self, plan: &Plan, robot: &Spawn) -> Option<Plan> {
        let mut sources = Sources::clone(&self.sources);
        let shown = format!("<robot {}>", printable(&robot.name));
        let text = (shown.as_str(), robot.definition.as_str());
        let words = Words(self.kinds);
        let loaded = load_robot(&plan.simulation, &robot.name, text, &words, &mut sources);
        self.sources = sources.into();
        let is_fine = loaded.is_fine();
        self.report.add(loaded.diagnostics, &self.sources);
        let added = loaded.simulation;
        let problems = contradictions(&plan.simulation, &added);
        self.report.add(problems, &self.sources);
        if !is_fine || self.report.has_errors() {
            return None;
        }
        let mut options = self.scene_options();
        options.urdf.root = Root::Fixed;
        let assembled = assemble(&added, plan.assembly.scene.clone(), &mut |model| {
            options.sources = Sources::clone(&self.sources);
            self.model(model, &plan.directory, &options)
        });
        let assembled = match assembled {
            Ok(assembled) => assembled,
            Err(problems) => {
                self.report.add(problems, &self.sources);
                return None;
            }
        };
        let problems = simulation::check(&added, &assembled.scene, &words);
        self.report.add(problems, &self.sources);
        let mut next = plan.clone();
        next.simulation.robots.extend(added.robots);
        next.simulation.drawn.extend(added.drawn);
        next.assembly.extend(assembled);
        if self.options.descriptions.hold {
            next.assembly.hold();
        }
        let too_large = crowd::check(&next.simulation, Some(&next.assembly.scene), plan.memory);
        self.report.add(too_large, &self.sources);
        next.sources = self.sources.clone();
        next.assets.append(&mut self.assets);
        Some(next)
    }
}

/// Returns the errors of a robot that cannot be added beside the others.
fn contradictions(
    present: &simulation::Simulation,
    added: &simulation::Simulation,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let known: BTreeSet<String> = present
        .expand()
        .into_iter()
        .map(|robot| robot.name)
        .collect();
    for instance in added.expand() {
        let name = printable(&instance.name);
        if known.contains(&instance.name) || present.robots.contains_key(instance.name.as_str()) {
            let message = format!("there is a robot `{name}` already");
            let problem = Diagnostic::error("spawn::name", message);
            problems.push(problem.help("give it another name, or delete that robot first"));
        }
        if let Form::Frame(frame) = &instance.robot.form {
            let message = format!("`{name}` has no model");
            let problem = Diagnostic::error("spawn::model", message)
                .help("give it `model: \"….robray\"` instead of `frame`");
            problems.push(match frame.span {
                Some(span) => problem.at(span, "a frame that exists cannot be added"),
                None => problem,
            });
        }
    }
    problems
}

/// Returns the plan without a robot or body.
fn without(plan: &Plan, name: &str) -> Result<Plan, Box<Report>> {
    let refused = |problem: Diagnostic| {
        let mut report = Box::<Report>::default();
        report.add([problem], &plan.sources);
        Err(report)
    };
    let instances = plan.simulation.expand();
    let robot = instances.iter().find(|robot| robot.name == name);
    let frame = match robot.map(|robot| &robot.robot.form) {
        Some(Form::Frame(frame)) => frame.value.clone(),
        Some(Form::Model(_)) | None => name.to_owned(),
    };
    let scene = &plan.assembly.scene;
    let Some(base) = scene.frame(&frame) else {
        let known = instances.iter().map(|robot| robot.name.as_str());
        let known = known.chain(plan.assembly.bodies.keys().map(String::as_str));
        let message = format!("there is no robot or body `{}`", printable(name));
        return refused(Diagnostic::error("spawn::unknown", message).suggest(name, known));
    };
    let heads_body = plan.assembly.bodies.contains_key(&frame) || scene.parent_of(base).is_none();
    if robot.is_none() && !heads_body {
        let message = format!("`{}` is a part of a body", printable(name));
        let problem = Diagnostic::error("spawn::part", message);
        return refused(problem.help("delete the whole body or robot"));
    }
    let family = scene.family(&frame);
    let other = plan
        .assembly
        .robots
        .iter()
        .find(|(other, base)| other.as_str() != name && family.contains(&base.frame));
    if let Some((other, _)) = other {
        let message = format!("`{}` carries the robot `{other}`", printable(name));
        let problem = Diagnostic::error("spawn::part", message);
        return refused(problem.help(format!("delete `{other}` first")));
    }
    let mut next = plan.clone();
    next.simulation.remove_robot(name);
    let removed = next.assembly.remove(&frame);
    let variables = next.assembly.scene.variables();
    next.simulation.remove_frames(&removed, &variables);
    Ok(next)
}
