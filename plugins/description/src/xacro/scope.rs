//! Scopes of macros, properties and blocks.

use std::{collections::BTreeMap, rc::Rc};

use morse_diagnostics::Span;

use super::{parameters::Parameter, value::Value};
use crate::xml::Content;

/// Maximum number of scopes.
pub(super) const MOST_SCOPES: usize = 100_000;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Vec<Content>,
    pub(super) span: Span,
}

/// Elements that `insert_block` inserts.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) content: Vec<Content>,
    /// True if the elements are already expanded.
    pub(super) is_done: bool,
}

/// A property.
#[derive(Clone, Debug)]
pub(super) enum Property {
    /// Text that is evaluated at the first use.
    Text(String),
    /// Text whose evaluation is in progress, for the detection of cycles.
    Busy,
    Value(Value),
}

/// Names that are defined in one macro call, in a namespace, or in the whole file.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) parent: Option<usize>,
    pub(super) properties: BTreeMap<String, Property>,
    pub(super) macros: BTreeMap<String, Rc<Macro>>,
    pub(super) blocks: BTreeMap<String, Rc<Block>>,
    /// Namespaces, as indices in the list of scopes.
    pub(super) spaces: BTreeMap<String, usize>,
}

/// All scopes; the first is the scope of the whole file.
#[derive(Debug)]
pub(super) struct Scopes(pub(super) Vec<Scope>);

impl Scopes {
    pub(super) fn get(&mut self, scope: usize) -> &mut Scope {
        let index = if scope < self.0.len() { scope } else { 0 };
        &mut self.0[index]
    }

    /// Adds a scope. Returns `None` if there are too many.
    pub(super) fn add(&mut self, parent: usize) -> Option<usize> {
        self.0.push(Scope {
            parent: Some(parent),
            ..Scope::default()
        });
        (self.0.len() < MOST_SCOPES).then_some(self.0.len() - 1)
    }

    /// Returns the innermost definition of a name, and the scope that contains it.
    pub(super) fn find<T>(
        &self,
        scope: usize,
        pick: impl Fn(&Scope) -> Option<T>,
    ) -> Option<(usize, T)> {
        let mut next = Some(scope);
        while let Some(scope) = next.and_then(|index| self.0.get(index)) {
            if let Some(definition) = pick(scope) {
                return next.map(|index| (index, definition));
            }
            next = scope.parent;
        }
        None
    }

    /// Returns the names of the visible properties, for suggestions.
    pub(super) fn names<T>(
        &self,
        scope: usize,
        table: impl Fn(&Scope) -> &BTreeMap<String, T>,
    ) -> Vec<String> {
        let mut names = Vec::new();
        let mut next = Some(scope);
        while let Some(scope) = next.and_then(|index| self.0.get(index)) {
            names.extend(table(scope).keys().cloned());
            next = scope.parent;
        }
        names
    }
}
