//! Bounces by the restitutions of both bodies.

use morse_sim::{Simulation, simulation::no_extensions};

/// Returns the fraction of its speed with which a ball of restitution 0.8 leaves a floor of restitution `floor`, dropped
/// from 1 m.
fn share(environment: &str, floor: Option<f64>) -> f64 {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = "frame floor { geometry { shape box; dimension [4, 4, 0.2]; } }
        frame ball { translation [0, 0, 1.2]; mass 0.3; geometry { shape sphere; radius 0.1; } }";
    std::fs::write(folder.path().join("scene.robray"), scene).expect("written");
    let floor = floor.map_or(String::new(), |floor| {
        format!("\"floor\": (kind: fixed, restitution: {floor}),")
    });
    let text = format!(
        r#"Simulation(scene: "scene.robray", environment: (rate: 1000, {environment}),
            bodies: {{ "ball": (kind: dynamic, restitution: 0.8), {floor} }})"#
    );
    let mut simulation = Simulation::parse(&text, folder.path(), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    let speed =
        |simulation: &Simulation| simulation.body("ball").expect("a ball").linear_velocity.z;
    let (mut down, mut up) = (0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        simulation.run(1).expect("nobody is in lockstep");
        let now = speed(&simulation);
        if up == 0.0 {
            down = down.min(now);
        }
        up = up.max(now);
    }
    -up / down
}

#[test]
fn the_greater_restitution_counts_unless_another_rule_is_given() {
    for (environment, floor, expected) in [
        ("", None, 0.8),
        ("", Some(0.3), 0.8),
        ("", Some(0.95), 0.95),
        ("restitution_rule: mean", Some(0.4), 0.6),
        ("restitution_rule: mean", None, 0.4),
        ("restitution_rule: smaller", Some(0.3), 0.3),
        ("restitution_rule: product", Some(0.5), 0.4),
        ("motion: morse", Some(0.5), 0.4),
        ("motion: morse, restitution_rule: greater", Some(0.5), 0.8),
    ] {
        let actual = share(environment, floor);
        assert!(
            (actual - expected).abs() < 0.02,
            "{environment}, {floor:?}: {actual} instead of {expected}"
        );
    }
}
