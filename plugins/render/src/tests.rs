//! Comparison of pictures with closed forms: depths, positions, segmentation and light; and equality on any number of
//! threads.
mod bent;
mod painted;

use morse_api::{render::Channels, world_view::Gloss};
use morse_geometry::{mesh::Triangles, rays::solid::Solid};
use nalgebra::{Isometry3, Point3};

use super::light::Rgb;
use super::mesh::VisualMesh;
use super::render_scene::{Form, Thing};
use super::*;

const ALL: Channels = Channels {
    color: true,
    depth: true,
    things: true,
};

fn camera() -> CameraView {
    // The camera looks along the world's y axis: x to the right, z up.
    let looks = nalgebra::UnitQuaternion::face_towards(&Vector3::y(), &-Vector3::z());
    CameraView {
        world_from_camera: Isometry3::from_parts(Vector3::new(0.0, 0.0, 0.0).into(), looks),
        width: 100,
        height: 75,
        focal: 90.0,
        center: [50.0, 37.5],
        lens: None,
        renderer: None,
        near: 0.1,
        far: 50.0,
        shadows: false,
        channels: ALL,
    }
}

fn thing(form: Form, pose: Isometry3<f64>) -> Thing {
    Thing {
        entity: Entity::PLACEHOLDER,
        body: Entity::PLACEHOLDER,
        body_from_thing: pose,
        world_from_thing: pose,
        form,
        color: [0.5, 0.4, 0.3],
        paint: None,
        gloss: Gloss::default(),
        alpha: 1.0,
        casts: true,
    }
}

fn at(position: [f64; 3], turn: [f64; 3]) -> Isometry3<f64> {
    Isometry3::new(position.into(), turn.into())
}

fn scene(things: Vec<Thing>) -> RenderScene {
    RenderScene {
        things,
        ..RenderScene::default()
    }
}

fn picture(scene: &RenderScene, camera: &CameraView) -> Picture {
    let mut picture = Picture::default();
    draw_picture(scene, camera, &mut picture, None);
    picture
}

fn pixel(picture: &Picture, camera: &CameraView, u: usize, v: usize) -> ([u8; 3], f32, u16) {
    let index = v * camera.width as usize + u;
    let color = &picture.color[4 * index..4 * index + 3];
    (
        [color[0], color[1], color[2]],
        picture.depth[index],
        picture.things[index],
    )
}

/// Returns the signed distance of a point from a solid, negative inside; exact, and by other formulas than the ray
/// intersection.
fn distance(solid: &Solid, at: &Vector3<f64>) -> f64 {
    let across = libm::hypot(at.x, at.y);
    let corner = |x: f64, y: f64| libm::hypot(x.max(0.0), y.max(0.0)) + x.max(y).min(0.0);
    match *solid {
        Solid::Box { half } => {
            let out = at.abs() - Vector3::from(half);
            out.sup(&Vector3::zeros()).norm() + out.max().min(0.0)
        }
        Solid::Sphere { radius } => at.norm() - radius,
        Solid::Cylinder { radius, low, high } => corner(
            across - radius,
            (at.z - (low + high) / 2.0).abs() - (high - low) / 2.0,
        ),
        Solid::Cone {
            start_radius,
            end_radius,
            height,
        } => {
            let slope = (end_radius - start_radius) / height;
            let flank = (across - start_radius - slope * at.z) / libm::hypot(1.0, slope);
            flank
                .max(at.z - height.max(0.0))
                .max(height.min(0.0) - at.z)
        }
        Solid::Capsule { radius, low, high } => {
            (at - Vector3::z() * at.z.clamp(low, high)).norm() - radius
        }
        Solid::Mesh { .. } => f64::NAN,
    }
}

#[test]
fn depths_are_those_of_the_surfaces() {
    let solids = [
        Solid::Box {
            half: [0.6, 0.3, 0.8],
        },
        Solid::Sphere { radius: 0.9 },
        Solid::Cylinder {
            radius: 0.4,
            low: -0.7,
            high: 0.0,
        },
        Solid::Cone {
            start_radius: 0.7,
            end_radius: 0.1,
            height: 1.2,
        },
        Solid::Capsule {
            radius: 0.3,
            low: 0.0,
            high: 1.0,
        },
    ];
    for solid in solids {
        for (n, turn) in [[0.0; 3], [0.4, 0.9, -0.3], [2.0, 0.2, 1.0]]
            .into_iter()
            .enumerate()
        {
            let pose = at([0.3, 3.0 + n as f64, -0.2], turn);
            let scene = scene(vec![thing(Form::Solid(solid.clone()), pose)]);
            let camera = camera();
            let picture = picture(&scene, &camera);
            let mut hits = 0;
            for v in 0..camera.height as usize {
                for u in 0..camera.width as usize {
                    let (_, depth, number) = pixel(&picture, &camera, u, v);
                    let ray = camera.direction(u as f64, v as f64);
                    let off = |depth: f64| {
                        let point = camera.world_from_camera * Point3::from(ray * depth);
                        distance(&solid, &(pose.inverse() * point).coords)
                    };
                    assert_eq!(number > 0, depth.is_finite());
                    let end = if depth.is_finite() {
                        f64::from(depth)
                    } else {
                        8.0
                    };
                    if depth.is_finite() {
                        assert!(off(end).abs() < 1e-4, "{solid:?} {u} {v}: {}", off(end));
                        hits += 1;
                    }
                    // No point of the solid is nearer.
                    let steps = if (u + v) % 5 == 0 { 50 } else { 0 };
                    for step in 0..steps {
                        let depth = (end - 1e-3) * f64::from(step) / f64::from(steps);
                        assert!(off(depth) > -1e-4, "{solid:?} {u} {v} at {depth}");
                    }
                }
            }
            assert!(hits > 100, "{solid:?}: {hits}");
        }
    }
}

#[test]
fn points_are_where_they_are_projected() {
    let mut camera = camera();
    camera.world_from_camera = at([1.0, -2.0, 0.5], [0.2, 0.1, 0.4]) * camera.world_from_camera;
    for position in [[0.5, 2.0, 0.4], [-0.3, 4.0, -1.0], [0.0, 6.0, 2.0]] {
        let center = at([1.0, -2.0, 0.5], [0.2, 0.1, 0.4]) * Point3::from(position);
        let ball = Form::Solid(Solid::Sphere { radius: 0.15 });
        let scene = scene(vec![thing(
            ball,
            Isometry3::translation(center.x, center.y, center.z),
        )]);
        let picture = picture(&scene, &camera);
        let [u, v, _] = camera.project(&center).unwrap();
        let (mut sum, mut count) = ([0.0; 2], 0.0);
        for (index, _) in picture
            .things
            .iter()
            .enumerate()
            .filter(|(_, number)| **number == 1)
        {
            sum[0] += (index % camera.width as usize) as f64;
            sum[1] += (index / camera.width as usize) as f64;
            count += 1.0;
        }
        assert!(count > 10.0, "{position:?}");
        let off = libm::hypot(sum[0] / count - u, sum[1] / count - v);
        assert!(off < 0.5, "{position:?}: {off} pixels off");
    }
}

/// Returns the triangles of a box.
pub(super) fn box_mesh(half: [f32; 3]) -> VisualMesh {
    let corner = |n: usize| {
        [0, 1, 2].map(|axis| {
            if n >> axis & 1 == 0 {
                -half[axis]
            } else {
                half[axis]
            }
        })
    };
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    VisualMesh::new(Triangles {
        vertices: (0..8).map(corner).collect(),
        faces: quads
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect(),
        ..Triangles::default()
    })
}

#[test]
fn a_mesh_is_seen_as_the_shape_that_it_has() {
    let pose = at([0.2, 4.0, 0.1], [0.5, 0.8, 0.2]);
    let mesh = Arc::new(box_mesh([0.25, 0.5, 0.375]));
    let of_mesh = scene(vec![thing(Form::Mesh { mesh, scale: 2.0 }, pose)]);
    let of_box = scene(vec![thing(
        Form::Solid(Solid::Box {
            half: [0.5, 1.0, 0.75],
        }),
        pose,
    )]);
    let (one, other) = (picture(&of_mesh, &camera()), picture(&of_box, &camera()));
    assert_eq!(one.things, other.things);
    let pairs = one.depth.iter().zip(&other.depth);
    for (a, b) in pairs.filter(|(a, _)| a.is_finite()) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
    assert_eq!(one.color, other.color);
}

#[test]
fn the_near_one_hides_the_far_one() {
    let cube = |size: f64| Form::Solid(Solid::Box { half: [size; 3] });
    let far = thing(cube(2.0), at([0.0, 10.0, 0.0], [0.0; 3]));
    let near = thing(cube(0.5), at([0.0, 3.0, 0.0], [0.0; 3]));
    let camera = camera();
    let both = picture(&scene(vec![far, near]), &camera);
    assert_eq!(pixel(&both, &camera, 50, 37).1, 2.5);
    assert_eq!(pixel(&both, &camera, 50, 37).2, 2);
    assert_eq!(pixel(&both, &camera, 69, 37).2, 1);
    assert_eq!(pixel(&both, &camera, 69, 37).1, 8.0);
    assert_eq!(
        pixel(&both, &camera, 5, 37),
        (pixel(&both, &camera, 5, 37).0, f32::INFINITY, 0)
    );
}

#[test]
fn nothing_is_seen_before_near_beyond_far_or_from_within() {
    let ball = || Form::Solid(Solid::Sphere { radius: 1.0 });
    let mesh = Arc::new(box_mesh([1.0; 3]));
    let things = vec![
        thing(ball(), at([0.0, 0.5, 0.0], [0.0; 3])),
        thing(ball(), at([0.0, 1.7, 0.0], [0.0; 3])),
        thing(
            Form::Mesh { mesh, scale: 1.0 },
            at([0.0, 4.0, 0.0], [0.0; 3]),
        ),
        thing(ball(), at([0.0, 9.0, 0.0], [0.0; 3])),
    ];
    let mut camera = camera();
    camera.near = 1.0;
    let scene = scene(things);
    assert_eq!(pixel(&picture(&scene, &camera), &camera, 50, 37).2, 3);
    camera.near = 3.5;
    // The front of the mesh is clipped, so that its back is visible.
    let (_, depth, number) = pixel(&picture(&scene, &camera), &camera, 50, 37);
    assert!((depth - 5.0).abs() < 1e-5 && number == 3, "{depth}");
    camera.near = 5.5;
    assert_eq!(pixel(&picture(&scene, &camera), &camera, 50, 37).2, 4);
    camera.far = 7.9;
    assert_eq!(pixel(&picture(&scene, &camera), &camera, 50, 37).2, 0);
}

#[test]
fn light_comes_through_panes() {
    let wall = || {
        Form::Solid(Solid::Box {
            half: [1.0, 0.1, 1.0],
        })
    };
    let colored = |color: Rgb, alpha: f32, y: f64| Thing {
        color,
        alpha,
        ..thing(wall(), at([0.0, y, 0.0], [0.0; 3]))
    };
    let camera = camera();
    let red = colored([0.8, 0.0, 0.0], 1.0, 6.0);
    let glass = |alpha| colored([0.0, 0.0, 0.8], alpha, 3.0);
    let alone = pixel(
        &picture(&scene(vec![colored([0.8, 0.0, 0.0], 1.0, 6.0)]), &camera),
        &camera,
        50,
        37,
    );
    let (thin, depth, number) = pixel(
        &picture(&scene(vec![glass(0.25), red]), &camera),
        &camera,
        50,
        37,
    );
    assert!(
        thin[0] > 100 && thin[0] < alone.0[0] && thin[2] > 50,
        "{thin:?} {alone:?}"
    );
    assert_eq!(
        (depth, number),
        (5.9, 2),
        "light passes through, and so do depths"
    );
    let red = colored([0.8, 0.0, 0.0], 1.0, 6.0);
    let (_, depth, number) = pixel(
        &picture(&scene(vec![glass(0.75), red]), &camera),
        &camera,
        50,
        37,
    );
    assert_eq!((depth, number), (2.9, 1), "mostly glass");
}

#[test]
fn the_sun_casts_shadows() {
    let ground = thing(
        Form::Solid(Solid::Box {
            half: [20.0, 20.0, 0.5],
        }),
        at([0.0, 10.0, -2.5], [0.0; 3]),
    );
    let ball = thing(
        Form::Solid(Solid::Sphere { radius: 0.5 }),
        at([0.0, 9.0, 0.0], [0.0; 3]),
    );
    let mut scene = scene(vec![ground, ball]);
    let mut camera = camera();
    // The point where the line from the sun through the sphere meets the ground, and a point well beside it.
    let to_sun = scene.illumination.to_sun;
    let shade = Point3::new(0.0, 9.0, 0.0) - to_sun * (2.0 / to_sun.z);
    let sight = |picture: &Picture, point: &Point3<f64>| {
        let [u, v, _] = camera.project(point).unwrap();
        pixel(picture, &camera, u.round() as usize, v.round() as usize).0
    };
    let plain = picture(&scene, &camera);
    let lit = sight(&plain, &shade);
    camera.shadows = true;
    let shaded = picture(&scene, &camera);
    let sight = |picture: &Picture, point: &Point3<f64>| {
        let [u, v, _] = camera.project(point).unwrap();
        pixel(picture, &camera, u.round() as usize, v.round() as usize).0
    };
    assert_eq!(sight(&shaded, &(shade + Vector3::x() * 1.2)), lit);
    let dark = sight(&shaded, &shade);
    assert!(
        dark.iter().zip(lit).all(|(dark, lit)| dark + 30 < lit),
        "{dark:?} {lit:?}"
    );
    let ambient = times_color(&scene, scene.illumination.ambient(&Vector3::z()));
    assert_eq!(dark, ambient, "what is left is the light of the sky");
    scene.things[1].casts = false;
    assert_eq!(picture(&scene, &camera).color, plain.color);
}

fn times_color(scene: &RenderScene, light: Rgb) -> [u8; 3] {
    let color = light::times(scene.things[0].color, light);
    let [red, green, blue, _] = scene.illumination.code(color);
    [red, green, blue]
}

#[test]
fn pixels_do_not_depend_on_threads() {
    let mut things = Vec::new();
    let mut random = morse_api::random::Random::new(5, "things", "place");
    for n in 0..60 {
        let mut number = |low: f64, high: f64| low + (high - low) * random.uniform();
        let pose = at(
            [number(-6.0, 6.0), number(2.0, 15.0), number(-3.0, 3.0)],
            [number(-2.0, 2.0), number(-2.0, 2.0), number(-2.0, 2.0)],
        );
        let form = match n % 3 {
            0 => Solid::Box {
                half: [number(0.1, 0.9), number(0.1, 0.9), 0.5],
            },
            1 => Solid::Capsule {
                radius: number(0.1, 0.5),
                low: 0.0,
                high: 1.0,
            },
            _ => Solid::Cone {
                start_radius: 0.5,
                end_radius: 0.0,
                height: number(0.5, 2.0),
            },
        };
        things.push(Thing {
            alpha: if n % 5 == 0 { 0.6 } else { 1.0 },
            ..thing(Form::Solid(form), pose)
        });
    }
    let scene = scene(things);
    let camera = CameraView {
        shadows: true,
        ..camera()
    };
    let one = picture(&scene, &camera);
    for threads in [2, 3, 7] {
        let mut other = Picture::default();
        draw_picture(&scene, &camera, &mut other, Threads::new(threads).pool());
        assert!(one == other, "{threads} threads");
    }
    // The order of the things is irrelevant too, except for their numbers.
    let mut turned = scene;
    turned.things.reverse();
    let other = picture(&turned, &camera);
    assert!(one.color == other.color && one.depth == other.depth);
}
