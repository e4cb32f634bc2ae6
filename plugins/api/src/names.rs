//! Patterns of names, as settings use them to choose bodies or joints.

/// Returns true if a name matches a pattern, in which each `*` stands for any text, including none.
#[must_use]
pub fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(head) else {
        return false;
    };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return name.ends_with(part);
        }
        // The first match leaves the longest rest for the remaining parts, so that no other match has to be tried.
        let Some((_, after)) = name.split_once(part) else {
            return false;
        };
        name = after;
    }
    true
}

/// Returns true if a name matches one of the patterns.
#[must_use]
pub fn fits_any(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| fits(pattern, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, name) in [
            ("crate", "crate"),
            ("crate_*", "crate_1"),
            ("crate_*", "crate_"),
            ("*", ""),
            ("*.wheel_*_left", "rover.wheel_front_left"),
            ("a*b*b", "abb"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("crate", "crate_1"),
            ("", "a"),
            ("a*b*b", "ab"),
            ("a*a", "a"),
            ("*x", "xy"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
