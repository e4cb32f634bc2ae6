//! Changes of the robots and bodies since the files of a world were read, and changes that clients have requested.
use std::sync::Arc;

use bevy::prelude::*;
use morse_api::{
    kind::Kinds,
    service::{self, Reply, ServiceError},
};
use morse_diagnostics::{Style, report::Report};

use super::{
    BuildError,
    load::{Plan, robots::Change},
};

/// Plan of a world, and the changes since the files were read.
#[derive(Resource, Clone)]
pub(crate) struct Population {
    /// Plan of the files.
    files: Arc<Plan>,
    /// Plan of the present world.
    pub(super) plan: Arc<Plan>,
    /// Changes that lead from the files to the present world, in order.
    pub(super) changes: Vec<Change>,
    /// Changes that are applied before the next tick.
    pub(super) next: Vec<Request>,
    /// Reason why this run cannot change.
    pub(super) refusal: Option<&'static str>,
}

/// A change that a client requested.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) change: Change,
    /// Plan after this change and all earlier ones.
    pub(super) plan: Arc<Plan>,
    /// Ticket of the client's request.
    pub(super) ticket: u64,
}

impl Population {
    pub(super) fn new(plan: Arc<Plan>) -> Self {
        Self {
            files: plan.clone(),
            plan,
            changes: Vec::new(),
            next: Vec::new(),
            refusal: None,
        }
    }

    /// Returns the population after the files have changed, with the same changes.
    ///
    /// # Errors
    ///
    /// A change is impossible with the new files.
    pub(super) fn of_other_files(&self, files: Plan, kinds: &Kinds) -> Result<Self, Box<Report>> {
        let mut population = Self {
            files: Arc::new(files),
            ..self.clone()
        };
        population.plan = match population.changes.is_empty() {
            true => population.files.clone(),
            false => Arc::new(population.after(&population.changes, kinds)?),
        };
        Ok(population)
    }

    /// Returns the plan after changes of the files' plan.
    pub(super) fn after(&self, changes: &[Change], kinds: &Kinds) -> Result<Plan, Box<Report>> {
        let mut plan = Plan::clone(&self.files);
        for change in changes {
            plan = change.apply(&plan, kinds)?.0;
        }
        Ok(plan)
    }
}

/// Returns the changes that lead from the files to a world.
pub(super) fn changes(world: &World) -> &[Change] {
    let population = world.get_resource::<Population>();
    population.map_or(&[], |population| &population.changes)
}

/// Checks a change that a client requests, and schedules it before the next tick. Returns the ticket of the answer.
///
/// # Errors
///
/// The change is impossible; nothing is scheduled.
pub(crate) fn request(world: &mut World, change: Change) -> Result<u64, ServiceError> {
    let population = world.resource::<Population>();
    if let Some(refusal) = population.refusal {
        return Err(ServiceError::failed(refusal));
    }
    let last = population.next.last();
    let plan = last.map_or(&population.plan, |request| &request.plan);
    let (plan, _) = change
        .apply(plan, world.resource::<Kinds>())
        .map_err(|report| ServiceError::failed(text(&report)))?;
    let ticket = service::ticket(world);
    world.resource_mut::<Population>().next.push(Request {
        change,
        plan: Arc::new(plan),
        ticket,
    });
    Ok(ticket)
}

/// Returns the reply to a change that is impossible.
pub(super) fn refused(error: &BuildError) -> Reply {
    Reply::failed(ServiceError::failed(match error {
        BuildError::Scene(report) => text(report),
        BuildError::Middleware(failure) => failure.to_string(),
    }))
}

fn text(report: &Report) -> String {
    report.render(Style::Plain).trim_end().to_owned()
}
