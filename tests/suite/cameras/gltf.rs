//! The same cube as OBJ and as glTF: results for cameras and bodies are equal.
use std::fs;

use morse_sim::{
    Simulation,
    sensor::{
        depth_video_camera::DepthVideoCameraData, pose::PoseData,
        segmentation_camera::SegmentationCameraData, video_camera::VideoCameraData,
    },
    simulation::no_extensions,
};
use serde_json::json;

use super::painted::{BLUE, GREEN, RED, WHITE, write_png};

/// Returns the corners and sides of a cube of 1 m, around the origin.
fn cube() -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let corner = |index: u32| [index & 1, index >> 1 & 1, index >> 2].map(|bit| bit as f32 - 0.5);
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
    (
        (0..8).map(corner).collect(),
        sides.into_iter().flat_map(halves).collect(),
    )
}

fn obj() -> String {
    let (corners, faces) = cube();
    let mut text = "mtllib cube.mtl\nusemtl paint\n".to_owned();
    for [x, y, z] in corners {
        text += &format!("v {x} {y} {z}\n");
    }
    for [a, b, c] in faces.into_iter().map(|face| face.map(|corner| corner + 1)) {
        text += &format!("f {a} {b} {c}\n");
    }
    text
}

/// Returns the cube, displaced and half as large in its mesh: two nodes transform it.
fn glb() -> Vec<u8> {
    let (corners, faces) = cube();
    let small = corners.iter().flatten().map(|value| value / 2.0);
    let mut binary: Vec<u8> = small.flat_map(f32::to_le_bytes).collect();
    binary.extend(
        faces
            .iter()
            .flatten()
            .flat_map(|corner| corner.to_le_bytes()),
    );
    // A quarter of the light is code 137 (IEC 61966-2-1), as in the MTL file.
    let json = json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "scale": [2, 2, 2], "translation": [0, 0, 2], "children": [1] },
            { "mesh": 0, "translation": [0, 0, -1] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1, "material": 0 }] }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorFactor": [0.25, 0, 1, 1] } }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3",
              "min": [-0.25, -0.25, -0.25], "max": [0.25, 0.25, 0.25] },
            { "bufferView": 1, "componentType": 5125, "count": 36, "type": "SCALAR" }
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 96 },
            { "buffer": 0, "byteOffset": 96, "byteLength": 144 }
        ],
        "buffers": [{ "byteLength": 240 }]
    });
    container(&json, &binary)
}

fn container(json: &serde_json::Value, binary: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let number = |number: usize| (number as u32).to_le_bytes();
    let length = 28 + text.len() + binary.len();
    [
        b"glTF",
        number(2).as_slice(),
        &number(length),
        &number(text.len()),
        b"JSON",
        &text,
        &number(binary.len()),
        b"BIN\0",
        binary,
    ]
    .concat()
}

/// Picture of a cube at rest, and of one that falls onto the ground.
struct Seen {
    depths: Vec<f32>,
    instances: Vec<u16>,
    colors: Vec<u8>,
    height: f64,
}

fn seen(folder: &std::path::Path, mesh: &str) -> Seen {
    let scene = format!(
        "frame eye {{ translation [-4, 0, 1]; }}
         frame ground {{ translation [0, 0, -0.5]; geometry {{ shape box; dimension [9, 9, 1]; }} }}
         frame still {{ translation [0, 1, 0.6]; rpy [0.3, 0.2, 0.5]; geometry {{ mesh \"{mesh}\"; }} }}
         frame falls {{ translation [0, -1, 0.6]; mass 2; geometry {{ mesh \"{mesh}\"; }} }}"
    );
    fs::write(folder.join("scene.robray"), scene).unwrap();
    let text = r#"Simulation(scene: "scene.robray", robots: {
        "r": (frame: "eye", base: fixed, sensors: {
            "depth": (kind: "depth_video_camera", SIZE), "names": (kind: "segmentation_camera", SIZE),
            "video": (kind: "video_camera", SIZE) }),
        "falls": (frame: "falls", base: dynamic, sensors: { "pose": (kind: "pose") }) })"#
        .replace("SIZE", "width: 64, height: 48");
    let mut simulation =
        Simulation::parse(&text, folder, &no_extensions).unwrap_or_else(|error| panic!("{error}"));
    simulation.step().unwrap();
    let depths = simulation.read::<DepthVideoCameraData>("r.depth").unwrap();
    let names = simulation
        .read::<SegmentationCameraData>("r.names")
        .unwrap();
    let video = simulation.read::<VideoCameraData>("r.video").unwrap();
    let seen = Seen {
        depths: depths.image.values().to_vec(),
        instances: names.instances.values().to_vec(),
        colors: video.image.values().to_vec(),
        height: 0.0,
    };
    assert_eq!(simulation.take_warnings(), Vec::<String>::new());
    simulation.run(120).unwrap();
    let height = simulation.read::<PoseData>("falls.pose").unwrap().z;
    Seen { height, ..seen }
}

#[test]
fn a_cube_is_the_same_as_obj_and_as_gltf() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cube.obj"), obj()).unwrap();
    let color = "newmtl paint\nKd 0.5370987 0 1\n";
    fs::write(folder.path().join("cube.mtl"), color).unwrap();
    fs::write(folder.path().join("cube.glb"), glb()).unwrap();
    let one = seen(folder.path(), "cube.obj");
    let other = seen(folder.path(), "cube.glb");
    let numbers: std::collections::BTreeSet<u16> = one.instances.iter().copied().collect();
    assert!(numbers.len() >= 3, "ground and two cubes: {numbers:?}");
    assert!(one.instances == other.instances);
    assert!(one.depths == other.depths);
    assert!(one.colors == other.colors);
    assert!(one.colors.iter().any(|channel| *channel > 200), "it is lit");
    assert!((one.height - 0.5).abs() < 1e-2, "{}", one.height);
    assert!((one.height - other.height).abs() < 1e-6, "{}", other.height);
}

#[test]
fn an_image_inside_is_seen_upright() {
    let folder = super::painted::folder(r#"mesh "wall.gltf";"#);
    write_png(
        &folder.path().join("own.png"),
        2,
        &[RED, GREEN, BLUE, WHITE],
    );
    let image = fs::read(folder.path().join("own.png")).unwrap();
    fs::remove_file(folder.path().join("own.png")).unwrap();
    // In the view along x, left is +y; coordinates begin in the upper left corner.
    let mut numbers: Vec<f32> = Vec::new();
    for [y, z] in [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]] {
        numbers.extend([-0.5, y, z]);
    }
    numbers.extend([0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let mut binary: Vec<u8> = numbers.into_iter().flat_map(f32::to_le_bytes).collect();
    binary.extend([0, 2, 1, 1, 2, 3, 0, 0]);
    let begin = binary.len();
    binary.extend(&image);
    binary.resize(binary.len().next_multiple_of(4), 0);
    let json = json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "indices": 2, "material": 0 }] }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
        "textures": [{ "source": 0 }],
        "images": [{ "bufferView": 1, "mimeType": "image/png" }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
              "min": [-0.5, -1, -1], "max": [-0.5, 1, 1] },
            { "bufferView": 0, "byteOffset": 48, "componentType": 5126, "count": 4, "type": "VEC2" },
            { "bufferView": 0, "byteOffset": 80, "componentType": 5121, "count": 6, "type": "SCALAR" }
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": begin },
            { "buffer": 0, "byteOffset": begin, "byteLength": image.len() }
        ],
        "buffers": [{ "byteLength": binary.len() }]
    });
    // The contents make a file binary, whatever its name is.
    fs::write(folder.path().join("wall.gltf"), container(&json, &binary)).unwrap();
    let mut simulation = super::painted::simulation(folder.path());
    let colors = super::painted::quarters(&mut simulation);
    super::painted::assert_near(colors, [RED, GREEN, BLUE, WHITE]);
    assert_eq!(simulation.take_warnings(), Vec::<String>::new());
}
