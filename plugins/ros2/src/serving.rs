//! Services: requests of nodes that become requests to the simulation.
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use crossbeam_channel::{Receiver, Sender, bounded};
use morse_api::{middleware::RequestSender, service::Reply, world_view::Pacing};
use ros2_client::{
    Message, Name, RmwRequestId, Server, ServiceMapping, ServiceTypeName,
    dds::rustdds::DomainParticipant,
};
use serde_json::Value as Json;

use crate::{
    notes::Notes,
    opening::{Opening, service_profile},
    responses::obstacle,
};

/// Maximum number of unanswered requests of a service; further ones wait in DDS. Nodes keep ten responses that arrive at once.
const MOST_UNDER_WAY: usize = 8;

/// Sender of requests, and the pace of the run; those of the next world replace them.
pub(crate) type Requests = Arc<Mutex<(RequestSender, Option<Arc<Pacing>>)>>;

/// Requests to the simulation, for services and actions.
#[derive(Clone)]
pub(crate) struct Calls {
    requests: Requests,
    /// Wakes the thread.
    bell: Sender<()>,
    /// Simulated time, ns.
    nanos: Arc<AtomicU64>,
    /// Warnings.
    pub(crate) notes: Notes,
}

impl Calls {
    /// Returns a sender of requests. `bell` wakes the thread that serves requests.
    pub(crate) fn new(
        requests: Requests,
        bell: Sender<()>,
        nanos: Arc<AtomicU64>,
        notes: Notes,
    ) -> Self {
        Self {
            requests,
            bell,
            nanos,
            notes,
        }
    }

    /// Sends a request to a component, and returns its number. `reply` is called with the reply, on another thread.
    ///
    /// # Errors
    ///
    /// Too many requests are waiting, or the simulation has ended.
    pub(crate) fn send(
        &self,
        (component, service): (&str, &str),
        arguments: Json,
        reply: impl FnOnce(Reply) + Send + Sync + 'static,
    ) -> Result<u64, String> {
        let bell = self.bell.clone();
        let reply = move |value| {
            reply(value);
            // A full channel means that the thread is going to look anyway.
            bell.try_send(()).ok();
        };
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = requests.0.send(component, service, arguments, reply);
        sent.map_err(|why| why.to_string())
    }

    /// Cancels a request.
    pub(crate) fn cancel(&self, request: u64) {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        // Without a simulation there is nothing to cancel.
        requests.0.cancel(request).ok();
    }

    /// Returns true if the run is paused.
    pub(crate) fn is_held(&self) -> bool {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let pacing = requests.1.as_ref().map(|pacing| pacing.get());
        pacing.is_some_and(|(is_held, _)| is_held)
    }

    /// Returns the simulated time, ns.
    pub(crate) fn now(&self) -> u64 {
        self.nanos.load(Ordering::Relaxed)
    }
}

/// A service or an action.
pub(crate) trait Serve: Send {
    /// Takes the requests that have arrived, and sends the responses that are ready.
    fn update(&mut self, calls: &Calls);
}

/// A request or a response.
pub(crate) trait ServiceMessage: Message + Clone + Send + 'static {}

impl<M: Message + Clone + Send + 'static> ServiceMessage for M {}

/// A response.
pub(crate) trait Answer: ServiceMessage {
    /// Returns the response that has the reason why the actual one cannot be sent; `None` if the type has no text.
    fn unsendable(why: String) -> Option<Self>;
}

/// A service.
pub(crate) struct Service<Q: ServiceMessage, A: Answer> {
    name: String,
    participant: DomainParticipant,
    server: Server<Q, A>,
    handle: Box<dyn Fn(&Calls, Q, Respond<A>) + Send>,
    under_way: usize,
    answered: (Sender<(RmwRequestId, A)>, Receiver<(RmwRequestId, A)>),
}

/// Sender of the response to a request.
pub(crate) struct Respond<A> {
    id: RmwRequestId,
    answered: Sender<(RmwRequestId, A)>,
}

impl<A> Clone for Respond<A> {
    fn clone(&self) -> Self {
        let answered = self.answered.clone();
        Self {
            id: self.id,
            answered,
        }
    }
}

impl<A> Respond<A> {
    /// Sends the response.
    pub(crate) fn send(&self, response: A) {
        // The channel has room for all requests that are under way.
        self.answered.try_send((self.id, response)).ok();
    }
}

impl<Q: ServiceMessage, A: Answer> Service<Q, A> {
    /// Opens a service by its name, such as `/simulation/reset`, and the package and name of its type.
    ///
    /// # Errors
    ///
    /// DDS refuses the service.
    pub(crate) fn new(
        opening: &mut Opening,
        name: &str,
        (package, kind): (&str, &str),
        handle: impl Fn(&Calls, Q, Respond<A>) + Send + 'static,
    ) -> Result<Self, String> {
        let name = opening.full_name(name);
        let failed = |why: &dyn std::fmt::Debug| format!("service `{name}`: {why:?}");
        let parsed = Name::parse(&name).map_err(|why| failed(&why))?;
        let server = opening.node.create_server(
            ServiceMapping::Enhanced,
            &parsed,
            &ServiceTypeName::new(package, kind),
            service_profile(),
            service_profile(),
        );
        Ok(Self {
            server: server.map_err(|why| failed(&why))?,
            participant: opening.participant.clone(),
            name,
            handle: Box::new(handle),
            under_way: 0,
            answered: bounded(MOST_UNDER_WAY),
        })
    }

    fn send(&self, calls: &Calls, id: RmwRequestId, response: A) {
        let name = &self.name;
        let lost = |why: &str| {
            calls
                .notes
                .add(format!("a response of `{name}` is lost: {why}"));
        };
        let topic = format!("rr{name}Reply");
        let response = match obstacle(&self.participant, &topic, &response) {
            None => response,
            Some(why) => match A::unsendable(why.clone()) {
                Some(response) => response,
                None => return lost(&why),
            },
        };
        if let Err(why) = self.server.send_response(id, response) {
            lost(&why.to_string());
        }
    }
}

impl<Q: ServiceMessage, A: Answer> Serve for Service<Q, A> {
    fn update(&mut self, calls: &Calls) {
        while self.under_way < MOST_UNDER_WAY {
            match self.server.receive_request() {
                Ok(Some((id, request))) => {
                    self.under_way += 1;
                    let answered = self.answered.0.clone();
                    (self.handle)(calls, request, Respond { id, answered });
                }
                Ok(None) => break,
                Err(why) => {
                    let name = &self.name;
                    calls
                        .notes
                        .add(format!("a request of `{name}` is invalid: {why}"));
                }
            }
        }
        while let Ok((id, response)) = self.answered.1.try_recv() {
            self.under_way -= 1;
            self.send(calls, id, response);
        }
    }
}
