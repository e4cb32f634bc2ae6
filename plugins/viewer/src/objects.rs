//! Panel with the objects of a middleware and their links: readiness, queues and drops.
use std::sync::Arc;

use bevy::prelude::*;
use bevy_egui::{
    EguiContexts,
    egui::{self, Color32, Pos2, Rect, Stroke, epaint::CubicBezierShape, vec2},
};
use morse_api::world_view::{GraphLayout, LinkState, NodeState, ObjectGraph, Readiness};

use crate::{
    bar::{ObjectsOpen, Rest},
    graph_layout::{Boxed, Edge, Plan, plan},
    graph_routes::{BOX, STEP, labelled, route},
    replica::Replica,
};

/// Room around the graph, for links that go back.
const MARGIN: f32 = 30.0;
/// Height of the legend below the graph.
const LEGEND: f32 = 18.0;

/// Graph that is shown, with its plan.
#[derive(Resource, Default)]
pub(crate) struct ObjectPanel {
    shown: usize,
    plan: Option<(Arc<GraphLayout>, Plan)>,
    before: Option<Arc<ObjectGraph>>,
}

/// Draws the panel at the bottom of the window.
pub(crate) fn draw(
    mut contexts: EguiContexts,
    replica: Res<Replica>,
    is_open: Res<ObjectsOpen>,
    mut panel: ResMut<ObjectPanel>,
    mut rest: ResMut<Rest>,
) -> Result {
    if !is_open.0 || replica.graphs.is_empty() {
        return Ok(());
    }
    let mut root = rest.root(contexts.ctx_mut()?, "objects");
    egui::Panel::bottom("objects")
        .default_size(250.0)
        .size_range(120.0..=700.0)
        .resizable(true)
        .show_inside(&mut root, |ui| {
            panel.shown = panel.shown.min(replica.graphs.len() - 1);
            if replica.graphs.len() > 1 {
                ui.horizontal(|ui| {
                    for (index, (name, _)) in replica.graphs.iter().enumerate() {
                        ui.selectable_value(&mut panel.shown, index, name);
                    }
                });
            }
            let exchange = replica
                .graphs
                .get(panel.shown)
                .map(|(_, exchange)| exchange);
            if let Some(exchange) = exchange {
                exchange.request();
                match exchange.newest() {
                    Some(graph) => panel.show(ui, graph),
                    // A panel without content would shrink.
                    None => {
                        ui.allocate_space(ui.available_size());
                    }
                }
            }
        });
    rest.keep(&root);
    Ok(())
}

impl ObjectPanel {
    fn show(&mut self, ui: &mut egui::Ui, graph: Arc<ObjectGraph>) {
        let known = self.plan.take();
        let known = known.filter(|(layout, _)| Arc::ptr_eq(layout, &graph.layout));
        let (layout, plan) = known.unwrap_or_else(|| (graph.layout.clone(), plan(&graph.layout)));
        let before = self.before.take();
        let before = before.filter(|before| Arc::ptr_eq(&before.layout, &layout));
        let (area, _) = ui.allocate_exact_size(ui.available_size(), egui::Sense::hover());
        legend(ui, area);
        let view = View::new(area.with_max_y(area.bottom() - LEGEND), &plan);
        for (lane, edge) in plan.edges.iter().enumerate() {
            if let Some(curves) = route(&plan, edge, lane) {
                view.edge(ui, &curves, edge, &graph, before.as_deref());
            }
        }
        for boxed in &plan.boxes {
            view.boxed(ui, boxed, &graph);
        }
        self.before = Some(graph);
        self.plan = Some((layout, plan));
    }
}

/// Mapping of a plan to an area of the window.
struct View {
    origin: Pos2,
    scale: f32,
}

impl View {
    fn new(area: Rect, plan: &Plan) -> Self {
        let [columns, rows] = plan.size.map(|count| count.saturating_sub(1) as f32);
        let size = BOX + vec2(columns * STEP.x, rows * STEP.y) + vec2(2.0, 2.0) * MARGIN;
        let scale = (area.width() / size.x).min(area.height() / size.y).min(1.2);
        Self {
            origin: area.center() - size * scale / 2.0 + vec2(MARGIN, MARGIN) * scale,
            scale,
        }
    }

    fn point(&self, point: Pos2) -> Pos2 {
        self.origin + point.to_vec2() * self.scale
    }

    fn rect(&self, boxed: &Boxed) -> Rect {
        let at = vec2(boxed.column as f32 * STEP.x, boxed.row * STEP.y);
        Rect::from_min_size(self.origin + at * self.scale, BOX * self.scale)
    }

    fn edge(
        &self,
        ui: &egui::Ui,
        curves: &[[Pos2; 4]],
        edge: &Edge,
        graph: &ObjectGraph,
        before: Option<&ObjectGraph>,
    ) {
        let sums = sum(edge, graph);
        let earlier = before.map_or(sums.delivered, |before| sum(edge, before).delivered);
        let color = color(sums.readiness);
        let width = if sums.delivered > earlier { 2.4 } else { 1.2 };
        let stroke = Stroke::new(width * self.scale.max(0.6), color);
        let painter = ui.painter();
        for curve in curves {
            let curve = curve.map(|point| self.point(point));
            let none = Color32::TRANSPARENT;
            painter.add(CubicBezierShape::from_points_stroke(
                curve, false, none, stroke,
            ));
        }
        if let Some([.., end]) = curves.last() {
            let tip = self.point(*end);
            let side = |y: f32| tip + vec2(-7.0, y) * self.scale;
            let head = vec![tip, side(3.5), side(-3.5)];
            painter.add(egui::Shape::convex_polygon(head, color, Stroke::NONE));
        }
        let Some([start, .., end]) = labelled(curves) else {
            return;
        };
        let middle = self.point(start.lerp(*end, 0.5));
        let middle = Rect::from_center_size(middle, vec2(46.0, 16.0) * self.scale);
        let lost = sums.dropped + sums.refused;
        if sums.queued + lost as usize > 0 {
            let text = format!("•{} −{lost}", sums.queued);
            let font = egui::FontId::monospace(10.0 * self.scale);
            painter.text(
                middle.center_top(),
                egui::Align2::CENTER_BOTTOM,
                text,
                font,
                color,
            );
        }
        let id = ui.id().with(("edge", edge.ends));
        let hover = ui.interact(middle, id, egui::Sense::hover());
        hover.on_hover_text(about_edge(edge, graph, &sums));
    }

    fn boxed(&self, ui: &egui::Ui, boxed: &Boxed, graph: &ObjectGraph) {
        let rect = self.rect(boxed);
        let states: Vec<&NodeState> = boxed
            .nodes
            .iter()
            .filter_map(|node| graph.nodes.get(*node))
            .collect();
        let queued: usize = states.iter().map(|state| state.queued).sum();
        let handled: u64 = states.iter().map(|state| state.handled).sum();
        let fault = states.iter().find_map(|state| state.fault.as_deref());
        let visuals = ui.visuals();
        let line = fault.map_or(visuals.weak_text_color(), |_| visuals.error_fg_color);
        let painter = ui.painter();
        painter.rect_filled(rect, 4.0, visuals.extreme_bg_color);
        let kind = egui::StrokeKind::Inside;
        painter.rect_stroke(rect, 4.0, Stroke::new(1.0, line), kind);
        let capacity: usize = boxed
            .nodes
            .iter()
            .filter_map(|node| graph.layout.nodes.get(*node))
            .map(|node| node.capacity)
            .sum();
        let share = queued as f32 / capacity.max(1) as f32;
        let bar = vec2(rect.width() * share.min(1.0), 3.0);
        let bar = Rect::from_min_size(rect.left_bottom() - vec2(0.0, 3.0), bar);
        painter.rect_filled(bar, 1.0, visuals.warn_fg_color);
        let write = |height: f32, size: f32, text: String, color: Color32| {
            let at = rect.min + vec2(7.0, height) * self.scale;
            let font = egui::FontId::proportional(size * self.scale);
            let inside = painter.with_clip_rect(rect);
            inside.text(at, egui::Align2::LEFT_CENTER, text, font, color);
        };
        write(11.0, 12.0, boxed.name.clone(), visuals.text_color());
        let counts = format!("{handled} handled, {queued} queued");
        write(24.0, 10.0, counts, visuals.weak_text_color());
        let id = ui.id().with(("box", &boxed.nodes));
        let names = boxed
            .nodes
            .iter()
            .filter_map(|node| graph.layout.nodes.get(*node));
        let names: Vec<&str> = names.map(|node| node.name.as_str()).collect();
        let text = format!("{}\n{}", names.join("\n"), fault.unwrap_or_default());
        ui.interact(rect, id, egui::Sense::hover())
            .on_hover_text(text.trim_end());
    }
}

/// Returns the colour of links with this readiness.
fn color(readiness: Readiness) -> Color32 {
    match readiness {
        Readiness::Ready => Color32::from_rgb(90, 175, 120),
        Readiness::Busy => Color32::from_rgb(215, 165, 70),
        Readiness::Refuses => Color32::from_rgb(225, 105, 95),
    }
}

/// Explains the colours and numbers of links at the lower left of the panel.
fn legend(ui: &egui::Ui, area: Rect) {
    let painter = ui.painter();
    let mut left = area.left_bottom() + vec2(8.0, -8.0);
    let states = [
        (Readiness::Ready, "observers are ready"),
        (Readiness::Busy, "one is busy"),
        (Readiness::Refuses, "one refuses data"),
    ];
    let weak = ui.visuals().weak_text_color();
    let lines = states.map(|(readiness, text)| (text, Some(color(readiness))));
    let numbers = ("• queued   − lost", None);
    for (text, line) in lines.into_iter().chain([numbers]) {
        if let Some(color) = line {
            let ends = [left, left + vec2(16.0, 0.0)];
            painter.line_segment(ends, Stroke::new(2.0, color));
            left.x += 21.0;
        }
        let font = egui::FontId::proportional(11.0);
        let written = painter.text(left, egui::Align2::LEFT_CENTER, text, font, weak);
        left.x = written.right() + 18.0;
    }
}

/// Returns the state of all links of an edge together: the least ready observer, and sums.
fn sum(edge: &Edge, graph: &ObjectGraph) -> LinkState {
    let mut all = LinkState {
        readiness: Readiness::Ready,
        ..LinkState::default()
    };
    for link in edge.links.iter().filter_map(|link| graph.links.get(*link)) {
        all.readiness = match (all.readiness, link.readiness) {
            (Readiness::Refuses, _) | (_, Readiness::Refuses) => Readiness::Refuses,
            (Readiness::Busy, _) | (_, Readiness::Busy) => Readiness::Busy,
            (Readiness::Ready, Readiness::Ready) => Readiness::Ready,
        };
        all.queued += link.queued;
        all.delivered += link.delivered;
        all.dropped += link.dropped;
        all.refused += link.refused;
    }
    all
}

fn about_edge(edge: &Edge, graph: &ObjectGraph, sums: &LinkState) -> String {
    let links = edge
        .links
        .iter()
        .filter_map(|link| graph.layout.links.get(*link));
    let names = links
        .take(12)
        .map(|link| format!("{} > {}\n", link.subject, link.observer));
    let names: String = names.collect();
    let LinkState {
        delivered,
        queued,
        dropped,
        refused,
        ..
    } = sums;
    format!("{names}delivered {delivered}, queued {queued}, dropped {dropped}, refused {refused}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_as_ready_as_its_least_ready_link() {
        let link = |readiness, delivered| LinkState {
            readiness,
            delivered,
            ..LinkState::default()
        };
        let graph = ObjectGraph {
            links: vec![link(Readiness::Ready, 3), link(Readiness::Busy, 4)],
            ..ObjectGraph::default()
        };
        let edge = |links| Edge {
            links,
            ..Edge::default()
        };
        let all = sum(&edge(vec![0, 1]), &graph);
        assert_eq!((all.readiness, all.delivered), (Readiness::Busy, 7));
        assert_eq!(sum(&edge(vec![0]), &graph).readiness, Readiness::Ready);
    }
}
