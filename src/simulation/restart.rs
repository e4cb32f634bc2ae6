//! Beginning again in the same world, for episodes of learning.
//!
//! To build a world takes milliseconds, most of them for schedules and tables that do not depend on the files. If a plan
//! differs from that of the world in the seed and in the start only, which are the initial poses of robots and the initial
//! positions of joints, the world is kept: its state before the systems of the start is restored, its bodies are built again,
//! its random streams begin with the new seed, and the systems of the start run again. The following ticks equal those of a
//! fresh world, bit for bit.
mod difference;
mod mounts;
mod seed;

use bevy::prelude::*;
use morse_api::{
    command::Mailbox,
    fault::Faults,
    kind::Kinds,
    log::CommandLog,
    sensor::{LostObserver, Outputs},
    service,
    state::{StateEntry, StateError, StateRegister},
    tick::Clock,
    warning::Warnings,
};
use morse_diagnostics::report::Report;

use self::difference::Contents;
use super::{
    BuildError, DropStatistics, Extensions, Simulation,
    load::Plan,
    population::{self, Population},
    state::saved::Saved,
};
use crate::{
    service::RunRequests,
    spawn::{self, Spawned},
};

/// State of a world before the systems of the start have run, without that of the physics.
pub(super) struct Blank {
    entries: Vec<(StateEntry, Saved)>,
    /// Warnings of the installation.
    installed: Report,
    /// Contents of the simulation file, once they have been compared; plans for which a world is kept have the same.
    contents: Option<Contents>,
}

impl Blank {
    /// Saves the state of a world that has not been started.
    ///
    /// # Errors
    ///
    /// Some state has no binary form.
    pub(super) fn of(world: &World, installed: Report) -> Result<Self, StateError> {
        let entries = registered(world).map(|entry| Ok((entry, Saved::of(&entry, world)?)));
        Ok(Self {
            entries: entries.collect::<Result<_, StateError>>()?,
            installed,
            contents: None,
        })
    }

    /// Restores the state, with everything that a run leaves behind.
    fn restore(&self, world: &mut World) -> Result<(), StateError> {
        for (entry, saved) in &self.entries {
            saved.restore(entry, world)?;
        }
        world.resource_mut::<Clock>().tick = 0;
        world.resource_mut::<LostObserver>().0 = None;
        world.resource::<Faults>().take();
        world.insert_resource(RunRequests::default());
        world.insert_resource(Warnings::default());
        Ok(())
    }

    /// Returns true if no kind of state has been registered since.
    fn is_complete(&self, world: &World) -> bool {
        registered(world).count() == self.entries.len()
    }
}

/// Iterates over the kinds of state of a world except that of the physics.
fn registered(world: &World) -> impl Iterator<Item = StateEntry> {
    let register = world.get_resource::<StateRegister>();
    let entries = register.into_iter().flat_map(|register| &register.0);
    entries
        .filter(|entry| entry.name != morse_physics::STATE)
        .copied()
}

impl Simulation {
    /// Builds the simulation of a plan, as [`build`](Self::build) does, such that [`restart`](Self::restart) is fast.
    ///
    /// # Errors
    ///
    /// Inconsistent input, or a file or port that a middleware cannot open.
    pub fn build_for_restarts(plan: Plan, extensions: Extensions) -> Result<Self, BuildError> {
        Self::build_with(plan, extensions, true)
    }

    /// Begins again with a plan: the following ticks equal those of a new simulation of it, bit for bit. Observers and clients
    /// lose their connections.
    ///
    /// A simulation from [`build_for_restarts`](Self::build_for_restarts) without observers and middlewares keeps its world if
    /// only the seed, the initial poses of robots or the initial positions of joints differ, which takes a fraction of the
    /// time. Otherwise a new world is built. Returns true if the world was kept.
    ///
    /// Components of [`Extensions`] are kept as well: for them the rules of state hold, and their systems in `PreStartup`,
    /// `Startup` and `PostStartup` run again.
    ///
    /// # Errors
    ///
    /// As for [`build`](Self::build); the simulation is unchanged.
    pub fn restart(&mut self, plan: Plan) -> Result<bool, BuildError> {
        if let Some(mut blank) = self.blank.take()
            && self.keeps_world(&mut blank, &plan)
        {
            match self.rewind(&blank, &plan) {
                Ok(Some(warnings)) => {
                    self.begin(plan, warnings);
                    self.blank = Some(blank);
                    return Ok(true);
                }
                // A world that has been restored in part is replaced.
                Ok(None) | Err(Failed::State) => {}
                Err(Failed::Plan(report)) => {
                    self.blank = Some(blank);
                    return Err(report.into());
                }
            }
        }
        *self = Self::build_with(plan, self.extensions, true)?;
        Ok(false)
    }

    /// Returns true if this world may serve for a plan.
    fn keeps_world(&mut self, blank: &mut Blank, plan: &Plan) -> bool {
        let world = self.apps.main.world_mut();
        let mut outputs = world.query::<&Outputs>();
        let has_observers = outputs.iter(world).any(|outputs| !outputs.0.is_empty());
        let mut mailboxes = world.query::<&Mailbox>();
        let has_commands = mailboxes.iter(world).any(|mailbox| !mailbox.is_empty());
        let is_connected = has_observers || has_commands || !self.middlewares.is_empty();
        let is_recorded = world.contains_resource::<CommandLog>();
        let is_changed = !population::changes(world).is_empty();
        let (present, kinds) = (
            &world.resource::<Population>().plan,
            world.resource::<Kinds>(),
        );
        let is_complete = blank.is_complete(world);
        let contents = &mut blank.contents;
        let mut has_contents = |plan: &Plan| {
            let present = contents.get_or_insert_with(|| Contents::of(&present.simulation, kinds));
            *present == Contents::of(&plan.simulation, kinds)
        };
        !is_connected
            && !is_recorded
            && !is_changed
            && plan.simulation.middlewares.is_empty()
            && is_complete
            && difference::is_in_start_only(present, plan)
            && has_contents(plan)
    }

    /// Restores the state before the systems of the start, with the bodies of a plan. Returns the warnings of the plan; `None`,
    /// and does nothing, if its bodies are others.
    fn rewind(&mut self, blank: &Blank, plan: &Plan) -> Result<Option<Report>, Failed> {
        let world = self.apps.main.world_mut();
        let mut report = plan.warnings.clone();
        let start = spawn::restart(world, &plan.assembly);
        let mut start = match start {
            Ok(Some(start)) => start,
            Ok(None) => return Ok(None),
            Err(problems) => {
                report.add(problems, &plan.sources);
                return Err(Failed::Plan(Box::new(report)));
            }
        };
        report.add(start.take_warnings(), &plan.sources);
        report.extend(blank.installed.clone());
        if plan.strict && !report.is_empty() {
            return Err(Failed::Plan(Box::new(report.into_errors())));
        }
        blank.restore(world).map_err(|_error| Failed::State)?;
        let hash = start.apply(world, &plan.assembly.scene);
        world.resource_mut::<Spawned>().start = hash;
        mounts::set_poses(world);
        seed::draw_again(world, &plan.simulation);
        Ok(Some(report))
    }

    /// Begins a plan in a world that has been rewound.
    fn begin(&mut self, plan: Plan, warnings: Report) {
        let world = self.apps.main.world_mut();
        world.insert_resource(Population::new(plan.into()));
        service::end_lost(world);
        world.run_schedule(PreStartup);
        world.run_schedule(Startup);
        world.run_schedule(PostStartup);
        self.hashes = None;
        self.start = None;
        self.first = None;
        self.warnings = warnings;
        self.dropped = DropStatistics::default();
    }
}

/// Reason why a world cannot begin a plan.
enum Failed {
    /// The plan is wrong.
    Plan(Box<Report>),
    /// The world has another state than before.
    State,
}
