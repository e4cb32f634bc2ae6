//! Mechanisms: the trees of joints of a scene, as their dynamics are calculated.
use std::collections::BTreeMap;

use bevy::prelude::*;
use morse_api::{body::BodyKind, warning::Warnings};
use morse_mechanisms::{Axis, Inertia, Joint, Link, Tree, TreeError, Variable};
use morse_scene::assembly::{Attachment, BodyLayout, Layout};
use nalgebra::{Isometry3, Vector3};

use super::{mass::Mass, prepare::Prepared};

/// All mechanisms of a world, in the order of the paths of their bases.
#[derive(Resource, Clone, Debug, Default)]
pub struct Mechanisms(pub Vec<Mechanism>);

/// A base, and the joints that hang on it.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// Body that everything hangs on.
    pub base: Entity,
    /// True if forces move the base: then it is the tree's first link.
    pub floats: bool,
    /// Bodies of the links, in the tree's order.
    pub links: Vec<Entity>,
    /// Variables, in the order of [`Tree::variables`].
    pub variables: Vec<Entity>,
    /// Viscous damping of the joints of each variable together, N·m·s/rad or N·s/m.
    pub damping: Vec<f64>,
    /// Links and joints.
    pub tree: Tree,
}

impl Mechanisms {
    /// Finds the mechanisms of a layout, given the entities of its bodies and variables. What cannot be calculated is left
    /// out, and `warnings` say so.
    pub(crate) fn of(
        layout: &Layout,
        prepared: &Prepared,
        (bodies, variables): (&[Entity], &[Entity]),
        warnings: &mut Warnings,
    ) -> Self {
        let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, body) in layout.bodies.iter().enumerate() {
            if let Some(attachment) = &body.attachment {
                children.entry(attachment.parent).or_default().push(place);
            }
        }
        let masses: Vec<&Mass> = prepared.masses().collect();
        let parts = Parts {
            layout,
            masses: &masses,
            bodies,
            variables,
            children: &children,
        };
        let all = layout.bodies.iter().enumerate();
        let bases = all.filter(|(_, body)| body.attachment.is_none());
        let found = bases.filter_map(|(base, body)| match parts.mechanism(base) {
            Ok(mechanism) => mechanism,
            Err(error) => {
                let head = layout.frames.get(body.head);
                let name = head.map_or("", |frame| frame.name.as_str());
                warnings.say(format!("the joints on `{name}` have no dynamics: {error}"));
                None
            }
        });
        Self(found.collect())
    }

    /// The mechanism that a body belongs to, and the body's place among the links; none for a base that does not float.
    #[must_use]
    pub fn of_body(&self, body: Entity) -> Option<(&Mechanism, Option<usize>)> {
        self.0.iter().find_map(|mechanism| {
            let link = mechanism.links.iter().position(|link| *link == body);
            (link.is_some() || mechanism.base == body).then_some((mechanism, link))
        })
    }
}

struct Parts<'a> {
    layout: &'a Layout,
    masses: &'a [&'a Mass],
    bodies: &'a [Entity],
    variables: &'a [Entity],
    children: &'a BTreeMap<usize, Vec<usize>>,
}

impl Parts<'_> {
    /// The mechanism on a base; none where nothing hangs on it.
    fn mechanism(&self, base: usize) -> Result<Option<Mechanism>, TreeError> {
        let hangs = self.children.contains_key(&base);
        let Some(body) = self.body(base).filter(|_| hangs) else {
            return Ok(None);
        };
        let floats = body.kind == BodyKind::Dynamic;
        let (mut links, mut places) = (Vec::new(), Vec::new());
        if floats {
            links.push(Link {
                parent: None,
                parent_from_joint: Isometry3::identity(),
                joint: Joint::Floating,
                inertia: self.inertia(base),
            });
            places.push(base);
        }
        self.hang(base, floats.then_some(0), &mut links, &mut places);
        let tree = Tree::new(&links)?;
        let of = |entities: &[Entity], place: usize| entities.get(place).copied();
        let body = |place: &usize| of(self.bodies, *place);
        let variable = |known: &Variable| of(self.variables, known.number);
        let damping = |known: &Variable| {
            let joints = self.layout.variables.get(known.number);
            let bodies = joints.into_iter().flat_map(|joints| &joints.bodies);
            let own = bodies.filter_map(|place| self.body(*place)?.attachment.as_ref());
            own.map(|joint| joint.damping).sum()
        };
        Ok(body(&base).map(|base| Mechanism {
            base,
            floats,
            links: places.iter().filter_map(body).collect(),
            variables: tree.variables().iter().filter_map(variable).collect(),
            damping: tree.variables().iter().map(damping).collect(),
            tree,
        }))
    }

    /// Adds all that hangs on a body, depth first; `parent` is its place among the links.
    fn hang(
        &self,
        body: usize,
        parent: Option<usize>,
        links: &mut Vec<Link>,
        places: &mut Vec<usize>,
    ) {
        // A chain may be long: no recursion.
        let mut open: Vec<(usize, Option<usize>)> = self.on(body, parent);
        while let Some((place, parent)) = open.pop() {
            let Some(attachment) = self.body(place).and_then(|body| body.attachment.as_ref())
            else {
                continue;
            };
            links.push(Link {
                parent,
                parent_from_joint: attachment.parent_from_joint,
                joint: joint(attachment),
                inertia: self.inertia(place),
            });
            places.push(place);
            open.extend(self.on(place, Some(links.len() - 1)));
        }
    }

    /// All that hangs on a body by one joint, the first last.
    fn on(&self, body: usize, parent: Option<usize>) -> Vec<(usize, Option<usize>)> {
        let children = self.children.get(&body).into_iter().flatten().rev();
        children.map(|child| (*child, parent)).collect()
    }

    fn body(&self, place: usize) -> Option<&BodyLayout> {
        self.layout.bodies.get(place)
    }

    fn inertia(&self, place: usize) -> Inertia {
        self.masses.get(place).map_or_else(
            || Inertia::point(0.0, Vector3::zeros()),
            |mass| Inertia::new(mass.mass, mass.center, mass.inertia),
        )
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
