//! Poses, velocities and boxes of entities.
use morse_ros::{
    commands::is_world,
    messages::{Header, Point, Pose, Quaternion, Time, Twist, Vector},
};
use nalgebra::{Quaternion as Rotation, UnitQuaternion};
use ros2_client::Message;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{
    FAILED, Judged as _, NOT_FOUND, Plain, UNSUPPORTED, Verdict,
    filters::{BOX, Bounds, Filters, NO_BOUNDS, Named, select},
    judged, request, request_later, serve,
};
use crate::{
    opening::Opening,
    serving::{Calls, Respond, Serve},
};

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
struct StatesResponse {
    result: Verdict,
    entities: Vec<String>,
    states: Vec<EntityState>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct BoundsResponse {
    result: Verdict,
    bounds: Bounds,
}

impl Message for NewState {}

judged!(StateResponse, StatesResponse, BoundsResponse);

/// Opens the services.
///
/// # Errors
///
/// DDS refuses a service.
pub(super) fn open(opening: &mut Opening) -> Result<Vec<Box<dyn Serve>>, String> {
    Ok(vec![
        serve(opening, "GetEntityState", get_state)?,
        serve(opening, "GetEntitiesStates", get_states)?,
        serve(opening, "SetEntityState", set_state)?,
        serve(opening, "GetEntityBounds", get_bounds)?,
    ])
}

/// Returns the code of a failure: the entity does not exist, or something else.
pub(super) fn failure(text: &str) -> u8 {
    let is_unknown = text.contains("does not appear") || text.contains("there is no robot or body");
    if is_unknown { NOT_FOUND } else { FAILED }
}

impl EntityState {
    /// Returns the state in a reply of `get_object_state`, at a time.
    fn read(value: &Json, stamp: Time) -> Self {
        let list = |name: &str| {
            let list = value[name].as_array();
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
        Self {
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
        }
    }
}

fn get_state(calls: &Calls, Named { entity }: Named, respond: Respond<StateResponse>) {
    let stamp = Time::of_nanos(calls.now());
    let asked = ("get_object_state", json!({ "name": entity }));
    request(calls, asked, respond, move |reply| StateResponse {
        result: Verdict::of(&reply, failure),
        state: EntityState::read(&reply.value, stamp),
    });
}

fn get_states(calls: &Calls, filters: Filters, respond: Respond<StatesResponse>) {
    select(calls, filters, respond, |calls, entities, respond| {
        let stamp = Time::of_nanos(calls.now());
        let asked = ("get_object_states", json!({ "names": entities }));
        request_later(calls, asked, respond.clone(), move |_, reply, respond| {
            let states = reply.value.as_array().into_iter().flatten();
            let states = states.map(|state| EntityState::read(state, stamp.clone()));
            respond.send(StatesResponse {
                result: Verdict::ok(),
                states: states.collect(),
                entities,
            });
        });
    });
}

fn get_bounds(calls: &Calls, Named { entity }: Named, respond: Respond<BoundsResponse>) {
    let asked = ("get_object_bounds", json!({ "name": entity }));
    request(calls, asked, respond, move |reply| {
        let corner = |name: &str| {
            let number = |index: usize| reply.value[name][index].as_f64();
            let (x, y, z) = (number(0)?, number(1)?, number(2)?);
            Some(Vector { x, y, z })
        };
        // The upper corner comes first.
        let points: Option<Vec<Vector>> = ["upper", "lower"].into_iter().map(corner).collect();
        let kind = if points.is_some() { BOX } else { NO_BOUNDS };
        BoundsResponse {
            result: Verdict::of(&reply, failure),
            bounds: Bounds {
                r#type: kind,
                points: points.unwrap_or_default(),
            },
        }
    });
}

/// Returns the position and the angles roll, pitch and yaw of a pose in the world.
///
/// # Errors
///
/// The pose is in another frame, or is none.
pub(super) fn placed(header: &Header, pose: &Pose) -> Result<([f64; 3], [f64; 3]), String> {
    let frame = &header.frame_id;
    if !is_world(frame) {
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
    if state.acceleration != Twist::default() {
        return refuse(
            UNSUPPORTED,
            "the acceleration follows from the forces: set it to zero",
        );
    }
    let list = |vector: &Vector| [vector.x, vector.y, vector.z];
    let (linear, angular) = (list(&state.twist.linear), list(&state.twist.angular));
    let (position, orientation) = match placed(&state.header, &state.pose) {
        Ok(placed) => placed,
        Err(why) => return refuse(FAILED, &why),
    };
    if !linear
        .iter()
        .chain(&angular)
        .all(|number| number.is_finite())
    {
        return refuse(FAILED, "the twist is not finite");
    }
    let arguments = json!({
        "name": entity, "position": position, "orientation": orientation,
        "linear_velocity": linear, "angular_velocity": angular,
    });
    let asked = ("set_object_position", arguments);
    request(calls, asked, respond, |reply| {
        Plain::failed(Verdict::of(&reply, failure))
    });
}
