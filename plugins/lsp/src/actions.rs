//! Code actions: corrections that diagnostics propose.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse,
    Diagnostic, TextEdit, WorkspaceEdit,
};

use crate::documents::Document;

/// Returns the corrections of the diagnostics at a range.
pub(crate) fn corrections(document: &Document, params: &CodeActionParams) -> CodeActionResponse {
    let diagnostics = params.context.diagnostics.iter();
    diagnostics
        .filter_map(|diagnostic| correction(diagnostic, document))
        .collect()
}

fn correction(diagnostic: &Diagnostic, document: &Document) -> Option<CodeActionOrCommand> {
    let data = diagnostic.data.as_ref()?;
    let text = data.get("replacement")?.as_str()?;
    let bytes = document.lines.bytes(&document.text, diagnostic.range);
    let before = document.text.get(bytes)?;
    let is_quoted = before.starts_with('"') && !text.starts_with('"');
    let (title, new_text) = match before {
        "" => (format!("Insert `{text}`"), text.to_owned()),
        _ if is_quoted => (format!("Replace by `{text}`"), format!("\"{text}\"")),
        _ => (format!("Replace by `{text}`"), text.to_owned()),
    };
    let edit = TextEdit {
        range: diagnostic.range,
        new_text,
    };
    #[expect(clippy::mutable_key_type, reason = "the protocol's type")]
    let changes = HashMap::from([(document.uri.clone(), vec![edit])]);
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit: Some(WorkspaceEdit::new(changes)),
        is_preferred: Some(true),
        ..CodeAction::default()
    }))
}
