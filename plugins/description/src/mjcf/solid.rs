//! Masses and inertias: of shapes, of meshes, and of several shapes together.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Matrix3, Vector3};

/// A surface of triangles.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Positions of the vertices, in the units of the file.
    pub vertices: Vec<[f64; 3]>,
    /// Indices of the vertices of each triangle.
    pub faces: Vec<[usize; 3]>,
}

/// Mass with its centre and inertia.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid {
    /// Mass, kg.
    pub(super) mass: f64,
    /// Centre of mass, m.
    pub(super) center: Vector3<f64>,
    /// Inertia about the centre of mass, kg·m².
    pub(super) inertia: Matrix3<f64>,
}

impl Solid {
    /// Returns a solid at the origin with this mass and these principal moments.
    pub(super) fn new(mass: f64, moments: [f64; 3]) -> Self {
        Self {
            mass,
            center: Vector3::zeros(),
            inertia: Matrix3::from_diagonal(&Vector3::from(moments)),
        }
    }

    /// Returns the solid in the coordinates of a parent frame.
    pub(super) fn moved(&self, pose: &Isometry3<f64>) -> Self {
        let turn = pose.rotation.to_rotation_matrix();
        Self {
            mass: self.mass,
            center: pose * nalgebra::Point3::from(self.center) - nalgebra::Point3::origin(),
            inertia: turn.matrix() * self.inertia * turn.matrix().transpose(),
        }
    }

    /// Returns the solid with another mass and the same distribution.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self {
            mass: self.mass * factor,
            center: self.center,
            inertia: self.inertia * factor,
        }
    }

    /// Returns several solids as one; `None` without mass.
    pub(super) fn sum(solids: &[Self]) -> Option<Self> {
        let mass: f64 = solids.iter().map(|solid| solid.mass).sum();
        if mass <= 0.0 {
            return None;
        }
        let moment: Vector3<f64> = solids.iter().map(|solid| solid.center * solid.mass).sum();
        let center = moment / mass;
        let mut inertia = Matrix3::zeros();
        for solid in solids {
            let arm = solid.center - center;
            // Parallel axis theorem.
            let shifted = Matrix3::identity() * arm.norm_squared() - arm * arm.transpose();
            inertia += solid.inertia + shifted * solid.mass;
        }
        Some(Self {
            mass,
            center,
            inertia,
        })
    }

    /// Returns the inertia `[ixx, iyy, izz, ixy, ixz, iyz]`.
    pub(super) fn moments(&self) -> [f64; 6] {
        let all = &self.inertia;
        [
            all[(0, 0)],
            all[(1, 1)],
            all[(2, 2)],
            all[(0, 1)],
            all[(0, 2)],
            all[(1, 2)],
        ]
    }
}

/// Returns a homogeneous ellipsoid of density 1 with these half axes.
pub(super) fn ellipsoid([a, b, c]: [f64; 3]) -> Solid {
    let mass = 4.0 / 3.0 * std::f64::consts::PI * a * b * c;
    let moment = |one: f64, other: f64| mass / 5.0 * (one * one + other * other);
    Solid::new(mass, [moment(b, c), moment(a, c), moment(a, b)])
}

/// Returns a homogeneous box of density 1 with these half sides.
pub(super) fn cuboid([a, b, c]: [f64; 3]) -> Solid {
    let mass = 8.0 * a * b * c;
    let moment = |one: f64, other: f64| mass / 3.0 * (one * one + other * other);
    Solid::new(mass, [moment(b, c), moment(a, c), moment(a, b)])
}

/// Returns a homogeneous cylinder of density 1 about the z axis.
pub(super) fn cylinder(radius: f64, height: f64) -> Solid {
    let mass = std::f64::consts::PI * radius * radius * height;
    let across = mass / 12.0 * (3.0 * radius * radius + height * height);
    Solid::new(mass, [across, across, mass / 2.0 * radius * radius])
}

/// Returns a homogeneous capsule of density 1 about the z axis; `height` is the distance of the centres of its caps.
pub(super) fn capsule(radius: f64, height: f64) -> Solid {
    let tube = cylinder(radius, height);
    let ball = ellipsoid([radius; 3]);
    // Two hemispheres, each with its centroid 3/8 of the radius from its plane.
    let shift = ball.mass * height * (3.0 * radius + 2.0 * height) / 8.0;
    let across = tube.inertia[(0, 0)] + ball.inertia[(0, 0)] + shift;
    let along = tube.inertia[(2, 2)] + ball.inertia[(2, 2)];
    Solid::new(tube.mass + ball.mass, [across, across, along])
}

/// Returns a mesh of density 1 with scale factors along its axes: the sum of the pyramids between its triangles and the
/// centre of its surface. The volumes of the pyramids are signed if `exact`; otherwise their magnitudes are used, which is
/// MuJoCo's default (`inertia="legacy"`). `None` if the volume is zero.
pub(super) fn mesh(surface: &Surface, scale: [f64; 3], exact: bool) -> Option<Solid> {
    let corner = |index: &usize| {
        let vertex = surface.vertices.get(*index)?;
        Some(Vector3::from(*vertex).component_mul(&Vector3::from(scale)))
    };
    let mut triangles = Vec::with_capacity(surface.faces.len());
    for [a, b, c] in &surface.faces {
        triangles.push([corner(a)?, corner(b)?, corner(c)?]);
    }
    let mut total = 0.0;
    let mut middle = Vector3::zeros();
    for [a, b, c] in &triangles {
        let area = (b - a).cross(&(c - a)).norm() / 2.0;
        total += area;
        middle += (a + b + c) * (area / 3.0);
    }
    // A mirrored mesh has its triangles inside out.
    let side = (scale[0] * scale[1] * scale[2]).signum();
    let (volume, first, _) = pyramids(&triangles, middle / total, side, exact);
    if !(volume.is_finite() && volume > 0.0) {
        return None;
    }
    // As in MuJoCo, the magnitudes of the volumes are summed again about the centre of mass.
    let center = middle / total + first / volume;
    let (volume, _, second) = pyramids(&triangles, center, side, exact);
    Some(Solid {
        mass: volume,
        center,
        inertia: Matrix3::identity() * second.trace() - second,
    })
}

/// Returns the defect of a surface that has to enclose a volume. Vertices at one position are one vertex.
pub(super) fn defect(surface: &Surface) -> Option<&'static str> {
    let key = |index: &usize| {
        let vertex = surface.vertices.get(*index)?;
        // Zero has one sign.
        Some(vertex.map(|value| (value + 0.0).to_bits()))
    };
    let mut open: BTreeMap<[[u64; 3]; 2], i64> = BTreeMap::new();
    for [a, b, c] in &surface.faces {
        let corners = [key(a)?, key(b)?, key(c)?];
        for [from, to] in [[0, 1], [1, 2], [2, 0]].map(|ends| ends.map(|end| corners[end])) {
            // Each edge has two triangles, which run along it in opposite directions.
            let (edge, turn) = if from < to {
                ([from, to], 1)
            } else {
                ([to, from], -1)
            };
            if from != to {
                *open.entry(edge).or_default() += turn;
            }
        }
    }
    let is_open = open.values().any(|count| *count != 0);
    is_open.then_some("it is not watertight, or its triangles face different sides")
}

/// Returns the volume of the pyramids between triangles and an apex, and their first and second moments about the apex.
fn pyramids(
    triangles: &[[Vector3<f64>; 3]],
    apex: Vector3<f64>,
    side: f64,
    exact: bool,
) -> (f64, Vector3<f64>, Matrix3<f64>) {
    let mut volume = 0.0;
    let mut first = Vector3::zeros();
    let mut second = Matrix3::zeros();
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| corner - apex);
        let signed = side * a.dot(&b.cross(&c)) / 6.0;
        let signed_volume = if exact { signed } else { signed.abs() };
        volume += signed_volume;
        let sum = a + b + c;
        first += sum * (signed_volume / 4.0);
        // Second moment of a tetrahedron with one corner at the origin.
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
        second += (squares + sum * sum.transpose()) * (signed_volume / 20.0);
    }
    (volume, first, second)
}
