//! Shapes that scenes lack, made of those that they have.

use morse_scene::{
    model::{MeshFile, Shape, rotation_from_xyzw, stretch},
    shipped::Shipped,
};
use nalgebra::{UnitQuaternion, Vector3};

/// Side of an infinite plane, m.
pub(crate) const INFINITE: f64 = 200.0;

/// Thickness of planes, m.
pub(crate) const THICKNESS: f64 = 1.0;

/// Sphere of radius 1, which is stretched to ellipsoids.
const SPHERE: &str = "shapes/sphere.obj";

/// Length below which a vector has no direction, as in MuJoCo.
const SMALLEST: f64 = 1e-14;

/// Returns an ellipsoid with these half axes: a mesh of 320 triangles.
pub(crate) fn ellipsoid(half: [f64; 3]) -> Shape {
    Shape::Mesh(MeshFile {
        file: SPHERE.to_owned(),
        resolved: stretch(&Shipped::path(SPHERE), half),
    })
}

/// Returns the rotation about an axis of any length; `None` if the length is zero.
pub(crate) fn about(axis: Vector3<f64>, angle: f64) -> Option<UnitQuaternion<f64>> {
    let axis = axis.try_normalize(SMALLEST)?;
    let (sin, cos) = libm::sincos(angle / 2.0);
    rotation_from_xyzw([axis.x * sin, axis.y * sin, axis.z * sin, cos])
}

/// Returns the smallest rotation of the z axis to a direction.
pub(crate) fn turned_z(direction: Vector3<f64>) -> UnitQuaternion<f64> {
    let Some(direction) = direction.try_normalize(SMALLEST) else {
        return UnitQuaternion::identity();
    };
    let axis = Vector3::z().cross(&direction);
    let sin = axis.norm();
    let axis = match sin < 1e-10 {
        true => Vector3::x(),
        false => axis,
    };
    about(axis, libm::atan2(sin, direction.z)).unwrap_or_default()
}
