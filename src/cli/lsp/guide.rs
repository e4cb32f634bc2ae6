//! Documentation of attributes and fields, from the tables of the guide.

/// The page of the scene language.
pub(super) const SCENES: &str = include_str!("../../docs/scene_language.md");

/// The page of simulation files.
pub(super) const SIMULATIONS: &str = include_str!("../../docs/simulation_file.md");

/// Returns the row of a field of a named value: from the section of the value, or from any section.
pub(super) fn row_of(page: &str, of: &str, name: &str) -> Option<String> {
    let heading = format!("`{of}`");
    let mut sections = page.split("\n## ");
    let section = sections.find(|section| {
        let title = section.lines().next().unwrap_or_default();
        title.contains(&heading)
    });
    section
        .and_then(|section| row(section, name))
        .or_else(|| row(page, name))
}

/// Returns the row of a table whose first cell names an attribute, as Markdown: the meaning, and the other columns with
/// their titles.
pub(super) fn row(page: &str, name: &str) -> Option<String> {
    let quoted = format!("`{name}`");
    let mut titles: Vec<&str> = Vec::new();
    let mut before: Vec<&str> = Vec::new();
    for line in page.lines() {
        let row = cells(line);
        if row.first().is_some_and(|first| first.starts_with("---")) {
            titles = std::mem::take(&mut before);
        } else if row.first().is_some_and(|first| first.contains(&quoted)) && !titles.is_empty() {
            return Some(described(&titles, &row));
        } else {
            before = row;
        }
    }
    None
}

fn cells(line: &str) -> Vec<&str> {
    let inner = line
        .strip_prefix('|')
        .and_then(|line| line.trim_end().strip_suffix('|'));
    inner.map_or_else(Vec::new, |inner| inner.split('|').map(str::trim).collect())
}

fn described(titles: &[&str], row: &[&str]) -> String {
    let Some(((first, middle), last)) = row.split_first().map(|(first, rest)| {
        let (last, middle) = rest.split_last().unwrap_or((&"", &[]));
        ((first, middle), last)
    }) else {
        return String::new();
    };
    let mut text = format!("{first}: {last}\n");
    for (title, cell) in titles.iter().skip(1).zip(middle) {
        if !cell.is_empty() {
            text.push_str(&format!("\n{title}: {cell}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use morse_scene::model::{ATTRIBUTES, SHAPE_WORDS};

    use super::*;

    #[test]
    fn every_attribute_and_shape_is_documented() {
        for attribute in ATTRIBUTES {
            let name = attribute.name;
            assert!(
                row(SCENES, name).is_some(),
                "{name} has no row in the guide"
            );
        }
        for shape in SHAPE_WORDS {
            assert!(
                row(SCENES, shape).is_some(),
                "{shape} has no row in the guide"
            );
        }
    }

    #[test]
    fn a_row_is_shown_with_the_titles_of_its_columns() {
        let page = "| a | default | meaning |\n|---|---|---|\n| `x`, `y` * | 1 | two numbers |\n";
        assert_eq!(
            row(page, "y").as_deref(),
            Some("`x`, `y` *: two numbers\n\ndefault: 1\n")
        );
        assert_eq!(row(page, "z"), None);
        assert_eq!(row("no table with `x`", "x"), None);
    }
}
