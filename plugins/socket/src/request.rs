//! Lines of requests and replies.
//!
//! `id component service [arguments]`, `id cancel`; `id SUCCESS|FAILED|PREEMPTED [value]`.
use morse_api::service::{Reply, Status};
use serde_json::Value as Json;

use crate::python;

/// Parsed line of a request.
#[derive(Debug, PartialEq)]
pub enum Line {
    /// Call of a service.
    Call {
        /// Id of the request, chosen by the client.
        id: String,
        /// Path of the component.
        component: String,
        /// Name of the service.
        service: String,
        /// Arguments; null if there are none.
        arguments: Json,
    },
    /// Cancellation of the request with this id.
    Cancel(String),
    /// Invalid line: the id as far as there is one, and the error.
    Wrong(String, String),
}

/// Parses a line, without its end. Separators are runs of spaces and tabs.
#[must_use]
pub fn parse(line: &[u8]) -> Line {
    let Ok(text) = std::str::from_utf8(line) else {
        let (id, _) = split(&String::from_utf8_lossy(line));
        let id = id.chars().filter(char::is_ascii_graphic).collect();
        return Line::Wrong(id, "Malformed request! It is not UTF-8.".to_owned());
    };
    let (id, rest) = split(text);
    let (component, rest) = split(&rest);
    let (service, arguments) = split(&rest);
    if component == "cancel" && service.is_empty() {
        return Line::Cancel(id);
    }
    if component.is_empty() {
        return Line::Wrong(id, "Malformed request! ".to_owned());
    }
    if service.is_empty() {
        let text = "Malformed request! A component and a service are expected, or `cancel`.";
        return Line::Wrong(id, text.to_owned());
    }
    match arguments_of(&arguments) {
        Ok(arguments) => Line::Call {
            id,
            component,
            service,
            arguments,
        },
        Err(error) => Line::Wrong(
            id,
            format!("Invalid request syntax: error while parsing the parameters: {error}"),
        ),
    }
}

/// Returns the positional arguments. An object is converted to its keys, a single value to a list of it; a value that is
/// false in Python yields no arguments.
fn arguments_of(text: &str) -> Result<Json, serde_json::Error> {
    if text.is_empty() {
        return Ok(Json::Null);
    }
    let value: Json = serde_json::from_str(text).or_else(|error| {
        // Infinite numbers and NaN in Python's format are accepted here and checked by the service.
        python::without_python_numbers(text).map_or(Err(error), |text| serde_json::from_str(&text))
    })?;
    Ok(match value {
        value if python::is_falsy(&value) => Json::Null,
        Json::Array(items) => Json::Array(items),
        Json::Object(fields) => fields
            .into_iter()
            .map(|(name, _)| Json::String(name))
            .collect(),
        single => Json::Array(vec![single]),
    })
}

/// Returns the first word, and the rest.
fn split(text: &str) -> (String, String) {
    let text = text.trim();
    let end = text.find([' ', '\t']).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word.to_owned(), rest.trim_start().to_owned())
}

/// Returns the line of a reply, with its end.
#[must_use]
pub fn reply_line(id: &str, reply: &Reply) -> Vec<u8> {
    let status = match reply.status {
        Status::Success => "SUCCESS",
        Status::Failed => "FAILED",
        Status::Preempted => "PREEMPTED",
    };
    let mut line = format!("{id} {status}").into_bytes();
    if !python::is_falsy(&reply.value) {
        line.push(b' ');
        python::write(&mut line, &reply.value);
    }
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(id: &str, component: &str, service: &str, arguments: Json) -> Line {
        let [id, component, service] = [id, component, service].map(str::to_owned);
        Line::Call {
            id,
            component,
            service,
            arguments,
        }
    }

    #[test]
    fn lines_are_read() {
        for (line, expected) in [
            (
                "0 simulation details []",
                call("0", "simulation", "details", Json::Null),
            ),
            (
                "  id1\tsimulation   quit \r",
                call("id1", "simulation", "quit", Json::Null),
            ),
            (
                r#"7 r.m set_speed [1.0,  2]"#,
                call("7", "r.m", "set_speed", json!([1.0, 2])),
            ),
            (
                "7 r.m go [-Infinity]",
                call("7", "r.m", "go", json!([{ "$number": "-Infinity" }])),
            ),
            (r#"7 r.m go {"a": 1}"#, call("7", "r.m", "go", json!(["a"]))),
            ("7 r.m go 5", call("7", "r.m", "go", json!([5]))),
            ("12 cancel", Line::Cancel("12".to_owned())),
            (
                "",
                Line::Wrong(String::new(), "Malformed request! ".to_owned()),
            ),
            (
                "x",
                Line::Wrong("x".to_owned(), "Malformed request! ".to_owned()),
            ),
        ] {
            assert_eq!(parse(line.as_bytes()), expected, "{line}");
        }
        for bad in ["1 foo", "1 a b [", "1 a b [Infinityx]", "1 a b [1e999]"] {
            assert!(
                matches!(parse(bad.as_bytes()), Line::Wrong(id, _) if id == "1"),
                "{bad}"
            );
        }
        assert!(matches!(parse(b"9 a b \xff"), Line::Wrong(id, _) if id == "9"));
        // Python's texts for numbers that JSON lacks are checked by the service.
        assert!(matches!(
            parse(b"1 a b [Infinity, NaN]"),
            Line::Call { arguments, .. }
                if arguments == json!([{ "$number": "Infinity" }, { "$number": "NaN" }])
        ));
    }

    #[test]
    fn false_results_lose_their_value_and_the_space_before_it() {
        let line = |status, value| {
            String::from_utf8(reply_line(
                "3",
                &Reply {
                    status,
                    value,
                    error: None,
                },
            ))
            .unwrap()
        };
        assert_eq!(line(Status::Success, json!(0.0)), "3 SUCCESS\n");
        assert_eq!(
            line(Status::Success, json!([1.5, "a"])),
            "3 SUCCESS [1.5, \"a\"]\n"
        );
        assert_eq!(line(Status::Failed, json!("why")), "3 FAILED \"why\"\n");
        assert_eq!(line(Status::Preempted, json!(null)), "3 PREEMPTED\n");
    }
}
