//! Syntax tree of one statement. It borrows from the text, and its depth is limited.

use morse_diagnostics::Span;
use morse_scene::model::ClosureKind;

/// A name, with or without quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) quoted: bool,
    pub(super) span: Span,
}

/// A statement at the top level of a file.
#[derive(Debug)]
pub(super) enum Statement<'a> {
    Include(Word<'a>),
    Def(Word<'a>, Expression<'a>),
    /// A definition whose value is erroneous; the error has been reported.
    WrongDef(Word<'a>),
    Class(Block<'a>),
    Frame(Block<'a>),
    AllowCollision(Word<'a>, Word<'a>),
    /// A loop closure, from its keyword on, with its two frames.
    Closure(ClosureKind, Span, [Word<'a>; 2]),
}

/// A class, frame or geometry.
#[derive(Debug)]
pub(super) struct Block<'a> {
    /// Name; optional in a geometry.
    pub(super) name: Option<Word<'a>>,
    /// Span from the keyword to the name, for diagnostics about the whole block.
    pub(super) head: Span,
    pub(super) attributes: Vec<Attribute<'a>>,
    /// End of the block in the text.
    pub(super) end: usize,
    /// Nested frames and geometry, in the order of the text.
    pub(super) blocks: Vec<Inner<'a>>,
}

#[derive(Debug)]
pub(super) enum Inner<'a> {
    Frame(Block<'a>),
    Geometry(Block<'a>),
}

#[derive(Debug)]
pub(super) struct Attribute<'a> {
    pub(super) name: Word<'a>,
    pub(super) value: Written<'a>,
}

/// Value of an attribute before its evaluation.
#[derive(Debug)]
pub(super) enum Written<'a> {
    Text(Word<'a>),
    Array(Span, Vec<Expression<'a>>),
    Expression(Expression<'a>),
    /// Erroneous value; the error has been reported.
    Wrong,
}

/// An expression in postfix notation, so that a long chain of operators does not create a deep tree.
#[derive(Debug)]
pub(super) struct Expression<'a> {
    pub(super) span: Span,
    /// First step, which is a number or a name. Most expressions have no other one.
    pub(super) first: Step<'a>,
    /// Further steps.
    pub(super) rest: Vec<Step<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    pub(super) span: Span,
    pub(super) action: Action<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Action<'a> {
    Push(f64),
    Load(&'a str),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl<'a> Expression<'a> {
    /// Returns the name if the expression consists of nothing else.
    pub(super) fn name(&self) -> Option<Word<'a>> {
        match (self.first.action, self.rest.as_slice()) {
            (Action::Load(text), []) => Some(Word {
                text,
                quoted: false,
                span: self.first.span,
            }),
            _ => None,
        }
    }
}

impl<'a> Written<'a> {
    /// Returns the name or string that the value consists of.
    pub(super) fn word(&self) -> Option<Word<'a>> {
        match self {
            Self::Text(word) => Some(*word),
            Self::Expression(expression) => expression.name(),
            Self::Array(..) | Self::Wrong => None,
        }
    }

    pub(super) fn span(&self) -> Option<Span> {
        match self {
            Self::Text(word) => Some(word.span),
            Self::Array(span, _) => Some(*span),
            Self::Expression(expression) => Some(expression.span),
            Self::Wrong => None,
        }
    }
}
