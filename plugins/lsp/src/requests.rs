//! Requests of the client, and their answers.

use std::path::{Path, PathBuf};

use lsp_server::ErrorCode;
use lsp_types::request::{
    CodeActionRequest, Completion, DocumentSymbolRequest, FoldingRangeRequest, Formatting,
    GotoDefinition, HoverRequest, PrepareRenameRequest, References, Rename, Request,
};
use lsp_types::{
    CodeActionParams, CodeActionResponse, CompletionItem, CompletionParams, CompletionResponse,
    CompletionTextEdit, DocumentFormattingParams, DocumentSymbolParams, DocumentSymbolResponse,
    FoldingRange, FoldingRangeParams, GotoDefinitionParams, GotoDefinitionResponse, Hover,
    HoverParams, Location, Range, TextDocumentPositionParams, TextEdit, Uri,
};
use morse_robray::context;
use morse_simulation_file::slot::slot;
use serde_json::{Value as Json, to_value};

use crate::actions;
use crate::documents::Document;
use crate::scene::{self, Site};
use crate::server::{Answer, Refusal, Server};
use crate::simulation;

impl Server<'_> {
    /// Calls the function that answers a request.
    pub(crate) fn route(&mut self, method: &str, params: Json) -> Answer {
        match method {
            HoverRequest::METHOD => answered::<HoverRequest>(params, |params| self.hover(params)),
            GotoDefinition::METHOD => {
                answered::<GotoDefinition>(params, |params| self.definition(params))
            }
            References::METHOD => answered::<References>(params, |params| self.references(params)),
            PrepareRenameRequest::METHOD => {
                answered::<PrepareRenameRequest>(params, |params| self.prepare_rename(params))
            }
            Rename::METHOD => answered::<Rename>(params, |params| self.rename(params)),
            Completion::METHOD => answered::<Completion>(params, |params| self.completion(params)),
            DocumentSymbolRequest::METHOD => {
                answered::<DocumentSymbolRequest>(params, |params| self.symbols(params))
            }
            FoldingRangeRequest::METHOD => {
                answered::<FoldingRangeRequest>(params, |params| self.folds(params))
            }
            Formatting::METHOD => answered::<Formatting>(params, |params| self.formatted(params)),
            CodeActionRequest::METHOD => {
                answered::<CodeActionRequest>(params, |params| self.actions(params))
            }
            _ => Err(Refusal {
                code: ErrorCode::MethodNotFound,
                message: format!("`{method}` is not supported"),
            }),
        }
    }

    pub(crate) fn document(&self, uri: &Uri) -> Result<(PathBuf, Document), Refusal> {
        let entry = self.documents.find(uri);
        let entry = entry.map(|(path, document)| (path.to_owned(), document.clone()));
        entry.ok_or_else(|| refused(format!("`{}` is not open", uri.as_str())))
    }

    /// Returns the position in the scene to which the document belongs; `None` in other files.
    pub(crate) fn site(
        &mut self,
        at: &TextDocumentPositionParams,
    ) -> Result<Option<Site>, Refusal> {
        let (path, document) = self.document(&at.text_document.uri)?;
        if !scene::is_scene(&path) {
            return Ok(None);
        }
        let offset = document.lines.offset(&document.text, at.position);
        Ok(self
            .scenes
            .site(self.program, &path, offset, &self.documents))
    }

    /// Returns a position in a simulation file.
    pub(crate) fn simulation<'d>(
        &'d mut self,
        at: &TextDocumentPositionParams,
        path: &'d Path,
        document: &'d Document,
    ) -> simulation::Site<'d> {
        let offset = document.lines.offset(&document.text, at.position);
        let world = self.worlds.of(self.program, path, &self.documents);
        let file = (path, document);
        simulation::Site::new(self.program, &self.documents, file, offset, world)
    }

    fn hover(&mut self, params: HoverParams) -> Result<Option<Hover>, Refusal> {
        let at = params.text_document_position_params;
        let (path, document) = self.document(&at.text_document.uri)?;
        let Some(site) = self.site(&at)? else {
            let site = self.simulation(&at, &path, &document);
            return Ok(simulation::hover::hover(&site));
        };
        Ok(
            scene::hover::hover(&site, self.program).map(|(hover, span)| Hover {
                range: Some(document.lines.range(&document.text, span.range())),
                ..hover
            }),
        )
    }

    fn definition(
        &mut self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>, Refusal> {
        let at = params.text_document_position_params;
        let (path, document) = self.document(&at.text_document.uri)?;
        let Some(site) = self.site(&at)? else {
            let site = self.simulation(&at, &path, &document);
            return Ok(Some(GotoDefinitionResponse::Array(site.definitions())));
        };
        if let Some(link) = site.link() {
            return Ok(self.file(&link.path).map(GotoDefinitionResponse::Scalar));
        }
        let spans = scene::names::definition(&site).into_iter();
        let locations =
            spans.filter_map(|span| site.scene.location(span, &self.documents, self.program));
        Ok(Some(GotoDefinitionResponse::Array(locations.collect())))
    }

    /// Returns the start of a file; for an embedded one, of its copy on the disk.
    fn file(&self, path: &Path) -> Option<Location> {
        let copy = self.program.copy_of_embedded(path);
        let path = copy.unwrap_or_else(|| morse_diagnostics::real_path(path));
        let uri = self.documents.uri(&path)?;
        let range = Range::default();
        Some(Location { uri, range })
    }

    fn completion(
        &mut self,
        params: CompletionParams,
    ) -> Result<Option<CompletionResponse>, Refusal> {
        let at = params.text_document_position;
        let (path, document) = self.document(&at.text_document.uri)?;
        let offset = document.lines.offset(&document.text, at.position);
        if !scene::is_scene(&path) {
            let slot = slot(&document.text, offset);
            let items =
                simulation::completion::items(&self.simulation(&at, &path, &document), &slot);
            let range = document.lines.range(&document.text, slot.word);
            let items = items.into_iter().map(|item| replacing(range, item));
            return Ok(Some(CompletionResponse::Array(items.collect())));
        }
        let context = context(&document.text, offset);
        let scene = self.scenes.of(self.program, &path, &self.documents);
        let completion = scene::completion::Completion {
            program: self.program,
            scene: &scene,
            directory: path.parent().unwrap_or(Path::new("")),
            context: &context,
        };
        let range = document.lines.range(&document.text, context.word.clone());
        let items = completion
            .items()
            .into_iter()
            .map(|item| replacing(range, item));
        Ok(Some(CompletionResponse::Array(items.collect())))
    }

    fn symbols(
        &self,
        params: DocumentSymbolParams,
    ) -> Result<Option<DocumentSymbolResponse>, Refusal> {
        let (path, document) = self.document(&params.text_document.uri)?;
        let symbols = match scene::is_scene(&path) {
            true => scene::outline::symbols(&document),
            false => simulation::outline::symbols(&document),
        };
        Ok(Some(DocumentSymbolResponse::Nested(symbols)))
    }

    fn folds(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>, Refusal> {
        let (path, document) = self.document(&params.text_document.uri)?;
        Ok(Some(match scene::is_scene(&path) {
            true => scene::outline::folds(&document),
            false => simulation::outline::folds(&document),
        }))
    }

    /// Formats a document. A text with syntax errors stays as it is.
    fn formatted(
        &self,
        params: DocumentFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>, Refusal> {
        let (path, document) = self.document(&params.text_document.uri)?;
        let formatted = match scene::is_scene(&path) {
            true => morse_robray::format(&document.text, &path),
            false => morse_simulation_file::format(&document.text, &path),
        };
        let Ok(formatted) = formatted else {
            return Ok(None);
        };
        Ok(Some(edits(&document, &formatted)))
    }

    fn actions(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>, Refusal> {
        let (_, document) = self.document(&params.text_document.uri)?;
        Ok(Some(actions::corrections(&document, &params)))
    }
}

/// Returns the edit that turns a document into another text: everything between the first and the last difference.
fn edits(document: &Document, text: &str) -> Vec<TextEdit> {
    let old: &str = &document.text;
    if old == text {
        return Vec::new();
    }
    let same = |(one, other): &(char, char)| one == other;
    let start: usize = old
        .chars()
        .zip(text.chars())
        .take_while(same)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    let (old_rest, new_rest) = (
        old.get(start..).unwrap_or_default(),
        text.get(start..).unwrap_or_default(),
    );
    let tails = old_rest.chars().rev().zip(new_rest.chars().rev());
    let end: usize = tails
        .take_while(same)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    let range = document.lines.range(old, start..old.len() - end);
    let new_text = new_rest
        .get(..new_rest.len() - end)
        .unwrap_or_default()
        .to_owned();
    vec![TextEdit { range, new_text }]
}

/// Lets an item replace a range of the text.
fn replacing(range: Range, mut item: CompletionItem) -> CompletionItem {
    let new_text = item
        .insert_text
        .take()
        .unwrap_or_else(|| item.label.clone());
    item.text_edit = Some(CompletionTextEdit::Edit(TextEdit { range, new_text }));
    item
}

/// Parses the parameters of a request and converts its result.
fn answered<R: Request>(
    params: Json,
    answer: impl FnOnce(R::Params) -> Result<R::Result, Refusal>,
) -> Answer {
    let params = serde_json::from_value(params).map_err(|error| Refusal {
        code: ErrorCode::InvalidParams,
        message: error.to_string(),
    })?;
    let result = answer(params)?;
    to_value(result).map_err(|error| Refusal {
        code: ErrorCode::InternalError,
        message: error.to_string(),
    })
}

/// Returns the refusal of a request that cannot be fulfilled.
pub(crate) fn refused(message: impl Into<String>) -> Refusal {
    Refusal {
        code: ErrorCode::RequestFailed,
        message: message.into(),
    }
}
