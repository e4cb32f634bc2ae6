//! Robots with commanded velocities.

use bevy::prelude::*;
use morse_api::{
    body::{BodyKind, Drive},
    component::{ComponentPath, Mount},
    motion::MotionMode,
    state::sort_by_path,
};
use morse_sim::{
    physics::{PhysicsSettings, Suspended},
    scene::{
        assembly::{Assembly, RobotBase},
        model::{Frame, Geometry, Shape},
    },
};
use nalgebra::{Isometry3, Vector3};

use super::{TestWorld, add, cube, floor, free};

/// Returns a robot of 20 kg that stands on the floor.
fn rover(kind: BodyKind) -> Assembly {
    let mut assembly = floor();
    let body = Geometry::new(Shape::Box {
        dimension: [0.6, 0.4, 0.2],
    });
    add(
        &mut assembly.scene,
        Frame::new("rover").at([0.0, 0.0, 0.1]).with(body),
    );
    let base = RobotBase {
        mass: Some(20.0),
        ..RobotBase::new("rover", kind)
    };
    assembly.robots.insert("rover".into(), base);
    assembly
}

fn forward(speed: f64, turn: f64) -> Drive {
    Drive::Velocity {
        linear: Vector3::x() * speed,
        angular: Vector3::z() * turn,
    }
}

impl TestWorld {
    fn actuator(&mut self, name: &str, drive: Drive) -> Entity {
        let robot = self.spawned.robots["rover"];
        let mount = Mount {
            body: robot,
            robot,
            frame: robot,
            body_from_component: Isometry3::identity(),
            robot_from_component: Isometry3::identity(),
        };
        let entity = self
            .app
            .world_mut()
            .spawn((ComponentPath(name.into()), mount, drive))
            .id();
        sort_by_path(self.app.world_mut());
        entity
    }

    fn drive(&mut self, actuator: Entity, drive: Drive) {
        self.app.world_mut().entity_mut(actuator).insert(drive);
    }
}

#[test]
fn a_commanded_speed_is_reached() {
    for kind in [BodyKind::Dynamic, BodyKind::Kinematic] {
        let mut test = TestWorld::new(&rover(kind));
        test.actuator("rover.motion", forward(1.0, 0.0));
        // Friction accelerates it by 4.9 m/s².
        test.run(1.0);
        let from = test.position("rover").x;
        test.run(5.0);
        let position = test.position("rover") - Vector3::x() * from;
        println!("{kind:?}: {position}");
        assert!(
            (position.x / 5.0 - 1.0).abs() < 0.01,
            "{kind:?}: {position}"
        );
        assert!(
            position.y.abs() < 0.01 && (position.z - 0.1).abs() < 2e-3,
            "{position}"
        );
    }
}

#[test]
fn a_drive_that_begins_while_the_physics_is_suspended_moves_the_robot_afterwards() {
    let mut test = TestWorld::new(&rover(BodyKind::Dynamic));
    let motion = test.actuator("rover.motion", Drive::None);
    test.run(0.5);
    let suspend = |test: &mut TestWorld, is_suspended: bool| {
        test.app.world_mut().resource_mut::<Suspended>().0 = is_suspended;
    };
    let start = test.position("rover");
    suspend(&mut test, true);
    test.drive(motion, forward(1.0, 0.0));
    test.run(0.5);
    assert_eq!(test.position("rover"), start);
    suspend(&mut test, false);
    test.run(1.0);
    let from = test.position("rover").x;
    test.run(2.0);
    let speed = (test.position("rover").x - from) / 2.0;
    assert!((speed - 1.0).abs() < 0.01, "{speed}");
}

#[test]
fn a_commanded_turn_is_reached() {
    let mut test = TestWorld::new(&rover(BodyKind::Dynamic));
    test.actuator("rover.motion", forward(0.5, 1.0));
    test.run(1.0);
    let start = test.body("rover").pose;
    test.run(3.0);
    let way = start.inverse() * test.body("rover").pose;
    let (yaw, position) = (way.rotation.euler_angles().2, way.translation.vector);
    println!("turn: yaw {yaw} at {position}");
    assert!((yaw / 3.0 - 1.0).abs() < 0.01, "turned by {yaw}");
    let expected = Vector3::new(0.5 * libm::sin(3.0), 0.5 * (1.0 - libm::cos(3.0)), 0.0);
    assert!(
        (position - expected).norm() < 0.02,
        "{position} instead of {expected}"
    );
}

#[test]
fn friction_brakes_in_the_motion_of_morse() {
    let settings = PhysicsSettings {
        motion: MotionMode::Morse,
        ..PhysicsSettings::default()
    };
    let mut test = TestWorld::with(&rover(BodyKind::Dynamic), settings);
    test.actuator("rover.motion", forward(1.0, 0.0));
    test.run(5.0);
    let x = test.position("rover").x;
    println!("morse: {x}");
    assert!(x < 4.97 && x > 4.5, "{x}");
}

#[test]
fn a_wall_stops_a_robot() {
    let mut assembly = rover(BodyKind::Dynamic);
    let wall = Geometry::new(Shape::Box {
        dimension: [0.2, 5.0, 2.0],
    });
    add(
        &mut assembly.scene,
        Frame::new("wall").at([1.4, 0.0, 1.0]).with(wall),
    );
    let mut test = TestWorld::new(&assembly);
    test.actuator("rover.motion", forward(1.0, 0.0));
    test.run(5.0);
    let position = test.position("rover");
    println!("wall: {position}");
    assert!(position.x < 1.01 && position.x > 0.95, "{position}");
}

#[test]
fn a_robot_that_is_told_nothing_coasts_to_a_stop() {
    let mut test = TestWorld::new(&rover(BodyKind::Dynamic));
    let motion = test.actuator("rover.motion", forward(1.0, 0.0));
    test.run(1.0);
    test.drive(motion, Drive::None);
    let from = test.position("rover").x;
    test.run(1.0);
    let slid = test.position("rover").x - from;
    println!("coast: {slid}");
    assert!(
        (slid - 1.0 / (2.0 * 0.5 * 9.81)).abs() < 0.02,
        "slid {slid}"
    );
}

#[test]
fn a_payload_rides_along() {
    let mut assembly = rover(BodyKind::Dynamic);
    free(
        &mut assembly,
        Frame::new("box").at([0.0, 0.0, 0.25]).with(cube(0.1)),
        1.0,
    );
    let mut test = TestWorld::new(&assembly);
    let motion = test.actuator("rover.motion", forward(0.2, 0.0));
    test.run(0.5);
    test.drive(motion, forward(0.5, 0.0));
    test.run(3.0);
    let lag = test.position("rover").x - test.position("box").x;
    println!("payload lags {lag}");
    assert!(lag < 0.08 && test.position("box").z > 0.2, "lags by {lag}");
}

#[test]
fn a_ramp_is_climbed_and_held() {
    let mut assembly = Assembly::default();
    let slope = 0.2;
    let (sin, cos) = libm::sincos(slope);
    let slab = Geometry::new(Shape::Box {
        dimension: [40.0, 10.0, 1.0],
    });
    let ramp = Frame::new("ramp").turned([0.0, -slope, 0.0]);
    add(&mut assembly.scene, ramp.with(slab));
    let body = Geometry::new(Shape::Box {
        dimension: [0.6, 0.4, 0.2],
    });
    let up = 0.6;
    let at = [-up * sin, 0.0, up * cos];
    add(
        &mut assembly.scene,
        Frame::new("rover")
            .at(at)
            .turned([0.0, -slope, 0.0])
            .with(body),
    );
    assembly
        .robots
        .insert("rover".into(), RobotBase::new("rover", BodyKind::Dynamic));
    let mut test = TestWorld::new(&assembly);
    let along = |test: &TestWorld| {
        let position = test.position("rover");
        position.x * cos + position.z * sin
    };
    test.run(1.0);
    let from = along(&test);
    println!("ramp, at rest: {from}");
    assert!(from.abs() < 5e-3, "slid by {from}");
    let motion = test.actuator("rover.motion", forward(0.0, 0.0));
    test.run(3.0);
    let held = along(&test) - from;
    println!("ramp, held: {held}");
    assert!(held.abs() < 0.01, "slid by {held}");
    test.drive(motion, forward(1.0, 0.0));
    test.run(1.0);
    let from = along(&test);
    test.run(3.0);
    let climbed = along(&test) - from;
    println!("ramp, climbed: {climbed}");
    assert!((climbed / 3.0 - 1.0).abs() < 0.05, "climbed {climbed}");
}

#[test]
fn wrenches_add_up_and_last_one_tick() {
    let mut test = TestWorld::with(
        &rover(BodyKind::Dynamic),
        PhysicsSettings {
            gravity: [0.0; 3],
            ..PhysicsSettings::default()
        },
    );
    let push = Drive::Wrench {
        force: Vector3::new(0.0, 0.0, 10.0),
        torque: Vector3::zeros(),
    };
    let one = test.actuator("rover.one", push);
    let two = test.actuator("rover.two", push);
    test.run(1.0);
    let speed = test.body("rover").linear_velocity.z;
    assert!((speed - 1.0).abs() < 1e-4, "{speed}");
    test.drive(one, Drive::None);
    test.drive(two, Drive::None);
    test.run(1.0);
    assert!((test.body("rover").linear_velocity.z - speed).abs() < 1e-6);
}

#[test]
fn the_last_pose_wins_and_a_robot_that_flies_stays_up() {
    let mut assembly = rover(BodyKind::Dynamic);
    assembly
        .robots
        .get_mut("rover")
        .expect("there is one")
        .is_ground_robot = false;
    let mut test = TestWorld::new(&assembly);
    test.actuator("rover.a", forward(1.0, 0.0));
    let teleport = test.actuator(
        "rover.b",
        Drive::Pose(Isometry3::translation(3.0, 4.0, 5.0)),
    );
    test.app.update();
    test.drive(teleport, Drive::None);
    test.run(2.0);
    let position = test.position("rover");
    println!("fly: {position}");
    assert!(
        (position - Vector3::new(5.0, 4.0, 5.0)).norm() < 0.02,
        "{position}"
    );
}
