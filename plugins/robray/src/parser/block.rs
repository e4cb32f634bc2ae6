//! Parser of frames, classes and geometry: attributes, and nested blocks.

use morse_diagnostics::{Diagnostic, indent};

use super::{DEEPEST, MOST_MEMBERS, Mistake, Parsed, Parser, Unended};
use crate::codes;
use crate::lexer::{Kind, Token};
use crate::syntax::{Attribute, Block, Expression, Inner, Word, Written};

/// Maximum number of elements of an array; no attribute takes more.
const MOST_ELEMENTS: usize = 16;

impl<'a> Parser<'a, '_> {
    /// Parses a block from its `{`; `depth` is 1 at the top level.
    pub(super) fn block(
        &mut self,
        keyword: Token,
        name: Option<Word<'a>>,
        depth: usize,
    ) -> Parsed<Block<'a>> {
        let head = self.span_from(keyword.start);
        let open = self.token;
        if open.kind != Kind::OpenBrace {
            return Err(
                self.unexpected("`{`", "a frame, geometry or class has its parts in braces")
            );
        }
        if depth > DEEPEST {
            self.too_deep(open, "blocks");
            self.skip_block();
            return Err(Mistake);
        }
        self.advance();
        let mut block = Block {
            name,
            head,
            attributes: Vec::new(),
            end: 0,
            blocks: Vec::new(),
        };
        loop {
            match self.token.kind {
                Kind::CloseBrace => {
                    self.compare_indents(keyword, open);
                    self.advance();
                    block.end = self.previous_end;
                    return Ok(block);
                }
                Kind::End => {
                    self.unclosed_block(open, head);
                    block.end = self.previous_end;
                    return Ok(block);
                }
                _ if self.problems.is_full() => return Err(Mistake),
                _ => self.member(&mut block, keyword.kind, depth),
            }
        }
    }

    /// Parses one attribute or inner block.
    fn member(&mut self, block: &mut Block<'a>, within: Kind, depth: usize) {
        self.members += 1;
        if self.members > MOST_MEMBERS {
            self.too_many_members(block.head);
            return;
        }
        let token = self.token;
        let parsed = match token.kind {
            Kind::Identifier => self
                .attribute()
                .map(|attribute| block.attributes.push(attribute)),
            Kind::Frame | Kind::Geometry if within == Kind::Frame => {
                self.inner(depth).map(|inner| block.blocks.push(inner))
            }
            _ => {
                self.not_a_member(within);
                return;
            }
        };
        if parsed.is_err() {
            self.recover();
        }
    }

    fn inner(&mut self, depth: usize) -> Parsed<Inner<'a>> {
        let keyword = self.token;
        self.advance();
        if keyword.kind == Kind::Frame {
            let name = self.name(keyword)?;
            self.block(keyword, Some(name), depth + 1).map(Inner::Frame)
        } else {
            self.block(keyword, None, depth + 1).map(Inner::Geometry)
        }
    }

    fn attribute(&mut self) -> Parsed<Attribute<'a>> {
        let name = self.word(self.token);
        self.advance();
        let value = match self.token.kind {
            Kind::Semicolon | Kind::CloseBrace | Kind::End => {
                let diagnostic = Diagnostic::error(
                    codes::MISSING_VALUE,
                    format!("`{}` has no value", name.shown()),
                )
                .at(name.span, "a value must follow")
                .help("an attribute is a name, one value and a semicolon");
                self.problems.push(diagnostic);
                if self.token.kind == Kind::Semicolon {
                    self.advance();
                }
                let value = Written::Wrong;
                return Ok(Attribute { name, value });
            }
            Kind::String => {
                let word = self.word(self.token);
                self.advance();
                Written::Text(word)
            }
            _ => match self.computed() {
                Ok(value) => value,
                Err(Mistake) => {
                    self.recover();
                    // Keeps the attribute in spite of the error, to prevent an error about a missing attribute.
                    let value = Written::Wrong;
                    return Ok(Attribute { name, value });
                }
            },
        };
        let end = value.span().unwrap_or(name.span);
        let value = match self.end_of_statement(name.span.to(end)) {
            Ok(()) => value,
            Err(unended) => {
                self.after_missing_semicolon();
                match unended {
                    Unended::Missing => value,
                    Unended::Mistaken => Written::Wrong,
                }
            }
        };
        Ok(Attribute { name, value })
    }

    fn computed(&mut self) -> Parsed<Written<'a>> {
        match self.token.kind {
            Kind::OpenBracket => self.array(),
            _ => self.expression().map(Written::Expression),
        }
    }

    /// Records a block whose closing brace is indented less than the block's beginning: the brace probably belongs to
    /// another block.
    fn compare_indents(&mut self, keyword: Token, open: Token) {
        if let (Some(begun), Some(closed)) = (
            indent(self.text, keyword.start),
            indent(self.text, self.token.start),
        ) && closed < begun
            && self.missed.is_none()
        {
            self.missed = Some((open, self.token));
        }
    }

    /// Continues with the next attribute if only the `;` is missing; otherwise recovers.
    fn after_missing_semicolon(&mut self) {
        let between = self.text.get(self.previous_end..self.token.start);
        let next_line = between.is_some_and(|text| text.contains('\n'));
        let starts_attribute = self.token.kind == Kind::Identifier && next_line;
        if !starts_attribute {
            self.recover();
        }
    }

    /// Parses an array. Empty elements, as in `[1,,2,]`, are ignored.
    fn array(&mut self) -> Parsed<Written<'a>> {
        let open = self.token;
        self.advance();
        let mut elements: Vec<Expression<'a>> = Vec::new();
        let mut commas = 0;
        loop {
            if elements.len() > MOST_ELEMENTS || commas > MOST_ELEMENTS {
                return Err(self.array_too_long(open));
            }
            match self.token.kind {
                Kind::CloseBracket => {
                    self.advance();
                    let span = self.span_from(open.start);
                    return Ok(Written::Array(span, elements));
                }
                Kind::Comma => {
                    commas += 1;
                    self.advance();
                    continue;
                }
                Kind::String | Kind::OpenBracket => {
                    return Err(self.unexpected(
                        "a number",
                        "an array holds numbers only, not strings or arrays",
                    ));
                }
                _ => {}
            }
            let element = self.expression()?;
            elements.push(element);
            if !matches!(self.token.kind, Kind::Comma | Kind::CloseBracket) {
                return Err(self.unclosed_array(open));
            }
        }
    }
}
