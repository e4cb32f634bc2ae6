//! Lexer: splits text into tokens. Comments are tokens too, for the formatter.

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    OpenBrace,
    CloseBrace,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    Comma,
    Semicolon,
    Frame,
    Geometry,
    Class,
    Object,
    Include,
    AllowCollision,
    Def,
    Pi,
    Deg,
    Identifier,
    Number,
    Power,
    Star,
    Slash,
    Plus,
    Minus,
    String,
    LineComment,
    BlockComment,
    /// Digits with an exponent that has no digits.
    BadNumber,
    UnclosedString,
    UnclosedComment,
    /// A sequence of characters without meaning in the language.
    Unknown,
    End,
}

/// A token, as a range of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Kind {
    pub(super) fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment)
    }

    /// Returns true for keywords, which can be names only in quotes.
    pub(super) fn is_reserved_word(self) -> bool {
        self.starts_statement() || matches!(self, Self::Object | Self::Pi | Self::Deg)
    }

    /// Returns true for keywords that start a statement or block.
    pub(super) fn starts_statement(self) -> bool {
        matches!(
            self,
            Self::Frame
                | Self::Geometry
                | Self::Class
                | Self::Include
                | Self::AllowCollision
                | Self::Def
        )
    }
}

/// All keywords.
pub(super) const KEYWORDS: [(&str, Kind); 9] = [
    ("frame", Kind::Frame),
    ("geometry", Kind::Geometry),
    ("class", Kind::Class),
    ("object", Kind::Object),
    ("include", Kind::Include),
    ("allow_collision", Kind::AllowCollision),
    ("def", Kind::Def),
    ("pi", Kind::Pi),
    ("deg", Kind::Deg),
];

/// Lexer over a text.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let offset = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
        Self { text, offset }
    }

    /// Returns the next token; after the last one, always [`Kind::End`].
    pub(super) fn next(&mut self) -> Token {
        while matches!(self.byte(0), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.offset += 1;
        }
        let start = self.offset;
        let kind = self.kind();
        Token {
            kind,
            start,
            end: self.offset,
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.offset + ahead).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    fn kind(&mut self) -> Kind {
        let Some(byte) = self.byte(0) else {
            return Kind::End;
        };
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(1).is_some_and(|byte| byte.is_ascii_digit()) => self.number(),
            b'"' => self.string(),
            b'#' => self.line_comment(),
            b'/' if self.byte(1) == Some(b'/') => self.line_comment(),
            b'/' if self.byte(1) == Some(b'*') => self.block_comment(),
            _ => match symbol(byte, self.byte(1)) {
                Some((length, kind)) => self.take(length, kind),
                None if self.rest().starts_with('π') => self.take('π'.len_utf8(), Kind::Pi),
                None => self.unknown(),
            },
        }
    }

    fn take(&mut self, length: usize, kind: Kind) -> Kind {
        self.offset += length;
        kind
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.byte(0).is_some_and(&wanted) {
            self.offset += 1;
        }
    }

    /// Reads a keyword or identifier. A keyword ends before a `-`, an identifier continues: `pi-x` is π minus x.
    fn word(&mut self) -> Kind {
        let start = self.offset;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let word = self.text.get(start..self.offset).unwrap_or_default();
        let keyword = KEYWORDS.iter().find(|(keyword, _)| *keyword == word);
        if let Some((_, kind)) = keyword {
            return *kind;
        }
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        Kind::Identifier
    }

    fn number(&mut self) -> Kind {
        self.skip_while(|byte| byte.is_ascii_digit());
        let mut pointed = false;
        if self.byte(0) == Some(b'.') {
            pointed = true;
            self.offset += 1;
            self.skip_while(|byte| byte.is_ascii_digit());
        }
        match self.byte(0) {
            // `1s2` is two tokens in the language's first implementation, though `1.5s2` is one.
            Some(b's' | b'S') if !pointed => Kind::Number,
            Some(b'e' | b'E' | b'd' | b'D' | b's' | b'S') => {
                let signed = matches!(self.byte(1), Some(b'-' | b'+'));
                let digit = self.byte(1 + usize::from(signed));
                if digit.is_some_and(|byte| byte.is_ascii_digit()) {
                    self.offset += 1 + usize::from(signed);
                    self.skip_while(|byte| byte.is_ascii_digit());
                    return Kind::Number;
                }
                self.without_exponent(pointed, signed)
            }
            _ => Kind::Number,
        }
    }

    /// Classifies a number whose exponent has no digits: `5mm` is two tokens, but `5e` and `5d-` were intended as one
    /// number.
    fn without_exponent(&mut self, pointed: bool, signed: bool) -> Kind {
        let next = self.byte(1);
        let goes_on = next.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if pointed || goes_on {
            return Kind::Number;
        }
        self.offset += 1 + usize::from(signed);
        Kind::BadNumber
    }

    fn string(&mut self) -> Kind {
        self.offset += 1;
        match self.rest().find('"') {
            Some(length) => self.take(length + 1, Kind::String),
            None => self.take(self.rest().len(), Kind::UnclosedString),
        }
    }

    fn line_comment(&mut self) -> Kind {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        self.take(length, Kind::LineComment)
    }

    fn block_comment(&mut self) -> Kind {
        self.offset += 2;
        match self.rest().find("*/") {
            Some(length) => self.take(length + 2, Kind::BlockComment),
            None => self.take(self.rest().len(), Kind::UnclosedComment),
        }
    }

    fn unknown(&mut self) -> Kind {
        let known = |letter: char| {
            letter.is_ascii_alphanumeric()
                || matches!(letter, ' ' | '\t' | '\r' | '\n' | '"' | '#' | 'π' | '.')
                || u8::try_from(letter).is_ok_and(|byte| symbol(byte, None).is_some())
        };
        let mut letters = self.rest().char_indices().skip(1);
        let length = letters.find(|(_, letter)| known(*letter));
        let length = length.map_or(self.rest().len(), |(length, _)| length);
        self.take(length, Kind::Unknown)
    }
}

fn symbol(byte: u8, next: Option<u8>) -> Option<(usize, Kind)> {
    let kind = match byte {
        b'{' => Kind::OpenBrace,
        b'}' => Kind::CloseBrace,
        b'(' => Kind::OpenParen,
        b')' => Kind::CloseParen,
        b'[' => Kind::OpenBracket,
        b']' => Kind::CloseBracket,
        b',' => Kind::Comma,
        b';' => Kind::Semicolon,
        b'*' if next == Some(b'*') => return Some((2, Kind::Power)),
        b'^' => Kind::Power,
        b'*' => Kind::Star,
        b'/' => Kind::Slash,
        b'+' => Kind::Plus,
        b'-' => Kind::Minus,
        _ => return None,
    };
    Some((1, kind))
}

#[cfg(test)]
mod tests {
    use super::{Kind, Lexer};

    fn check(text: &str, expected: &[(Kind, &str)]) {
        let mut lexer = Lexer::new(text);
        let mut actual = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == Kind::End {
                break;
            }
            actual.push((token.kind, &text[token.start..token.end]));
        }
        assert_eq!(actual, expected, "{text:?}");
    }

    #[test]
    fn words_and_minus() {
        check("a-b", &[(Kind::Identifier, "a-b")]);
        check(
            "b -1",
            &[
                (Kind::Identifier, "b"),
                (Kind::Minus, "-"),
                (Kind::Number, "1"),
            ],
        );
        check(
            "pi-x",
            &[
                (Kind::Pi, "pi"),
                (Kind::Minus, "-"),
                (Kind::Identifier, "x"),
            ],
        );
        check(
            "pix frame_a",
            &[(Kind::Identifier, "pix"), (Kind::Identifier, "frame_a")],
        );
    }

    #[test]
    fn numbers() {
        for text in [
            "1", "1.", ".5", "1.5", "1e2", "1E-2", "1d2", "1.5s2", "1e+2", "1.e2",
        ] {
            check(text, &[(Kind::Number, text)]);
        }
        for text in ["1e", "5d", "5d-"] {
            check(text, &[(Kind::BadNumber, text)]);
        }
        check("5mm", &[(Kind::Number, "5"), (Kind::Identifier, "mm")]);
        check("1.2.3", &[(Kind::Number, "1.2"), (Kind::Number, ".3")]);
        check("1s2", &[(Kind::Number, "1"), (Kind::Identifier, "s2")]);
        check("0x10", &[(Kind::Number, "0"), (Kind::Identifier, "x10")]);
    }

    #[test]
    fn comments() {
        check(
            "/* a\n*/ # b",
            &[(Kind::BlockComment, "/* a\n*/"), (Kind::LineComment, "# b")],
        );
        check("// a\rb", &[(Kind::LineComment, "// a\rb")]);
        check("/* /*", &[(Kind::UnclosedComment, "/* /*")]);
    }
}
