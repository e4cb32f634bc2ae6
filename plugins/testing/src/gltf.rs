//! A small glTF mesh, for tests of readers and renderers.
use gltf::binary::{Glb, Header};
use serde_json::{Value, json};

/// Returns a binary file with this JSON and these bytes.
#[must_use]
pub fn glb(json: &Value, binary: &[u8]) -> Vec<u8> {
    let glb = Glb {
        header: Header {
            magic: *b"glTF",
            version: 2,
            length: 0, // the writer computes it
        },
        json: json.to_string().into_bytes().into(),
        bin: Some(binary.into()),
    };
    // Writing to memory cannot fail.
    glb.to_vec().unwrap_or_default()
}

/// Returns a square of two triangles in the xy plane, from 0 to 1; x and y are its texture coordinates, too. Its binary has
/// four positions, four normals, four coordinates and six indices.
#[must_use]
pub fn square() -> (Value, Vec<u8>) {
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0_f32]];
    let positions = corners.map(|[x, y]| [x, y, 0.0]);
    let mut numbers = positions.as_flattened().to_vec();
    numbers.extend([0.0, 0.0, 1.0].repeat(4));
    numbers.extend(corners.map(|[x, y]| [x, 1.0 - y]).as_flattened());
    let mut binary: Vec<u8> = numbers.iter().flat_map(|x: &f32| x.to_le_bytes()).collect();
    binary.extend(
        [0, 1, 2, 0, 2, 3_u16]
            .iter()
            .flat_map(|at| at.to_le_bytes()),
    );
    let json = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2 }, "indices": 3, "material": 0 }] }],
        "materials": [{ "name": "red" }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
              "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 0, "byteOffset": 48, "componentType": 5126, "count": 4, "type": "VEC3" },
            { "bufferView": 0, "byteOffset": 96, "componentType": 5126, "count": 4, "type": "VEC2" },
            { "bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR" }
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 128 },
            { "buffer": 0, "byteOffset": 128, "byteLength": 12 }
        ],
        "buffers": [{ "byteLength": 140 }]
    });
    (json, binary)
}
