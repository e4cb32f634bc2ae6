//! The world that runs. A program has one world, so that those that load another one are refused.
use ros2_client::Message;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{FAILED, Judged as _, Plain, UNSUPPORTED, Verdict, judged, request, serve, uri};
use crate::{
    opening::Opening,
    services::Empty,
    serving::{Calls, Respond, Serve},
};

/// Value of [`Verdict::result`] of `GetCurrentWorld` if there is no file.
const LOAD: &str = "a program has one world: end this run (STATE_QUITTING of /set_simulation_state), and start morse-sim with \
                    the other file; /spawn_entity adds robots to this world";
const UNLOAD: &str = "a program has one world: STATE_QUITTING of /set_simulation_state ends it, and STATE_STOPPED returns it to \
                      its start";
const AVAILABLE: &str = "a program has one world, which /get_current_world returns; `morse-sim list scenes` prints others, to \
                         start morse-sim with";

/// A request whose fields are not read: it is refused anyway, and they differ between versions of the package.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Unread {}

impl Message for Unread {}

/// A file, or its text.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Resource {
    uri: String,
    resource_string: String,
}

/// A world that can be loaded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct World {
    name: String,
    world_resource: Resource,
    description: String,
    tags: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct WorldResponse {
    result: Verdict,
    world: World,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct WorldsResponse {
    result: Verdict,
    worlds: Vec<World>,
}

judged!(WorldResponse, WorldsResponse);

/// Opens the services.
///
/// # Errors
///
/// DDS refuses a service.
pub(super) fn open(opening: &mut Opening) -> Result<Vec<Box<dyn Serve>>, String> {
    let unsupported = |why: &str| Verdict::new(UNSUPPORTED, why);
    Ok(vec![
        serve(opening, "GetCurrentWorld", current)?,
        serve(opening, "LoadWorld", move |_, _: Unread, respond| {
            respond.send(WorldResponse::failed(unsupported(LOAD)));
        })?,
        serve(opening, "UnloadWorld", move |_, _: Unread, respond| {
            respond.send(Plain::failed(unsupported(UNLOAD)));
        })?,
        serve(
            opening,
            "GetAvailableWorlds",
            move |_, _: Unread, respond| {
                respond.send(WorldsResponse::failed(unsupported(AVAILABLE)));
            },
        )?,
    ])
}

fn current(calls: &Calls, _: Empty, respond: Respond<WorldResponse>) {
    request(calls, ("current_world", json!([])), respond, |reply| {
        let text = |field: &str| reply.value[field].as_str().unwrap_or_default();
        let path = text("file");
        WorldResponse {
            world: World {
                name: text("name").to_owned(),
                world_resource: Resource {
                    uri: if path.is_empty() {
                        String::new()
                    } else {
                        uri::of(path)
                    },
                    resource_string: String::new(),
                },
                ..World::default()
            },
            result: Verdict::of(&reply, |_| FAILED),
        }
    });
}
