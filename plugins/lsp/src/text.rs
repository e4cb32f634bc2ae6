//! Positions in a text: byte offsets, and the protocol's lines and UTF-16 columns.

use std::ops::Range as Bytes;

use lsp_types::{Position, Range};

/// Starts of the lines of a text.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Finds the lines of a text; they end with `\n`, `\r\n` or `\r`.
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (offset, byte) in bytes.iter().enumerate() {
            let is_end = match byte {
                b'\n' => true,
                b'\r' => bytes.get(offset + 1) != Some(&b'\n'),
                _ => false,
            };
            if is_end {
                starts.push(offset + 1);
            }
        }
        Self { starts }
    }

    /// Returns the position of a byte offset; an offset within a character counts as its start.
    pub(crate) fn position(&self, text: &str, offset: usize) -> Position {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let start = self.starts.get(line).copied().unwrap_or_default();
        let before = text.get(start..offset).unwrap_or_default();
        let column = before.chars().map(char::len_utf16).sum();
        Position::new(narrow(line), narrow(column))
    }

    /// Returns the byte offset of a position. A position beyond its line or the text counts as their end, a position within
    /// a surrogate pair as the start of the character.
    pub(crate) fn offset(&self, text: &str, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else {
            return text.len();
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let content = text.get(start..end).unwrap_or_default();
        let content = content.trim_end_matches(['\n', '\r']);
        let mut column = 0;
        for (offset, letter) in content.char_indices() {
            column += letter.len_utf16();
            if column > position.character as usize {
                return start + offset;
            }
        }
        start + content.len()
    }

    /// Returns the range of a range of bytes.
    pub(crate) fn range(&self, text: &str, bytes: Bytes<usize>) -> Range {
        Range::new(
            self.position(text, bytes.start),
            self.position(text, bytes.end),
        )
    }

    /// Returns the range of bytes of a range; reversed ends are exchanged.
    pub(crate) fn bytes(&self, text: &str, range: Range) -> Bytes<usize> {
        let (one, other) = (self.offset(text, range.start), self.offset(text, range.end));
        one.min(other)..one.max(other)
    }
}

/// Returns the range of a range of bytes in a text.
pub(crate) fn range(text: &str, bytes: Bytes<usize>) -> Range {
    Lines::new(text).range(text, bytes)
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf_16_units() {
        let text = "aé𝄞b\nπ";
        let lines = Lines::new(text);
        let at = |offset| lines.position(text, offset);
        assert_eq!(at(1), Position::new(0, 1));
        assert_eq!(
            at(3),
            Position::new(0, 2),
            "é is one unit of UTF-16, two bytes"
        );
        assert_eq!(at(7), Position::new(0, 4), "𝄞 is two units, four bytes");
        assert_eq!(at(5), Position::new(0, 2), "within 𝄞");
        assert_eq!(at(text.len()), Position::new(1, 1));
        for (offset, _) in text.char_indices() {
            assert_eq!(lines.offset(text, at(offset)), offset);
        }
        assert_eq!(
            lines.offset(text, Position::new(0, 3)),
            3,
            "within the surrogate pair"
        );
    }

    #[test]
    fn positions_beyond_the_text_count_as_its_end() {
        let text = "ab\r\ncd\re";
        let lines = Lines::new(text);
        let offset = |line, column| lines.offset(text, Position::new(line, column));
        assert_eq!(offset(0, 99), 2, "before the line's end");
        assert_eq!(offset(1, 1), 5);
        assert_eq!(offset(2, 0), 7, "after a lone carriage return");
        assert_eq!(offset(9, 0), text.len());
        let reversed = Range::new(Position::new(1, 2), Position::new(0, 1));
        assert_eq!(lines.bytes(text, reversed), 1..6);
    }
}
