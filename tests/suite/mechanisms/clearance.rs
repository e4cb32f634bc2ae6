//! Arms with nothing near them, whose contacts the engine does not look for: they move, are hit and pushed as arms beside
//! which something lies all the time.
use morse_sim::{
    Simulation,
    actuator::{
        joints::{Joints, JointsCommand},
        teleport::{Teleport, TeleportCommand},
    },
    physics,
    sensor::collision::CollisionData,
    simulation::no_extensions,
};
use nalgebra::{Point3, Translation3, Vector3};

use super::touching::{FLOOR, JOINTS, Test};

const WAVES: [&str; 3] = ["turn", "lift", "bend"];

/// Returns an arm on a post that swings with a spoon at its end, at a rate. With `near`, a crumb floats 1 cm beside its first
/// link, which it never touches.
pub(super) fn arm(rate: u32, near: bool, more: [&str; 2]) -> Test {
    let [frames, bodies] = more;
    let crumb = if near {
        "[0, 0.08, 0.6]"
    } else {
        "[0, 50, 50]"
    };
    let scene = format!(
        "{FLOOR} {frames}
        frame crumb {{ translation {crumb}; mass 0.001; geometry {{ shape sphere; radius 0.01; }} }}
        frame post {{ geometry {{ shape cylinder; radius 0.06; height 0.45; }}
          frame first {{ translation [0, 0, 0.5]; type revolute; axis [0, 0, 1]; variable turn;
            frame neck {{ mass 2; geometry {{ shape cylinder; radius 0.06; height 0.2; }} }}
            frame second {{ translation [0, 0, 0.3]; type revolute; axis [0, 1, 0]; variable lift;
              frame upper {{ translation [0.3, 0, 0]; mass 2; geometry {{ shape box; dimension [0.5, 0.06, 0.06]; }} }}
              frame third {{ translation [0.6, 0, 0]; type revolute; axis [0, 1, 0]; variable bend;
                frame spoon {{ translation [0.25, 0, 0]; mass 0.5; geometry {{ shape box; dimension [0.4, 0.2, 0.04]; friction 0.5; }} }} }} }} }} }}"
    );
    let joints =
        WAVES.map(|name| format!("\"{name}\": (stiffness: 400, damping: 20, max_effort: 200)"));
    let settings = format!(
        "bodies: {{ \"crumb\": (kind: dynamic, gravity: false), {bodies} }}, robots: {{ \"robot\": (frame: \"post\", base: fixed, {JOINTS}, joints: {{ {} }}) }}",
        joints.join(", ")
    );
    Test::at(rate, &scene, &settings)
}

/// Lets the arm swing for a number of ticks.
pub(super) fn swing(test: &mut Test, ticks: std::ops::Range<u64>) {
    let rate = test.0.clock().rate;
    for tick in ticks {
        let seconds = tick as f64 / rate;
        let wave = |phase: f64| 0.6 * libm::sin(2.0 * seconds + phase);
        test.order(&WAVES, &[wave(0.0), wave(1.0) - 0.3, wave(2.0)]);
        test.0.step().expect("a tick");
    }
}

pub(super) fn positions(test: &Test) -> [f64; 3] {
    WAVES.map(|name| test.joint(name).position)
}

#[test]
fn an_arm_swings_alike_whether_something_is_near_it() {
    for rate in [60, 240, 1000] {
        let [mut alone, mut near] = [false, true].map(|near| arm(rate, near, ["", ""]));
        for second in 0..4 {
            let ticks = u64::from(rate);
            for test in [&mut alone, &mut near] {
                swing(test, second * ticks..(second + 1) * ticks);
            }
            assert_eq!(positions(&alone), positions(&near), "{rate} Hz, {second} s");
        }
        let spoon = |test: &Test| *test.0.body("third").expect("a body");
        assert_eq!(spoon(&alone).pose, spoon(&near).pose, "{rate} Hz");
    }
}

/// Without gravity or with damping on a link, the arm swings otherwise; but alike whether something is near it.
#[test]
fn what_acts_on_links_acts_alike_whether_something_is_near_them() {
    let cases = [
        "",
        r#""second": (gravity: false),"#,
        r#""third": (linear_damping: 2, angular_damping: 1),"#,
        r#""second": (gravity: false), "third": (linear_damping: 2),"#,
    ];
    let ends = cases.map(|bodies| {
        let mut tests = [false, true].map(|near| arm(240, near, ["", bodies]));
        for tick in 0..480 {
            for test in &mut tests {
                swing(test, tick..tick + 1);
            }
            let [alone, near] = tests.each_ref().map(positions);
            assert_eq!(alone, near, "{bodies} tick {tick}");
        }
        positions(&tests[0])
    });
    for (index, end) in ends.iter().enumerate() {
        assert!(!ends[..index].contains(end), "case {index} has an effect");
    }
}

#[test]
fn what_flies_at_an_arm_hits_it_alike_whether_something_is_near_it() {
    const SPEED: f64 = 5.0;
    for rate in [60, 240] {
        let half = u64::from(rate) / 2;
        let mut test = arm(rate, false, ["", ""]);
        swing(&mut test, 0..half);
        let spoon = test.0.body("third").expect("a body").pose * Point3::new(0.3, 0.0, 0.0);
        let [x, y, z] = [spoon.x, spoon.y - SPEED / 2.0, spoon.z];
        let ball = format!(
            "frame ball {{ translation [{x}, {y}, {z}]; mass 0.2; geometry {{ shape sphere; radius 0.05; }} }}"
        );
        let moves =
            format!("\"ball\": (kind: dynamic, gravity: false, linear_velocity: (0, {SPEED}, 0)),");
        let tests = [false, true].map(|near| {
            let mut test = arm(rate, near, [&ball, &moves]);
            swing(&mut test, 0..2 * half);
            test
        });
        let speeds = tests
            .each_ref()
            .map(|test| test.0.body("ball").expect("a body").linear_velocity);
        let changed = (speeds[1] - Vector3::y() * SPEED).norm();
        assert!(changed > 0.5, "the ball is turned away: {speeds:?}");
        let apart = (speeds[0] - speeds[1]).norm();
        assert!(apart < 5e-3 * changed, "{rate} Hz: {speeds:?}");
        let [one, two] = tests.each_ref().map(positions);
        for (one, two) in one.iter().zip(two) {
            assert!((one - two).abs() < 1e-4, "{rate} Hz: {one} {two}");
        }
    }
}

/// A fixed body within the boxes of the links does not end their clearances: its distance is known.
#[test]
fn an_arm_hits_a_fixed_pole_alike_whether_something_is_near_it() {
    let pole = "frame pole { translation [0.75, 0.35, 0]; geometry { shape cylinder; radius 0.04; height 2; friction 0.3; } }";
    for rate in [60, 240] {
        let outcomes = [("", false), (pole, false), (pole, true)].map(|(frames, near)| {
            let mut test = arm(rate, near, [frames, ""]);
            let turns = (0..3 * u64::from(rate)).map(|tick| {
                swing(&mut test, tick..tick + 1);
                positions(&test)[0]
            });
            turns.collect::<Vec<_>>()
        });
        let [free, alone, near] = outcomes;
        let most = |turns: &[f64]| turns.iter().copied().fold(0.0, f64::max);
        assert!(
            most(&alone) < most(&free) - 0.1,
            "{rate} Hz: the pole holds the arm"
        );
        let apart = alone.iter().zip(&near).map(|(one, two)| (one - two).abs());
        let apart = apart.fold(0.0, f64::max);
        assert!(apart < 1e-3, "{rate} Hz: {apart}");
    }
}

/// A fixed robot can be teleported: it is no static body.
#[test]
fn a_robot_that_is_teleported_to_an_arm_touches_it_at_once() {
    let text = r#"Simulation(
        scene: "boxes.robray",
        environment: (rate: 100),
        robots: {
            "arm": (
                model: "arms/kuka_lwr.robray", base: fixed,
                sensors: { "touch": (kind: "collision", mount: (frame: "kuka_7")) },
                actuators: { "motors": (kind: "joints", start: (velocities: [0, -0.1, 0, 0, 0, 0, 0])) },
            ),
            "box": (frame: "GreenBox", base: fixed, actuators: { "teleport": (kind: "teleport") }),
        },
    )"#;
    let simulation = Simulation::parse(text, "scenes", &no_extensions);
    let mut simulation = simulation.unwrap_or_else(|error| panic!("{error}"));
    // Meanwhile the boxes of its links have grown.
    simulation.run(400).expect("no observer to be lost");
    let touches = |simulation: &Simulation| {
        let data = simulation.read::<CollisionData>("arm.touch");
        data.expect("a collision sensor").collision
    };
    assert!(!touches(&simulation));
    // The side of the box goes through the link.
    let tip = simulation
        .body("arm.kuka_7")
        .expect("a body")
        .pose
        .translation
        .x;
    let command = TeleportCommand {
        x: tip + 0.5,
        z: 0.9,
        ..TeleportCommand::default()
    };
    simulation
        .command::<Teleport>("box.teleport", command)
        .expect("an actuator");
    simulation.run(2).expect("no observer to be lost");
    assert!(touches(&simulation));
}

#[test]
fn an_impulse_on_an_arm_acts_alike_whether_something_is_near_it() {
    let outcomes = [false, true].map(|near| {
        let mut test = arm(240, near, ["", ""]);
        swing(&mut test, 0..300);
        let spoon = test.0.scene().bodies["third"];
        let pose = test.0.body("third").expect("a body").pose;
        let point = pose * Point3::new(0.4, 0.08, 0.02);
        let impulse = Vector3::new(0.2, 0.5, -0.4);
        let world = test.0.world_mut();
        physics::intervention::push(world, spoon, &impulse, Some(&point)).expect("it moves");
        test.0.step().expect("a tick");
        let struck = WAVES.map(|name| test.joint(name).velocity);
        swing(&mut test, 301..360);
        (struck, positions(&test))
    });
    let [(one, later), (two, also)] = outcomes;
    for (one, two) in one.iter().zip(two) {
        assert!(
            (one - two).abs() < 1e-5 * two.abs().max(1.0),
            "{one} {two} rad/s"
        );
    }
    for (one, two) in later.iter().zip(also) {
        assert!((one - two).abs() < 1e-5, "{one} {two} rad");
    }
}

#[test]
fn an_arm_with_nothing_near_it_goes_on_from_a_snapshot() {
    let mut test = arm(240, false, ["", ""]);
    swing(&mut test, 0..107);
    let snapshot = test.0.snapshot().expect("a snapshot");
    swing(&mut test, 107..250);
    let hash = test.0.state_hash();
    test.0.restore(&snapshot).expect("it fits");
    swing(&mut test, 107..250);
    assert_eq!(test.0.state_hash(), hash);
    let mut other = arm(240, false, ["", ""]);
    other.0.restore(&snapshot).expect("it fits");
    swing(&mut other, 107..250);
    assert_eq!(other.0.state_hash(), hash);
}

#[test]
fn a_box_that_is_put_into_an_arm_is_pressed_out() {
    let frames = "frame crate { translation [5, 5, 0.1]; mass 1; geometry { shape box; dimension [0.2, 0.2, 0.2]; } }";
    let mut test = arm(240, false, [frames, "\"crate\": (kind: dynamic),"]);
    swing(&mut test, 0..240);
    let pose = test.0.body("third").expect("a body").pose * Translation3::new(0.25, 0.0, 0.05);
    let entity = test.0.scene().bodies["crate"];
    physics::intervention::set_pose(test.0.world_mut(), entity, &pose).expect("it is free");
    test.0.step().expect("a tick");
    assert!(test.deepest() > 0.01, "it is in the arm");
    swing(&mut test, 241..720);
    let position = test.position("crate");
    assert!(
        position.iter().all(|number| number.is_finite()) && position.norm() < 5.0,
        "{position}"
    );
    assert!(test.deepest() < 3e-3, "it is out");
}

#[test]
fn two_arms_meet_alike_whether_something_is_near_them() {
    let outcomes = [false, true].map(|near| {
        let mut test = two_arms(near);
        for tick in 0..960 {
            let turn = 1.2 * (f64::from(tick) / 480.0).min(1.0);
            for (robot, turn) in [("left", -0.9), ("right", turn)] {
                let order = JointsCommand {
                    positions: vec![turn],
                    ..JointsCommand::default()
                };
                let path = format!("{robot}.joints");
                test.0.command::<Joints>(&path, order).expect("joints");
            }
            test.0.step().expect("a tick");
        }
        ["left", "right"].map(|name| test.joint(name).position)
    });
    let [alone, near] = outcomes;
    println!("{alone:?}, {near:?}");
    for (one, two) in alone.iter().zip(near) {
        assert!((one - two).abs() < 1e-3, "{one} {two}");
    }
    // Without the other, each would be where its motor is to turn it.
    assert!(
        alone[1] < 1.0 && alone[0] > -0.8995,
        "they stop each other: {alone:?}"
    );
}

/// Returns two arms of 0.7 m on posts that are 1 m apart; with `near`, with a crumb beside each of them.
fn two_arms(near: bool) -> Test {
    let height = if near { 0.36 } else { 50.0 };
    let arm = |name: &str, y: f64| {
        format!(
            "frame {name}_crumb {{ translation [0.12, {y}, {height}]; mass 0.001; geometry {{ shape sphere; radius 0.01; }} }}
             frame {name}_post {{ translation [0, {y}, 0.3];
               frame {name}_joint {{ type revolute; axis [0, 0, 1]; variable {name};
                 frame {name}_bar {{ translation [0.4, 0, 0]; mass 1; geometry {{ shape box; dimension [0.6, 0.06, 0.06]; }} }} }} }}\n"
        )
    };
    let scene = format!("{FLOOR} {} {}", arm("left", 0.5), arm("right", -0.5));
    let robot = |name: &str| {
        format!(
            "\"{name}\": (frame: \"{name}_post\", base: fixed, {JOINTS},
              joints: {{ \"{name}\": (stiffness: 50, damping: 10, max_effort: 20) }}),"
        )
    };
    let settings = format!(
        "bodies: {{ \"left_crumb\": (kind: dynamic, gravity: false), \"right_crumb\": (kind: dynamic, gravity: false) }},
         robots: {{ {} {} }}",
        robot("left"),
        robot("right")
    );
    Test::at(240, &scene, &settings)
}

#[test]
fn an_arm_is_lost_alike_whether_something_is_near_it() {
    let poses = [false, true].map(|near| {
        let mut test = arm(240, near, ["", ""]);
        swing(&mut test, 0..100);
        let third = test.0.scene().bodies["third"];
        let impulse = Vector3::x() * 1e300;
        physics::intervention::push(test.0.world_mut(), third, &impulse, None).expect("it moves");
        swing(&mut test, 100..110);
        assert_eq!(test.0.lost_bodies().len(), 1, "near: {near}");
        test.0.body("third").expect("a body").pose
    });
    assert!((poses[0].translation.vector - poses[1].translation.vector).norm() < 1e-6);
}
