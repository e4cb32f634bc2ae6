//! Division of meshes into convex parts.
use bevy::math::Vec3;
use bevy_rapier3d::parry::{
    math::Pose,
    shape::SharedShape,
    transformation::vhacd::{VHACD, VHACDParameters},
};
use morse_geometry::{
    archive::Hull,
    mesh::{MeshError, Triangles},
};

use super::{Solid, centred, from_hull, hull, scaled};
use crate::hull_cache;

/// Returns a solid of at most `most` convex parts, by volumetric hierarchical approximate convex decomposition: Mamou,
/// "Volumetric Hierarchical Approximate Convex Decomposition", Game Engine Gems 3, 2016, as parry implements it.
pub(super) fn from_mesh(triangles: &Triangles, scale: f64, most: u32) -> Result<Solid, MeshError> {
    // The decomposition requires a mesh with a volume.
    let whole = hull(triangles, scale).ok_or(MeshError::Flat)?;
    let points = scaled(triangles, scale);
    let mut key = triangles.faces.as_flattened().to_vec();
    key.push(most);
    let parts = hull_cache::cached(&points, &key, || {
        Some(divided(&points, &triangles.faces, most))
    });
    let solids = parts.unwrap_or_default().into_iter();
    // Parts of a few voxels may be flat.
    let solids: Vec<_> = solids
        .filter_map(|part| Some((Pose::IDENTITY, from_hull(part).ok()?.shape)))
        .collect();
    match solids.len() {
        0 | 1 => from_hull(whole),
        _ => Ok(centred(SharedShape::compound(solids))),
    }
}

fn divided(points: &[Vec3], faces: &[[u32; 3]], most: u32) -> Vec<Hull> {
    let parameters = VHACDParameters {
        max_convex_hulls: most,
        // The approximation would panic at parts that are flat.
        convex_hull_approximation: false,
        ..VHACDParameters::default()
    };
    let parts = VHACD::decompose(&parameters, points, faces, true);
    let parts = parts.compute_exact_convex_hulls(points, faces).into_iter();
    parts
        .map(|(vertices, faces)| Hull {
            vertices: vertices.iter().map(Vec3::to_array).collect(),
            faces,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bowl without a lid: outer cube of 0.2 m, walls of 0.02 m.
    fn bowl() -> Triangles {
        let text = include_str!("bowl.obj");
        morse_geometry::mesh::parse_obj(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_bowl_is_hollow_and_has_nearly_the_volume_of_its_walls() {
        let solid = from_mesh(&bowl(), 1.0, 32).unwrap();
        let walls = 0.2_f64.powi(3) - 0.16 * 0.16 * 0.18;
        let volume = f64::from(solid.shape.mass_properties(1.0).mass());
        assert!(
            volume > 0.9 * walls && volume < 1.35 * walls,
            "{volume} {walls}"
        );
        let parts = solid.shape.as_compound().unwrap().shapes().len();
        assert!((2..=32).contains(&parts), "{parts}");
        let is_inside = |z: f32| {
            let point = Vec3::new(0.0, 0.0, z);
            solid.shape.contains_local_point(point)
        };
        assert!(is_inside(0.01) && !is_inside(0.1) && !is_inside(0.19));
    }

    #[test]
    fn divisions_are_the_same_bits() {
        let bowl = bowl();
        let points = scaled(&bowl, 1.0);
        let one = divided(&points, &bowl.faces, 16);
        assert_eq!(one, divided(&points, &bowl.faces, 16));
        assert!(one.len() > 1);
    }

    #[test]
    fn meshes_without_a_hollow_stay_whole() {
        let mut corner = bowl();
        corner.vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        corner.faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let solid = from_mesh(&corner, 1.0, 1).unwrap();
        let volume = solid.shape.mass_properties(1.0).mass();
        assert!((volume - 1.0 / 6.0).abs() < 1e-5, "{volume}");
        corner.vertices[3] = [1.0, 1.0, 0.0];
        assert!(matches!(from_mesh(&corner, 1.0, 8), Err(MeshError::Flat)));
    }
}
