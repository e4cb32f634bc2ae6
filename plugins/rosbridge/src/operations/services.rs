//! Operations on services.
use std::time::Instant;

use morse_server::requests::MOST_UNDER_WAY;
use serde_json::{Value as Json, json};

use super::{Scope, name, text};
use crate::{
    broker::Sort,
    calls::{Call, response, send},
    client::Client,
    graph::with_slash,
    hub::Hub,
    republisher, rosapi,
};

/// Ending of the names of services that cancel the goals of an action.
const CANCEL: &str = "/_action/cancel_goal";

pub(super) fn call(
    scope: &mut Scope<'_>,
    client: &mut Client,
    operation: &Json,
    now: Instant,
) -> Result<(), String> {
    let written = text(operation, "service")?;
    let id = operation.get("id").cloned().unwrap_or(Json::Null);
    let arguments = operation.get("args").cloned().unwrap_or(Json::Null);
    let from_root = with_slash(written);
    let Hub { broker, outbox, .. } = &mut *scope.hub;
    if broker.forward(
        Sort::Service,
        scope.number,
        (&from_root, operation),
        now,
        outbox,
    ) {
        return Ok(());
    }
    let answered = match own_answer(scope, &from_root, &arguments, now) {
        Some(answered) => Some(answered),
        None => rosapi::answer(scope, &from_root, &arguments).map(Ok),
    };
    if let Some(answered) = answered {
        let is_success = answered.is_ok();
        let value = answered.unwrap_or_else(Json::from);
        client.send(response(&id, written, value, is_success));
        return Ok(());
    }
    let call = Call {
        client: scope.number,
        id: id.clone(),
        name: written.to_owned(),
    };
    let sent = match client.under_way >= MOST_UNDER_WAY {
        true => Err("too many unanswered calls of this client".to_owned()),
        false => request(scope, call, &from_root, arguments),
    };
    match sent {
        Ok(()) => client.under_way += 1,
        Err(why) => client.send(response(&id, written, why.into(), false)),
    }
    Ok(())
}

/// Sends a call to the simulation.
///
/// # Errors
///
/// There is no such service, or the call cannot be sent.
fn request(scope: &Scope<'_>, call: Call, service: &str, arguments: Json) -> Result<(), String> {
    if rosapi::is_list(service) {
        let list = rosapi::ServiceList::new(scope, service, &arguments);
        let list_services = ("simulation", "list_services");
        return send(scope.calls, call, list_services, json!([]), move |value| {
            list.answer(&value)
        });
    }
    let target = scope.graph.service(service).ok_or_else(|| {
        format!(
            "there is no service `{}`: a component offers its services to this middleware if it names it in its `services`",
            call.name
        )
    })?;
    // Clients without argument names send an empty object.
    let arguments = match arguments {
        Json::Object(fields) if fields.is_empty() => Json::Null,
        other => other,
    };
    send(scope.calls, call, target, arguments, |value| value)
}

/// Returns the answer of a service of the server itself; `None` if it is not one.
fn own_answer(
    scope: &mut Scope<'_>,
    service: &str,
    arguments: &Json,
    now: Instant,
) -> Option<Result<Json, String>> {
    if service == republisher::SERVICE {
        let asked = scope.hub.republisher.call(scope.number, arguments, now);
        return Some(asked);
    }
    let action = service.strip_suffix(CANCEL)?;
    if !scope.hub.actions.contains(action) {
        return None;
    }
    let count = scope.hub.actions.cancel_all(scope.calls, action);
    // None was cancelled: all are finished.
    let code = if count > 0 { 0 } else { 3 };
    Some(Ok(json!({ "return_code": code, "goals_canceling": [] })))
}

pub(super) fn advertise(scope: &mut Scope<'_>, operation: &Json) -> Result<(), String> {
    let service = name(operation, "service")?;
    let kind = operation.get("type").and_then(Json::as_str);
    let is_own = scope.graph.service(&service).is_some()
        || service == republisher::SERVICE
        || service.starts_with("/rosapi/");
    if is_own {
        return Err(format!("`{service}` is a service of the simulation"));
    }
    let broker = &mut scope.hub.broker;
    broker.offer(
        Sort::Service,
        scope.number,
        service,
        kind.unwrap_or_default(),
    )
}

pub(super) fn unadvertise(scope: &mut Scope<'_>, operation: &Json) -> Result<(), String> {
    let service = name(operation, "service")?;
    let Hub { broker, outbox, .. } = &mut *scope.hub;
    broker.withdraw(Sort::Service, scope.number, &service, outbox)
}
