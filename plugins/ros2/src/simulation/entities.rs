//! Robots and bodies: lists, states, and those that are added and removed.
use morse_api::service::{Reply, Status};
use morse_ros::messages::{Header, Point, Pose, PoseStamped, Quaternion, Time, Twist, Vector};
use nalgebra::{Quaternion as Rotation, UnitQuaternion};
use regex::Regex;
use ros2_client::Message;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::{Added, FAILED, Judged, NOT_FOUND, OK, Plain, UNSUPPORTED, Verdict, request, serve};
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
const INVALID_POSE: u8 = 109;

/// Category of a robot; bodies have the category 0.
const ROBOT: u8 = 1;
/// Maximum length of a filter, bytes.
const LONGEST_FILTER: usize = 1000;
/// Number of names that are tried for a robot whose name is taken.
const MOST_NAMES: u32 = 100;

/// Request that names an entity.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Named {
    entity: String,
}

impl Message for Named {}

/// Motion of an entity.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct EntityState {
    header: Header,
    pose: Pose,
    twist: Twist,
    acceleration: Twist,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct StateResponse {
    result: Verdict,
    state: EntityState,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct NewState {
    entity: String,
    state: EntityState,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Category {
    category: u8,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Tags {
    tags: Vec<String>,
    filter_mode: u8,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Bounds {
    r#type: u8,
    points: Vec<Vector>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Filters {
    filter: String,
    categories: Vec<Category>,
    tags: Tags,
    bounds: Bounds,
}

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

impl Message for NewState {}
impl Message for Filters {}
impl Message for Spawn {}

macro_rules! judged {
    ($($response:ty),+) => {$(
        impl Message for $response {}

        impl Judged for $response {
            fn failed(result: Verdict) -> Self {
                Self { result, ..Self::default() }
            }
        }
    )+};
}

judged!(StateResponse, EntityList, InfoResponse, SpawnResponse);

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
        serve(opening, "GetEntityState", get_state)?,
        serve(opening, "SetEntityState", set_state)?,
        serve(opening, "GetEntities", list)?,
        serve(opening, "GetEntityInfo", info)?,
    ])
}

/// Returns the code of a failure: the entity does not exist, or something else.
fn failure(text: &str) -> u8 {
    let is_unknown = text.contains("does not appear") || text.contains("there is no robot or body");
    if is_unknown { NOT_FOUND } else { FAILED }
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

fn get_state(calls: &Calls, Named { entity }: Named, respond: Respond<StateResponse>) {
    let stamp = Time::of_nanos(calls.now());
    let asked = ("get_object_state", json!({ "name": entity }));
    request(calls, asked, respond, move |reply| {
        let result = Verdict::of(&reply, failure);
        let list = |name: &str| {
            let list = reply.value[name].as_array();
            let numbers = list
                .into_iter()
                .flatten()
                .map(|one| one.as_f64().unwrap_or_default());
            let mut numbers: Vec<f64> = numbers.collect();
            numbers.resize(4, 0.0);
            numbers
        };
        let vector = |name: &str| {
            let list = list(name);
            let (x, y, z) = (list[0], list[1], list[2]);
            Vector { x, y, z }
        };
        let Vector { x, y, z } = vector("position");
        let rotation = list("orientation");
        StateResponse {
            result,
            state: EntityState {
                header: Header {
                    stamp,
                    frame_id: "map".to_owned(),
                },
                pose: Pose {
                    position: Point { x, y, z },
                    orientation: Quaternion {
                        x: rotation[0],
                        y: rotation[1],
                        z: rotation[2],
                        w: rotation[3],
                    },
                },
                twist: Twist {
                    linear: vector("linear_velocity"),
                    angular: vector("angular_velocity"),
                },
                acceleration: Twist::default(),
            },
        }
    });
}

/// Returns the position and the angles roll, pitch and yaw of a pose in the world.
///
/// # Errors
///
/// The pose is in another frame, or is none.
fn placed(header: &Header, pose: &Pose) -> Result<([f64; 3], [f64; 3]), String> {
    let frame = &header.frame_id;
    if !["", "map", "world"].contains(&frame.trim_start_matches('/')) {
        return Err(format!(
            "the pose is in `{frame}`; poses are in `map` or `world`"
        ));
    }
    let Point { x, y, z } = pose.position;
    let Quaternion {
        x: i,
        y: j,
        z: k,
        w,
    } = pose.orientation;
    if ![x, y, z, i, j, k, w]
        .iter()
        .all(|number| number.is_finite())
    {
        return Err("the pose is not finite".to_owned());
    }
    let rotation = Rotation::new(w, i, j, k);
    // Nodes that set no orientation send zeros.
    let rotation = match rotation.norm() > 1e-6 {
        true => UnitQuaternion::from_quaternion(rotation),
        false => UnitQuaternion::identity(),
    };
    let (roll, pitch, yaw) = rotation.euler_angles();
    Ok(([x, y, z], [roll, pitch, yaw]))
}

fn set_state(calls: &Calls, NewState { entity, state }: NewState, respond: Respond<Plain>) {
    let refuse = |code, why: &str| respond.send(Plain::failed(Verdict::new(code, why)));
    if state.twist != Twist::default() || state.acceleration != Twist::default() {
        return refuse(
            UNSUPPORTED,
            "entities are placed at rest: set twist and acceleration to zero",
        );
    }
    let (position, orientation) = match placed(&state.header, &state.pose) {
        Ok(placed) => placed,
        Err(why) => return refuse(FAILED, &why),
    };
    let arguments = json!({ "name": entity, "position": position, "orientation": orientation });
    let asked = ("set_object_position", arguments);
    request(calls, asked, respond, |reply| {
        Plain::failed(Verdict::of(&reply, failure))
    });
}

/// Returns the entities in a reply of `list_objects`, with their categories, in order.
fn entities(reply: &Reply) -> Vec<(String, u8)> {
    let names = |list: &str, category: u8| {
        let names = reply.value[list].as_array().into_iter().flatten();
        let names = names.filter_map(|name| Some((name.as_str()?.to_owned(), category)));
        names.collect::<Vec<_>>()
    };
    let mut all = names("robots", ROBOT);
    all.append(&mut names("bodies", 0));
    all.sort();
    all
}

fn list(calls: &Calls, filters: Filters, respond: Respond<EntityList>) {
    let refuse = |code, why: String| respond.send(EntityList::failed(Verdict::new(code, why)));
    if filters.bounds.r#type != 0 {
        return refuse(
            UNSUPPORTED,
            "entities are not filtered by bounds".to_owned(),
        );
    }
    if filters.filter.len() > LONGEST_FILTER {
        return refuse(
            FAILED,
            format!("a filter has {LONGEST_FILTER} bytes at most"),
        );
    }
    let pattern = match Regex::new(&filters.filter) {
        Ok(pattern) => pattern,
        Err(why) => return refuse(FAILED, format!("the filter is invalid: {why}")),
    };
    request(calls, ("list_objects", json!([])), respond, move |reply| {
        let wanted = &filters.categories;
        let is_wanted = |(name, category): &(String, u8)| {
            let fits = wanted.is_empty() || wanted.iter().any(|one| one.category == *category);
            // No entity has tags.
            fits && filters.tags.tags.is_empty() && pattern.is_match(name)
        };
        let all = entities(&reply).into_iter();
        EntityList {
            entities: all.filter(is_wanted).map(|(name, _)| name).collect(),
            result: Verdict::of(&reply, failure),
        }
    });
}

fn info(calls: &Calls, Named { entity }: Named, respond: Respond<InfoResponse>) {
    request(calls, ("list_objects", json!([])), respond, move |reply| {
        let all = entities(&reply);
        let found = all.into_iter().find(|(name, _)| *name == entity);
        let Some((_, category)) = found else {
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
        let formats = [("<robot", "urdf"), ("<sdf", "sdf"), ("<mujoco", "xml")];
        let found = formats.into_iter().find(|(mark, _)| text.contains(mark));
        let ending = match found {
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
    let path = asked.uri.strip_prefix("file://").unwrap_or(&asked.uri);
    if path.is_empty() {
        let why = "neither `uri` nor `resource_string` is set";
        return Err((NO_RESOURCE, why.to_owned()));
    }
    if path.contains("://") {
        let why = format!("`{path}`: expected a path, or a URI that begins with `file://`");
        return Err((NO_RESOURCE, why));
    }
    if path.contains(|letter: char| letter.is_control() || "\"\\".contains(letter)) {
        let why = "the URI contains quotes, backslashes or control characters";
        return Err((NO_RESOURCE, why.to_owned()));
    }
    Ok((path.to_owned(), files))
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
    let pose = &asked.initial_pose;
    let (at, angles) = match placed(&pose.header, &pose.pose) {
        Ok(placed) => placed,
        Err(why) => return refuse(INVALID_POSE, &why),
    };
    let list = |[x, y, z]: [f64; 3]| format!("({x:?}, {y:?}, {z:?})");
    let (at, angles) = (list(at), list(angles));
    let definition = format!(r#"(model: "{model}", at: (translation: {at}, rpy: {angles}))"#);
    let robot = Robot {
        name: asked.name,
        may_rename: asked.allow_renaming,
        definition,
        files,
        added: added.clone(),
    };
    robot.add(calls, 0, respond);
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
            let result = Verdict::of(&reply, |text| match text {
                text if text.contains("spawn::name") => NAME_NOT_UNIQUE,
                _ => RESOURCE_PARSE_ERROR,
            });
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
