//! Robots and bodies: lists, states, and those that are added and removed.
use morse_api::service::Status;
use morse_ros::messages::PoseStamped;
use ros2_client::Message;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::{
    Added, FAILED, Judged as _, NOT_FOUND, OK, Plain, Verdict,
    filters::{Category, Filters, Named, entities, select},
    judged, request, serve,
    states::{failure, placed},
    uri,
};
use crate::{
    opening::Opening,
    serving::{Calls, Respond, Serve},
};

/// Values of [`Verdict::result`] of `SpawnEntity`.
const NAME_NOT_UNIQUE: u8 = 101;
const NAME_INVALID: u8 = 102;
const UNSUPPORTED_FORMAT: u8 = 103;
const NO_RESOURCE: u8 = 104;
const NAMESPACE_INVALID: u8 = 105;
const RESOURCE_PARSE_ERROR: u8 = 106;
const MISSING_ASSETS: u8 = 107;
const INVALID_POSE: u8 = 109;

/// Number of names that are tried for a robot whose name is taken.
const MOST_NAMES: u32 = 100;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct EntityList {
    result: Verdict,
    entities: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct InfoResponse {
    result: Verdict,
    category: Category,
    description: String,
    tags: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Spawn {
    name: String,
    allow_renaming: bool,
    uri: String,
    resource_string: String,
    entity_namespace: String,
    initial_pose: PoseStamped,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct SpawnResponse {
    result: Verdict,
    entity_name: String,
}

impl Message for Spawn {}

judged!(EntityList, InfoResponse, SpawnResponse);

/// Opens the services.
///
/// # Errors
///
/// DDS refuses a service.
pub(super) fn open(opening: &mut Opening, added: &Added) -> Result<Vec<Box<dyn Serve>>, String> {
    let (of_spawn, of_delete) = (added.clone(), added.clone());
    Ok(vec![
        serve(opening, "SpawnEntity", move |calls, asked, respond| {
            spawn(calls, asked, respond, &of_spawn);
        })?,
        serve(opening, "DeleteEntity", move |calls, asked, respond| {
            delete(calls, asked, respond, &of_delete);
        })?,
        serve(
            opening,
            "GetEntities",
            |calls, filters: Filters, respond| {
                select(calls, filters, respond, |_, entities, respond| {
                    let result = Verdict::ok();
                    respond.send(EntityList { result, entities });
                });
            },
        )?,
        serve(opening, "GetEntityInfo", info)?,
    ])
}

fn delete(calls: &Calls, Named { entity }: Named, respond: Respond<Plain>, added: &Added) {
    let arguments = json!({ "name": entity });
    let added = added.clone();
    request(calls, ("delete", arguments), respond, move |reply| {
        if reply.status == Status::Success {
            added.change(|names| names.retain(|name| *name != entity));
        }
        Plain::failed(Verdict::of(&reply, failure))
    });
}

fn info(calls: &Calls, Named { entity }: Named, respond: Respond<InfoResponse>) {
    request(calls, ("list_objects", json!([])), respond, move |reply| {
        let all = entities(&reply);
        let entry = all.into_iter().find(|(name, _)| *name == entity);
        let Some((_, category)) = entry else {
            let why = format!("there is no entity `{entity}`");
            return InfoResponse::failed(Verdict::new(NOT_FOUND, why));
        };
        InfoResponse {
            result: Verdict::ok(),
            category: Category { category },
            ..InfoResponse::default()
        }
    });
}

/// Returns the model that a request names, and the texts of files.
///
/// # Errors
///
/// The code and the text of the outcome.
fn resource(asked: &Spawn) -> Result<(String, Map<String, Json>), (u8, String)> {
    let mut files = Map::new();
    if !asked.resource_string.is_empty() {
        let text = &asked.resource_string;
        if text.trim_start().starts_with('(') {
            // The robot of a simulation file, with its own model.
            return Ok((String::new(), files));
        }
        let formats = [("<robot", "urdf"), ("<sdf", "sdf"), ("<mujoco", "xml")];
        let matching = formats.into_iter().find(|(mark, _)| text.contains(mark));
        let ending = match matching {
            Some((_, ending)) => ending,
            None if text.trim_start().starts_with('<') => {
                let why = "the text is neither URDF nor SDF, MJCF or robray";
                return Err((UNSUPPORTED_FORMAT, why.to_owned()));
            }
            None => "robray",
        };
        let name = format!("spawned_{}.{ending}", asked.name);
        files.insert(name.clone(), text.clone().into());
        return Ok((name, files));
    }
    if asked.uri.is_empty() {
        let why = "neither `uri` nor `resource_string` is set";
        return Err((NO_RESOURCE, why.to_owned()));
    }
    let path = uri::path(&asked.uri).map_err(|why| (NO_RESOURCE, why))?;
    if path.contains(|letter: char| letter.is_control() || "\"\\".contains(letter)) {
        let why = "the URI contains quotes, backslashes or control characters";
        return Err((NO_RESOURCE, why.to_owned()));
    }
    Ok((path, files))
}

fn spawn(calls: &Calls, asked: Spawn, respond: Respond<SpawnResponse>, added: &Added) {
    let refuse = |code, why: &str| respond.send(SpawnResponse::failed(Verdict::new(code, why)));
    let usual = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_name = |name: &str| name.chars().all(usual) && name.len() <= 100;
    let is_nameless = asked.name.is_empty() && !asked.allow_renaming;
    if is_nameless || !is_name(&asked.name) {
        return refuse(NAME_INVALID, "a name has letters, digits and underscores");
    }
    if !asked.entity_namespace.is_empty() {
        let why = "the topics of a robot are below its name: `entity_namespace` must be empty";
        return refuse(NAMESPACE_INVALID, why);
    }
    let (model, files) = match resource(&asked) {
        Ok(resource) => resource,
        Err((code, why)) => return refuse(code, &why),
    };
    let own = asked.resource_string.trim().strip_suffix(')');
    let own = own.filter(|_| asked.resource_string.trim_start().starts_with('('));
    if own.is_some_and(repeats) {
        let why = "`repeat` adds several robots: call the service for each of them";
        return refuse(RESOURCE_PARSE_ERROR, why);
    }
    let pose = &asked.initial_pose;
    let (at, angles) = match placed(&pose.header, &pose.pose) {
        Ok(placed) => placed,
        Err(why) => return refuse(INVALID_POSE, &why),
    };
    let list = |[x, y, z]: [f64; 3]| format!("({x:?}, {y:?}, {z:?})");
    let (at, angles) = (list(at), list(angles));
    let pose = format!("at: (translation: {at}, rpy: {angles})");
    let definition = match own {
        // A definition with components: the pose is its last field. The line ends a comment.
        Some(own) => {
            let own = own.trim_end().trim_end_matches(',');
            format!("{own},\n{pose})")
        }
        None => format!(r#"(model: "{model}", {pose})"#),
    };
    let robot = Robot {
        name: asked.name,
        may_rename: asked.allow_renaming,
        definition,
        files,
        added: added.clone(),
    };
    robot.add(calls, 0, respond);
}

/// Returns the code of a robot that cannot be added, by its first error.
fn spawn_failure(text: &str) -> u8 {
    let first = text.lines().find(|line| line.starts_with("error["));
    let first = first.unwrap_or_default();
    let causes = [
        ("[spawn::name]", NAME_NOT_UNIQUE),
        ("there is already a frame", NAME_NOT_UNIQUE),
        ("[simulation::file]", NO_RESOURCE),
        ("[simulation::outside]", NO_RESOURCE),
        ("[description::missing-file]", MISSING_ASSETS),
        ("`translation` must be", INVALID_POSE),
    ];
    let cause = causes.into_iter().find(|(mark, _)| first.contains(mark));
    cause.map_or(RESOURCE_PARSE_ERROR, |(_, code)| code)
}

/// Returns true if the definition of a robot has the field `repeat`.
fn repeats(definition: &str) -> bool {
    let mut after = definition.split("repeat").skip(1);
    after.any(|rest| rest.trim_start().starts_with(':'))
}

/// A robot to be added.
#[derive(Clone)]
struct Robot {
    name: String,
    may_rename: bool,
    definition: String,
    files: Map<String, Json>,
    added: Added,
}

impl Robot {
    /// Requests the robot; if its name is taken and may be changed, again with the next name.
    fn add(self, calls: &Calls, count: u32, respond: Respond<SpawnResponse>) {
        let name = match count {
            0 if !self.name.is_empty() => self.name.clone(),
            0 => "entity".to_owned(),
            count if self.name.is_empty() => format!("entity_{count}"),
            count => format!("{}_{count}", self.name),
        };
        let (again, later, own) = (calls.clone(), respond.clone(), self.clone());
        let arguments = json!({ "name": name, "definition": self.definition, "files": self.files });
        let sent = calls.send(("simulation", "spawn"), arguments, move |reply| {
            let result = Verdict::of(&reply, spawn_failure);
            if result.result == NAME_NOT_UNIQUE && own.may_rename && count < MOST_NAMES {
                return own.add(&again, count + 1, later);
            }
            let is_there = result.result == OK;
            if is_there {
                own.added.change(|names| names.push(name.clone()));
            }
            later.send(SpawnResponse {
                result,
                entity_name: if is_there { name } else { String::new() },
            });
        });
        if let Err(why) = sent {
            respond.send(SpawnResponse::failed(Verdict::new(FAILED, why)));
        }
    }
}
