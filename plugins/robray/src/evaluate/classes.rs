//! Classes: resolved once, where they are defined, to the attributes and tags that they contain or inherit.

use std::collections::BTreeSet;

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::model::{Class, Origin};

use super::blocks::{Attributes, BlockKind};
use super::{Loader, OwnedName};
use crate::codes;
use crate::index::Symbol;
use crate::syntax::Block;

/// Maximum number of direct and indirect base classes of a block.
const MOST_TAGS: usize = 256;

/// A class with all attributes and tags that it contains or inherits.
#[derive(Clone, Debug)]
pub(super) struct Flat {
    attributes: Attributes,
    /// Names of the class and of all direct and indirect base classes.
    tags: BTreeSet<String>,
    pub(super) span: Span,
}

impl Loader<'_> {
    pub(super) fn class(&mut self, block: &Block<'_>) {
        let (own, isa) = self.attributes(block, BlockKind::Class);
        let Some(name) = block.name.filter(|name| !name.text.is_empty()) else {
            return;
        };
        self.index.declare(Symbol::Class, name.text, name.span);
        if let Some(known) = self.classes.get(name.text) {
            let message = format!("a second class `{}`", name.shown());
            let diagnostic = Diagnostic::error(codes::DUPLICATE_CLASS, message)
                .at(name.span, "this name is taken")
                .at(known.span, "the class of this name")
                .help("rename one of them, or remove it");
            self.problems.push(diagnostic);
            return;
        }
        let mut class = Class::new(name.text);
        class.isa = isa.iter().map(|word| word.text.clone()).collect();
        class.source = Origin(Some(block.head));
        class.attributes = own
            .iter()
            .filter_map(|(name, set)| Some((name.to_owned(), set.value.clone()?)))
            .collect();
        let mut attributes = own;
        let Some(mut tags) = self.inherit(&mut attributes, &isa, Order::LastFirst) else {
            return;
        };
        tags.insert(name.text.to_owned());
        if !self.count(1 + tags.len(), name.span) {
            return;
        }
        // Cannot fail: the name is new, and every value has been checked.
        let added = self.scene.add_class(class);
        debug_assert!(added.is_ok(), "{added:?}");
        let flat = Flat {
            attributes,
            tags,
            span: name.span,
        };
        self.classes.insert(name.text.to_owned(), flat);
    }

    /// Adds inherited attributes that the block does not set, and returns the names of all base classes, or `None` if there
    /// are too many.
    pub(super) fn inherit(
        &mut self,
        attributes: &mut Attributes,
        isa: &[OwnedName],
        order: Order,
    ) -> Option<BTreeSet<String>> {
        let mut tags = BTreeSet::new();
        let count = isa.len();
        for turn in 0..count {
            let index = match order {
                Order::FirstFirst => turn,
                Order::LastFirst => count - 1 - turn,
            };
            let Some(word) = isa.get(index) else {
                continue;
            };
            tags.insert(word.text.clone());
            match self.classes.get(&word.text) {
                Some(class) => {
                    tags.extend(class.tags.iter().cloned());
                    attributes.inherit(&class.attributes);
                }
                // Further ones would not be reported.
                None if self.missing_classes.len() < 1_000 => {
                    self.missing_classes.push(word.clone());
                }
                None => {}
            }
            if tags.len() > MOST_TAGS {
                let message = format!("this inherits from more than {MOST_TAGS} classes");
                let diagnostic = Diagnostic::error(codes::TOO_DEEP, message)
                    .at(word.span, "exceeds the limit")
                    .help("inherit from fewer classes");
                self.problems.push(diagnostic);
                return None;
            }
        }
        Some(tags)
    }
}

/// Precedence of base classes: in geometry and classes the last `isa` wins, in frames the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Order {
    FirstFirst,
    LastFirst,
}
