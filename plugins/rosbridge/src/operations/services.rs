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
    let refused = |why: String| response(&id, written, why.into(), false);
    let call = Call {
        client: scope.number,
        id: id.clone(),
        name: written.to_owned(),
    };
    let is_list = rosapi::is_list(&from_root);
    let place = match is_list {
        true => Some(("simulation", "list_services")),
        false => scope.graph.service(&from_root),
    };
    let Some(place) = place else {
        client.send(refused(format!(
            "there is no service `{written}`: a component offers its services to this middleware if it names it in its `services`"
        )));
        return Ok(());
    };
    if client.under_way >= MOST_UNDER_WAY {
        client.send(refused(
            "too many unanswered calls of this client".to_owned(),
        ));
        return Ok(());
    }
    let sent = if is_list {
        let list = rosapi::ServiceList::new(scope, &from_root, &arguments);
        send(scope.calls, call, place, json!([]), move |value| {
            list.answer(&value)
        })
    } else {
        // Clients without argument names send an empty object.
        let arguments = match arguments {
            Json::Object(fields) if fields.is_empty() => Json::Null,
            other => other,
        };
        send(scope.calls, call, place, arguments, |value| value)
    };
    match sent {
        Ok(()) => client.under_way += 1,
        Err(why) => client.send(refused(why)),
    }
    Ok(())
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
