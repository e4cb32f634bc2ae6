//! Bounding volume hierarchy with the surface area heuristic.
use super::aabb::Aabb;
use super::box_pair::BoxPair;
use super::packet::Packet;

/// Number of candidate splits along the longest side.
const BINS: usize = 16;
/// Depth from which a node is halved by count, which bounds the depth of the tree.
const DEEP: usize = 40;
/// Maximum depth: halving 2³² objects takes 32 levels more.
const STACK: usize = DEEP + 40;
/// A box beyond the range of all rays, beside the root, which has no sibling.
const NOWHERE: Aabb = Aabb {
    low: [1e300; 3],
    high: [1e300; 3],
};

/// A bounding volume hierarchy over indexed boxes.
///
/// Its shape influences the speed of a query only, not the result.
#[derive(Default)]
pub(super) struct Tree {
    /// Nodes: the root first, children after their parents, siblings adjacent.
    nodes: Vec<Node>,
    /// Object indices, so that those of a leaf are adjacent.
    things: Vec<u32>,
    /// Sum of all surface areas when the tree was built.
    built_surface: f64,
}

struct Node {
    aabb: Aabb,
    /// Index of the first of two children, or of the first object of a leaf.
    first: u32,
    /// Number of objects in a leaf; 0 for a node with children.
    count: u32,
}

/// A node that has not been split yet.
struct Branch {
    node: usize,
    start: usize,
    end: usize,
    depth: usize,
}

impl Tree {
    /// Builds the tree from scratch, reusing its memory. The box of object `i` is `boxes[i]`.
    pub(super) fn build(&mut self, boxes: &[Aabb], leaf_size: usize) {
        self.nodes.clear();
        self.things.clear();
        self.things.extend((0..).take(boxes.len()));
        if !boxes.is_empty() {
            self.nodes.push(Node {
                aabb: Aabb::EMPTY,
                first: 0,
                count: 0,
            });
            self.split(
                boxes,
                leaf_size,
                &Branch {
                    node: 0,
                    start: 0,
                    end: boxes.len(),
                    depth: 0,
                },
            );
        }
        self.built_surface = self.surface();
    }

    /// Refits the boxes of objects that moved a little. Rebuilds the tree once its quality has decayed.
    pub(super) fn refit(&mut self, boxes: &[Aabb], leaf_size: usize) {
        for index in (0..self.nodes.len()).rev() {
            let node = &self.nodes[index];
            let first = node.first as usize;
            self.nodes[index].aabb = match node.count as usize {
                0 => self.nodes[first].aabb.union(&self.nodes[first + 1].aabb),
                count => enclose(boxes, &self.things[first..first + count]),
            };
        }
        if self.surface() > 1.5 * self.built_surface {
            self.build(boxes, leaf_size);
        }
    }

    /// Returns the number of objects.
    pub(super) fn len(&self) -> usize {
        self.things.len()
    }

    /// Calls a function with all objects whose box the packet may hit, roughly from near to far.
    #[inline]
    pub(super) fn walk<const W: usize>(
        &self,
        packet: &mut Packet<W>,
        mut meet: impl FnMut(&mut Packet<W>, u32),
    ) {
        let Some(root) = self.nodes.first() else {
            return;
        };
        if packet.enter(&root.aabb).is_infinite() {
            return;
        }
        let mut stack = [(0.0, 0_u32); STACK];
        let mut height = 0;
        let mut node = root;
        loop {
            let first = node.first as usize;
            if node.count > 0 {
                for &thing in &self.things[first..first + node.count as usize] {
                    meet(packet, thing);
                }
            } else {
                let (left, right) = (node.first, node.first + 1);
                let left = (packet.enter(&self.nodes[left as usize].aabb), left);
                let right = (packet.enter(&self.nodes[right as usize].aabb), right);
                let (near, far) = if left.0 <= right.0 {
                    (left, right)
                } else {
                    (right, left)
                };
                if far.0.is_finite() {
                    stack[height] = far;
                    height += 1;
                }
                if near.0.is_finite() {
                    node = &self.nodes[near.1 as usize];
                    continue;
                }
            }
            loop {
                if height == 0 {
                    return;
                }
                height -= 1;
                let (distance, index) = stack[height];
                if packet.reaches(distance) {
                    node = &self.nodes[index as usize];
                    break;
                }
            }
        }
    }

    /// Writes the boxes of all nodes as pairs of siblings, for [`Tree::descend`]; the first pair is the root
    /// and [`NOWHERE`].
    pub(super) fn pair_up(&self, pairs: &mut Vec<BoxPair>) {
        pairs.clear();
        let Some((root, others)) = self.nodes.split_first() else {
            return;
        };
        pairs.push(BoxPair::of([&root.aabb, &NOWHERE]));
        let siblings = others.as_chunks().0.iter();
        pairs.extend(siblings.map(|[left, right]| BoxPair::of([&left.aabb, &right.aabb])));
    }

    /// Calls `meet` for all objects in boxes that are entered, roughly from near to far. `enter` returns, for two boxes by
    /// their index in [`Tree::pair_up`], the distance of each and a value for it; a box at an infinite distance is culled.
    /// `is_wanted` returns whether a box is still needed when it is visited.
    #[inline]
    pub(super) fn descend<C, K: Copy + Default>(
        &self,
        context: &mut C,
        enter: impl Fn(&C, usize) -> [(f64, K); 2],
        is_wanted: impl Fn(&C, f64, &K) -> bool,
        mut meet: impl FnMut(&mut C, &K, u32),
    ) {
        if self.nodes.is_empty() {
            return;
        }
        let mut stack = [(0_u32, 0.0, K::default()); STACK];
        let mut height = 0;
        let mut first = 0_u32;
        loop {
            // The nearer one on top, without an unpredictable branch.
            let boxes = enter(context, first.div_ceil(2) as usize);
            let nearer = usize::from(boxes[0].0 > boxes[1].0);
            for side in [1 - nearer, nearer] {
                let (near, known) = boxes[side];
                stack[height] = (first + side as u32, near, known);
                height += usize::from(near < f64::INFINITY);
            }
            first = loop {
                if height == 0 {
                    return;
                }
                height -= 1;
                let (index, near, known) = stack[height];
                if !is_wanted(context, near, &known) {
                    continue;
                }
                let node = &self.nodes[index as usize];
                if node.count == 0 {
                    break node.first;
                }
                let things = node.first as usize..(node.first + node.count) as usize;
                for &thing in &self.things[things] {
                    meet(context, &known, thing);
                }
            };
        }
    }

    fn split(&mut self, boxes: &[Aabb], leaf_size: usize, branch: &Branch) {
        let &Branch {
            node,
            start,
            end,
            depth,
        } = branch;
        let aabb = enclose(boxes, &self.things[start..end]);
        let middle = (end - start > leaf_size).then(|| self.partition(boxes, branch));
        let (first, count) = match middle {
            None => (start, end - start),
            Some(_) => (self.nodes.len(), 0),
        };
        self.nodes[node] = Node {
            aabb,
            first: first as u32,
            count: count as u32,
        };
        if let Some(middle) = middle {
            for _ in 0..2 {
                self.nodes.push(Node {
                    aabb: Aabb::EMPTY,
                    first: 0,
                    count: 0,
                });
            }
            self.split(
                boxes,
                leaf_size,
                &Branch {
                    node: first,
                    start,
                    end: middle,
                    depth: depth + 1,
                },
            );
            self.split(
                boxes,
                leaf_size,
                &Branch {
                    node: first + 1,
                    start: middle,
                    end,
                    depth: depth + 1,
                },
            );
        }
    }

    /// Partitions the objects of a node into two halves and returns the start of the second.
    fn partition(&mut self, boxes: &[Aabb], branch: &Branch) -> usize {
        let things = &mut self.things[branch.start..branch.end];
        let centers = things.iter().fold(Aabb::EMPTY, |all, &thing| {
            all.with(boxes[thing as usize].center())
        });
        let half = centers.half();
        let axis = (0..3).fold(0, |longest, axis| {
            if half[axis] > half[longest] {
                axis
            } else {
                longest
            }
        });
        let bin = |thing: &u32| {
            let along = boxes[*thing as usize].center()[axis] - centers.low[axis];
            ((along / (2.0 * half[axis]) * BINS as f64) as usize).min(BINS - 1)
        };
        let best = if branch.depth < DEEP && half[axis] > 0.0 {
            cheapest_split(boxes, things, bin)
        } else {
            None
        };
        let Some(last) = best else {
            let middle = things.len() / 2;
            let along = |thing: &u32| boxes[*thing as usize].center()[axis];
            things.select_nth_unstable_by(middle, |a, b| {
                along(a).total_cmp(&along(b)).then(a.cmp(b))
            });
            return branch.start + middle;
        };
        let mut middle = 0;
        for index in 0..things.len() {
            if bin(&things[index]) <= last {
                things.swap(index, middle);
                middle += 1;
            }
        }
        branch.start + middle
    }

    fn surface(&self) -> f64 {
        self.nodes.iter().map(|node| node.aabb.half_surface()).sum()
    }
}

/// Returns the last bin of the first half by the surface area heuristic; `None` if all objects are in one bin.
fn cheapest_split(boxes: &[Aabb], things: &[u32], bin: impl Fn(&u32) -> usize) -> Option<usize> {
    let mut bins = [(Aabb::EMPTY, 0.0); BINS];
    for thing in things {
        let (aabb, count) = &mut bins[bin(thing)];
        *aabb = aabb.union(&boxes[*thing as usize]);
        *count += 1.0;
    }
    let mut above = [0.0; BINS];
    let (mut aabb, mut count) = (Aabb::EMPTY, 0.0);
    for index in (1..BINS).rev() {
        aabb = aabb.union(&bins[index].0);
        count += bins[index].1;
        above[index] = aabb.half_surface() * count;
    }
    let (mut aabb, mut count) = (Aabb::EMPTY, 0.0);
    let mut best = None;
    let mut best_cost = f64::INFINITY;
    for index in 0..BINS - 1 {
        aabb = aabb.union(&bins[index].0);
        count += bins[index].1;
        let cost = aabb.half_surface() * count + above[index + 1];
        if count > 0.0 && count < things.len() as f64 && cost < best_cost {
            (best, best_cost) = (Some(index), cost);
        }
    }
    best
}

fn enclose(boxes: &[Aabb], things: &[u32]) -> Aabb {
    things
        .iter()
        .fold(Aabb::EMPTY, |all, &thing| all.union(&boxes[thing as usize]))
}
