//! Nodes of the scene of a Collada file, which place its geometries.

use std::collections::BTreeMap;

use nalgebra::{Matrix4, Point3, Rotation3, Unit, Vector3};

use super::{Ids, Xml, broken, child, children};
use crate::mesh::MeshError;

/// Maximum depth of nodes.
const DEEPEST: usize = 64;

/// Maximum number of nodes of a file, counting each instance.
const MOST_PLACED: usize = 100_000;

/// A geometry and its transform.
pub(super) struct Placed<'a> {
    pub(super) geometry: Xml<'a>,
    /// Materials by symbol.
    pub(super) materials: BTreeMap<&'a str, &'a str>,
    pub(super) pose: Matrix4<f64>,
}

/// Returns all geometries of the scene, or of the file if it has no scene.
pub(super) fn placed<'a>(root: Xml<'a>, ids: &Ids<'a>) -> Result<Vec<Placed<'a>>, MeshError> {
    let mut geometries = Vec::new();
    let scene = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
    let first = || child(child(root, "library_visual_scenes")?, "visual_scene");
    let scene = scene
        .and_then(|instance| ids.at(instance.attribute("url")))
        .or_else(first);
    let mut pending: Vec<(Xml<'a>, Matrix4<f64>, usize)> = Vec::new();
    pending.extend(scene.map(|scene| (scene, Matrix4::identity(), 0)));
    let mut visited = 0;
    while let Some((node, outer, depth)) = pending.pop() {
        visited += 1;
        if depth > DEEPEST || visited > MOST_PLACED {
            return Err(broken("its nodes are in each other without end"));
        }
        let pose = outer * pose(node);
        for instance in children(node, "instance_geometry") {
            if let Some(geometry) = ids.at(instance.attribute("url")) {
                let materials = materials(instance);
                geometries.push(Placed {
                    geometry,
                    materials,
                    pose,
                });
            }
        }
        let within = children(node, "node");
        let instances = children(node, "instance_node");
        let instances = instances.filter_map(|instance| ids.at(instance.attribute("url")));
        let mut below: Vec<Xml<'a>> = within.chain(instances).collect();
        below.reverse();
        pending.extend(below.into_iter().map(|node| (node, pose, depth + 1)));
    }
    if geometries.is_empty() {
        let library = child(root, "library_geometries");
        let all = library
            .into_iter()
            .flat_map(|all| children(all, "geometry"));
        geometries.extend(all.map(|geometry| Placed {
            geometry,
            materials: BTreeMap::new(),
            pose: Matrix4::identity(),
        }));
    }
    Ok(geometries)
}

/// Returns the materials that an instance binds to the symbols of its geometry.
fn materials<'a>(instance: Xml<'a>) -> BTreeMap<&'a str, &'a str> {
    let bound = instance.descendants();
    let bound = bound.filter(|node| node.tag_name().name() == "instance_material");
    bound
        .filter_map(|node| {
            let target = node.attribute("target")?;
            Some((node.attribute("symbol")?, target.strip_prefix('#')?))
        })
        .collect()
}

/// Returns the transform of a node in its parent: the product of all its transforms, in the order of the file.
fn pose(node: Xml<'_>) -> Matrix4<f64> {
    let mut pose = Matrix4::identity();
    for step in node.children().filter(Xml::is_element) {
        let numbers = super::shapes::numbers(step.text().unwrap_or_default());
        let step = match (step.tag_name().name(), numbers.as_slice()) {
            ("matrix", all) if all.len() == 16 => Matrix4::from_row_slice(all),
            ("translate", [x, y, z]) => Matrix4::new_translation(&Vector3::new(*x, *y, *z)),
            ("scale", [x, y, z]) => Matrix4::new_nonuniform_scaling(&Vector3::new(*x, *y, *z)),
            ("rotate", [x, y, z, degrees]) => {
                let axis = Vector3::new(*x, *y, *z);
                match axis.norm() > 0.0 {
                    true => rotation(&axis, degrees.to_radians()),
                    false => Matrix4::identity(),
                }
            }
            ("lookat", [a, b, c, d, e, f, g, h, i]) => {
                let [eye, target] = [Point3::new(*a, *b, *c), Point3::new(*d, *e, *f)];
                let view = Matrix4::look_at_rh(&eye, &target, &Vector3::new(*g, *h, *i));
                view.try_inverse().unwrap_or_else(Matrix4::identity)
            }
            _ => continue,
        };
        pose *= step;
    }
    pose
}

/// Returns a rotation, with `libm`'s sine and cosine.
fn rotation(axis: &Vector3<f64>, angle: f64) -> Matrix4<f64> {
    let axis = Unit::new_normalize(*axis);
    let (sin, cos) = libm::sincos(angle);
    let cross = axis.cross_matrix();
    let turn = nalgebra::Matrix3::identity() + cross * sin + cross * cross * (1.0 - cos);
    Rotation3::from_matrix_unchecked(turn).to_homogeneous()
}
