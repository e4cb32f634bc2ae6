//! Regular expression of identifiers: they are no keywords, and do not begin with a keyword and `-`, since a keyword ends
//! before a `-`: `pi-x` is π minus x.
use std::collections::{BTreeMap, BTreeSet};

/// Letters of the first part of an identifier.
const FIRST: &str = "A-Za-z";
/// Further letters, without `-`.
const NEXT: &str = "A-Za-z0-9_";

/// Prefixes of the keywords: the letters that follow, and whether a keyword ends here.
#[derive(Default)]
struct Node {
    next: BTreeMap<char, Node>,
    is_end: bool,
}

/// Returns the expression for identifiers beside keywords.
pub(crate) fn pattern(keywords: &[&str]) -> String {
    let mut root = Node::default();
    for keyword in keywords {
        let mut node = &mut root;
        for letter in keyword.chars() {
            node = node.next.entry(letter).or_default();
        }
        node.is_end = true;
    }
    let words = root.words(FIRST);
    format!("({words})(-[{NEXT}-]*)?")
}

impl Node {
    /// Returns an expression for the rest of a word after this prefix, such that the word is no keyword. The next letter is
    /// one of `letters`.
    fn words(&self, letters: &str) -> String {
        let mut options = Vec::new();
        let known: BTreeSet<char> = self.next.keys().copied().collect();
        options.push(format!("[{}][{NEXT}]*", without(letters, &known)));
        for (letter, node) in &self.next {
            let end = if node.is_end { "" } else { "?" };
            options.push(format!("{letter}({}){end}", node.words(NEXT)));
        }
        options.join("|")
    }
}

/// Returns the ranges of letters without some letters.
fn without(letters: &str, excluded: &BTreeSet<char>) -> String {
    let mut rest = String::new();
    let mut letters = letters.chars().peekable();
    while let Some(start) = letters.next() {
        let end = match letters.next_if_eq(&'-') {
            Some(_) => letters.next().unwrap_or(start),
            None => start,
        };
        let mut from = start;
        for letter in excluded.range(start..=end) {
            add(&mut rest, from, *letter as u32 as i64 - 1);
            from = char::from_u32(*letter as u32 + 1).unwrap_or(*letter);
        }
        add(&mut rest, from, end as i64);
    }
    rest
}

fn add(text: &mut String, from: char, to: i64) {
    let Some(to) = u32::try_from(to).ok().and_then(char::from_u32) else {
        return;
    };
    match (to as u32).cmp(&(from as u32)) {
        std::cmp::Ordering::Less => {}
        std::cmp::Ordering::Equal => text.push(from),
        std::cmp::Ordering::Greater => text.extend([from, '-', to]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_left_out_of_the_letters() {
        let letters = without("A-Za-z0-9_", &BTreeSet::from(['a', 'f', 'g', 'z', '_']));
        assert_eq!(letters, "A-Zb-eh-y0-9");
        assert_eq!(
            pattern(&["pi"]),
            "([A-Za-oq-z][A-Za-z0-9_]*|p([A-Za-hj-z0-9_][A-Za-z0-9_]*|i([A-Za-z0-9_][A-Za-z0-9_]*))?)(-[A-Za-z0-9_-]*)?"
        );
    }
}
