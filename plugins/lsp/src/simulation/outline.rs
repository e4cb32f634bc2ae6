//! Document symbols and folding ranges of simulation files.

use lsp_types::{DocumentSymbol, FoldingRange, SymbolKind};
use morse_simulation_file::{Outline, outline};

use crate::documents::Document;

/// Returns the fields that have fields or entries themselves, and all entries.
pub(crate) fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let items = outline(&document.text);
    items
        .into_iter()
        .filter_map(|item| symbol(item, document))
        .collect()
}

fn symbol(item: Outline, document: &Document) -> Option<DocumentSymbol> {
    if item.children.is_empty() && !item.is_entry {
        return None;
    }
    let children = item.children.into_iter();
    let children: Vec<DocumentSymbol> = children
        .filter_map(|child| symbol(child, document))
        .collect();
    #[expect(deprecated, reason = "a field of the protocol's type that must be set")]
    Some(DocumentSymbol {
        // Clients refuse empty names.
        name: if item.name.trim().is_empty() {
            "?".to_owned()
        } else {
            item.name
        },
        detail: None,
        kind: if item.is_entry {
            SymbolKind::OBJECT
        } else {
            SymbolKind::PROPERTY
        },
        tags: None,
        deprecated: None,
        range: document.lines.range(&document.text, item.whole.range()),
        selection_range: document.lines.range(&document.text, item.selection.range()),
        children: (!children.is_empty()).then_some(children),
    })
}

/// Returns the values that extend over several lines.
pub(crate) fn folds(document: &Document) -> Vec<FoldingRange> {
    let mut folds = Vec::new();
    for item in outline(&document.text) {
        add_folds(&item, document, &mut folds);
    }
    folds
}

fn add_folds(item: &Outline, document: &Document, folds: &mut Vec<FoldingRange>) {
    folds.extend(document.fold(item.whole.range()));
    for child in &item.children {
        add_folds(child, document, folds);
    }
}
