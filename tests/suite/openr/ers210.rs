//! The ERS-210: its own primitives and model, and files with sections for each robot.
use morse_openr::body::{primitives::Kind, robots::ERS210};
use morse_sim::{
    Simulation,
    sensor::{joint_state::JointStateData, pose::PoseData},
    simulation::{load::Options, no_extensions},
};

#[test]
fn an_ers_210_stands_and_moves_head_and_tail() {
    let simulation =
        Simulation::load_with("scenes/aibo210.ron", &Options::default(), &no_extensions);
    let mut simulation = simulation.unwrap_or_else(|error| panic!("{error}"));
    let mut farthest = [0.0_f64; 2];
    for _ in 0..5 * 125 {
        simulation.step().expect("a tick");
        let joints = simulation
            .read::<JointStateData>("aibo.joints")
            .expect("joints");
        let position = |name: &str| {
            let at = joints.names.iter().position(|known| known == name);
            joints.positions[at.unwrap_or_else(|| panic!("no joint {name}"))]
        };
        // All joints of the table are in the model.
        for (_, primitive) in ERS210.ids() {
            if let Kind::Joint { name, range, .. } = primitive.kind {
                let angle = position(name).to_degrees();
                assert!(
                    (range[0] - 1.0..=range[1] + 1.0).contains(&angle),
                    "{name}: {angle}"
                );
            }
        }
        for (most, name) in farthest.iter_mut().zip(["neck_pan", "tail_pan"]) {
            *most = most.max(position(name));
        }
    }
    // Amplitudes of 0.6 and 0.35 rad; the tail swings at 1.5 Hz and lags.
    assert!((farthest[0] - 0.6).abs() < 0.02, "{farthest:?}");
    assert!((0.2..0.36).contains(&farthest[1]), "{farthest:?}");
    let pose = simulation.read::<PoseData>("aibo.pose").expect("a pose");
    println!("{pose:?}, {farthest:?}");
    assert!(
        (pose.z - 0.1307).abs() < 0.004 && pose.pitch.abs() < 0.03,
        "{pose:?}"
    );
    // The section of the ERS-7 does not apply: there is no object that walks.
    let report = &simulation.reports()["objects"].json;
    let objects = report["objects"].as_array().expect("objects").iter();
    let names: Vec<&str> = objects
        .filter_map(|object| object["object"].as_str())
        .collect();
    assert!(
        names.contains(&"Stand") && !names.contains(&"Walk"),
        "{names:?}"
    );
}
