//! Worlds that are built as for users: from a scene and a simulation file in a directory.
use std::path::PathBuf;

use bevy::prelude::{Component, Entity};
use morse_api::{
    body::BodyState,
    sensor::{Exported, LocalData, exported},
    service,
};

use super::{Failed, Setup, stopwatch::Stopwatch};
use morse_sim::simulation::{Simulation, load::Options};

/// A world, and the time of building it.
pub(super) struct World {
    pub(super) simulation: Simulation,
    /// Time from the files to a world that can be stepped, s.
    pub(super) load_seconds: f64,
}

impl World {
    /// Writes a scene and a simulation file with a name, and builds the world.
    pub(super) fn new(
        setup: &Setup<'_>,
        name: &str,
        scene: &str,
        simulation: &str,
    ) -> Result<Self, Failed> {
        write(setup, &format!("{name}.robray"), scene)?;
        let file = write(setup, &format!("{name}.ron"), simulation)?;
        let watch = Stopwatch::start();
        let simulation = load(setup, file)?;
        Ok(Self {
            simulation,
            load_seconds: watch.elapsed().wall,
        })
    }

    /// Advances by one tick.
    pub(super) fn step(&mut self) -> Result<(), Failed> {
        step(&mut self.simulation)
    }

    /// Returns the components with these paths.
    pub(super) fn components(
        &self,
        paths: impl IntoIterator<Item = String>,
    ) -> Result<Vec<Entity>, Failed> {
        let find =
            |path: String| service::find(self.simulation.world(), &path).ok_or(Failed::Lacks(path));
        paths.into_iter().map(find).collect()
    }

    /// Returns the bodies of the frames with these names.
    pub(super) fn bodies(
        &self,
        names: impl IntoIterator<Item = String>,
    ) -> Result<Vec<Entity>, Failed> {
        let bodies = &self.simulation.scene().bodies;
        let find = |name: String| bodies.get(&name).copied().ok_or(Failed::Lacks(name));
        names.into_iter().map(find).collect()
    }

    /// Returns a component of Bevy, which exists as long as the world does.
    pub(super) fn get<C: Component>(&self, entity: Entity) -> Result<&C, Failed> {
        let lacks = || Failed::Lacks(std::any::type_name::<C>().to_owned());
        self.simulation.world().get::<C>(entity).ok_or_else(lacks)
    }

    /// Returns the data that a sensor exported last.
    pub(super) fn data<D: LocalData>(&self, sensor: Entity) -> Result<&D, Failed> {
        let lacks = || Failed::Lacks(std::any::type_name::<D>().to_owned());
        exported::<D>(self.simulation.world(), sensor).ok_or_else(lacks)
    }

    /// Returns true if a sensor measured in the last tick.
    pub(super) fn is_fresh(&self, sensor: Entity) -> bool {
        let tick = self.simulation.tick();
        let measured = self.simulation.world().get::<Exported>(sensor);
        measured.is_some_and(|measured| measured.0 == tick)
    }

    /// Copies the poses of bodies: position, and quaternion as w, x, y, z.
    pub(super) fn read_poses(
        &self,
        bodies: &[Entity],
        poses: &mut [[f64; 7]],
    ) -> Result<(), Failed> {
        for (body, copy) in bodies.iter().zip(poses) {
            let pose = self.get::<BodyState>(*body)?.pose;
            let (at, turn) = (pose.translation, pose.rotation);
            *copy = [at.x, at.y, at.z, turn.w, turn.i, turn.j, turn.k];
        }
        Ok(())
    }
}

/// Returns the end of a simulation file: bodies with these names that do not sleep.
pub(super) fn awake(names: impl IntoIterator<Item = String>) -> String {
    let bodies = names.into_iter();
    let bodies = bodies.map(|name| format!("        \"{name}\": (can_sleep: false),\n"));
    format!("    bodies: {{\n{}    }},\n)\n", bodies.collect::<String>())
}

/// Writes a file of the scene; returns its path.
pub(super) fn write(setup: &Setup<'_>, name: &str, text: &str) -> Result<PathBuf, Failed> {
    let path = setup.folder.join(name);
    std::fs::write(&path, text).map_err(|error| Failed::Unwritable(path.clone(), error))?;
    Ok(path)
}

/// Loads a world from a file.
pub(super) fn load(setup: &Setup<'_>, file: PathBuf) -> Result<Simulation, Failed> {
    let options = Options {
        threads: setup.threads,
        ..Options::default()
    };
    Ok(Simulation::load_with(file, &options, setup.extensions)?)
}

/// Advances by one tick.
pub(super) fn step(simulation: &mut Simulation) -> Result<(), Failed> {
    simulation
        .step()
        .map_err(|lost| Failed::Step(lost.to_string()))
}
