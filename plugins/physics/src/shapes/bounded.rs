//! Convex hulls that keep their bounds: the engine computes these for each body from all vertices, and many bodies share a hull.
use bevy::math::{Quat, Vec3};
use bevy_rapier3d::parry::{
    bounding_volume::{Aabb, BoundingSphere},
    mass_properties::MassProperties,
    math::Pose,
    query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection},
    shape::{
        ConvexPolyhedron, FeatureId, PolygonalFeatureMap, Shape, ShapeType, SharedShape,
        SupportMap, TypedShape,
    },
};

/// A hull with its bounds. Everything else is delegated to the engine.
#[derive(Clone)]
struct Bounded {
    hull: ConvexPolyhedron,
    bounds: Aabb,
    sphere: BoundingSphere,
}

/// Returns a hull as a shape.
pub(super) fn hull(hull: ConvexPolyhedron) -> SharedShape {
    let bounds = hull.local_aabb();
    let sphere = hull.local_bounding_sphere();
    SharedShape::new(Bounded {
        hull,
        bounds,
        sphere,
    })
}

impl Shape for Bounded {
    fn compute_aabb(&self, pose: &Pose) -> Aabb {
        // The same numbers as those of the vertices: rounding keeps their order.
        if pose.rotation == Quat::IDENTITY {
            let Aabb { mins, maxs } = self.bounds;
            return Aabb::new(mins + pose.translation, maxs + pose.translation);
        }
        self.hull.aabb(pose)
    }

    fn compute_local_aabb(&self) -> Aabb {
        self.bounds
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        self.sphere
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    fn scale_dyn(&self, scale: Vec3, subdivisions: u32) -> Option<Box<dyn Shape>> {
        self.hull.scale_dyn(scale, subdivisions)
    }

    fn mass_properties(&self, density: f32) -> MassProperties {
        self.hull.mass_properties(density)
    }

    fn shape_type(&self) -> ShapeType {
        self.hull.shape_type()
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::ConvexPolyhedron(&self.hull)
    }

    fn ccd_thickness(&self) -> f32 {
        self.bounds.half_extents().min_element()
    }

    fn ccd_angular_thickness(&self) -> f32 {
        self.hull.ccd_angular_thickness()
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn as_support_map(&self) -> Option<&dyn SupportMap> {
        Some(&self.hull)
    }

    fn as_polygonal_feature_map(&self) -> Option<(&dyn PolygonalFeatureMap, f32)> {
        Some((&self.hull, 0.0))
    }

    fn feature_normal_at_point(&self, feature: FeatureId, point: Vec3) -> Option<Vec3> {
        self.hull.feature_normal_at_point(feature, point)
    }
}

impl RayCast for Bounded {
    fn cast_local_ray_and_get_normal(
        &self,
        ray: &Ray,
        max_time_of_impact: f32,
        solid: bool,
    ) -> Option<RayIntersection> {
        self.hull
            .cast_local_ray_and_get_normal(ray, max_time_of_impact, solid)
    }
}

impl PointQuery for Bounded {
    fn project_local_point(&self, point: Vec3, solid: bool) -> PointProjection {
        self.hull.project_local_point(point, solid)
    }

    fn project_local_point_and_get_feature(&self, point: Vec3) -> (PointProjection, FeatureId) {
        self.hull.project_local_point_and_get_feature(point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_the_same_bits_as_those_of_the_engine() {
        let corners: Vec<Vec3> = (0..40_u8)
            .map(|index| {
                let [a, b] = [1.1, 0.7].map(|step| step * f32::from(index));
                Vec3::new(libm::cosf(a), 0.3 * libm::sinf(a), 2.0 * libm::sinf(b))
            })
            .collect();
        let engine = ConvexPolyhedron::from_convex_hull(&corners).expect("a hull");
        let ours = hull(engine.clone());
        let engine: &dyn Shape = &engine;
        let bits = |bounds: &Aabb| {
            [bounds.mins, bounds.maxs].map(|corner| corner.to_array().map(f32::to_bits))
        };
        for step in 0..20_u8 {
            // Without a rotation, and with one.
            let shift = Vec3::new(1.0, -2.0, 3.0) * f32::from(step) * 0.37;
            for turn in [0.0, 0.1 * f32::from(step) + 0.1] {
                let pose = Pose::from_parts(shift, Quat::from_rotation_y(turn));
                let [ours, actual] = [ours.compute_aabb(&pose), engine.compute_aabb(&pose)];
                assert_eq!(bits(&ours), bits(&actual), "{pose:?}");
            }
        }
        assert_eq!(
            bits(&ours.compute_local_aabb()),
            bits(&engine.compute_local_aabb())
        );
        let [one, other] = [&*ours.0, engine].map(Shape::compute_local_bounding_sphere);
        assert_eq!((one.center, one.radius), (other.center, other.radius));
        assert!((ours.ccd_thickness() - engine.ccd_thickness()).abs() <= 0.0);
    }
}
