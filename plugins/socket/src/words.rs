//! Replies with MORSE's texts.
use morse_api::service::{Reply, ServiceError};
use serde_json::{Value as Json, json};

/// Returns a reply for a failure, with the reason.
pub(crate) fn failed(why: String) -> Reply {
    Reply::failed(ServiceError::Failed(why))
}

/// Returns a reply with a result.
pub(crate) fn done(value: Json) -> Reply {
    Reply::done(value)
}

/// Returns the reply for an unknown service, with MORSE's text.
pub(crate) fn unregistered(service: &str) -> Reply {
    failed(not_registered(service))
}

fn not_registered(service: &str) -> String {
    format!("The request {service} has not been registered in Socket service manager")
}

/// Replaces the text of an error by MORSE's, if MORSE has one.
pub(crate) fn as_morse_says(reply: Reply, service: &str) -> Reply {
    let words = reply.error.as_ref();
    words
        .and_then(|error| morse_text(error, service))
        .map_or(reply, failed)
}

/// Returns MORSE's text of an error of a request for this service; `None` if it has none.
fn morse_text(error: &ServiceError, asked: &str) -> Option<String> {
    Some(match error {
        ServiceError::Unregistered { service, .. } if service == asked => not_registered(service),
        // The error concerns another service, which this one called.
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

/// Returns names and ports of streams as a JSON object.
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
