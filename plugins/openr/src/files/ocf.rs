//! `.ocf`: memory and priority of an object.
use morse_diagnostics::SourceId;

use super::problem::{Parsed, Problems, quoted};

/// Attributes of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Name of the object.
    pub name: String,
    /// Size of its stack, bytes. Parsed, without effect.
    pub stack: u32,
    /// Initial size of its heap, and its increment, bytes. Parsed, without effect.
    pub heap: u32,
    /// Class in the upper four bits, share in the lower four.
    pub priority: u8,
}

const SHAPE: &str = "write `object NAME STACK HEAP PRIORITY cache tlb user`";

/// Parses an `.ocf`; its last object is used.
#[must_use]
pub fn parse(source: SourceId, text: &str) -> Parsed<Option<Attributes>> {
    let mut problems = Problems::new(source);
    let mut attributes = None;
    for line in problems.lines(text) {
        let trimmed = line.text.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') || trimmed.starts_with("//") {
            continue;
        }
        let words: Vec<&str> = trimmed.split_whitespace().collect();
        let ["object", name, stack, heap, priority, cache, tlb, mode] = words[..] else {
            let message = format!("expected a line of an object, found {}", quoted(trimmed));
            problems.error(line, trimmed, message, SHAPE.to_owned());
            continue;
        };
        for (word, known) in [
            (cache, ["cache", "nocache"]),
            (tlb, ["tlb", "notlb"]),
            (mode, ["user", "kernel"]),
        ] {
            if !known.contains(&word) {
                let message = format!("{} is ignored", quoted(word));
                let help = format!("write `{}` or `{}`", known[0], known[1]);
                problems.warning(line, word, message, help);
            }
        }
        if (tlb, mode) == ("notlb", "user") {
            let message = "`user` needs `tlb`".to_owned();
            problems.warning(line, tlb, message, None);
        }
        let numbers = (stack.parse(), heap.parse(), priority.parse());
        if let (Ok(stack), Ok(heap), Ok(priority)) = numbers {
            attributes = Some(Attributes {
                name: name.to_owned(),
                stack,
                heap,
                priority,
            });
        } else {
            let message = "stack and heap are numbers of bytes, the priority one up to 255";
            problems.error(line, stack, message.to_owned(), SHAPE.to_owned());
        }
    }
    problems.with(attributes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::problem::parse_as;

    #[test]
    fn the_priority_is_read_and_memory_noted() {
        let text = "# legs\nobject Legs 524288 16384 144 cache tlb user\n";
        let parsed = parse_as("legs.ocf", text, parse).0;
        let attributes = parsed.value.expect("an object");
        assert_eq!((attributes.priority, attributes.stack), (144, 524_288));
        assert!(parsed.problems.is_empty());
        for (text, is_error) in [
            ("object Legs 3072 16384 256 cache tlb user", true),
            ("object Legs 3072 16384 128", true),
            ("object Legs 3072 16384 128 cash tlb user", false),
            ("object Legs 3072 16384 128 cache notlb user", false),
        ] {
            let parsed = parse_as("legs.ocf", text, parse).0;
            assert_eq!(
                (parsed.problems.len(), parsed.has_errors()),
                (1, is_error),
                "{text}"
            );
        }
    }
}
