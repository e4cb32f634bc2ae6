//! References and renaming, in all files of the workspace.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{
    Location, PrepareRenameResponse, ReferenceParams, RenameParams, TextDocumentPositionParams,
    TextEdit, Uri, WorkspaceEdit,
};
use morse_diagnostics::{Source, Span, real_path};

use crate::report;
use crate::requests::refused;
use crate::scene::{self, Scene, Site, names, names::Name};
use crate::server::{Refusal, Server};
use crate::simulation::{
    names::Target,
    uses::{Use, Wanted, uses},
};
use crate::text;

/// Maximum number of files of the workspace that are searched for uses of a name.
const MOST_FILES: usize = 2_000;

/// Names of directories that contain no sources.
const SKIPPED: [&str; 3] = ["target", "node_modules", "build"];

/// Subject of a request about names.
enum Subject {
    /// Names of a scene.
    Scene(Site),
    /// Locations of a name that occurs in one simulation file only, and its text.
    Local(Vec<Location>, String),
}

impl Server<'_> {
    /// Returns the names at a position.
    fn subject(&mut self, at: &TextDocumentPositionParams) -> Result<Option<Subject>, Refusal> {
        if let Some(site) = self.site(at)? {
            return Ok(Some(Subject::Scene(site)));
        }
        let (path, document) = self.document(&at.text_document.uri)?;
        let site = self.simulation(at, &path, &document);
        let Some(name) = site.names().into_iter().next() else {
            return Ok(None);
        };
        let location = match &name.target {
            Target::File(_) | Target::Robot(_) => return Ok(None),
            Target::Frame(frame) => site.frame(frame),
            Target::Variable(_) => site.definitions().into_iter().next(),
            Target::Component { name: text, .. } | Target::Middleware(text) => {
                return Ok(Some(Subject::Local(
                    site.spans(&name.target, false),
                    text.clone(),
                )));
            }
        };
        Ok(location
            .and_then(|location| self.declared(&location))
            .map(Subject::Scene))
    }

    /// Returns the position of a declaration in its own scene.
    fn declared(&self, location: &Location) -> Option<Site> {
        let path = real_path(&crate::uri::to_path(&location.uri)?);
        Scene::read(self.program, &path, &self.documents).site(&path, location.range.start)
    }

    pub(crate) fn references(
        &mut self,
        params: ReferenceParams,
    ) -> Result<Option<Vec<Location>>, Refusal> {
        let site = match self.subject(&params.text_document_position)? {
            None => return Ok(None),
            Some(Subject::Local(locations, _)) => return Ok(Some(locations)),
            Some(Subject::Scene(site)) => site,
        };
        let (names, _) = names::names(&site);
        if names.is_empty() {
            return Ok(None);
        }
        let with_declaration = params.context.include_declaration;
        let mut locations = Vec::new();
        for scene in self.scenes_with(&site, &names) {
            for span in names::spans(&scene, &names, with_declaration) {
                let location = scene.location(span, &self.documents, self.program);
                locations.extend(location.filter(|location| !locations.contains(location)));
            }
        }
        locations.extend(
            self.uses(&site, &names)
                .into_iter()
                .map(|usage| usage.location),
        );
        Ok(Some(locations))
    }

    pub(crate) fn prepare_rename(
        &mut self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>, Refusal> {
        let (_, document) = self.document(&params.text_document.uri)?;
        let offset = document.lines.offset(&document.text, params.position);
        let is_here = |location: &&Location| {
            let bytes = document.lines.bytes(&document.text, location.range);
            location.uri == document.uri && bytes.start <= offset && offset <= bytes.end
        };
        let target = match self.subject(&params)? {
            None => None,
            Some(Subject::Local(locations, name)) => locations
                .iter()
                .find(is_here)
                .map(|location| (location.range, name)),
            Some(Subject::Scene(site)) => {
                let (names, _) = names::names(&site);
                let spans = names::spans(&site.scene, &names, true).into_iter();
                let mut locations = spans
                    .filter_map(|span| site.scene.location(span, &self.documents, self.program));
                let location = locations.find(|location| is_here(&location));
                let location = location.or_else(|| {
                    let uses = self.uses(&site, &names).into_iter();
                    uses.map(|usage| usage.location)
                        .find(|location| is_here(&location))
                });
                location
                    .zip(names.first())
                    .map(|(location, (_, name))| (location.range, name.clone()))
            }
        };
        Ok(target.map(
            |(range, placeholder)| PrepareRenameResponse::RangeWithPlaceholder {
                range,
                placeholder,
            },
        ))
    }

    pub(crate) fn rename(
        &mut self,
        params: RenameParams,
    ) -> Result<Option<WorkspaceEdit>, Refusal> {
        let new = &params.new_name;
        let site = match self.subject(&params.text_document_position)? {
            None => return Err(refused("there is no name here that can be changed")),
            Some(Subject::Local(locations, _)) => return local_edit(locations, new).map(Some),
            Some(Subject::Scene(site)) => site,
        };
        let (names, _) = names::names(&site);
        if names.is_empty() {
            return Err(refused("there is no name here"));
        }
        if let Some(objection) = names::objection(new, &names) {
            return Err(refused(objection));
        }
        let mut edits: BTreeMap<PathBuf, Vec<TextEdit>> = BTreeMap::new();
        let mut add = |path: PathBuf, edit: TextEdit| {
            let known = edits.entry(path).or_default();
            if !known.contains(&edit) {
                known.push(edit);
            }
        };
        for scene in self.scenes_with(&site, &names) {
            refuse_taken(&scene, &names, new)?;
            for span in names::written(&scene, &names) {
                let (path, edit) = edit(&scene, span, new)?;
                add(path, edit);
            }
        }
        for usage in self.uses(&site, &names) {
            let edit = usage.renamed(new);
            add(usage.path, edit);
        }
        let edits = edits
            .into_iter()
            .filter_map(|(path, edits)| Some((self.documents.uri(&path)?, edits)));
        Ok(Some(workspace_edit(edits)))
    }

    /// Returns the files that declare one of the names.
    fn files_with(scene: &Scene, names: &BTreeSet<Name>) -> BTreeSet<PathBuf> {
        let declared = scene.analysis.index.declarations.iter();
        let declared = declared
            .filter(|declaration| names.contains(&(declaration.symbol, declaration.name.clone())));
        let sources = &scene.analysis.sources;
        let sources = declared.filter_map(|declaration| sources.get(declaration.span.source));
        sources.filter_map(report::path_of).collect()
    }

    /// Returns the scene of a position, and all scenes of the workspace that contain one of the declarations.
    fn scenes_with(&self, site: &Site, names: &BTreeSet<Name>) -> Vec<Arc<Scene>> {
        let files = Self::files_with(&site.scene, names);
        let mut scenes = vec![Arc::clone(&site.scene)];
        for path in self.workspace(true) {
            if site.scene.root().as_ref() == Some(&path) {
                continue;
            }
            let scene = Scene::read(self.program, &path, &self.documents);
            if files.iter().any(|file| scene.source(file).is_some()) {
                scenes.push(Arc::new(scene));
            }
        }
        scenes
    }

    /// Returns the uses of names in the simulation files of the workspace.
    fn uses(&self, site: &Site, names: &BTreeSet<Name>) -> Vec<Use> {
        let files = Self::files_with(&site.scene, names);
        let wanted = Wanted {
            names,
            files: &files,
        };
        let paths = self.workspace(false).into_iter();
        paths
            .flat_map(|path| uses(self.program, &self.documents, &path, &wanted))
            .collect()
    }

    /// Returns the scene files or the simulation files of the workspace, and the open ones.
    fn workspace(&self, scenes: bool) -> BTreeSet<PathBuf> {
        let mut files: BTreeSet<PathBuf> = self.documents.paths().map(Path::to_owned).collect();
        for folder in &self.folders {
            walk(&real_path(folder), &mut files);
        }
        files.retain(|path| scene::is_scene(path) == scenes);
        files
    }
}

/// Refuses a new name that another element of the same kind has.
fn refuse_taken(scene: &Scene, names: &BTreeSet<Name>, new: &str) -> Result<(), Refusal> {
    for (symbol, old) in names {
        if old != new && names::declared(scene, *symbol).contains_key(new) {
            return Err(refused(format!("the name `{new}` is taken")));
        }
    }
    Ok(())
}

/// Returns the edit that renames an element of one simulation file.
fn local_edit(locations: Vec<Location>, new: &str) -> Result<WorkspaceEdit, Refusal> {
    if new.is_empty() || new.contains(['"', '\\', '\n', '.']) {
        return Err(refused(
            "a name is not empty, and has no quotes, backslashes, line breaks or dots",
        ));
    }
    let new_text = format!("\"{new}\"");
    let uri = locations.first().map(|location| location.uri.clone());
    let edits = locations.into_iter().map(|location| TextEdit {
        range: location.range,
        new_text: new_text.clone(),
    });
    let edits: Vec<TextEdit> = edits.collect();
    Ok(workspace_edit(
        uri.into_iter().map(|uri| (uri, edits.clone())),
    ))
}

fn workspace_edit(edits: impl Iterator<Item = (Uri, Vec<TextEdit>)>) -> WorkspaceEdit {
    #[expect(clippy::mutable_key_type, reason = "the protocol's type")]
    let changes: HashMap<_, _> = edits.collect();
    WorkspaceEdit::new(changes)
}

/// Adds the scene and simulation files below a directory.
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
        let extension = path.extension().unwrap_or_default();
        if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name.as_ref()) {
            walk(&path, files);
        } else if kind.is_file() && (extension == "robray" || extension == "ron") {
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
    let range = text::range(source.text(), span.range());
    Ok((path, TextEdit { range, new_text }))
}
