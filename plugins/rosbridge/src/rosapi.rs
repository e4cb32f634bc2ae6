//! Services of `rosapi`: queries about topics, services, actions, messages and parameters.
use std::collections::BTreeMap;

use morse_ros::definitions;
use serde_json::{Value as Json, json};

use crate::{
    broker::Sort,
    graph::{is_same_type, with_slash},
    operations::Scope,
    republisher,
};

/// Type of the services of components: arguments and results are JSON.
const SERVICE_TYPE: &str = "morse_sim/Json";
/// Type of the service that requests poses of frames.
const REPUBLISHER_TYPE: &str = "tf2_web_republisher/RepublishTFs";
/// Name of the node.
const NODE: &str = "/morse_sim";

/// Services of `rosapi`, with the last segments of their types.
const QUERIES: &[(&str, &str)] = &[
    ("action_feedback_details", "ActionFeedbackDetails"),
    ("action_goal_details", "ActionGoalDetails"),
    ("action_result_details", "ActionResultDetails"),
    ("action_servers", "GetActionServers"),
    ("action_type", "ActionType"),
    ("delete_param", "DeleteParam"),
    ("get_param", "GetParam"),
    ("get_param_names", "GetParamNames"),
    ("get_ros_version", "GetROSVersion"),
    ("get_time", "GetTime"),
    ("has_param", "HasParam"),
    ("interfaces", "Interfaces"),
    ("message_details", "MessageDetails"),
    ("node_details", "NodeDetails"),
    ("nodes", "Nodes"),
    ("publishers", "Publishers"),
    ("search_param", "SearchParam"),
    ("service_node", "ServiceNode"),
    ("service_providers", "ServiceProviders"),
    ("service_request_details", "ServiceRequestDetails"),
    ("service_response_details", "ServiceResponseDetails"),
    ("service_type", "ServiceType"),
    ("services", "Services"),
    ("services_for_type", "ServicesForType"),
    ("set_param", "SetParam"),
    ("subscribers", "Subscribers"),
    ("topic_type", "TopicType"),
    ("topics", "Topics"),
    ("topics_and_raw_types", "TopicsAndRawTypes"),
    ("topics_for_type", "TopicsForType"),
];

/// Returns true for queries whose answers list the services of components, which a reply of the simulation contains.
pub(crate) fn is_list(query: &str) -> bool {
    let lists = [
        "services",
        "services_for_type",
        "service_providers",
        "node_details",
    ];
    let name = query.strip_prefix("/rosapi/");
    name.is_some_and(|name| lists.contains(&name))
}

/// Returns the answer to a query; `None` if there is no such query, or if it is a list of services.
pub(crate) fn answer(scope: &mut Scope<'_>, query: &str, arguments: &Json) -> Option<Json> {
    if !query.starts_with("/rosapi/") {
        return None;
    }
    let parameter = scope.hub.parameters.answer(scope.graph, query, arguments);
    if parameter.is_some() {
        return parameter;
    }
    topic_answer(scope, query, arguments)
        .or_else(|| type_answer(scope, query, arguments))
        .or_else(|| general_answer(scope, query))
}

fn field<'a>(arguments: &'a Json, name: &str) -> &'a str {
    let value = arguments.get(name).and_then(Json::as_str);
    value.unwrap_or_default()
}

/// Returns the answer to a query about topics.
fn topic_answer(scope: &Scope<'_>, query: &str, arguments: &Json) -> Option<Json> {
    let graph = scope.graph;
    let topic = with_slash(field(arguments, "topic"));
    let is_known = graph.type_of(&topic).is_some();
    Some(match query {
        "/rosapi/topics" => {
            let (topics, types): (Vec<_>, Vec<_>) = graph.topics().unzip();
            json!({ "topics": topics, "types": types })
        }
        "/rosapi/topic_type" => json!({ "type": graph.type_of(&topic).unwrap_or_default() }),
        "/rosapi/topics_for_type" => {
            let asked = field(arguments, "type");
            let topics = graph.topics().filter(|(_, own)| is_same_type(own, asked));
            json!({ "topics": topics.map(|(topic, _)| topic).collect::<Vec<_>>() })
        }
        "/rosapi/topics_and_raw_types" => {
            let (topics, types): (Vec<_>, Vec<_>) = graph.topics().unzip();
            let texts = types.iter().map(|message| definitions::text(message));
            let texts: Vec<String> = texts.collect();
            json!({ "topics": topics, "types": types, "typedefs_full_text": texts })
        }
        "/rosapi/publishers" => {
            json!({ "publishers": ours(is_known && !graph.is_input(&topic)) })
        }
        "/rosapi/subscribers" => json!({ "subscribers": ours(graph.is_input(&topic)) }),
        _ => return None,
    })
}

/// Returns the answer to a query about the types of messages, services and actions.
fn type_answer(scope: &Scope<'_>, query: &str, arguments: &Json) -> Option<Json> {
    let kind = field(arguments, "type");
    let details =
        |suffix: &str| json!({ "typedefs": definitions::details(&format!("{kind}_{suffix}")) });
    // Requests and responses in JSON have no fixed fields.
    let open = |suffix: &str| {
        json!({ "typedefs": [{
            "type": format!("{kind}{suffix}"), "fieldnames": [], "fieldtypes": [], "fieldarraylen": [],
            "examples": [], "constnames": [], "constvalues": [],
        }] })
    };
    Some(match query {
        "/rosapi/message_details" => json!({ "typedefs": definitions::details(kind) }),
        "/rosapi/service_request_details" => open("Request"),
        "/rosapi/service_response_details" => open("Response"),
        "/rosapi/action_goal_details" => details("Goal"),
        "/rosapi/action_result_details" => details("Result"),
        "/rosapi/action_feedback_details" => details("Feedback"),
        "/rosapi/action_type" => {
            let action = with_slash(field(arguments, "action"));
            let mut own = scope.hub.actions.list();
            let own = own.find(|(name, _)| *name == action).map(|(_, kind)| kind);
            let mut others = scope.hub.broker.list(Sort::Action);
            let other = others.find(|(name, _)| *name == action);
            let other = other.map(|(_, kind)| kind.to_owned());
            json!({ "type": own.or(other).unwrap_or_default() })
        }
        "/rosapi/service_type" => {
            let service = with_slash(field(arguments, "service"));
            json!({ "type": service_type(scope, &service).unwrap_or_default() })
        }
        "/rosapi/service_node" => {
            let service = with_slash(field(arguments, "service"));
            let is_ours = service_type(scope, &service).is_some();
            json!({ "node": ours(is_ours).first().copied().unwrap_or_default() })
        }
        _ => return None,
    })
}

fn general_answer(scope: &Scope<'_>, query: &str) -> Option<Json> {
    Some(match query {
        "/rosapi/nodes" => json!({ "nodes": ours(true) }),
        "/rosapi/action_servers" => {
            let own = scope.hub.actions.list().map(|(name, _)| name);
            let others = scope.hub.broker.list(Sort::Action).map(|(name, _)| name);
            json!({ "action_servers": own.chain(others).collect::<Vec<_>>() })
        }
        "/rosapi/interfaces" => {
            let own = scope.hub.actions.list().map(|(_, kind)| kind);
            let types = scope.graph.topics().map(|(_, kind)| kind.to_owned());
            let all: std::collections::BTreeSet<String> = own.chain(types).collect();
            json!({ "interfaces": all })
        }
        "/rosapi/get_time" => {
            let (seconds, nanos) = (scope.nanos / 1_000_000_000, scope.nanos % 1_000_000_000);
            // Clients for ROS 1 read the second pair of names.
            let time = json!({ "sec": seconds, "nanosec": nanos, "secs": seconds, "nsecs": nanos });
            json!({ "time": time })
        }
        "/rosapi/get_ros_version" => json!({ "version": 2, "distro": "jazzy" }),
        _ => return None,
    })
}

/// Returns the type of a service, if it exists.
fn service_type(scope: &Scope<'_>, service: &str) -> Option<String> {
    let mut others = scope.hub.broker.list(Sort::Service);
    if let Some((_, kind)) = others.find(|(name, _)| *name == service) {
        return Some(kind.to_owned());
    }
    if service == republisher::SERVICE {
        return Some(REPUBLISHER_TYPE.to_owned());
    }
    if let Some(query) = service.strip_prefix("/rosapi/") {
        let entry = QUERIES.iter().find(|(name, _)| *name == query);
        return entry.map(|(_, kind)| query_type(kind));
    }
    scope
        .graph
        .service(service)
        .map(|_| SERVICE_TYPE.to_owned())
}

fn query_type(kind: &str) -> String {
    format!("rosapi_msgs/srv/{kind}")
}

fn ours(is_one: bool) -> Vec<&'static str> {
    if is_one { vec![NODE] } else { Vec::new() }
}

/// A query whose answer lists services.
pub(crate) struct ServiceList {
    query: String,
    /// Type in the query.
    kind: String,
    /// Components whose services are offered, by the prefix of the service names.
    prefixes: BTreeMap<String, String>,
    /// Services with their types that are no services of components.
    others: Vec<(String, String)>,
    /// Topics that the simulation publishes, and those that it subscribes to.
    topics: [Vec<String>; 2],
}

impl ServiceList {
    /// Returns a query with the services and topics of the server and of its clients; the answer of the simulation adds those of
    /// components.
    pub(crate) fn new(scope: &Scope<'_>, query: &str, arguments: &Json) -> Self {
        let graph = scope.graph;
        let queries = QUERIES.iter();
        let queries = queries.map(|(name, kind)| (format!("/rosapi/{name}"), query_type(kind)));
        let republisher = (republisher::SERVICE.to_owned(), REPUBLISHER_TYPE.to_owned());
        let clients = scope.hub.broker.list(Sort::Service);
        let clients = clients.map(|(name, kind)| (name.to_owned(), kind.to_owned()));
        let others = queries.chain([republisher]).chain(clients).collect();
        let topics = [false, true].map(|is_input| {
            let topics = graph.topics().map(|(topic, _)| topic.to_owned());
            topics
                .filter(|topic| graph.is_input(topic) == is_input)
                .collect()
        });
        Self {
            query: query.to_owned(),
            kind: field(arguments, "type").to_owned(),
            prefixes: graph.services.clone(),
            others,
            topics,
        }
    }

    /// Returns the answer, given the services of all components.
    pub(crate) fn answer(self, components: &Json) -> Json {
        let own = self.prefixes.iter().flat_map(|(prefix, path)| {
            let names = components[path].as_array().into_iter().flatten();
            let names = names.filter_map(Json::as_str);
            names.map(move |name| (format!("{prefix}/{name}"), SERVICE_TYPE.to_owned()))
        });
        let mut all: Vec<(String, String)> = own.collect();
        all.extend(self.others);
        all.sort();
        let of_type = || {
            let some = all
                .iter()
                .filter(|(_, kind)| is_same_service(kind, &self.kind));
            some.map(|(name, _)| name).collect::<Vec<_>>()
        };
        let names = || all.iter().map(|(name, _)| name).collect::<Vec<_>>();
        match &*self.query {
            "/rosapi/services_for_type" => json!({ "services": of_type() }),
            "/rosapi/service_providers" => json!({ "providers": of_type() }),
            "/rosapi/node_details" => {
                let [publishing, subscribing] = &self.topics;
                json!({ "publishing": publishing, "subscribing": subscribing, "services": names() })
            }
            _ => json!({ "services": names() }),
        }
    }
}

/// Returns true if two types of services are equal, written as in ROS 1 or ROS 2.
fn is_same_service(one: &str, other: &str) -> bool {
    one.replace("/srv/", "/") == other.replace("/srv/", "/")
}
