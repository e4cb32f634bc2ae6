//! Queries of `rosapi` about messages, services and the node.
#![cfg(test)]
use serde_json::{Value as Json, json};

use super::{client::Bridge, serve};

#[test]
fn messages_and_services_are_described() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    let mut query = |name: &str, arguments: Json| {
        bridge.call(&format!("/rosapi/{name}"), arguments)["values"].clone()
    };
    let details = query("message_details", json!({ "type": "geometry_msgs/Twist" }));
    let definition = &details["typedefs"][0];
    assert_eq!(definition["fieldnames"], json!(["linear", "angular"]));
    let vector = "geometry_msgs/msg/Vector3";
    assert_eq!(definition["fieldtypes"], json!([vector, vector]));
    assert_eq!(details["typedefs"][1]["type"], vector);
    let nothing = query("message_details", json!({ "type": "nobody/Nothing" }));
    assert_eq!(nothing["typedefs"], json!([]));
    let all = query("topics_and_raw_types", json!({}));
    let topics = all["topics"].as_array().unwrap();
    let texts = all["typedefs_full_text"].as_array().unwrap();
    assert_eq!(topics.len(), texts.len());
    let index = topics
        .iter()
        .position(|topic| topic == "/rover/thermometer");
    let text = texts[index.unwrap()].as_str().unwrap();
    assert!(
        text.starts_with("std_msgs/Header header\nfloat64 temperature\nfloat64 variance\n"),
        "{text}"
    );
    assert!(
        text.contains("MSG: builtin_interfaces/Time\nint32 sec\n"),
        "{text}"
    );
    assert!(texts.iter().all(|text| text != ""), "{texts:?}");
    let kind = |service: &str| json!({ "service": service });
    assert_eq!(
        query("service_type", kind("/rover/motion/stop"))["type"],
        "morse_sim/Json"
    );
    assert_eq!(query("service_type", kind("/rover/nothing"))["type"], "");
    assert_eq!(
        query("service_node", kind("/rover/motion/stop"))["node"],
        "/morse_sim"
    );
    let node = query("node_details", json!({ "node": "/morse_sim" }));
    let has = |list: &str, name: &str| node[list].as_array().unwrap().contains(&json!(name));
    assert!(has("publishing", "/rover/scan") && !has("publishing", "/rover/motion"));
    assert!(has("subscribing", "/rover/motion") && has("services", "/rover/motion/stop"));
    served.end();
}
