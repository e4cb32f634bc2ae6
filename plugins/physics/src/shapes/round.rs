//! Cylinders and cones with bounding boxes in closed form: the engine computes these in each step for all moving shapes.
use bevy::math::Vec3;
use bevy_rapier3d::parry::{
    bounding_volume::{Aabb, BoundingSphere},
    mass_properties::MassProperties,
    math::Pose,
    query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection},
    shape::{
        Cone, Cylinder, FeatureId, PolygonalFeatureMap, Shape, ShapeType, SharedShape, SupportMap,
        TypedShape,
    },
};

/// A shape with rotational symmetry about its y axis. Everything but its bounds is delegated to the engine.
#[derive(Clone, Copy)]
struct Round<S>(S);

/// Bounds of a round shape in closed form.
trait Bounds: Shape + SupportMap + PolygonalFeatureMap + Copy {
    /// Returns the minimum and maximum coordinates relative to its centre, for a direction of its axis.
    fn bounds(&self, axis: Vec3) -> [Vec3; 2];
    fn typed(&self) -> TypedShape<'_>;
}

/// Returns a centred cylinder along y.
pub(super) fn cylinder(half_height: f32, radius: f32) -> SharedShape {
    SharedShape::new(Round(Cylinder::new(half_height, radius)))
}

/// Returns a centred cone along y, with its apex at +y.
pub(super) fn cone(half_height: f32, radius: f32) -> SharedShape {
    SharedShape::new(Round(Cone::new(half_height, radius)))
}

/// Returns half the extent of a disc with this normal.
fn disc(radius: f32, normal: Vec3) -> Vec3 {
    let square = normal * normal;
    let across = Vec3::new(
        square.y + square.z,
        square.z + square.x,
        square.x + square.y,
    );
    Vec3::from_array(across.to_array().map(libm::sqrtf)) * radius
}

impl Bounds for Cylinder {
    fn bounds(&self, axis: Vec3) -> [Vec3; 2] {
        let half = disc(self.radius, axis) + (axis * self.half_height).abs();
        [-half, half]
    }

    fn typed(&self) -> TypedShape<'_> {
        TypedShape::Cylinder(self)
    }
}

impl Bounds for Cone {
    fn bounds(&self, axis: Vec3) -> [Vec3; 2] {
        let apex = axis * self.half_height;
        let disc = disc(self.radius, axis);
        [apex.min(-apex - disc), apex.max(-apex + disc)]
    }

    fn typed(&self) -> TypedShape<'_> {
        TypedShape::Cone(self)
    }
}

impl<S: Bounds> Shape for Round<S> {
    fn compute_aabb(&self, pose: &Pose) -> Aabb {
        let bounds = self.0.bounds(pose.rotation * Vec3::Y);
        let [least, greatest] = bounds.map(|corner| pose.translation + corner);
        Aabb::new(least, greatest)
    }

    fn compute_local_aabb(&self) -> Aabb {
        self.0.compute_local_aabb()
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        self.0.compute_local_bounding_sphere()
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(*self)
    }

    fn scale_dyn(&self, scale: Vec3, subdivisions: u32) -> Option<Box<dyn Shape>> {
        self.0.scale_dyn(scale, subdivisions)
    }

    fn mass_properties(&self, density: f32) -> MassProperties {
        self.0.mass_properties(density)
    }

    fn shape_type(&self) -> ShapeType {
        self.0.shape_type()
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        self.0.typed()
    }

    fn ccd_thickness(&self) -> f32 {
        self.0.ccd_thickness()
    }

    fn ccd_angular_thickness(&self) -> f32 {
        self.0.ccd_angular_thickness()
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn as_support_map(&self) -> Option<&dyn SupportMap> {
        Some(&self.0)
    }

    fn as_polygonal_feature_map(&self) -> Option<(&dyn PolygonalFeatureMap, f32)> {
        Some((&self.0, 0.0))
    }

    fn feature_normal_at_point(&self, feature: FeatureId, point: Vec3) -> Option<Vec3> {
        self.0.feature_normal_at_point(feature, point)
    }
}

impl<S: Bounds> RayCast for Round<S> {
    fn cast_local_ray_and_get_normal(
        &self,
        ray: &Ray,
        max_time_of_impact: f32,
        solid: bool,
    ) -> Option<RayIntersection> {
        self.0
            .cast_local_ray_and_get_normal(ray, max_time_of_impact, solid)
    }
}

impl<S: Bounds> PointQuery for Round<S> {
    fn project_local_point(&self, point: Vec3, solid: bool) -> PointProjection {
        self.0.project_local_point(point, solid)
    }

    fn project_local_point_and_get_feature(&self, point: Vec3) -> (PointProjection, FeatureId) {
        self.0.project_local_point_and_get_feature(point)
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::{EulerRot, Quat};

    use super::*;

    #[test]
    fn bounds_are_those_that_the_engine_finds() {
        for step in 0..60_u8 {
            let turn = f32::from(step) * 0.37;
            let rotation = Quat::from_euler(EulerRot::XYZ, turn, 2.3 * turn, -0.7 * turn);
            let pose = Pose::from_parts(Vec3::new(1.0, -2.0, 3.0), rotation);
            let shapes: [(SharedShape, &dyn Shape); 2] = [
                (cylinder(0.3, 0.8), &Cylinder::new(0.3, 0.8)),
                (cone(0.6, 0.2), &Cone::new(0.6, 0.2)),
            ];
            for (ours, engine) in shapes {
                let [ours, actual] = [ours.compute_aabb(&pose), engine.compute_aabb(&pose)];
                let off = (ours.mins - actual.mins).abs() + (ours.maxs - actual.maxs).abs();
                assert!(off.max_element() < 2e-6, "{ours:?} {actual:?}");
            }
        }
    }
}
