//! Selections of entities by name, category, tags and position.
use morse_api::service::Reply;
use morse_ros::messages::Vector;
use regex::Regex;
use ros2_client::Message;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{FAILED, Judged, UNSUPPORTED, Verdict, request_later};
use crate::serving::{Calls, Respond};

/// Category of a robot; bodies have the category 0.
const ROBOT: u8 = 1;
/// Maximum length of a filter, bytes.
const LONGEST_FILTER: usize = 1000;
/// Types of bounds: none, and a box along the axes.
pub(super) const NO_BOUNDS: u8 = 0;
pub(super) const BOX: u8 = 1;

/// Request that names an entity.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Named {
    pub(super) entity: String,
}

impl Message for Named {}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Category {
    pub(super) category: u8,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Tags {
    tags: Vec<String>,
    filter_mode: u8,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Bounds {
    pub(super) r#type: u8,
    pub(super) points: Vec<Vector>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Filters {
    filter: String,
    categories: Vec<Category>,
    tags: Tags,
    bounds: Bounds,
}

impl Message for Filters {}

impl Filters {
    /// Returns the arguments of `list_objects`, and the pattern of names.
    ///
    /// # Errors
    ///
    /// The code and the text of the outcome.
    fn read(&self) -> Result<(Json, Regex), (u8, String)> {
        let corner = |point: &Vector| json!([point.x, point.y, point.z]);
        let arguments = match (self.bounds.r#type, &self.bounds.points[..]) {
            (NO_BOUNDS, _) => json!([]),
            (BOX, [one, other]) if ![one, other].into_iter().all(is_finite) => {
                return Err((FAILED, "the corners of the box are not finite".to_owned()));
            }
            (BOX, [one, other]) => json!({ "within": [corner(one), corner(other)] }),
            (BOX, points) => {
                let why = format!("a box has two points, not {}", points.len());
                return Err((FAILED, why));
            }
            _ => {
                let why = "entities are filtered by boxes only";
                return Err((UNSUPPORTED, why.to_owned()));
            }
        };
        if self.filter.len() > LONGEST_FILTER {
            let why = format!("a filter has {LONGEST_FILTER} bytes at most");
            return Err((FAILED, why));
        }
        let pattern = Regex::new(&self.filter);
        let pattern = pattern.map_err(|why| (FAILED, format!("the filter is invalid: {why}")))?;
        Ok((arguments, pattern))
    }
}

fn is_finite(point: &Vector) -> bool {
    [point.x, point.y, point.z]
        .iter()
        .all(|number| number.is_finite())
}

/// Returns the entities in a reply of `list_objects`, with their categories, in order.
pub(super) fn entities(reply: &Reply) -> Vec<(String, u8)> {
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

/// Calls a function with the names of the entities that filters select. A failure is sent as the response.
pub(super) fn select<A: Judged>(
    calls: &Calls,
    filters: Filters,
    respond: Respond<A>,
    then: impl FnOnce(&Calls, Vec<String>, &Respond<A>) + Send + Sync + 'static,
) {
    let (arguments, pattern) = match filters.read() {
        Ok(read) => read,
        Err((code, why)) => return respond.send(A::failed(Verdict::new(code, why))),
    };
    request_later(
        calls,
        ("list_objects", arguments),
        respond,
        move |calls, reply, respond| {
            let wanted = &filters.categories;
            let is_wanted = |(name, category): &(String, u8)| {
                let fits = wanted.is_empty() || wanted.iter().any(|one| one.category == *category);
                // No entity has tags.
                fits && filters.tags.tags.is_empty() && pattern.is_match(name)
            };
            let all = entities(&reply).into_iter().filter(is_wanted);
            then(calls, all.map(|(name, _)| name).collect(), respond);
        },
    );
}
