//! Tests of visible objects and their poses.
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4};

use morse_api::{
    object::{Bounds, Property},
    rays::{CastRays, Hit},
};
use morse_testing::{TestWorld, moving, thing};

use super::*;

/// A wall at x = 3 m from y = -1 to 1 m, of any height; behind it, a cube of 1 m at (8, 0, 0).
struct Wall {
    wall: Entity,
    cube: Entity,
}

impl CastRays for Wall {
    fn cast_fan(
        &self,
        origin: Point3<f64>,
        directions: &[Vector3<f64>],
        _: f64,
        _: Option<Entity>,
        hits: &mut [Option<Hit>],
    ) {
        for (direction, hit) in directions.iter().zip(hits) {
            let at = |x: f64| origin + direction * ((x - origin.x) / direction.x);
            let (wall, cube) = (at(3.0), at(7.5));
            let met = |point: Point3<f64>, entity| {
                Some(Hit {
                    distance: (point - origin).norm(),
                    entity,
                })
            };
            *hit = if wall.y.abs() <= 1.0 {
                met(wall, self.wall)
            } else if cube.y.abs() <= 0.5 && cube.z.abs() <= 0.5 {
                met(cube, self.cube)
            } else {
                None
            };
        }
    }
}

fn test_world(text: &str, things: Vec<(Object, Isometry3<f64>)>) -> (TestWorld, Entity) {
    let mut test = TestWorld::new(60.0, plugin, BodyState::default());
    test.objects(things);
    let mount = Isometry3::identity();
    let camera = test.sensor::<SemanticCamera>("rover.eye", text, 60.0, mount);
    test.step(moving([0.0; 3], 0.0, [0.0; 3], [0.0; 3]));
    (test, camera)
}

fn names(test: &TestWorld, camera: Entity) -> Vec<String> {
    let data: SemanticCameraData = test.read(camera);
    data.visible_objects
        .into_iter()
        .map(|seen| seen.name)
        .collect()
}

#[test]
fn it_looks_ahead_and_knows_what_it_is_told_to() {
    let mut chair = thing("chair", [5.0, 0.0, 0.0], &[]);
    chair.0.label = "Stool".into();
    chair.0.kind = "Furniture".into();
    let cup = thing(
        "cup",
        [5.0, 0.0, 0.0],
        &[("Furniture", Property::Flag(false))],
    );
    let lamp = thing(
        "lamp",
        [6.0, 0.0, 0.0],
        &[("Furniture", Property::Number(1.0))],
    );
    let behind = thing(
        "behind",
        [-5.0, 0.0, 0.0],
        &[("Furniture", Property::Flag(true))],
    );
    let all = vec![chair, cup, lamp, behind];
    let (seen, camera) = test_world(r#"(tag: "Furniture")"#, all.clone());
    assert_eq!(names(&seen, camera), ["Stool", "lamp"]);
    let first = seen.read::<SemanticCameraData>(camera).visible_objects[0].clone();
    assert_eq!(
        (first.r#type.as_str(), first.position),
        ("Furniture", [5.0, 0.0, 0.0])
    );
    let (seen, camera) = test_world("()", all);
    assert_eq!(names(&seen, camera), ["cup", "lamp"]);
}

#[test]
fn the_picture_is_as_wide_as_the_lens_makes_it() {
    // 16 mm / 35 mm of the depth to either side; the far corner of the cube is at a depth of 10.5.
    let edge = 10.5 * 16.0 / 35.0 + 0.5;
    let at = |y: f64, z: f64| vec![thing("cube", [10.0, y, z], &[])];
    let is_seen = |text: &str, y, z| {
        let (seen, camera) = test_world(text, at(y, z));
        !names(&seen, camera).is_empty()
    };
    assert!(is_seen("()", edge - 0.01, 0.0) && !is_seen("()", edge + 0.01, 0.0));
    assert!(is_seen("(height: 128)", 0.0, -edge / 2.0) && !is_seen("(height: 128)", 0.0, -edge));
    // A right angle: the half width equals the depth.
    let wide = "(fov: 1.5707963267948966)";
    assert!(is_seen(wide, 10.99, 0.0) && !is_seen(wide, 11.01, 0.0));
    assert!(!is_seen("(far: 9.4)", 0.0, 0.0) && is_seen("(far: 9.6)", 0.0, 0.0));
    assert!(!is_seen("(near: 10.6)", 0.0, 0.0) && is_seen("(near: 10.4)", 0.0, 0.0));
}

#[test]
fn relative_poses_are_in_the_axes_of_the_picture() {
    // Ahead 4 m, 1 m to the left, half a metre up: right is -1, down is -0.5, forward is 4.
    let mut cube = thing("cube", [4.0, 1.0, 0.5], &[]);
    let (seen, camera) = test_world("(relative: true)", vec![cube.clone()]);
    let first = seen.read::<SemanticCameraData>(camera).visible_objects[0].clone();
    let expected = Vector3::new(-1.0, -0.5, 4.0);
    assert!(
        (Vector3::from(first.position) - expected).norm() < 1e-12,
        "{first:?}"
    );
    // Rotation from the robot's axes to those of the image: (0.5, -0.5, 0.5; 0.5), either sign.
    let Orientation { x, y, z, w } = first.orientation;
    let sign = w.signum();
    for (actual, expected) in [(x, 0.5), (y, -0.5), (z, 0.5), (w, 0.5)] {
        assert!((actual * sign - expected).abs() < 1e-12, "{first:?}");
    }
    // In the world's axes, rotated by a quarter turn about z.
    cube.1.rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), FRAC_PI_2);
    let (seen, camera) = test_world("()", vec![cube]);
    let first = seen.read::<SemanticCameraData>(camera).visible_objects[0].clone();
    let Orientation { x, y, z, w } = first.orientation;
    assert!((x.abs() + y.abs()) < 1e-12);
    assert!((z - FRAC_1_SQRT_2).abs() < 1e-12 && (w - FRAC_1_SQRT_2).abs() < 1e-12);
}

#[test]
fn a_turned_box_is_looked_at_as_it_lies() {
    // A rod of 8 m beyond the left edge (4.57 m at a depth of 10): visible when it lies across.
    let rod = |turn: f64| {
        let (mut rod, mut at) = thing("rod", [10.0, 8.0, 0.0], &[]);
        rod.bounds = Some(Bounds {
            center: Point3::origin(),
            half: Vector3::new(0.1, 4.0, 0.1),
        });
        at.rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
        let (seen, camera) = test_world("()", vec![(rod, at)]);
        !names(&seen, camera).is_empty()
    };
    assert!(rod(0.0) && !rod(FRAC_PI_2));
    // Leaning towards the camera, its near end is at (7.2, 5.2), where the edge is at 3.3 m; leaning away, it is at (12.8,
    // 5.2), where the edge is at 5.9 m.
    assert!(!rod(-FRAC_PI_4) && rod(FRAC_PI_4));
}

#[test]
fn walls_hide() {
    let mut cube = thing("cube", [8.0, 0.0, 0.0], &[]);
    cube.0.collides = true;
    // Rays pass through the ghost, half a metre in front of the cube.
    let ghost = thing("ghost", [6.5, 0.0, 0.0], &[]);
    let (mut seen, camera) = test_world("()", vec![cube, ghost]);
    assert_eq!(names(&seen, camera), ["cube", "ghost"]);
    let [wall, shape] = [0, 1].map(|_| seen.app.world_mut().spawn_empty().id());
    let mut objects = seen.app.world().resource::<Objects>().all().to_vec();
    objects[0].geometry = vec![shape];
    seen.app.insert_resource(Objects::new(objects));
    seen.app
        .insert_resource(Rays::new(Wall { wall, cube: shape }));
    let look = |seen: &mut TestWorld, y: f64| {
        seen.step(moving([0.0, y, 0.0], 0.0, [0.0; 3], [0.0; 3]));
        names(seen, camera)
    };
    assert!(look(&mut seen, 0.0).is_empty());
    // The line from (0, 1.3) to (7.55, 0.45) passes the wall's edge, x = 3, at y = 0.96; from (0, 1.8) at 1.26.
    assert!(look(&mut seen, 1.3).is_empty());
    assert_eq!(look(&mut seen, 1.8), ["cube", "ghost"]);
    let (mut seen, camera) = test_world(
        "(noocclusion: true)",
        vec![thing("cube", [8.0, 0.0, 0.0], &[])],
    );
    seen.app
        .insert_resource(Rays::new(Wall { wall, cube: shape }));
    seen.step(BodyState::default());
    assert_eq!(names(&seen, camera), ["cube"]);
}
