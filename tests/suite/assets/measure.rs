//! Size of a model's collision geometry, from closed forms of its primitives.
use morse_geometry::mesh;
use morse_sim::scene::model::{Geometry, Scene, Shape};
use nalgebra::{Isometry3, Point3, Vector3};

/// Minimum and maximum coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub low: [f64; 3],
    pub high: [f64; 3],
}

impl Extent {
    pub(super) fn size(&self) -> [f64; 3] {
        [0, 1, 2].map(|axis| self.high[axis] - self.low[axis])
    }
}

/// Returns the bounding box of the selected geometry, with all joints at zero.
pub(super) fn extent(scene: &Scene, counts: impl Fn(&Geometry) -> bool) -> Option<Extent> {
    let poses = scene.absolute_poses(|_| 0.0);
    let mut all: Option<Extent> = None;
    for (frame, pose) in scene.frames().iter().zip(&poses) {
        for geometry in frame.geometry.iter().filter(|geometry| counts(geometry)) {
            let own = of_shape(geometry, pose);
            let so_far = all.get_or_insert(own);
            for axis in 0..3 {
                so_far.low[axis] = so_far.low[axis].min(own.low[axis]);
                so_far.high[axis] = so_far.high[axis].max(own.high[axis]);
            }
        }
    }
    all
}

fn of_shape(geometry: &Geometry, pose: &Isometry3<f64>) -> Extent {
    let along = |z: f64| pose * Point3::new(0.0, 0.0, z);
    // Half the extent of a disc across z, along each axis of the world.
    let across = pose.rotation * Vector3::z();
    let disc = |radius: f64| {
        [0, 1, 2].map(|axis| radius * (1.0 - across[axis] * across[axis]).max(0.0).sqrt())
    };
    match &geometry.shape {
        Shape::Box { dimension } => {
            let turn = pose.rotation.to_rotation_matrix();
            let half = [0, 1, 2].map(|row| {
                let sides = dimension.iter().enumerate();
                sides
                    .map(|(column, side)| (turn[(row, column)] * side / 2.0).abs())
                    .sum()
            });
            around(&[(along(0.0), half)])
        }
        Shape::Sphere { radius } => around(&[(along(0.0), [*radius; 3])]),
        Shape::Cylinder { radius, height } => {
            around(&[(along(0.0), disc(*radius)), (along(*height), disc(*radius))])
        }
        Shape::Cone {
            start_radius,
            end_radius,
            height,
        } => around(&[
            (along(0.0), disc(*start_radius)),
            (along(*height), disc(*end_radius)),
        ]),
        Shape::Capsule { radius, height } => {
            around(&[(along(0.0), [*radius; 3]), (along(*height), [*radius; 3])])
        }
        Shape::Mesh(_) => {
            let points = vertices(geometry).into_iter();
            let points: Vec<_> = points.map(|point| (pose * point, [0.0; 3])).collect();
            around(&points)
        }
        Shape::Grid { .. } => panic!("robots have no grids"),
    }
}

/// Returns the vertices of a mesh, with its scale applied; none of a primitive.
pub(super) fn vertices(geometry: &Geometry) -> Vec<Point3<f64>> {
    let Shape::Mesh(file) = &geometry.shape else {
        return Vec::new();
    };
    let read = mesh::read(&file.resolved).expect("an embedded mesh");
    let points = read.vertices.into_iter();
    points
        .map(|point| Point3::from(point.map(|value| f64::from(value) * geometry.scale)))
        .collect()
}

fn around(boxes: &[(Point3<f64>, [f64; 3])]) -> Extent {
    let bound = |sign: f64| {
        [0, 1, 2].map(|axis| {
            let ends = boxes
                .iter()
                .map(|(center, half)| sign * center[axis] + half[axis]);
            sign * ends.fold(f64::NEG_INFINITY, f64::max)
        })
    };
    Extent {
        low: bound(-1.0),
        high: bound(1.0),
    }
}
