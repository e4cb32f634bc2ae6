//! Rovers on the ground: what acts on them acts alike whether their contacts are detected by the engine or without it. A car whose
//! wheels are rays, far away, needs all poses in the engine.
use bevy::ecs::entity::Entity;
use morse_sim::{
    actuator::v_omega::{VOmega, VOmegaCommand},
    physics::intervention,
};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::touching::Test;

const GROUND: &str = "frame ground { translation [2, 0, -0.5]; geometry { shape box; dimension [8, 8, 1]; friction 0.8; } }
    frame wall { translation [2, 2, 0.5]; geometry { shape box; dimension [8, 0.2, 1]; friction 0.4; } }";

fn rover(rate: u32, by_engine: bool) -> Test {
    let car = r#""car": (model: "robots/hummer.robray", at: (translation: (80, 0, 1)), actuators: { "motion": (kind: "steer_force") }),"#;
    let car = if by_engine { car } else { "" };
    let settings = format!(
        r#"robots: {{
            "rover": (
                model: "robots/pioneer3dx.robray", base: dynamic, at: (translation: (0, 0, 0.02)),
                actuators: {{ "motion": (kind: "v_omega") }},
            ),
            {car}
        }}"#
    );
    Test::at(rate, GROUND, &settings)
}

/// Something that is done to a rover.
type Act = fn(&mut Test, Entity);

fn nothing(_: &mut Test, _: Entity) {}

fn push(test: &mut Test, rover: Entity) {
    let point = test.0.body("rover").expect("a body").pose * Point3::new(0.1, 0.1, 0.1);
    let impulse = Vector3::new(1.0, 6.0, 3.0);
    let world = test.0.world_mut();
    intervention::push(world, rover, &impulse, Some(&point)).expect("it moves");
}

fn aside() -> Isometry3<f64> {
    let turn = UnitQuaternion::from_euler_angles(0.05, 0.0, 1.0);
    Isometry3::from_parts(Translation3::new(1.0, -1.0, 0.1), turn)
}

fn set_pose(test: &mut Test, rover: Entity) {
    intervention::set_pose(test.0.world_mut(), rover, &aside()).expect("it is free");
}

fn throw(test: &mut Test, rover: Entity) {
    let velocities = [Vector3::new(0.5, 1.0, 1.0), Vector3::new(0.0, 0.5, 2.0)];
    intervention::move_at(test.0.world_mut(), rover, &aside(), velocities).expect("it is free");
}

fn hold(test: &mut Test, rover: Entity) {
    intervention::hold(test.0.world_mut(), rover, true).expect("it moves");
    test.0.run(20).expect("ticks");
    intervention::hold(test.0.world_mut(), rover, false).expect("it moves");
}

fn stop(test: &mut Test, _: Entity) {
    let still = VOmegaCommand { v: 0.0, w: 0.0 };
    test.0
        .command::<VOmega>("rover.motion", still)
        .expect("an actuator");
    test.run(1.5);
}

/// Returns the poses of the base while a rover drives, and something is done to it after a second.
fn drive(mut test: Test, [v, w]: [f64; 2], act: Act) -> Vec<Isometry3<f64>> {
    let rover = test.0.scene().bodies["rover"];
    let rate = test.0.clock().rate as u64;
    let mut poses = Vec::new();
    for tick in 0..3 * rate {
        if tick == rate {
            act(&mut test, rover);
        }
        let command = VOmegaCommand { v, w };
        let result = test.0.command::<VOmega>("rover.motion", command);
        result.expect("an actuator");
        test.0.step().expect("a tick");
        poses.push(test.0.body("rover").expect("a body").pose);
    }
    poses
}

/// Returns the greatest distance and rotation between two runs.
fn apart(one: &[Isometry3<f64>], other: &[Isometry3<f64>]) -> [f64; 2] {
    let mut most = [0.0_f64; 2];
    for (one, other) in one.iter().zip(other) {
        let distance = (one.translation.vector - other.translation.vector).norm();
        most = [
            most[0].max(distance),
            most[1].max(one.rotation.angle_to(&other.rotation)),
        ];
    }
    most
}

#[test]
fn what_acts_on_a_rover_acts_alike_without_the_engine() {
    let acts: [(&str, Act); 6] = [
        ("nothing", nothing),
        ("push", push),
        ("set_pose", set_pose),
        ("throw", throw),
        ("hold", hold),
        ("stop", stop),
    ];
    // After the push, the engine misses the caster on the ground for a step: it predicts contacts by the velocity of the base
    // without its rotation.
    let free = drive(rover(240, false), [0.5, 0.3], nothing);
    for rate in [60, 240, 1000] {
        for (name, act) in acts {
            let [with, without] =
                [true, false].map(|by_engine| drive(rover(rate, by_engine), [0.5, 0.3], act));
            let [distance, angle] = apart(&with, &without);
            println!("{rate} Hz, {name}: {distance} m, {angle} rad");
            assert!(
                distance < 5e-3 && angle < 0.01,
                "{rate} Hz, {name}: {distance} m, {angle} rad"
            );
            if rate == 240 && name != "nothing" {
                let [effect, _] = apart(&without, &free);
                assert!(effect > 0.02, "{name} has an effect: {effect} m");
            }
        }
    }
}

#[test]
fn a_rover_meets_walls_and_edges_alike_without_the_engine() {
    // Along an arc to the wall, straight to it, and over the edge of the ground.
    for (name, command) in [
        ("arc", [1.0, 0.8]),
        ("edge", [-1.2, 0.0]),
        ("fast", [2.5, 0.9]),
    ] {
        for rate in [60, 240] {
            let [with, without] =
                [true, false].map(|by_engine| drive(rover(rate, by_engine), command, nothing));
            let [distance, angle] = apart(&with, &without);
            println!("{rate} Hz, {name}: {distance} m, {angle} rad");
            assert!(
                distance < 0.02 && angle < 0.05,
                "{rate} Hz, {name}: {distance} m, {angle} rad"
            );
        }
    }
}

/// Returns the heights of some equal robots that start in the air, after a quarter of a second and after landing.
fn heights(kind: &str, count: usize) -> [Vec<f64>; 2] {
    let names = (0..count).map(|index| format!("robot_{index}"));
    let robots: String = names
        .clone()
        .zip((0_u32..).step_by(4))
        .map(|(name, x)| {
            format!(
                r#""{name}": (
                    model: "robots/{kind}.robray", base: dynamic, at: (translation: ({x}, 0, 2)),
                    actuators: {{ "motion": (kind: "v_omega", start: (v: 0.4)) }},
                ),"#
            )
        })
        .collect();
    let ground = "frame ground { translation [0, 0, -0.5]; geometry { shape box; dimension [400, 60, 1]; friction 0.8; } }";
    let mut test = Test::new(ground, &format!("robots: {{ {robots} }}"));
    [0.25, 2.0].map(|seconds| {
        test.run(seconds);
        let height = |name: String| test.0.body(&name).expect("a body").pose.translation.z;
        names.clone().map(height).collect()
    })
}

/// Equal trees that touch nothing are integrated together. The wheels of these robots have motors and friction, whose rows are
/// solved in the first tick with factors that were computed for all of them at the same time.
#[test]
fn equal_robots_that_start_in_the_air_fall_and_land_as_one_alone() {
    for kind in ["segway_rmp400", "pioneer3dx", "b21"] {
        let [[fallen, landed], [all_fallen, all_landed]] = [1, 5].map(|count| heights(kind, count));
        assert!(
            (fallen[0] - (2.0 - 9.81 * 0.25 * 0.25 / 2.0)).abs() < 0.01,
            "{kind}: {fallen:?}"
        );
        assert_eq!(all_fallen, [fallen[0]; 5], "{kind}");
        for height in all_landed {
            assert!(
                (height - landed[0]).abs() < 2e-3 && height < 0.3,
                "{kind}: {height} m"
            );
        }
    }
}
