//! `--watch`: loads the files again when one of them changes, and continues with the new world.
use std::{
    cell::RefCell,
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use morse_diagnostics::{Style, printable, printable_path, report::Report};

use super::{Args, Messages, files, is_file, load_plan, write_ports};
use crate::{
    run::{clock::Moment, file_watcher::FileWatcher},
    scene::compiled::named_files,
    simulation::{BuildError, Extensions, Reload, Simulation, load::Plan},
};

/// Files and world of a run that watches its files.
pub(super) struct Reloading<'a> {
    args: &'a Args,
    extensions: Extensions,
    extend: &'a dyn Fn(&mut Plan),
    /// Plan of the present world.
    plan: Plan,
    watcher: FileWatcher,
    /// Files of meshes and images that have changed since the present world was built.
    changed: BTreeSet<PathBuf>,
}

impl<'a> Reloading<'a> {
    /// Begins to watch the files of a plan that was read since a moment.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub(super) fn new(
        args: &'a Args,
        extensions: Extensions,
        extend: &'a dyn Fn(&mut Plan),
        plan: Plan,
        since: Moment,
    ) -> std::io::Result<Self> {
        let watcher = FileWatcher::new()?;
        watcher.watch(files_of(&plan, args), since);
        Ok(Self {
            args,
            extensions,
            extend,
            plan,
            watcher,
            changed: BTreeSet::new(),
        })
    }

    /// Loads the files again if one has changed. Returns true if it did.
    pub(super) fn look(
        &mut self,
        simulation: &mut Simulation,
        messages: &RefCell<Messages<'_>>,
    ) -> bool {
        let Some(changed) = self.watcher.changed() else {
            return false;
        };
        let names = shown(&changed);
        self.changed.extend(changed);
        let result = self.reload(simulation);
        let messages = &mut *messages.borrow_mut();
        match result {
            Ok(Reload {
                warnings,
                bodies: [continued, all],
                failures,
            }) => {
                messages.report(&warnings, false);
                for failure in failures {
                    messages.error(&failure);
                    simulation.show_message(&format!("error: {failure}"));
                }
                let text = format!(
                    "loaded again after a change of {names}: {continued} of {all} bodies that move continue"
                );
                messages.notice(&text);
                simulation.show_message(&text);
            }
            Err(error) => {
                let text = format!(
                    "after a change of {names} the files cannot be loaded; the simulation continues unchanged"
                );
                let shown = match &error {
                    BuildError::Scene(report) => {
                        messages.report(report, true);
                        report.render(Style::Plain)
                    }
                    BuildError::Middleware(failure) => {
                        messages.error(failure);
                        failure.to_string()
                    }
                };
                messages.error(&text);
                simulation.show_message(&format!("error: {text}\n{}", shown.trim_end()));
            }
        }
        true
    }

    fn reload(&mut self, simulation: &mut Simulation) -> Result<Reload, BuildError> {
        let since = Moment::now();
        let plan = match load_plan(self.args, self.extensions, self.extend) {
            Ok(plan) => plan,
            Err(error) => {
                let mut files = files_of(&self.plan, self.args);
                if let BuildError::Scene(report) = &error {
                    files.extend(files_of_report(report));
                }
                self.watch_broken(files, since);
                return Err(error);
            }
        };
        let is_changed = |file: &Path| self.changed.contains(file);
        let next = plan.clone();
        let mut files = files_of(&plan, self.args);
        match simulation.reload(plan, &is_changed) {
            Ok(reload) => {
                self.watcher.watch(files, since);
                self.plan = next;
                self.changed.clear();
                if let Some(path) = &self.args.port_file
                    && let Err(error) = write_ports(path, simulation)
                {
                    let path = printable(&path.to_string_lossy()).to_string();
                    let text = format!("`{path}` cannot be written: {error}");
                    simulation.show_message(&text);
                }
                Ok(reload)
            }
            Err(error) => {
                files.extend(files_of(&self.plan, self.args));
                self.watch_broken(files, since);
                Err(error)
            }
        }
    }

    /// Watches files that cannot be loaded, and their directories, since a missing file may appear.
    fn watch_broken(&self, mut files: BTreeSet<PathBuf>, since: Moment) {
        let directories: Vec<PathBuf> = files
            .iter()
            .filter_map(|file| file.parent())
            .map(|directory| match directory.as_os_str().is_empty() {
                true => PathBuf::from("."),
                false => directory.to_path_buf(),
            })
            .collect();
        files.extend(directories);
        self.watcher.watch(files, since);
    }
}

/// Returns the names of files for messages. A directory is among them only if nothing else has changed.
fn shown(changed: &BTreeSet<PathBuf>) -> String {
    let files = changed.iter().filter(|file| !file.is_dir());
    let named: Vec<&PathBuf> = match files.clone().next() {
        Some(_) => files.collect(),
        None => changed.iter().collect(),
    };
    let names = named.iter().map(|file| file.to_string_lossy());
    let names = names.map(|name| printable_path(&name).to_string());
    names.collect::<Vec<_>>().join(", ")
}

/// Returns all files of a plan, and the simulation file beside a scene, which may be missing.
fn files_of(plan: &Plan, args: &Args) -> BTreeSet<PathBuf> {
    let mut all: BTreeSet<PathBuf> = files(plan).into_iter().map(PathBuf::from).collect();
    if let Some(file) = &args.file {
        all.insert(file.clone());
        all.insert(file.with_extension("ron"));
    }
    all.extend(named_files(&plan.assembly.scene));
    all
}

/// Returns the files whose texts were read before an error.
fn files_of_report(report: &Report) -> BTreeSet<PathBuf> {
    let sources = report.entries().flat_map(|(_, sources)| sources.iter());
    let names = sources.map(morse_diagnostics::Source::name);
    names
        .filter(|name| is_file(name))
        .map(PathBuf::from)
        .collect()
}
