//! Conversion of the scene's shapes to the engine's.
//!
//! The scene's cylinders, cones and capsules run along z from z = 0; the engine's run along y and are
//! centred. `scale` scales a shape about the origin of its frame.
mod bounded;
mod parts;
mod round;

use std::{
    collections::BTreeMap,
    f64::consts::{FRAC_PI_2, TAU},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use bevy::math::Vec3;
use bevy_rapier3d::parry::{
    shape::{ConvexPolyhedron, SharedShape, TriMeshFlags},
    transformation::try_convex_hull,
};
use morse_geometry::{
    archive::{self, Hull},
    mesh::{self, MeshError, Triangles},
};
use morse_scene::{
    assembly::rotation_about,
    model::{Geometry, MeshFile, Shape},
};
use nalgebra::{Isometry3, UnitVector3, Vector3};

use super::{convert, hull_cache, mass::Mass};

/// Number of sides of the polygons that replace the circles of a truncated cone.
const SIDES: u32 = 32;

/// A shape of the engine, with its pose on its frame.
#[derive(Clone)]
pub struct Solid {
    pub(super) shape: SharedShape,
    /// Pose of the engine's shape in the frame of the geometry.
    pub(super) frame_from_shape: Isometry3<f64>,
    /// Mass at the density 1 kg/m³, computed when it is first needed. Clones share it: that of a hull of a thousand corners
    /// takes as long as everything else that is done for a body.
    unit_mass: Arc<OnceLock<Mass>>,
}

/// Reason why a mesh of the scene cannot be made a solid.
#[derive(Clone, Debug, thiserror::Error)]
#[error("mesh `{mesh}` ({}): {cause}", .file.display())]
pub struct ShapeError {
    /// Name of the mesh in the scene.
    pub mesh: String,
    /// File of the mesh.
    pub file: PathBuf,
    /// Cause.
    pub cause: MeshError,
}

/// Returns the solid of a geometry; `None` for a grid, or a shape without extent. A mesh that `moves` becomes its convex
/// hull, or its convex parts; a static mesh keeps its triangles.
///
/// # Errors
///
/// A mesh cannot be read: the reason, in one line.
pub fn solid(
    geometry: &Geometry,
    moves: bool,
    meshes: &mut Meshes,
) -> Result<Option<Solid>, ShapeError> {
    let scale = geometry.scale;
    let size = |length: f64| (length * scale).abs();
    let solid = match &geometry.shape {
        Shape::Grid { .. } => None,
        Shape::Box { dimension } => {
            let [x, y, z] = dimension.map(|side| size(side) / 2.0);
            (x.min(y).min(z) > 0.0)
                .then(|| centred(SharedShape::cuboid(x as f32, y as f32, z as f32)))
        }
        Shape::Sphere { radius } => {
            let radius = size(*radius);
            (radius > 0.0).then(|| centred(SharedShape::ball(radius as f32)))
        }
        Shape::Cylinder { radius, height } => cylinder(size(*radius), height * scale),
        Shape::Cone {
            start_radius,
            end_radius,
            height,
        } => cone(size(*start_radius), size(*end_radius), height * scale),
        Shape::Capsule { radius, height } => capsule(size(*radius), height * scale),
        Shape::Mesh(mesh) => {
            let form = match (moves, geometry.convex_parts) {
                (false, _) => Form::Triangles,
                (true, None) => Form::Hull,
                (true, Some(most)) => Form::Parts(most as u32),
            };
            Some(meshes.solid(mesh, scale, form)?)
        }
    };
    Ok(solid)
}

/// Solids of meshes. Geometries with the same mesh share its solid.
#[derive(Default)]
pub struct Meshes(BTreeMap<(PathBuf, u64, Form), Result<Solid, MeshError>>);

/// Solid that a mesh becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// Its triangles, without an inside.
    Triangles,
    /// Its convex hull.
    Hull,
    /// At most this number of convex parts.
    Parts(u32),
}

impl Meshes {
    fn solid(&mut self, mesh: &MeshFile, scale: f64, form: Form) -> Result<Solid, ShapeError> {
        let MeshFile { file, resolved } = mesh;
        let key = (resolved.clone(), scale.to_bits(), form);
        let read = || from_file(resolved, scale, form);
        let solid = self.0.entry(key).or_insert_with(read).clone();
        solid.map_err(|cause| ShapeError {
            mesh: file.clone(),
            file: resolved.clone(),
            cause,
        })
    }
}

impl Solid {
    /// Returns mass, centre of mass and inertia at a density (kg/m³), in the frame of the geometry.
    pub(super) fn mass(&self, density: f64) -> Mass {
        let unit = self.unit_mass.get_or_init(|| unit_mass(&self.shape));
        Mass {
            mass: unit.mass * density,
            center: unit.center,
            inertia: unit.inertia * density,
        }
        .moved(&self.frame_from_shape)
    }
}

/// Returns the mass of a shape at the density 1 kg/m³.
fn unit_mass(shape: &SharedShape) -> Mass {
    let unit = shape.mass_properties(1.0);
    let about_center = unit.reconstruct_inertia_matrix();
    let column = |column_index: usize| convert::vector(about_center.col(column_index));
    Mass {
        mass: f64::from(unit.mass()),
        center: convert::vector(unit.local_com),
        inertia: nalgebra::Matrix3::from_columns(&[column(0), column(1), column(2)]),
    }
}

fn placed(shape: SharedShape, frame_from_shape: Isometry3<f64>) -> Solid {
    Solid {
        shape,
        frame_from_shape,
        unit_mass: Arc::default(),
    }
}

fn centred(shape: SharedShape) -> Solid {
    placed(shape, Isometry3::identity())
}

fn cylinder(radius: f64, height: f64) -> Option<Solid> {
    (radius > 0.0 && height != 0.0).then(|| {
        let shape = round::cylinder((height.abs() / 2.0) as f32, radius as f32);
        placed(shape, along_z(height / 2.0, 1.0))
    })
}

fn cone(start: f64, end: f64, height: f64) -> Option<Solid> {
    if height == 0.0 || start.max(end) <= 0.0 {
        return None;
    }
    if (start - end).abs() <= f64::EPSILON * start {
        return cylinder(start, height);
    }
    if start > 0.0 && end > 0.0 {
        return SharedShape::convex_hull(&frustum(start, end, height)).map(centred);
    }
    // The engine's cone has its apex at +y.
    let towards_end = if end > 0.0 { -1.0 } else { 1.0 };
    let shape = round::cone((height.abs() / 2.0) as f32, start.max(end) as f32);
    let pose = along_z(height / 2.0, towards_end * height.signum());
    Some(placed(shape, pose))
}

fn capsule(radius: f64, height: f64) -> Option<Solid> {
    (radius > 0.0).then(|| {
        let far = Vec3::new(0.0, 0.0, height as f32);
        centred(SharedShape::capsule(Vec3::ZERO, far, radius as f32))
    })
}

/// Rotates the engine's y axis to ±z and translates along z.
fn along_z(shift: f64, sign: f64) -> Isometry3<f64> {
    let x = UnitVector3::new_unchecked(Vector3::x());
    let rotation = rotation_about(&x, FRAC_PI_2 * sign);
    Isometry3::from_parts(Vector3::new(0.0, 0.0, shift).into(), rotation)
}

fn frustum(start: f64, end: f64, height: f64) -> Vec<Vec3> {
    let mut points = Vec::new();
    for side in 0..SIDES {
        let (sin, cos) = libm::sincos(TAU * f64::from(side) / f64::from(SIDES));
        for (radius, z) in [(start, 0.0), (end, height)] {
            points.push(Vec3::new(
                (radius * cos) as f32,
                (radius * sin) as f32,
                z as f32,
            ));
        }
    }
    points
}

/// Returns the convex hull of a mesh at a scale; `None` if it has no volume.
#[must_use]
pub fn hull(triangles: &Triangles, scale: f64) -> Option<Hull> {
    let points = scaled(triangles, scale);
    let mut hulls = hull_cache::cached(&points, &[], || {
        let (vertices, faces) = try_convex_hull(&points).ok()?;
        let vertices = vertices.iter().map(Vec3::to_array).collect();
        Some(vec![Hull { vertices, faces }])
    })?;
    hulls.pop()
}

fn scaled(triangles: &Triangles, scale: f64) -> Vec<Vec3> {
    let scaled = |[x, y, z]: &[f32; 3]| Vec3::new(*x, *y, *z) * scale as f32;
    triangles.vertices.iter().map(scaled).collect()
}

/// Returns a solid convex hull.
fn from_hull(hull: Hull) -> Result<Solid, MeshError> {
    let vertices = hull.vertices.into_iter().map(Vec3::from_array).collect();
    ConvexPolyhedron::from_convex_mesh(vertices, &hull.faces)
        .map(bounded::hull)
        .filter(|hull| hull.mass_properties(1.0).mass() > 0.0)
        .map(centred)
        .ok_or(MeshError::Flat)
}

/// Reads a mesh and returns its solid.
fn from_file(path: &Path, scale: f64, form: Form) -> Result<Solid, MeshError> {
    match form {
        Form::Triangles => return from_mesh(&mesh::read(path)?, scale),
        Form::Parts(most) => return parts::from_mesh(&mesh::read(path)?, scale, most),
        Form::Hull => {}
    }
    // A compiled scene contains the hulls of its meshes.
    match archive::hull(path, scale) {
        Some(hull) => from_hull(hull),
        None => from_hull(hull(&mesh::read(path)?, scale).ok_or(MeshError::Flat)?),
    }
}

/// Returns the triangles of a mesh as a solid that does not move.
fn from_mesh(triangles: &Triangles, scale: f64) -> Result<Solid, MeshError> {
    let points = scaled(triangles, scale);
    // Without merged vertices, a body that slides over the mesh is stopped by edges inside a face.
    let flags = TriMeshFlags::FIX_INTERNAL_EDGES;
    SharedShape::trimesh_with_flags(points, triangles.faces.clone(), flags)
        .map(centred)
        .map_err(|error| MeshError::Broken(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometries_of_one_mesh_share_its_mass() {
        let folder = tempfile::tempdir().expect("a directory");
        let file = folder.path().join("corner.obj");
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        std::fs::write(&file, text).expect("a file");
        let mesh = MeshFile {
            file: "corner.obj".to_owned(),
            resolved: file,
        };
        let mut meshes = Meshes::default();
        let mut solid = |scale| meshes.solid(&mesh, scale, Form::Hull).expect("a hull");
        let (one, other, large) = (solid(1.0), solid(1.0), solid(2.0));
        // A corner of a cube: a sixth of its volume, with its centre at a quarter of each side.
        let mass = one.mass(6.0);
        assert!((mass.mass - 1.0).abs() < 1e-6, "{mass:?}");
        assert!(
            (mass.center - Vector3::repeat(0.25)).amax() < 1e-6,
            "{mass:?}"
        );
        assert!(
            other.unit_mass.get().is_some(),
            "computed for the first one"
        );
        assert!((other.mass(12.0).mass - 2.0).abs() < 1e-6);
        assert!((large.mass(6.0).mass - 8.0).abs() < 1e-5, "another scale");
    }
}
