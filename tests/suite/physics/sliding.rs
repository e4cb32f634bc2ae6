//! Friction, its absence, and moving floors, at several rates.

use std::fmt::Write as _;

use morse_sim::{Simulation, simulation::no_extensions};
use nalgebra::Vector3;

/// Rates, Hz.
const RATES: [f64; 3] = [60.0, 240.0, 1000.0];

/// Builds a simulation of a scene; `more` is the rest of the simulation file.
fn simulation(scene: &str, environment: &str, more: &str) -> Simulation {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("scene.robray"), scene).expect("written");
    let text = format!("Simulation(scene: \"scene.robray\", environment: ({environment}), {more})");
    Simulation::parse(&text, folder.path(), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn run(simulation: &mut Simulation, seconds: f64, rate: f64) {
    let ticks = (seconds * rate).round() as u64;
    simulation.run(ticks).expect("nobody is in lockstep");
}

fn position(simulation: &Simulation, body: &str) -> Vector3<f64> {
    let body = simulation.body(body).expect("a body");
    body.pose.translation.vector
}

/// A box that slides slowly does not fall asleep.
#[test]
fn on_ice_a_slow_box_keeps_its_speed() {
    let scene = "frame floor { translation [0, 0, -0.5]; geometry { shape box; dimension [50, 50, 1]; friction 0; } }
        frame puck { translation [5, 3, 0.1]; geometry { shape box; dimension [0.6, 0.6, 0.2]; friction 0; } }";
    for rate in RATES {
        for speed in [0.09, 0.02] {
            let more = format!("bodies: {{ \"puck\": (linear_velocity: ({speed}, 0, 0)) }}");
            let mut test = simulation(scene, &format!("rate: {rate}"), &more);
            run(&mut test, 4.0, rate);
            let travel = (position(&test, "puck").x - 5.0) / (4.0 * speed);
            assert!(
                (travel - 1.0).abs() < 2e-3,
                "{rate} Hz, {speed} m/s: {travel}"
            );
        }
    }
}

/// Friction of 0.5 holds a box on a slope of 25.5°, and lets it slide down one of 27.5° with g (sin α - μ cos α).
#[test]
fn a_box_slides_where_the_slope_is_steeper_than_friction_holds() {
    for rate in RATES {
        for degrees in [25.5, 27.5] {
            let (sin, cos) = libm::sincos(f64::to_radians(degrees));
            let scene = format!(
                "frame plane {{ rpy [0, {degrees}*deg, 0];
                    frame slab {{ translation [0, 0, -0.5]; geometry {{ shape box; dimension [50, 50, 1]; friction 0.5; }} }}
                    frame crate {{ translation [0, 0, 0.1]; geometry {{ shape box; dimension [0.6, 0.6, 0.2]; friction 0.5; }} }} }}"
            );
            let more = "bodies: { \"crate\": (kind: dynamic) }";
            let mut test = simulation(&scene, &format!("rate: {rate}"), more);
            run(&mut test, 2.0, rate);
            let start = Vector3::new(0.1 * sin, 0.0, 0.1 * cos);
            let way = (position(&test, "crate") - start).norm();
            let expected = (9.81 * (sin - 0.5 * cos)).max(0.0) * 2.0;
            assert!(
                (way - expected).abs() < 0.012 * expected + 1e-4,
                "{rate} Hz, {degrees} degrees: {way} m instead of {expected}"
            );
        }
    }
}

/// A box on a turntable keeps its position there: friction of 0.65 holds more than ω² r = 0.09 m/s².
#[test]
fn a_box_stays_on_a_turntable() {
    let scene = "frame table { translation [0, 0, 0.05]; geometry { shape box; dimension [4, 4, 0.1]; friction 0.8; } }
        frame crate { translation [1, 0, 0.2]; geometry { shape box; dimension [0.2, 0.2, 0.2]; friction 0.5; } }";
    for rate in RATES {
        let more = "robots: { \"table\": (frame: \"table\", base: kinematic,
                actuators: { \"motion\": (kind: \"v_omega\", start: (w: 0.3)) }) },
            bodies: { \"crate\": (linear_velocity: (0, 0.3, 0), angular_velocity: (0, 0, 0.3)) }";
        let mut test = simulation(scene, &format!("rate: {rate}"), more);
        run(&mut test, 5.0, rate);
        let there = test.body("table").expect("a body").pose.inverse()
            * test.body("crate").expect("a body").pose;
        let slip = (there.translation.vector - Vector3::new(1.0, 0.0, 0.15)).norm();
        assert!(slip < 0.15 / rate, "{rate} Hz: slipped by {slip} m");
    }
}

/// Two equal balls meet at 30°: the second one leaves along the line between their centres.
#[test]
fn balls_collide_along_the_line_of_their_centres() {
    let mut scene = String::new();
    for (name, position) in [("one", "[0, 0.1, 0]"), ("two", "[1, 0, 0]")] {
        let geometry = "geometry { shape sphere; radius 0.1; friction 0; }";
        writeln!(
            scene,
            "frame {name} {{ translation {position}; mass 1; {geometry} }}"
        )
        .expect("text");
    }
    for (rate, tolerance) in [(240.0, 0.02), (1000.0, 0.02)] {
        let more = "bodies: { \"one\": (restitution: 1, linear_velocity: (2, 0, 0)), \"two\": (restitution: 1) }";
        let mut test = simulation(&scene, &format!("rate: {rate}, gravity: (0, 0, 0)"), more);
        run(&mut test, 1.0, rate);
        let speed = test.body("two").expect("a body").linear_velocity;
        let expected = Vector3::new(1.5, -0.75_f64.sqrt(), 0.0);
        assert!((speed - expected).norm() < tolerance, "{rate} Hz: {speed}");
    }
}

/// A disc that spins about its axis of greatest inertia, with a wobble, spins on so: its energy is constant.
#[test]
fn a_spinning_disc_does_not_begin_to_tumble() {
    let scene =
        "frame disc { mass 1; center_of_mass [0, 0, 0]; inertia [0.02, 0.01, 0.01, 0, 0, 0];
        geometry { shape sphere; radius 0.05; } }";
    for rate in RATES {
        let more = "bodies: { \"disc\": (angular_velocity: (20, 3, 0)) }";
        let mut test = simulation(scene, &format!("rate: {rate}, gravity: (0, 0, 0)"), more);
        run(&mut test, 20.0, rate);
        let disc = test.body("disc").expect("a body");
        let spin = disc.pose.rotation.inverse() * disc.angular_velocity;
        assert!((spin.x - 20.0).abs() < 1e-4, "{rate} Hz: {spin}");
        assert!((spin.yz().norm() - 3.0).abs() < 1e-4, "{rate} Hz: {spin}");
    }
}

/// A ball that is thrown obliquely at a floor leaves it with Newton's restitution along the normal, and across with the
/// friction of that impulse, μ m (1 + e) v, but at most what makes it roll: 2/7 m of the sliding speed.
#[test]
fn a_bouncing_ball_has_the_spin_of_its_friction() {
    const RADIUS: f64 = 0.1;
    for rate in RATES {
        for (friction, restitution, spin) in [
            (0.1, 0.8, 0.0),
            (0.1, 0.3, 20.0),
            (1.0, 0.8, 0.0),
            (1.0, 0.5, -30.0),
        ] {
            let scene = format!(
                "frame floor {{ translation [0, 0, -0.5]; geometry {{ shape box; dimension [50, 50, 1]; friction {friction}; restitution {restitution}; }} }}
                frame ball {{ translation [0, 0, 0.4]; geometry {{ shape sphere; radius {RADIUS}; friction {friction}; }} }}"
            );
            let more = format!(
                "bodies: {{ \"ball\": (linear_velocity: (2, 0, -3), angular_velocity: (0, {spin}, 0)) }}"
            );
            let environment = format!("rate: {rate}, gravity: (0, 0, 0)");
            let mut test = simulation(&scene, &environment, &more);
            run(&mut test, 0.5, rate);
            let ball = test.body("ball").expect("a ball");
            let sliding: f64 = 2.0 - spin * RADIUS;
            let most = friction * (1.0 + restitution) * 3.0;
            let change = -(sliding * 2.0 / 7.0).clamp(-most, most);
            let expected = [
                2.0 + change,
                3.0 * restitution,
                spin - 2.5 * change / RADIUS,
            ];
            let is = [
                ball.linear_velocity.x,
                ball.linear_velocity.z,
                ball.angular_velocity.y,
            ];
            let pairs = is.iter().zip(&expected);
            let most = pairs.map(|(is, expected)| (is - expected).abs() / expected.abs().max(1.0));
            assert!(
                most.fold(0.0, f64::max) < 1e-3,
                "{rate} Hz, friction {friction}, restitution {restitution}, spin {spin}: {is:?} of {expected:?}"
            );
        }
    }
}

/// Bodies that tumble and bounce on a floor, on each other and on a slope gain no energy.
#[test]
fn bouncing_bodies_gain_no_energy() {
    let shapes = [
        (
            "shape box; dimension [0.3, 0.2, 0.1]",
            [0.05, 0.1, 0.13].map(|sum| sum / 12.0),
        ),
        ("shape sphere; radius 0.1", [0.004; 3]),
    ];
    for rate in RATES {
        for (index, (shape, inertia)) in shapes.iter().enumerate() {
            for restitution in [0.3, 0.9] {
                let frames: String = (0..3)
                    .map(|body| {
                        format!(
                            "frame b{body} {{ translation [{}, 0, {}]; rpy [0.3, {body}, 0.2]; geometry {{ {}; friction 0.6; }} mass 1; inertia [{}, {}, {}, 0, 0, 0]; }}\n",
                            0.05 * f64::from(body), 0.5 + 0.5 * f64::from(body), shape, inertia[0], inertia[1], inertia[2]
                        )
                    })
                    .collect();
                let scene = format!(
                    "frame floor {{ rpy [0.1, 0, 0]; translation [0, 0, -0.5]; geometry {{ shape box; dimension [50, 50, 1]; friction 0.6; restitution {restitution}; }} }} {frames}"
                );
                let more = "bodies: { \"b0\": (angular_velocity: (3, 7, 0)), \"b1\": (linear_velocity: (1, 0, -2)), \"b2\": (angular_velocity: (0, -9, 4)) }";
                let mut test = simulation(&scene, &format!("rate: {rate}"), more);
                let energy = |test: &Simulation| -> f64 {
                    (0..3)
                        .map(|body| {
                            let body = test.body(&format!("b{body}")).expect("a body");
                            let own = body.pose.rotation.inverse() * body.angular_velocity;
                            let turning: f64 = (0..3)
                                .map(|axis| inertia[axis] * own[axis] * own[axis])
                                .sum();
                            9.81 * body.pose.translation.vector.z
                                + body.linear_velocity.norm_squared() / 2.0
                                + turning / 2.0
                        })
                        .sum()
                };
                let mut least = energy(&test);
                for step in 0..40 {
                    run(&mut test, 0.05, rate);
                    let now = energy(&test);
                    assert!(
                        now < least + 0.05,
                        "{rate} Hz, {index}, {restitution}, {step}: {least} J, then {now} J"
                    );
                    least = least.min(now);
                }
            }
        }
    }
}

/// Distance by which a box slides down a slope of 40° in half a second, with a coefficient of friction.
fn slide(friction: f64) -> f64 {
    let (sin, cos) = libm::sincos(f64::to_radians(40.0));
    (sin - friction * cos).max(0.0) * 9.81 / 8.0
}

/// A box of the engine, and one of a robot with a joint.
#[test]
fn friction_of_two_surfaces_is_combined_by_the_rule() {
    for (environment, floor, crate_, expected) in [
        ("", 0.2, 0.6, 0.4),
        ("", 0.0, 0.6, 0.0),
        ("friction_rule: mean", 0.0, 0.6, 0.0),
        ("friction_rule: greater", 0.2, 0.6, 0.6),
        ("friction_rule: greater", 0.0, 0.6, 0.6),
        ("friction_rule: smaller", 0.2, 0.6, 0.2),
        ("friction_rule: product", 0.5, 0.6, 0.3),
        ("motion: morse", 0.5, 0.6, 0.3),
        ("motion: morse, friction_rule: smaller", 0.5, 0.6, 0.5),
    ] {
        for joint in [
            "",
            "frame vane { type revolute; axis [0, 0, 1]; mass 0.01; inertia [1e-4, 1e-4, 1e-4, 0, 0, 0]; }",
        ] {
            let scene = format!(
                "frame plane {{ rpy [0, 40*deg, 0];
                    frame slab {{ translation [0, 0, -0.5]; geometry {{ shape box; dimension [50, 50, 1]; friction {floor}; }} }}
                    frame crate {{ type floating; translation [0, 0, 0.1]; {joint}
                        geometry {{ shape box; dimension [0.6, 0.6, 0.2]; friction {crate_}; }} }} }}"
            );
            let environment = format!("rate: 240, {environment}");
            let mut test = simulation(&scene, &environment, "");
            let start = position(&test, "crate");
            run(&mut test, 0.5, 240.0);
            let way = (position(&test, "crate") - start).norm();
            let error = way - slide(expected);
            assert!(
                error.abs() < 0.02,
                "{environment}, {floor}, {crate_}, `{joint}`: {way}"
            );
        }
    }
}

/// MuJoCo takes the greater coefficient, Gazebo the smaller one.
#[test]
fn models_of_mujoco_and_gazebo_have_their_own_rules() {
    let degrees = 40.0_f64.to_radians();
    let mjcf = |friction: f64, [plane, own]: [u8; 2]| {
        format!(
            "<mujoco><worldbody>
            <geom type='plane' size='20 20 1' euler='0 40 0' friction='0.6' condim='{plane}'/>
            <body name='crate' pos='0.0643 0 0.0766' euler='0 40 0'><freejoint/>
            <geom type='box' size='0.3 0.3 0.1' friction='{friction}' condim='{own}'/></body>
            </worldbody></mujoco>"
        )
    };
    let collision = |size: &str, friction: f64| {
        format!(
            "<link name='l'><collision name='c'><geometry><box><size>{size}</size></box></geometry>
            <surface><friction><ode><mu>{friction}</mu></ode></friction></surface></collision></link>"
        )
    };
    let sdf = format!(
        "<sdf version='1.9'><world name='w'>
        <model name='slab'><static>1</static><pose>-0.3214 0 -0.3830 0 {degrees} 0</pose>{}</model>
        <model name='crate'><pose>0.0643 0 0.0766 0 {degrees} 0</pose>{}</model></world></sdf>",
        collision("50 50 1", 0.6),
        collision("0.6 0.6 0.2", 0.2)
    );
    for (name, text, expected) in [
        ("a.xml", mjcf(0.2, [3, 3]), 0.6),
        ("a.xml", mjcf(0.7, [3, 3]), 0.7),
        ("a.xml", mjcf(0.2, [3, 1]), 0.6),
        ("a.xml", mjcf(0.7, [3, 1]), 0.7),
        ("a.xml", mjcf(0.2, [1, 1]), 0.0),
        ("a.sdf", sdf, 0.2),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, &text).expect("written");
        let mut test = Simulation::load(&path).unwrap_or_else(|error| panic!("{error}"));
        let start = position(&test, "crate");
        run(&mut test, 0.5, 60.0);
        let way = (position(&test, "crate") - start).norm();
        assert!((way - slide(expected)).abs() < 0.02, "{text}: {way}");
    }
}
