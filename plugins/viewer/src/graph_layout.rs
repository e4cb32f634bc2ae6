//! Layout of a graph of objects: columns from senders to receivers, rows within each, and groups of similar components.
use std::collections::{BTreeMap, BTreeSet};

use morse_api::world_view::{GraphLayout, NodeKind};

/// Smallest number of components that are drawn as one box.
const GROUP: usize = 4;
/// Number of passes that order the rows.
const PASSES: usize = 6;

/// Boxes and edges with their positions.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Boxes of objects.
    pub(crate) boxes: Vec<Boxed>,
    /// Edges between boxes.
    pub(crate) edges: Vec<Edge>,
    /// Numbers of columns and rows.
    pub(crate) size: [usize; 2],
}

/// A box: an object, or a group of components.
#[derive(Debug, Default)]
pub(crate) struct Boxed {
    /// Indices of the objects.
    pub(crate) nodes: Vec<usize>,
    /// Name, or the number of components and their kind.
    pub(crate) name: String,
    /// Column.
    pub(crate) column: usize,
    /// Row; boxes of a column are a whole number of rows apart.
    pub(crate) row: f32,
    rank: usize,
}

/// Links between two boxes.
#[derive(Debug, Default)]
pub(crate) struct Edge {
    /// Indices of the boxes.
    pub(crate) ends: [usize; 2],
    /// Indices of the links.
    pub(crate) links: Vec<usize>,
}

/// Returns the plan of a graph.
pub(crate) fn plan(graph: &GraphLayout) -> Plan {
    let mut boxes = group(graph);
    let of_node: BTreeMap<usize, usize> = boxes
        .iter()
        .enumerate()
        .flat_map(|(box_index, boxed)| boxed.nodes.iter().map(move |node| (*node, box_index)))
        .collect();
    let mut edges: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
    for (index, link) in graph.links.iter().enumerate() {
        if let (Some(from), Some(to)) = (of_node.get(&link.from), of_node.get(&link.to)) {
            edges.entry([*from, *to]).or_default().push(index);
        }
    }
    let edges: Vec<Edge> = edges
        .into_iter()
        .map(|(ends, links)| Edge { ends, links })
        .collect();
    set_columns(&mut boxes, &edges);
    let size = set_rows(&mut boxes, &edges);
    Plan { boxes, edges, size }
}

/// Returns the boxes. Components and system objects without links are left out.
fn group(graph: &GraphLayout) -> Vec<Boxed> {
    let mut neighbours = vec![BTreeSet::new(); graph.nodes.len()];
    for link in &graph.links {
        for (node, other) in [(link.from, (true, link.to)), (link.to, (false, link.from))] {
            if let Some(neighbours) = neighbours.get_mut(node) {
                neighbours.insert(other);
            }
        }
    }
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for ((index, node), neighbours) in graph.nodes.iter().enumerate().zip(neighbours) {
        let is_component = matches!(node.kind, NodeKind::Sensor | NodeKind::Actuator);
        if node.kind != NodeKind::Object && neighbours.is_empty() {
            continue;
        }
        let own = if is_component { usize::MAX } else { index };
        let key = (rank(node.kind), own, neighbours);
        groups.entry(key).or_default().push(index);
    }
    let mut boxes = Vec::new();
    for ((rank, ..), members) in groups {
        let boxed = |nodes: Vec<usize>, name: String| Boxed {
            nodes,
            name,
            rank,
            ..Boxed::default()
        };
        let name = |node: &usize| graph.nodes[*node].name.clone();
        if members.len() >= GROUP {
            let kind = graph.nodes[members[0]].kind.name();
            let name = format!("{} {kind}s", members.len());
            boxes.push(boxed(members, name));
        } else {
            boxes.extend(members.iter().map(|node| boxed(vec![*node], name(node))));
        }
    }
    boxes
}

fn rank(kind: NodeKind) -> usize {
    match kind {
        NodeKind::Sensor => 0,
        NodeKind::System | NodeKind::Object => 1,
        NodeKind::Actuator => 2,
    }
}

/// Sets the columns: sensors first, actuators last, and objects between them as far from sensors as their longest chain of
/// links, without links that close a cycle.
fn set_columns(boxes: &mut [Boxed], edges: &[Edge]) {
    let (order, back) = depth_first(boxes, edges);
    for boxed in boxes.iter_mut() {
        boxed.column = boxed.rank.min(1);
    }
    for box_index in order.into_iter().rev() {
        let after = boxes[box_index].column + 1;
        for edge in edges.iter().filter(|edge| edge.ends[0] == box_index) {
            let to = edge.ends[1];
            if to != box_index && !back.contains(&edge.ends) {
                boxes[to].column = boxes[to].column.max(after);
            }
        }
    }
    let last = boxes.iter().map(|boxed| boxed.column).max().unwrap_or(0);
    for boxed in boxes.iter_mut().filter(|boxed| boxed.rank == 2) {
        boxed.column = last;
    }
    let used: BTreeSet<usize> = boxes.iter().map(|boxed| boxed.column).collect();
    for boxed in boxes.iter_mut() {
        boxed.column = used.range(..boxed.column).count();
    }
}

/// Returns the boxes in the order in which a depth-first search leaves them, and the edges that close a cycle.
fn depth_first(boxes: &[Boxed], edges: &[Edge]) -> (Vec<usize>, BTreeSet<[usize; 2]>) {
    let mut order = Vec::new();
    let mut back = BTreeSet::new();
    // 0 unseen, 1 entered, 2 left.
    let mut states = vec![0_u8; boxes.len()];
    let mut roots: Vec<usize> = (0..boxes.len()).collect();
    roots.sort_by_key(|box_index| boxes[*box_index].rank);
    for root in roots {
        if states[root] > 0 {
            continue;
        }
        states[root] = 1;
        let mut stack = vec![(root, 0)];
        while let Some((box_index, next)) = stack.pop() {
            let edge = edges
                .iter()
                .filter(|edge| edge.ends[0] == box_index)
                .nth(next);
            let Some(edge) = edge else {
                states[box_index] = 2;
                order.push(box_index);
                continue;
            };
            stack.push((box_index, next + 1));
            let to = edge.ends[1];
            match states[to] {
                0 => {
                    states[to] = 1;
                    stack.push((to, 0));
                }
                1 => {
                    back.insert(edge.ends);
                }
                _ => {}
            }
        }
    }
    (order, back)
}

/// Sets the rows: in each column, boxes are ordered by the mean of their neighbours. Returns the numbers of columns and rows.
fn set_rows(boxes: &mut [Boxed], edges: &[Edge]) -> [usize; 2] {
    let width = boxes
        .iter()
        .map(|boxed| boxed.column + 1)
        .max()
        .unwrap_or(0);
    let mut columns = vec![Vec::new(); width];
    for (box_index, boxed) in boxes.iter().enumerate() {
        columns[boxed.column].push(box_index);
    }
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    for pass in 0..PASSES {
        for column in &mut columns {
            let wish = |box_index: usize| {
                let others = edges.iter().filter_map(|edge| match edge.ends {
                    [from, to] if from == box_index => Some(to),
                    [from, to] if to == box_index => Some(from),
                    _ => None,
                });
                let others = others.filter(|other| boxes[*other].column != boxes[box_index].column);
                let rows: Vec<f32> = others.map(|other| boxes[other].row).collect();
                match rows.len() {
                    0 => boxes[box_index].row,
                    count => rows.iter().sum::<f32>() / count as f32,
                }
            };
            if pass > 0 {
                column.sort_by(|one, other| wish(*one).total_cmp(&wish(*other)));
            }
            let above = (height - column.len()) as f32 / 2.0;
            for (row, box_index) in column.iter().enumerate() {
                boxes[*box_index].row = above + row as f32;
            }
        }
    }
    [width, height]
}

#[cfg(test)]
pub(crate) mod tests {
    use morse_api::world_view::{GraphLink, GraphNode};

    use super::*;

    /// Returns a graph of named nodes, and links between their indices.
    pub(crate) fn graph(nodes: &[(&str, NodeKind)], links: &[[usize; 2]]) -> GraphLayout {
        let node = |(name, kind): &(&str, NodeKind)| GraphNode {
            name: (*name).to_owned(),
            kind: *kind,
            capacity: 32,
        };
        let link = |[from, to]: &[usize; 2]| GraphLink {
            from: *from,
            to: *to,
            subject: String::new(),
            observer: String::new(),
        };
        GraphLayout {
            nodes: nodes.iter().map(node).collect(),
            links: links.iter().map(link).collect(),
        }
    }

    #[test]
    fn columns_follow_the_links() {
        let nodes = [
            ("eye", NodeKind::Sensor),
            ("wheels", NodeKind::Actuator),
            ("stack", NodeKind::System),
            ("Plan", NodeKind::Object),
            ("See", NodeKind::Object),
        ];
        // What is planned returns to what is seen.
        let plan = plan(&graph(&nodes, &[[0, 4], [4, 3], [3, 1], [3, 4]]));
        let column = |name: &str| {
            let node = plan.boxes.iter().find(|boxed| boxed.name == name);
            node.map(|boxed| boxed.column)
        };
        let columns = ["eye", "See", "Plan", "wheels", "stack"].map(column);
        assert_eq!(columns, [Some(0), Some(1), Some(2), Some(3), None]);
        assert_eq!((plan.size, plan.edges.len()), ([4, 1], 4));
    }

    #[test]
    fn similar_components_are_one_box() {
        let nodes = [
            ("a", NodeKind::Actuator),
            ("b", NodeKind::Actuator),
            ("c", NodeKind::Actuator),
            ("d", NodeKind::Actuator),
            ("Mind", NodeKind::Object),
        ];
        let plan = plan(&graph(&nodes, &[[4, 0], [4, 1], [4, 2], [4, 3]]));
        let names: Vec<&str> = plan.boxes.iter().map(|boxed| boxed.name.as_str()).collect();
        assert_eq!(names, ["Mind", "4 actuators"]);
        assert_eq!(plan.edges[0].links, [0, 1, 2, 3]);
    }
}
