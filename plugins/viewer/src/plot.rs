//! Plots over time of any numbers in sensor readings.
use std::collections::VecDeque;

use bevy::prelude::*;
use bevy_egui::{EguiContexts, egui};
use egui_plot::{Legend, Line, Plot, PlotPoints};

use crate::{
    bar::Rest,
    replica::{Replica, Watched},
    rows::{self, Cell},
};

/// Maximum number of points of a curve.
const MOST_POINTS: usize = 6000;
/// Colour palette of Okabe and Ito, which people with colour vision deficiency can distinguish.
const COLORS: [[u8; 3]; 7] = [
    [86, 180, 233],
    [230, 159, 0],
    [0, 158, 115],
    [204, 121, 167],
    [240, 228, 66],
    [213, 94, 0],
    [0, 114, 178],
];

/// Curves of the plot.
#[derive(Resource, Default)]
pub(crate) struct Plots {
    curves: Vec<Curve>,
    tick: u64,
}

/// A number of a sensor over time.
struct Curve {
    /// Index of the sensor.
    sensor: usize,
    name: String,
    label: String,
    color: egui::Color32,
    points: VecDeque<[f64; 2]>,
}

impl Plots {
    /// Returns the colour of a number in the plot, if it is plotted.
    pub(crate) fn color(&self, sensor: usize, name: &str) -> Option<egui::Color32> {
        self.find(sensor, name)
            .and_then(|index| self.curves.get(index))
            .map(|curve| curve.color)
    }

    /// Adds a number to the plot, or removes it.
    pub(crate) fn toggle(&mut self, sensor: usize, path: &str, row: &rows::Row) {
        if let Some(index) = self.find(sensor, &row.name) {
            self.curves.remove(index);
            return;
        }
        let is_free = |color: &&[u8; 3]| {
            let [red, green, blue] = **color;
            let color = egui::Color32::from_rgb(red, green, blue);
            self.curves.iter().all(|curve| curve.color != color)
        };
        let [red, green, blue] = *COLORS.iter().find(is_free).unwrap_or(&COLORS[0]);
        let unit = if row.unit.is_empty() {
            String::new()
        } else {
            format!(" [{}]", row.unit)
        };
        self.curves.push(Curve {
            sensor,
            name: row.name.clone(),
            label: format!("{path} {}{unit}", row.name),
            color: egui::Color32::from_rgb(red, green, blue),
            points: VecDeque::new(),
        });
    }

    fn find(&self, sensor: usize, name: &str) -> Option<usize> {
        self.curves
            .iter()
            .position(|curve| curve.sensor == sensor && curve.name == name)
    }

    /// Adds the values of a reading.
    fn add(&mut self, sensor: usize, seconds: f64, rows: &[rows::Row]) {
        for curve in self
            .curves
            .iter_mut()
            .filter(|curve| curve.sensor == sensor)
        {
            let is_new = curve.points.back().is_none_or(|[last, _]| *last < seconds);
            let value = rows
                .iter()
                .find(|row| row.name == curve.name)
                .map(|row| &row.cell);
            if let (true, Some(Cell::Number(value))) = (is_new, value) {
                curve.points.push_back([seconds, *value]);
                if curve.points.len() > MOST_POINTS {
                    curve.points.pop_front();
                }
            }
        }
    }

    fn sensors(&self) -> impl Iterator<Item = usize> + '_ {
        self.curves.iter().map(|curve| curve.sensor)
    }
}

/// Adds the latest readings to the curves, and clears the curves after a reset.
pub(crate) fn sample(
    mut plots: ResMut<Plots>,
    replica: Res<Replica>,
    mut watched: ResMut<Watched>,
) {
    if replica.poses.tick < plots.tick {
        plots
            .curves
            .iter_mut()
            .for_each(|curve| curve.points.clear());
    }
    plots.tick = replica.poses.tick;
    let sensors: std::collections::BTreeSet<usize> = plots.sensors().collect();
    for sensor in sensors {
        watched.0.insert(sensor);
        if let Some((seen, reading)) = replica
            .sensors
            .get(sensor)
            .and_then(|seen| Some((seen, seen.reading.as_ref()?)))
        {
            plots.add(
                sensor,
                reading.seconds(),
                &rows::of(&seen.observer.info, reading),
            );
        }
    }
}

/// Draws the plot.
pub(crate) fn draw(
    mut contexts: EguiContexts,
    mut plots: ResMut<Plots>,
    mut rest: ResMut<Rest>,
) -> Result {
    let context = contexts.ctx_mut()?;
    if plots.curves.is_empty() {
        return Ok(());
    }
    let mut root = rest.root(context, "plots");
    egui::Panel::bottom("plots")
        .default_size(190.0)
        .resizable(true)
        .show_inside(&mut root, |ui| {
            ui.horizontal(|ui| {
                ui.weak("Over time, s. Click a number to draw it, or to end that.");
                if ui.button("Remove all").clicked() {
                    plots.curves.clear();
                }
            });
            let plot = Plot::new("numbers")
                .legend(Legend::default())
                .auto_bounds(true);
            plot.show(ui, |ui| {
                for curve in &plots.curves {
                    let points: PlotPoints<'_> = curve.points.iter().copied().collect();
                    ui.line(
                        Line::new(curve.label.clone(), points)
                            .color(curve.color)
                            .width(1.5),
                    );
                }
            });
        });
    rest.keep(&root);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, value: f64) -> rows::Row {
        rows::Row {
            name: name.to_owned(),
            cell: Cell::Number(value),
            unit: "m",
            docs: "",
        }
    }

    #[test]
    fn a_number_is_drawn_once_and_a_time_too() {
        let mut plots = Plots::default();
        plots.toggle(3, "rover.gps", &row("x", 0.0));
        plots.toggle(3, "rover.gps", &row("y", 0.0));
        for seconds in [0.1, 0.1, 0.2] {
            plots.add(3, seconds, &[row("x", 5.0), row("y", seconds)]);
        }
        let lengths: Vec<usize> = plots
            .curves
            .iter()
            .map(|curve| curve.points.len())
            .collect();
        assert_eq!(lengths, [2, 2]);
        assert_ne!(plots.color(3, "x"), plots.color(3, "y"));
        plots.toggle(3, "rover.gps", &row("x", 0.0));
        assert_eq!(plots.color(3, "x"), None);
        assert!(plots.color(3, "y").is_some());
    }

    #[test]
    fn a_curve_does_not_grow_for_ever() {
        let mut plots = Plots::default();
        plots.toggle(0, "a", &row("x", 0.0));
        for step in 0..2 * MOST_POINTS {
            plots.add(0, step as f64, &[row("x", 1.0)]);
        }
        assert_eq!(plots.curves[0].points.len(), MOST_POINTS);
    }
}
