//! Compiled scenes: they run, are drawn and are inspected as their texts are.
use std::{fmt::Write as _, path::Path};

use super::{Ran, Room, program};

/// A cube of 0.2 m with an image on one side.
const CUBE: &str = "\
mtllib cube.mtl
v -0.1 -0.1 -0.1\nv 0.1 -0.1 -0.1\nv 0.1 0.1 -0.1\nv -0.1 0.1 -0.1
v -0.1 -0.1 0.1\nv 0.1 -0.1 0.1\nv 0.1 0.1 0.1\nv -0.1 0.1 0.1
vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1
usemtl paint
f 1/1 4/2 3/3\nf 1/1 3/3 2/2\nf 5/1 6/2 7/3\nf 5/1 7/3 8/4
f 1/1 2/2 6/3\nf 1/1 6/3 5/4\nf 2/1 3/2 7/3\nf 2/1 7/3 6/4
f 3/1 4/2 8/3\nf 3/1 8/3 7/4\nf 4/1 1/2 5/3\nf 4/1 5/3 8/4
";

const SCENE: &str = "\
include \"part.robray\"
frame floor { geometry { isa ground; shape box; dimension [4, 4, 0.1]; image \"planks.png\"; } }
frame cube { type floating; translation [0, 0, 0.5]; rpy [0.3, 0.2, 0.1];
  geometry { mesh \"cube.obj\"; density 700; } }
frame ramp { translation [0, 0, 0.05]; geometry { mesh \"cube.obj\"; scale 0.5; collision 1; } }
";

/// Returns a directory with a scene of meshes and images.
fn room() -> Room {
    let room = Room::new();
    let planks = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/environments/planks.png");
    std::fs::copy(planks, room.path().join("planks.png")).expect("an image");
    room.write(
        "part.robray",
        "class ground { friction 0.8; color [0.5, 0.6, 0.5]; }\n",
    )
    .write("cube.obj", CUBE)
    .write(
        "cube.mtl",
        "newmtl paint\nKd 0.9 0.4 0.2\nmap_Kd planks.png\n",
    )
    .write("a.robray", SCENE);
    room
}

/// Compiles the scene into a directory of its own, so that no source is beside it.
fn compiled() -> Room {
    let room = room();
    std::fs::create_dir(room.path().join("out")).expect("a directory");
    let ran = room
        .run(&["compile", "a.robray", "-o", "out/a.msc"])
        .with_code(0);
    assert!(ran.out.contains("3 frames, 1 meshes"), "{}", ran.out);
    room
}

fn state(room: &Room, file: &str) -> String {
    let ran = room.run(&["run", file, "--steps", "90"]).with_code(0);
    let all = format!("{}{}", ran.out, ran.err);
    let line = all.lines().find(|line| line.starts_with("state "));
    line.unwrap_or_else(|| panic!("{all}")).to_owned()
}

#[test]
fn a_compiled_scene_runs_with_equal_bits_without_its_sources() {
    let room = compiled();
    let expected = state(&room, "a.robray");
    for source in [
        "a.robray",
        "part.robray",
        "cube.obj",
        "cube.mtl",
        "planks.png",
    ] {
        std::fs::remove_file(room.path().join(source)).expect("a file");
    }
    assert_eq!(state(&room, "out/a.msc"), expected);
}

#[test]
fn a_compiled_scene_is_inspected_and_drawn_as_its_text() {
    let room = compiled();
    let inspected = |file: &str| room.run(&["inspect", file]).with_code(0).out;
    assert_eq!(inspected("out/a.msc"), inspected("a.robray"));
    let drawn = |file: &str, image: &str| {
        let look = ["--eye=-1,-1,1", "--look=0,0,0.2", "--size", "160x120"];
        let mut arguments = vec!["render", file, "-o", image];
        arguments.extend(look);
        room.run(&arguments).with_code(0);
        std::fs::read(room.path().join(image)).expect("an image")
    };
    let expected = drawn("a.robray", "1.png");
    std::fs::remove_file(room.path().join("cube.mtl")).expect("a file");
    assert_ne!(
        drawn("a.robray", "2.png"),
        expected,
        "the materials are seen"
    );
    assert_eq!(drawn("out/a.msc", "3.png"), expected);
}

#[test]
fn simulations_and_scenes_name_compiled_scenes() {
    let room = compiled();
    room.write(
        "sim.ron",
        "Simulation(scene: \"out/a.msc\", robots: { \"r\": (model: \"out/a.msc\", at: (translation: (9, 0, 0))) })",
    );
    let ran = room.run(&["check", "sim.ron"]).with_code(0);
    assert!(ran.out.contains("7 frames"), "{}", ran.out);
    room.write(
        "all.robray",
        "include \"out/a.msc\"\nframe more { parent cube; }\n",
    );
    let ran = room.run(&["check", "all.robray"]).with_code(0);
    assert!(ran.out.contains("4 frames"), "{}", ran.out);
}

#[test]
fn changed_sources_are_reported() {
    let room = compiled();
    let check = || room.run(&["compile", "--check", "out/a.msc"]);
    check().with_code(0);
    room.write("cube.mtl", "newmtl paint\nKd 0 0 1\n");
    let ran = check().with_code(1);
    assert_eq!(ran.out, "out/a.msc: `../cube.mtl` has changed\n");
    std::fs::remove_file(room.path().join("part.robray")).expect("a file");
    assert_eq!(check().with_code(1).out.lines().count(), 2);
}

#[test]
fn what_cannot_be_compiled_or_read_is_explained() {
    let room = compiled();
    room.write(
        "wrong.robray",
        "frame a { geometry { mesh \"none.obj\"; } }",
    );
    let ran = room.run(&["compile", "wrong.robray"]).with_code(2);
    assert!(ran.err.contains("none.obj"), "{}", ran.err);
    let path = room.path().join("out/a.msc");
    let mut bytes = std::fs::read(&path).expect("a file");
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&path, bytes).expect("a file");
    for command in ["run", "check", "inspect"] {
        let ran = room.run(&[command, "out/a.msc"]).with_code(2);
        assert!(
            ran.err.contains("its length is wrong") && ran.err.contains("morse-sim compile"),
            "{}",
            ran.err
        );
    }
}

/// A ball as a mesh with 640 vertices.
fn ball(radius: f64) -> String {
    let mut text = String::new();
    let (rings, around) = (16, 40);
    for ring in 0..rings {
        let tilt = std::f64::consts::PI * (f64::from(ring) + 0.5) / f64::from(rings);
        for step in 0..around {
            let turn = std::f64::consts::TAU * f64::from(step) / f64::from(around);
            let (height, width) = (radius * libm::cos(tilt), radius * libm::sin(tilt));
            let [x, y] = [libm::cos(turn), libm::sin(turn)].map(|value| width * value);
            writeln!(text, "v {x} {y} {height}").expect("memory");
        }
    }
    for ring in 0..rings - 1 {
        for step in 0..around {
            let [a, b] = [step, (step + 1) % around].map(|step| ring * around + step + 1);
            let [c, d] = [a + around, b + around];
            writeln!(text, "f {a} {c} {d}\nf {a} {d} {b}").expect("memory");
        }
    }
    text
}

#[test]
fn hulls_are_stored_in_the_users_cache_directory() {
    let room = Room::new();
    let scene = "frame floor { geometry { shape box; dimension [4, 4, 0.1]; } }
        frame ball { type floating; translation [0, 0, 0.5]; geometry { mesh \"ball.obj\"; density 700; } }";
    room.write("a.robray", scene).write("ball.obj", &ball(0.3));
    let cache = room.path().join("cache");
    let hulls = || {
        let files = std::fs::read_dir(cache.join("morse-sim/hulls"));
        let files = files
            .into_iter()
            .flatten()
            .flatten()
            .map(|file| file.path());
        files.collect::<Vec<_>>()
    };
    let state = |options: &[&str]| {
        let output = program()
            .args(["run", "a.robray", "--steps", "60"])
            .args(options)
            .env("XDG_CACHE_HOME", &cache)
            .current_dir(room.path())
            .output();
        let ran = Ran::of(&output.expect("the program runs")).with_code(0);
        let all = format!("{}{}", ran.out, ran.err);
        let line = all.lines().find(|line| line.starts_with("state "));
        line.unwrap_or_else(|| panic!("{all}")).to_owned()
    };
    let expected = state(&["--no-cache"]);
    assert!(hulls().is_empty());
    assert_eq!(state(&[]), expected);
    let [file] = hulls().try_into().expect("one hull");
    assert_eq!(state(&[]), expected, "from the file");
    let whole = std::fs::read(&file).expect("a file");
    // A damaged file is not used, and written again.
    std::fs::write(&file, &whole[..whole.len() / 2]).expect("a file");
    assert_eq!(state(&[]), expected);
    assert!(std::fs::read(&file).expect("a file") == whole);
    // The hull of another mesh under this name shows that the file is used.
    room.write("ball.obj", &ball(0.25));
    assert_ne!(state(&[]), expected);
    let other = hulls().into_iter().find(|other| *other != file);
    std::fs::copy(other.expect("another hull"), &file).expect("a copy");
    room.write("ball.obj", &ball(0.3));
    assert_ne!(state(&[]), expected);
    assert_eq!(state(&["--no-cache"]), expected);
}
