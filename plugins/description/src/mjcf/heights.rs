//! Reader of height fields: images, binary files, and heights that are written into the model.

use std::{fs::File, io::Read as _, path::Path};

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::bounds::Bounds;

use super::{
    codes,
    compiler::Settings,
    fields,
    source::{MOST_NUMBERS, Source},
};
use crate::{problems::Problems, xml::Element};

/// Maximum number of heights.
const MOST_HEIGHTS: usize = MOST_NUMBERS / 3;

/// A height field asset.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Surface of the field, of any size.
    pub(super) source: Source,
    /// Half sizes along x and y, height of the highest point, and depth of the base, m.
    pub(super) size: [f64; 4],
    pub(super) span: Span,
}

/// Reads a height field; `None` instead of a field that cannot be read.
pub(super) fn read(
    element: &Element,
    settings: &Settings,
    problems: &mut Problems,
) -> Option<(String, Option<Field>)> {
    let written = element.attribute("file");
    let file = written.map(|file| settings.file(file.value.trim(), 0));
    let name = fields::name(element, "name", problems).or_else(|| {
        let stem = Path::new(file.as_deref()?).file_stem()?;
        Some(stem.to_string_lossy().into_owned())
    })?;
    let source = match file {
        Some(file) if is_image(element, &file) => Some(Source::File(file)),
        Some(file) => Some(Source::Heights(file)),
        None => elevation(element, problems),
    };
    if source.is_none() && element.attribute("elevation").is_some() {
        return Some((name, None));
    }
    let Some(source) = source else {
        let span = written.map_or(element.span, |file| file.value_span);
        let message = "a height field without heights is not read";
        let diagnostic = Diagnostic::warning(codes::IGNORED, message)
            .at(span, "its geoms are left out")
            .help("write the heights as grey values into a PNG image: `file=\"hills.png\"`");
        problems.push(diagnostic);
        return Some((name, None));
    };
    fields::needed(element, "size", "10 10 2 0.1", problems)?;
    let size = Bounds::between(1e-6, 1e6);
    let field = Field {
        source,
        size: fields::array(element, "size", size, problems)?,
        span: written.map_or(element.span, |file| file.value_span),
    };
    Some((name, Some(field)))
}

/// Reads a height field that is written into the model: its first row is at the greatest y, as in MuJoCo.
fn elevation(element: &Element, problems: &mut Problems) -> Option<Source> {
    let heights = fields::numbers(
        element,
        "elevation",
        [4, MOST_HEIGHTS],
        fields::POSITION,
        problems,
    )?;
    let side = Bounds::between(2.0, 1e5);
    let [rows, columns] = ["nrow", "ncol"].map(|name| {
        fields::needed(element, name, "10", problems)?;
        fields::number(element, name, side, problems).map(|count| count as usize)
    });
    let (rows, columns) = (rows?, columns?);
    if heights.len() != rows * columns {
        let count = heights.len();
        let message = format!("{rows} rows of {columns} heights are not {count} heights");
        let span = element
            .attribute("elevation")
            .map_or(element.span, |written| written.value_span);
        let diagnostic = Diagnostic::error(codes::BAD_NUMBER, message)
            .at(span, format!("expected {} numbers", rows * columns))
            .help("`nrow` times `ncol` is the number of heights");
        problems.push(diagnostic);
        return None;
    }
    Some(grid(rows, columns, &heights))
}

/// Returns the surface of a grid of heights, row by row, on a square of one metre. Its first row is at the greatest y.
fn grid(rows: usize, columns: usize, heights: &[f64]) -> Source {
    let fraction = |index: usize, count: usize| index as f64 / (count - 1) as f64 - 0.5;
    let at = |(index, height): (usize, &f64)| {
        let (row, column) = (index / columns, index % columns);
        [fraction(column, columns), -fraction(row, rows), *height]
    };
    let vertices = heights.iter().enumerate().map(at).collect();
    let mut faces = Vec::new();
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let upper = row * columns + column;
            let lower = upper + columns;
            faces.push([upper, lower, lower + 1]);
            faces.push([upper, lower + 1, upper + 1]);
        }
    }
    Source::Vertices(vertices, faces)
}

/// True if the file of a height field is a PNG image, by its content type or else by its name.
fn is_image(element: &Element, file: &str) -> bool {
    match element.attribute("content_type") {
        Some(kind) => kind.value.trim() == "image/png",
        None => file.to_ascii_lowercase().ends_with(".png"),
    }
}

/// Reads the binary format of MuJoCo: the numbers of rows and columns as 32-bit integers, and the heights as 32-bit floats,
/// all little-endian. The first row is at the least y, unlike that of an image.
pub(super) fn binary(path: &Path) -> Result<Source, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let most = 4 * (MOST_HEIGHTS + 3);
    let mut limited = file.take(most as u64);
    limited
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    let (words, rest) = bytes.as_chunks::<4>();
    let [rows, columns, words @ ..] = words else {
        return Err("it has no numbers of rows and columns".to_owned());
    };
    let [rows, columns] = [rows, columns].map(|word| i32::from_le_bytes(*word));
    let count = |number: i32| usize::try_from(number).ok().filter(|number| *number >= 2);
    let (Some(row_count), Some(column_count)) = (count(rows), count(columns)) else {
        return Err(format!("{rows} rows and {columns} columns make no surface"));
    };
    let expected = row_count.saturating_mul(column_count);
    if expected > MOST_HEIGHTS {
        return Err(format!(
            "its {expected} heights are more than {MOST_HEIGHTS}"
        ));
    }
    if words.len() != expected || !rest.is_empty() {
        let actual = words.len();
        return Err(format!(
            "{rows} rows of {columns} heights are not {actual} heights"
        ));
    }
    let mut heights = Vec::with_capacity(expected);
    for row in words.rchunks_exact(column_count) {
        heights.extend(row.iter().map(|word| f64::from(f32::from_le_bytes(*word))));
    }
    let within = |height: &f64| height.abs() <= 1e8;
    if !heights.iter().all(within) {
        return Err("a height is not finite, or far away".to_owned());
    }
    Ok(grid(row_count, column_count, &heights))
}
