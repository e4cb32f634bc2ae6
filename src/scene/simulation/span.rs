//! Where a value was written: in the simulation file, or in one of the `--set` arguments.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Deref, Range};

/// A range of bytes of one of the texts that a simulation was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The text: 0 is the simulation file, n the n-th `--set` argument, counted from 1.
    pub source: u32,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes, for slicing the text.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// From the start of this span to the end of the other one, which lies in the same text.
    pub fn to(self, last: Self) -> Self {
        Self {
            end: last.end.max(self.end),
            ..self
        }
    }
}

/// A value and the place where it was written.
///
/// Comparisons look at the value alone, so that a map with spanned keys is searched by plain text.
#[derive(Clone, Copy, Default)]
pub struct Spanned<T> {
    /// What was written.
    pub value: T,
    /// Where it was written.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// A value with its place.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    /// The same place, another value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned::new(f(self.value), self.span)
    }
}

/// A value that nobody wrote, such as a default or one made by a program.
impl<T> From<T> for Spanned<T> {
    fn from(value: T) -> Self {
        Self::new(value, Span::default())
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Spanned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Spanned<T> {}

impl<T: Ord> PartialOrd for Spanned<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> Ord for Spanned<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.cmp(&other.value)
    }
}

impl Borrow<str> for Spanned<String> {
    fn borrow(&self) -> &str {
        &self.value
    }
}
