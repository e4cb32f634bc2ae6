//! Patterns of names, as settings use them to choose bodies or joints.
use crate::path::ComponentPath;

/// Returns true if a name matches a pattern, in which each `*` stands for any text, including none.
#[must_use]
pub fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(head) else {
        return false;
    };
    let mut segments = rest.split('*').peekable();
    while let Some(segment) = segments.next() {
        if segments.peek().is_none() {
            return name.ends_with(segment);
        }
        // The first match leaves the longest rest for the remaining segments, so that no other match has to be tried.
        let Some((_, after)) = name.split_once(segment) else {
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

/// Returns a name without the prefix of a robot's name.
#[must_use]
pub fn short_name<'a>(name: &'a str, robot: Option<&ComponentPath>) -> &'a str {
    let stripped = robot.and_then(|robot| name.strip_prefix(robot.as_str())?.strip_prefix('.'));
    stripped.unwrap_or(name)
}

/// Returns true if a name matches one of the patterns in `only`, which is empty for all names, and none in `ignore`.
#[must_use]
pub fn is_selected(only: &[String], ignore: &[String], name: &str) -> bool {
    (only.is_empty() || fits_any(only, name)) && !fits_any(ignore, name)
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
