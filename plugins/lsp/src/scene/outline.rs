//! Document symbols and folding ranges.

use lsp_types::{DocumentSymbol, FoldingRange, SymbolKind};
use morse_robray::{Item, Outline, outline};

use crate::documents::Document;

/// Returns the symbols of a scene file.
pub(crate) fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let items = outline(&document.text);
    items
        .into_iter()
        .map(|item| symbol(item, document))
        .collect()
}

fn symbol(outline: Outline, document: &Document) -> DocumentSymbol {
    let (kind, detail) = match outline.item {
        Item::Frame => (SymbolKind::OBJECT, "frame"),
        Item::Geometry => (SymbolKind::FIELD, "geometry"),
        Item::Class => (SymbolKind::CLASS, "class"),
        Item::Definition => (SymbolKind::CONSTANT, "def"),
        Item::Include => (SymbolKind::FILE, "include"),
    };
    let children: Vec<DocumentSymbol> = outline
        .children
        .into_iter()
        .map(|child| symbol(child, document))
        .collect();
    #[expect(deprecated, reason = "a field of the protocol's type that must be set")]
    DocumentSymbol {
        // Clients refuse empty names.
        name: if outline.name.trim().is_empty() {
            detail.to_owned()
        } else {
            outline.name
        },
        detail: Some(detail.to_owned()),
        kind,
        tags: None,
        deprecated: None,
        range: document.lines.range(&document.text, outline.whole),
        selection_range: document.lines.range(&document.text, outline.selection),
        children: (!children.is_empty()).then_some(children),
    }
}

/// Returns the blocks of a scene file that extend over several lines.
pub(crate) fn folds(document: &Document) -> Vec<FoldingRange> {
    let mut folds = Vec::new();
    for item in outline(&document.text) {
        add_folds(&item, document, &mut folds);
    }
    folds
}

fn add_folds(outline: &Outline, document: &Document, folds: &mut Vec<FoldingRange>) {
    folds.extend(document.fold(outline.whole.clone()));
    for child in &outline.children {
        add_folds(child, document, folds);
    }
}
