//! Parameters, as clients read and write them by `rosapi`.
//!
//! `use_sim_time` and the descriptions of robots belong to the simulation; others are those that clients have set.
use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::graph::Graph;

/// Maximum number of parameters that clients may set.
const MOST_PARAMETERS: usize = 1024;
/// Maximum length of a name, bytes.
const LONGEST_NAME: usize = 256;
/// Maximum length of a value, bytes.
const LONGEST_VALUE: usize = 64 << 10;

/// Parameters that clients have set, as JSON.
#[derive(Default)]
pub(crate) struct Parameters(BTreeMap<String, String>);

/// Returns the name of a parameter: with a slash in front, and without the node in ROS 2's `/node:name`.
fn full_name(name: &str) -> String {
    let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
    format!("/{}", name.trim_start_matches('/'))
}

/// Returns the value of a parameter of the simulation, as JSON.
fn own(graph: &Graph, name: &str) -> Option<String> {
    if name == "/use_sim_time" {
        return Some("true".to_owned());
    }
    let mut descriptions = graph.links.descriptions.iter();
    let (_, text) = descriptions.find(|(topic, _)| topic == name)?;
    Some(Json::from(text.data.clone()).to_string())
}

impl Parameters {
    /// Returns the answer to a query of `rosapi`; `None` if it does not concern parameters.
    pub(crate) fn answer(&mut self, graph: &Graph, query: &str, arguments: &Json) -> Option<Json> {
        let text = |name: &str| {
            arguments
                .get(name)
                .and_then(Json::as_str)
                .unwrap_or_default()
        };
        let name = full_name(text("name"));
        Some(match query {
            "/rosapi/get_param_names" => json!({ "names": self.names(graph) }),
            "/rosapi/has_param" => json!({ "exists": self.get(graph, &name).is_some() }),
            "/rosapi/search_param" => {
                let known_name = self.get(graph, &name).map(|_| name);
                json!({ "global_name": known_name.unwrap_or_default() })
            }
            "/rosapi/get_param" => match self.get(graph, &name) {
                Some(value) => json!({ "value": value, "successful": true, "reason": "" }),
                None => {
                    let default = ["default_value", "default"].map(text);
                    let default = default.into_iter().find(|text| !text.is_empty());
                    let reason = format!("there is no parameter `{name}`");
                    let is_given = default.is_some();
                    json!({
                        "value": default.unwrap_or("null"),
                        "successful": is_given,
                        "reason": if is_given { "" } else { &reason },
                    })
                }
            },
            "/rosapi/set_param" => outcome(self.set(graph, name, text("value"))),
            "/rosapi/delete_param" => outcome(self.delete(graph, &name)),
            _ => return None,
        })
    }

    fn names(&self, graph: &Graph) -> Vec<String> {
        let descriptions = graph.links.descriptions.iter().map(|(topic, _)| topic);
        let mut names: Vec<String> = self.0.keys().chain(descriptions).cloned().collect();
        names.push("/use_sim_time".to_owned());
        names.sort();
        names
    }

    fn get(&self, graph: &Graph, name: &str) -> Option<String> {
        own(graph, name).or_else(|| self.0.get(name).cloned())
    }

    fn set(&mut self, graph: &Graph, name: String, value: &str) -> Result<(), String> {
        if own(graph, &name).is_some() {
            return Err(format!(
                "`{name}` belongs to the simulation and cannot be set"
            ));
        }
        if name.len() > LONGEST_NAME || value.len() > LONGEST_VALUE {
            return Err(format!(
                "names have at most {LONGEST_NAME} bytes, and values {LONGEST_VALUE}"
            ));
        }
        if self.0.len() >= MOST_PARAMETERS && !self.0.contains_key(&name) {
            return Err(format!("there are at most {MOST_PARAMETERS} parameters"));
        }
        let parsed = serde_json::from_str::<Json>(value);
        parsed.map_err(|why| format!("the value of `{name}` is no JSON: {why}"))?;
        self.0.insert(name, value.to_owned());
        Ok(())
    }

    fn delete(&mut self, graph: &Graph, name: &str) -> Result<(), String> {
        if own(graph, name).is_some() {
            return Err(format!(
                "`{name}` belongs to the simulation and cannot be deleted"
            ));
        }
        let removed = self.0.remove(name);
        removed
            .map(drop)
            .ok_or_else(|| format!("there is no parameter `{name}`"))
    }
}

/// Returns the outcome of a change.
fn outcome(result: Result<(), String>) -> Json {
    json!({ "successful": result.is_ok(), "reason": result.err().unwrap_or_default() })
}
