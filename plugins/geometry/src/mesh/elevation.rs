//! Height maps: PNG images whose grey values are heights, as meshes of one square metre and a height of one metre.

use std::io::Cursor;

use super::{MeshError, Triangles};

/// Maximum number of pixels.
const MOST_PIXELS: u64 = 1 << 20;

/// Maximum memory of the decoder, bytes.
const MOST_BYTES: usize = 64 << 20;

/// Returns the surface of a height map. Its first row is at y = 1/2, its first column at x = -1/2, black is at z = 0 and
/// white at z = 1. In images with colours, red is the height.
///
/// # Errors
///
/// The bytes are no PNG image, or one with too many pixels, or with less than two rows or columns.
pub fn parse(bytes: &[u8]) -> Result<Triangles, MeshError> {
    let limits = png::Limits { bytes: MOST_BYTES };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let broken = |error: png::DecodingError| {
        let message = format!("it is no valid PNG image: {error}; export it again");
        MeshError::Broken(message)
    };
    let info = decoder.read_header_info().map_err(broken)?;
    let (columns, rows) = (info.width, info.height);
    let pixels = u64::from(columns) * u64::from(rows);
    if pixels > MOST_PIXELS {
        let message = format!(
            "its {columns} times {rows} pixels are more than {MOST_PIXELS}: make the height map smaller"
        );
        return Err(MeshError::TooLarge(message));
    }
    if columns < 2 || rows < 2 {
        let message = "a height map has at least two rows and two columns".to_owned();
        return Err(MeshError::Broken(message));
    }
    let mut reader = decoder.read_info().map_err(broken)?;
    // The decoder assumes a valid palette: whole colours, and at most 256 of them.
    let palette = reader.info().palette.as_deref().unwrap_or_default();
    if palette.len() % 3 != 0 || palette.len() > 768 {
        return Err(MeshError::Broken("its palette is invalid".to_owned()));
    }
    let size = reader.output_buffer_size();
    let size = size.ok_or_else(|| MeshError::TooLarge("it is too large".to_owned()))?;
    let mut packed = vec![0; size];
    reader.next_frame(&mut packed).map_err(broken)?;
    let (color, depth) = reader.output_color_type();
    let heights: Vec<f32> = match depth {
        png::BitDepth::Sixteen => {
            let pixels = packed.chunks_exact(2 * color.samples());
            let red = pixels.filter_map(|pixel| Some(u16::from_be_bytes(*pixel.first_chunk()?)));
            red.map(|red| f32::from(red) / f32::from(u16::MAX))
                .collect()
        }
        _ => {
            let pixels = packed.chunks_exact(color.samples());
            let red = pixels.filter_map(|pixel| pixel.first());
            red.map(|&red| f32::from(red) / f32::from(u8::MAX))
                .collect()
        }
    };
    Ok(surface(columns, rows, &heights))
}

/// Returns the triangles of a grid of heights, row by row.
fn surface(columns: u32, rows: u32, heights: &[f32]) -> Triangles {
    let mut triangles = Triangles::default();
    // The number of pixels is limited, so that all indices are exact.
    #[expect(clippy::cast_precision_loss, reason = "at most 2^20 pixels")]
    let fraction = |index: u32, count: u32| index as f32 / (count - 1) as f32;
    let mut heights = heights.iter();
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (fraction(column, columns), 1.0 - fraction(row, rows));
            let height = heights.next().copied().unwrap_or(0.0);
            triangles.vertices.push([x - 0.5, y - 0.5, height]);
            triangles.coordinates.push([x, y]);
        }
    }
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let corner = row * columns + column;
            let (below, right) = (corner + columns, corner + 1);
            triangles.faces.push([corner, below, right]);
            triangles.faces.push([right, below, below + 1]);
        }
    }
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png_of(columns: u32, rows: u32, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, columns, rows);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(depth);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn grey_values_are_heights() {
        let image = png_of(3, 2, png::BitDepth::Eight, &[0, 51, 255, 102, 0, 0]);
        let mesh = parse(&image).unwrap();
        assert_eq!(mesh.vertices[0], [-0.5, 0.5, 0.0]);
        assert_eq!(mesh.vertices[1], [0.0, 0.5, 0.2]);
        assert_eq!(mesh.vertices[2], [0.5, 0.5, 1.0]);
        assert_eq!(mesh.vertices[3], [-0.5, -0.5, 0.4]);
        assert_eq!(mesh.faces.len(), 4);
        // The triangles face up.
        for [a, b, c] in mesh.faces {
            let [a, b, c] = [a, b, c].map(|index| mesh.vertices[index as usize]);
            let cross = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            assert!(cross > 0.0);
        }
        let deep = png_of(
            2,
            2,
            png::BitDepth::Sixteen,
            &[255, 255, 0, 0, 128, 0, 0, 1],
        );
        let mesh = parse(&deep).unwrap();
        assert_eq!(mesh.vertices[0][2], 1.0);
        assert!((mesh.vertices[2][2] - 32_768.0 / 65_535.0).abs() < 1e-6);
    }

    #[test]
    fn images_without_a_surface_are_refused() {
        let line = png_of(3, 1, png::BitDepth::Eight, &[0, 0, 0]);
        let large = png_of(2_048, 1_024, png::BitDepth::Eight, &[0; 2_048 * 1_024]);
        for bytes in [b"no image".as_slice(), &line, &large] {
            assert!(parse(bytes).is_err());
        }
    }
}
