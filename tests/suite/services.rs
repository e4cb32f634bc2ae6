//! Services: calls of other services, overlays, settings during the simulation, and the simulation's own services.
mod chaining;
mod globals;
mod morse;
mod overlays;
mod properties;
mod robots;
mod settings;

use morse_api::service::{Reply, Status};
use morse_sim::{Simulation, simulation::Extensions};
use serde_json::Value as Json;

/// Returns a rover on the plain, with these components, in a file with this end.
fn rover_with(components: &str, rest: &str, plugins: Extensions) -> Simulation {
    let text = format!(
        r#"Simulation(
            scene: "boxes.robray",
            robots: {{ "rover": (
                model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 0, 0.1)), {components}
            ) }},
            {rest}
        )"#
    );
    Simulation::parse(&text, "scenes", plugins).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the immediate reply of a service.
fn ask(simulation: &mut Simulation, path: &str, service: &str, arguments: Json) -> Reply {
    let call = simulation.call(path, service, &arguments);
    call.reply()
        .unwrap_or_else(|| panic!("{path} {service}: no answer yet"))
}

/// Returns the result of a service that succeeds at once.
fn answer(simulation: &mut Simulation, path: &str, service: &str, arguments: Json) -> Json {
    let reply = ask(simulation, path, service, arguments);
    assert_eq!(
        reply.status,
        Status::Success,
        "{path} {service}: {}",
        reply.value
    );
    reply.value
}

/// Returns the reason for which a service refuses.
fn refusal(simulation: &mut Simulation, path: &str, service: &str, arguments: Json) -> String {
    let reply = ask(simulation, path, service, arguments);
    assert_eq!(
        reply.status,
        Status::Failed,
        "{path} {service}: {}",
        reply.value
    );
    reply.value.as_str().unwrap_or_default().to_owned()
}
