//! The walks of both AIBOs: their paws do not slip.
use std::fs;

use morse_sim::{
    Simulation,
    sensor::{foot_switch::FootSwitchData, pose::PoseData},
    simulation::{load::Options, no_extensions},
};

const PAWS: [&str; 4] = ["lf", "lr", "rf", "rr"];

/// Returns how far each paw of a dog slipped in 15 s, while it was on the ground, and the length of its path, m. `radius` is
/// that of a paw.
fn slips(scene: &str, radius: f64) -> [(f64, f64); 4] {
    let text = fs::read_to_string(scene).expect("a scene");
    let sensors =
        PAWS.map(|paw| format!(r#""{paw}_pose": (kind: "pose", mount: (frame: "{paw}_paw")),"#));
    let text = text.replace("sensors: {", &format!("sensors: {{ {}", sensors.join(" ")));
    let mut simulation = Simulation::parse(&text, "scenes", &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut slips = [0.0_f64; 4];
    let mut paths = [0.0_f64; 4];
    let mut before: [Option<([f64; 4], bool)>; 4] = [None; 4];
    for _ in 0..15 * 125 {
        simulation.step().expect("a tick");
        for (index, paw) in PAWS.iter().enumerate() {
            let pose = simulation.read::<PoseData>(&format!("aibo.{paw}_pose"));
            let switch = simulation.read::<FootSwitchData>(&format!("aibo.{paw}_paw"));
            let (Ok(pose), Ok(switch)) = (pose, switch) else {
                continue;
            };
            let is_down = switch.contact;
            let now = [pose.x, pose.y, pose.pitch, pose.roll];
            if let Some((then, was_down)) = before[index] {
                let change: [f64; 4] = std::array::from_fn(|axis| now[axis] - then[axis]);
                paths[index] += libm::hypot(change[0], change[1]);
                // The dog walks along x; the paw rolls on the ground.
                let slip = [
                    change[0] - radius * change[2],
                    change[1] + radius * change[3],
                ];
                slips[index] += if is_down && was_down {
                    libm::hypot(slip[0], slip[1])
                } else {
                    0.0
                };
            }
            before[index] = Some((now, is_down));
        }
    }
    std::array::from_fn(|paw| (slips[paw], paths[paw]))
}

#[test]
fn paws_slip_by_less_than_a_twentieth_of_their_path() {
    for (scene, radius, least) in [
        ("scenes/aibo.ron", 0.01172, 1.5),
        ("scenes/aibo210.ron", 0.011, 0.9),
    ] {
        for (paw, (slip, path)) in PAWS.iter().zip(slips(scene, radius)) {
            let share = slip / path;
            println!(
                "{scene}, {paw}: {slip:.3} of {path:.3} m, {:.1} %",
                100.0 * share
            );
            assert!(
                path > least && share < 0.05,
                "{scene}, {paw}: {slip} of {path} m"
            );
        }
    }
}

#[test]
fn a_minute_of_a_dog_has_the_same_messages_with_one_worker_and_with_eight() {
    let run = |threads| {
        let options = Options {
            threads,
            ..Options::default()
        };
        let simulation = Simulation::load_with("scenes/aibo.ron", &options, &no_extensions);
        let mut simulation = simulation.unwrap_or_else(|error| panic!("{error}"));
        simulation.run(60 * 125).expect("ticks");
        let hash = simulation.reports()["objects"].json["message_hash"].clone();
        (hash, simulation.state_hash())
    };
    let first = run(1);
    assert_eq!(first, run(1));
    assert_eq!(first, run(8));
}
