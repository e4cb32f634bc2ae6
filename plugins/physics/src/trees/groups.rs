//! Islands of trees and free bodies with contacts, gaps or welds between them, by union–find with path compression.

use morse_mechanisms::island::Gap;

use super::{Trees, collect::ConstraintSet, contact_point::OpenGap};

/// Trees, free bodies, contacts, gaps and welds of an island, by index.
#[derive(Default)]
pub(super) struct Group {
    pub trees: Vec<usize>,
    pub free: Vec<usize>,
    pub contacts: Vec<usize>,
    pub gaps: Vec<usize>,
    pub welds: Vec<usize>,
}

impl Group {
    /// Returns the tree of an island that is a tree without contacts and welds.
    pub(super) fn lone_tree(&self) -> Option<usize> {
        let is_alone = self.free.is_empty() && self.contacts.is_empty() && self.welds.is_empty();
        match self.trees[..] {
            [tree] if is_alone => Some(tree),
            _ => None,
        }
    }

    /// Returns its gaps, with the indices of its free bodies.
    pub(super) fn gaps_of(&self, all: &[OpenGap]) -> impl Iterator<Item = Gap> {
        let own = self.gaps.iter().map(|index| &all[*index]);
        own.filter_map(|gap| {
            let [one, two] = gap.bodies.map(|body| self.free.binary_search(&body).ok());
            Some(Gap {
                bodies: [one?, two?],
                ..gap.gap
            })
        })
    }
}

/// All islands of one step, in the order of their first trees.
#[derive(Default)]
pub(super) struct Groups {
    /// Entries beyond the count are kept as buffers.
    groups: Vec<Group>,
    count: usize,
    /// Parent of each tree and free body in the union–find forest; a root is its own parent.
    above: Vec<usize>,
    /// Island of each of these.
    of_node: Vec<usize>,
}

impl Groups {
    pub(super) fn all(&mut self) -> &mut [Group] {
        &mut self.groups[..self.count]
    }

    /// Resets the forest to this number of isolated nodes.
    fn clear(&mut self, nodes: usize) {
        self.count = 0;
        self.above.clear();
        self.above.extend(0..nodes);
        self.of_node.clear();
        self.of_node.resize(nodes, usize::MAX);
    }

    /// Adds an empty island.
    fn add(&mut self) -> usize {
        if self.count == self.groups.len() {
            self.groups.push(Group::default());
        }
        let group = &mut self.groups[self.count];
        group.trees.clear();
        group.free.clear();
        group.contacts.clear();
        group.gaps.clear();
        group.welds.clear();
        self.count += 1;
        self.count - 1
    }

    /// Unites the sets of two nodes.
    fn join(&mut self, nodes: [Option<usize>; 2]) {
        if let [Some(one), Some(two)] = nodes.map(|node| Some(self.first(node?))) {
            self.above[one.max(two)] = one.min(two);
        }
    }

    /// Returns the root of a node's set.
    fn first(&mut self, node: usize) -> usize {
        let mut root = node;
        while self.above[root] != root {
            self.above[root] = self.above[self.above[root]];
            root = self.above[root];
        }
        root
    }
}

impl Trees {
    /// Computes the islands of awake trees and coupled bodies.
    pub(super) fn group(&self, groups: &mut Groups, constraints: &ConstraintSet) {
        let trees = self.rows.len();
        let node = |body: usize| {
            if let Some((tree, _)) = self.of_body[body] {
                return self.awake[tree].then_some(tree);
            }
            Some(trees + self.coupled.index_of(body)?)
        };
        let nodes = trees + self.coupled.len();
        groups.clear(nodes);
        for touch in &constraints.contacts {
            groups.join(touch.bodies.map(node));
        }
        for gap in &constraints.gaps {
            groups.join(gap.bodies.map(|free| Some(trees + free)));
        }
        for weld in &constraints.welds {
            groups.join(weld.bodies.map(|side| side.and_then(node)));
        }
        for node_index in
            (0..nodes).filter(|node_index| *node_index >= trees || self.awake[*node_index])
        {
            let first = groups.first(node_index);
            if groups.of_node[first] == usize::MAX {
                groups.of_node[first] = groups.add();
            }
            let of = groups.of_node[first];
            groups.of_node[node_index] = of;
            let group = &mut groups.groups[of];
            match node_index.checked_sub(trees) {
                None => group.trees.push(node_index),
                Some(free) => group.free.push(free),
            }
        }
        let Groups {
            groups, of_node, ..
        } = groups;
        let of = |sides: [Option<usize>; 2]| {
            let node = sides.into_iter().flatten().find_map(node);
            node.map(|node| of_node[node])
        };
        for (index, touch) in constraints.contacts.iter().enumerate() {
            if let Some(group) = of(touch.bodies.map(Some)) {
                groups[group].contacts.push(index);
            }
        }
        for (index, gap) in constraints.gaps.iter().enumerate() {
            groups[of_node[trees + gap.bodies[0]]].gaps.push(index);
        }
        for (index, weld) in constraints.welds.iter().enumerate() {
            if let Some(group) = of(weld.bodies) {
                groups[group].welds.push(index);
            }
        }
    }
}
