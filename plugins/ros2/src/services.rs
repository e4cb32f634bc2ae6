//! Services that control the simulation: those without arguments, as `std_srvs/srv/Trigger`.
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, bounded};
use morse_api::{
    middleware::RequestSender,
    service::{Reply, Status},
};
use ros2_client::{Message, Name, RmwRequestId, Server, ServiceMapping, ServiceTypeName};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::{
    Quality,
    notes::Notes,
    opening::{Opening, profile},
};

/// Services of the component `simulation`, each as `/simulation/NAME`.
const SERVICES: [&str; 4] = [
    "reset",
    "reset_objects",
    "suspend_dynamics",
    "restore_dynamics",
];
/// Interval at which requests are looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum number of unanswered requests of a service.
const MOST_UNDER_WAY: usize = 16;

/// Request of `std_srvs/srv/Trigger`. A structure without fields has one byte in CDR.
#[derive(Clone, Serialize, Deserialize)]
struct TriggerRequest {
    structure_needs_at_least_one_member: u8,
}

impl Message for TriggerRequest {}

/// Response of `std_srvs/srv/Trigger`.
#[derive(Clone, Serialize, Deserialize)]
struct TriggerResponse {
    success: bool,
    message: String,
}

impl Message for TriggerResponse {}

impl TriggerResponse {
    fn failure(why: impl ToString) -> Self {
        Self {
            success: false,
            message: why.to_string(),
        }
    }

    fn new(reply: Reply) -> Self {
        Self {
            success: reply.status == Status::Success,
            message: match reply.value {
                Json::Null => String::new(),
                Json::String(text) => text,
                value => value.to_string(),
            },
        }
    }
}

/// Sender of requests; that of the next world replaces it.
pub(crate) type Requests = Arc<Mutex<RequestSender>>;

/// Servers of the services.
pub(crate) struct Services {
    servers: Vec<Trigger>,
    requests: Requests,
    answered: Sender<Answered>,
    answers: Receiver<Answered>,
    stopped: Arc<AtomicBool>,
    notes: Notes,
}

struct Trigger {
    service: &'static str,
    server: Server<TriggerRequest, TriggerResponse>,
    /// Number of unanswered requests.
    under_way: usize,
}

/// Index of a server, request, and the response to it.
type Answered = (usize, RmwRequestId, TriggerResponse);

impl Services {
    /// Opens the services. `stopped` ends the thread.
    ///
    /// # Errors
    ///
    /// DDS refuses a service.
    pub(crate) fn new(
        opening: &mut Opening,
        requests: Requests,
        stopped: Arc<AtomicBool>,
    ) -> Result<Self, String> {
        let servers = SERVICES
            .iter()
            .map(|service| Trigger::new(opening, service));
        let servers = servers.collect::<Result<_, _>>()?;
        let (answered, answers) = bounded(SERVICES.len() * MOST_UNDER_WAY);
        Ok(Self {
            servers,
            requests,
            answered,
            answers,
            stopped,
            notes: opening.notes.clone(),
        })
    }

    /// Serves requests until it is stopped.
    pub(crate) fn run(&mut self) {
        while !self.stopped.load(Ordering::Acquire) {
            for index in 0..self.servers.len() {
                self.take_requests(index);
            }
            let first = self.answers.recv_timeout(POLL_INTERVAL).ok();
            let answers: Vec<Answered> = first.into_iter().chain(self.answers.try_iter()).collect();
            for (index, id, response) in answers {
                self.servers[index].under_way -= 1;
                self.respond(index, id, response);
            }
        }
    }

    fn take_requests(&mut self, index: usize) {
        for _ in 0..MOST_UNDER_WAY {
            match self.servers[index].server.receive_request() {
                Ok(Some((id, _))) => self.call(index, id),
                Ok(None) => return,
                Err(why) => {
                    let service = self.servers[index].service;
                    self.notes.add(format!(
                        "a request of `/simulation/{service}` is invalid: {why}"
                    ));
                }
            }
        }
    }

    fn call(&mut self, index: usize, id: RmwRequestId) {
        let server = &mut self.servers[index];
        if server.under_way == MOST_UNDER_WAY {
            let why = format!("{MOST_UNDER_WAY} requests are unanswered");
            return self.respond(index, id, TriggerResponse::failure(why));
        }
        server.under_way += 1;
        let service = server.service;
        let answered = self.answered.clone();
        let reply = move |reply| {
            // The channel has room for all requests that are under way.
            answered
                .try_send((index, id, TriggerResponse::new(reply)))
                .ok();
        };
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = requests.send("simulation", service, json!([]), reply);
        drop(requests);
        if let Err(why) = sent {
            self.servers[index].under_way -= 1;
            self.respond(index, id, TriggerResponse::failure(why));
        }
    }

    fn respond(&self, index: usize, id: RmwRequestId, response: TriggerResponse) {
        let Trigger {
            service, server, ..
        } = &self.servers[index];
        if let Err(why) = server.send_response(id, response) {
            self.notes.add(format!(
                "a response of `/simulation/{service}` is lost: {why}"
            ));
        }
    }
}

impl Trigger {
    fn new(opening: &mut Opening, service: &'static str) -> Result<Self, String> {
        let name = opening.full_name(&format!("/simulation/{service}"));
        let failed = |why: &dyn std::fmt::Debug| format!("service `{name}`: {why:?}");
        let parsed = Name::parse(&name).map_err(|why| failed(&why))?;
        let server = opening.node.create_server(
            ServiceMapping::Enhanced,
            &parsed,
            &ServiceTypeName::new("std_srvs", "Trigger"),
            profile(Quality::Reliable),
            profile(Quality::Reliable),
        );
        Ok(Self {
            service,
            server: server.map_err(|why| failed(&why))?,
            under_way: 0,
        })
    }
}
