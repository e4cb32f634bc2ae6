//! View frustum of a camera, in the camera's axes: z forward, x right, y down.
use nalgebra::{Isometry3, Point3, Vector3};

/// View frustum of a camera: a pyramid without its tip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Depth of the near plane, m.
    pub near: f64,
    /// Depth of the far plane, m.
    pub far: f64,
    /// Half of the image's width at depth 1.
    pub half_width: f64,
    /// Half of the image's height at depth 1.
    pub half_height: f64,
}

impl View {
    /// Returns true if a point is in the frustum.
    #[must_use]
    pub fn holds(&self, point: &Point3<f64>) -> bool {
        (self.near..=self.far).contains(&point.z)
            && point.x.abs() <= self.half_width * point.z
            && point.y.abs() <= self.half_height * point.z
    }

    /// Returns true if a box, given by half its side lengths, intersects the frustum (separating axis theorem). Two convex
    /// bodies are disjoint exactly if a plane separates them that is parallel to a face of one of them, or to an edge of
    /// each.
    #[must_use]
    pub fn meets(&self, camera_from_box: &Isometry3<f64>, half: &Vector3<f64>) -> bool {
        let (width, height) = (self.half_width, self.half_height);
        let faces = [
            Vector3::z(),
            Vector3::new(1.0, 0.0, -width),
            Vector3::new(1.0, 0.0, width),
            Vector3::new(0.0, 1.0, -height),
            Vector3::new(0.0, 1.0, height),
        ];
        let edges = [
            Vector3::x(),
            Vector3::y(),
            Vector3::new(width, height, 1.0),
            Vector3::new(width, -height, 1.0),
            Vector3::new(-width, height, 1.0),
            Vector3::new(-width, -height, 1.0),
        ];
        let sides = [Vector3::x(), Vector3::y(), Vector3::z()];
        let sides = sides.map(|axis| camera_from_box.rotation * axis);
        let crossed = sides
            .iter()
            .flat_map(|side| edges.iter().map(move |edge| side.cross(edge)));
        let mut normals = faces.into_iter().chain(sides).chain(crossed);
        !normals.any(|normal| self.is_apart(camera_from_box, &sides, half, &normal))
    }

    /// Returns true if the projections of frustum and box on a line are disjoint.
    fn is_apart(
        &self,
        camera_from_box: &Isometry3<f64>,
        sides: &[Vector3<f64>; 3],
        half: &Vector3<f64>,
        normal: &Vector3<f64>,
    ) -> bool {
        // Parallel edges define no plane.
        if normal.norm_squared() < 1e-18 {
            return false;
        }
        let middle = camera_from_box.translation.vector.dot(normal);
        let extent: f64 = sides
            .iter()
            .zip(half)
            .map(|(side, half)| (side.dot(normal) * half).abs())
            .sum();
        let across = (normal.x * self.half_width).abs() + (normal.y * self.half_height).abs();
        let ends = [self.near, self.far]
            .map(|depth| [(normal.z - across) * depth, (normal.z + across) * depth]);
        let lowest = ends[0][0].min(ends[1][0]);
        let highest = ends[0][1].max(ends[1][1]);
        middle + extent < lowest || middle - extent > highest
    }

    /// Returns directions through points of the image, evenly distributed over its rows and columns.
    pub fn grid<const N: usize>(&self) -> impl Iterator<Item = Vector3<f64>> + use<N> {
        let (width, height) = (self.half_width, self.half_height);
        let share = |index: usize| (2 * index + 1) as f64 / N as f64 - 1.0;
        (0..N * N).map(move |index| {
            Vector3::new(width * share(index % N), height * share(index / N), 1.0)
        })
    }
}

/// Returns the factor by which a direction from the camera reaches a box, or its far side from within.
#[must_use]
pub fn entry(
    camera_from_box: &Isometry3<f64>,
    half: &Vector3<f64>,
    direction: &Vector3<f64>,
) -> Option<f64> {
    let origin = camera_from_box.inverse() * Point3::origin();
    let along = camera_from_box.rotation.inverse() * direction;
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    for ((from, step), half) in origin.coords.iter().zip(&along).zip(half) {
        if *step == 0.0 {
            if from.abs() > *half {
                return None;
            }
            continue;
        }
        let (one, other) = ((-half - from) / step, (half - from) / step);
        enter = enter.max(one.min(other));
        leave = leave.min(one.max(other));
    }
    let first = if enter > 0.0 { enter } else { leave };
    (enter <= leave && first > 0.0).then_some(first)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_4;

    use super::*;

    /// View of 90°, half as high as wide.
    const VIEW: View = View {
        near: 1.0,
        far: 10.0,
        half_width: 1.0,
        half_height: 0.5,
    };

    fn meets(at: [f64; 3], turn: Vector3<f64>, half: [f64; 3]) -> bool {
        let pose = Isometry3::new(at.into(), turn);
        VIEW.meets(&pose, &half.into())
    }

    #[test]
    fn a_box_counts_as_soon_as_it_reaches_into_the_picture() {
        let none = Vector3::zeros();
        let cube = [0.5; 3];
        assert!(meets([0.0, 0.0, 5.0], none, cube));
        // In front of the near plane, and behind the far plane.
        assert!(meets([0.0, 0.0, 0.51], none, cube) && !meets([0.0, 0.0, 0.49], none, cube));
        assert!(meets([0.0, 0.0, 10.49], none, cube) && !meets([0.0, 0.0, 10.51], none, cube));
        // The far corner decides: at a depth of 5.5, the image extends 5.5 to the side and 2.75 down.
        assert!(meets([5.99, 0.0, 5.0], none, cube) && !meets([6.01, 0.0, 5.0], none, cube));
        assert!(meets([0.0, -3.24, 5.0], none, cube) && !meets([0.0, -3.26, 5.0], none, cube));
        // A box that contains the whole frustum.
        assert!(meets([0.0, 0.0, 5.0], none, [100.0; 3]));
        // Behind the camera.
        assert!(!meets([0.0, 0.0, -5.0], none, cube));
    }

    #[test]
    fn the_rotation_of_a_box_counts() {
        // A rod of 6 m; the edge of the image is 4 m to the side: the rod intersects only when it lies across.
        let rod = [3.0, 0.1, 0.1];
        let across = Vector3::zeros();
        let along = Vector3::z() * 2.0 * FRAC_PI_4;
        assert!(meets([6.5, 0.0, 4.0], across, rod));
        assert!(!meets([6.5, 0.0, 4.0], along, rod));
        // Past an edge between two faces of the frustum, where no face of either body separates them.
        let beam = [0.01, 20.0, 0.01];
        let lean = Vector3::z() * FRAC_PI_4;
        // x + y = const; the corner of the image at a depth of 10 is at x + y = 15.
        assert!(meets([7.4, 7.4, 10.0], lean, beam));
        assert!(!meets([7.6, 7.6, 10.0], lean, beam));
    }

    #[test]
    fn points_and_lines() {
        assert!(VIEW.holds(&Point3::new(2.0, -1.0, 2.0)));
        assert!(!VIEW.holds(&Point3::new(2.0, -1.01, 2.0)));
        assert!(!VIEW.holds(&Point3::new(0.0, 0.0, 0.9)));
        let grid: Vec<_> = VIEW.grid::<2>().collect();
        assert_eq!(grid[0], Vector3::new(-0.5, -0.25, 1.0));
        assert_eq!(grid[3], Vector3::new(0.5, 0.25, 1.0));
        let cube = Vector3::repeat(1.0);
        let ahead = Isometry3::translation(0.0, 0.0, 4.0);
        assert_eq!(entry(&ahead, &cube, &Vector3::z()), Some(3.0));
        assert_eq!(entry(&ahead, &cube, &-Vector3::z()), None);
        assert_eq!(entry(&ahead, &cube, &Vector3::new(0.5, 0.0, 1.0)), None);
        assert_eq!(
            entry(&Isometry3::identity(), &cube, &Vector3::z()),
            Some(1.0)
        );
    }
}
