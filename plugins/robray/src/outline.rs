//! Outline of a text for editors: its statements and blocks, without evaluation.

use std::ops::Range;

use morse_diagnostics::Sources;

use super::parser::Parser;
use super::problems::Problems;
use super::syntax::{Block, Inner, Statement, Word};

/// Kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// `frame name { … }`
    Frame,
    /// `geometry { … }`
    Geometry,
    /// `class name { … }`
    Class,
    /// `def name value;`
    Definition,
    /// `include "path"`
    Include,
}

/// A statement or block, as byte ranges of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Kind of the item.
    pub item: Item,
    /// Name, or path of an include; the shape of a geometry.
    pub name: String,
    /// The name in the text.
    pub selection: Range<usize>,
    /// The whole item.
    pub whole: Range<usize>,
    /// Nested frames and geometry.
    pub children: Vec<Self>,
}

/// Returns the outline of a text. Statements with syntax errors are left out.
#[must_use]
pub fn outline(text: &str) -> Vec<Outline> {
    let mut sources = Sources::default();
    let source = sources.add("", "");
    let mut problems = Problems::new(false);
    let mut parser = Parser::new(text, source, &mut problems);
    let mut items = Vec::new();
    while let Some(statement) = parser.next_statement() {
        items.extend(item(&statement));
    }
    items
}

fn item(statement: &Statement<'_>) -> Option<Outline> {
    match statement {
        Statement::Include(path) => Some(leaf(Item::Include, path, path.span.range().end)),
        Statement::Def(name, value) => Some(leaf(Item::Definition, name, value.span.range().end)),
        Statement::WrongDef(name) => Some(leaf(Item::Definition, name, name.span.range().end)),
        Statement::Class(block) => Some(of_block(Item::Class, block)),
        Statement::Frame(block) => Some(of_block(Item::Frame, block)),
        Statement::AllowCollision(..) | Statement::Closure(..) => None,
    }
}

fn leaf(item: Item, name: &Word<'_>, end: usize) -> Outline {
    Outline {
        item,
        name: name.text.to_owned(),
        selection: name.span.range(),
        whole: name.span.range().start..end,
        children: Vec::new(),
    }
}

fn of_block(item: Item, block: &Block<'_>) -> Outline {
    let head = block.head.range();
    let children = block.blocks.iter().map(|inner| match inner {
        Inner::Frame(block) => of_block(Item::Frame, block),
        Inner::Geometry(block) => of_block(Item::Geometry, block),
    });
    let (name, selection) = match &block.name {
        Some(name) => (name.text.to_owned(), name.span.range()),
        None => (shape(block).unwrap_or("geometry").to_owned(), head.clone()),
    };
    Outline {
        item,
        name,
        selection,
        whole: head.start..block.end.max(head.end),
        children: children.collect(),
    }
}

/// Returns the shape that a geometry sets itself, or the class from which it inherits.
fn shape<'a>(block: &Block<'a>) -> Option<&'a str> {
    let value = |name: &str| {
        let attribute = block
            .attributes
            .iter()
            .find(|attribute| attribute.name.text == name)?;
        attribute.value.word().map(|word| word.text)
    };
    value("shape")
        .or_else(|| value("isa"))
        .or_else(|| value("mesh"))
}

#[cfg(test)]
mod tests {
    use super::{Item, outline};

    #[test]
    fn blocks_are_nested() {
        let text = "def a 1;\nframe b {\n  frame c { geometry { shape sphere; radius a; } }\n}\n";
        let items = outline(text);
        assert_eq!(items.len(), 2);
        assert_eq!(
            (items[0].item, items[0].name.as_str()),
            (Item::Definition, "a")
        );
        let frame = &items[1];
        assert_eq!(&text[frame.whole.clone()], text[9..].trim_end());
        assert_eq!(&text[frame.selection.clone()], "b");
        let inner = &frame.children[0];
        assert_eq!((inner.item, inner.name.as_str()), (Item::Frame, "c"));
        assert_eq!(
            (inner.children[0].item, inner.children[0].name.as_str()),
            (Item::Geometry, "sphere")
        );
    }

    #[test]
    fn other_statements_survive_a_mistake() {
        let items =
            outline("frame a { frame { } }\nclass b { color [1,; }\nframe c { }\nframe d {");
        let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
    }
}
