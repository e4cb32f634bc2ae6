//! Services of `simulation_interfaces`, which control any simulator: its state, its time and its entities.
//!
//! - this file: features, state, reset and steps;
//! - `steps`: steps as an action;
//! - `entities`: robots and bodies; `filters`: selections of them; `states`: their poses, velocities and boxes;
//! - `worlds`: the world that runs; `uri`: paths of files as URIs.
mod entities;
mod filters;
mod states;
mod steps;
mod uri;
mod worlds;

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use morse_api::service::{Reply, Status};
use ros2_client::Message;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value as Json, json};

use crate::{
    opening::Opening,
    responses::shortened,
    services::Empty,
    serving::{Answer, Calls, Requests, Respond, Serve, Service, ServiceMessage},
};

/// Package of the types.
const PACKAGE: &str = "simulation_interfaces";

/// Values of [`Verdict::result`] that all services have.
const UNSUPPORTED: u8 = 0;
const OK: u8 = 1;
const NOT_FOUND: u8 = 2;
const FAILED: u8 = 4;

/// Outcome of a service: `simulation_interfaces/msg/Result`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Verdict {
    result: u8,
    error_message: String,
}

impl Verdict {
    fn new(result: u8, error_message: impl Into<String>) -> Self {
        Self {
            result,
            error_message: shortened(error_message.into()),
        }
    }

    fn ok() -> Self {
        Self::new(OK, "")
    }

    /// Returns the outcome of a request to the simulation; `failed` returns the code for the text of a failure.
    fn of(reply: &Reply, failed: impl FnOnce(&str) -> u8) -> Self {
        if reply.status == Status::Success {
            return Self::ok();
        }
        let text = match &reply.value {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        Self::new(failed(&text), text)
    }
}

/// A response with an outcome.
trait Judged: Answer + Default + Serialize + DeserializeOwned + Sync {
    /// Returns the response to a request that was not carried out.
    fn failed(verdict: Verdict) -> Self;
}

/// Implements [`Judged`] for responses with a field `result`.
macro_rules! judged {
    ($($response:ty),+) => {$(
        impl Message for $response {}

        impl $crate::simulation::Judged for $response {
            fn failed(result: Verdict) -> Self {
                Self { result, ..Self::default() }
            }
        }

        impl $crate::serving::Answer for $response {
            fn unsendable(why: String) -> Option<Self> {
                let verdict = Verdict::new($crate::simulation::FAILED, why);
                Some($crate::simulation::Judged::failed(verdict))
            }
        }
    )+};
}
use judged;

/// Response with an outcome only.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Plain {
    result: Verdict,
}

impl Message for Plain {}

impl Answer for Plain {
    fn unsendable(why: String) -> Option<Self> {
        Some(Self::failed(Verdict::new(FAILED, why)))
    }
}

impl Judged for Plain {
    fn failed(result: Verdict) -> Self {
        Self { result }
    }
}

/// States of a simulation.
const STOPPED: u8 = 0;
const PLAYING: u8 = 1;
const PAUSED: u8 = 2;
const QUITTING: u8 = 3;
/// Value of [`Verdict::result`] if the simulation is in the requested state.
const ALREADY_IN_TARGET_STATE: u8 = 101;

/// Response of `GetSimulatorFeatures`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Features {
    features: Vec<u16>,
    spawn_formats: Vec<String>,
    custom_info: String,
}

impl Message for Features {}

impl Answer for Features {
    fn unsendable(_: String) -> Option<Self> {
        None
    }
}

/// Features of `simulation_interfaces/msg/SimulatorFeatures`: spawning, also from texts, and deleting; entities with boxes around
/// them, categories, states and descriptions; reset of time, state and spawned entities; states with pauses; single and several
/// steps, also as an action; the world that runs.
const FEATURES: [u16; 20] = [
    0, 1, 5, 6, 8, 9, 10, 11, 12, 20, 21, 22, 23, 24, 25, 26, 31, 32, 33, 44,
];

/// A state, as a request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    state: u8,
}

impl Message for State {}

/// Response of `GetSimulationState`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct StateResponse {
    state: u8,
    result: Verdict,
}

impl Message for StateResponse {}

impl Answer for StateResponse {
    fn unsendable(_: String) -> Option<Self> {
        None
    }
}

/// Request of `ResetSimulation`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Reset {
    scope: u8,
}

impl Message for Reset {}

/// Flags of a reset.
const TIME: u8 = 1;
const STATE: u8 = 2;
const SPAWNED: u8 = 4;

/// Request of `StepSimulation`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Steps {
    steps: u64,
}

impl Message for Steps {}

/// Names of the robots that nodes have added.
#[derive(Clone, Default)]
struct Added(Arc<Mutex<Vec<String>>>);

impl Added {
    fn change<T>(&self, change: impl FnOnce(&mut Vec<String>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// True between a stop and the next change of state.
#[derive(Clone, Default)]
struct Stopped(Arc<AtomicBool>);

impl Stopped {
    fn set(&self, is_stopped: bool) {
        self.0.store(is_stopped, Ordering::Relaxed);
    }

    /// Returns the state of the simulation.
    fn state(&self, calls: &Calls) -> u8 {
        match (calls.is_held(), self.0.load(Ordering::Relaxed)) {
            (false, _) => PLAYING,
            // Steps leave the start.
            (true, true) if calls.now() == 0 => STOPPED,
            (true, _) => PAUSED,
        }
    }
}

/// Opens the services.
///
/// # Errors
///
/// DDS refuses a service.
pub(crate) fn open(
    opening: &mut Opening,
    requests: &Requests,
    rate: f64,
) -> Result<Vec<Box<dyn Serve>>, String> {
    let added = Added::default();
    let of_reset = added.clone();
    let stopped = Stopped::default();
    let of_set = stopped.clone();
    let mut list: Vec<Box<dyn Serve>> = vec![
        serve(opening, "GetSimulatorFeatures", |_, _: Empty, respond| {
            respond.send(features());
        })?,
        serve(
            opening,
            "GetSimulationState",
            move |calls, _: Empty, respond| {
                respond.send(StateResponse {
                    state: stopped.state(calls),
                    result: Verdict::ok(),
                });
            },
        )?,
        serve(
            opening,
            "SetSimulationState",
            move |calls, asked, respond| {
                set_state(calls, asked, respond, &of_set);
            },
        )?,
        serve(opening, "ResetSimulation", move |calls, asked, respond| {
            reset(calls, &asked, respond, &of_reset);
        })?,
        serve(opening, "StepSimulation", step)?,
    ];
    list.append(&mut entities::open(opening, &added)?);
    list.append(&mut states::open(opening)?);
    list.append(&mut worlds::open(opening)?);
    list.push(steps::open(opening, requests, rate)?);
    Ok(list)
}

/// Opens a service, whose name is that of its type in lower case.
fn serve<Q: ServiceMessage, A: Answer>(
    opening: &mut Opening,
    kind: &str,
    handle: impl Fn(&Calls, Q, Respond<A>) + Send + 'static,
) -> Result<Box<dyn Serve>, String> {
    let mut name = String::new();
    for letter in kind.chars() {
        name.push_str(if letter.is_uppercase() { "_" } else { "" });
        name.push(letter.to_ascii_lowercase());
    }
    let name = format!("/{}", name.trim_start_matches('_'));
    let service = Service::new(opening, &name, (PACKAGE, kind), handle)?;
    Ok(Box::new(service))
}

/// Sends a request to the component `simulation`, and the response that `answer` makes of its reply.
fn request<A: Judged>(
    calls: &Calls,
    (service, arguments): (&str, Json),
    respond: Respond<A>,
    answer: impl FnOnce(Reply) -> A + Send + Sync + 'static,
) {
    let later = respond.clone();
    let sent = calls.send(("simulation", service), arguments, move |reply| {
        later.send(answer(reply));
    });
    if let Err(why) = sent {
        respond.send(A::failed(Verdict::new(FAILED, why)));
    }
}

/// Sends a request to the component `simulation`; `then` sends the response, or a further request. A failure is sent as the
/// response.
fn request_later<A: Judged>(
    calls: &Calls,
    (service, arguments): (&str, Json),
    respond: Respond<A>,
    then: impl FnOnce(&Calls, Reply, &Respond<A>) + Send + Sync + 'static,
) {
    let (again, later) = (calls.clone(), respond.clone());
    let sent = calls.send(
        ("simulation", service),
        arguments,
        move |reply| match reply.status {
            Status::Success => then(&again, reply, &later),
            _ => later.send(A::failed(Verdict::of(&reply, |_| FAILED))),
        },
    );
    if let Err(why) = sent {
        respond.send(A::failed(Verdict::new(FAILED, why)));
    }
}

/// Sends a request whose response has an outcome only.
fn act(calls: &Calls, service: &str, arguments: Json, respond: Respond<Plain>) {
    request(calls, (service, arguments), respond, |reply| {
        Plain::failed(Verdict::of(&reply, |_| FAILED))
    });
}

fn features() -> Features {
    let formats = ["urdf", "sdf", "mjcf", "robray", "ron"];
    Features {
        features: FEATURES.to_vec(),
        spawn_formats: formats.map(str::to_owned).to_vec(),
        custom_info: concat!("morse-sim ", env!("CARGO_PKG_VERSION")).to_owned(),
    }
}

fn set_state(calls: &Calls, State { state }: State, respond: Respond<Plain>, stopped: &Stopped) {
    let present = stopped.state(calls);
    let service = match state {
        _ if state == present => {
            let verdict = Verdict::new(ALREADY_IN_TARGET_STATE, "it is in this state");
            return respond.send(Plain::failed(verdict));
        }
        PLAYING => "resume",
        PAUSED => "pause",
        QUITTING => "quit",
        STOPPED => {
            // The time begins again, and waits.
            calls.send(("simulation", "pause"), json!([]), drop).ok();
            "reset"
        }
        other => {
            let verdict = Verdict::new(UNSUPPORTED, format!("there is no state {other}"));
            return respond.send(Plain::failed(verdict));
        }
    };
    stopped.set(state == STOPPED);
    act(calls, service, json!([]), respond);
}

fn reset(calls: &Calls, Reset { scope }: &Reset, respond: Respond<Plain>, added: &Added) {
    let scope = match scope {
        0 => u8::MAX,
        scope => *scope,
    };
    if scope & SPAWNED != 0 {
        for name in added.change(std::mem::take) {
            // One that is gone need not be removed.
            calls
                .send(("simulation", "delete"), json!({ "name": name }), drop)
                .ok();
        }
    }
    let service = match (scope & TIME != 0, scope & STATE != 0) {
        (true, true) => "reset",
        (false, true) => "reset_objects",
        (false, false) => return respond.send(Plain::failed(Verdict::ok())),
        (true, false) => {
            let why = "the time is reset together with the state only: add SCOPE_STATE";
            return respond.send(Plain::failed(Verdict::new(UNSUPPORTED, why)));
        }
    };
    act(calls, service, json!([]), respond);
}

fn step(calls: &Calls, Steps { steps }: Steps, respond: Respond<Plain>) {
    if !calls.is_held() {
        let why =
            "the simulation is not paused: request STATE_PAUSED of /set_simulation_state first";
        return respond.send(Plain::failed(Verdict::new(FAILED, why)));
    }
    act(calls, "step", json!({ "ticks": steps }), respond);
}
