//! Robots and bodies that appear and disappear while a simulation runs.
//!
//! A change is applied between two ticks: the next world is built from the changed plan, and everything that stays continues
//! in it, as after a reload of files. Changes are part of snapshots.
use std::{collections::BTreeSet, sync::Arc};

use morse_api::{
    component::ComponentPath,
    kind::Kinds,
    middleware::Failure,
    service::{self, Reply, ServiceError},
    state::StateError,
    warning::Warnings,
};
use morse_diagnostics::report::Report;

use super::{
    BuildError, Simulation,
    load::{
        Plan,
        robots::{Change, Spawn},
    },
    population::{Population, refused},
    reload::Continuity,
};
use crate::middleware;

impl Simulation {
    /// Adds a robot, between two ticks. Everything else continues; observers and command senders of it stay connected.
    /// Returns warnings about probable mistakes.
    ///
    /// ```
    /// use morse_sim::{Simulation, simulation::load::robots::Spawn};
    ///
    /// let mut simulation = Simulation::load("scenes/boxes.robray")?;
    /// simulation.run(60)?;
    /// simulation.spawn(&Spawn {
    ///     name: "rover".to_owned(),
    ///     definition: r#"(model: "robots/atrv.robray", sensors: { "pose": (kind: "pose") })"#.to_owned(),
    ///     ..Spawn::default()
    /// })?;
    /// simulation.run(1)?;
    /// assert!(simulation.read_any("rover.pose").is_ok());
    /// simulation.delete("rover")?;
    /// assert!(simulation.read_any("rover.pose").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The robot cannot be read, its name is taken, or it exceeds the memory budget; the simulation is unchanged.
    pub fn spawn(&mut self, robot: &Spawn) -> Result<Report, BuildError> {
        self.change(&[Change::Spawn(robot.clone())])
    }

    /// Removes a robot or a body of the scene with everything on it, between two ticks.
    ///
    /// # Errors
    ///
    /// There is no such robot or body, or something else refers to it; the simulation is unchanged.
    pub fn delete(&mut self, name: &str) -> Result<(), BuildError> {
        self.change(&[Change::Delete(name.to_owned())]).map(drop)
    }

    /// Applies several changes together, as [`Simulation::spawn`] and [`Simulation::delete`] do, but faster. Returns
    /// warnings about probable mistakes.
    ///
    /// # Errors
    ///
    /// One of them is impossible; the simulation is unchanged.
    pub fn change(&mut self, changes: &[Change]) -> Result<Report, BuildError> {
        self.apply_requested_changes();
        let world = self.apps.main.world();
        let population = world.resource::<Population>();
        let kinds = world.resource::<Kinds>();
        let mut warnings = Report::default();
        let mut plan = Plan::clone(&population.plan);
        for change in changes {
            let (next, said) = change.apply(&plan, kinds)?;
            plan = next;
            warnings.extend(said);
        }
        self.populate(Arc::new(plan), changes)?;
        Ok(warnings)
    }

    /// Forbids changes that clients request, for this reason.
    pub(crate) fn refuse_changes(&mut self, why: &'static str) {
        self.apps
            .main
            .world_mut()
            .resource_mut::<Population>()
            .refusal = Some(why);
    }

    /// Applies the changes that clients requested. If they cannot be applied together, each is tried alone.
    pub(super) fn apply_requested_changes(&mut self) {
        let population = self.apps.main.world_mut().get_resource_mut::<Population>();
        let Some(next) = population.map(|mut population| std::mem::take(&mut population.next))
        else {
            return;
        };
        let Some(last) = next.last() else {
            return;
        };
        let changes: Vec<Change> = next.iter().map(|request| request.change.clone()).collect();
        if self.populate(last.plan.clone(), &changes).is_ok() {
            for request in &next {
                self.answer(request.ticket, &Reply::done(true.into()));
            }
            return;
        }
        for request in next {
            let reply = match self.change(&[request.change]) {
                Ok(_) => Reply::done(true.into()),
                Err(error) => refused(&error),
            };
            self.answer(request.ticket, &reply);
        }
    }

    fn answer(&mut self, ticket: u64, reply: &Reply) {
        service::answer(self.apps.main.world_mut(), ticket, reply);
        middleware::answer(self.apps.main.world_mut());
    }

    /// Continues with the world of a plan to which some more changes lead.
    fn populate(&mut self, plan: Arc<Plan>, changes: &[Change]) -> Result<(), BuildError> {
        self.keep_start();
        let mut population = self.apps.main.world().resource::<Population>().clone();
        population.plan = plan;
        population.changes.extend_from_slice(changes);
        let fresh = changes.iter().filter_map(|change| match change {
            Change::Spawn(robot) => Some(robot.name.clone()),
            Change::Delete(_) => None,
        });
        let fresh: BTreeSet<String> = fresh.collect();
        let next = self.raise(population)?;
        let failures = self.continue_in(next, &Continuity::AllBut(&fresh)).1;
        self.warn_of(&failures);
        Ok(())
    }

    /// Builds the world to which other changes of the files lead, without continuing anything but clients, so that a
    /// snapshot of it can be restored.
    pub(super) fn return_to(&mut self, changes: &[Change]) -> Result<(), StateError> {
        let failed = |error: BuildError| StateError::Encoding {
            name: "the robots",
            cause: error.to_string(),
        };
        let mut population = self.apps.main.world_mut().resource_mut::<Population>();
        for request in std::mem::take(&mut population.next) {
            let why = "the simulation was set to another state";
            self.answer(request.ticket, &Reply::failed(ServiceError::failed(why)));
        }
        let world = self.apps.main.world();
        let mut population = world.resource::<Population>().clone();
        let plan = population
            .after(changes, world.resource::<Kinds>())
            .map_err(|report| failed(report.into()))?;
        population.plan = Arc::new(plan);
        population.changes = changes.to_vec();
        let next = self
            .raise(population)
            .map_err(|report| failed(report.into()))?;
        let failures = self.continue_in(next, &Continuity::Clients).1;
        self.warn_of(&failures);
        Ok(())
    }

    fn warn_of(&mut self, failures: &[Failure]) {
        if let Some(mut warnings) = self.apps.main.world_mut().get_resource_mut::<Warnings>() {
            let name = ComponentPath("simulation".into());
            for failure in failures {
                warnings.add(&name, &failure.to_string());
            }
        }
    }
}
