//! Primitives of a geometry of a Collada file, converted to triangles.

use std::collections::BTreeMap;

use super::{Ids, Xml, broken, child};
use crate::mesh::MeshError;

/// Triangles of one material, in the frame of their geometry.
pub(super) struct Shape<'a> {
    pub(super) vertices: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) coordinates: Vec<[f32; 2]>,
    pub(super) faces: Vec<[u32; 3]>,
    /// Symbol of the material.
    pub(super) material: Option<&'a str>,
}

/// Numbers of a source, with their stride.
struct Source {
    numbers: Vec<f32>,
    stride: usize,
    offset: usize,
}

impl Source {
    fn of(node: Xml<'_>, ids: &Ids<'_>) -> Option<Self> {
        let accessor = child(node, "technique_common").and_then(|common| child(common, "accessor"));
        let array = accessor.and_then(|accessor| ids.at(accessor.attribute("source")));
        let array = array.or_else(|| child(node, "float_array"))?;
        let number = |name: &str| accessor?.attribute(name)?.trim().parse().ok();
        Some(Self {
            numbers: numbers(array.text().unwrap_or_default())
                .into_iter()
                .map(|number| number as f32)
                .collect(),
            stride: number("stride").unwrap_or(3),
            offset: number("offset").unwrap_or(0),
        })
    }

    fn get<const N: usize>(&self, index: usize) -> Option<[f32; N]> {
        let start = index.checked_mul(self.stride)?.checked_add(self.offset)?;
        let numbers = self.numbers.get(start..start.checked_add(N)?)?;
        numbers.try_into().ok()
    }
}

/// Parses numbers from a text, up to the first invalid one.
pub(super) fn numbers(text: &str) -> Vec<f64> {
    let words = text.split_ascii_whitespace();
    words.map_while(|word| word.parse().ok()).collect()
}

/// Returns the shapes of a geometry: one per primitive.
pub(super) fn shapes<'a>(geometry: Xml<'a>, ids: &Ids<'a>) -> Result<Vec<Shape<'a>>, MeshError> {
    let Some(mesh) = child(geometry, "mesh") else {
        return Ok(Vec::new());
    };
    let mut sources = BTreeMap::new();
    let mut list = Vec::new();
    for primitive in mesh.children() {
        let name = primitive.tag_name().name();
        if ["triangles", "polylist", "polygons", "tristrips", "trifans"].contains(&name) {
            let inputs = Inputs::of(primitive, ids, &mut sources)?;
            list.push(shape(primitive, name, &inputs, &sources)?);
        }
    }
    Ok(list)
}

/// Sources of the vertices of a primitive: offset in the list of indices, and id of the source.
struct Inputs<'a> {
    position: (usize, &'a str),
    normal: Option<(usize, &'a str)>,
    coordinates: Option<(usize, &'a str)>,
    stride: usize,
}

impl<'a> Inputs<'a> {
    fn of(
        primitive: Xml<'a>,
        ids: &Ids<'a>,
        sources: &mut BTreeMap<&'a str, Source>,
    ) -> Result<Self, MeshError> {
        let mut stride = 0;
        let mut offsets_and_sources: BTreeMap<&str, (usize, &'a str)> = BTreeMap::new();
        let mut add = |input: Xml<'a>, offset: usize| {
            let source = ids.at(input.attribute("source"))?;
            let id = source.attribute("id")?;
            if !sources.contains_key(id) && source.tag_name().name() == "source" {
                sources.insert(id, Source::of(source, ids)?);
            }
            let semantic = input.attribute("semantic")?;
            offsets_and_sources.entry(semantic).or_insert((offset, id));
            Some(source)
        };
        for input in super::children(primitive, "input") {
            let offset = input.attribute("offset").unwrap_or("0").trim();
            let offset: usize = offset
                .parse()
                .map_err(|error| broken(format!("an offset is no number: {error}")))?;
            if offset > 64 {
                return Err(broken("a primitive has too many inputs"));
            }
            stride = stride.max(offset + 1);
            let source = add(input, offset);
            if let Some(vertices) = source.filter(|source| source.tag_name().name() == "vertices") {
                for input in super::children(vertices, "input") {
                    add(input, offset);
                }
            }
        }
        let of = |semantic: &str| offsets_and_sources.get(semantic).copied();
        let known = |input: &(usize, &str)| sources.contains_key(input.1);
        Ok(Self {
            position: of("POSITION")
                .filter(known)
                .ok_or_else(|| broken("a primitive has no positions"))?,
            normal: of("NORMAL").filter(known),
            coordinates: of("TEXCOORD").filter(known),
            stride,
        })
    }
}

fn shape<'a>(
    primitive: Xml<'a>,
    kind: &str,
    inputs: &Inputs<'a>,
    sources: &BTreeMap<&'a str, Source>,
) -> Result<Shape<'a>, MeshError> {
    let mut maker = Maker {
        inputs,
        sources,
        known: BTreeMap::new(),
        shape: Shape {
            vertices: Vec::new(),
            normals: Vec::new(),
            coordinates: Vec::new(),
            faces: Vec::new(),
            material: primitive.attribute("material"),
        },
    };
    for list in super::children(primitive, "p") {
        let indices = indices(list.text().unwrap_or_default())?;
        let corners: Vec<&[usize]> = indices.chunks_exact(inputs.stride).collect();
        match kind {
            "triangles" => {
                for corners in corners.chunks_exact(3) {
                    maker.polygon(corners)?;
                }
            }
            "polylist" => {
                let counts = child(primitive, "vcount");
                let counts = counts.and_then(|counts| counts.text()).unwrap_or_default();
                let mut rest = corners.as_slice();
                for count in self::indices(counts)? {
                    let (polygon, after) = rest
                        .split_at_checked(count)
                        .ok_or_else(|| broken("a polygon has more corners than there are"))?;
                    maker.polygon(polygon)?;
                    rest = after;
                }
            }
            "tristrips" => {
                for (index, corners) in corners.windows(3).enumerate() {
                    match (index % 2, corners) {
                        (1, [a, b, c]) => maker.polygon(&[b, a, c])?,
                        _ => maker.polygon(corners)?,
                    }
                }
            }
            // Polygons are taken as convex and split into fans.
            _ => maker.polygon(&corners)?,
        }
    }
    Ok(maker.shape)
}

fn indices(text: &str) -> Result<Vec<usize>, MeshError> {
    let words = text.split_ascii_whitespace();
    let read: Result<_, _> = words.map(str::parse).collect();
    read.map_err(|error: std::num::ParseIntError| broken(format!("an index is no number: {error}")))
}

/// Builds triangles from vertices, merging equal vertices.
struct Maker<'s, 'a> {
    inputs: &'s Inputs<'a>,
    sources: &'s BTreeMap<&'a str, Source>,
    known: BTreeMap<[usize; 3], u32>,
    shape: Shape<'a>,
}

impl Maker<'_, '_> {
    /// Adds the triangles of a polygon.
    fn polygon(&mut self, corners: &[&[usize]]) -> Result<(), MeshError> {
        let [first, rest @ ..] = corners else {
            return Ok(());
        };
        let first = self.corner(first)?;
        for pair in rest.windows(2) {
            if let [one, other] = pair {
                let face = [first, self.corner(one)?, self.corner(other)?];
                self.shape.faces.push(face);
            }
        }
        Ok(())
    }

    fn corner(&mut self, indices: &[usize]) -> Result<u32, MeshError> {
        let index_of = |input: Option<(usize, &str)>| {
            let index = input.and_then(|(offset, _)| indices.get(offset));
            index.copied().unwrap_or(0)
        };
        let Inputs {
            position,
            normal,
            coordinates,
            ..
        } = *self.inputs;
        let key = [
            index_of(Some(position)),
            index_of(normal),
            index_of(coordinates),
        ];
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let source = |input: (usize, &str)| self.sources.get(input.1);
        let vertex = source(position).and_then(|source| source.get::<3>(key[0]));
        let vertex = vertex.ok_or_else(|| broken("a corner names a vertex that does not exist"))?;
        let normal = normal.and_then(|input| source(input)?.get::<3>(key[1]));
        let texture_coordinates = coordinates.and_then(|input| source(input)?.get::<2>(key[2]));
        let new = u32::try_from(self.shape.vertices.len())
            .map_err(|error| MeshError::TooLarge(format!("it has too many corners: {error}")))?;
        self.shape.vertices.push(vertex);
        self.shape.normals.push(normal.unwrap_or_default());
        self.shape
            .coordinates
            .push(texture_coordinates.unwrap_or_default());
        self.known.insert(key, new);
        Ok(new)
    }
}
