//! The next world of a simulation, after its files or its robots have changed.
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use bevy::prelude::*;
use morse_api::{
    command::Mailbox,
    component::{ComponentPath, Mount},
    kind::Kinds,
    log::{CommandLog, LogEntry, LoggedAction},
    middleware::{Failure, Waker},
    sensor::Outputs,
    service,
    state::{Kept, StateRegister},
    tick::Clock,
};
use morse_diagnostics::{Diagnostic, report::Report};

use super::{
    BuildError, Simulation,
    build::{Links, Raised, raise, start},
    definitions::{Definitions, Texts},
    drop_statistics::close_ports,
    install::world_view::Paced,
    load::Plan,
    population::Population,
    state::Snapshot,
};
use crate::{
    middleware::{Connections, Pending},
    service::RunRequests,
    spawn::Spawned,
};

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

/// The next world, before anything of the present one continues in it.
pub(super) struct Next {
    app: App,
    warnings: Report,
    connections: Connections,
    wakes: Vec<Waker>,
    /// State at its start.
    first: Option<Snapshot>,
}

/// Scope of what continues in the next world.
pub(super) enum Continuity<'a> {
    /// Clients only.
    Clients,
    /// Everything except the robots with these names.
    AllBut(&'a BTreeSet<String>),
    /// Everything whose definitions are equal.
    Equal(Definitions, Definitions),
}

impl Simulation {
    /// Replaces the world by that of another plan, between two ticks. `is_changed` returns true for mesh files whose contents
    /// have changed.
    ///
    /// The time continues. Bodies, joints, sensors and actuators continue if their definitions are equal in both plans;
    /// others begin at their start. Middlewares with equal settings keep their clients. Robots that were added and bodies
    /// that were removed since the files were read are added and removed again. A reset leads to the start of the new files.
    /// The command log gets the entry [`LoggedAction::Reload`].
    ///
    /// # Errors
    ///
    /// The world cannot be built, or has another rate; the present world is then unchanged.
    pub fn reload(
        &mut self,
        plan: Plan,
        is_changed: &dyn Fn(&Path) -> bool,
    ) -> Result<Reload, BuildError> {
        self.check_rate(&plan)?;
        self.apply_requested_changes();
        let world = self.apps.main.world();
        let kinds = world.resource::<Kinds>();
        let before = world.resource::<Population>();
        let population = before.of_other_files(plan, kinds)?;
        let unchanged = |_: &Path| false;
        let [old, new] = [&before.plan, &population.plan];
        let continuity = Continuity::Equal(
            Definitions::of(&old.assembly, &old.simulation, kinds, &unchanged),
            Definitions::of(&new.assembly, &new.simulation, kinds, is_changed),
        );
        let next = self.raise(population)?;
        let warnings = next.warnings.clone();
        let (bodies, failures) = self.continue_in(next, &continuity);
        self.start = self.first.take();
        let action = LoggedAction::Reload;
        let tick = self.tick() + 1;
        if let Some(mut log) = self.apps.main.world_mut().get_resource_mut::<CommandLog>() {
            log.0.push(LogEntry { tick, action });
        }
        Ok(Reload {
            warnings,
            bodies,
            failures,
        })
    }

    /// Builds the world of another population.
    pub(super) fn raise(&self, population: Population) -> Result<Next, Box<Report>> {
        let Raised {
            mut app,
            warnings,
            connections,
            wakes,
            ..
        } = raise(&population.plan, self.extensions, self.links())?;
        app.insert_resource(population);
        start(&mut app);
        hand_over_pace(self.apps.main.world(), app.world());
        let first = Snapshot::take(app.world(), &self.beginning()).ok();
        Ok(Next {
            app,
            warnings,
            connections,
            wakes,
            first,
        })
    }

    /// Continues in the next world. Returns the numbers of bodies that move and continue, and of all bodies that move; and
    /// the failures of middlewares.
    pub(super) fn continue_in(
        &mut self,
        next: Next,
        continuity: &Continuity<'_>,
    ) -> ([usize; 2], Vec<Failure>) {
        let Next {
            mut app,
            connections,
            wakes,
            first,
            ..
        } = next;
        let (from, to) = (self.apps.main.world_mut(), app.world_mut());
        let kept = kept(from, to, continuity);
        let bodies = count(&kept, from, to);
        if !matches!(continuity, Continuity::Clients) {
            hand_over_state(from, to, &kept);
        }
        hand_over_clients(from, to, &kept);
        let kinds = to.resource::<Kinds>().clone();
        let plan_of = |world: &World| world.resource::<Population>().plan.clone();
        let (old, new) = (plan_of(from), plan_of(to));
        let mut ended = std::mem::replace(&mut self.apps, std::mem::take(app.sub_apps_mut()));
        let dropped = &mut self.dropped;
        let failures = self.middlewares.reload(
            &kinds,
            (&old.simulation, &new.simulation),
            (connections, wakes),
            move || {
                dropped.add(close_ports(ended.main.world_mut()));
                drop(ended);
            },
        );
        self.first = first;
        let start = self.scene().start;
        if let Some(hashes) = &mut self.hashes {
            hashes.continue_with(start);
        }
        (bodies, failures)
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
        let pending = self.apps.main.world().get_resource::<Pending>();
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

/// Publishes the pace of the run to the clients of the next world.
fn hand_over_pace(from: &World, to: &World) {
    let paced = [from, to].map(World::get_resource::<Paced>);
    if let [Some(from), Some(to)] = paced {
        let (is_held, factor) = from.0.get();
        to.0.set(is_held, factor);
    }
}

/// Returns the entities that continue in the next world.
fn kept(from: &mut World, to: &mut World, continuity: &Continuity<'_>) -> Kept {
    let mut kept = Kept::default();
    let mut keep = |here: &BTreeMap<String, Entity>,
                    there: &BTreeMap<String, Entity>,
                    texts: fn(&Definitions) -> &Texts| {
        for (name, entity) in here {
            let continues = match continuity {
                Continuity::Clients => true,
                Continuity::AllBut(names) => !is_of_any(name, names),
                Continuity::Equal(old, new) => texts(old)
                    .get(name)
                    .is_some_and(|text| texts(new).get(name) == Some(text)),
            };
            if let Some(next) = there.get(name).filter(|_| continues) {
                kept.0.insert(*entity, *next);
            }
        }
    };
    let (here, there) = (components(from), components(to));
    keep(&here, &there, |texts| &texts.components);
    let (here, there) = (from.resource::<Spawned>(), to.resource::<Spawned>());
    keep(&here.frames, &there.frames, |texts| &texts.frames);
    keep(&here.bodies, &there.bodies, |texts| &texts.bodies);
    keep(&here.variables, &there.variables, |texts| &texts.variables);
    kept
}

/// Returns true if a path is the name of one of these robots, of one of its copies, or of a part of one.
fn is_of_any(path: &str, robots: &BTreeSet<String>) -> bool {
    robots.iter().any(|robot| {
        let rest = path.strip_prefix(robot.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_']))
    })
}

/// Returns sensors and actuators by path.
pub(super) fn components(world: &mut World) -> BTreeMap<String, Entity> {
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

/// Moves the time and the state of everything that is kept to the next world.
fn hand_over_state(from: &World, to: &mut World, kept: &Kept) {
    to.resource_mut::<Clock>().tick = from.resource::<Clock>().tick;
    let register = to.get_resource::<StateRegister>().cloned();
    for entry in register.unwrap_or_default().0 {
        (entry.carry)(from, to, kept);
    }
}

/// Moves the requests of clients, their command senders and observers, and the command log to the next world.
fn hand_over_clients(from: &mut World, to: &mut World, kept: &Kept) {
    service::carry(from, to, kept);
    if let Some(mut pending) = from.get_resource_mut::<Pending>() {
        to.get_resource_or_init::<Pending>().take_over(&mut pending);
    }
    if let Some(requests) = from.remove_resource::<RunRequests>() {
        to.insert_resource(requests);
    }
    if let Some(log) = from.remove_resource::<CommandLog>() {
        to.insert_resource(log);
    }
    for (&old, &new) in &kept.0 {
        if let Some(mailbox) = from.entity_mut(old).take::<Mailbox>()
            && let Some(mut next) = to.get_mut::<Mailbox>(new)
        {
            next.adopt(mailbox);
        }
        if let Some(mut outputs) = from.get_mut::<Outputs>(old)
            && let Some(mut next) = to.get_mut::<Outputs>(new)
        {
            let ports = outputs.0.extract_if(.., |port| port.outlives_world);
            next.0.extend(ports);
        }
    }
}
