//! "Did you mean": the nearest of the known names.

/// A name longer than this is not a misspelling of anything, and comparing it would take long.
const LONGEST: usize = 40;
/// So many names are compared at most.
const MOST: usize = 2_000;

/// The known name nearest to what was written, if one is near enough to be meant.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if written.is_empty() || written.len() > LONGEST {
        return None;
    }
    let length = written.chars().count();
    let allowed = if length < 2 { 0 } else { (length / 3).max(1) };
    let near = |name: &str| name.chars().count().abs_diff(length) <= allowed;
    known
        .into_iter()
        .filter(|name| *name != written && name.len() <= LONGEST && near(name))
        .take(MOST)
        .map(|name| (distance(written, name), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, name)| name)
}

/// Letters to change, add, leave out or swap; the case of letters, and `-` against `_`, cost nothing.
fn distance(written: &str, known: &str) -> usize {
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    strsim::osa_distance(&plain(written), &plain(known))
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
