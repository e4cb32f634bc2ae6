//! Discovery: streams with their ports, and the list of all components.
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use morse_api::service::Reply;
use serde_json::{Map, Value as Json, json};

use crate::{
    classes::class_of_robot,
    words::{done, failed, ports, unregistered},
};

/// MORSE's class names of streams, by kind of middleware.
const STREAM_CLASSES: [(&str, &str); 2] = [
    (
        "socket",
        "morse.middleware.socket_datastream.SocketDatastreamManager",
    ),
    (
        "text",
        "morse.middleware.text_datastream.TextDatastreamManager",
    ),
];
/// MORSE's class name of the request server.
const SERVICE_CLASS: &str = "morse.middleware.socket_request_manager.SocketRequestManager";

/// Directory of the streams and services of this middleware.
#[derive(Default)]
pub(crate) struct Directory {
    /// Ports of streams by the paths of their components.
    pub(crate) streams: BTreeMap<Arc<str>, u16>,
    /// Paths of the components whose services are offered.
    pub(crate) services: BTreeSet<String>,
    /// True if a client controls the ticks of the simulation, through a separate port.
    pub(crate) time_sync: bool,
}

impl Directory {
    /// Returns true if the services of a component are offered.
    pub(crate) fn offers(&self, component: &str) -> bool {
        self.services.contains(component)
    }

    /// Returns the answers of services that this middleware implements itself.
    pub(crate) fn answer(&self, component: &str, service: &str, arguments: &Json) -> Option<Reply> {
        let of_streams = ["list_streams", "get_all_stream_ports", "get_stream_port"];
        if component != "simulation" || !of_streams.contains(&service) {
            return None;
        }
        if self.streams.is_empty() && !self.time_sync {
            // In MORSE, the stream manager exists only if there are streams.
            return Some(unregistered(service));
        }
        let streams = self.streams.iter().map(|(path, port)| (&**path, *port));
        match service {
            "list_streams" => Some(done(streams.map(|(path, _)| path).collect())),
            "get_all_stream_ports" => Some(done(ports(streams))),
            "get_stream_port" => Some(match arguments {
                Json::Array(given) if given.len() == 1 => {
                    let name = given.first().and_then(Json::as_str).unwrap_or_default();
                    self.streams.get(name).map_or_else(
                        || failed(format!("Stream unavailable for component {name}")),
                        |port| done(json!(port)),
                    )
                }
                _ => failed(
                    "Socket service manager: wrong # of parameters for service get_stream_port. 1 taken"
                        .to_owned(),
                ),
            }),
            _ => None,
        }
    }

    /// Converts the list of all components to MORSE's form: with its class names, and with the services that this middleware
    /// offers.
    pub(crate) fn as_morse_tells(&self, details: &mut Json) {
        let Some(robots) = details.get_mut("robots").and_then(Json::as_array_mut) else {
            return;
        };
        for robot in robots {
            let name = robot
                .get("name")
                .and_then(Json::as_str)
                .unwrap_or_default()
                .to_owned();
            if let Json::Object(fields) = &mut *robot {
                if let Some(model) = fields.get_mut("type") {
                    *model = class_of_robot(model.as_str().unwrap_or_default()).into();
                }
                if self.offers(&name) {
                    fields.insert("services_interfaces".to_owned(), json!([SERVICE_CLASS]));
                } else {
                    fields.shift_remove("services");
                    fields.shift_remove("services_interfaces");
                }
            }
            let components = robot.get_mut("components").and_then(Json::as_object_mut);
            for (path, component) in components.into_iter().flatten() {
                let Json::Object(fields) = component else {
                    continue;
                };
                name_class(fields);
                if self.offers(path) {
                    fields.insert("service_interfaces".to_owned(), json!([SERVICE_CLASS]));
                } else {
                    fields.shift_remove("services");
                    fields.shift_remove("service_interfaces");
                }
                let streams = fields
                    .get_mut("stream_interfaces")
                    .and_then(Json::as_array_mut);
                for stream in streams.into_iter().flatten() {
                    name_stream(stream);
                }
            }
        }
    }
}

/// Replaces a kind of middleware by MORSE's class name, if there is one.
fn name_stream(stream: &mut Json) {
    if let Some(kind) = stream.get_mut(0) {
        let known = STREAM_CLASSES.iter().find(|(own, _)| kind == own);
        if let Some((_, class)) = known {
            *kind = json!(class);
        }
    }
}

/// Replaces a kind and a level by MORSE's class name, if there is one.
fn name_class(fields: &mut Map<String, Json>) {
    fields.shift_remove("level");
    if let Some(class) = fields.shift_remove("morse_class") {
        fields.insert("type".to_owned(), class);
    }
}
