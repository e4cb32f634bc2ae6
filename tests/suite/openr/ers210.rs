//! The ERS-210: its own primitives and model, and files with sections for each robot.
use morse_openr::body::{primitives::Kind, robots::ERS210};
use morse_sim::{
    Simulation,
    sensor::{joint_state::JointStateData, pose::PoseData},
    simulation::{load::Options, no_extensions},
};

fn shipped() -> Simulation {
    let simulation =
        Simulation::load_with("scenes/aibo210.ron", &Options::default(), &no_extensions);
    simulation.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn an_ers_210_walks_a_metre_and_turns_by_its_own_odometry() {
    let mut simulation = shipped();
    simulation.run(1).expect("a tick");
    let start = pose(&simulation).clone();
    simulation.run(28 * 125).expect("ticks");
    let end = pose(&simulation);
    let (ahead, beside) = (end.x - start.x, end.y - start.y);
    println!(
        "{ahead:.3} m ahead, {beside:.3} m beside, turned by {:.3} rad",
        end.yaw
    );
    assert!((0.95..1.08).contains(&ahead), "{ahead} m");
    assert!(beside.abs() < 0.06, "{beside} m");
    assert!(
        (end.yaw - std::f64::consts::FRAC_PI_2).abs() < 0.1,
        "{end:?}"
    );
    assert!(
        end.roll.abs() < 0.05 && end.pitch.abs() < 0.05,
        "it stands: {end:?}"
    );
}

fn pose(simulation: &Simulation) -> &PoseData {
    simulation.read::<PoseData>("aibo.pose").expect("a pose")
}

#[test]
fn an_ers_210_moves_head_and_tail_within_its_ranges() {
    let mut simulation = shipped();
    let mut farthest = [0.0_f64; 2];
    for _ in 0..5 * 125 {
        simulation.step().expect("a tick");
        let joints = simulation
            .read::<JointStateData>("aibo.joints")
            .expect("joints");
        let position = |name: &str| {
            let index = joints.names.iter().position(|known| known == name);
            joints.positions[index.unwrap_or_else(|| panic!("no joint {name}"))]
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
    let pose = pose(&simulation);
    println!("{pose:?}, {farthest:?}");
    assert!(
        (0.115..0.135).contains(&pose.z) && pose.pitch.abs() < 0.05,
        "{pose:?}"
    );
    // The section of the ERS-7 does not apply: there is no object that makes lights blink.
    let report = &simulation.reports()["objects"].json;
    let objects = report["objects"].as_array().expect("objects").iter();
    let names: Vec<&str> = objects
        .filter_map(|object| object["object"].as_str())
        .collect();
    assert!(
        names.contains(&"Walk") && !names.contains(&"Blink"),
        "{names:?}"
    );
}
