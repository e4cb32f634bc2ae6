//! Connectivity of models: all geometry of a robot, an arm or an object is connected.
use morse_sim::scene::{
    assets::SHIPPED,
    load::{LoadOptions, load},
    model::{Scene, Shape},
};
use nalgebra::{Isometry3, Matrix3xX, Point3, Vector3};

use super::{measure::vertices, model};

/// Maximum gap, m: rotating geometry has some clearance.
const ROOM: f64 = 0.02;

/// Geometry that is intentionally disconnected, with the reason.
const APART: &[(&str, &str, &str)] = &[];

/// A visual or collision shape.
struct Solid<'a> {
    frame: &'a str,
    shape: &'a Shape,
    /// Vertices of a mesh, which stands for its convex hull.
    vertices: Vec<Point3<f64>>,
    pose: Isometry3<f64>,
    visual: bool,
}

impl Solid<'_> {
    /// Returns the support point: the farthest point in a direction.
    fn support(&self, direction: &Vector3<f64>) -> Point3<f64> {
        let own = self.pose.rotation.inverse() * direction;
        let along = |height: f64| if own.z * height > 0.0 { height } else { 0.0 };
        let ball = |radius: f64| own.try_normalize(1e-12).unwrap_or_default() * radius;
        let disc = |radius: f64| {
            let flat = Vector3::new(own.x, own.y, 0.0);
            flat.try_normalize(1e-12).unwrap_or_default() * radius
        };
        let point = match self.shape {
            Shape::Box { dimension } => {
                let half = Vector3::from(*dimension) / 2.0;
                half.zip_map(&own, f64::copysign)
            }
            Shape::Sphere { radius } => ball(*radius),
            Shape::Cylinder { radius, height } => disc(*radius) + Vector3::z() * along(*height),
            Shape::Cone {
                start_radius,
                end_radius,
                height,
            } => {
                let ends = [(*start_radius, 0.0), (*end_radius, *height)];
                let [start, end] = ends.map(|(radius, z)| disc(radius) + Vector3::z() * z);
                if start.dot(&own) > end.dot(&own) {
                    start
                } else {
                    end
                }
            }
            Shape::Capsule { radius, height } => ball(*radius) + Vector3::z() * along(*height),
            Shape::Mesh(_) => {
                let depth = |point: &&Point3<f64>| own.dot(&point.coords);
                let far = self.vertices.iter();
                let far = far.max_by(|one, other| depth(one).total_cmp(&depth(other)));
                far.expect("a mesh has vertices").coords
            }
            Shape::Grid { .. } => panic!("models have no grids"),
        };
        self.pose * Point3::from(point)
    }

    /// Returns the distance from another convex shape, m, to a tenth of a millimetre (Gilbert, Johnson and Keerthi, 1988):
    /// the point of the difference of the two shapes that is nearest to the origin.
    fn distance(&self, other: &Self) -> f64 {
        let mut simplex = vec![self.pose.translation.vector - other.pose.translation.vector];
        for _ in 0..200 {
            let near = nearest(&mut simplex);
            let distance = near.norm();
            if distance < 1e-9 {
                return 0.0;
            }
            let far = self.support(&-near) - other.support(&near);
            // The plane through the farthest point bounds the distance.
            if distance - near.dot(&far) / distance < 1e-4 {
                return distance;
            }
            simplex.push(far);
        }
        panic!("{} and {}: {simplex:?}", self.frame, other.frame);
    }
}

/// Returns the point of a simplex that is nearest to the origin; removes the corners that do not contribute.
fn nearest(simplex: &mut Vec<Vector3<f64>>) -> Vector3<f64> {
    let faces = (1_usize..1 << simplex.len()).filter_map(|mask| {
        let used = simplex
            .iter()
            .enumerate()
            .filter(|(at, _)| mask >> at & 1 == 1);
        let corners: Vec<Vector3<f64>> = used.map(|(_, corner)| *corner).collect();
        Some((on_face(&corners)?, corners))
    });
    let all: Vec<_> = faces.collect();
    let closer = |one: &(Vector3<f64>, Vec<Vector3<f64>>),
                  other: &(Vector3<f64>, Vec<Vector3<f64>>)| {
        one.0.norm().total_cmp(&other.0.norm())
    };
    let (point, corners) = all
        .into_iter()
        .min_by(closer)
        .expect("its corners are faces");
    *simplex = corners;
    point
}

/// Returns the point of the plane through some corners that is nearest to the origin, if it lies between them.
fn on_face(corners: &[Vector3<f64>]) -> Option<Vector3<f64>> {
    let (first, rest) = corners.split_first()?;
    if rest.len() > 3 {
        return None;
    }
    if rest.is_empty() {
        return Some(*first);
    }
    let edges: Vec<Vector3<f64>> = rest.iter().map(|corner| corner - first).collect();
    let edges = Matrix3xX::from_columns(&edges);
    let shares = (edges.transpose() * &edges)
        .lu()
        .solve(&(-edges.transpose() * first))?;
    let is_inside = shares.iter().all(|share| *share >= 0.0) && shares.sum() <= 1.0;
    is_inside.then(|| first + edges * shares)
}

/// Returns all shapes of a model, with all joints at zero.
fn solids(scene: &Scene) -> Vec<Solid<'_>> {
    let poses = scene.absolute_poses(|_| 0.0);
    let frames = scene.frames().iter().zip(poses);
    let shapes = frames.flat_map(|(frame, pose)| {
        frame.geometry.iter().map(move |geometry| Solid {
            frame: &frame.name,
            shape: &geometry.shape,
            vertices: vertices(geometry),
            pose,
            visual: geometry.visual,
        })
    });
    shapes.collect()
}

/// Returns the frames of shapes that are not connected to the largest group of visual shapes, with their distance from it.
fn floating(scene: &Scene) -> Vec<(String, f64)> {
    let all = solids(scene);
    let (mut main, mut rest): (Vec<&Solid<'_>>, Vec<&Solid<'_>>) = (Vec::new(), Vec::new());
    let mut left: Vec<&Solid<'_>> = all.iter().filter(|solid| solid.visual).collect();
    while let Some(first) = left.pop() {
        let group = grow(first, &mut left);
        let smaller = if group.len() > main.len() {
            std::mem::replace(&mut main, group)
        } else {
            group
        };
        rest.extend(smaller);
    }
    // Collision shapes that are not visual have to touch a visual one.
    rest.extend(all.iter().filter(|solid| !solid.visual));
    let gap = |solid: &Solid<'_>| {
        let gaps = main.iter().map(|other| solid.distance(other));
        gaps.fold(f64::INFINITY, f64::min)
    };
    let all = rest.iter().filter(|_| !main.is_empty());
    let all = all.map(|solid| (solid.frame.to_owned(), gap(solid)));
    all.filter(|(_, gap)| *gap > ROOM).collect()
}

/// Removes the shapes that are connected to one, and returns them.
fn grow<'a>(first: &'a Solid<'a>, left: &mut Vec<&'a Solid<'a>>) -> Vec<&'a Solid<'a>> {
    let mut group = vec![first];
    let mut done = 0;
    while let Some(&next) = group.get(done) {
        done += 1;
        let (near, far) = left.iter().partition(|other| next.distance(other) <= ROOM);
        group.extend::<Vec<&Solid<'_>>>(near);
        *left = far;
    }
    group
}

#[test]
fn the_frames_of_a_model_hang_together() {
    let paths = SHIPPED.0.iter().map(|(path, _)| *path);
    let is_model = |path: &&str| {
        ["arms/", "objects/", "robots/"]
            .iter()
            .any(|folder| path.starts_with(folder))
    };
    let mut wrong = Vec::new();
    let mut apart: Vec<_> = APART
        .iter()
        .map(|(path, frame, _)| (*path, *frame))
        .collect();
    for path in paths.filter(is_model) {
        for (frame, gap) in floating(&model(path)) {
            let known = apart
                .iter()
                .position(|known| *known == (path, frame.as_str()));
            match known {
                Some(known) => drop(apart.swap_remove(known)),
                None => wrong.push(format!("{path}: {frame}, by {gap:.3} m")),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "apart from the rest:\n{}",
        wrong.join("\n")
    );
    assert!(apart.is_empty(), "listed, but not apart: {apart:?}");
}

#[test]
fn a_gap_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("it.robray");
    // Two boxes of 0.2 m, and a ball of 0.1 m on the second one; a cylinder that is not visual.
    for (gap, hidden, expected) in [
        (0.0, 0.0, &[][..]),
        (0.019, 0.0, &[]),
        (0.021, 0.0, &["low", "hidden"]),
        (0.0, 5.0, &["hidden"]),
    ] {
        let text = format!(
            "frame low {{ geometry {{ shape box; dimension [0.2, 0.2, 0.2]; }} }}
             frame high {{ translation [0, 0, {}]; geometry {{ shape box; dimension [0.2, 0.2, 0.2]; }} }}
             frame ball {{ translation [0, 0, {}]; geometry {{ shape sphere; radius 0.1; }} }}
             frame hidden {{ translation [{hidden}, 0, 0]; geometry {{ shape cylinder; radius 0.1; height 0.1; visual 0; }} }}",
            0.2 + gap,
            0.4 + gap
        );
        std::fs::write(&path, text).unwrap();
        let loaded =
            load(&path, &LoadOptions::default()).unwrap_or_else(|failed| panic!("{failed}"));
        let gaps = floating(&loaded.scene);
        let frames: Vec<&str> = gaps.iter().map(|(frame, _)| frame.as_str()).collect();
        assert_eq!(frames, expected, "{gap} {hidden}");
    }
}
