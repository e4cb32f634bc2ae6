//! Boxes side by side on a tray: their contacts are gaps, which are left out until a step closes one of them.
use super::touching::{FLOOR, JOINTS, Test};

/// Number of boxes in the row, their side (m) and mass (kg), and the gaps between them, m.
const BOXES: usize = 8;
const SIDE: f64 = 0.1;
const MASS: f64 = 0.3;
const GAP: f64 = 0.008;

/// Maximum penetration, m. In a step a ball flies by 3 or 8 cm.
const DEEPEST: f64 = 5e-3;

/// Returns a row of boxes along x on a tray without friction, and a ball that flies at their first one, at a distance (m).
fn row(distance: f64, speed: f64, restitution: f64) -> Test {
    let boxes: String = (0..BOXES)
        .map(|index| {
            format!(
                "frame box_{index} {{ translation [{}, 0, 0.57]; mass {MASS};
                 geometry {{ shape box; dimension [{SIDE}, {SIDE}, {SIDE}]; friction 0; }} }}\n",
                (SIDE + GAP) * index as f64,
            )
        })
        .collect();
    let scene = format!(
        "{FLOOR} {boxes} frame ball {{ translation [{}, 0, 0.57]; mass {MASS};
           geometry {{ shape sphere; radius 0.05; friction 0; }} }}
         frame stand {{ translation [0, 0, 0.5];
           frame tray {{ type revolute; axis [0, 0, 1]; variable turn;
             frame plate {{ mass 5; geometry {{ shape box; dimension [6, 1, 0.04]; friction 0; }} }} }} }}",
        -SIDE - distance
    );
    let bounces: String = (0..BOXES)
        .map(|at| format!("\"box_{at}\": (kind: dynamic, restitution: {restitution}), "))
        .collect();
    let settings = format!(
        r#"bodies: {{ {bounces} "ball": (kind: dynamic, restitution: {restitution}, linear_velocity: ({speed}, 0, 0)) }},
           robots: {{ "robot": (frame: "stand", base: fixed, {JOINTS}, joints: {{ "turn": (position: 0) }}) }}"#
    );
    Test::new(&scene, &settings)
}

/// Checks that the bodies of a row, in the order along x, stay outside of one another and keep their momentum, and do not gain
/// energy. Returns the velocity of each at the end, m/s.
fn collide(test: &mut Test, seconds: f64) -> Vec<f64> {
    let names = (0..BOXES).map(|at| format!("box_{at}"));
    let names: Vec<String> = ["ball".to_owned()].into_iter().chain(names).collect();
    let speeds = |test: &Test| -> Vec<f64> {
        let bodies = names.iter().filter_map(|name| test.0.body(name));
        bodies.map(|body| body.linear_velocity.x).collect()
    };
    let momentum = |speeds: &[f64]| MASS * speeds.iter().sum::<f64>();
    let [begin, energy] = [momentum(&speeds(test)), test.energy(&names, SIDE)];
    for tick in 0..(seconds * 240.0) as u32 {
        test.run(1.0 / 240.0);
        let along: Vec<f64> = names.iter().map(|name| test.position(name).x).collect();
        let nearest = along.windows(2).map(|pair| pair[1] - pair[0] - SIDE);
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        assert!(
            nearest > -DEEPEST,
            "tick {tick}: {nearest} m between bodies"
        );
        let now = momentum(&speeds(test));
        assert!(
            (now - begin).abs() < 1e-6 * begin.abs(),
            "tick {tick}: {now} of {begin} N·s"
        );
        let more = test.energy(&names, SIDE) - energy;
        assert!(more < 1e-6 * energy, "tick {tick}: {more} J more");
    }
    speeds(test)
}

/// The box that is hit would cross the next gap, and half of the next box, in the same step.
#[test]
fn a_box_that_bounces_through_a_gap_within_a_step_hits_the_next_one() {
    for (distance, speed) in [(0.01, 20.0), (0.03, 20.0), (0.015, 8.0)] {
        let mut test = row(distance, speed, 1.0);
        let speeds = collide(&mut test, 0.2);
        let last = speeds[BOXES];
        let most = speeds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!(last > 0.4 * speed && last >= most, "{speeds:?}");
    }
}

/// All move together at last, as waggons of a train that are pushed together.
#[test]
fn boxes_that_are_pushed_together_close_all_gaps() {
    for (distance, speed) in [(0.01, 20.0), (0.03, 20.0), (0.015, 8.0)] {
        let mut test = row(distance, speed, 0.0);
        let speeds = collide(&mut test, 0.5);
        let together = speed / (BOXES + 1) as f64;
        let is_equal = |speed: &f64| (speed - together).abs() < 0.02 * together;
        assert!(speeds.iter().all(is_equal), "{together}: {speeds:?}");
    }
}

/// The state alone decides which contacts are left out.
#[test]
fn a_collision_continues_from_a_snapshot_with_the_same_bits() {
    let mut test = row(0.015, 8.0, 0.5);
    let mut snapshots = Vec::new();
    for _ in 0..12 {
        snapshots.push(test.0.snapshot().expect("a snapshot"));
        test.run(1.0 / 240.0);
    }
    let last = test.0.state_hash();
    let mut other = row(0.015, 8.0, 0.5);
    for (passed, snapshot) in snapshots.iter().enumerate() {
        other.0.restore(snapshot).expect("the same scene");
        other.run((12 - passed) as f64 / 240.0);
        assert_eq!(other.0.state_hash(), last, "from tick {passed} on");
    }
}
