//! The next world of a simulation, after its files have changed.
use std::{collections::BTreeMap, path::Path};

use bevy::prelude::*;
use morse_api::{
    component::{ComponentPath, Mount},
    kind::Kinds,
    log::{CommandLog, LogEntry, LoggedAction},
    middleware::Failure,
    state::{Kept, StateRegister},
    tick::Clock,
};
use morse_diagnostics::{Diagnostic, report::Report};

use super::{
    BuildError, Extensions, Simulation,
    build::{Links, Raised, raise, start},
    definitions::{Definitions, Texts},
    drop_statistics::close_ports,
    load::Plan,
    state::Snapshot,
};
use crate::{middleware::Pending, service::RunRequests, spawn::Spawned};

/// Outcome of [`Simulation::reload`].
#[derive(Debug)]
pub struct Reload {
    /// Warnings about probable mistakes in the files.
    pub warnings: Report,
    /// Number of bodies that move and whose motion continues, and number of all bodies that move.
    pub bodies: [usize; 2],
    /// Middlewares that could not continue with the new world; they are missing from then on.
    pub failures: Vec<Failure>,
}

impl Simulation {
    /// Replaces the world by that of a plan, between two ticks. `before` is the plan of the present world, and `is_changed`
    /// returns true for mesh files whose contents have changed.
    ///
    /// The time continues. Bodies, joints, sensors and actuators continue if their definitions are equal in both plans;
    /// others begin at their start. Middlewares with equal settings keep their clients. A reset leads to the start of the
    /// new files. The command log gets the entry [`LoggedAction::Reload`].
    ///
    /// # Errors
    ///
    /// The world cannot be built, or has another rate; the present world is then unchanged.
    pub fn reload(
        &mut self,
        before: &Plan,
        plan: Plan,
        is_changed: &dyn Fn(&Path) -> bool,
        extensions: Extensions<'_>,
    ) -> Result<Reload, BuildError> {
        self.check_rate(&plan)?;
        let kinds = self.app.world().resource::<Kinds>().clone();
        let unchanged = |_: &Path| false;
        let old = Definitions::of(&before.assembly, &before.simulation, &kinds, &unchanged);
        let new = Definitions::of(&plan.assembly, &plan.simulation, &kinds, is_changed);
        let Raised {
            mut app,
            warnings,
            connections,
            wakes,
            simulation,
            ..
        } = raise(plan, extensions, self.links())?;
        start(&mut app);
        let first = Snapshot::take(app.world(), &self.beginning()).ok();
        let kept = kept(self.app.world_mut(), app.world_mut(), &old, &new);
        let bodies = count(&kept, self.app.world(), app.world());
        hand_over(self.app.world_mut(), app.world_mut(), &kept);
        let mut ended = std::mem::replace(&mut self.app, app);
        let dropped = &mut self.dropped;
        let failures = self.middlewares.reload(
            &kinds,
            (&before.simulation, &simulation),
            (connections, wakes),
            move || {
                dropped.add(close_ports(ended.world_mut()));
                drop(ended);
            },
        );
        self.start = first;
        let start = self.scene().start;
        if let Some(hashes) = &mut self.hashes {
            hashes.continue_with(start);
        }
        Ok(Reload {
            warnings,
            bodies,
            failures,
        })
    }

    /// Shows a message to clients that display the run, such as the errors of a file that cannot be loaded.
    pub fn show_message(&mut self, text: &str) {
        self.middlewares.show_message(text);
    }

    fn check_rate(&self, plan: &Plan) -> Result<(), Box<Report>> {
        let (now, next) = (self.clock().rate, &plan.simulation.environment.rate);
        if now == next.value {
            return Ok(());
        }
        let message = format!(
            "the rate cannot change from {now} to {} while the simulation runs",
            next.value
        );
        let problem = Diagnostic::error("reload::rate", message);
        let problem = match next.span {
            Some(span) => problem.at(span, "another rate"),
            None => problem,
        };
        let mut report = Box::<Report>::default();
        report.add([problem.help("start the simulation again")], &plan.sources);
        Err(report)
    }

    /// Returns the ends of channels to clients, for the next world.
    fn links(&self) -> Links {
        let pending = self.app.world().get_resource::<Pending>();
        match pending.and_then(Pending::messages) {
            Some(asked) => Links {
                requests: self.requests.clone(),
                asked,
                gate: self.middlewares.gate().clone(),
            },
            None => Links::default(),
        }
    }
}

/// Returns the entities whose definitions are equal in both worlds.
fn kept(from: &mut World, to: &mut World, old: &Definitions, new: &Definitions) -> Kept {
    let mut kept = Kept::default();
    let mut keep = |here: &BTreeMap<String, Entity>,
                    there: &BTreeMap<String, Entity>,
                    old: &Texts,
                    new: &Texts| {
        for (name, entity) in here {
            let is_same = old
                .get(name)
                .is_some_and(|text| new.get(name) == Some(text));
            if let Some(next) = there.get(name).filter(|_| is_same) {
                kept.0.insert(*entity, *next);
            }
        }
    };
    let (here, there) = (components(from), components(to));
    keep(&here, &there, &old.components, &new.components);
    let (here, there) = (from.resource::<Spawned>(), to.resource::<Spawned>());
    keep(&here.frames, &there.frames, &old.frames, &new.frames);
    keep(&here.bodies, &there.bodies, &old.bodies, &new.bodies);
    keep(
        &here.variables,
        &there.variables,
        &old.variables,
        &new.variables,
    );
    kept
}

/// Returns sensors and actuators by path.
fn components(world: &mut World) -> BTreeMap<String, Entity> {
    let mut components = world.query_filtered::<(&ComponentPath, Entity), With<Mount>>();
    let components = components.iter(world);
    components
        .map(|(path, entity)| (path.to_string(), entity))
        .collect()
}

/// Returns the numbers of bodies that move and are kept, and of all bodies that move.
fn count(kept: &Kept, from: &World, to: &World) -> [usize; 2] {
    use morse_api::body::BodyKind;
    let moves = |world: &World, body: Entity| {
        let kind = world.get::<BodyKind>(body);
        kind.is_some_and(|kind| *kind != BodyKind::Fixed)
    };
    let bodies = from.resource::<Spawned>().bodies.values();
    let continued = bodies.filter(|body| kept.0.contains_key(body) && moves(from, **body));
    let all = to.resource::<Spawned>().bodies.values();
    [
        continued.count(),
        all.filter(|body| moves(to, **body)).count(),
    ]
}

/// Moves the time, the requests of clients and the state of everything that is kept to the next world.
fn hand_over(from: &mut World, to: &mut World, kept: &Kept) {
    let tick = from.resource::<Clock>().tick;
    to.resource_mut::<Clock>().tick = tick;
    let register = to.get_resource::<StateRegister>().cloned();
    for entry in register.unwrap_or_default().0 {
        (entry.carry)(from, to, kept);
    }
    if let Some(mut pending) = from.get_resource_mut::<Pending>() {
        to.get_resource_or_init::<Pending>().take_over(&mut pending);
    }
    if let Some(requests) = from.remove_resource::<RunRequests>() {
        to.insert_resource(requests);
    }
    if let Some(mut log) = from.remove_resource::<CommandLog>() {
        log.0.push(LogEntry {
            tick: tick + 1,
            action: LoggedAction::Reload,
        });
        to.insert_resource(log);
    }
}
