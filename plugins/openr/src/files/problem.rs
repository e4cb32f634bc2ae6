//! Errors and warnings in a file, with position, cause and remedy.
use std::fmt;

/// Maximum size of a file, bytes.
pub const LARGEST_FILE: usize = 1 << 20;
/// Maximum number of reported problems per file.
const MOST_PROBLEMS: usize = 20;

/// Error or warning in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Name of the file.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1 in characters.
    pub column: usize,
    /// True for an error, false for a warning.
    pub is_error: bool,
    /// Description of the problem.
    pub message: String,
    /// Remedy.
    pub help: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            message,
            ..
        } = self;
        write!(f, "{file}:{line}:{column}: {message}")?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

/// Valid contents of a file, and its problems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed<T> {
    /// Valid contents of the file.
    pub value: T,
    /// Problems, in the order of their lines.
    pub problems: Vec<Problem>,
}

impl<T> Parsed<T> {
    /// Returns true if any problem is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.is_error)
    }
}

/// Problems of a file that is being parsed.
pub(super) struct Problems<'a> {
    file: &'a str,
    list: Vec<Problem>,
}

/// Line of a file: its number, and its text without the line end.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) text: &'a str,
}

impl Line<'_> {
    /// Returns the column of a substring of the line, counted from 1.
    fn column(self, part: &str) -> usize {
        let place = self.text.find(part).unwrap_or(0);
        self.text[..place].chars().count() + 1
    }
}

impl<'a> Problems<'a> {
    pub(super) fn new(file: &'a str) -> Self {
        Self {
            file,
            list: Vec::new(),
        }
    }

    /// Returns the lines of a text; none if the text is too large.
    pub(super) fn lines<'t>(&mut self, text: &'t str) -> impl Iterator<Item = Line<'t>> + use<'t> {
        let is_fine = text.len() <= LARGEST_FILE;
        if !is_fine {
            let line = Line {
                number: 1,
                text: "",
            };
            let message = format!("the file has {} bytes: too many", text.len());
            self.error(line, "", message, Some(format!("{LARGEST_FILE} are read")));
        }
        let text = if is_fine { text } else { "" };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        text.lines().enumerate().map(|(index, text)| Line {
            number: index + 1,
            text: text.trim_end_matches(['\r', '\n']),
        })
    }

    pub(super) fn error(
        &mut self,
        line: Line<'_>,
        part: &str,
        message: String,
        help: impl Into<Option<String>>,
    ) {
        self.add(line, part, (true, message, help.into()));
    }

    pub(super) fn warning(
        &mut self,
        line: Line<'_>,
        part: &str,
        message: String,
        help: impl Into<Option<String>>,
    ) {
        self.add(line, part, (false, message, help.into()));
    }

    fn add(
        &mut self,
        line: Line<'_>,
        part: &str,
        (is_error, message, help): (bool, String, Option<String>),
    ) {
        // Errors are reported however many warnings there are.
        let is_told = |problem: &&Problem| problem.is_error == is_error;
        if self.list.iter().filter(is_told).count() < MOST_PROBLEMS {
            self.list.push(Problem {
                file: self.file.to_owned(),
                line: line.number,
                column: line.column(part),
                is_error,
                message,
                help,
            });
        }
    }

    pub(super) fn with<T>(self, value: T) -> Parsed<T> {
        Parsed {
            value,
            problems: self.list,
        }
    }
}

/// Returns text from a file, shortened for quotation.
pub(super) fn quoted(text: &str) -> String {
    let mut short: String = text
        .chars()
        .map(|letter| if letter.is_control() { '?' } else { letter })
        .take(60)
        .collect();
    if text.chars().nth(60).is_some() {
        short.push('…');
    }
    format!("`{short}`")
}

/// Suggests the most similar word of a list for an unknown one.
pub(super) fn suggestion(word: &str, known: &[&str]) -> Option<String> {
    let distances = known.iter().map(|other| (distance(word, other), *other));
    let (distance, nearest) = distances.min()?;
    (distance <= 2.max(nearest.len() / 4)).then(|| format!("did you mean `{nearest}`?"))
}

/// Returns the edit distance (Levenshtein), ignoring case. Only the beginning of long words is compared.
fn distance(one: &str, other: &str) -> usize {
    let letters = |word: &str| {
        let letters = word.chars().take(40);
        letters
            .map(|letter| letter.to_ascii_lowercase())
            .collect::<Vec<_>>()
    };
    let (one, other) = (letters(one), letters(other));
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, wanted) in other.iter().enumerate() {
            let change = diagonal + usize::from(letter != wanted);
            diagonal = row[column + 1];
            row[column + 1] = change.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}
