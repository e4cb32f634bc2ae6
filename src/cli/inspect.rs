//! `morse-sim inspect`: contents of a file after evaluation: frames, poses, joints, geometry, bodies, components.
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use morse_diagnostics::{nearest, printable};
use morse_scene::model::{Frame, Geometry, Scene, Shape};
use nalgebra::Isometry3;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value, json};

use super::check::{Reading, show};
use super::exit;
use crate::scene::load::load;
use crate::simulation::kinds::Kinds;
use crate::simulation::load::{self, Plan};
use crate::simulation::{Extensions, kinds};

mod simulated;
mod text;

/// Show the contents of a scene: frames, poses, joints, geometry
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Args {
    /// Scene file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Set a configuration variable for the absolute poses; repeatable
    #[arg(long, value_name = "VARIABLE=VALUE", value_parser = assignment)]
    pub at: Vec<(String, f64)>,
    /// Options for reading the file
    #[command(flatten)]
    pub reading: Reading,
}

/// Parses `variable=value`; the value is in radians or metres.
fn assignment(text: &str) -> Result<(String, f64), String> {
    let halves = text.rsplit_once('=');
    let (variable, value) =
        halves.ok_or("write it as VARIABLE=VALUE, for example `shoulder=0.5`")?;
    let value: f64 = value
        .trim()
        .parse()
        .map_err(|error| format!("`{value}` is not a number: {error}"))?;
    if !value.is_finite() {
        return Err("the value must be finite".into());
    }
    Ok((variable.trim().to_owned(), value))
}

/// Shows the scene and returns the exit code: 0, 2 if it cannot be read or has no such variable, or 3 if the result cannot
/// be written.
pub fn run(args: &Args, extensions: Extensions, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    inspected(args, extensions, out, err).unwrap_or(exit::ENVIRONMENT)
}

fn inspected(
    args: &Args,
    extensions: Extensions,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<u8> {
    let style = args.reading.style();
    let ending = args.file.extension();
    if ending.is_some_and(|ending| ending == "ron") {
        let kinds = kinds(extensions);
        return match load::load(&args.file, &args.reading.load_options(), &kinds) {
            Ok(plan) => {
                write!(err, "{}", plan.warnings.render(style))?;
                shown(args, &plan.assembly.scene, Some((&plan, &kinds)), out, err)
            }
            Err(report) => {
                write!(err, "{}", report.render(style))?;
                Ok(exit::INPUT)
            }
        };
    }
    let options = args.reading.options();
    let loaded = load(&args.file, &options);
    match loaded.and_then(|loaded| args.reading.with_unused(&args.file, &options, loaded)) {
        Ok(loaded) => {
            show(&loaded.warnings, &loaded.sources, style, err)?;
            shown(args, &loaded.scene, None, out, err)
        }
        Err(failed) => {
            show(&failed.diagnostics, &failed.sources, style, err)?;
            Ok(exit::INPUT)
        }
    }
}

/// Shows a scene, and its simulated components, if any.
fn shown(
    args: &Args,
    scene: &Scene,
    plan: Option<(&Plan, &Kinds)>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<u8> {
    let variables = scene.variables();
    for (variable, _) in &args.at {
        if !variables.contains(variable.as_str()) {
            let name = printable(variable);
            write!(err, "error: the scene has no variable `{name}`")?;
            match nearest(variable, variables.iter().copied()) {
                Some(meant) => writeln!(err, "; did you mean `{}`?", printable(meant))?,
                None => writeln!(err)?,
            }
            return Ok(exit::INPUT);
        }
    }
    let values: BTreeMap<String, f64> = args.at.iter().cloned().collect();
    let values = (!values.is_empty()).then_some(&values);
    let mut buffered = std::io::BufWriter::new(&mut *out);
    if args.json {
        let simulated = plan.map(simulated::as_json);
        let report = SceneReport {
            scene,
            values,
            simulated,
        };
        serde_json::to_writer_pretty(&mut buffered, &report)?;
        writeln!(buffered)?;
    } else {
        text::text(scene, values, &mut buffered)?;
        plan.map_or(Ok(()), |plan| simulated::text(plan, &mut buffered))?;
    }
    buffered.flush()?;
    drop(buffered);
    out.flush()?;
    Ok(exit::FINE)
}

/// Returns a scene as a JSON object: `frames` (by name), `variables`, `allowed_collisions`,
/// `closures` if there are any, and `absolute_at_zero`; with
/// `values`, also `absolute`, the poses with these variables set.
#[must_use]
pub fn scene_as_json(scene: &Scene, values: Option<&BTreeMap<String, f64>>) -> Value {
    serde_json::to_value(SceneReport {
        scene,
        values,
        simulated: None,
    })
    .unwrap_or_default()
}

/// Serialises frame by frame, so that a large scene is not copied in memory.
struct SceneReport<'a> {
    scene: &'a Scene,
    values: Option<&'a BTreeMap<String, f64>>,
    /// `bodies`, `components` and `overlays`, for a simulation file.
    simulated: Option<Map<String, Value>>,
}

impl Serialize for SceneReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let scene = self.scene;
        let mut frames: Vec<&Frame> = scene.frames().iter().collect();
        frames.sort_by(|one, other| one.name.cmp(&other.name));
        let frames = frames.iter().map(|frame| frame_as_json(frame, scene));
        let none = BTreeMap::new();
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("frames", &Items(RefCell::new(frames)))?;
        object.serialize_entry("variables", &scene.variables())?;
        object.serialize_entry("allowed_collisions", scene.allowed_collisions())?;
        if !scene.closures().is_empty() {
            object.serialize_entry("closures", &Items(RefCell::new(closures_as_json(scene))))?;
        }
        object.serialize_entry("absolute_at_zero", &PosesReport(scene, &none))?;
        if let Some(values) = self.values {
            object.serialize_entry("absolute", &PosesReport(scene, values))?;
        }
        for (name, value) in self.simulated.iter().flatten() {
            object.serialize_entry(name, value)?;
        }
        object.end()
    }
}

fn closures_as_json(scene: &Scene) -> impl Iterator<Item = Value> {
    let closures = scene.closures().iter();
    closures.map(|closure| json!({ "kind": closure.kind.word(), "frames": closure.frames }))
}

/// Serialises the items of an iterator as they are produced.
struct Items<I>(RefCell<I>);

impl<I: Iterator<Item = Value>> Serialize for Items<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&mut *self.0.borrow_mut())
    }
}

struct PosesReport<'a>(&'a Scene, &'a BTreeMap<String, f64>);

impl Serialize for PosesReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let poses = self.0.absolute_poses_at(self.1);
        let named = poses
            .into_iter()
            .map(|(name, pose)| (name, pose_as_json(&pose)));
        serializer.collect_map(named)
    }
}

fn pose_as_json(pose: &Isometry3<f64>) -> Value {
    json!({
        "t": pose.translation.vector.as_slice(),
        "q": pose.rotation.coords.as_slice(),
    })
}

fn frame_as_json(frame: &Frame, scene: &Scene) -> Value {
    let mut object = Map::new();
    let mut set = |name: &str, value: Value| object.insert(name.into(), value);
    set("name", json!(frame.name));
    set("parent", json!(frame.parent));
    if frame.parent.is_some() && scene.parent_of(frame).is_none() {
        set("parent_missing", json!(true));
    }
    set("type", json!(frame.joint.word()));
    set("local", pose_as_json(&frame.pose));
    if let Some(joint) = frame.joint.axis() {
        set("axis", json!(joint.axis.as_slice()));
        set("variable", json!(joint.variable));
        set("offset", json!(joint.offset));
        let limits = &joint.limits;
        if let Some(position) = limits.position {
            set("limit_position", json!(position));
        }
        let rest = [
            ("limit_velocity", limits.velocity),
            ("limit_effort", limits.effort),
            ("damping", joint.damping),
            ("dry_friction", joint.dry_friction),
            ("armature", joint.armature),
            ("gear", joint.gear),
            ("ratio", joint.ratio),
            ("ratio", joint.ratio),
        ];
        for (name, value) in rest {
            if let Some(value) = value {
                set(name, json!(value));
            }
        }
    }
    if let Some(mass) = frame.mass {
        set("mass", json!(mass));
    }
    if let Some(center) = &frame.center_of_mass {
        set("center_of_mass", json!(center.as_slice()));
    }
    if let Some(inertia) = frame.inertia {
        set("inertia", json!(inertia));
    }
    if !frame.geometry.is_empty() {
        let geometry: Vec<Value> = frame.geometry.iter().map(geometry_as_json).collect();
        set("geometry", json!(geometry));
    }
    Value::Object(object)
}

fn geometry_as_json(geometry: &Geometry) -> Value {
    let mut value = json!({
        "shape": shape_as_json(&geometry.shape),
        "isa": geometry.tags,
        "color": geometry.color,
        "alpha": geometry.alpha,
        "specular": geometry.specular,
        "scale": geometry.scale,
        "visual": geometry.visual,
        "collision": geometry.collision,
        "no_shadow": geometry.no_shadow,
    });
    let material = [
        ("friction", geometry.friction),
        ("restitution", geometry.restitution),
        ("density", geometry.density),
        ("convex_parts", geometry.convex_parts),
        ("shininess", geometry.shininess),
        ("pattern_size", geometry.pattern_size),
    ];
    if let Some(object) = value.as_object_mut() {
        for (name, number) in material {
            object.extend(number.map(|number| (name.to_owned(), json!(number))));
        }
        if let Some(image) = &geometry.image {
            object.insert("image".into(), json!(image.file));
        }
        if let Some(color) = &geometry.checker {
            object.insert("checker".into(), json!(color));
        }
    }
    value
}

fn shape_as_json(shape: &Shape) -> Value {
    let kind = shape.word();
    match shape {
        Shape::Box { dimension } => json!({ "kind": kind, "dimension": dimension }),
        Shape::Sphere { radius } => json!({ "kind": kind, "radius": radius }),
        Shape::Cylinder { radius, height } | Shape::Capsule { radius, height } => {
            json!({ "kind": kind, "radius": radius, "height": height })
        }
        Shape::Cone {
            start_radius,
            end_radius,
            height,
        } => json!({
            "kind": kind,
            "start_radius": start_radius,
            "end_radius": end_radius,
            "height": height,
        }),
        Shape::Grid {
            dimension,
            delta,
            thickness,
        } => json!({
            "kind": kind,
            "dimension": dimension,
            "delta": delta,
            "thickness": thickness,
        }),
        Shape::Mesh(mesh) => json!({ "kind": kind, "file": mesh.file }),
    }
}
