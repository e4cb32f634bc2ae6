//! References and renaming, in all scenes of the workspace.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{
    Location, PrepareRenameResponse, ReferenceParams, RenameParams, TextDocumentPositionParams,
    TextEdit, WorkspaceEdit,
};
use morse_diagnostics::{Source, Span, real_path};

use crate::report;
use crate::requests::{range_in, refused};
use crate::scene::{self, Scene, Site, names, names::Name};
use crate::server::{Refusal, Server};

/// Maximum number of files of the workspace that are searched for uses of a name.
const MOST_FILES: usize = 2_000;

/// Names of directories that contain no sources.
const SKIPPED: [&str; 3] = ["target", "node_modules", "build"];

impl Server<'_> {
    pub(crate) fn references(
        &mut self,
        params: ReferenceParams,
    ) -> Result<Option<Vec<Location>>, Refusal> {
        let Some(site) = self.site(&params.text_document_position)? else {
            return Ok(None);
        };
        let (names, _) = names::names(&site);
        if names.is_empty() {
            return Ok(None);
        }
        let with_declaration = params.context.include_declaration;
        let mut found = Vec::new();
        for scene in self.scenes_with(&site, &names) {
            for span in names::spans(&scene, &names, with_declaration) {
                let location = scene.location(span, &self.documents, self.program);
                found.extend(location.filter(|location| !found.contains(location)));
            }
        }
        Ok(Some(found))
    }

    pub(crate) fn prepare_rename(
        &mut self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>, Refusal> {
        let Some(site) = self.site(&params)? else {
            return Ok(None);
        };
        let (names, span) = names::names(&site);
        let (Some(span), Some((_, name))) = (span, names.first()) else {
            return Ok(None);
        };
        let Some(location) = site.scene.location(span, &self.documents, self.program) else {
            return Ok(None);
        };
        Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
            range: location.range,
            placeholder: name.clone(),
        }))
    }

    pub(crate) fn rename(
        &mut self,
        params: RenameParams,
    ) -> Result<Option<WorkspaceEdit>, Refusal> {
        let Some(site) = self.site(&params.text_document_position)? else {
            return Ok(None);
        };
        let (names, _) = names::names(&site);
        if names.is_empty() {
            return Err(refused("there is no name here"));
        }
        if let Some(objection) = names::objection(&params.new_name, &names) {
            return Err(refused(objection));
        }
        let mut edits: BTreeMap<PathBuf, Vec<TextEdit>> = BTreeMap::new();
        for scene in self.scenes_with(&site, &names) {
            self.refuse_taken(&scene, &names, &params.new_name)?;
            for span in names::written(&scene, &names) {
                let (path, edit) = edit(&scene, span, &params.new_name)?;
                let known = edits.entry(path).or_default();
                if !known.contains(&edit) {
                    known.push(edit);
                }
            }
        }
        let edits = edits
            .into_iter()
            .filter_map(|(path, edits)| Some((self.documents.uri(&path)?, edits)));
        #[expect(clippy::mutable_key_type, reason = "the protocol's type")]
        let changes: HashMap<_, _> = edits.collect();
        Ok(Some(WorkspaceEdit::new(changes)))
    }

    /// Refuses a new name that another element of the same kind has.
    fn refuse_taken(
        &self,
        scene: &Scene,
        names: &BTreeSet<Name>,
        new: &str,
    ) -> Result<(), Refusal> {
        for (symbol, old) in names {
            if old != new && names::declared(scene, *symbol).contains_key(new) {
                return Err(refused(format!("the name `{new}` is taken")));
            }
        }
        Ok(())
    }

    /// Returns the scene of a position, and all scenes of the workspace that contain one of the declarations.
    fn scenes_with(&self, site: &Site, names: &BTreeSet<Name>) -> Vec<Arc<Scene>> {
        let declared = |scene: &Scene| -> BTreeSet<PathBuf> {
            let index = &scene.analysis.index;
            let declared = index.declarations.iter();
            let declared =
                declared.filter(|found| names.contains(&(found.symbol, found.name.clone())));
            let sources = &scene.analysis.sources;
            let sources = declared.filter_map(|found| sources.get(found.span.source));
            sources.filter_map(report::path_of).collect()
        };
        let files = declared(&site.scene);
        let mut scenes = vec![Arc::clone(&site.scene)];
        for path in self.scene_files() {
            let is_known = scenes
                .iter()
                .any(|scene| scene.root() == Some(path.clone()));
            if is_known {
                continue;
            }
            let scene = Scene::read(self.program, &path, &self.documents);
            if files.iter().any(|file| scene.source(file).is_some()) {
                scenes.push(Arc::new(scene));
            }
        }
        scenes
    }

    /// Returns the scene files of the workspace and the open ones.
    fn scene_files(&self) -> BTreeSet<PathBuf> {
        let mut files: BTreeSet<PathBuf> = self.documents.paths().map(Path::to_owned).collect();
        for folder in &self.folders {
            walk(&real_path(folder), &mut files);
        }
        files.retain(|path| scene::is_scene(path));
        files
    }
}

/// Adds the scene files below a directory.
fn walk(directory: &Path, files: &mut BTreeSet<PathBuf>) {
    let entries = directory.read_dir().into_iter().flatten().flatten();
    for entry in entries {
        if files.len() >= MOST_FILES {
            return;
        }
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name.as_ref()) {
            walk(&path, files);
        } else if kind.is_file()
            && path
                .extension()
                .is_some_and(|extension| extension == "robray")
        {
            files.insert(path);
        }
    }
}

/// Returns the replacement of a name, and the file that contains it.
fn edit(scene: &Scene, span: Span, new: &str) -> Result<(PathBuf, TextEdit), Refusal> {
    let source: Option<&Source> = scene.analysis.sources.get(span.source);
    let Some((source, path)) = source.and_then(|source| Some((source, report::path_of(source)?)))
    else {
        return Err(refused(
            "the name occurs in a file that is embedded in the program",
        ));
    };
    let new_text = names::quoted(new, scene.slice(span));
    let range = range_in(source.text(), span.range());
    Ok((path, TextEdit { range, new_text }))
}
