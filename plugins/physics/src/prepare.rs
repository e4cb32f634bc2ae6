//! Solids and masses of a scene: all operations that can fail before anything is built.
use morse_api::{body::BodyKind, motion::MotionMode};
use morse_diagnostics::{Diagnostic, printable};
use morse_scene::{
    assembly::{BodyLayout, Layout},
    bounds::Bounds,
    model::{DEFAULT_FRICTION, Geometry, Scene, Shape},
};
use nalgebra::{Isometry3, Vector3};

use super::{
    mass::{self, Mass, Source},
    shapes::{self, Meshes, Solid},
};

/// Lengths of meshes on moving bodies that are probably in metres, m.
const LENGTHS: [f32; 2] = [1e-3, 100.0];

/// Range of the mass of a moving body, kg.
const MASSES: Bounds = Bounds::between(1e-12, 1e12);

/// Solids and masses of a scene's bodies, in the order of the layout.
pub struct Prepared {
    pub(super) bodies: Vec<PreparedBody>,
    /// Warnings about probable mistakes.
    pub warnings: Vec<Diagnostic>,
}

impl Prepared {
    /// Iterates over the frames of a layout, as indices in the scene, with their masses in their own axes. Frames without a
    /// mass have zero.
    pub fn frame_masses(&self, layout: &Layout) -> impl Iterator<Item = (usize, Mass)> {
        let bodies = layout.bodies.iter().zip(&self.bodies);
        bodies.flat_map(|(body, prepared)| {
            let frames = body.frames.iter().zip(&prepared.frames);
            frames.filter_map(|(index, mass)| {
                let frame = layout.frames.get(*index)?;
                Some((frame.in_scene, mass.moved(&frame.body_from_frame.inverse())))
            })
        })
    }

    /// Iterates over mass, centre of mass and inertia of each body, in its own axes.
    pub fn masses(&self) -> impl Iterator<Item = &Mass> {
        self.bodies.iter().map(|body| &body.mass)
    }
}

pub(super) struct PreparedBody {
    pub mass: Mass,
    /// Mass of each frame of the body in the body's axes, in the order of the layout; without settings of the simulation
    /// file.
    pub frames: Vec<Mass>,
    pub solids: Vec<PreparedSolid>,
}

pub(super) struct PreparedSolid {
    /// Index of the frame in the layout, and of the geometry in the frame.
    pub indices: (usize, usize),
    pub solid: Solid,
    pub body_from_frame: Isometry3<f64>,
    pub friction: f64,
    pub restitution: f64,
}

/// Prepares the solids and the masses of a scene. In MORSE's motion the centre of mass of a robot is its origin, whatever
/// its shape, as in MORSE's engine.
///
/// # Errors
///
/// One per shape that cannot be made, such as a mesh whose file is missing or invalid.
pub fn prepare(
    layout: &Layout,
    scene: &Scene,
    motion: MotionMode,
) -> Result<Prepared, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut meshes = Meshes::default();
    let mut prepared = Prepared {
        bodies: Vec::with_capacity(layout.bodies.len()),
        warnings: Vec::new(),
    };
    for body in &layout.bodies {
        let mut maker = BodyMaker {
            layout,
            scene,
            body,
            errors: &mut errors,
            warnings: &mut prepared.warnings,
            meshes: &mut meshes,
        };
        let (mut made, warning) = maker.make();
        if motion.is_morse() && body.actuated && body.kind == BodyKind::Dynamic {
            made.mass.center = Vector3::zeros();
        }
        prepared.bodies.push(made);
        prepared.warnings.extend(warning);
    }
    if errors.is_empty() {
        Ok(prepared)
    } else {
        Err(errors)
    }
}

struct BodyMaker<'a> {
    layout: &'a Layout,
    scene: &'a Scene,
    body: &'a BodyLayout,
    errors: &'a mut Vec<Diagnostic>,
    warnings: &'a mut Vec<Diagnostic>,
    meshes: &'a mut Meshes,
}

impl BodyMaker<'_> {
    fn make(&mut self) -> (PreparedBody, Option<Diagnostic>) {
        let mut total = Mass::default();
        let mut all = Vec::new();
        let mut frames = Vec::with_capacity(self.body.frames.len());
        // Frames with assumed density, and their masses.
        let mut assumed = Vec::new();
        for &index in &self.body.frames {
            let frame_layout = self.layout.frames.get(index);
            let frame = frame_layout
                .and_then(|frame_layout| self.scene.frames().get(frame_layout.in_scene));
            let (Some(frame_layout), Some(frame)) = (frame_layout, frame) else {
                frames.push(Mass::default());
                continue;
            };
            let mut solids = Vec::with_capacity(frame.geometry.len());
            for (number, geometry) in frame.geometry.iter().enumerate() {
                // Visual geometry has no mass, unless it has a density.
                if geometry.collision || geometry.density.is_some() {
                    let solid = self.solid(&frame.name, geometry);
                    solids.extend(solid.map(|solid| (number, geometry, solid)));
                }
            }
            let weighed: Vec<_> = solids
                .iter()
                .map(|(_, geometry, solid)| (solid, geometry.density))
                .collect();
            let (mass, source) = mass::of_frame(frame, &weighed);
            let moved = mass.moved(&frame_layout.body_from_frame);
            total = total.plus(&moved);
            frames.push(moved);
            if source == Source::Assumed {
                assumed.push((index, mass.mass));
            }
            let touchable = solids
                .into_iter()
                .filter(|(_, geometry, _)| geometry.collision);
            all.extend(touchable.map(|(number, geometry, solid)| PreparedSolid {
                indices: (index, number),
                solid,
                body_from_frame: frame_layout.body_from_frame,
                friction: self.friction(geometry),
                restitution: self.restitution(geometry),
            }));
        }
        let (mass, warning) = self.weigh(total, &assumed);
        self.check_mass(&mass);
        let prepared = PreparedBody {
            mass,
            frames,
            solids: all,
        };
        (prepared, warning)
    }

    fn solid(&mut self, frame: &str, geometry: &Geometry) -> Option<Solid> {
        let moves = self.body.kind != BodyKind::Fixed;
        let solid = shapes::solid(geometry, moves, self.meshes).unwrap_or_else(|why| {
            let message = format!("frame `{}`: {why}", printable(frame));
            let error = Diagnostic::error("scene::mesh", message);
            self.errors.push(match geometry.source.0 {
                Some(span) => error.at(span, "this shape"),
                None => error,
            });
            None
        });
        if let (Some(solid), Shape::Mesh(mesh), true) = (&solid, &geometry.shape, moves) {
            let length = 2.0
                * solid
                    .shape
                    .compute_local_aabb()
                    .half_extents()
                    .max_element();
            let warning = unusual(&mesh.file, length);
            self.warnings
                .extend(warning.map(|one| match geometry.source.0 {
                    Some(span) => one.at(span, "this shape"),
                    None => one,
                }));
        }
        solid
    }

    /// Products of numbers within their ranges may still be out of the engine's range.
    fn check_mass(&mut self, mass: &Mass) {
        if self.body.kind != BodyKind::Dynamic || MASSES.contains(mass.mass) {
            return;
        }
        let head = self.layout.frames.get(self.body.head);
        let name = printable(head.map_or("", |head| &head.name));
        let message = format!(
            "`{name}` has {:.3e} kg by its shapes and densities",
            mass.mass
        );
        let error = Diagnostic::error("scene::mass", message)
            .note(format!("a body that moves has {MASSES} kg"))
            .help("sizes are in metres, densities in kg/m³: is one of them in other units?");
        let source = head.and_then(|head| self.scene.frames().get(head.in_scene));
        self.errors
            .push(match source.and_then(|frame| frame.source.0) {
                Some(span) => error.at(span, "this body"),
                None => error,
            });
    }

    /// Returns the friction of a geometry. That of a robot leaves balls that slide, in the place of casters, as they are:
    /// otherwise they would brake it.
    fn friction(&self, geometry: &Geometry) -> f64 {
        let slides = geometry.friction == Some(0.0);
        let of_robot = self.body.robot_friction.filter(|_| !slides);
        self.body
            .settings
            .friction
            .or(of_robot)
            .or(geometry.friction)
            .unwrap_or(DEFAULT_FRICTION)
    }

    fn restitution(&self, geometry: &Geometry) -> f64 {
        self.body
            .settings
            .restitution
            .or(geometry.restitution)
            .unwrap_or(0.0)
    }

    /// Returns the mass for the engine, and a warning about its source.
    fn weigh(&self, total: Mass, assumed: &[(usize, f64)]) -> (Mass, Option<Diagnostic>) {
        if self.body.kind != BodyKind::Dynamic {
            return (mass::at_least_some(total), None);
        }
        if let Some(mass) = self.body.settings.mass {
            return (mass::at_least_some(total.scaled_to(mass)), None);
        }
        let mass = mass::at_least_some(total);
        let warning = if total.mass <= 0.0 {
            let note = format!("nothing gives it one; it is taken as {} kg", mass.mass);
            Some(self.no_mass(self.body.head, "moves but has no mass", note))
        } else {
            assumed.first().map(|&(frame_index, own)| {
                let note = self.assumption(frame_index, own, assumed.len() - 1, mass.mass);
                self.no_mass(frame_index, "has neither a mass nor a density", note)
            })
        };
        (mass, warning)
    }

    fn no_mass(&self, frame_index: usize, lack: &str, note: String) -> Diagnostic {
        let frame = self.layout.frames.get(frame_index);
        let name = printable(frame.map_or("", |frame| &frame.name));
        let warning = Diagnostic::warning("scene::no-mass", format!("`{name}` {lack}"));
        let warning = warning.note(note).help("give its frame a `mass`, in kg");
        let source = frame.and_then(|frame| self.scene.frames().get(frame.in_scene));
        match source.and_then(|frame| frame.source.0) {
            Some(span) => warning.at(span, "this frame"),
            None => warning,
        }
    }

    /// Describes the consequence of the assumed density for the mass of a frame, and of other frames of its body.
    fn assumption(&self, frame_index: usize, own: f64, others: usize, whole: f64) -> String {
        let density = mass::DEFAULT_DENSITY;
        let mut note = format!("at {density} kg/m³ it has {own:.3} kg");
        let head = self.layout.frames.get(self.body.head);
        if let Some(head) = head.filter(|_| frame_index != self.body.head || others > 0) {
            let more = match others {
                0 => String::new(),
                1 => ", as has one more frame".to_owned(),
                _ => format!(", as have {others} more frames"),
            };
            let name = printable(&head.name);
            note += &format!("{more}: `{name}` has {whole:.3} kg with all that is fixed to it");
        }
        note
    }
}

/// Returns a warning of a mesh whose length in m is probably in another unit.
fn unusual(mesh: &str, length: f32) -> Option<Diagnostic> {
    let [least, most] = LENGTHS;
    let (cause, factor) = match length {
        length if length > most => ("if it is in millimetres, it has to be scaled", 0.001),
        length if length < least => (
            "if it is in metres, or scaled already, it was scaled from millimetres once too often",
            1000.0,
        ),
        _ => return None,
    };
    let message = format!("the mesh `{}` is {length} m long", printable(mesh));
    let warning = Diagnostic::warning("scene::mesh-size", message);
    Some(warning.note(cause).help(format!(
        "scale it by {factor}: `scale {factor}` in a scene, `scale=\"{factor} {factor} {factor}\"` in URDF and MJCF, `<scale>{factor} {factor} {factor}</scale>` in SDF"
    )))
}
