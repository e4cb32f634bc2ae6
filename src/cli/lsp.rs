//! `morse-sim lsp`: a language server for editors, over stdin and stdout.
mod embedded;
mod guide;
mod scenario;
mod settings;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use clap::Args as ClapArgs;
use morse_diagnostics::{Overlay, Sources, report::Report};
use morse_lsp::{Checked, Depth, Program, SettingDocs, World, lsp_server::Connection, serve};
use morse_robray::Analysis;
use morse_scene::assets;
use morse_simulation_file::{Family, Vocabulary};

use super::{check::Reading, describe, exit, say};
use crate::{
    scene::load,
    simulation::{
        Extensions, Simulation, kinds,
        kinds::{Kinds, Words},
        load as simulation,
    },
};

/// Serve an editor with diagnostics, documentation and completion of scene and simulation files, by the Language Server
/// Protocol
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Args {
    /// Options for reading the files
    #[command(flatten)]
    pub reading: Reading,
    /// Communicate over stdin and stdout, which is the default; editors pass this
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Serves the editor that started the program, until it ends the connection.
pub fn run(args: &Args, extensions: Extensions) -> u8 {
    let (connection, threads) = Connection::stdio();
    let server = Server::new(args.reading.clone(), extensions);
    let served = serve(&connection, &server);
    // The threads end with the connection.
    drop(connection);
    let joined = threads.join();
    let reason = match (served, joined) {
        (Ok(()), Ok(())) => return exit::FINE,
        (Err(error), _) => error.to_string(),
        (_, Err(error)) => error.to_string(),
    };
    say(&mut std::io::stderr(), format_args!("error: {reason}"));
    exit::ENVIRONMENT
}

/// The functions of this program that the language server requires.
pub struct Server {
    reading: Reading,
    extensions: Extensions,
    kinds: Kinds,
    /// Directory for copies of embedded files.
    cache: Option<PathBuf>,
    /// Descriptions of all kinds, by family and word, once they are requested.
    texts: OnceLock<BTreeMap<(&'static str, &'static str), String>>,
}

impl Server {
    /// Returns the functions of a program with these options and extensions.
    #[must_use]
    pub fn new(reading: Reading, extensions: Extensions) -> Self {
        Self {
            reading,
            extensions,
            kinds: kinds(extensions),
            cache: super::cache::directory().map(|cache| cache.join("assets")),
            texts: OnceLock::new(),
        }
    }

    /// Sets the directory for copies of embedded files; by default it is in the user's cache directory.
    #[must_use]
    pub fn with_cache(mut self, directory: PathBuf) -> Self {
        self.cache = Some(directory);
        self
    }

    fn options(&self, overlay: &Overlay) -> simulation::Options {
        simulation::Options {
            overlay: overlay.clone(),
            ..self.reading.load_options()
        }
    }
}

impl Program for Server {
    fn check(&self, path: &Path, overlay: &Overlay, depth: Depth) -> Checked {
        if let Some(report) = scenario::check(path, overlay) {
            return checked(report, None);
        }
        let plan = match simulation::load(path, &self.options(overlay), &self.kinds) {
            Ok(plan) => plan,
            Err(report) => return checked(*report, None),
        };
        let sources = plan.sources.clone();
        let report = match depth {
            Depth::Read => plan.warnings,
            Depth::Build => match Simulation::try_out(plan, self.extensions) {
                Ok(warnings) => warnings,
                Err(report) => *report,
            },
        };
        checked(report, Some(&sources))
    }

    fn analyse(&self, path: &Path, overlay: &Overlay) -> Analysis {
        let options = load::LoadOptions {
            overlay: overlay.clone(),
            ..self.reading.options()
        };
        load::analyse(path, &options)
    }

    fn scene_docs(&self, name: &str) -> Option<String> {
        guide::row(guide::SCENES, name)
    }

    fn world(&self, path: &Path, overlay: &Overlay) -> Option<World> {
        let plan = simulation::load(path, &self.options(overlay), &self.kinds).ok()?;
        let (scene, sources) = (plan.assembly.scene, plan.sources);
        Some(World { scene, sources })
    }

    fn vocabulary(&self) -> Box<dyn Vocabulary + '_> {
        Box::new(Words(&self.kinds))
    }

    fn field_docs(&self, of: &str, name: &str) -> Option<String> {
        guide::row_of(guide::SIMULATIONS, of, name)
    }

    fn kind_docs(&self, family: Family, word: &str) -> Option<String> {
        let texts = self.texts.get_or_init(|| describe::texts(self.extensions));
        let mut texts = texts.iter();
        let (_, text) = texts.find(|(key, _)| **key == (family.noun(), word))?;
        Some(format!("```text\n{}\n```\n", text.trim_end()))
    }

    fn settings(&self, family: Family, word: &str) -> Vec<SettingDocs> {
        let about = Words(&self.kinds).about(family, word);
        about.map(settings::of).unwrap_or_default()
    }

    fn embedded(&self) -> Vec<&'static str> {
        assets::SHIPPED.0.iter().map(|(name, _)| *name).collect()
    }

    fn copy_of_embedded(&self, path: &Path) -> Option<PathBuf> {
        embedded::copy(path, self.cache.as_deref()?)
    }
}

/// Returns a report with the names of all files that were read: those of the sources, or of the report's texts after errors.
fn checked(report: Report, sources: Option<&Sources>) -> Checked {
    let texts = report.entries().map(|(_, sources)| sources.as_ref());
    let mut files: Vec<String> = texts
        .chain(sources)
        .flat_map(Sources::iter)
        .map(|source| source.name().to_owned())
        .collect();
    files.sort();
    files.dedup();
    Checked { report, files }
}
