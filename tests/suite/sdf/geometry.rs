//! Geometry of SDF that scenes lack: prisms, and meshes that are divided.

use morse_sim::scene::model::Shape;
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
    for (link, volume, parts) in [("l", 8.0, Some(16.0)), ("m", 2.0, None)] {
        let geometry = &scene.frame(link).unwrap().geometry[0];
        assert_eq!(geometry.convex_parts, parts);
        let Shape::Mesh(file) = &geometry.shape else {
            panic!("a mesh");
        };
        let mesh = morse_sim::geometry::mesh::read(&file.resolved).unwrap();
        let corner = |index: u32| Vector3::from(mesh.vertices[index as usize].map(f64::from));
        let parts = mesh.faces.iter().map(|face| {
            let [a, b, c] = face.map(corner);
            a.dot(&b.cross(&c)) / 6.0
        });
        let own: f64 = parts.sum();
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
    let parts = |attribute: &str, more: &str| {
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
    assert_eq!(parts("", ""), (None, vec![]));
    assert_eq!(parts("optimization='convex_hull'", ""), (None, vec![]));
    assert_eq!(parts(asked, ""), (Some(16.0), vec![]));
    let most =
        "<convex_decomposition><max_convex_hulls>7</max_convex_hulls></convex_decomposition>";
    assert_eq!(parts(asked, most), (Some(7.0), vec![]));
    let (none, warnings) = parts("optimization='convex_hulls'", "");
    assert_eq!((none, warnings.len()), (None, 1));
}
