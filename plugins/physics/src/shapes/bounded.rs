//! Convex hulls that keep their bounds, and look for extreme vertices and faces in groups of eight: the engine does it one by
//! one, which is most of what bodies near each other cost.
mod groups;

use bevy::math::{Quat, Vec3};
use bevy_rapier3d::parry::{
    bounding_volume::{Aabb, BoundingSphere},
    mass_properties::MassProperties,
    math::Pose,
    query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection},
    shape::{
        ConvexPolyhedron, FeatureId, PackedFeatureId, PolygonalFeature, PolygonalFeatureMap, Shape,
        ShapeType, SharedShape, SupportMap, TypedShape,
    },
};

use groups::Groups;

/// A hull with its bounds. Everything else is delegated to the engine. All numbers are those of the engine to the last bit.
#[derive(Clone)]
struct Bounded {
    hull: ConvexPolyhedron,
    corners: Groups,
    /// Normals of the faces.
    normals: Groups,
    bounds: Aabb,
    sphere: BoundingSphere,
}

/// Returns a hull as a shape.
pub(super) fn hull(hull: ConvexPolyhedron) -> SharedShape {
    let bounds = hull.local_aabb();
    let sphere = hull.local_bounding_sphere();
    let normals: Vec<Vec3> = hull.faces().iter().map(|face| face.normal).collect();
    SharedShape::new(Bounded {
        corners: Groups::new(hull.points()),
        normals: Groups::new(&normals),
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
        self.corners.bounds(pose)
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
        Some(self)
    }

    fn as_polygonal_feature_map(&self) -> Option<(&dyn PolygonalFeatureMap, f32)> {
        Some((self, 0.0))
    }

    fn feature_normal_at_point(&self, feature: FeatureId, point: Vec3) -> Option<Vec3> {
        self.hull.feature_normal_at_point(feature, point)
    }
}

impl SupportMap for Bounded {
    fn local_support_point(&self, direction: Vec3) -> Vec3 {
        self.hull.points()[self.corners.farthest(direction)]
    }
}

impl PolygonalFeatureMap for Bounded {
    /// Writes the face that looks farthest along a direction: its first four vertices, as in the engine.
    fn local_support_feature(&self, direction: Vec3, feature: &mut PolygonalFeature) {
        let index = self.normals.farthest(direction);
        let face = &self.hull.faces()[index];
        let first = face.first_vertex_or_edge as usize;
        let count = face.num_vertices_or_edges.min(4) as usize;
        let vertices = &self.hull.vertices_adj_to_face()[first..first + count];
        let edges = &self.hull.edges_adj_to_face()[first..first + count];
        for (at, (vertex, edge)) in vertices.iter().zip(edges).enumerate() {
            feature.vertices[at] = self.hull.points()[*vertex as usize];
            feature.vids[at] = PackedFeatureId::vertex(*vertex);
            feature.eids[at] = PackedFeatureId::edge(*edge);
        }
        feature.fid = PackedFeatureId::face(index as u32);
        feature.num_vertices = count;
    }

    fn is_convex_polyhedron(&self) -> bool {
        true
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
