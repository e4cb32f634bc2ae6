//! Writers of scenes as robot descriptions: URDF, SDF and MJCF.
//!
//! - this file: what all of them share: inputs, results, and the list of what a format cannot say;
//! - `links`: links and joints of a scene, in the terms of these formats;
//! - `assets`: files of meshes that a description refers to;
//! - `markup`: XML text, numbers and angles;
//! - `urdf`, `sdf`, `mjcf`: the formats.
//!
//! Each frame becomes a link or body of the same name, so that forward kinematics are kept.
mod assets;
mod links;
mod markup;
mod mjcf;
mod sdf;
mod urdf;

use std::collections::BTreeMap;

use morse_scene::model::{MeshFile, Scene};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use crate::components::frictions_differ;

pub use assets::{Asset, Content, Paths, relocated};

/// Format of a description that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Robot description of ROS.
    Urdf,
    /// Model of Gazebo, SDF 1.11.
    Sdf,
    /// Model of MuJoCo.
    Mjcf,
}

/// Options of a description.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Paths of meshes.
    pub paths: Paths,
    /// True if frames are merged into the links to which they are fixed.
    pub flatten: bool,
}

/// Mass of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertial {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in frame coordinates, m.
    pub center: Vector3<f64>,
    /// Inertia about the centre of mass, in frame axes, kg·m².
    pub inertia: Matrix3<f64>,
}

impl Inertial {
    /// Returns the mass in another frame.
    fn moved(&self, outer_from_inner: &Isometry3<f64>) -> Self {
        let turn = outer_from_inner.rotation.to_rotation_matrix().into_inner();
        Self {
            mass: self.mass,
            center: (outer_from_inner * Point3::from(self.center)).coords,
            inertia: turn * self.inertia * turn.transpose(),
        }
    }

    /// Returns the sum of two masses, by the parallel axis theorem.
    fn plus(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        let center = (self.center * self.mass + other.center * other.mass) / mass;
        let about = |body: &Self| {
            let arm = body.center - center;
            body.inertia + (Matrix3::identity() * arm.dot(&arm) - arm * arm.transpose()) * body.mass
        };
        Self {
            mass,
            center,
            inertia: about(self) + about(other),
        }
    }
}

/// A written description.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Text of the description.
    pub text: String,
    /// Files to write beside it.
    pub assets: Vec<Asset>,
    /// Properties that the format cannot say, each in one sentence.
    pub losses: Vec<String>,
}

/// Writes a scene that has passed [`Scene::check`], with the name of the model, the mass of each frame in the order of
/// [`Scene::frames`].
#[must_use]
pub fn write(
    scene: &Scene,
    target: Target,
    name: &str,
    inertials: &[Option<Inertial>],
    Options { paths, flatten }: Options,
) -> Written {
    let mut losses = Losses::default();
    let mut links = links::Links::new(scene, inertials, target, &mut losses);
    if flatten {
        links.flatten(&mut losses);
    }
    let mut assets = assets::Assets::new(paths);
    let mut context = Context {
        scene,
        frictions_differ: frictions_differ(scene.frames()),
        name,
        losses: &mut losses,
        assets: &mut assets,
    };
    let text = match target {
        Target::Urdf => urdf::text(&links, &mut context),
        Target::Sdf => sdf::text(&links, &mut context),
        Target::Mjcf => mjcf::text(&links, &mut context),
    };
    Written {
        text,
        assets: assets.files,
        losses: losses.sentences(),
    }
}

/// Scene and results of a writer.
struct Context<'a> {
    scene: &'a Scene,
    /// True if surfaces have different coefficients of friction.
    frictions_differ: bool,
    name: &'a str,
    losses: &'a mut Losses,
    assets: &'a mut assets::Assets,
}

impl Context<'_> {
    /// Returns the path of a mesh of a cone, with its radii at z = 0 and z = `height`; notes if there can be none.
    fn cone(&mut self, frame: &str, radii: [f64; 2], height: f64) -> Option<String> {
        let written = self.assets.cone(frame, radii, height);
        if written.is_none() {
            self.losses
                .note("a cone needs a mesh beside the description", frame);
        }
        written
    }

    /// Returns the path of the mesh of a geometry and its scale factors, given the extensions that the format can read; notes
    /// if there can be none.
    fn mesh(
        &mut self,
        frame: &str,
        (mesh, scale): (&MeshFile, f64),
        readable: &[&str],
    ) -> Option<(String, [f64; 3])> {
        let written = self.assets.mesh(mesh, readable);
        if written.is_none() {
            self.losses
                .note("a mesh has to be written beside the description", frame);
        }
        let (name, factors) = written?;
        Some((name, factors.map(|factor| factor * scale)))
    }
}

/// Properties that the format cannot say, with the names of the frames or joints that have them.
#[derive(Default)]
struct Losses(BTreeMap<&'static str, Vec<String>>);

/// Loss of a closure whose frames are no links any more.
const CLOSURE_OF_MERGED: &str = "closed loops of merged frames are not written";

/// Number of names in a sentence about a loss.
const MOST_NAMES: usize = 5;

impl Losses {
    /// Notes that a property of a frame or joint is lost.
    fn note(&mut self, property: &'static str, name: &str) {
        let names = self.0.entry(property).or_default();
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }

    /// Returns one sentence for each property.
    fn sentences(&self) -> Vec<String> {
        let sentences = self.0.iter().map(|(property, names)| {
            let shown: Vec<String> = names
                .iter()
                .take(MOST_NAMES)
                .map(|name| format!("`{name}`"))
                .collect();
            let shown = shown.join(", ");
            match names.len().saturating_sub(MOST_NAMES) {
                0 => format!("{property}: {shown}"),
                more => format!("{property}: {shown} and {more} more"),
            }
        });
        sentences.collect()
    }
}
