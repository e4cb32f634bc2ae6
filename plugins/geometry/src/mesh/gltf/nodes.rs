//! Node tree of a glTF file, which places its meshes.
use ::gltf::json::{Root, mesh::Primitive, scene::Node};
use nalgebra::{Matrix3, Matrix4, Quaternion, UnitQuaternion, Vector3, Vector4};

use super::{super::MeshError, file::broken};

/// Maximum number of pieces in a scene.
const MOST_PIECES: usize = 1 << 20;

/// A primitive with the transform of a node.
pub(super) struct Piece<'a> {
    pub(super) primitive: &'a Primitive,
    /// True if joints would deform it.
    pub(super) has_skin: bool,
    /// True if it is mirrored.
    pub(super) is_mirrored: bool,
    scene_from_mesh: Matrix4<f64>,
    /// Transform of normals, up to a factor.
    turn: Matrix3<f64>,
}

/// Returns all primitives of the default scene, or of the first one.
///
/// # Errors
///
/// The nodes are no tree, or there are too many.
pub(super) fn pieces(root: &Root) -> Result<Vec<Piece<'_>>, MeshError> {
    let chosen = root.scene.map_or(0, |scene| scene.value());
    let Some(scene) = root.scenes.get(chosen) else {
        return Err(MeshError::Unsupported(
            "it has no scene that says where its meshes are: export it with one".to_owned(),
        ));
    };
    let mut pieces = Vec::new();
    let mut is_known = vec![false; root.nodes.len()];
    let mut ahead: Vec<(usize, Matrix4<f64>)> = Vec::new();
    let begin = scene.nodes.iter().rev();
    ahead.extend(begin.map(|node| (node.value(), Matrix4::identity())));
    while let Some((index, scene_from_parent)) = ahead.pop() {
        let (Some(node), Some(is_known)) = (root.nodes.get(index), is_known.get_mut(index)) else {
            return Err(broken(&format!("there is no node {index}")));
        };
        if std::mem::replace(is_known, true) {
            return Err(broken(&format!(
                "its nodes are no tree: node {index} is met twice"
            )));
        }
        let scene_from_node = scene_from_parent * transform(node, index)?;
        let children = node.children.iter().flatten().rev();
        ahead.extend(children.map(|child| (child.value(), scene_from_node)));
        let mesh = node.mesh.and_then(|mesh| root.get(mesh));
        for primitive in mesh.iter().flat_map(|mesh| &mesh.primitives) {
            if pieces.len() == MOST_PIECES {
                return Err(MeshError::TooLarge(format!(
                    "it has more than {MOST_PIECES} pieces: join them, and export it again"
                )));
            }
            pieces.push(Piece::new(primitive, node.skin.is_some(), scene_from_node));
        }
    }
    Ok(pieces)
}

/// Returns the transform of a node relative to its parent.
fn transform(node: &Node, index: usize) -> Result<Matrix4<f64>, MeshError> {
    if let Some(matrix) = node.matrix {
        return Ok(Matrix4::from_column_slice(&matrix.map(f64::from)));
    }
    let mut transform = Matrix4::identity();
    if let Some(scale) = node.scale {
        transform = Matrix4::new_nonuniform_scaling(&Vector3::from(scale.map(f64::from)));
    }
    if let Some(rotation) = &node.rotation {
        let [x, y, z, w] = rotation.0.map(f64::from);
        let turn = UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 1e-6)
            .ok_or_else(|| broken(&format!("the rotation of node {index} is none")))?;
        transform = turn.to_homogeneous() * transform;
    }
    if let Some(translation) = node.translation {
        let translation = Vector3::from(translation.map(f64::from));
        transform = Matrix4::new_translation(&translation) * transform;
    }
    Ok(transform)
}

impl<'a> Piece<'a> {
    fn new(primitive: &'a Primitive, has_skin: bool, scene_from_mesh: Matrix4<f64>) -> Self {
        let linear = scene_from_mesh.fixed_view::<3, 3>(0, 0).into_owned();
        // The cofactor matrix: the transposed inverse up to a factor, defined for flat scales, too.
        let [x, y, z] = [0, 1, 2].map(|axis| linear.column(axis).into_owned());
        let cofactors = Matrix3::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)]);
        let is_mirrored = linear.determinant() < 0.0;
        let front = if is_mirrored { -1.0 } else { 1.0 };
        Self {
            primitive,
            has_skin,
            is_mirrored,
            scene_from_mesh,
            turn: cofactors * front,
        }
    }

    /// Transforms a vertex to the scene.
    pub(super) fn point(&self, point: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = point.map(f64::from);
        let point = self.scene_from_mesh * Vector4::new(x, y, z, 1.0);
        [point.x as f32, point.y as f32, point.z as f32]
    }

    /// Transforms a normal to the scene, normalised.
    pub(super) fn direction(&self, normal: [f32; 3]) -> [f32; 3] {
        let turned = self.turn * Vector3::from(normal.map(f64::from));
        let length = turned.norm();
        if length == 0.0 {
            return [0.0; 3];
        }
        let unit = turned / length;
        [unit.x as f32, unit.y as f32, unit.z as f32]
    }
}
