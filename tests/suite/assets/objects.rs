//! Objects of the catalogue: their sizes, their masses, and that they stand stably.
use morse_sim::scene::assets::SHIPPED;

use super::{measure::extent, model, simulation};

#[test]
fn videotapes_and_the_chair_are_morses() {
    for (name, mass, size) in [
        ("black_videotape", 1.0, [0.04, 0.12, 0.20]),
        ("grey_videotape", 1.0, [0.04, 0.12, 0.20]),
        ("white_videotape", 1.0, [0.04, 0.12, 0.20]),
        ("rolling_chair", 12.0, [0.6, 0.63, 0.93]),
    ] {
        let scene = model(&format!("objects/{name}.robray"));
        let extent = extent(&scene, |geometry| geometry.collision).unwrap();
        for (is, wanted) in extent.size().into_iter().zip(size) {
            assert!((is - wanted).abs() < 1e-9, "{name}: {extent:?}");
        }
        let weight: f64 = scene.frames().iter().filter_map(|frame| frame.mass).sum();
        assert!((weight - mass).abs() < 1e-9, "{name}: {weight}");
    }
}

#[test]
fn objects_stand_on_their_origin() {
    let all = SHIPPED
        .0
        .iter()
        .filter_map(|(path, _)| path.strip_prefix("objects/"));
    let mut count = 0;
    for file in all {
        let scene = model(&format!("objects/{file}"));
        let lowest = extent(&scene, |geometry| geometry.collision).unwrap().low[2];
        assert!(lowest.abs() < 1e-9, "{file}: {lowest}");
        let mut simulation = simulation(&format!(
            r#"Simulation(scene: "environments/empty.robray", robots: {{
                "it": (model: "objects/{file}", at: (translation: (0, 0, 0.005))),
            }})"#
        ));
        simulation.run(180).unwrap();
        let state = simulation.body("it").unwrap();
        let up = state.pose.rotation * nalgebra::Vector3::z();
        assert!(
            state.pose.translation.z.abs() < 2e-3 && up.z > 0.9999,
            "{file}: {}",
            state.pose
        );
        count += 1;
    }
    assert_eq!(count, 15);
}
