//! Triangle meshes in PLY: text, and binary of both byte orders.

use super::{MeshError, Triangles, broken, checked};

/// Maximum length of the header, bytes.
const LONGEST_HEADER: usize = 1 << 16;

/// Maximum number of corners of a face.
const MOST_CORNERS: usize = 256;

/// Type of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

/// Representation of the numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Text,
    Little,
    Big,
}

/// A property of an element.
#[derive(Clone, Debug)]
struct Property {
    name: String,
    kind: Number,
    /// Type of the length of a list; `None` for a single number.
    length: Option<Number>,
}

/// A list of elements of the same kind.
#[derive(Clone, Debug, Default)]
struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

/// Reads a PLY file: the positions of its vertices, and its faces, which are divided into triangles. Other properties are
/// skipped. Format: Turk, "The PLY Polygon File Format", 1994.
///
/// # Errors
///
/// The header is no PLY header, the file ends early, or a face names a vertex that does not exist.
pub fn parse(bytes: &[u8]) -> Result<Triangles, MeshError> {
    let (form, elements, body) = header(bytes)?;
    let mut numbers = Numbers {
        form,
        rest: body,
        words: text_of(form, body)?.split_ascii_whitespace(),
    };
    let mut triangles = Triangles::default();
    for element in &elements {
        for _ in 0..element.count {
            match element.name.as_str() {
                "vertex" => triangles.vertices.push(vertex(element, &mut numbers)?),
                "face" => face(element, &mut numbers, &mut triangles)?,
                _ => skip(element, &mut numbers)?,
            }
        }
    }
    checked(triangles)
}

/// Returns the body as a text if its numbers are written as text.
fn text_of(form: Form, body: &[u8]) -> Result<&str, MeshError> {
    match form {
        Form::Text => std::str::from_utf8(body)
            .map_err(|_error| broken("its numbers are no text, although its header says so")),
        Form::Little | Form::Big => Ok(""),
    }
}

/// Reads the header; returns the form of the numbers, the elements, and the bytes after the header.
fn header(bytes: &[u8]) -> Result<(Form, Vec<Element>, &[u8]), MeshError> {
    let mut rest = bytes;
    let mut form = None;
    let mut elements: Vec<Element> = Vec::new();
    if line(&mut rest)? != "ply" {
        return Err(broken("it does not begin with `ply`"));
    }
    loop {
        if bytes.len() - rest.len() > LONGEST_HEADER {
            return Err(broken("its header is too long"));
        }
        let text = line(&mut rest)?;
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        match words.as_slice() {
            ["format", name, _] => form = Some(form_of(name)?),
            ["element", name, count] => elements.push(Element {
                name: (*name).to_owned(),
                count: count
                    .parse()
                    .map_err(|_error| broken(format!("`{count}` is no number of elements")))?,
                properties: Vec::new(),
            }),
            ["property", more @ ..] => {
                let element = elements.last_mut();
                let element = element.ok_or_else(|| broken("a property has no element"))?;
                element.properties.push(property(more)?);
            }
            ["end_header"] => break,
            ["comment" | "obj_info", ..] | [] => {}
            _ => return Err(broken(format!("its header has an unknown line: `{text}`"))),
        }
    }
    let form = form.ok_or_else(|| broken("its header has no `format`"))?;
    // Elements without properties would take no bytes.
    let is_empty = |element: &Element| element.properties.is_empty() && element.count > 0;
    match elements.iter().any(is_empty) {
        true => Err(broken("an element has no properties")),
        false => Ok((form, elements, rest)),
    }
}

/// Takes a line of the header.
fn line<'b>(rest: &mut &'b [u8]) -> Result<&'b str, MeshError> {
    let end = rest
        .iter()
        .take(LONGEST_HEADER)
        .position(|&byte| byte == b'\n');
    let end = end.ok_or_else(|| broken("its header does not end"))?;
    let (line, after) = rest.split_at(end);
    *rest = after.get(1..).unwrap_or_default();
    let text = std::str::from_utf8(line).map_err(|_error| broken("its header is no text"))?;
    Ok(text.trim())
}

fn form_of(name: &str) -> Result<Form, MeshError> {
    match name {
        "ascii" => Ok(Form::Text),
        "binary_little_endian" => Ok(Form::Little),
        "binary_big_endian" => Ok(Form::Big),
        _ => Err(broken(format!("there is no format `{name}`"))),
    }
}

fn property(words: &[&str]) -> Result<Property, MeshError> {
    let (kind, length, name) = match words {
        ["list", length, kind, name] => (kind, Some(number_of(length)?), name),
        [kind, name] => (kind, None, name),
        _ => return Err(broken("a property has no type or no name")),
    };
    Ok(Property {
        name: (*name).to_owned(),
        kind: number_of(kind)?,
        length,
    })
}

fn number_of(name: &str) -> Result<Number, MeshError> {
    Ok(match name {
        "char" | "int8" => Number::I8,
        "uchar" | "uint8" => Number::U8,
        "short" | "int16" => Number::I16,
        "ushort" | "uint16" => Number::U16,
        "int" | "int32" => Number::I32,
        "uint" | "uint32" => Number::U32,
        "float" | "float32" => Number::F32,
        "double" | "float64" => Number::F64,
        _ => return Err(broken(format!("there is no type `{name}`"))),
    })
}

/// Numbers of the body, in order.
struct Numbers<'b> {
    form: Form,
    rest: &'b [u8],
    words: std::str::SplitAsciiWhitespace<'b>,
}

impl Numbers<'_> {
    fn next(&mut self, kind: Number) -> Result<f64, MeshError> {
        if self.form == Form::Text {
            let word = self.words.next().ok_or_else(ends)?;
            return word
                .parse()
                .map_err(|_error| broken(format!("`{word}` is no number")));
        }
        Ok(match kind {
            Number::I8 => f64::from(i8::from_le_bytes(self.bytes()?)),
            Number::U8 => f64::from(u8::from_le_bytes(self.bytes()?)),
            Number::I16 => f64::from(i16::from_le_bytes(self.bytes()?)),
            Number::U16 => f64::from(u16::from_le_bytes(self.bytes()?)),
            Number::I32 => f64::from(i32::from_le_bytes(self.bytes()?)),
            Number::U32 => f64::from(u32::from_le_bytes(self.bytes()?)),
            Number::F32 => f64::from(f32::from_le_bytes(self.bytes()?)),
            Number::F64 => f64::from_le_bytes(self.bytes()?),
        })
    }

    /// Takes the bytes of a number, the lowest first.
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], MeshError> {
        let (first, rest) = self.rest.split_first_chunk::<N>().ok_or_else(ends)?;
        self.rest = rest;
        let mut bytes = *first;
        if self.form == Form::Big {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// Takes the length of a list.
    fn length(&mut self, kind: Number) -> Result<usize, MeshError> {
        let length = self.next(kind)?;
        match length >= 0.0 && length <= f64::from(u32::MAX) {
            true => Ok(length as usize),
            false => Err(broken(format!("`{length}` is no length of a list"))),
        }
    }
}

fn ends() -> MeshError {
    broken("it ends early: its header names more elements")
}

fn vertex(element: &Element, numbers: &mut Numbers<'_>) -> Result<[f32; 3], MeshError> {
    let mut position = [f32::NAN; 3];
    for property in &element.properties {
        if let Some(length) = property.length {
            skip_list(numbers, length, property.kind)?;
            continue;
        }
        let number = numbers.next(property.kind)? as f32;
        if let Some(axis) = ["x", "y", "z"]
            .iter()
            .position(|axis| *axis == property.name)
        {
            position[axis] = number;
        }
    }
    match position.iter().any(|number| number.is_nan()) {
        true => Err(broken("a vertex has no position")),
        false => Ok(position),
    }
}

fn face(
    element: &Element,
    numbers: &mut Numbers<'_>,
    triangles: &mut Triangles,
) -> Result<(), MeshError> {
    for property in &element.properties {
        let is_corners = ["vertex_indices", "vertex_index"].contains(&property.name.as_str());
        match property.length {
            Some(length) if is_corners => {
                let count = numbers.length(length)?;
                if count > MOST_CORNERS {
                    let message = format!("a face has {count} corners, more than {MOST_CORNERS}");
                    return Err(MeshError::TooLarge(message));
                }
                let mut corners = Vec::with_capacity(count);
                for _ in 0..count {
                    let corner = numbers.next(property.kind)?;
                    if corner < 0.0 || corner.fract() != 0.0 || corner > f64::from(u32::MAX) {
                        return Err(broken(format!("`{corner}` is no vertex")));
                    }
                    corners.push(corner as u32);
                }
                // A fan divides faces with more than three corners, which are convex in practice.
                let [first, rest @ ..] = corners.as_slice() else {
                    continue;
                };
                let pairs = rest.array_windows::<2>();
                let fan = pairs.map(|[second, third]| [*first, *second, *third]);
                triangles.faces.extend(fan);
            }
            Some(length) => skip_list(numbers, length, property.kind)?,
            None => {
                numbers.next(property.kind)?;
            }
        }
    }
    Ok(())
}

fn skip(element: &Element, numbers: &mut Numbers<'_>) -> Result<(), MeshError> {
    for property in &element.properties {
        match property.length {
            Some(length) => skip_list(numbers, length, property.kind)?,
            None => {
                numbers.next(property.kind)?;
            }
        }
    }
    Ok(())
}

fn skip_list(numbers: &mut Numbers<'_>, length: Number, kind: Number) -> Result<(), MeshError> {
    for _ in 0..numbers.length(length)? {
        numbers.next(kind)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "element vertex 4\ncomment a square\nproperty float x\nproperty double y\nproperty short z\n\
                        property uchar red\nelement edge 1\nproperty int a\nelement face 1\n\
                        property list uchar float weights\nproperty list uchar int vertex_indices\nend_header\n";

    fn text() -> String {
        format!(
            "ply\nformat ascii 1.0\n{HEAD}0 0 0 255\n1 0 0 255\n1 1 0 255\n0 1.5 2 255\n7\n1 0.5 4 0 1 2 3\n"
        )
    }

    fn binary(big: bool) -> Vec<u8> {
        let name = if big { "big" } else { "little" };
        let mut bytes = format!("ply\r\nformat binary_{name}_endian 1.0\n{HEAD}").into_bytes();
        let mut add = |number: &[u8]| {
            let mut number = number.to_vec();
            if big {
                number.reverse();
            }
            bytes.extend(number);
        };
        for (x, y, z) in [
            (0.0_f32, 0.0_f64, 0_i16),
            (1.0, 0.0, 0),
            (1.0, 1.0, 0),
            (0.0, 1.5, 2),
        ] {
            add(&x.to_le_bytes());
            add(&y.to_le_bytes());
            add(&z.to_le_bytes());
            add(&[255]);
        }
        add(&7_i32.to_le_bytes());
        add(&[1]);
        add(&0.5_f32.to_le_bytes());
        add(&[4]);
        for corner in 0..4_i32 {
            add(&corner.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn text_and_both_byte_orders_are_the_same() {
        let read = parse(text().as_bytes()).unwrap();
        assert_eq!(read.faces, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(read.vertices[3], [0.0, 1.5, 2.0]);
        assert_eq!(parse(&binary(false)).unwrap(), read);
        assert_eq!(parse(&binary(true)).unwrap(), read);
    }

    #[test]
    fn damaged_files_are_refused() {
        for whole in [text().into_bytes(), binary(false)] {
            for length in 0..whole.len() - 1 {
                let start = &whole[..length];
                assert!(parse(start).is_err(), "{length} bytes");
            }
        }
        let with = |old: &str, new: &str| parse(text().replace(old, new).as_bytes());
        for (old, new) in [
            ("vertex 4", "vertex 99999999999"),
            ("vertex 4", "vertex -1"),
            ("4 0 1 2 3", "4 0 1 2 9"),
            ("4 0 1 2 3", "4 0 1 2 -3"),
            ("4 0 1 2 3", "-4 0 1 2 3"),
            ("4 0 1 2 3", "300 0 1 2 3"),
            ("property float x", "property half x"),
            ("property float x", "property float u"),
            ("ascii", "text"),
            ("1.5", "nan"),
            ("1.5", "1e999"),
        ] {
            assert!(with(old, new).is_err(), "{new}");
        }
    }
}
