//! "Did you mean": the nearest of the known names.

/// A name longer than this is not a misspelling of anything, and comparing it would take long.
const LONGEST: usize = 40;
/// So many names are compared at most.
const MOST: usize = 1_000;

/// The known name nearest to what was written, if one is near enough to be meant.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if written.is_empty() || written.len() > LONGEST {
        return None;
    }
    let length = written.chars().count();
    let allowed = if length < 2 { 0 } else { (length / 3).max(1) };
    let written_as = written;
    let written = plain(written);
    let near = |name: &str| name.chars().count().abs_diff(length) <= allowed;
    known
        .into_iter()
        .filter(|name| *name != written_as && name.len() <= LONGEST && near(name))
        .take(MOST)
        .map(|name| (strsim::osa_distance(&written, &plain(name)), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, name)| name)
}

/// The case of letters, and `-` against `_`, make no difference.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_the_nearest() {
        let known = ["dimension", "radius", "no-shadow", "color"];
        assert_eq!(nearest("raduis", known), Some("radius"));
        assert_eq!(nearest("no_shadow", known), Some("no-shadow"));
        assert_eq!(nearest("Color", known), Some("color"));
        assert_eq!(nearest("colour", known), Some("color"));
        assert_eq!(nearest("texture", known), None);
        assert_eq!(nearest("x", ["y", "X"]), Some("X"));
    }
}
