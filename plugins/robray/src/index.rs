//! Index of a load for editors: where names are declared and used, and which values expressions and attributes have.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use morse_diagnostics::{Diagnostic, Sources, Span};
use morse_scene::model::{Attribute, Scene, Value};

use super::syntax::Word;

/// Result of reading a scene for an editor. After errors it contains what could be read.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Scene of the file and all files that it includes.
    pub scene: Scene,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// True if there is an error.
    pub failed: bool,
    /// Source files.
    pub sources: Sources,
    /// Positions of names and values.
    pub index: Index,
}

/// Kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// A frame.
    Frame,
    /// A class.
    Class,
    /// A definition (`def`).
    Definition,
    /// A configuration variable of a joint.
    Variable,
}

/// A declaration of a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declaration {
    /// Kind of the name.
    pub symbol: Symbol,
    /// The name.
    pub name: String,
    /// Span of the name.
    pub span: Span,
}

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// Kind of the name.
    pub symbol: Symbol,
    /// The name.
    pub name: String,
    /// Span of the use.
    pub span: Span,
    /// Span of the declaration; `None` if the name is not declared.
    pub target: Option<Span>,
}

/// An attribute in a block.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Rules of the attribute.
    pub attribute: &'static Attribute,
    /// Span of the attribute's name.
    pub name: Span,
    /// Span of the value.
    pub span: Span,
    /// Evaluated value; `None` if it is erroneous.
    pub value: Option<Value>,
}

/// A path in a file, and the file at this path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// Span of the path.
    pub span: Span,
    /// Path of the file, which need not exist.
    pub path: PathBuf,
}

/// Positions of the names, values and paths of a scene, in the order of the texts.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// Declarations. Where a name is declared several times, the first declaration counts for frames, classes and
    /// variables; a definition counts until the next one.
    pub declarations: Vec<Declaration>,
    /// Uses of names.
    pub references: Vec<Reference>,
    /// Attributes.
    pub settings: Vec<Setting>,
    /// Values of expressions.
    pub values: Vec<(Span, f64)>,
    /// Included files.
    pub links: Vec<Link>,
}

/// Recorder of an index. Without [`Recorder::recording`] it records nothing.
#[derive(Debug, Default)]
pub(super) struct Recorder(Option<Box<Index>>);

impl Recorder {
    pub(super) fn recording() -> Self {
        Self(Some(Box::default()))
    }

    pub(super) fn declare(&mut self, symbol: Symbol, name: &str, span: Span) {
        if let Some(index) = &mut self.0 {
            let name = name.to_owned();
            index.declarations.push(Declaration { symbol, name, span });
        }
    }

    /// Records a use of a name whose declaration may follow.
    pub(super) fn refer(&mut self, symbol: Symbol, name: &str, span: Span) {
        self.reference(symbol, name, span, None);
    }

    /// Records a use of a definition.
    pub(super) fn refer_to(&mut self, word: &Word<'_>, definition: Span) {
        self.reference(Symbol::Definition, word.text, word.span, Some(definition));
    }

    fn reference(&mut self, symbol: Symbol, name: &str, span: Span, target: Option<Span>) {
        if let Some(index) = &mut self.0 {
            index.references.push(Reference {
                symbol,
                name: name.to_owned(),
                span,
                target,
            });
        }
    }

    pub(super) fn set(
        &mut self,
        attribute: &'static Attribute,
        name: Span,
        span: Span,
        value: Option<&Value>,
    ) {
        if let Some(index) = &mut self.0 {
            index.settings.push(Setting {
                attribute,
                name,
                span,
                value: value.cloned(),
            });
        }
    }

    pub(super) fn value(&mut self, span: Span, value: f64) {
        if let Some(index) = &mut self.0 {
            index.values.push((span, value));
        }
    }

    pub(super) fn link(&mut self, span: Span, path: &Path) {
        if let Some(index) = &mut self.0 {
            let path = path.to_owned();
            index.links.push(Link { span, path });
        }
    }

    /// Returns the index, with the declarations of all names that are used.
    pub(super) fn finish(self) -> Index {
        let mut index = self.0.map(|index| *index).unwrap_or_default();
        let mut first: BTreeMap<(Symbol, &str), Span> = BTreeMap::new();
        for declaration in &index.declarations {
            let key = (declaration.symbol, declaration.name.as_str());
            first.entry(key).or_insert(declaration.span);
        }
        for reference in &mut index.references {
            let key = (reference.symbol, reference.name.as_str());
            reference.target = reference.target.or_else(|| first.get(&key).copied());
        }
        // A file that is included twice is evaluated twice.
        let mut known = std::collections::BTreeSet::new();
        index
            .declarations
            .retain(|declaration| known.insert(declaration.clone()));
        let mut known = std::collections::BTreeSet::new();
        index
            .references
            .retain(|reference| known.insert(reference.clone()));
        index.links.sort();
        index.links.dedup();
        index
    }
}
