//! Scene files of all formats: each is read by its own reader.

use std::path::Path;

use crate::{
    diagnostic::{Diagnostic, Sources},
    formats::Format,
    robray::{self, Failed, LoadOptions, Loaded},
    urdf,
};

/// Reads a scene file with all it names.
///
/// # Errors
///
/// All that is wrong with the files, in one pass.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, Box<Failed>> {
    match Format::of(path) {
        Format::Robray => robray::load(path, options),
        Format::Urdf | Format::Xacro => {
            let mut sources = Sources::clone(&options.sources);
            let read = urdf::load(path, &options.urdf, options.circumstances(), &mut sources);
            loaded(read, sources)
        }
        Format::Later(name) => {
            let message = format!("`{}`: {name} cannot be read yet", path.display());
            let diagnostic = Diagnostic::error("load::format", message);
            Err(Box::new(Failed {
                diagnostics: vec![
                    diagnostic.help("describe the robot in a `.urdf` or a `.robray` file"),
                ],
                sources: Sources::clone(&options.sources),
            }))
        }
    }
}

fn loaded(read: urdf::Read, sources: Sources) -> Result<Loaded, Box<Failed>> {
    match read.scene {
        Some(scene) => Ok(Loaded {
            scene,
            warnings: read.diagnostics,
            sources,
            assets: read.assets,
        }),
        None => Err(Box::new(Failed {
            diagnostics: read.diagnostics,
            sources,
        })),
    }
}
