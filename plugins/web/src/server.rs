//! Thread of the server: one poll for all connections.
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

use morse_api::{
    middleware::{Failure, RequestSender, Successor, Wake},
    world_view::WorldView,
};
use morse_server::{
    access::{PageAccess, PageRequest, Verdict},
    clock::now,
    event_loop::{self, Accepted, EventLoop, Source, TcpListener, TcpStream},
    notifier::Notifier,
};
use serde_json::json;
use tungstenite::protocol::frame::coding::CloseCode;

use crate::{
    http::{self, Answer, Head},
    http_connection::{ClosingConnection, ConnectionState, HttpConnection, too_many},
    messages::Messages,
    page,
    requests::Requests,
    scene,
    viewer::{Heard, Said, Viewer},
    watch::Watch,
};

/// Content type of the scene and of graphs.
const JSON: &str = "application/json";
/// Poll interval without events.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Poll interval while there are viewers: the run may be paused and resumed without a tick.
const POLL_INTERVAL_WITH_VIEWERS: Duration = Duration::from_millis(50);
/// Maximum number of connections with HTTP. If it is reached, the one with the oldest incomplete request is closed.
const MOST_HTTP_CONNECTIONS: usize = 128;
/// Timeout of a connection without a complete request, or that does not accept its response.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Time in which a closing connection can receive the last response.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Time after which a silent viewer gets a ping; it is disconnected after the same time without an answer.
const SILENCE: Duration = Duration::from_secs(30);

/// Arguments of the constructor of a server.
pub(crate) struct ServerOptions {
    pub(crate) access: PageAccess,
    pub(crate) max_viewers: usize,
    pub(crate) frame_rate: f64,
    pub(crate) listener: TcpListener,
    pub(crate) requests: RequestSender,
    pub(crate) world: World,
    pub(crate) next: Successor<World>,
    pub(crate) messages: Arc<Messages>,
}

/// Connections to a world.
pub(crate) struct World {
    pub(crate) services: Vec<String>,
    pub(crate) world_view: WorldView,
    pub(crate) wake: Wake,
}

/// State of the server's thread.
pub(crate) struct Server {
    access: PageAccess,
    max_viewers: usize,
    event_loop: EventLoop,
    connections: BTreeMap<usize, HttpConnection>,
    viewers: BTreeMap<usize, Viewer>,
    closing: BTreeMap<usize, ClosingConnection>,
    /// Viewers with more messages than were read in a row.
    unheard: BTreeSet<usize>,
    scene: Vec<u8>,
    meshes: Vec<Vec<u8>>,
    watch: Watch,
    requests: Requests,
    frame_rate: f64,
    wake: Wake,
    next: Successor<World>,
    messages: Arc<Messages>,
    tidied: Instant,
}

impl Server {
    pub(crate) fn new(options: ServerOptions) -> std::io::Result<Self> {
        let ServerOptions {
            access,
            max_viewers,
            frame_rate,
            listener,
            requests,
            world,
            next,
            messages,
        } = options;
        let World {
            services,
            world_view,
            wake,
        } = world;
        let event_loop = EventLoop::new(vec![listener], &wake)?;
        let now = now();
        Ok(Self {
            access,
            max_viewers,
            requests: Requests::new(services, requests.clone(), event_loop.notifier()),
            event_loop,
            connections: BTreeMap::new(),
            viewers: BTreeMap::new(),
            closing: BTreeMap::new(),
            unheard: BTreeSet::new(),
            scene: scene::json(&world_view),
            meshes: world_view.scenery.meshes.iter().map(scene::mesh).collect(),
            watch: Watch::new(world_view, requests, frame_rate, now),
            frame_rate,
            wake,
            next,
            messages,
            tidied: now,
        })
    }

    /// Returns the notifier, which makes the server send waiting messages.
    pub(crate) fn notifier(&self) -> Arc<Notifier> {
        self.event_loop.notifier()
    }

    /// Serves until the simulation ends.
    ///
    /// # Errors
    ///
    /// The operating system can no longer wait for browsers.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        let mut events = event_loop::events();
        loop {
            match self.next.take_over(&self.wake) {
                Some(Some(next)) => self.change_world(next),
                Some(None) => break,
                None => {}
            }
            let rest = self.rest();
            self.event_loop.wait(&mut events, rest).map_err(|error| {
                Failure::Environment(format!("waiting for browsers failed: {error}"))
            })?;
            for event in &events {
                match self.event_loop.source(event) {
                    Source::Notifier => {}
                    Source::Listener(_) => self.accept(),
                    Source::Connection(token) => self.event(token, event.is_writable()),
                }
            }
            for token in std::mem::take(&mut self.unheard) {
                self.read_messages(token);
            }
            self.pass_on();
            self.reap();
        }
        // The end is shown to all viewers, also to those that have not received earlier frames.
        self.watch.take(now());
        for viewer in self.viewers.values_mut() {
            if let Some(frame) = self.watch.frame(&mut viewer.view) {
                viewer.show(frame);
            }
            viewer.dismiss(CloseCode::Away, "the simulation has ended");
        }
        Ok(())
    }

    /// Continues with another world. Viewers receive a message, and frames again once they have loaded the new scene.
    fn change_world(&mut self, next: World) {
        let World {
            services,
            world_view,
            wake,
        } = next;
        self.event_loop.follow(&wake);
        self.wake = wake;
        self.requests.offer(services);
        self.scene = scene::json(&world_view);
        self.meshes = world_view.scenery.meshes.iter().map(scene::mesh).collect();
        self.watch.change_world(world_view, self.frame_rate, now());
        let mut gone = Vec::new();
        for (token, viewer) in &mut self.viewers {
            viewer.change_world();
            if !viewer.send_text(r#"{"scene":"changed"}"#.to_owned()) {
                gone.push(*token);
            }
        }
        for token in gone {
            self.close(token);
        }
    }

    /// Returns the time until the next action without events.
    fn rest(&self) -> Duration {
        if !self.unheard.is_empty() {
            Duration::ZERO
        } else if self.viewers.is_empty() {
            POLL_INTERVAL
        } else if self.viewers.values().any(Viewer::is_ready) {
            let left = self.watch.next().saturating_duration_since(now());
            if left.is_zero() {
                POLL_INTERVAL_WITH_VIEWERS
            } else {
                left
            }
        } else {
            POLL_INTERVAL_WITH_VIEWERS
        }
    }

    fn accept(&mut self) {
        while let Accepted::Connection(token, stream) = self.event_loop.accept(0) {
            let mut connection = HttpConnection::new(stream, now());
            if !self.make_room() {
                connection.answer(too_many());
                continue;
            }
            self.connections.insert(token, connection);
            // Bytes that arrived before the registration cause no event.
            self.read_request(token);
        }
    }

    /// Makes room for one more request; returns false if there is none. The oldest connection without a complete request is
    /// closed; then one that does not accept its response.
    fn make_room(&mut self) -> bool {
        if self.connections.len() + self.closing.len() < MOST_HTTP_CONNECTIONS {
            return true;
        }
        // Tokens increase in the order of acceptance.
        let mut connections = self.connections.iter();
        let unfinished = connections.find(|(_, connection)| !connection.is_answered());
        if let Some(token) = unfinished.map(|(token, _)| *token) {
            if let Some(mut connection) = self.connections.remove(&token) {
                connection.answer(too_many());
            }
            return true;
        }
        if self.closing.pop_first().is_some() {
            return true;
        }
        let now = now();
        let is_slow =
            |connection: &HttpConnection| now.duration_since(connection.since) > CLOSE_TIMEOUT;
        let slow = self.connections.first_entry();
        let slow = slow.filter(|entry| is_slow(entry.get()));
        slow.map(std::collections::btree_map::OccupiedEntry::remove)
            .is_some()
    }

    fn event(&mut self, token: usize, is_writable: bool) {
        if let Some(closing) = self.closing.get_mut(&token) {
            if closing.read_messages() == ConnectionState::Gone {
                self.closing.remove(&token);
            }
        } else if let Some(viewer) = self.viewers.get_mut(&token) {
            if is_writable && !viewer.flush() {
                self.close(token);
            } else {
                self.read_messages(token);
            }
        } else if let Some(connection) = self.connections.get_mut(&token) {
            if connection.is_answered() {
                let state = connection.flush();
                self.close_unless_it_stays(token, &state);
            } else {
                self.read_request(token);
            }
        }
    }

    /// Reads the request of a connection, and sends the response.
    fn read_request(&mut self, token: usize) {
        let Some(connection) = self.connections.get_mut(&token) else {
            return;
        };
        let answer = match connection.read_messages() {
            Some(http::Heard::More) => return,
            Some(http::Heard::Wrong(answer)) => http::line(answer),
            Some(http::Heard::Request(head, length)) => match self.answer(&head) {
                Some(answer) => answer,
                None => {
                    self.upgrade(token, &head, length);
                    return;
                }
            },
            None => {
                self.connections.remove(&token);
                return;
            }
        };
        if let Some(connection) = self.connections.get_mut(&token) {
            let state = connection.answer(answer);
            self.close_unless_it_stays(token, &state);
        }
    }

    /// Returns the response to a request; `None` if the connection is to become a viewer.
    fn answer(&self, head: &Head) -> Option<Vec<u8>> {
        let refused = |status, text| Some(http::line(Answer { status, text }));
        match self.access.check(fields_of(head)) {
            Err(why) => return refused(http::FORBIDDEN, why.reason()),
            Ok(Verdict::TakeCookie) if head.key.is_none() => {
                let token = self.access.token.as_deref().unwrap_or_default();
                let cookie = format!(
                    "{}={token}; HttpOnly; SameSite=Strict; Path=/",
                    self.access.cookie
                );
                let headers = [("Set-Cookie", cookie.as_str()), ("Location", "/")];
                return Some(http::answer(
                    "303 See Other",
                    "text/plain",
                    &headers,
                    b"",
                    false,
                ));
            }
            Ok(Verdict::TakeCookie | Verdict::Welcome) => {}
        }
        if head.path == "/ws" {
            if head.key.is_none() {
                return refused(http::BAD, "this address requires a WebSocket request");
            }
            if self.viewers.len() >= self.max_viewers {
                return refused(http::BUSY, "too many viewers");
            }
            return None;
        }
        let layout = self.graph_layout(&head.path);
        let layout = layout.as_deref().map(|layout| (JSON, layout));
        let content = match head.path.as_str() {
            "/scene.json" => Some((JSON, self.scene.as_slice())),
            path => page::find(path).or_else(|| self.mesh(path)).or(layout),
        };
        match content {
            Some((kind, body)) => Some(http::page(kind, body, head.is_head, &self.access.frames)),
            None => refused(http::NOT_FOUND, "there is no such page"),
        }
    }

    fn graph_layout(&self, path: &str) -> Option<Vec<u8>> {
        let index = path.strip_prefix("/graph/")?.parse().ok()?;
        let layout = self.watch.graph_layout(index)?;
        Some(layout.to_string().into_bytes())
    }

    fn mesh(&self, path: &str) -> Option<(&'static str, &[u8])> {
        let index: usize = path.strip_prefix("/mesh/")?.parse().ok()?;
        Some(("application/octet-stream", self.meshes.get(index)?))
    }

    /// Makes a connection a viewer.
    fn upgrade(&mut self, token: usize, head: &Head, length: usize) {
        let (Some(mut connection), Some(key)) = (self.connections.remove(&token), &head.key) else {
            return;
        };
        // The send buffer of a fresh connection holds this short response, or the connection is closed.
        if connection.answer(http::switch(key)) == ConnectionState::Leaves {
            let (stream, rest) = connection.into_rest(length);
            self.viewers.insert(token, Viewer::new(stream, rest, now()));
            self.read_messages(token);
        }
    }

    /// Processes the messages of a viewer.
    fn read_messages(&mut self, token: usize) {
        while let Some(viewer) = self.viewers.get_mut(&token) {
            match viewer.read_messages(now()) {
                Heard::Said(Said::Seen(frame)) => viewer.seen(frame),
                Heard::Said(Said::Watch(paths)) => {
                    viewer.has_scene();
                    self.watch.set(&mut viewer.view, &paths);
                }
                Heard::Said(Said::Graphs(names)) => {
                    self.watch.set_graphs(&mut viewer.view, &names);
                }
                Heard::Said(Said::Call(call)) => {
                    if !self.requests.call(token, viewer, call) {
                        self.close(token);
                    }
                }
                Heard::Silence => return,
                Heard::Enough => {
                    self.unheard.insert(token);
                    return;
                }
                Heard::Leaves => {
                    if let Some(stream) = self.close(token) {
                        self.closing
                            .insert(token, ClosingConnection::new(stream, now()));
                    }
                }
                Heard::Gone => {
                    self.close(token);
                }
            }
        }
    }

    fn close(&mut self, token: usize) -> Option<TcpStream> {
        let viewer = self.viewers.remove(&token)?;
        self.watch.forget(&viewer.view);
        Some(viewer.into_stream())
    }

    fn close_unless_it_stays(&mut self, token: usize, state: &ConnectionState) {
        if *state == ConnectionState::Stays {
            return;
        }
        if let Some(connection) = self.connections.remove(&token)
            && *state == ConnectionState::Leaves
        {
            let (stream, _) = connection.into_rest(0);
            self.closing
                .insert(token, ClosingConnection::new(stream, now()));
        }
    }

    /// Sends replies, and a frame to each viewer that is ready for one.
    fn pass_on(&mut self) {
        let mut gone = Vec::new();
        for (token, text) in self.requests.answers() {
            if let Some(viewer) = self.viewers.get_mut(&token) {
                viewer.under_way = viewer.under_way.saturating_sub(1);
                if !viewer.send_text(text) {
                    gone.push(token);
                }
            }
        }
        for text in self.messages.take() {
            let text = json!({ "warning": text }).to_string();
            for (token, viewer) in &mut self.viewers {
                if !viewer.send_text(text.clone()) {
                    gone.push(*token);
                }
            }
        }
        if !self.viewers.is_empty() {
            self.watch.take(now());
        }
        let mut is_wanted = false;
        for (token, viewer) in &mut self.viewers {
            if !viewer.warn(&self.watch) {
                gone.push(*token);
                continue;
            }
            if viewer.is_ready()
                && let Some(frame) = self.watch.frame(&mut viewer.view)
                && !viewer.show(frame)
            {
                gone.push(*token);
            }
            is_wanted |= viewer.is_ready();
        }
        if is_wanted {
            self.watch.request(now());
        }
        for token in gone {
            self.close(token);
        }
    }

    /// Checks for silent connections once a second.
    fn reap(&mut self) {
        let now = now();
        if now.duration_since(self.tidied) < CLOSE_TIMEOUT {
            return;
        }
        self.tidied = now;
        self.connections
            .retain(|_, connection| now.duration_since(connection.since) < REQUEST_TIMEOUT);
        self.closing
            .retain(|_, closing| now.duration_since(closing.since) < CLOSE_TIMEOUT);
        let mut gone = Vec::new();
        for (token, viewer) in &mut self.viewers {
            let silent = now.duration_since(viewer.heard);
            if silent > 2 * SILENCE || (silent > SILENCE && !viewer.ping()) {
                gone.push(*token);
            }
        }
        for token in gone {
            self.close(token);
        }
    }
}

fn fields_of(head: &Head) -> PageRequest<'_> {
    PageRequest {
        host: head.host.as_deref(),
        origin: head.origin.as_deref(),
        cookie: head.cookie.as_deref(),
        query: &head.query,
    }
}
