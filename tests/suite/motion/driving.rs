//! Commanded velocities, slopes and edges.

use morse_sim::{Simulation, simulation::no_extensions};
use serde_json::json;

use super::{Arena, DUO, G, SLED, Test, actuator};

/// Returns the mean speed along x over the last four of five seconds.
fn mean_speed(arena: &Arena<'_>) -> f64 {
    let mut test = arena.build();
    test.run(1.0);
    let from = test.position_on_slope().x;
    test.run(4.0);
    (test.position_on_slope().x - from) / 4.0
}

#[test]
fn a_commanded_speed_is_the_speed() {
    for (kind, start, model) in [
        ("v_omega", "v: 1", SLED),
        ("xy_omega", "x: 1", SLED),
        ("v_omega_diff", "v: 1", DUO),
    ] {
        let robot = actuator(kind, start);
        let arena = Arena {
            model,
            robot: &robot,
            ..Arena::default()
        };
        let speed = mean_speed(&arena);
        println!("{kind}: {speed}");
        assert!((speed - 1.0).abs() < 0.01, "{kind}: {speed}");
    }
}

#[test]
fn a_commanded_turning_rate_is_the_rate() {
    // Round tyres: a wide tyre slides along its edges, and turns the robot less by half its fraction of the track width.
    let round = DUO
        .replace(
            "shape cylinder; radius 0.1; height 0.04;",
            "shape sphere; radius 0.1;",
        )
        .replace("translation [0, -0.02, 0]; mass", "mass");
    let round = round.as_str();
    for (kind, start, model) in [
        ("v_omega", "w: 0.5", SLED),
        ("xy_omega", "w: 0.5", SLED),
        ("v_omega_diff", "w: 0.5", round),
        ("v_omega", "v: 0.5, w: 0.5", SLED),
        ("v_omega_diff", "v: 0.5, w: 0.5", round),
    ] {
        let robot = actuator(kind, start);
        let mut test = Arena {
            model,
            robot: &robot,
            ..Arena::default()
        }
        .build();
        test.run(1.0);
        let from = test.yaw();
        test.run(4.0);
        let rate = (test.yaw() - from) / 4.0;
        println!("{kind} {start}: {rate}");
        assert!((rate - 0.5).abs() < 0.005, "{kind} {start}: {rate}");
    }
}

/// With wheels on joints that scrub when the robot turns, one behind the other or not.
#[test]
fn the_shipped_robots_on_wheels_reach_a_commanded_turning_rate() {
    for model in ["segway_rmp400", "pioneer3dx", "patrolbot"] {
        for kind in ["v_omega", "v_omega_diff"] {
            for (v, w) in [(0.0, 0.25), (0.0, 1.0), (0.5, 0.5), (1.0, -0.3)] {
                let text = format!(
                    "Simulation(scene: \"environments/empty.robray\", robots: {{ \"rover\": (\
                     model: \"robots/{model}.robray\", {}) }})",
                    actuator(kind, &format!("v: {v}, w: {w}"))
                );
                let simulation = Simulation::parse(&text, ".", &no_extensions);
                let mut test = Test {
                    simulation: simulation.unwrap_or_else(|error| panic!("{error}")),
                    slope: 0.0,
                };
                test.run(2.0);
                let mut turned = 0.0;
                for _ in 0..20 {
                    let before = test.yaw();
                    test.run(0.2);
                    turned += morse_api::angles::normalized(test.yaw() - before);
                }
                let rate = turned / 4.0;
                println!("{model}, {kind}, {v} m/s: {rate} of {w} rad/s");
                assert!(
                    (rate / w - 1.0).abs() < 0.01,
                    "{model}, {kind}: {rate} of {w}"
                );
                let velocity = test.body();
                let ahead = velocity.pose.rotation.inverse() * velocity.linear_velocity;
                let z = velocity.angular_velocity.z;
                assert!((ahead.x - v).abs() < 0.05, "{model}, {kind}: {ahead:?}");
                assert!((z / w - 1.0).abs() < 0.15, "{model}, {kind}: {z} of {w}");
            }
        }
    }
}

#[test]
fn in_morses_motion_friction_takes_its_share() {
    // Two steps of 1/120 s per tick, each with μ g / 120 less: 1 - μ g / 80 on average. The coefficients are multiplied: 0.5
    // · 0.5 and 5 · 0.5.
    let robot = actuator("v_omega", "v: 1");
    for (friction, mu) in [("", 0.25), ("friction: 5,", 2.5)] {
        let robot = format!("{friction}{robot}");
        let speed = mean_speed(&Arena {
            environment: "motion: morse",
            robot: &robot,
            ..Arena::default()
        });
        let expected = 1.0 - mu * G / 80.0;
        println!("morse, {mu}: {speed} expected {expected}");
        assert!(
            (speed - expected).abs() < 0.02,
            "{mu}: {speed} instead of {expected}"
        );
    }
}

/// Returns the distance that a robot slides down a slope in 2 s, m.
fn slid(motion: &str, command: &str, slope: f64) -> f64 {
    let environment = format!("motion: {motion}");
    let mut test = Arena {
        environment: &environment,
        robot: command,
        slope,
        ..Arena::default()
    }
    .build();
    test.run(0.5);
    let from = test.position_on_slope().x;
    test.run(2.0);
    from - test.position_on_slope().x
}

#[test]
fn friction_decides_whether_a_slope_holds_a_robot() {
    let standing = actuator("v_omega", "v: 0");
    // The mean of 0.5 and 0.5, and their product.
    for (motion, mu) in [("default", 0.5), ("morse", 0.25)] {
        let holding = libm::atan(0.95 * mu);
        let sliding = libm::atan(1.1 * mu);
        let coasting =
            G * (libm::sin(sliding) - mu * libm::cos(sliding)) * (2.5 * 2.5 - 0.25) / 2.0;
        for command in ["", standing.as_str()] {
            let held = slid(motion, command, holding);
            println!("{motion} {command} held: {held}");
            assert!(held.abs() < 2e-3, "{motion} {command}: slid by {held}");
        }
        let free = slid(motion, "", sliding);
        println!("{motion} slid: {free} expected {coasting}");
        assert!(
            (free / coasting - 1.0).abs() < 0.1,
            "{free} m instead of {coasting}"
        );
    }
    let (mu, steep) = (0.5, libm::atan(0.55));
    let expected = G * (libm::sin(steep) - mu * libm::cos(steep)) * (2.5 * 2.5 - 0.25) / 2.0;
    let driven = slid("default", &standing, steep);
    println!("driven, slid: {driven} expected {expected}");
    assert!(
        (driven / expected - 1.0).abs() < 0.1,
        "{driven} m instead of {expected}"
    );
}

#[test]
fn turning_on_a_slope_does_not_creep() {
    for (model, command) in [
        (SLED, "w: 0.3"),
        (SLED, "w: -1"),
        (DUO, "w: 0.3"),
        (DUO, "w: -1"),
    ] {
        let mut test = Arena {
            model,
            robot: &actuator("v_omega", command),
            slope: 0.2,
            ..Arena::default()
        }
        .build();
        test.run(1.0);
        let from = test.position_on_slope();
        test.run(4.0);
        let crept = (test.position_on_slope() - from).norm();
        // Without correction: 4 s · 2/3 · g sin θ cos θ / 120 Hz = 4 cm.
        assert!(crept < 4e-3, "{command}: {crept} m");
    }
}

/// Returns the vertical velocity of the centre of mass of all moving bodies, m/s.
fn fall(test: &Test) -> f64 {
    let simulation = &test.simulation;
    let names = simulation.scene().bodies.keys();
    let bodies = names.filter_map(|name| simulation.body(name));
    let moving = bodies.filter(|body| body.mass.is_finite());
    let (mass, momentum) = moving.fold((0.0, 0.0), |(mass, momentum), body| {
        (
            mass + body.mass,
            momentum + body.mass * body.linear_velocity.z,
        )
    });
    momentum / mass
}

#[test]
fn past_an_edge_a_robot_falls() {
    for (kind, model) in [("v_omega", SLED), ("v_omega_diff", DUO)] {
        let robot = actuator(kind, "v: 1");
        let mut test = Arena {
            model,
            robot: &robot,
            length: 4.0,
            ..Arena::default()
        }
        .build();
        test.run(5.0);
        let before = test.body();
        assert!(
            before.pose.translation.z < -1.0,
            "{}",
            before.pose.translation
        );
        let falling = fall(&test);
        test.run(0.5);
        // A tumbling hull falls differently from the centre of mass of the whole, on which gravity acts.
        let speed = fall(&test) - falling;
        println!("{kind} falls: {speed}");
        assert!((speed + 0.5 * G).abs() < 0.01, "{kind}: {speed} m/s more");
    }
}

#[test]
fn wheels_do_not_jump() {
    let mut test = Arena {
        model: DUO,
        robot: &actuator("v_omega_diff", ""),
        ..Arena::default()
    }
    .build();
    test.run(1.0);
    let (rest, yaw) = (test.position_on_slope(), test.yaw());
    assert!(rest.x.abs() < 5e-3 && rest.y.abs() < 1e-3, "{rest}");
    test.send("set_speed", &json!([0.5, 0.0]));
    let mut highest: f64 = 0.0;
    for _ in 0..120 {
        test.run(1.0 / 60.0);
        highest = highest.max((test.position_on_slope().z - rest.z).abs());
        let turned = (test.yaw() - yaw).abs();
        // Starting at full torque, the wheels slip for a moment, with small differences.
        assert!(turned < 0.01, "turned by {turned}");
    }
    println!("wheels: {highest} m up or down");
    assert!(highest < 3e-3, "{highest} m up or down");
    test.send("stop", &json!([]));
    test.run(2.0);
    let from = test.position_on_slope().x;
    test.run(1.0);
    let crept = test.position_on_slope().x - from;
    assert!(crept.abs() < 1e-4, "crept by {crept}");
}

#[test]
fn wheels_slip_where_they_find_no_grip() {
    let robot = format!("friction: 0, {}", actuator("v_omega_diff", "v: 1"));
    let speed = mean_speed(&Arena {
        model: DUO,
        robot: &robot,
        environment: "motion: morse",
        ..Arena::default()
    });
    assert!(speed.abs() < 1e-3, "without friction: {speed}");
}
