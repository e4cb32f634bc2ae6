//! Subset of the services of `rosapi`: queries about topics and services.
use serde_json::{Value as Json, json};

use crate::graph::{Graph, is_same_type, with_slash};

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

fn ours(is_one: bool) -> Vec<&'static str> {
    if is_one {
        vec!["/morse_sim"]
    } else {
        Vec::new()
    }
}
