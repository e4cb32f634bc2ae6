//! Dry friction, rotors and gravity compensation, with the attributes of scenes and simulation files, against formulas.
use std::f64::consts::TAU;

use nalgebra::DVector;

use super::touching::{G, JOINTS, Test};

/// Returns a block of 2 kg on a level slide.
fn slide(attributes: &str, joint: &str) -> Test {
    let scene = format!(
        "frame stand {{ frame block {{ type prismatic; axis [1, 0, 0]; variable slide; {attributes}
            mass 2; inertia [0.01, 0.01, 0.01, 0, 0, 0]; }} }}"
    );
    on_a_stand(&scene, "slide", joint)
}

fn on_a_stand(scene: &str, variable: &str, joint: &str) -> Test {
    let settings = format!(
        r#"robots: {{ "robot": (frame: "stand", base: fixed, {JOINTS}, joints: {{ "{variable}": ({joint}) }}) }}"#
    );
    Test::new(scene, &settings)
}

#[test]
fn dry_friction_holds_up_to_its_bound_and_brakes_beyond() {
    for (attributes, joint) in [
        ("dry_friction 5;", ""),
        ("dry_friction 9;", "dry_friction: 5"),
    ] {
        for (force, acceleration) in [(4.9, 0.0), (8.0, 1.5), (-8.0, -1.5)] {
            let mut test = slide(attributes, joint);
            test.exert(&["slide"], &[force]);
            test.run(2.0);
            let joint = test.joint("slide");
            assert!(
                (joint.velocity - acceleration * 2.0).abs() < 1e-9,
                "{force} N: {joint:?}"
            );
            assert!((joint.position - acceleration * 2.0).abs() < 0.01);
        }
    }
    // A moving block is decelerated by f / m, and then stands.
    let mut test = slide("dry_friction 5;", "");
    test.exert(&["slide"], &[15.0]);
    test.run(1.0);
    test.exert(&["slide"], &[0.0]);
    test.run(1.0);
    let speed = test.joint("slide").velocity;
    assert!((speed - 2.5).abs() < 1e-9, "{speed}");
    test.run(1.5);
    let (joint, way) = (test.joint("slide"), 2.5 + 5.0 * 5.0 / (2.0 * 2.5));
    assert_eq!(joint.velocity, 0.0);
    assert!((joint.position - way).abs() < 0.02, "{joint:?}, not {way}");
}

#[test]
fn dry_friction_holds_an_arm_against_its_weight() {
    // 1 kg at 0.5 m weighs 4.905 N·m.
    for (friction, falls) in [(5.0, false), (4.8, true)] {
        let scene = format!(
            "frame stand {{ frame link {{ type revolute; axis [0, 1, 0]; variable bend; dry_friction {friction};
                mass 1; center_of_mass [0.5, 0, 0]; inertia [0.01, 0.01, 0.01, 0, 0, 0]; }} }}"
        );
        let mut test = on_a_stand(&scene, "bend", "");
        test.run(2.0);
        let bend = test.joint("bend");
        assert_eq!(bend.position.abs() > 1e-9, falls, "{friction}: {bend:?}");
    }
}

#[test]
fn a_rotor_slows_a_pendulum() {
    // T = 2π √((I + m·r² + J) / (m·g·r)) for small swings, J = gear²·armature.
    let (mass, arm, inertia) = (1.0, 0.5, 0.02);
    for (attributes, joint, rotor) in [
        ("", "", 0.0),
        ("armature 0.3;", "", 0.3),
        ("armature 3e-5; gear 100;", "", 0.3),
        ("armature 0.1;", "armature: 0.3", 0.3),
    ] {
        let scene = format!(
            "frame stand {{ frame link {{ type revolute; axis [0, 1, 0]; variable swing; {attributes}
                mass {mass}; center_of_mass [0, 0, -{arm}]; inertia [{inertia}, {inertia}, {inertia}, 0, 0, 0]; }} }}"
        );
        let joint = if joint.is_empty() {
            "position: 0.05".to_owned()
        } else {
            format!("position: 0.05, {joint}")
        };
        let mut test = on_a_stand(&scene, "swing", &joint);
        let felt = inertia + mass * arm * arm + rotor;
        let period = TAU * (felt / (mass * G * arm)).sqrt();
        let (mut crossings, mut before) = (Vec::new(), test.joint("swing").position);
        for tick in 1..2400 {
            test.run(1.0 / 240.0);
            let now = test.joint("swing").position;
            if before > 0.0 && now <= 0.0 {
                crossings.push((f64::from(tick) - now / (now - before)) / 240.0);
            }
            before = now;
        }
        let actual = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
        assert!(
            (actual / period - 1.0).abs() < 1e-3,
            "{actual}, not {period}"
        );
        let mut mechanism = test.0.mechanism("robot").expect("it has joints");
        assert!((mechanism.mass_matrix()[(0, 0)] - felt).abs() < 1e-12);
        let efforts = mechanism.inverse_dynamics(&[2.0]);
        let product = DVector::from_vec(mechanism.bias())[0] + 2.0 * felt;
        assert!((efforts[0] - product).abs() < 1e-12);
        assert!((mechanism.forward_dynamics(&efforts)[0] - 2.0).abs() < 1e-12);
    }
}

/// Returns an arm of three joints, with these attributes of each.
fn arm(joint: &str) -> Test {
    let scene = "class link { mass 1.5; center_of_mass [0.2, 0, 0.03]; inertia [0.01, 0.02, 0.02, 0, 0, 0]; type revolute; }
        frame stand { frame one { isa link; axis [0, -1, 0]; variable a;
            frame two { isa link; axis [0, -1, 0]; variable b; translation [0.4, 0, 0];
                frame three { isa link; axis [1, 0, 0]; variable c; translation [0.4, 0, 0]; } } } }";
    let settings = format!(
        r#"robots: {{ "robot": (frame: "stand", base: fixed, {JOINTS}, joints: {{
            "a": (position: 0.4, {joint}), "b": (position: -0.7, {joint}), "c": (position: 0.3, {joint}) }}) }}"#
    );
    Test::new(scene, &settings)
}

#[test]
fn an_arm_that_carries_its_weight_stays_where_it_is() {
    let at = [0.4, -0.7, 0.3];
    let names = ["a", "b", "c"];
    let carried = "gravity_compensation: true";
    let fallen = |test: &Test| {
        let off = names.iter().zip(at);
        off.map(|(name, at)| (test.joint(name).position - at).abs())
            .fold(0.0, f64::max)
    };
    // Without a spring, with a motor without a command, and with one that exerts nothing.
    for joint in [
        format!("{carried}, stiffness: 0, damping: 0"),
        carried.to_owned(),
    ] {
        let mut test = arm(&joint);
        test.run(5.0);
        assert!(fallen(&test) < 1e-6, "{joint}: {}", fallen(&test));
        let mut mechanism = test.0.mechanism("robot").expect("it has joints");
        for (name, weight) in names.iter().zip(mechanism.gravity()) {
            let effort = test.joint(name).effort;
            assert!(
                (effort - weight).abs() < 1e-6 * weight.abs().max(1.0),
                "{name}: {effort} N·m, not {weight}"
            );
        }
        test.exert(&names, &[0.0; 3]);
        test.run(2.0);
        assert!(fallen(&test) < 1e-6);
    }
    let mut test = arm("stiffness: 0, damping: 0");
    test.run(1.0);
    assert!(fallen(&test) > 0.5, "it falls without");
    // No motor exceeds its maximum effort.
    let mut test = arm(&format!("{carried}, max_effort: 1"));
    test.run(1.0);
    assert!(fallen(&test) > 0.1, "{}", fallen(&test));
}

#[test]
fn a_load_that_a_compensated_arm_does_not_know_sags_as_the_spring_says() {
    // kp·sag = m·g·r·cos q of the load alone, which a gripper holds by friction: 0.5 kg, 0.6 m from the joint.
    let scene = "frame stand { translation [0, 0, 1];
        frame link { type revolute; axis [0, -1, 0]; variable bend; limit_effort 500;
            mass 4; center_of_mass [0.3, 0, 0]; inertia [0.05, 0.05, 0.05, 0, 0, 0];
            frame left { type prismatic; axis [0, 1, 0]; variable grip; translation [0.6, 0.04, 0]; mass 0.2;
                geometry { shape box; dimension [0.06, 0.02, 0.06]; friction 1; } }
            frame right { type prismatic; axis [0, -1, 0]; variable grip; translation [0.6, -0.04, 0]; mass 0.2;
                geometry { shape box; dimension [0.06, 0.02, 0.06]; friction 1; } } } }
        frame load { translation [0.6, 0, 1]; mass 0.5; geometry { shape box; dimension [0.04, 0.059, 0.04]; friction 1; } }";
    let settings = format!(
        r#"bodies: {{ "load": () }}, robots: {{ "robot": (frame: "stand", base: fixed, {JOINTS}, joints: {{
            "bend": (stiffness: 100, damping: 40, gravity_compensation: true), "grip": (damping: 200) }}) }}"#
    );
    let mut test = Test::new(scene, &settings);
    test.exert(&["grip"], &[-60.0]);
    test.run(6.0);
    let bend = test.joint("bend");
    let load = test.position("load");
    let held = 0.5 * G * load.x;
    assert!(load.z > 0.9, "it is held: {load}");
    let pulled = -100.0 * bend.position;
    assert!(
        (pulled - held).abs() < 0.01 * held,
        "{bend:?}: {pulled} N·m, not {held}"
    );
}

/// Returns the positions of a link of 1 kg that a gate blocks at 0 rad, from the removal of the gate. All its energy comes
/// from its motor, which has this maximum effort (N·m).
fn released(joint: &str, most: f64, order: impl Fn(&Test)) -> Vec<f64> {
    let scene = "frame stand {
        frame link { type revolute; axis [0, 0, 1]; variable bend; limit_position [-1, 0.6]; limit_effort 20;
            mass 1; center_of_mass [0.4, 0, 0]; inertia [0.01, 0.01, 0.01, 0, 0, 0];
            frame bar { translation [0.4, 0, 0]; mass 0; geometry { shape box; dimension [0.6, 0.02, 0.02]; } } }
        frame gate { type prismatic; axis [0, 0, 1]; variable gate; translation [0.5, 0.03, 0]; mass 1;
            geometry { shape box; dimension [0.04, 0.04, 0.04]; } } }";
    let settings = format!(
        r#"robots: {{ "robot": (frame: "stand", base: fixed, {JOINTS}, joints: {{
            "bend": ({joint}), "gate": (mode: kinematic) }}) }}"#
    );
    let mut test = Test::new(scene, &settings);
    order(&test);
    test.run(1.0);
    let blocked = test.joint("bend");
    assert!(
        blocked.position < 0.05 && blocked.velocity.abs() < 1e-3,
        "{blocked:?}"
    );
    test.order(&["gate"], &[1.0]);
    let mut way = Vec::new();
    for _ in 0..480 {
        test.run(1.0 / 240.0);
        let bend = test.joint("bend");
        way.push(bend.position);
        let energy = (0.01 + 0.4 * 0.4) * bend.velocity * bend.velocity / 2.0;
        let work = most * (bend.position - blocked.position);
        assert!(
            energy < 1.001 * work + 1e-3,
            "{energy} J of {work} J at {bend:?}"
        );
    }
    way
}

#[test]
fn a_blocked_joint_that_is_released_goes_where_it_is_told_and_not_beyond() {
    let highest = |way: &[f64]| way.iter().copied().fold(f64::MIN, f64::max);
    // With full effort against its limit: it stops there.
    let way = released("", 5.0, |test| test.exert(&["bend"], &[5.0]));
    assert!((highest(&way) - 0.6).abs() < 1e-3, "{}", highest(&way));
    // To the limit, with and without gains; and to a goal before the limit, without overshoot.
    for (joint, goal) in [
        ("", 0.6),
        ("stiffness: 100, damping: 9", 0.6),
        ("", 0.3),
        ("stiffness: 100, damping: 12", 0.3),
    ] {
        let way = released(joint, 20.0, |test| test.order(&["bend"], &[goal]));
        let [highest, last] = [highest(&way), way[way.len() - 1]];
        assert!((last - goal).abs() < 1e-3, "{joint}, {goal}: {last}");
        assert!(highest < goal + 1e-3, "{joint}, {goal}: {highest}");
    }
}

/// Returns the energy (J) and angular momentum about the vertical through the origin (kg·m²/s) of a body of 1 kg and 0.01
/// kg·m².
fn energy_and_spin(test: &Test, name: &str) -> [f64; 2] {
    let body = test.0.body(name).expect("a body");
    let (way, velocity) = (body.center_of_mass.coords, body.linear_velocity);
    let turning = body.angular_velocity;
    let kinetic = (velocity.norm_squared() + 0.01 * turning.norm_squared()) / 2.0;
    [
        kinetic + G * way.z,
        way.cross(&velocity).z + 0.01 * turning.z,
    ]
}

#[test]
fn joints_with_next_to_no_mass_between_them_are_a_planar_joint_or_a_ball() {
    // A puck whose centre of mass is beside its origin, pushed and spun on a level plane: the centre moves straight.
    let scene = "class bare { mass 1e-6; type prismatic; }
        frame stand { frame x { isa bare; axis [1, 0, 0]; frame y { isa bare; axis [0, 1, 0];
            frame puck { type revolute; axis [0, 0, 1]; mass 2; center_of_mass [0.1, 0, 0]; inertia [0.01, 0.01, 0.02, 0, 0, 0];
        } } } }";
    let settings = format!(r#"robots: {{ "robot": (frame: "stand", base: fixed, {JOINTS}) }}"#);
    let mut test = Test::new(scene, &settings);
    let all = ["x", "y", "puck"];
    test.exert(&all, &[1.0, 0.5, 0.3]);
    test.run(0.5);
    test.exert(&all, &[0.0; 3]);
    test.run(1.0 / 240.0);
    let begin = *test.0.body("puck").expect("a body");
    assert!(begin.angular_velocity.z.abs() > 1.0, "{begin:?}");
    test.run(2.0);
    let end = *test.0.body("puck").expect("a body");
    let way = end.center_of_mass - begin.center_of_mass;
    let off = way - begin.linear_velocity * 2.0;
    assert!(off.norm() < 1e-3 * way.norm(), "{way} is off by {off}");
    // A pendulum on a ball joint keeps its energy, and its angular momentum about the vertical.
    let scene = "class bare { mass 1e-6; type revolute; }
        frame stand { frame roll { isa bare; axis [1, 0, 0]; frame pitch { isa bare; axis [0, 1, 0];
            frame bob { type revolute; axis [0, 0, 1]; mass 1; center_of_mass [0, 0, -0.4];
                inertia [0.01, 0.01, 0.01, 0, 0, 0]; } } } }";
    let mut test = Test::new(scene, &settings);
    let all = ["roll", "pitch", "bob"];
    test.exert(&all, &[0.0, 2.0, 0.1]);
    test.run(0.3);
    test.exert(&all, &[1.0, 0.0, 0.0]);
    test.run(0.3);
    test.exert(&all, &[0.0; 3]);
    test.run(1.0 / 240.0);
    let begin = energy_and_spin(&test, "bob");
    assert!(
        begin[0] > -0.4 * G + 0.3 && begin[1].abs() > 0.05,
        "{begin:?}"
    );
    for _ in 0..50 {
        test.run(0.1);
        let [energy, spin] = energy_and_spin(&test, "bob");
        assert!(
            (energy - begin[0]).abs() < 0.005 * (begin[0] + 0.4 * G),
            "{energy} of {begin:?}"
        );
        assert!((spin / begin[1] - 1.0).abs() < 0.005, "{spin} of {begin:?}");
    }
}
