//! A simulation in a browser: one page on loopback that shows the scene, its robots and their sensor data, and that pauses,
//! steps and resets the run.
//!
//! - [`Web`]: settings, and the interface to the simulation;
//! - [`http`]: requests for pages; `page`: the files of the page;
//! - `server`: the thread, with one poll for all connections; `http_connection`, `viewer`: connections with HTTP and with
//!   WebSocket; `requests`: service calls of viewers; `messages`: messages of the run;
//! - `watch`: observation of the simulation; `frames`, `values`, `scene`, `graphs`: encodings.
mod frames;
mod graphs;
pub mod http;
mod http_connection;
mod messages;
mod page;
mod requests;
mod scene;
mod server;
mod values;
mod viewer;
mod watch;

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use bevy::prelude::{App, Reflect};
use morse_api::{
    fields::Unit,
    middleware::{
        AddMiddleware as _, ErasedContext, Failure, Middleware, MiddlewareContext, Nothing,
        Obstacle, Prospect, Reloaded, Running, Successor, Weight, Worker,
    },
    range::ValueRange,
};
use morse_server::{
    access::{self, AccessError, PageAccess, TokenForm},
    event_loop,
    notifier::Notifier,
};
use serde::Deserialize;

use crate::{
    messages::Messages,
    server::{Server, ServerOptions, World},
};

/// A page that shows the simulation in a browser.
///
/// It shows the scene, the robots, and the data of all sensors, which need not list it among their outputs. It pauses, steps
/// and resets the run. Services of components are offered to it as to any other middleware. `morse-sim SCENE --serve` adds
/// it to any scene.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Web {
    /// Port of the page; 0 for any free port.
    #[reflect(@ValueRange(0.0, 65_535.0))]
    pub port: u16,
    /// IP address to listen at. With the default, only this machine can connect; any other address requires a token.
    pub listen: String,
    /// Token that browsers must present: the page is opened once with `?token=…`. None by default.
    pub token: Option<String>,
    /// Additional host names by which browsers may request the page, such as that of a proxy.
    pub hosts: Vec<String>,
    /// Origins of pages that may contain this page in a frame, such as `http://localhost:8888` of a notebook, or
    /// `http://localhost:*` for all ports; none by default.
    pub frames: Vec<String>,
    /// Maximum number of viewers; further ones are refused.
    #[reflect(@ValueRange(1.0, 65_535.0))]
    pub max_viewers: u32,
    /// Maximum frame rate of a viewer.
    #[reflect(@Unit("Hz"), @ValueRange(0.01, 1000.0))]
    pub frame_rate: f64,
}

impl Default for Web {
    fn default() -> Self {
        Self {
            port: 8080,
            listen: "127.0.0.1".to_owned(),
            token: None,
            hosts: Vec::new(),
            frames: Vec::new(),
            max_viewers: 64,
            frame_rate: 60.0,
        }
    }
}

/// Parses all WebSocket messages in these bytes, as the server does, and returns the number of valid ones.
#[must_use]
pub fn count_valid_messages(bytes: &[u8]) -> usize {
    viewer::count_valid_messages(bytes)
}

/// Registers the kind `web`.
pub fn plugin(app: &mut App) {
    app.add_middleware::<Web>();
}

impl Middleware for Web {
    const KIND: &'static str = "web";
    const VIEWS_WORLD: bool = true;
    type Output = Nothing;
    type Input = Nothing;

    fn check(&self, _: &Prospect<'_, Nothing, Nothing>) -> Vec<Obstacle> {
        let address = self.address().err().map(|why| why.to_string());
        let frame = self.frames.iter().find(|origin| !is_origin(origin));
        let frame = frame.map(|frame| {
            format!("`frames` has `{frame}`: expected an origin, such as `http://localhost:8888`")
        });
        let why = address.into_iter().chain(frame);
        why.map(|why| Obstacle::new(Weight::Settings, why))
            .collect()
    }

    fn listens(&self, _: &Prospect<'_, Nothing, Nothing>) -> Vec<SocketAddr> {
        let address = self.address();
        address.map_or_else(
            |_| Vec::new(),
            |address| vec![SocketAddr::new(address, self.port)],
        )
    }

    fn start(
        &self,
        context: MiddlewareContext<Nothing, Nothing>,
    ) -> Result<Box<dyn Running>, Failure> {
        let name = context.name;
        let failed = |why: String| Failure::Environment(format!("`{name}`: {why}"));
        let address = self.address().map_err(|why| failed(why.to_string()))?;
        let wanted = SocketAddr::new(address, self.port);
        let (listener, at) = event_loop::listen(wanted)
            .map_err(|error| failed(format!("cannot listen at {wanted} for the page: {error}")))?;
        let world_view = context
            .world_view
            .ok_or_else(|| failed("the world contains nothing to show".to_owned()))?;
        let (next, messages) = (Successor::default(), Arc::<Messages>::default());
        let options = ServerOptions {
            access: PageAccess {
                address,
                hosts: self.hosts.clone(),
                frames: self.frames.join(" "),
                token: self.token.clone(),
                cookie: format!("morse_{}", at.port()),
            },
            max_viewers: self.max_viewers as usize,
            frame_rate: self.frame_rate,
            listener,
            requests: context.requests,
            world: World {
                services: context.services,
                world_view,
                wake: context.wake,
            },
            next: next.clone(),
            messages: messages.clone(),
        };
        let server = Server::new(options)
            .map_err(|error| failed(format!("its server could not be started: {error}")))?;
        let notifier = server.notifier();
        Ok(Box::new(Serving {
            worker: Worker::spawn(Self::KIND, &name, server, Server::run)?,
            at,
            needs_token: self.token.is_some(),
            next,
            messages,
            notifier,
        }))
    }
}

/// Returns true for the origin of a page: a scheme, a host and perhaps a port, which may be `*`.
fn is_origin(text: &str) -> bool {
    let host = text
        .strip_prefix("http://")
        .or(text.strip_prefix("https://"));
    let is_usual = |letter: char| letter.is_ascii_alphanumeric() || ":.*-[]".contains(letter);
    host.is_some_and(|host| !host.is_empty() && host.chars().all(is_usual))
}

impl Web {
    /// Returns the address to listen at, if the settings are valid.
    fn address(&self) -> Result<IpAddr, AccessError> {
        access::address(&self.listen, self.token.as_deref(), TokenForm::Page)
    }
}

/// The running thread of the server.
struct Serving {
    worker: Worker,
    at: SocketAddr,
    needs_token: bool,
    next: Successor<World>,
    messages: Arc<Messages>,
    notifier: Arc<Notifier>,
}

impl Running for Serving {
    fn failure(&mut self) -> Option<Failure> {
        self.worker.failure()
    }

    fn notices(&self) -> Vec<String> {
        let hint = if self.needs_token { "?token=…" } else { "" };
        vec![format!(
            "the simulation is shown at http://{}/{hint}",
            self.at
        )]
    }

    fn reload(&mut self, mut context: ErasedContext) -> Reloaded {
        let Some(world_view) = context.world_view.take() else {
            return Reloaded::Restart(Box::new(context));
        };
        self.next.set(World {
            services: context.services,
            world_view,
            wake: context.wake,
        });
        Reloaded::Continues
    }

    fn show_message(&mut self, text: &str) {
        self.messages.add(text);
        self.notifier.notify();
    }

    fn ports(&self) -> Vec<(String, u16)> {
        vec![("page".to_owned(), self.at.port())]
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        self.worker.stop()
    }
}
