//! Subset of the services of `rosapi`: queries about topics and services.
use morse_ros::definitions;
use serde_json::{Value as Json, json};

use crate::graph::{Graph, is_same_type, with_slash};

/// Type of all services: arguments and results are JSON.
const SERVICE_TYPE: &str = "morse_sim/Json";

/// Returns the answer to a query; `None` if the service is not implemented.
pub(crate) fn answer(graph: &Graph, question: &str, arguments: &Json, nanos: u64) -> Option<Json> {
    let text = |name: &str| {
        arguments
            .get(name)
            .and_then(Json::as_str)
            .unwrap_or_default()
    };
    let topic = with_slash(text("topic"));
    Some(match question {
        "/rosapi/topics" => {
            let (topics, types): (Vec<_>, Vec<_>) = graph.topics().unzip();
            json!({ "topics": topics, "types": types })
        }
        "/rosapi/topic_type" => json!({ "type": graph.type_of(&topic).unwrap_or_default() }),
        "/rosapi/topics_for_type" => {
            let topics = graph
                .topics()
                .filter(|(_, own)| is_same_type(own, text("type")));
            json!({ "topics": topics.map(|(topic, _)| topic).collect::<Vec<_>>() })
        }
        "/rosapi/topics_and_raw_types" => {
            let (topics, types): (Vec<_>, Vec<_>) = graph.topics().unzip();
            let texts = types.iter().map(|message| definitions::text(message));
            let texts: Vec<String> = texts.collect();
            json!({ "topics": topics, "types": types, "typedefs_full_text": texts })
        }
        "/rosapi/message_details" => json!({ "typedefs": definitions::details(text("type")) }),
        "/rosapi/service_type" => {
            let service = with_slash(text("service"));
            let known = graph.service(&service).map(|_| SERVICE_TYPE);
            json!({ "type": known.unwrap_or_default() })
        }
        "/rosapi/service_node" => {
            let is_ours = graph.service(&with_slash(text("service"))).is_some();
            json!({ "node": ours(is_ours).first().copied().unwrap_or_default() })
        }
        "/rosapi/node_details" => node_details(graph),
        "/rosapi/publishers" => {
            let is_ours = graph.type_of(&topic).is_some() && !graph.sinks.contains_key(&topic);
            json!({ "publishers": ours(is_ours) })
        }
        "/rosapi/subscribers" => {
            json!({ "subscribers": ours(graph.sinks.contains_key(&topic)) })
        }
        "/rosapi/nodes" => json!({ "nodes": ours(true) }),
        "/rosapi/services" => {
            json!({ "services": graph.services.keys().collect::<Vec<_>>() })
        }
        "/rosapi/get_time" => {
            json!({ "time": { "sec": nanos / 1_000_000_000, "nanosec": nanos % 1_000_000_000 } })
        }
        "/rosapi/get_ros_version" => json!({ "version": 2, "distro": "jazzy" }),
        _ => return None,
    })
}

/// Returns the topics and services of the node.
fn node_details(graph: &Graph) -> Json {
    let is_published = |(topic, _): &(&str, _)| !graph.sinks.contains_key(*topic);
    let (published, subscribed): (Vec<_>, Vec<_>) = graph.topics().partition(is_published);
    let names =
        |list: Vec<(&str, &str)>| -> Json { list.into_iter().map(|(topic, _)| topic).collect() };
    json!({
        "publishing": names(published),
        "subscribing": names(subscribed),
        "services": graph.services.keys().collect::<Vec<_>>(),
    })
}

fn ours(is_one: bool) -> Vec<&'static str> {
    if is_one {
        vec!["/morse_sim"]
    } else {
        Vec::new()
    }
}
