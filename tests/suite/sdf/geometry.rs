//! Geometry of SDF that scenes lack: prisms, and meshes that are divided.

use morse_sim::scene::{
    load::{LoadOptions, load},
    model::Shape,
};
use nalgebra::Vector3;

use super::{model, read};
use crate::golden_messages::in_project;

#[test]
fn polylines_are_prisms() {
    let corners = |points: &str| {
        let points = points
            .split(',')
            .map(|point| format!("<point>{point}</point>"));
        format!(
            "<polyline>{}<height>2</height></polyline>",
            points.collect::<String>()
        )
    };
    let letter = corners("0 0,3 0,3 1,1 1,1 2,0 2");
    let square = corners("0 0,1 0,1 1,0 1");
    let scene = model(&format!(
        "<link name='l'><collision name='a'><geometry>{letter}</geometry></collision></link>\
         <link name='m'><collision name='b'><geometry>{square}</geometry></collision></link>"
    ));
    for (link, volume, limit) in [("l", 8.0, Some(16.0)), ("m", 2.0, None)] {
        let geometry = &scene.frame(link).unwrap().geometry[0];
        assert_eq!(geometry.convex_parts, limit);
        let Shape::Mesh(file) = &geometry.shape else {
            panic!("a mesh");
        };
        let mesh = morse_sim::geometry::mesh::read(&file.resolved).unwrap();
        let corner = |index: u32| Vector3::from(mesh.vertices[index as usize].map(f64::from));
        let volumes = mesh.faces.iter().map(|face| {
            let [a, b, c] = face.map(corner);
            a.dot(&b.cross(&c)) / 6.0
        });
        let own: f64 = volumes.sum();
        assert!((own - volume).abs() < 1e-5, "{own}");
    }
}

#[test]
fn a_mesh_is_divided_where_its_file_asks() {
    let made = tempfile::tempdir().unwrap();
    std::fs::copy(
        in_project("tests/data/bowl.obj"),
        made.path().join("bowl.obj"),
    )
    .unwrap();
    let path = made.path().join("bowl.sdf");
    let limit = |attribute: &str, more: &str| {
        let text = format!(
            "<sdf version='1.11'><model name='m'><link name='l'><collision name='c'><geometry>\
             <mesh {attribute}><uri>bowl.obj</uri>{more}</mesh></geometry></collision></link></model></sdf>"
        );
        std::fs::write(&path, text).unwrap();
        let loaded = read(&path);
        let warnings: Vec<String> = loaded
            .warnings
            .iter()
            .map(|one| one.message.clone())
            .collect();
        (
            loaded.scene.frame("l").unwrap().geometry[0].convex_parts,
            warnings,
        )
    };
    let asked = "optimization='convex_decomposition'";
    assert_eq!(limit("", ""), (None, vec![]));
    assert_eq!(limit("optimization='convex_hull'", ""), (None, vec![]));
    assert_eq!(limit(asked, ""), (Some(16.0), vec![]));
    let most =
        "<convex_decomposition><max_convex_hulls>7</max_convex_hulls></convex_decomposition>";
    assert_eq!(limit(asked, most), (Some(7.0), vec![]));
    let (none, warnings) = limit("optimization='convex_hulls'", "");
    assert_eq!((none, warnings.len()), (None, 1));
}

#[test]
fn dark_pixels_of_an_image_are_walls() {
    let made = tempfile::tempdir().unwrap();
    let file = std::fs::File::create(made.path().join("rooms.png")).unwrap();
    let mut encoder = png::Encoder::new(file, 4, 3);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().unwrap();
    // An L: the first column, and the last row.
    let grey = [0, 255, 255, 255, 100, 201, 255, 255, 200, 0, 0, 0];
    writer.write_image_data(&grey).unwrap();
    writer.finish().unwrap();
    let world = |image: &str| {
        format!(
            "<sdf version='1.9'><model name='m'><static>true</static><link name='l'>\
             <collision name='c'><geometry><image><uri>rooms.png</uri>{image}</image></geometry></collision>\
             </link></model></sdf>"
        )
    };
    let path = made.path().join("rooms.sdf");
    std::fs::write(&path, world("<scale>0.5</scale><height>2</height>")).unwrap();
    let loaded = load(&path, &LoadOptions::default()).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let frame = loaded
        .scene
        .frame("l")
        .or(loaded.scene.frame("m::l"))
        .unwrap();
    let Shape::Mesh(file) = &frame.geometry[0].shape else {
        panic!("a mesh");
    };
    let mesh = morse_sim::geometry::mesh::read(&file.resolved).unwrap();
    let corner = |index: u32| Vector3::from(mesh.vertices[index as usize]).cast::<f64>();
    let volumes = mesh.faces.iter().map(|face| {
        let [a, b, c] = face.map(corner);
        a.dot(&b.cross(&c)) / 6.0
    });
    // Six pixels of 0.25 m², 2 m high; rows run along y.
    assert!((volumes.sum::<f64>() - 3.0).abs() < 1e-6);
    let inside = |x: f64, y: f64| {
        // Twelve triangles are a box.
        mesh.faces.chunks(12).any(|faces| {
            let corners = faces.as_flattened().iter().map(|index| corner(*index));
            let (from, to) = corners.fold(
                (Vector3::repeat(9.0), Vector3::repeat(-9.0)),
                |(from, to), corner| (from.inf(&corner), to.sup(&corner)),
            );
            (from.x..to.x).contains(&x) && (from.y..to.y).contains(&y)
        })
    };
    assert!(inside(0.25, 0.25) && inside(1.75, 1.25) && !inside(0.75, 0.75) && !inside(1.75, 0.25));
    std::fs::write(&path, world("<threshold>0</threshold>")).unwrap();
    assert!(load(&path, &LoadOptions::default()).is_ok());
    std::fs::write(made.path().join("rooms.png"), b"no image").unwrap();
    let failed = load(&path, &LoadOptions::default()).unwrap_err();
    assert!(
        failed
            .to_string()
            .contains("the walls of `rooms.png` are not read"),
        "{failed}"
    );
}
