//! The physics against results computed by hand.

mod bounces;
mod drives;
mod falls;
mod joints;
mod rolling;
mod sliding;
mod state;

use bevy::{ecs::system::RunSystemOnce as _, prelude::*};
use morse_api::{
    body::{BodyKind, BodyState},
    service::Services,
};
use morse_sim::{
    physics::{self, Contacts, PhysicsSettings},
    scene::{
        assembly::{Assembly, BodySettings},
        model::{Frame, Geometry, MeshFile, Scene, Shape},
    },
    spawn::{Spawned, spawn},
    tick,
};
use nalgebra::Vector3;

/// Gravity, m/s².
const G: f64 = 9.81;

/// A world that steps one tick at a time.
struct TestWorld {
    app: App,
    spawned: Spawned,
}

impl TestWorld {
    fn new(assembly: &Assembly) -> Self {
        Self::with(assembly, PhysicsSettings::default())
    }

    fn with(assembly: &Assembly, settings: PhysicsSettings) -> Self {
        let mut app = App::new();
        tick::plugin(&mut app, settings.rate);
        app.init_resource::<Services>();
        physics::plugin(&mut app, settings);
        let spawned = spawn(app.world_mut(), assembly).expect("the assembly is fine");
        app.finish();
        app.cleanup();
        app.update();
        Self { app, spawned }
    }

    fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds * 60.0).round() as u32 {
            self.app.update();
        }
    }

    fn body(&self, name: &str) -> BodyState {
        let entity = self.spawned.bodies[name];
        *self
            .app
            .world()
            .get::<BodyState>(entity)
            .expect("every body has a state")
    }

    fn position(&self, name: &str) -> Vector3<f64> {
        self.body(name).pose.translation.vector
    }

    fn force_on(&mut self, name: &str) -> Vector3<f64> {
        let entity = self.spawned.bodies[name];
        let contacts = move |contacts: Contacts| contacts.force_on(entity);
        self.app
            .world_mut()
            .run_system_once(contacts)
            .expect("the system runs")
    }
}

/// Returns a floor whose top is at z = 0.
fn floor() -> Assembly {
    let mut assembly = Assembly::default();
    let slab = Geometry::new(Shape::Box {
        dimension: [100.0, 100.0, 1.0],
    });
    add(
        &mut assembly.scene,
        Frame::new("floor").at([0.0, 0.0, -0.5]).with(slab),
    );
    assembly
}

fn add(scene: &mut Scene, frame: Frame) {
    scene.add_frame(frame).expect("a good frame");
}

fn cube(side: f64) -> Geometry {
    Geometry::new(Shape::Box {
        dimension: [side; 3],
    })
}

/// Adds a frame as a free body.
fn free(assembly: &mut Assembly, frame: Frame, mass: f64) {
    let settings = BodySettings {
        mass: Some(mass),
        ..BodySettings::default()
    };
    assembly.bodies.insert(frame.name.clone(), settings);
    add(&mut assembly.scene, frame);
}

#[test]
fn free_fall_is_a_parabola() {
    let mut assembly = Assembly::default();
    free(
        &mut assembly,
        Frame::new("ball").at([0.0, 0.0, 10.0]).with(cube(0.1)),
        1.0,
    );
    let mut test = TestWorld::new(&assembly);
    test.run(1.0);
    let expected = 10.0 - G / 2.0;
    let z = test.body("ball").pose.translation.z;
    assert!((z - expected).abs() < 1e-6, "{z} instead of {expected}");
    assert!((test.body("ball").linear_velocity.z + G).abs() < 1e-6);
}

#[test]
fn a_sliding_box_stops_where_friction_says() {
    let mut assembly = floor();
    free(
        &mut assembly,
        Frame::new("box").at([0.0, 0.0, 0.1]).with(cube(0.2)),
        1.0,
    );
    if let Some(settings) = assembly.bodies.get_mut("box") {
        settings.linear_velocity = Vector3::new(3.0, 0.0, 0.0);
    }
    let mut test = TestWorld::new(&assembly);
    test.run(2.0);
    let expected = 9.0 / (2.0 * 0.5 * G);
    let x = test.position("box").x;
    println!("slide: {x} expected {expected}");
    assert!(
        (x / expected - 1.0).abs() < 0.02,
        "{x} instead of {expected}"
    );
}

#[test]
fn ten_boxes_stand_on_each_other() {
    let mut assembly = floor();
    for index in 0..10 {
        let z = 0.05 + 0.1 * f64::from(index);
        free(
            &mut assembly,
            Frame::new(format!("box{index}"))
                .at([0.0, 0.0, z])
                .with(cube(0.1)),
            1.0,
        );
    }
    let mut test = TestWorld::new(&assembly);
    test.run(5.0);
    let top = test.position("box9");
    println!("stack: {top}");
    assert!((top - Vector3::new(0.0, 0.0, 0.95)).norm() < 7e-3, "{top}");
}

#[test]
fn a_resting_box_weighs_what_it_weighs() {
    let mut assembly = floor();
    free(
        &mut assembly,
        Frame::new("box").at([0.0, 0.0, 0.25]).with(cube(0.5)),
        10.0,
    );
    assembly
        .bodies
        .get_mut("box")
        .expect("just added")
        .can_sleep = Some(false);
    for iterations in [4, 8] {
        let settings = PhysicsSettings {
            solver_iterations: iterations,
            ..PhysicsSettings::default()
        };
        let mut test = TestWorld::with(&assembly, settings);
        test.run(3.0);
        let force = test.force_on("box").z;
        println!("weight: {force}, {iterations} iterations");
        assert!(
            (force / 98.1 - 1.0).abs() < 0.01,
            "{force} N with {iterations} iterations"
        );
        assert!((test.force_on("floor").z + force).abs() < 1e-9);
    }
}

/// Returns shapes with their names and the heights at which their frames come to rest.
fn round_shapes() -> [(&'static str, Shape, f64); 5] {
    [
        (
            "cylinder",
            Shape::Cylinder {
                radius: 0.2,
                height: 0.4,
            },
            0.0,
        ),
        (
            "cone",
            Shape::Cone {
                start_radius: 0.2,
                end_radius: 0.0,
                height: 0.4,
            },
            0.0,
        ),
        (
            "frustum",
            Shape::Cone {
                start_radius: 0.2,
                end_radius: 0.1,
                height: 0.4,
            },
            0.0,
        ),
        (
            "hanging",
            Shape::Cylinder {
                radius: 0.2,
                height: -0.4,
            },
            0.4,
        ),
        ("ball", Shape::Sphere { radius: 0.2 }, 0.2),
    ]
}

#[test]
fn round_shapes_stand_on_their_ends() {
    let shapes = round_shapes();
    let mut assembly = floor();
    for (index, (name, shape, rest)) in shapes.iter().enumerate() {
        let frame = Frame::new(*name).at([2.0 * index as f64, 0.0, rest + 0.02]);
        free(&mut assembly, frame.with(Geometry::new(shape.clone())), 1.0);
    }
    let capsule = Geometry::new(Shape::Capsule {
        radius: 0.1,
        height: 0.4,
    });
    let lying =
        Frame::new("capsule")
            .at([0.0, 5.0, 0.12])
            .turned([0.0, std::f64::consts::FRAC_PI_2, 0.0]);
    free(&mut assembly, lying.with(capsule), 1.0);
    let mut test = TestWorld::new(&assembly);
    test.run(2.0);
    let rests = shapes
        .iter()
        .map(|(name, _, rest)| (*name, *rest))
        .chain([("capsule", 0.1)]);
    for (name, rest) in rests {
        let z = test.position(name).z;
        println!("{name}: {z} expected {rest}");
        assert!(
            (z - rest).abs() < 2e-3,
            "{name} rests at {z} instead of {rest}"
        );
    }
}

#[test]
fn allowed_pairs_pass_through_each_other() {
    let mut assembly = floor();
    for name in ["ghost", "solid"] {
        let x = if name == "ghost" { 0.0 } else { 3.0 };
        free(
            &mut assembly,
            Frame::new(name).at([x, 0.0, 0.5]).with(cube(0.2)),
            1.0,
        );
    }
    assembly.scene.allow_collision("ghost", "floor");
    let mut test = TestWorld::new(&assembly);
    test.run(2.0);
    assert!(test.position("ghost").z < -5.0);
    assert!((test.position("solid").z - 0.1).abs() < 2e-3);
}

#[test]
fn fixed_frames_are_one_body() {
    let mut assembly = floor();
    free(
        &mut assembly,
        Frame::new("base").at([0.0, 0.0, 1.0]).with(cube(0.2)),
        2.0,
    );
    add(
        &mut assembly.scene,
        Frame::new("mast")
            .under("base")
            .at([0.0, 0.0, 0.5])
            .with(cube(0.1)),
    );
    add(
        &mut assembly.scene,
        Frame::new("post")
            .under("floor")
            .at([5.0, 0.0, 1.0])
            .with(cube(0.1)),
    );
    let test = TestWorld::new(&assembly);
    let names: Vec<&str> = test.spawned.bodies.keys().map(String::as_str).collect();
    assert_eq!(names, ["base", "floor"]);
    let kind = |name: &str| {
        *test
            .app
            .world()
            .get::<BodyKind>(test.spawned.bodies[name])
            .expect("a kind")
    };
    assert_eq!(
        (kind("base"), kind("floor")),
        (BodyKind::Dynamic, BodyKind::Fixed)
    );
    assert!((test.body("base").mass - 2.0).abs() < 1e-12);
}

#[test]
fn a_mesh_that_is_missing_is_an_error_with_its_reason() {
    let mut assembly = floor();
    let shape = Shape::Mesh(MeshFile::new("no.stl", std::path::Path::new("/nowhere")));
    add(
        &mut assembly.scene,
        Frame::new("tree").with(Geometry::new(shape)),
    );
    assembly.robots.insert(
        "r".into(),
        morse_sim::scene::assembly::RobotBase::new("flor", BodyKind::Fixed),
    );
    let mut app = App::new();
    physics::plugin(&mut app, PhysicsSettings::default());
    let errors = spawn(app.world_mut(), &assembly).expect_err("a frame is unknown");
    assert!(errors[0].message.contains("flor"), "{errors:?}");
    assembly.robots.clear();
    let errors = spawn(app.world_mut(), &assembly).expect_err("the mesh is missing");
    assert!(
        errors[0].message.contains("tree") && errors[0].message.contains("no.stl"),
        "{errors:?}"
    );
}
