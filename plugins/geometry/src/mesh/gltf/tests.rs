//! glTF files made by hand, valid and hostile ones.
use std::path::Path;

use data_encoding::BASE64;
use morse_testing::gltf::{glb, square};
use serde_json::{Value, json};

use super::*;

fn read(json: &Value, binary: &[u8]) -> Result<Triangles, MeshError> {
    parse(&glb(json, binary), Path::new("nowhere"))
}

/// Parses the square after a change of its JSON.
fn changed(change: impl FnOnce(&mut Value)) -> Result<Triangles, MeshError> {
    let (mut json, binary) = square();
    change(&mut json);
    read(&json, &binary)
}

fn corners(triangles: &Triangles, face: usize) -> [[f32; 3]; 3] {
    triangles.faces[face].map(|corner| triangles.vertices[corner as usize])
}

#[test]
fn a_square_has_all_that_its_file_says() {
    let square = changed(|_| ()).unwrap();
    assert_eq!(square.faces, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(square.vertices[2], [1.0, 1.0, 0.0]);
    assert_eq!(square.normals, [[0.0, 0.0, 1.0]; 4]);
    // Texture coordinates start at the lower left corner of the image, as x and y do.
    let expected: Vec<_> = square.vertices.iter().map(|[x, y, _]| [*x, *y]).collect();
    assert_eq!(square.coordinates, expected);
    let part = Part {
        faces: 0..2,
        material: "0".to_owned(),
    };
    assert_eq!(square.parts, [part]);
    assert!(square.remarks.is_empty());
}

#[test]
fn nodes_transform_meshes() {
    // Up by 1, then a quarter turn about x and twice as large: y becomes z. The matrix of another node mirrors x.
    let half = 0.5_f64.sqrt();
    let placed = changed(|json| {
        json["nodes"] = json!([
            { "children": [1], "translation": [0, 0, 1] },
            { "children": [2], "rotation": [half, 0, 0, half], "scale": [2, 2, 2] },
            { "mesh": 0, "translation": [0, 1, 0] },
            { "mesh": 0, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1] }
        ]);
        json["scenes"] = json!([{ "nodes": [0, 3] }]);
    })
    .unwrap();
    let near = |actual: [f32; 3], expected: [f32; 3]| {
        let pairs = actual.iter().zip(expected);
        assert!(
            pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-6),
            "{actual:?} {expected:?}"
        );
    };
    // (1, 1, 0) is at (1, 2, 0), then at (2, 0, 4), then at (2, 0, 5).
    near(corners(&placed, 0)[2], [2.0, 0.0, 5.0]);
    near(placed.normals[0], [0.0, -1.0, 0.0]);
    near(corners(&placed, 2)[0], [5.0, 0.0, 0.0]);
    // The front of the mirror image is where its normals point.
    for face in 0..4 {
        let [a, b, c] = corners(&placed, face).map(nalgebra::Vector3::from);
        let normal = nalgebra::Vector3::from(placed.normals[placed.faces[face][0] as usize]);
        let front = (b - a).cross(&(c - a));
        assert!(front.dot(&normal) > 0.9, "{face}");
    }
    assert_eq!(placed.parts.len(), 1, "one material, one part");
}

#[test]
fn a_scale_that_squeezes_bends_normals_the_other_way() {
    let (mut json, mut binary) = square();
    for corner in 0..4 {
        for (axis, value) in [0.6, 0.0, 0.8_f32].into_iter().enumerate() {
            let offset = 48 + 12 * corner + 4 * axis;
            binary[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
        }
    }
    json["nodes"] = json!([{ "mesh": 0, "scale": [2, 1, 1] }]);
    let [x, y, z] = read(&json, &binary).unwrap().normals[0];
    // (0.6 / 2, 0, 0.8), of length 1.
    assert!((x / z - 0.375).abs() < 1e-6 && y == 0.0 && (x * x + z * z - 1.0).abs() < 1e-6);
}

#[test]
fn strips_fans_and_plain_vertices_are_triangles() {
    let faces = |mode: u32, has_indices: bool| {
        let read = changed(|json| {
            let primitive = json["meshes"][0]["primitives"][0].as_object_mut().unwrap();
            primitive.insert("mode".to_owned(), mode.into());
            if !has_indices {
                primitive.remove("indices");
            }
        });
        read.map(|triangles| triangles.faces)
    };
    assert_eq!(faces(5, false).unwrap(), [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(faces(6, false).unwrap(), [[1, 2, 0], [2, 3, 0]]);
    // The last vertex is unused.
    assert_eq!(faces(4, false).unwrap(), [[0, 1, 2]]);
    // 0 1 2 0 2 3: the triangles with repeated indices only connect the strip.
    assert_eq!(faces(5, true).unwrap(), [[0, 1, 2], [1, 0, 2], [0, 3, 2]]);
    assert!(
        faces(1, true)
            .unwrap_err()
            .to_string()
            .contains("no triangles")
    );
}

#[test]
fn indices_are_of_any_size_and_vertices_without_use_are_left_out() {
    let (json, binary) = square();
    for (kind, indices) in [
        (5121, vec![1, 2, 3]),
        (5125, vec![1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]),
    ] {
        let (mut json, mut binary) = (json.clone(), binary.clone());
        binary.truncate(128);
        binary.extend(&indices);
        json["accessors"][3]["componentType"] = kind.into();
        json["accessors"][3]["count"] = 3.into();
        json["bufferViews"][1]["byteLength"] = indices.len().into();
        json["buffers"][0]["byteLength"] = binary.len().into();
        let triangles = read(&json, &binary).unwrap();
        assert_eq!(triangles.vertices.len(), 3);
        assert_eq!(corners(&triangles, 0)[2], [0.0, 1.0, 0.0]);
    }
}

#[test]
fn what_is_not_shown_is_said_once() {
    let read = changed(|json| {
        let mut lines = json["meshes"][0]["primitives"][0].clone();
        lines["mode"] = 1.into();
        let mut colored = json["meshes"][0]["primitives"][0].clone();
        colored["attributes"]["COLOR_0"] = 1.into();
        colored["attributes"]["_OWN"] = 1.into();
        let primitives = json["meshes"][0]["primitives"].as_array_mut().unwrap();
        primitives.extend([lines.clone(), lines, colored]);
    });
    let read = read.unwrap();
    assert_eq!(read.faces.len(), 4);
    assert_eq!(
        read.remarks,
        ["its points and lines, its vertex colours are not shown"]
    );
}

#[test]
fn bytes_lie_in_the_name_or_beside_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (mut json, binary) = square();
    let expected = read(&json, &binary).unwrap();
    let mut parsed = |uri: String| {
        json["buffers"][0]["uri"] = uri.into();
        parse(json.to_string().as_bytes(), folder.path())
    };
    std::fs::write(folder.path().join("a b.bin"), &binary).unwrap();
    assert_eq!(parsed("a%20b.bin".to_owned()).unwrap(), expected);
    let data = BASE64.encode(&binary);
    let uri = format!("data:application/octet-stream;base64,{data}");
    assert_eq!(parsed(uri).unwrap(), expected);
    for (uri, why) in [
        ("../a.bin", "neither in the directory"),
        ("%2e%2e/a.bin", "neither in the directory"),
        ("/etc/hostname", "neither in the directory"),
        ("http://example.org/a.bin", "put the file"),
        ("file:///etc/hostname", "put the file"),
        ("missing.bin", "missing.bin` cannot be read"),
        ("%zz", "no valid URI"),
        ("data:text/plain,abc", "not in base64"),
        ("data:;base64,a", "not valid base64"),
        ("data:;base64,AAAA", "has 3 bytes, not 140"),
    ] {
        let error = parsed(uri.to_owned()).unwrap_err().to_string();
        assert!(error.contains(why), "{uri}: {error}");
    }
}

/// Asserts that the square with a change of one field is refused for this reason.
#[track_caller]
fn assert_refused(object: &str, field: &str, lie: Value, why: &str) {
    let read = changed(|json| json.pointer_mut(object).unwrap()[field] = lie);
    let error = read.unwrap_err().to_string();
    assert!(error.contains(why), "{object} {field}: {error}");
}

#[test]
fn lies_about_numbers_are_detected() {
    let beyond = "ends beyond its buffer";
    let kind = "not of the type";
    assert_refused("/accessors/1", "count", 400.into(), beyond);
    assert_refused("/accessors/1", "count", u64::MAX.into(), beyond);
    assert_refused("/accessors/0", "byteOffset", u64::MAX.into(), beyond);
    assert_refused("/bufferViews/0", "byteLength", 141.into(), beyond);
    assert_refused("/bufferViews/1", "byteOffset", u64::MAX.into(), beyond);
    assert_refused("/bufferViews/0", "byteStride", 8.into(), beyond);
    assert_refused("/bufferViews/0", "byteStride", 0.into(), "byteStride");
    assert_refused("/buffers/0", "byteLength", 999.into(), "not 999");
    assert_refused("/accessors/1", "count", 2.into(), "lacks a normal");
    let missing = "a vertex that does not exist";
    assert_refused("/accessors/0", "count", 3.into(), missing);
    assert_refused("/accessors/0", "componentType", 5125.into(), kind);
    assert_refused("/accessors/3", "type", "VEC2".into(), kind);
    assert_refused("/accessors/3", "count", 0.into(), "no triangles");
    let sparse = json!({ "count": 1, "indices": { "bufferView": 1, "componentType": 5123 },
        "values": { "bufferView": 0 } });
    assert_refused("/accessors/1", "sparse", sparse, "is sparse");
    let (json, mut binary) = square();
    binary[4..8].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(
        read(&json, &binary)
            .unwrap_err()
            .to_string()
            .contains("not finite")
    );
    // The third index.
    binary[132..134].copy_from_slice(&999_u16.to_le_bytes());
    assert!(
        read(&json, &binary)
            .unwrap_err()
            .to_string()
            .contains(missing)
    );
}

#[test]
fn lies_about_the_tree_are_detected() {
    let nowhere = "Index out of bounds";
    let twice = "node 0 is met twice";
    let primitive = "/meshes/0/primitives/0";
    let attributes = "/meshes/0/primitives/0/attributes";
    let none = "accessor 9 does not exist";
    assert_refused(attributes, "POSITION", 9.into(), none);
    assert_refused(attributes, "NORMAL", 9.into(), nowhere);
    assert_refused(primitive, "indices", 9.into(), nowhere);
    assert_refused(primitive, "material", 9.into(), nowhere);
    assert_refused(primitive, "mode", 9.into(), "mode`: Invalid value");
    assert_refused("/nodes/0", "children", json!([7]), nowhere);
    assert_refused("", "scene", 3.into(), nowhere);
    assert_refused("/nodes/0", "children", json!([0]), twice);
    assert_refused("/scenes/0", "nodes", json!([0, 0]), twice);
    let circle = json!([{ "children": [1] }, { "children": [2] }, { "children": [1] }]);
    assert_refused("", "nodes", circle, "node 1 is met twice");
    assert_refused("", "nodes", json!([{}]), "no triangles");
    let none = json!([0, 0, 0, 0]);
    assert_refused("/nodes/0", "rotation", none, "rotation of node 0 is none");
    assert_refused("/nodes/0", "scale", json!([1e300, 1, 1]), "not finite");
    let no_scene = changed(|json| {
        json["scenes"] = json!([]);
        json["scene"] = Value::Null;
    });
    assert!(
        no_scene
            .unwrap_err()
            .to_string()
            .contains("export it with one")
    );
    let draco = json!(["KHR_draco_mesh_compression"]);
    let why = "`KHR_draco_mesh_compression`, which cannot be read: export it without compression";
    assert_refused("", "extensionsRequired", draco, why);
    assert_refused("/asset", "version", "1.0".into(), "of glTF 1.0");
    assert_refused("", "asset", "secret".into(), "wrong type at line 1");
    let control = json!(["a\u{1b}[2J"]);
    assert_refused("", "extensionsRequired", control, r"`a\u{1b}[2J`");
}

#[test]
fn no_length_in_the_container_is_believed() {
    let (json, binary) = square();
    let whole = glb(&json, &binary);
    for length in 0..whole.len() {
        assert!(parse(&whole[..length], Path::new("")).is_err(), "{length}");
    }
    for offset in [4, 8, 12] {
        for lie in [0, 1, 11, u32::MAX] {
            let mut bytes = whole.clone();
            bytes[offset..offset + 4].copy_from_slice(&lie.to_le_bytes());
            assert!(parse(&bytes, Path::new("")).is_err(), "{offset}: {lie}");
        }
    }
    assert!(
        parse(b"solid t", Path::new(""))
            .unwrap_err()
            .to_string()
            .contains("valid")
    );
}

#[test]
fn what_would_grow_too_large_is_refused() {
    // Three bytes each, and a few hundred in memory.
    let nodes = "{},".repeat(1 << 20);
    let text = format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{nodes}{{}}] }}"#);
    let error = parse(text.as_bytes(), Path::new(""))
        .unwrap_err()
        .to_string();
    assert!(error.contains("values"), "{error}");
    // A mesh of 200 000 triangles, from a strip of one byte each, fifty times.
    let (mut json, mut binary) = square();
    binary.truncate(128);
    binary.extend([0, 1, 2].repeat(66_667));
    json["accessors"][3]["componentType"] = 5121.into();
    json["accessors"][3]["count"] = 200_001.into();
    json["bufferViews"][1]["byteLength"] = 200_001.into();
    json["buffers"][0]["byteLength"] = binary.len().into();
    json["meshes"][0]["primitives"][0]["mode"] = 5.into();
    json["nodes"] = vec![json!({ "mesh": 0 }); 50].into();
    json["scenes"][0]["nodes"] = (0..50).collect();
    let error = read(&json, &binary).unwrap_err().to_string();
    assert!(error.contains("8388608 triangles"), "{error}");
}
