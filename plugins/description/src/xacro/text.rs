//! Substitutions in texts: `${expression}` and `$(command …)`.

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece<'t> {
    /// Literal text.
    Plain(&'t str),
    /// Content of `${ }`.
    Expression(&'t str),
    /// Content of `$( )`.
    Command(&'t str),
}

/// Splits a text into pieces. `$${` and `$$(` are the escape sequences of `${` and `$(`.
///
/// # Errors
///
/// Returns an error for a substitution that is not closed.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, String> {
    let mut list = Vec::new();
    let mut rest = text;
    while let Some(offset) = rest.find('$') {
        let (before, from) = rest.split_at(offset);
        if !before.is_empty() {
            list.push(Piece::Plain(before));
        }
        let dollars = from.bytes().take_while(|byte| *byte == b'$').count();
        let (marks, after) = from.split_at(dollars);
        let open = after
            .chars()
            .next()
            .filter(|open| ['{', '('].contains(open));
        let Some(open) = open else {
            list.push(Piece::Plain(marks));
            rest = after;
            continue;
        };
        if dollars > 1 {
            // The first `$` is removed.
            let (_, kept) = from.split_at(1);
            let (kept, after) = kept.split_at(dollars);
            list.push(Piece::Plain(kept));
            rest = after;
            continue;
        }
        let inner = after.get(1..).unwrap_or_default();
        let end = closing(inner, open).ok_or_else(|| format!("`${open}` is not closed"))?;
        let (inner, after) = inner.split_at(end);
        list.push(match open {
            '{' => Piece::Expression(inner),
            _ => Piece::Command(inner),
        });
        rest = after.get(1..).unwrap_or_default();
    }
    if !rest.is_empty() {
        list.push(Piece::Plain(rest));
    }
    Ok(list)
}

/// Returns the index of the bracket that closes the one before the text.
fn closing(text: &str, open: char) -> Option<usize> {
    let close = if open == '{' { '}' } else { ')' };
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        if letter == close {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        } else if letter == open {
            depth += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_pieces() {
        use Piece::{Command, Expression, Plain};
        for (text, expected) in [
            ("", vec![]),
            ("a", vec![Plain("a")]),
            (
                "${a}_${b}",
                vec![Expression("a"), Plain("_"), Expression("b")],
            ),
            ("$(find a)/b", vec![Command("find a"), Plain("/b")]),
            ("$(eval f(x))", vec![Command("eval f(x)")]),
            ("$${a}", vec![Plain("${"), Plain("a}")]),
            ("5$", vec![Plain("5"), Plain("$")]),
            ("$a", vec![Plain("$"), Plain("a")]),
        ] {
            assert_eq!(pieces(text).unwrap(), expected, "{text}");
        }
        assert!(pieces("${a").is_err() && pieces("$(a").is_err());
    }
}
