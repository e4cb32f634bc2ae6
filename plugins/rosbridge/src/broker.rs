//! Services and actions that clients offer to other clients: requests and answers are forwarded.
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use serde_json::{Value as Json, json};

use crate::{calls::response, outbox::Outbox};

/// Maximum number of services and actions that clients offer.
const MOST_OFFERS: usize = 4096;
/// Maximum number of requests to clients that are not answered.
const MOST_FORWARDED: usize = 4096;

/// Status of an action goal that was not carried out, as in `action_msgs/msg/GoalStatus`.
pub(crate) const STATUS_UNKNOWN: u8 = 0;

/// A service or an action of a client.
struct Offer {
    client: usize,
    kind: String,
}

/// A request that was forwarded to the client that answers it.
struct Forwarded {
    caller: usize,
    /// The caller's id of the request.
    id: Json,
    name: String,
    provider: usize,
    is_action: bool,
    until: Option<Instant>,
}

/// Services and actions of clients, and the requests to them.
#[derive(Default)]
pub(crate) struct Broker {
    services: BTreeMap<String, Offer>,
    actions: BTreeMap<String, Offer>,
    forwarded: BTreeMap<String, Forwarded>,
    count: u64,
}

/// Sort of an offer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A service.
    Service,
    /// An action.
    Action,
}

impl Broker {
    fn offers(&mut self, sort: Sort) -> &mut BTreeMap<String, Offer> {
        match sort {
            Sort::Service => &mut self.services,
            Sort::Action => &mut self.actions,
        }
    }

    /// Adds a service or an action of a client.
    ///
    /// # Errors
    ///
    /// Another client offers it, or there are too many.
    pub(crate) fn offer(
        &mut self,
        sort: Sort,
        client: usize,
        name: String,
        kind: &str,
    ) -> Result<(), String> {
        let offers = self.offers(sort);
        if offers
            .get(&name)
            .is_some_and(|offer| offer.client != client)
        {
            return Err(format!("another client offers `{name}`"));
        }
        if offers.len() >= MOST_OFFERS {
            return Err(format!("clients offer at most {MOST_OFFERS} services"));
        }
        let kind = kind.to_owned();
        offers.insert(name, Offer { client, kind });
        Ok(())
    }

    /// Removes a service or an action of a client; those who wait for it receive a failure.
    ///
    /// # Errors
    ///
    /// The client does not offer it.
    pub(crate) fn withdraw(
        &mut self,
        sort: Sort,
        client: usize,
        name: &str,
        outbox: &mut Outbox,
    ) -> Result<(), String> {
        let offers = self.offers(sort);
        if offers.get(name).is_none_or(|offer| offer.client != client) {
            return Err(format!("this client does not offer `{name}`"));
        }
        offers.remove(name);
        self.fail(
            outbox,
            "the client that offered it has withdrawn it",
            |request| request.provider == client && request.name == name,
        );
        Ok(())
    }

    /// Returns the services or the actions of clients with their types, by name.
    pub(crate) fn list(&self, sort: Sort) -> impl Iterator<Item = (&str, &str)> {
        let offers = match sort {
            Sort::Service => &self.services,
            Sort::Action => &self.actions,
        };
        offers
            .iter()
            .map(|(name, offer)| (name.as_str(), offer.kind.as_str()))
    }

    /// Forwards a request to the client that offers a service or an action. Returns false if no client offers it.
    pub(crate) fn forward(
        &mut self,
        sort: Sort,
        caller: usize,
        (name, operation): (&str, &Json),
        now: Instant,
        outbox: &mut Outbox,
    ) -> bool {
        let Some(provider) = self.offers(sort).get(name).map(|offer| offer.client) else {
            return false;
        };
        let id = operation.get("id").cloned().unwrap_or(Json::Null);
        let seconds = operation.get("timeout").and_then(Json::as_f64);
        let limit = seconds.filter(|limit| *limit > 0.0 && *limit <= 86_400.0);
        let is_action = sort == Sort::Action;
        let request = Forwarded {
            caller,
            id,
            name: name.to_owned(),
            provider,
            is_action,
            until: limit.map(|limit| now + Duration::from_secs_f64(limit)),
        };
        if self.forwarded.len() >= MOST_FORWARDED {
            request.fail(outbox, "too many requests to clients are not answered");
            return true;
        }
        self.count += 1;
        let own = format!("forwarded:{}", self.count);
        let mut message = operation.clone();
        message["id"] = own.clone().into();
        message[if is_action { "action" } else { "service" }] = name.into();
        if message["args"].is_null() {
            message["args"] = json!({});
        }
        outbox.send(provider, message.to_string());
        self.forwarded.insert(own, request);
        true
    }

    /// Forwards the answer of a client, or feedback, to the caller.
    ///
    /// # Errors
    ///
    /// The client has no request with this id.
    pub(crate) fn answer(
        &mut self,
        provider: usize,
        operation: &Json,
        outbox: &mut Outbox,
    ) -> Result<(), String> {
        let own = operation
            .get("id")
            .and_then(Json::as_str)
            .unwrap_or_default();
        let request = self.forwarded.get(own);
        let request = request
            .filter(|request| request.provider == provider)
            .ok_or_else(|| format!("there is no request with the id `{own}`"))?;
        let mut message = operation.clone();
        match (&request.id, message.as_object_mut()) {
            (Json::Null, Some(message)) => {
                message.remove("id");
            }
            (id, _) => message["id"] = id.clone(),
        }
        outbox.send(request.caller, message.to_string());
        if operation["op"] != "action_feedback" {
            self.forwarded.remove(own);
        }
        Ok(())
    }

    /// Forwards the cancellation of a goal. Returns false if the caller has no goal with this id.
    pub(crate) fn cancel(&self, caller: usize, id: &Json, outbox: &mut Outbox) -> bool {
        let mut requests = self.forwarded.iter();
        let entry =
            requests.find(|(_, one)| one.is_action && one.caller == caller && one.id == *id);
        let Some((own, request)) = entry else {
            return false;
        };
        let message = json!({ "op": "cancel_action_goal", "id": own, "action": request.name });
        outbox.send(request.provider, message.to_string());
        true
    }

    /// Removes everything of a client that has disconnected.
    pub(crate) fn remove_client(&mut self, client: usize, outbox: &mut Outbox) {
        self.services.retain(|_, offer| offer.client != client);
        self.actions.retain(|_, offer| offer.client != client);
        self.fail(
            outbox,
            "the client that offered it has disconnected",
            |request| request.provider == client,
        );
        let left = self.forwarded.values().filter(|one| one.caller == client);
        let goals: Vec<Json> = left
            .filter(|one| one.is_action)
            .map(|one| one.id.clone())
            .collect();
        for id in goals {
            self.cancel(client, &id, outbox);
        }
        self.forwarded.retain(|_, one| one.caller != client);
    }

    /// Answers the requests whose time limit has passed with a failure.
    pub(crate) fn expire(&mut self, now: Instant, outbox: &mut Outbox) {
        self.fail(
            outbox,
            "the client that offers it has not answered in time",
            |request| request.until.is_some_and(|until| until <= now),
        );
    }

    /// Returns true if requests have time limits, which are to be checked.
    pub(crate) fn has_limits(&self) -> bool {
        self.forwarded
            .values()
            .any(|request| request.until.is_some())
    }

    fn fail(&mut self, outbox: &mut Outbox, why: &str, is_lost: impl Fn(&Forwarded) -> bool) {
        self.forwarded.retain(|_, request| {
            let is_lost = is_lost(request);
            if is_lost {
                request.fail(outbox, why);
            }
            !is_lost
        });
    }
}

impl Forwarded {
    /// Sends the caller a failure.
    fn fail(&self, outbox: &mut Outbox, why: &str) {
        let name = &self.name;
        let why = format!("`{name}`: {why}");
        let text = match self.is_action {
            true => json!({
                "op": "action_result", "id": self.id, "action": name,
                "values": why, "status": STATUS_UNKNOWN, "result": false,
            })
            .to_string(),
            false => response(&self.id, name, why.into(), false),
        };
        outbox.send(self.caller, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(outbox: &mut Outbox) -> Vec<(usize, Json)> {
        let messages = std::mem::take(&mut outbox.messages).into_iter();
        let parsed = messages.map(|(client, text)| (client, serde_json::from_str(&text).unwrap()));
        parsed.collect()
    }

    #[test]
    fn a_call_is_answered_once_by_the_client_that_was_called() {
        let (mut broker, mut outbox, now) = (
            Broker::default(),
            Outbox::default(),
            morse_server::clock::now(),
        );
        broker
            .offer(Sort::Service, 1, "/add".to_owned(), "a/Add")
            .unwrap();
        assert!(
            broker
                .offer(Sort::Service, 2, "/add".to_owned(), "a/Add")
                .is_err()
        );
        let call =
            json!({ "op": "call_service", "id": "mine", "service": "add", "args": { "a": 1 } });
        assert!(broker.forward(Sort::Service, 2, ("/add", &call), now, &mut outbox));
        let (provider, asked) = sent(&mut outbox).remove(0);
        assert_eq!((provider, &asked["args"]), (1, &json!({ "a": 1 })));
        let answer = json!({ "op": "service_response", "id": asked["id"], "service": "/add", "values": { "sum": 2 }, "result": true });
        assert!(
            broker.answer(3, &answer, &mut outbox).is_err(),
            "another client"
        );
        broker.answer(1, &answer, &mut outbox).unwrap();
        let (caller, answered) = sent(&mut outbox).remove(0);
        assert_eq!(
            (caller, &answered["id"], &answered["values"]["sum"]),
            (2, &json!("mine"), &json!(2))
        );
        assert!(broker.answer(1, &answer, &mut outbox).is_err(), "twice");
    }

    #[test]
    fn callers_of_a_client_that_has_left_receive_failures() {
        let (mut broker, mut outbox, now) = (
            Broker::default(),
            Outbox::default(),
            morse_server::clock::now(),
        );
        broker
            .offer(Sort::Action, 1, "/walk".to_owned(), "a/Walk")
            .unwrap();
        let goal = json!({ "op": "send_action_goal", "id": "g", "action": "/walk" });
        assert!(broker.forward(Sort::Action, 2, ("/walk", &goal), now, &mut outbox));
        assert!(broker.cancel(2, &json!("g"), &mut outbox));
        assert!(!broker.cancel(3, &json!("g"), &mut outbox));
        sent(&mut outbox);
        broker.remove_client(1, &mut outbox);
        let (caller, failure) = sent(&mut outbox).remove(0);
        assert_eq!(
            (caller, &failure["id"], &failure["result"]),
            (2, &json!("g"), &json!(false))
        );
        assert!(!broker.forward(Sort::Action, 2, ("/walk", &goal), now, &mut outbox));
    }

    #[test]
    fn requests_expire() {
        let (mut broker, mut outbox, now) = (
            Broker::default(),
            Outbox::default(),
            morse_server::clock::now(),
        );
        broker
            .offer(Sort::Service, 1, "/slow".to_owned(), "a/B")
            .unwrap();
        let call = json!({ "op": "call_service", "id": 7, "service": "/slow", "timeout": 0.5 });
        broker.forward(Sort::Service, 2, ("/slow", &call), now, &mut outbox);
        sent(&mut outbox);
        broker.expire(now, &mut outbox);
        assert!(broker.has_limits() && sent(&mut outbox).is_empty());
        broker.expire(now + Duration::from_millis(501), &mut outbox);
        assert_eq!(sent(&mut outbox)[0].1["result"], false);
        assert!(!broker.has_limits());
    }
}
