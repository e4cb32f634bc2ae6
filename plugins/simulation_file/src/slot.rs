//! Syntactic context of a position, for completion in half-typed texts: it depends on the tokens before the position only.

use std::ops::Range;

use morse_diagnostics::Sources;

use super::lexer::{Lexer, Token};

/// Syntax that can be written at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Name of a field, in `( )`.
    Field,
    /// Name of an entry, in `{ }`.
    Key,
    /// A value.
    Value,
    /// A comma or a colon; also in comments.
    Nothing,
}

/// Context of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Syntax that can be written.
    pub expected: Expected,
    /// Range of the word before and at the position, without quotes; a completion replaces it.
    pub word: Range<usize>,
    /// True if the word is within quotes.
    pub quoted: bool,
    /// Names of the enclosing values, outermost first: fields, entries, and empty names in lists.
    pub path: Vec<String>,
    /// Name of the field or entry whose value the position belongs to.
    pub field: Option<String>,
    /// Brackets that close the enclosing values, innermost first.
    pub closers: String,
}

/// Returns the context of a byte offset.
#[must_use]
pub fn slot(text: &str, offset: usize) -> Slot {
    let mut sources = Sources::default();
    let source = sources.add("", "");
    let mut scan = Scan::default();
    let mut lexer = Lexer::new(
        text,
        source,
        if text.starts_with('\u{FEFF}') { 3 } else { 0 },
    );
    loop {
        let (token, span) = lexer.next_token();
        let range = span.range();
        // A word that ends at the offset is still being typed.
        let is_before = range.end < offset
            || (range.end == offset && !matches!(token, Token::Word | Token::Number));
        if token == Token::End || !is_before || matches!(token, Token::Unclosed(_)) {
            return scan.slot(text, offset, token, &range);
        }
        scan.read(text, token, &range);
    }
}

/// State after the tokens so far.
#[derive(Default)]
struct Scan {
    /// Open brackets, with the names of the values that they begin.
    open: Vec<(char, String)>,
    /// Word or text before a colon, or before a bracket.
    name: Option<String>,
    /// Name before the last colon, until its value is complete.
    field: Option<String>,
    last: Option<Token>,
    /// End of the last token.
    end: usize,
}

impl Scan {
    fn read(&mut self, text: &str, token: Token, range: &Range<usize>) {
        let written = text.get(range.clone()).unwrap_or_default();
        match token {
            Token::Open(bracket) => {
                let name = self.field.take().or(self.name.take());
                self.open.push((bracket, name.unwrap_or_default()));
            }
            Token::Close(_) => {
                self.open.pop();
                self.field = None;
            }
            Token::Comma => self.field = None,
            Token::Colon => self.field = self.name.take(),
            Token::Word | Token::Text => {
                self.name = Some(written.trim_matches('"').to_owned());
            }
            _ => {}
        }
        self.last = Some(token);
        self.end = range.end;
    }

    fn slot(self, text: &str, offset: usize, token: Token, range: &Range<usize>) -> Slot {
        let covers = range.start < offset && offset <= range.end;
        let is_text = matches!(token, Token::Text | Token::Unclosed("\"")) && range.start < offset;
        let word = match token {
            Token::Word | Token::Number if covers => range.clone(),
            Token::Text if covers => range.start + 1..range.end - 1,
            Token::Unclosed("\"") if is_text => {
                let rest = text.get(offset..).unwrap_or_default();
                let length = rest.find(['\n', '"', ',']).unwrap_or(rest.len());
                range.start + 1..offset + length
            }
            _ => offset..offset,
        };
        let in_comment = is_in_comment(text, offset, self.end);
        let expected = match in_comment || (covers && matches!(token, Token::Character)) {
            true => Expected::Nothing,
            false => self.expected(),
        };
        let closer = |(bracket, _): &(char, String)| match bracket {
            '(' => ')',
            '[' => ']',
            _ => '}',
        };
        Slot {
            expected,
            word,
            quoted: is_text,
            closers: self.open.iter().rev().map(closer).collect(),
            path: self.open.into_iter().map(|(_, name)| name).collect(),
            field: self.field,
        }
    }

    fn expected(&self) -> Expected {
        let bracket = self.open.last().map(|(bracket, _)| *bracket);
        match (self.last, bracket) {
            (Some(Token::Open(_) | Token::Comma), Some('(')) => Expected::Field,
            (Some(Token::Open(_) | Token::Comma), Some('{')) => Expected::Key,
            (Some(Token::Colon | Token::Open(_) | Token::Comma), _) | (None, None) => {
                Expected::Value
            }
            _ => Expected::Nothing,
        }
    }
}

/// Returns true if an offset is within a comment that begins after `from`.
fn is_in_comment(text: &str, offset: usize, from: usize) -> bool {
    let gap = text.get(from..offset).unwrap_or_default();
    let line = gap.rsplit('\n').next().unwrap_or_default();
    let block = gap
        .rfind("/*")
        .is_some_and(|start| gap.get(start..).is_some_and(|rest| !rest.contains("*/")));
    line.contains("//") || block
}

#[cfg(test)]
mod tests {
    use super::{Expected, slot};

    /// Returns the context at `|`: syntax, word, path and field.
    fn at(text: &str) -> (Expected, String, String, Option<String>) {
        let offset = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let slot = slot(&text, offset);
        let word = text[slot.word].to_owned();
        (slot.expected, word, slot.path.join("/"), slot.field)
    }

    #[test]
    fn names_and_values_are_told_apart() {
        let root = "Simulation(environment: (ra|";
        assert_eq!(
            at(root),
            (
                Expected::Field,
                "ra".into(),
                "Simulation/environment".into(),
                None
            )
        );
        let value = at("Simulation(robots: { \"a\": (sensors: { \"b\": (kind: |");
        assert_eq!(
            (value.0, value.3.as_deref()),
            (Expected::Value, Some("kind"))
        );
        assert_eq!(value.2, "Simulation/robots/a/sensors/b");
        assert_eq!(
            at("Simulation(bodies: { \"ta|ble\": () })").0,
            Expected::Key
        );
        assert_eq!(at("Simulation(bodies: { \"ta|ble\": () })").1, "table");
        assert_eq!(at("S(a: (services: [\"so|").0, Expected::Value);
        assert_eq!(at("S(a: (services: [\"so|").2, "S/a/services");
        assert_eq!(at("S(a: 1 |").0, Expected::Nothing);
        assert_eq!(at("S(a: 1, |").0, Expected::Field);
        assert_eq!(at("S(a: (b: 1), c: |, d: 2)").3.as_deref(), Some("c"));
    }

    #[test]
    fn comments_expect_nothing() {
        assert_eq!(at("S(// a|").0, Expected::Nothing);
        assert_eq!(at("S(/* a| */").0, Expected::Nothing);
        assert_eq!(at("S( /* a */ |").0, Expected::Field);
    }

    #[test]
    fn every_position_of_a_broken_text_has_a_context() {
        let text = "S)(é: [\"𝄞, { ' : / \"\" )) x(1e, /* ( */ a:b";
        for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
            let slot = slot(text, offset);
            assert!(slot.word.start <= slot.word.end, "{offset}: {slot:?}");
        }
    }
}
