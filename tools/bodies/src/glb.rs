//! Output of binary glTF 2.0 files.
use std::collections::BTreeMap;

use gltf::binary::{Glb, Header};
use serde_json::{Value, json};

use crate::{materials::Material, mesh::Mesh};

/// Accessor types of glTF.
const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;

/// Returns the file of a mesh: one primitive for each material, with positions, normals and indices. Positions are rounded
/// to 10 µm, normals to 1/1000, so that the file does not depend on the last bits of a calculation.
pub(crate) fn write(mesh: &Mesh) -> Vec<u8> {
    let mut file = File::default();
    let mut materials: Vec<Material> = Vec::new();
    for (material, _) in &mesh.parts {
        if !materials.contains(material) {
            materials.push(*material);
        }
    }
    let primitives: Vec<Value> = materials
        .iter()
        .enumerate()
        .map(|(index, material)| primitive(mesh, material, index, &mut file))
        .collect();
    let json = json!({
        "asset": { "version": "2.0", "generator": "morse-bodies" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0, "name": mesh.name }],
        "meshes": [{ "primitives": primitives }],
        "materials": materials.iter().map(described).collect::<Vec<_>>(),
        "accessors": file.accessors,
        "bufferViews": file.views,
        "buffers": [{ "byteLength": file.bytes.len() }],
    });
    let header = Header {
        magic: *b"glTF",
        version: 2,
        length: 0, // the writer computes it
    };
    let glb = Glb {
        header,
        json: json.to_string().into_bytes().into(),
        bin: Some(file.bytes.into()),
    };
    glb.to_vec().expect("writing to memory cannot fail")
}

/// Contents of a file so far.
#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl File {
    /// Adds an array, and returns the index of its accessor.
    fn add(&mut self, bytes: &[u8], mut accessor: Value) -> usize {
        self.views.push(json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() }));
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        accessor["bufferView"] = json!(self.views.len() - 1);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

/// Adds the triangles of one material, and returns their primitive. Equal vertices are merged.
fn primitive(mesh: &Mesh, material: &Material, index: usize, file: &mut File) -> Value {
    let mut known = BTreeMap::<[i32; 6], u16>::new();
    let mut indices: Vec<u16> = Vec::new();
    let mut numbers: Vec<[i32; 6]> = Vec::new();
    let shells = mesh.parts.iter().filter(|(other, _)| other == material);
    for vertex in shells.flat_map(|(_, shell)| shell.vertices()).flatten() {
        let [position, normal] = vertex;
        let [x, y, z] = (position * 1e5).map(|value| value.round() as i32).into();
        let [u, v, w] = (normal * 1e3).map(|value| value.round() as i32).into();
        let key = [x, y, z, u, v, w];
        indices.push(*known.entry(key).or_insert_with(|| {
            numbers.push(key);
            u16::try_from(numbers.len() - 1).expect("a mesh has at most 65 536 vertices a material")
        }));
    }
    let column = |first: usize, unit: f64| -> Vec<[f32; 3]> {
        let entry = |row: &[i32; 6], axis| (f64::from(row[first + axis]) * unit) as f32;
        numbers
            .iter()
            .map(|row| [0, 1, 2].map(|axis| entry(row, axis)))
            .collect()
    };
    let [positions, normals] = [column(0, 1e-5), column(3, 1e-3)];
    let bound = |pick: fn(f32, f32) -> f32, start: f32| {
        [0, 1, 2].map(|axis| positions.iter().map(|point| point[axis]).fold(start, pick))
    };
    let floats = |of: &[[f32; 3]]| -> Vec<u8> {
        of.iter()
            .flatten()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    };
    let accessor = |kind: u32, count: usize, shape: &str| json!({ "componentType": kind, "count": count, "type": shape });
    let mut of_positions = accessor(FLOAT, positions.len(), "VEC3");
    of_positions["min"] = json!(bound(f32::min, f32::INFINITY));
    of_positions["max"] = json!(bound(f32::max, f32::NEG_INFINITY));
    let position = file.add(&floats(&positions), of_positions);
    let normal = file.add(&floats(&normals), accessor(FLOAT, normals.len(), "VEC3"));
    let bytes: Vec<u8> = indices
        .iter()
        .flat_map(|index| index.to_le_bytes())
        .collect();
    let corners = file.add(&bytes, accessor(UNSIGNED_SHORT, indices.len(), "SCALAR"));
    json!({
        "attributes": { "POSITION": position, "NORMAL": normal },
        "indices": corners,
        "material": index,
    })
}

/// Returns the description of a material. Colours of glTF are linear.
fn described(material: &Material) -> Value {
    let linear = |channel: f64| {
        let value = if channel <= 0.04045 {
            channel / 12.92
        } else {
            libm::pow((channel + 0.055) / 1.055, 2.4)
        };
        (value * 1e4).round() / 1e4
    };
    let [red, green, blue] = material.color.map(linear);
    json!({
        "name": material.name,
        "pbrMetallicRoughness": {
            "baseColorFactor": [red, green, blue, 1],
            "metallicFactor": u8::from(material.is_metal),
            "roughnessFactor": material.roughness,
        },
    })
}
