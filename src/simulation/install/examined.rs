//! Checks of middlewares before they are started: reasons why they cannot start, and ports that two of them use.
use bevy::prelude::*;
use morse_api::{
    kind::Kinds,
    middleware::{Obstacle, Outlook, Weight},
};
use morse_diagnostics::Diagnostic;
use morse_simulation_file::{Simulation, Spanned, model::Middleware};
use std::net::SocketAddr;

use super::at;
use crate::middleware::Connections;

/// Checks whether the middlewares of a simulation file can start, as far as that can be determined before.
pub(super) fn examine(
    world: &World,
    simulation: &Simulation,
    connections: &Connections,
) -> Vec<Diagnostic> {
    let kinds = world.resource::<Kinds>();
    let mut problems = Vec::new();
    let mut taken: Vec<(&Spanned<String>, SocketAddr)> = Vec::new();
    for (name, middleware) in &simulation.middlewares {
        let kind = kinds.middlewares.get(middleware.kind.as_str());
        let Some((kind, context)) = kind.zip(connections.get(name.as_str())) else {
            continue;
        };
        let Outlook { obstacles, listens } = (kind.examine)(&middleware.settings.0, context);
        let reported = obstacles.iter().map(|why| reported(why, name, middleware));
        problems.extend(reported);
        for address in listens.into_iter().filter(|address| address.port() != 0) {
            let other = taken.iter().find(|(_, other)| is_same(*other, address));
            problems.extend(other.map(|(other, _)| twice(name, other, address.port(), middleware)));
            taken.push((name, address));
        }
    }
    problems
}

/// Returns true if two listeners exclude each other.
fn is_same(one: SocketAddr, other: SocketAddr) -> bool {
    let is_any = one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() == other.port() && (is_any || one.ip() == other.ip())
}

fn reported(why: &Obstacle, name: &str, middleware: &Middleware) -> Diagnostic {
    let message = format!("`{name}`: {}", why.message);
    let (problem, label) = match why.weight {
        Weight::Warning => (
            Diagnostic::warning("simulation::middleware", message),
            "used here",
        ),
        Weight::Settings => (
            Diagnostic::error("simulation::middleware", message),
            "it cannot be started",
        ),
        Weight::Files => (
            Diagnostic::error("simulation::middleware-files", message),
            "it cannot start without",
        ),
    };
    let problem = at(problem, &middleware.kind, label);
    match &why.help {
        Some(help) => problem.help(help),
        None => problem,
    }
}

fn twice(name: &str, other: &str, port: u16, middleware: &Middleware) -> Diagnostic {
    let message = match name == other {
        true => format!("`{name}` listens at the port {port} twice"),
        false => format!("`{other}` and `{name}` both listen at the port {port}"),
    };
    let problem = Diagnostic::error("simulation::port", message)
        .help("give one of them another `port`, or 0 for any that is free");
    at(problem, &middleware.kind, "it cannot be started")
}
