//! Lens distortion: comparison of depths, positions and segmentation with the forward formula.
use morse_api::distortion::Distortion;

use super::*;

/// Returns a wide-angle camera with barrel distortion and slight tangential distortion.
fn barrel(width: u32, height: u32) -> CameraView {
    let (focal, center) = (
        f64::from(width) * 0.45,
        [f64::from(width) / 2.0, f64::from(height) / 2.0],
    );
    let coefficients = [-0.18, 0.04, 0.002, -0.0015, 0.0005];
    let lens = Distortion::new(coefficients, [width, height], focal, center).unwrap();
    CameraView {
        width,
        height,
        focal,
        center,
        lens: Some(Arc::new(lens)),
        ..camera()
    }
}

/// Returns a scene with things of all kinds.
fn crowd() -> RenderScene {
    let mut random = morse_api::random::Random::new(8, "crowd", "place");
    let mut number = |low: f64, high: f64| low + (high - low) * random.uniform();
    let mesh = Arc::new(box_mesh([0.4, 0.2, 0.3]));
    let mut things = Vec::new();
    for n in 0..80 {
        let pose = at(
            [number(-9.0, 9.0), number(1.5, 12.0), number(-6.0, 6.0)],
            [number(-2.0, 2.0), number(-2.0, 2.0), number(-2.0, 2.0)],
        );
        let form = match n % 4 {
            0 => Form::Solid(Solid::Box {
                half: [number(0.1, 0.7), number(0.1, 0.7), 0.3],
            }),
            1 => Form::Solid(Solid::Sphere {
                radius: number(0.1, 0.6),
            }),
            2 => Form::Mesh {
                mesh: mesh.clone(),
                scale: number(0.5, 2.0),
            },
            _ => Form::Solid(Solid::Capsule {
                radius: number(0.1, 0.3),
                low: 0.0,
                high: number(0.1, 1.0),
            }),
        };
        things.push(thing(form, pose));
    }
    scene(things)
}

/// Returns depth and thing of a single ray, drawn by an undistorted camera that looks along the ray.
fn met(scene: &RenderScene, camera: &CameraView, ray: Vector3<f64>) -> (f32, u16) {
    let turn = nalgebra::UnitQuaternion::rotation_between(&Vector3::z(), &ray).unwrap();
    let along = CameraView {
        world_from_camera: camera.world_from_camera * turn,
        width: 1,
        height: 1,
        center: [0.0; 2],
        lens: None,
        renderer: None,
        // The near distance along the ray is longer than along the optical axis.
        near: camera.near * ray.norm(),
        far: camera.far * ray.norm(),
        ..camera.clone()
    };
    let picture = picture(scene, &along);
    (
        (f64::from(picture.depth[0]) / ray.norm()) as f32,
        picture.things[0],
    )
}

#[test]
fn every_pixel_shows_what_its_ray_meets() {
    let (scene, camera) = (crowd(), barrel(90, 70));
    let bent = picture(&scene, &camera);
    let mut seen = 0;
    for (v, u) in (0..70).flat_map(|v| (0..90).map(move |u| (v, u))) {
        let ray = camera.direction(u as f64, v as f64);
        let (_, depth, thing) = pixel(&bent, &camera, u, v);
        let (expected, number) = met(&scene, &camera, ray);
        assert_eq!(thing, number, "{u} {v}");
        let is_same = depth == expected || (depth - expected).abs() < 1e-4 * expected;
        assert!(is_same, "{u} {v}: {depth} {expected}");
        // Its position in the picture must agree with the forward formula of the lens.
        if depth.is_finite() {
            let at = camera.world_from_camera * Point3::from(ray * f64::from(depth));
            let [x, y, _] = camera.project(&at).unwrap();
            assert!(libm::hypot(x - u as f64, y - v as f64) < 1e-6);
            seen += 1;
        }
    }
    assert!(seen > 1500, "{seen}");
}

#[test]
fn balls_are_where_the_formula_puts_them() {
    let camera = barrel(320, 240);
    for position in [
        [-3.4, 4.0, 2.3],
        [3.9, 4.5, -2.6],
        [0.1, 5.0, 0.2],
        [4.0, 4.2, 0.0],
    ] {
        let ball = Form::Solid(Solid::Sphere { radius: 0.06 });
        let scene = scene(vec![thing(ball, at(position, [0.0; 3]))]);
        let picture = picture(&scene, &camera);
        let (mut sum, mut count) = ([0.0; 2], 0.0);
        let shown = picture.things.iter().enumerate();
        for (index, _) in shown.filter(|(_, number)| **number == 1) {
            sum[0] += (index % 320) as f64;
            sum[1] += (index / 320) as f64;
            count += 1.0;
        }
        // The forward formula, as an independent implementation.
        let (x, y) = (position[0] / position[1], -position[2] / position[1]);
        let [k1, k2, p1, p2, k3] = camera.lens.as_ref().unwrap().coefficients();
        let r2 = x * x + y * y;
        let radial = 1.0 + k1 * r2 + k2 * r2.powi(2) + k3 * r2.powi(3);
        let u = 160.0 + camera.focal * (x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x));
        let v = 120.0 + camera.focal * (y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y);
        assert!(count > 8.0, "{position:?}");
        let off = libm::hypot(sum[0] / count - u, sum[1] / count - v);
        assert!(off < 0.5, "{position:?}: {off} pixels off");
        let ideal = 160.0 + camera.focal * x;
        assert!(
            x.abs() < 0.5 || (u - ideal).abs() > 10.0,
            "it bends: {u} {ideal}"
        );
    }
}

#[test]
fn a_lens_without_a_bend_changes_nothing() {
    let scene = crowd();
    let straight = CameraView {
        lens: None,
        renderer: None,
        shadows: true,
        ..barrel(90, 70)
    };
    let lens = Distortion::new([0.0; 5], [90, 70], straight.focal, straight.center).unwrap();
    let flat = CameraView {
        lens: Some(Arc::new(lens)),
        ..straight.clone()
    };
    let (one, other) = (picture(&scene, &straight), picture(&scene, &flat));
    assert!(one.things == other.things && one.color == other.color);
    for threads in [2, 3] {
        let mut again = Picture::default();
        let bent = CameraView {
            shadows: true,
            ..barrel(90, 70)
        };
        draw_picture(&scene, &bent, &mut again, Threads::new(threads).pool());
        assert!(again == picture(&scene, &bent), "{threads} threads");
    }
}
