//! `morse-sim convert`: shipped robots and scenes there and back.
#![cfg(test)]

mod robots;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use morse_api::motion::MotionMode;
use morse_sim::{
    cli::{
        check::Reading,
        convert::{Args, Format, run},
    },
    physics::prepare::prepare,
    scene::{
        assembly::{Assembly, layout},
        load::load,
        model::{Scene, Shape},
    },
};

use crate::golden_messages::in_project;

/// Formats by extension.
const FORMATS: [&str; 4] = ["robray", "urdf", "sdf", "xml"];

/// Scenes with loops, shared variables, prismatic joints, several roots, cones, capsules and checkers, and robots.
fn scenes() -> Vec<PathBuf> {
    let mut files = vec![
        "scenes/table.robray",
        "scenes/boxes.robray",
        "scenes/arm.robray",
        "scenes/gallery/car.robray",
        "scenes/gallery/linkages.robray",
        "tests/data/mjcf/arm.xml",
        "tests/data/pillars.robray",
        "tests/data/stands.robray",
    ]
    .into_iter()
    .map(in_project)
    .collect::<Vec<_>>();
    for folder in ["assets/robots", "assets/arms"] {
        let entries = std::fs::read_dir(in_project(folder)).unwrap();
        let entries = entries.map(|entry| entry.unwrap().path());
        files.extend(entries.filter(|path| path.extension().is_some_and(|kind| kind == "robray")));
    }
    files.sort();
    files
}

fn scene(path: &Path) -> Scene {
    let options = Reading::default().options();
    let loaded = load(path, &options);
    loaded
        .unwrap_or_else(|failed| panic!("{}: {failed}", path.display()))
        .scene
}

/// Converts a file; returns the messages.
fn convert(args: &Args) -> String {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = run(args, &mut out, &mut err);
    let messages = String::from_utf8(err).unwrap();
    assert_eq!(code, 0, "{}: {messages}", args.file.display());
    messages
}

/// Returns values of all variables: different ones within ±1, and zero for the `resting` ones.
fn values(scene: &Scene, resting: &str) -> BTreeMap<String, f64> {
    let variables = scene.variables().into_iter().enumerate();
    let value = |(at, name): (usize, &str)| {
        let rests = resting.contains(&format!("`{name}`"));
        let value = libm::sin(1.7 * at as f64 + 0.4);
        (name.to_owned(), if rests { 0.0 } else { value })
    };
    variables.map(value).collect()
}

fn total_mass(scene: &Scene) -> f64 {
    let assembly = Assembly {
        scene: scene.clone(),
        ..Assembly::default()
    };
    let layout = layout(&assembly).unwrap();
    let prepared = prepare(&layout, scene, MotionMode::Default).unwrap();
    prepared
        .frame_masses(&layout)
        .map(|(_, mass)| mass.mass)
        .sum()
}

#[test]
fn what_was_converted_has_the_same_kinematics_and_masses() {
    let folder = tempfile::tempdir().unwrap();
    for file in scenes() {
        let before = scene(&file);
        let stem = file.file_stem().unwrap().to_str().unwrap().to_owned();
        for format in FORMATS {
            let output = folder.path().join(format!("{stem}.{format}"));
            let messages = convert(&Args {
                file: file.clone(),
                output: output.clone(),
                ..Args::default()
            });
            let after = scene(&output);
            // Joints whose positions have another unit than the variable are named.
            let is_scaled = |line: &&str| line.contains("a multiple of the variable");
            let scaled = messages.lines().find(is_scaled).unwrap_or_default();
            let values = values(&before, scaled);
            // In SDF a closure may take the place of a joint in the tree; then only the initial poses are the same.
            let values = if format == "sdf" && !before.closures().is_empty() {
                BTreeMap::new()
            } else {
                values
            };
            let [old, new] = [&before, &after].map(|scene| {
                let known = values
                    .iter()
                    .filter(|(name, _)| scene.variables().contains(name.as_str()));
                scene
                    .absolute_poses_at(&known.map(|(name, value)| (name.clone(), *value)).collect())
            });
            for frame in before.frames() {
                let name = frame.name.as_str();
                if name == "world" && matches!(format, "sdf" | "xml") {
                    continue;
                }
                let Some(pose) = new.get(name) else {
                    panic!("{stem}.{format} has no {name}");
                };
                let apart = old[name].inv_mul(pose);
                let apart = apart.translation.vector.norm() + apart.rotation.angle();
                assert!(apart < 2e-8, "{stem}.{format}: {name} is off by {apart}");
                let shift = (old[name].translation.vector - pose.translation.vector).norm();
                assert!(shift < 1e-9, "{stem}.{format}: {name} is off by {shift} m");
            }
            // Links and bodies that may not be without a mass get 1e-6 kg.
            let [was, is] = [&before, &after].map(total_mass);
            assert!(
                (was - is).abs() <= 1.1e-6 * before.frames().len() as f64 + 1e-9 * was,
                "{stem}.{format}: {was} kg became {is}"
            );
            if matches!(format, "robray" | "xml") {
                assert_eq!(
                    before.closures().len(),
                    after.closures().len(),
                    "{stem}.{format}"
                );
            }
        }
    }
}

/// A car of a box, two wheels on one variable with opposite ratios, a mast fixed to it, and a checkered cone.
const CART: &str = "frame cart { translation [0, 0, 1]; geometry { shape box; dimension [2, 1, 0.5]; friction 0.5; } }
    frame left { parent cart; type revolute; axis [0, 2, 0]; variable roll; translation [0, 0.6, 0]; limit_position [-1, 2];
        geometry { shape cylinder; radius 0.2; height 0.1; } }
    frame right { parent cart; type revolute; axis [0, -1, 0]; variable roll; ratio 0.5; offset 0.2; translation [0, -0.6, 0];
        geometry { shape sphere; radius 0.2; } }
    frame mast { parent cart; translation [0, 0, 0.25]; rpy [0, 0.5, 0]; mass 2;
        geometry { shape cone; start_radius 0.1; end_radius 0.02; height 1; } }
    frame flag { parent mast; translation [0, 0, 1]; geometry { shape box; dimension [0.3, 0.01, 0.2]; collision 0; } }";

fn cart(folder: &Path) -> PathBuf {
    let file = folder.join("cart.robray");
    std::fs::write(&file, CART).unwrap();
    file
}

#[test]
fn merged_frames_keep_their_masses_and_poses() {
    let folder = tempfile::tempdir().unwrap();
    let file = cart(folder.path());
    let whole = scene(&file);
    for format in ["urdf", "sdf", "xml"] {
        let output = folder.path().join(format!("flat.{format}"));
        let messages = convert(&Args {
            file: file.clone(),
            output: output.clone(),
            flatten: true,
            ..Args::default()
        });
        assert!(
            messages.contains("merged into the links to which they are fixed: `flag`, `mast`")
                || messages.contains("`mast`"),
            "{messages}"
        );
        let flat = scene(&output);
        assert!(
            flat.frame("mast").is_none() && flat.frame("flag").is_none(),
            "{format}"
        );
        let values = BTreeMap::from([("roll".to_owned(), 0.7)]);
        let [old, new] = [&whole, &flat].map(|scene| scene.absolute_poses_at(&values));
        for name in ["cart", "left", "right"] {
            let apart = old[name].inv_mul(&new[name]);
            assert!(
                apart.translation.vector.norm() + apart.rotation.angle() < 1e-7,
                "{format}: {name}"
            );
        }
        let bodies = [&whole, &flat].map(|scene| {
            let assembly = Assembly {
                scene: scene.clone(),
                ..Assembly::default()
            };
            let layout = layout(&assembly).unwrap();
            let prepared = prepare(&layout, scene, MotionMode::Default).unwrap();
            let cart = layout
                .frames
                .iter()
                .find(|frame| frame.name == "cart")
                .unwrap();
            let mass = *prepared.masses().nth(cart.body).unwrap();
            mass.moved(&cart.body_from_frame.inverse())
        });
        let [one, other] = bodies;
        assert!(
            (one.mass - other.mass).abs() < 1e-9 * one.mass,
            "{format}: {one:?} {other:?}"
        );
        assert!(
            (one.center - other.center).norm() < 1e-9,
            "{format}: {one:?} {other:?}"
        );
        assert!(
            (one.inertia - other.inertia).norm() < 1e-6 * one.inertia.norm(),
            "{format}: {one:?} {other:?}"
        );
    }
}

#[test]
fn what_a_format_cannot_say_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let args = Args {
        file: cart(folder.path()),
        output: folder.path().join("cart.urdf"),
        ..Args::default()
    };
    let messages = convert(&args);
    assert_eq!(
        messages,
        "warning: URDF has no friction or restitution: `cart`\n"
    );
    let text = std::fs::read_to_string(&args.output).unwrap();
    assert!(
        text.contains("<mimic joint=\"roll\" multiplier=\"0.5\" offset=\"0.1\"/>"),
        "{text}"
    );
    assert!(folder.path().join("cart_meshes/mast_cone.obj").is_file());
    // A cone needs a file, which a text on stdout cannot have.
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let printed = Args {
        output: "-".into(),
        to: Some(Format::Mjcf),
        ..args.clone()
    };
    assert_eq!(run(&printed, &mut out, &mut err), 0);
    let [out, err] = [out, err].map(|text| String::from_utf8(text).unwrap());
    assert!(
        out.starts_with("<?xml") && out.contains("<mujoco model=\"cart\">"),
        "{out}"
    );
    assert!(
        err.contains("a cone needs a mesh beside the description: `mast`"),
        "{err}"
    );
}

#[test]
fn mistakes_of_a_conversion_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let args = Args {
        file: cart(folder.path()),
        output: folder.path().join("cart.txt"),
        ..Args::default()
    };
    let strict = Args {
        output: folder.path().join("cart.urdf"),
        reading: Reading {
            strict: true,
            ..Reading::default()
        },
        ..args.clone()
    };
    let flat = Args {
        output: folder.path().join("flat.robray"),
        flatten: true,
        ..args.clone()
    };
    for (args, expected) in [
        (
            &args,
            "help: name it with `.robray`, `.urdf`, `.sdf` or `.xml`, or add `--to FORMAT`",
        ),
        (
            &strict,
            "error: URDF has no friction or restitution: `cart`",
        ),
        (
            &flat,
            "error: `--flatten` is for `.urdf`, `.sdf` and `.xml`",
        ),
    ] {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        assert_eq!(run(args, &mut out, &mut err), 2);
        let err = String::from_utf8(err).unwrap();
        assert!(err.contains(expected), "{err}");
        assert!(!args.output.exists());
    }
}

#[test]
fn meshes_are_copied_on_demand() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = folder.path().join("part.stl");
    std::fs::copy(in_project("tests/fuzz/corpus/stl/two.stl"), &mesh).unwrap();
    let scene = folder.path().join("part.robray");
    std::fs::write(
        &scene,
        "frame part { geometry { mesh \"part.stl\"; scale 0.5; } }",
    )
    .unwrap();
    let directory = folder.path().join("elsewhere");
    std::fs::create_dir(&directory).unwrap();
    for (format, copy_assets, expected) in [
        ("robray", false, "\"../part.stl\""),
        ("urdf", false, "filename=\"../part.stl\""),
        ("sdf", true, "<uri>part_meshes/part.stl</uri>"),
        ("xml", true, "file=\"part_meshes/part.stl\""),
    ] {
        let output = directory.join(format!("part.{format}"));
        convert(&Args {
            file: scene.clone(),
            output: output.clone(),
            copy_assets,
            ..Args::default()
        });
        let text = std::fs::read_to_string(&output).unwrap();
        assert!(text.contains(expected), "{text}");
        self::scene(&output);
    }
    assert!(directory.join("part_meshes/part.stl").is_file());
}

#[test]
fn images_are_found_from_the_new_directory() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("board.robray");
    std::fs::copy(
        in_project("assets/environments/planks.png"),
        folder.path().join("planks.png"),
    )
    .unwrap();
    std::fs::write(
        &scene,
        "frame board { geometry { shape box; dimension [1, 1, 0.1]; image \"planks.png\"; } }",
    )
    .unwrap();
    std::fs::create_dir(folder.path().join("elsewhere")).unwrap();
    for (copy_assets, expected) in [(false, "../planks.png"), (true, "board_meshes/planks.png")] {
        let output = folder.path().join("elsewhere/board.urdf");
        convert(&Args {
            file: scene.clone(),
            output: output.clone(),
            copy_assets,
            ..Args::default()
        });
        let text = std::fs::read_to_string(&output).unwrap();
        let expected = format!("<texture filename=\"{expected}\"");
        assert!(text.contains(&expected), "{text}");
        let options = Reading {
            allow_paths: vec![folder.path().to_owned()],
            ..Reading::default()
        };
        let read = load(&output, &options.options()).unwrap().scene;
        let geometries = read.frames().iter().flat_map(|frame| &frame.geometry);
        let images = geometries.filter_map(|geometry| geometry.image.as_ref());
        assert_eq!(images.count(), 1);
    }
}

#[test]
fn collada_meshes_are_turned_where_that_is_set() {
    let made = tempfile::tempdir().unwrap();
    // A triangle whose highest corner is at y = 3, in a file with y upwards.
    let mesh = "<COLLADA><asset><up_axis>Y_UP</up_axis></asset>\
        <library_geometries><geometry id='g'><mesh>\
        <source id='p'><float_array id='a' count='9'>0 0 0 1 0 0 0 3 0.5</float_array><technique_common>\
        <accessor source='#a' count='3' stride='3'/></technique_common></source>\
        <vertices id='v'><input semantic='POSITION' source='#p'/></vertices>\
        <triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles>\
        </mesh></geometry></library_geometries>\
        <library_visual_scenes><visual_scene id='s'><node><instance_geometry url='#g'/></node></visual_scene>\
        </library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>";
    std::fs::write(made.path().join("part.dae"), mesh).unwrap();
    let file = made.path().join("part.urdf");
    let text = "<robot name='r'><link name='a'><visual><geometry>\
        <mesh filename='part.dae' scale='2 2 4'/></geometry></visual></link></robot>";
    std::fs::write(&file, text).unwrap();
    let corner = |scene: &Scene| {
        let mut all = scene.frames().iter().flat_map(|frame| &frame.geometry);
        let geometry = all.next().unwrap();
        let Shape::Mesh(mesh) = &geometry.shape else {
            panic!("a mesh");
        };
        let mesh = morse_sim::geometry::mesh::read(&mesh.resolved).unwrap();
        let mut corners = mesh.vertices.iter();
        let far = corners.find(|corner| corner.iter().any(|one| one.abs() > 2.5));
        far.unwrap().map(|one| f64::from(one) * geometry.scale)
    };
    // (0, 3, 1/2) becomes (0, -1/2, 3) before it is scaled.
    for (collada_up_axis, expected) in [(false, [0.0, 6.0, 2.0]), (true, [0.0, -1.0, 12.0])] {
        let mut reading = Reading::default();
        reading.robots.collada_up_axis = collada_up_axis;
        let read = load(&file, &reading.options()).unwrap_or_else(|failed| panic!("{failed}"));
        assert_eq!(corner(&read.scene), expected);
        for kind in FORMATS {
            let output = made.path().join(format!("{collada_up_axis}.{kind}"));
            let args = Args {
                file: file.clone(),
                output: output.clone(),
                copy_assets: true,
                reading: reading.clone(),
                ..Args::default()
            };
            convert(&args);
            assert_eq!(corner(&scene(&output)), expected, "{kind}");
        }
    }
}

#[test]
fn shipped_robots_are_drawn_with_few_triangles() {
    for folder in ["assets/robots", "assets/arms"] {
        for entry in std::fs::read_dir(in_project(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|kind| kind != "robray") {
                continue;
            }
            let scene = scene(&path);
            let drawn = scene.frames().iter().flat_map(|frame| &frame.geometry);
            let meshes = drawn.filter_map(|geometry| match &geometry.shape {
                Shape::Mesh(mesh) if geometry.visual => Some(&mesh.resolved),
                _ => None,
            });
            let counts = meshes.map(|mesh| {
                let mesh = morse_sim::geometry::mesh::read(mesh).unwrap();
                mesh.faces.len()
            });
            let count: usize = counts.sum();
            assert!(count <= 6_000, "{}: {count} triangles", path.display());
        }
    }
}
