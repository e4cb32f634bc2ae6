//! Dispatch of a request: answered here, or sent to the simulation.
use morse_api::{
    middleware::Failure,
    service::{Reply, ServiceError},
};
use serde_json::{Value as Json, json};

use crate::{
    discovery,
    request::{Line, parse, reply_line},
    server::{Answer, Server, locked},
};

/// The components that every simulation has.
const GLOBAL: [&str; 3] = ["simulation", "communication", "time"];

impl Server {
    /// Deals with one line of a client; false if the simulation cannot take it yet, and it was put back.
    pub(crate) fn request(&mut self, token: usize, line: &[u8]) -> bool {
        match parse(line) {
            Line::Wrong(id, why) => self.reply(token, &id, &failed(why)),
            Line::Cancel(id) => {
                let connection = self.connection(token);
                let number = connection.and_then(|known| known.under_way.get(&id).copied());
                // Where nothing is under way, or the simulation has ended, nothing is cancelled.
                let cancelled = number.map(|number| self.requests.cancel(number));
                if let Some(Err(Failure::Environment(_))) = cancelled {
                    return self.hold_up(token, line);
                }
            }
            Line::Call {
                id,
                component,
                service,
                arguments,
            } => {
                if let Some(reply) = discovery::answer(self, &component, &service, &arguments) {
                    self.reply(token, &id, &reply);
                } else if !self.is_offered(&component) {
                    self.reply(token, &id, &unregistered(&service));
                } else {
                    return self.forward(token, line, &id, (&component, &service, arguments));
                }
            }
        }
        true
    }

    fn is_offered(&self, component: &str) -> bool {
        GLOBAL.contains(&component) || self.services.contains(component)
    }

    fn forward(
        &mut self,
        token: usize,
        line: &[u8],
        id: &str,
        (component, service, arguments): (&str, &str, Json),
    ) -> bool {
        let (answers, notifier) = (self.answers.clone(), self.notifier.clone());
        let is_details = (component, service) == ("simulation", "details");
        let (own, name) = (id.to_owned(), service.to_owned());
        let take = move |reply: Reply| {
            let answer = Answer {
                connection: token,
                id: own,
                is_details,
                reply: as_morse_says(reply, &name),
            };
            locked(&answers).push(answer);
            notifier.notify();
        };
        match self.requests.send(component, service, arguments, take) {
            Ok(number) => {
                if let Some(connection) = self.connection(token) {
                    connection.under_way.insert(id.to_owned(), number);
                    connection.unanswered += 1;
                }
                true
            }
            Err(Failure::Environment(_)) => self.hold_up(token, line),
            Err(Failure::PeerLost(why)) => {
                self.reply(token, id, &failed(why));
                true
            }
        }
    }

    /// The simulation has to take others first.
    fn hold_up(&mut self, token: usize, line: &[u8]) -> bool {
        if let Some(connection) = self.connection(token) {
            connection.put_back(line);
        }
        self.held_up.insert(token);
        false
    }

    fn reply(&mut self, token: usize, id: &str, reply: &Reply) {
        self.say(token, reply_line(id, reply));
    }
}

/// A reply that says why not.
pub(crate) fn failed(why: String) -> Reply {
    Reply::failed(ServiceError::Failed(why))
}

/// A reply with a result.
pub(crate) fn done(value: Json) -> Reply {
    Reply::done(value)
}

/// No such service, in MORSE's words.
pub(crate) fn unregistered(service: &str) -> Reply {
    failed(not_registered(service))
}

fn not_registered(service: &str) -> String {
    format!("The request {service} has not been registered in Socket service manager")
}

/// Reply in MORSE's words, where MORSE has words of its own for an error.
fn as_morse_says(reply: Reply, service: &str) -> Reply {
    let words = reply.error.as_ref();
    words
        .and_then(|error| morse_text(error, service))
        .map_or(reply, failed)
}

/// MORSE's text of an error of a request for this service; nothing if the error has its own.
fn morse_text(error: &ServiceError, asked: &str) -> Option<String> {
    Some(match error {
        ServiceError::Unregistered { service, .. } if service == asked => not_registered(service),
        // Another service, which this one called.
        ServiceError::Unregistered { component, service } => {
            format!("The request {service} has not been registered for `{component}`")
        }
        ServiceError::WrongArity {
            service,
            given,
            expected,
            is_bare,
            cause,
            ..
        } => {
            let what = if *is_bare {
                "parameters expected"
            } else {
                "wrong # of parameters"
            };
            let taken = format!("{expected} taken");
            let cause = cause.as_ref().unwrap_or(&taken);
            format!("Socket service manager: {what} for service {service}. {given} given, {cause}")
        }
        ServiceError::WrongType { service, cause, .. } => {
            format!("Socket service manager: wrong parameter type for service {service}. {cause}")
        }
        ServiceError::Busy { service, .. } => {
            format!("A service ({service}) is already running. I do not know what to do.")
        }
        _ => return None,
    })
}

/// Names and ports of streams as a JSON object.
pub(crate) fn ports<'a>(streams: impl Iterator<Item = (&'a str, u16)>) -> Json {
    streams
        .map(|(name, port)| (name.to_owned(), json!(port)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_in_morses_words() {
        let owned = str::to_owned;
        let arity = |is_bare, cause: Option<&str>| ServiceError::WrongArity {
            component: owned("rover.motion"),
            service: owned("go"),
            given: 0,
            expected: 2,
            is_bare,
            cause: cause.map(owned),
        };
        let unregistered = |service: &str| ServiceError::Unregistered {
            component: owned("rover.motion"),
            service: owned(service),
        };
        for (error, text) in [
            (
                unregistered("go"),
                "The request go has not been registered in Socket service manager",
            ),
            (
                unregistered("fly"),
                "The request fly has not been registered for `rover.motion`",
            ),
            (
                arity(false, None),
                "Socket service manager: wrong # of parameters for service go. 0 given, 2 taken",
            ),
            (
                arity(true, Some("missing field `v`")),
                "Socket service manager: parameters expected for service go. 0 given, missing field `v`",
            ),
            (
                ServiceError::WrongType {
                    component: owned("rover.motion"),
                    service: owned("go"),
                    position: Some(1),
                    field: Some(owned("w")),
                    cause: owned("invalid type: string \"a\", expected f64"),
                },
                "Socket service manager: wrong parameter type for service go. invalid type: string \"a\", expected f64",
            ),
            (
                ServiceError::Busy {
                    component: owned("rover.motion"),
                    service: owned("go"),
                },
                "A service (go) is already running. I do not know what to do.",
            ),
            (ServiceError::failed("wrong # of sheep"), "wrong # of sheep"),
        ] {
            let reply = as_morse_says(Reply::failed(error), "go");
            assert_eq!(reply.value, text);
        }
    }
}
