//! Simulated contents of a scene: bodies and components.
use std::io::Write;

use morse_diagnostics::printable;
use morse_scene::assembly::{BodyLayout, Layout, layout};
use morse_simulation_file::{
    Instance,
    model::{Component, Overlay},
};
use serde_json::{Map, Value, json};

use crate::simulation::{kinds::Kinds, load::Plan};

/// Returns `bodies`, `components` and `overlays` as JSON.
pub(super) fn as_json((plan, kinds): (&Plan, &Kinds)) -> Map<String, Value> {
    let layout = layout(&plan.assembly.anchored()).unwrap_or_default();
    let bodies = layout.bodies.iter().map(|body| {
        json!({ "name": name(&layout, body), "kind": body.kind, "frames": body.frames.len(), "robot": body.robot })
    });
    let components = each(plan, kinds, |path, family, frequency, component| {
        json!({
            "path": path,
            "family": family,
            "kind": component.kind.value,
            "level": component.level.as_ref().map(|level| &level.value),
            "frequency": frequency,
        })
    });
    let mut object = Map::new();
    object.insert("bodies".to_owned(), bodies.collect());
    object.insert("components".to_owned(), components.into());
    object.insert(
        "overlays".to_owned(),
        overlays(plan, overlay_as_json).into(),
    );
    object
}

/// Writes `bodies`, `components` and `overlays` as text.
pub(super) fn text((plan, kinds): (&Plan, &Kinds), out: &mut dyn Write) -> std::io::Result<()> {
    let layout = layout(&plan.assembly.anchored()).unwrap_or_default();
    writeln!(out, "bodies: {}", layout.bodies.len())?;
    for body in &layout.bodies {
        let kind = serde_json::to_value(body.kind).unwrap_or_default();
        let frames = body.frames.len();
        writeln!(
            out,
            "  {} ({}, {frames} frames)",
            printable(name(&layout, body)),
            kind.as_str().unwrap_or_default()
        )?;
    }
    let lines = each(plan, kinds, |path, family, frequency, component| {
        let level = component
            .level
            .as_ref()
            .map_or_else(String::new, |level| format!(", level {}", level.value));
        format!(
            "  {path} ({family} {}, {frequency} Hz{level})",
            component.kind.value
        )
    });
    writeln!(out, "components: {}", lines.len())?;
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    let lines = overlays(plan, overlay_text);
    writeln!(out, "overlays: {}", lines.len())?;
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn overlay_as_json(path: &str, below: &str, overlay: &Overlay) -> Value {
    json!({
        "path": path,
        "kind": overlay.kind.value,
        "of": below,
        "beside": overlay.beside,
    })
}

fn overlay_text(path: &str, below: &str, overlay: &Overlay) -> String {
    let beside = if overlay.beside { ", beside it" } else { "" };
    format!("  {path} ({} of {below}{beside})", overlay.kind.value)
}

/// Visits all overlays of all robots, in path order, each with the path of its base component.
fn overlays<T>(plan: &Plan, visit: impl Fn(&str, &str, &Overlay) -> T) -> Vec<T> {
    let mut visits = Vec::new();
    for Instance { name, robot, .. } in plan.simulation.expand() {
        for (own, overlay) in &robot.overlays {
            let below = match &overlay.of {
                Some(of) => format!("{name}.{}", of.value),
                None => name.clone(),
            };
            visits.push(visit(&format!("{name}.{}", own.value), &below, overlay));
        }
    }
    visits
}

fn name<'a>(layout: &'a Layout, body: &BodyLayout) -> &'a str {
    layout.frames.get(body.head).map_or("", |frame| &frame.name)
}

/// Visits all components of all robots, in path order, with their frequencies.
fn each<T>(
    plan: &Plan,
    kinds: &Kinds,
    mut visit: impl FnMut(&str, &'static str, f64, &Component) -> T,
) -> Vec<T> {
    let rate = plan.simulation.environment.rate.value;
    let mut visits = Vec::new();
    for Instance { name, robot, .. } in plan.simulation.expand() {
        let sensors = robot
            .sensors
            .iter()
            .map(|(own, sensor)| (own, "sensor", &sensor.component));
        let actuators = robot
            .actuators
            .iter()
            .map(|(own, actuator)| (own, "actuator", &actuator.component));
        let mut components: Vec<_> = sensors.chain(actuators).collect();
        components.sort_by_key(|(own, ..)| &own.value);
        for (own, family, component) in components {
            let kind = kinds.sensors.get(component.kind.as_str());
            let default = kind.map_or(rate, |kind| kind.default_frequency(rate));
            let frequency = component.frequency.as_ref();
            let frequency = frequency.map_or(default, |frequency| frequency.value);
            let path = format!("{name}.{}", own.value);
            visits.push(visit(&path, family, frequency, component));
        }
    }
    visits
}
