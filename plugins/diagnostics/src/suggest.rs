//! Suggestions for misspelt names ("did you mean"): the known name with the smallest edit distance.

use std::path::Path;

/// Maximum length of a name that is compared. Longer names are no misspellings, and their comparison would take long.
const LONGEST: usize = 40;
/// Maximum number of names that are compared.
const MOST: usize = 1_000;

/// Returns the known name that is nearest to the written one, if it is close enough to be a misspelling.
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

/// Returns the file in the directory of `path` whose name is nearest to that of the missing file, with the directory as it
/// was written.
#[must_use]
pub fn nearest_file(path: &Path, written: &str) -> Option<String> {
    let missing = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| folder != &Path::new(""));
    let entries = folder.unwrap_or(Path::new(".")).read_dir().ok()?;
    let names = entries.take(MOST).filter_map(|entry| {
        let name = entry.ok()?.file_name();
        name.into_string().ok()
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    // The extension is compared separately: a typing error concerns the name.
    let ending = Path::new(missing).extension();
    let (same, others): (Vec<&str>, Vec<&str>) = names
        .iter()
        .map(String::as_str)
        .partition(|name| Path::new(name).extension() == ending);
    let stem = |name: &str| Path::new(name).file_stem()?.to_str().map(str::to_owned);
    let stems: Vec<(String, &str)> = same
        .iter()
        .filter_map(|name| Some((stem(name)?, *name)))
        .collect();
    let wanted = stem(missing)?;
    let near = nearest(&wanted, stems.iter().map(|(stem, _)| stem.as_str()));
    let near = stems
        .iter()
        .find(|(stem, _)| Some(stem.as_str()) == near)
        .map(|(_, name)| *name);
    // A different extension counts as a typing error only if it is nearly equal.
    let ending = ending
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    let is_slip = |name: &&str| {
        let other = Path::new(name).extension().and_then(|other| other.to_str());
        ending.is_empty() || nearest(ending, other).is_some()
    };
    let near = near.or_else(|| nearest(missing, others.into_iter().filter(is_slip)))?;
    let folder = written
        .rfind(['/', '\\'])
        .map_or("", |at| written.get(..=at).unwrap_or_default());
    Some(format!("{folder}{near}"))
}

/// Returns the name in lower case with `_` for `-`, since neither difference counts.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{nearest, nearest_file};

    #[test]
    fn finds_the_nearest_file() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["wheel.stl", "wheels.obj", "body.stl", "table.robray"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let near = |written: &str| nearest_file(&folder.path().join(written), written);
        let beside = |name: &str| near(name);
        assert_eq!(beside("whel.stl").as_deref(), Some("wheel.stl"));
        assert_eq!(beside("Table.robray").as_deref(), Some("table.robray"));
        assert_eq!(beside("wheel.st").as_deref(), Some("wheel.stl"));
        assert_eq!(beside("engine.stl"), None);
        assert_eq!(near("./whel.stl").as_deref(), Some("./wheel.stl"));
        assert_eq!(
            nearest_file(Path::new("/nowhere/at/all.stl"), "all.stl"),
            None
        );
    }

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
