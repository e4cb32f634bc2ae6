//! Cylinders and capsules roll as balls do: evenly, and not without a cause.
use morse_sim::{Simulation, simulation::no_extensions};
use nalgebra::Vector3;

use super::*;

const RADIUS: f64 = 0.1;

const DOWN: [f64; 3] = [0.0, 0.0, -G];

/// Returns a round body that lies on the floor along y; in the order of names it comes before or after the floor.
fn lying(name: &str, shape: Shape, speed: f64, gravity: [f64; 3]) -> TestWorld {
    let mut scene = Scene::default();
    let floor = Geometry::new(Shape::Box {
        dimension: [20.0, 20.0, 1.0],
    });
    add(
        &mut scene,
        Frame::new("floor").at([0.0, 0.0, -0.5]).with(floor),
    );
    add(&mut scene, Frame::new(name).at([0.0, 0.0, RADIUS]));
    let tread = Frame::new("tread")
        .under(name)
        .at([0.0, -0.05, 0.0])
        .turned([-std::f64::consts::FRAC_PI_2, 0.0, 0.0]);
    add(&mut scene, tread.with(Geometry::new(shape)));
    let settings = BodySettings {
        mass: Some(1.0),
        can_sleep: Some(false),
        linear_velocity: Vector3::x() * speed,
        angular_velocity: Vector3::y() * (speed / RADIUS),
        ..BodySettings::default()
    };
    let mut assembly = Assembly {
        scene,
        ..Assembly::default()
    };
    assembly.bodies.insert(name.to_owned(), settings);
    let settings = PhysicsSettings {
        gravity,
        ..PhysicsSettings::default()
    };
    TestWorld::with(&assembly, settings)
}

const SHAPES: [Shape; 2] = [
    Shape::Cylinder {
        radius: RADIUS,
        height: 0.1,
    },
    Shape::Capsule {
        radius: RADIUS,
        height: 0.1,
    },
];

#[test]
fn what_lies_stays() {
    for shape in SHAPES {
        for name in ["a_wheel", "wheel"] {
            let mut test = lying(name, shape.clone(), 0.0, DOWN);
            test.run(4.0);
            let x = test.position(name).x;
            assert!(x.abs() < 5e-3, "{name}, {shape:?}, went to {x}");
        }
    }
}

/// Rolling without slipping has no losses: x = v t.
#[test]
fn what_rolls_keeps_its_speed() {
    for shape in SHAPES {
        for name in ["a_wheel", "wheel"] {
            for speed in [0.05, 0.5, -2.0] {
                let mut test = lying(name, shape.clone(), speed, DOWN);
                test.run(4.0);
                let travel = test.position(name).x / (speed * 4.0);
                assert!(
                    (travel - 1.0).abs() < 0.01,
                    "{name}, {shape:?} at {speed}: {travel}"
                );
            }
        }
    }
}

/// Down a slope of 10 degrees, modelled by tilted gravity: a = g sin(10°) / (1 + I/(m r²)), with I = m r²/2 of a cylinder.
#[test]
fn a_cylinder_rolls_down_a_slope() {
    for name in ["a_wheel", "wheel"] {
        let slope = 10f64.to_radians();
        let (sin, cos) = libm::sincos(slope);
        let gravity = [G * sin, 0.0, -G * cos];
        let mut test = lying(name, SHAPES[0].clone(), 0.0, gravity);
        test.run(2.0);
        let travel = test.position(name).x;
        let expected = G * sin / 1.5 * 2.0;
        assert!(
            (travel / expected - 1.0).abs() < 0.02,
            "{name} rolls {travel} m, expected {expected}"
        );
    }
}

/// On a slope of 10 degrees as it stands in a scene, at every rate: the engine alone loses contacts there.
#[test]
fn a_cylinder_rolls_down_a_large_tilted_slab() {
    let expected = G * libm::sin(10f64.to_radians()) / 1.5;
    for rate in [60.0, 240.0, 480.0, 1000.0] {
        let folder = tempfile::tempdir().expect("a folder");
        let scene = "frame plane { rpy [0, 10*deg, 0];
            frame slab { translation [0, 0, -0.5]; geometry { shape box; dimension [100, 100, 1]; friction 0.6; } }
            frame drum { translation [0, 0.2, 0.2]; rpy [pi/2, 0, 0]; mass 2;
                geometry { shape cylinder; radius 0.2; height 0.4; friction 0.6; } } }";
        std::fs::write(folder.path().join("scene.robray"), scene).expect("written");
        let text = format!(
            "Simulation(scene: \"scene.robray\", environment: (rate: {rate}), bodies: {{ \"drum\": (kind: dynamic) }})"
        );
        let mut simulation = Simulation::parse(&text, folder.path(), &no_extensions)
            .unwrap_or_else(|error| panic!("{error}"));
        let ticks = (2.0 * rate) as u64;
        simulation.run(ticks).expect("nobody is in lockstep");
        let drum = simulation.body("drum").expect("a body");
        let acceleration = drum.linear_velocity.norm() / 2.0;
        assert!(
            (acceleration / expected - 1.0).abs() < 1e-3,
            "{rate} Hz: {acceleration}"
        );
        let slip = drum.linear_velocity.norm() - drum.angular_velocity.norm() * 0.2;
        assert!(slip.abs() < 2e-3, "{rate} Hz: {slip}");
    }
}
