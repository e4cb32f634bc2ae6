//! Mechanisms: the trees of joints of a scene, as their dynamics are calculated.
use std::collections::BTreeMap;

use bevy::prelude::*;
use morse_api::{
    body::BodyKind,
    mechanism::{Drive, Mechanism, Mechanisms},
    warning::Warnings,
};
use morse_mechanisms::{
    Axis, Inertia, Joint, Link, Tree, TreeError, Variable, step::JointDynamics,
};
use morse_scene::assembly::{Attachment, BodyLayout, JointMode, Layout};
use nalgebra::{Isometry3, Matrix3, Vector3};

use super::{mass::Mass, prepare::Prepared};

/// Returns the mechanisms of a layout, given the entities of its bodies and variables. Invalid mechanisms are omitted, with
/// a warning.
pub(crate) fn mechanisms(
    layout: &Layout,
    prepared: &Prepared,
    (bodies, variables): (&[Entity], &[Entity]),
    warnings: &mut Warnings,
) -> Mechanisms {
    let builder = TreeBuilder::new(layout, prepared, |_| true);
    let groups = builder.groups(warnings).into_iter();
    let named = groups.filter_map(|group| group.named(layout, bodies, variables));
    Mechanisms(named.collect())
}

/// A base and its tree of joints, by indices in the layout.
pub(super) struct Group {
    pub base: usize,
    /// True if forces move the base: it is then the first link of the tree.
    pub floats: bool,
    /// Bodies, in the tree's order.
    pub links: Vec<usize>,
    /// Joint dynamics of each variable.
    pub joint_dynamics: Vec<JointDynamics>,
    pub tree: Tree,
}

impl Group {
    fn named(self, layout: &Layout, bodies: &[Entity], variables: &[Entity]) -> Option<Mechanism> {
        let body = |index: &usize| bodies.get(*index).copied();
        let drive = |known: &Variable| {
            let settings = layout
                .variables
                .get(known.number)
                .map(|known| known.settings);
            let settings = settings.unwrap_or_default();
            match settings.mode {
                JointMode::Kinematic => Drive::Posed,
                JointMode::Dynamic => Drive::Motor {
                    compensates: settings.gravity_compensation,
                },
            }
        };
        let variable = |known: &Variable| variables.get(known.number).copied();
        Some(Mechanism {
            base: body(&self.base)?,
            floats: self.floats,
            links: self.links.iter().filter_map(body).collect(),
            variables: self.tree.variables().iter().filter_map(variable).collect(),
            joint_dynamics: self.joint_dynamics,
            drives: self.tree.variables().iter().map(drive).collect(),
            tree: self.tree,
        })
    }
}

/// Builder of trees from a layout.
pub(super) struct TreeBuilder<'a> {
    layout: &'a Layout,
    masses: Vec<&'a Mass>,
    /// Children of each body.
    children: BTreeMap<usize, Vec<usize>>,
    /// Bodies without a parent.
    bases: Vec<usize>,
    /// True to replace an invalid inertia by that of a sphere.
    mends: bool,
}

impl<'a> TreeBuilder<'a> {
    /// Returns the joints for which `counts` is true.
    pub(super) fn new(
        layout: &'a Layout,
        prepared: &'a Prepared,
        counts: impl Fn(&Attachment) -> bool,
    ) -> Self {
        let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut bases = Vec::new();
        for (index, body) in layout.bodies.iter().enumerate() {
            match body.attachment.as_ref().filter(|joint| counts(joint)) {
                Some(joint) => children.entry(joint.parent).or_default().push(index),
                None => bases.push(index),
            }
        }
        Self {
            layout,
            masses: prepared.masses().collect(),
            children,
            bases,
            mends: false,
        }
    }

    /// Replaces invalid inertias, for bodies that move.
    pub(super) fn mended(self) -> Self {
        Self {
            mends: true,
            ..self
        }
    }

    /// Returns all groups, in the order of their bases. Invalid ones are omitted, with a warning.
    pub(super) fn groups(&self, warnings: &mut Warnings) -> Vec<Group> {
        let group = |base: &usize| match self.group(*base) {
            Ok(group) => group,
            Err(error) => {
                let head = self
                    .body(*base)
                    .and_then(|body| self.layout.frames.get(body.head));
                let name = head.map_or("", |frame| frame.name.as_str());
                warnings.say(format!("the joints on `{name}` have no dynamics: {error}"));
                None
            }
        };
        self.bases.iter().filter_map(group).collect()
    }

    /// Returns the group of a base; `None` if it has no joints.
    fn group(&self, base: usize) -> Result<Option<Group>, TreeError> {
        let hangs = self.children.contains_key(&base);
        let Some(body) = self.body(base).filter(|_| hangs) else {
            return Ok(None);
        };
        let floats = body.kind == BodyKind::Dynamic;
        let (mut links, mut bodies) = (Vec::new(), Vec::new());
        if floats {
            links.push(Link {
                parent: None,
                parent_from_joint: Isometry3::identity(),
                joint: Joint::Floating,
                inertia: self.inertia(base),
            });
            bodies.push(base);
        }
        self.hang(base, floats.then_some(0), &mut links, &mut bodies);
        let tree = Tree::new(&links)?;
        let joint_dynamics = tree.variables().iter();
        let joint_dynamics = joint_dynamics.map(|known| self.resistance(known.number));
        Ok(Some(Group {
            base,
            floats,
            links: bodies,
            joint_dynamics: joint_dynamics.collect(),
            tree,
        }))
    }

    /// Adds all descendants of a body, depth first; `parent` is its index among the links.
    fn hang(
        &self,
        body: usize,
        parent: Option<usize>,
        links: &mut Vec<Link>,
        bodies: &mut Vec<usize>,
    ) {
        // Chains may be long: no recursion.
        let mut open: Vec<(usize, Option<usize>)> = self.on(body, parent);
        while let Some((index, parent)) = open.pop() {
            let Some(attachment) = self.body(index).and_then(|body| body.attachment.as_ref())
            else {
                continue;
            };
            links.push(Link {
                parent,
                parent_from_joint: attachment.parent_from_joint,
                joint: joint(attachment),
                inertia: self.inertia(index),
            });
            bodies.push(index);
            open.extend(self.on(index, Some(links.len() - 1)));
        }
    }

    /// Returns all children of a body, the first one last.
    fn on(&self, body: usize, parent: Option<usize>) -> Vec<(usize, Option<usize>)> {
        let children = self.children.get(&body).into_iter().flatten().rev();
        children.map(|child| (*child, parent)).collect()
    }

    fn resistance(&self, variable: usize) -> JointDynamics {
        let [damping, friction, armature] = self.layout.resistance(variable);
        let known = self.layout.variables.get(variable);
        JointDynamics {
            armature,
            damping,
            friction,
            limits: known.map_or_else(|| JointDynamics::default().limits, |known| known.limits),
        }
    }

    fn body(&self, index: usize) -> Option<&BodyLayout> {
        self.layout.bodies.get(index)
    }

    fn inertia(&self, index: usize) -> Inertia {
        let Some(mass) = self.masses.get(index) else {
            return Inertia::point(0.0, Vector3::zeros());
        };
        let mut inertia = mass.inertia;
        let moments = inertia.symmetric_eigenvalues();
        if self.mends && moments.min() < 0.0 {
            inertia = Matrix3::identity() * moments.amax();
        }
        Inertia::new(mass.mass, mass.center, inertia)
    }
}

fn joint(attachment: &Attachment) -> Joint {
    let axis = Axis {
        direction: attachment.axis,
        variable: attachment.variable,
        ratio: attachment.travel,
        offset: attachment.offset * attachment.travel,
    };
    if attachment.is_angle {
        Joint::Revolute(axis)
    } else {
        Joint::Prismatic(axis)
    }
}
