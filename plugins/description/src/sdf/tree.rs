//! Tree of links: each link has one joint to its parent; other joints close loops.

use morse_diagnostics::Diagnostic;

use super::{
    codes,
    document::{Body, Document, WORLD},
    fields::{VALUES, Written},
    joint::Kind,
};
use crate::problems::Problems;

/// Tree of the links of a description.
#[derive(Debug)]
pub(super) struct Tree {
    /// Joint and parent of each link; `None` for a root.
    pub(super) parents: Vec<Option<(usize, Body)>>,
    /// Links whose parent is this link, in the order of the joints.
    pub(super) children: Vec<Vec<usize>>,
    /// Joints that close loops, with the bodies that they connect.
    pub(super) closures: Vec<(usize, [Body; 2])>,
    /// First link of the links that fixed joints connect, for each link.
    pub(super) groups: Vec<usize>,
    /// Root of the tree of each link.
    roots: Vec<usize>,
}

impl Tree {
    /// Connects the links by the joints, in the order of the file. Joints between links of static models have no effect.
    pub(super) fn read(document: &Document<'_>, problems: &mut Problems) -> Self {
        let count = document.links.len();
        let mut tree = Self {
            parents: vec![None; count],
            children: vec![Vec::new(); count],
            closures: Vec::new(),
            groups: (0..count).collect(),
            roots: (0..count).collect(),
        };
        // Union-find: a link near the root of the tree of each link.
        let mut above: Vec<usize> = (0..count).collect();
        for (index, joint) in document.joints.iter().enumerate() {
            let ends =
                [&joint.parent, &joint.child].map(|name| end(document, joint.node, name, problems));
            let [Some(parent), Some(child)] = ends else {
                continue;
            };
            let (parent, link) = match (parent, child) {
                (parent, Body::Link(link)) if parent != child => (parent, link),
                (parent, child) if parent == child => {
                    problems.push(joint.connects_itself());
                    continue;
                }
                _ => {
                    let diagnostic =
                        Diagnostic::error(codes::JOINT, "the child of a joint is the world")
                            .at(joint.child.span, "it cannot move")
                            .help("swap `<parent>` and `<child>`");
                    problems.push(diagnostic);
                    continue;
                }
            };
            if is_static(document, link) {
                continue;
            }
            let is_own = match parent {
                Body::World => true,
                Body::Link(parent) => root(&mut above, parent) != link,
            };
            let is_coupling = joint.kind == Kind::Gearbox;
            let has_parent = tree.parents.get(link).is_none_or(Option::is_some);
            if has_parent || !is_own || is_coupling {
                tree.closures.push((index, [parent, Body::Link(link)]));
                continue;
            }
            if let Some(own) = tree.parents.get_mut(link) {
                *own = Some((index, parent));
            }
            if let Body::Link(parent) = parent {
                let over = root(&mut above, parent);
                if let Some(own) = above.get_mut(link) {
                    *own = over;
                }
                if let Some(children) = tree.children.get_mut(parent) {
                    children.push(link);
                }
            }
        }
        tree.group(document);
        tree
    }

    /// Sets the roots, and the groups of links that fixed joints connect.
    fn group(&mut self, document: &Document<'_>) {
        let order: Vec<usize> = (0..self.parents.len())
            .filter(|link| !matches!(self.parents.get(*link), Some(Some((_, Body::Link(_))))))
            .collect();
        let mut open = order;
        while let Some(link) = open.pop() {
            let own = self.parents.get(link).copied().flatten();
            if let Some((joint, Body::Link(parent))) = own {
                let joint = document.joints.get(joint);
                let is_fixed = joint.is_some_and(|joint| joint.kind == Kind::Fixed);
                let group = self.groups.get(parent).copied().filter(|_| is_fixed);
                let root = self.roots.get(parent).copied();
                if let (Some(group), Some(slot)) = (group, self.groups.get_mut(link)) {
                    *slot = group;
                }
                if let (Some(root), Some(slot)) = (root, self.roots.get_mut(link)) {
                    *slot = root;
                }
            }
            open.extend(self.children.get(link).into_iter().flatten().copied());
        }
    }

    /// Returns the root of the tree of a link.
    pub(super) fn root(&self, link: usize) -> usize {
        self.roots.get(link).copied().unwrap_or(link)
    }
}

/// Returns true if a link is part of a static model.
pub(super) fn is_static(document: &Document<'_>, link: usize) -> bool {
    let model = document.links.get(link).map(|link| link.model);
    let model = model.and_then(|model| document.models.get(model));
    model.is_some_and(|model| model.is_static)
}

/// Returns the body that a joint names.
fn end(
    document: &Document<'_>,
    joint: usize,
    written: &Written,
    problems: &mut Problems,
) -> Option<Body> {
    if written.text == "world" {
        return Some(Body::World);
    }
    match document.find(joint, &written.text) {
        Some(WORLD) => Some(Body::World),
        Some(node) => Some(document.body(node)),
        None => {
            let names = document.names(joint);
            let text = (written.text.as_str(), written.span);
            // The child was searched for with the poses.
            let is_child = document
                .nodes
                .get(joint)
                .and_then(|node| node.attached_to.as_ref());
            if is_child.is_none_or(|child| child.span != written.span) {
                problems.push(VALUES.unknown("link", text, names));
            }
            None
        }
    }
}

/// Returns the root of a link in the union-find, and shortens the paths to it.
fn root(above: &mut [usize], link: usize) -> usize {
    let mut index = link;
    loop {
        let next = above.get(index).copied().unwrap_or(index);
        if next == index {
            return index;
        }
        let over = above.get(next).copied().unwrap_or(next);
        if let Some(own) = above.get_mut(index) {
            *own = over;
        }
        index = over;
    }
}
