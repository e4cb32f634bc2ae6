//! Routes of the edges of a graph of objects: between the boxes of the columns that they cross.
use bevy_egui::egui::{Pos2, Vec2, pos2, vec2};

use crate::graph_layout::{Boxed, Edge, Plan};

/// Size of a box, and distances of columns and rows, in points before they are scaled.
pub(crate) const BOX: Vec2 = vec2(140.0, 34.0);
pub(crate) const STEP: Vec2 = vec2(196.0, 46.0);
/// Reach of the turn of an edge that goes back.
const TURN: f32 = 30.0;
/// Smallest distance of a box and an edge that passes it, without the offset of its lane.
const CLEARANCE: f32 = 4.0;
/// Distance of edges that cross a column in the same gap.
const LANE: f32 = 3.0;

/// Returns the control points of cubic Bézier curves from the right side of a box to the left side of another. The origin
/// is the upper left corner of the first box of the first column. `lane` is a number that keeps edges apart which cross a
/// column in the same gap.
pub(crate) fn route(plan: &Plan, edge: &Edge, lane: usize) -> Option<Vec<[Pos2; 4]>> {
    let [from, to] = edge.ends.map(|end| plan.boxes.get(end));
    let (from, to) = (from?, to?);
    let mut points = vec![center(from) + vec2(BOX.x / 2.0, 0.0)];
    points.extend(crossings(plan, from, to, ((lane % 3) as f32 - 1.0) * LANE));
    points.push(center(to) - vec2(BOX.x / 2.0, 0.0));
    let last = points.len() - 2;
    let curves = points.windows(2).enumerate().map(|(index, ends)| {
        let [start, end] = [ends[0], ends[1]];
        if index % 2 == 1 {
            return [
                start,
                start.lerp(end, 1.0 / 3.0),
                start.lerp(end, 2.0 / 3.0),
                end,
            ];
        }
        let is_turn = (end.x - start.x).abs() < 1e-3;
        let turn = if index == last { -TURN } else { TURN };
        let offset = if is_turn {
            turn
        } else {
            (end.x - start.x) / 2.0
        };
        let back = if is_turn { offset } else { -offset };
        [start, start + vec2(offset, 0.0), end + vec2(back, 0.0), end]
    });
    Some(curves.collect())
}

/// Returns the curve of a route that its label belongs to: one between two columns, next to the middle.
pub(crate) fn labelled(route: &[[Pos2; 4]]) -> Option<&[Pos2; 4]> {
    route.get(route.len() / 4 * 2)
}

fn center(boxed: &Boxed) -> Pos2 {
    pos2(boxed.column as f32 * STEP.x, boxed.row * STEP.y) + BOX / 2.0
}

/// Returns pairs of points, where an edge enters and leaves the columns between its ends; the columns of its ends, too, if it
/// goes back.
fn crossings(plan: &Plan, from: &Boxed, to: &Boxed, offset: f32) -> Vec<Pos2> {
    let is_forward = to.column > from.column;
    let columns: Vec<usize> = if is_forward {
        (from.column + 1..to.column).collect()
    } else {
        (to.column..=from.column).rev().collect()
    };
    let [start, end] = [center(from), center(to)];
    let mut points = Vec::new();
    for column in columns {
        let x = column as f32 * STEP.x + BOX.x / 2.0;
        let share = if from.column == to.column {
            0.5
        } else {
            (x - start.x) / (end.x - start.x)
        };
        // What goes back passes below its ends.
        let below = if is_forward { 0.0 } else { STEP.y / 4.0 };
        let y = gap(plan, column, start.y + share * (end.y - start.y) + below) + offset;
        let half = if is_forward {
            BOX.x / 2.0
        } else {
            -BOX.x / 2.0
        };
        points.extend([pos2(x - half, y), pos2(x + half, y)]);
    }
    points
}

/// Returns the height next to `wish` at which a line passes between the boxes of a column.
fn gap(plan: &Plan, column: usize, wish: f32) -> f32 {
    let boxes = || plan.boxes.iter().filter(|boxed| boxed.column == column);
    let is_free =
        |y: f32| boxes().all(|boxed| (center(boxed).y - y).abs() > BOX.y / 2.0 + CLEARANCE);
    if is_free(wish) {
        return wish;
    }
    let heights = boxes().flat_map(|boxed| [-0.5, 0.5].map(|side| center(boxed).y + side * STEP.y));
    heights
        .filter(|y| is_free(*y))
        .min_by(|one, other| (one - wish).abs().total_cmp(&(other - wish).abs()))
        .unwrap_or(wish)
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Rect;
    use morse_api::world_view::NodeKind;

    use super::*;
    use crate::graph_layout::{plan, tests::graph};

    fn on_curve([a, b, c, d]: &[Pos2; 4], share: f32) -> Pos2 {
        let [ab, bc, cd] = [a.lerp(*b, share), b.lerp(*c, share), c.lerp(*d, share)];
        ab.lerp(bc, share).lerp(bc.lerp(cd, share), share)
    }

    /// A chain of three objects, whose first one also drives the wheels, and whose last ones answer.
    #[test]
    fn routes_pass_between_the_boxes() {
        let nodes = [
            ("eye", NodeKind::Sensor),
            ("See", NodeKind::Object),
            ("Think", NodeKind::Object),
            ("Plan", NodeKind::Object),
            ("Idle", NodeKind::Object),
            ("wheels", NodeKind::Actuator),
        ];
        let links = [
            [0, 1],
            [1, 2],
            [2, 3],
            [3, 5],
            [1, 5],
            [0, 5],
            [3, 1],
            [2, 2],
            [4, 5],
        ];
        let plan = plan(&graph(&nodes, &links));
        let rects: Vec<Rect> = plan
            .boxes
            .iter()
            .map(|boxed| Rect::from_center_size(center(boxed), BOX).shrink(1.0))
            .collect();
        assert_eq!(plan.edges.len(), links.len());
        for (lane, edge) in plan.edges.iter().enumerate() {
            let curves = route(&plan, edge, lane).expect("a route");
            assert!(curves.windows(2).all(|pair| pair[0][3] == pair[1][0]));
            assert!(labelled(&curves).is_some());
            for curve in &curves {
                for step in 0..=100 {
                    let point = on_curve(curve, step as f32 / 100.0);
                    let covering = rects.iter().find(|rect| rect.contains(point));
                    assert_eq!(covering, None, "{:?} at {point}", edge.ends);
                }
            }
        }
    }
}
