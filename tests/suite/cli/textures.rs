//! Images of meshes in packages of robots: in JPEG, and beside the directory of the meshes.
use std::path::Path;

use super::Room;

/// A tile of 1 m, with the image on its upper side.
const TILE: &str = "\
mtllib tile.mtl
v -0.5 -0.5 0\nv 0.5 -0.5 0\nv 0.5 0.5 0\nv -0.5 0.5 0\nv 0 0 -0.2
vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1
usemtl paint
f 1/1 2/2 3/3\nf 1/1 3/3 4/4
f 2/1 1/2 5/3\nf 3/1 2/2 5/3\nf 4/1 3/2 5/3\nf 1/1 4/2 5/3
";

/// Returns the picture of a scene, and asserts that all of it is drawn.
fn drawn(room: &Room, file: &str) -> Vec<u8> {
    let arguments = ["render", file, "-o", "it.png", "--size", "80x60"];
    let look = ["--eye=0.3,0,1.5", "--look=0,0,0", "--strict"];
    let arguments: Vec<&str> = arguments.into_iter().chain(look).collect();
    let ran = room.run(&arguments).with_code(0);
    assert!(!ran.err.contains("image"), "{}", ran.err);
    std::fs::read(room.path().join("it.png")).expect("a picture")
}

#[test]
fn jpeg_images_of_packages_are_drawn_copied_and_compiled() {
    let room = Room::new();
    for directory in ["it/meshes", "it/materials/textures", "copy"] {
        std::fs::create_dir_all(room.path().join(directory)).expect("a directory");
    }
    let image = room.path().join("it/materials/textures/a.jpg");
    let sample = "tests/fuzz/corpus/jpeg/subsampled.jpg";
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join(sample);
    std::fs::copy(sample, &image).expect("an image");
    room.write("it/meshes/tile.obj", TILE)
        .write(
            "it/meshes/tile.mtl",
            "newmtl paint\nmap_Kd ../materials/textures/a.jpg\n",
        )
        .write(
            "it/a.robray",
            "frame tile { geometry { mesh \"meshes/tile.obj\"; } }\n",
        );
    let expected = drawn(&room, "it/a.robray");
    let convert = ["convert", "it/a.robray", "copy/a.sdf", "--copy-assets"];
    let ran = room.run(&convert).with_code(0);
    assert!(ran.out.contains("3 files beside it"), "{}", ran.out);
    room.run(&["convert", "it/a.robray", "copy/a.robray", "--copy-assets"])
        .with_code(0);
    room.run(&["compile", "it/a.robray", "-o", "a.msc"])
        .with_code(0);
    std::fs::remove_file(&image).expect("a file");
    let missing = room.run(&["render", "it/a.robray", "-o", "none.png", "--size", "80x60"]);
    assert!(missing.err.contains("a.jpg"), "{}", missing.err);
    assert_eq!(drawn(&room, "copy/a.robray"), expected);
    assert_eq!(drawn(&room, "a.msc"), expected);
    assert!(room.path().join("copy/materials/textures/a.jpg").is_file());
}
