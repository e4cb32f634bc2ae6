//! Random trees compared with Pinocchio: `tests/data/mechanisms/trees.py` writes the reference values.
use nalgebra::{
    Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, UnitVector3, Vector3,
};
use serde::Deserialize;

use crate::{Axis, Base, Inertia, Joint, Link, Motion, State, Tree, Workspace};

const TREES: &str = include_str!("../../../tests/data/mechanisms/trees.json");

/// Maximum deviation, relative to the greatest number of a quantity.
const TOLERANCE: f64 = 1e-9;

#[derive(Deserialize)]
struct Reference {
    links: Vec<ReferenceLink>,
    positions: Vec<f64>,
    velocities: Vec<f64>,
    accelerations: Vec<f64>,
    efforts: Vec<f64>,
    mass_matrix: Vec<f64>,
    bias: Vec<f64>,
    inverse: Vec<f64>,
    forward: Vec<f64>,
    center: Vec<f64>,
    energy: [f64; 2],
    jacobian: Vec<[f64; 6]>,
}

#[derive(Deserialize)]
struct ReferenceLink {
    parent: Option<usize>,
    kind: String,
    axis: [f64; 3],
    position: [f64; 3],
    quaternion: [f64; 4],
    mass: f64,
    center: [f64; 3],
    inertia: Vec<f64>,
}

impl ReferenceLink {
    fn link(&self, index: usize) -> Link {
        let axis = Axis::new(UnitVector3::new_normalize(self.axis.into()), index);
        let turned = UnitQuaternion::from_quaternion(Quaternion::from(self.quaternion));
        Link {
            parent: self.parent,
            parent_from_joint: Isometry3::from_parts(Translation3::from(self.position), turned),
            joint: match self.kind.as_str() {
                "revolute" => Joint::Revolute(axis),
                "prismatic" => Joint::Prismatic(axis),
                "ball" => Joint::Ball,
                "planar" => Joint::Planar,
                "floating" => Joint::Floating,
                other => panic!("no joint is {other}"),
            },
            inertia: Inertia::new(
                self.mass,
                self.center.into(),
                Matrix3::from_row_slice(&self.inertia),
            ),
        }
    }
}

fn assert_close(what: &str, actual: &[f64], wanted: &[f64]) {
    assert_eq!(actual.len(), wanted.len(), "{what}");
    let scale = wanted
        .iter()
        .fold(1e-3, |most: f64, number| most.max(number.abs()));
    for (index, (actual, wanted)) in actual.iter().zip(wanted).enumerate() {
        let off = (actual - wanted).abs() / scale;
        assert!(
            off < TOLERANCE,
            "{what}, number {index}: {actual}, not {wanted}"
        );
    }
}

#[test]
fn random_trees_move_as_pinocchio_says() {
    let references: Vec<Reference> = serde_json::from_str(TREES).unwrap();
    assert_eq!(references.last().unwrap().links.len(), 30);
    for reference in references {
        compare(&reference);
    }
}

/// Returns random trees with all kinds of joints, with a state of each.
pub(crate) fn trees() -> impl Iterator<Item = (Tree, State)> {
    let references: Vec<Reference> = serde_json::from_str(TREES).unwrap();
    references.into_iter().map(|reference| reference.tree())
}

impl Reference {
    fn tree(&self) -> (Tree, State) {
        let links = self.links.iter().enumerate();
        let links: Vec<Link> = links.map(|(index, link)| link.link(index)).collect();
        let state = State {
            positions: self.positions.clone(),
            velocities: self.velocities.clone(),
        };
        (Tree::new(&links).unwrap(), state)
    }
}

fn compare(reference: &Reference) {
    let (tree, state) = reference.tree();
    let base = Base::at_rest(Vector3::new(0.0, 0.0, -9.81));
    let mut workspace = Workspace::new(&tree);
    workspace.forward_kinematics(&tree, &base, &state);
    let mut actual = vec![0.0; tree.velocity_count()];
    workspace.bias(&tree, &base, &[], &mut actual);
    assert_close("bias", &actual, &reference.bias);
    let accelerations = Some(reference.accelerations.as_slice());
    workspace.inverse_dynamics(&tree, &base, accelerations, &[], &mut actual);
    assert_close("inverse dynamics", &actual, &reference.inverse);
    workspace.mass_matrix(&tree);
    assert_close(
        "mass matrix",
        &workspace.matrix.lower,
        &reference.mass_matrix,
    );
    workspace.forward_dynamics(&tree, &base, &state, &reference.efforts, &[], &mut actual);
    assert_close("forward dynamics", &actual, &reference.forward);
    let (_, center) = workspace.center_of_mass(&tree);
    assert_close("centre of mass", center.as_slice(), &reference.center);
    assert_close("energy", &workspace.energy(&tree, &base), &reference.energy);
    let mut columns = vec![Motion::ZERO; tree.velocity_count()];
    workspace.jacobian(
        &tree,
        tree.link_count() - 1,
        &Vector3::zeros(),
        &mut columns,
    );
    for (column, wanted) in columns.iter().zip(&reference.jacobian) {
        assert_close("Jacobian", column.linear.as_slice(), &wanted[..3]);
        assert_close("Jacobian", column.angular.as_slice(), &wanted[3..]);
    }
}
