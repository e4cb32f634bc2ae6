//! The thread: one poll for all connections.
use std::{
    collections::{BTreeMap, BTreeSet},
    io::ErrorKind,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use mio::{
    Events, Interest, Poll, Token, Waker,
    net::{TcpListener, TcpStream},
};
use morse_api::{
    middleware::{Failure, RequestSender, Wake},
    sight::Sight,
};
use tungstenite::protocol::frame::coding::CloseCode;

use crate::{
    guard::{Guard, Verdict},
    http::{self, Answer, Head},
    page,
    requests::{Knock, Requests},
    scene,
    viewer::{Heard, Said, Viewer},
    visitor::{Fate, Leaving, Visitor},
    watch::Watch,
};

const WAKER: Token = Token(0);
const LISTENER: Token = Token(1);
/// How long the thread sleeps where nothing happens.
const BEAT: Duration = Duration::from_millis(250);
/// The same while somebody looks on: the run may be held and resumed without a tick.
const QUICK_BEAT: Duration = Duration::from_millis(50);
/// Connections that ask for pages, at once.
const MOST_VISITORS: usize = 128;
/// Who asks for a page and does not say which, or takes no answer, has so long.
const PATIENCE: Duration = Duration::from_secs(10);
/// Who was told the last word has so long to hear it.
const FAREWELL: Duration = Duration::from_secs(1);
/// A viewer that says nothing for so long is asked for a sign of life, and has as long again.
const SILENCE: Duration = Duration::from_secs(30);

/// What the thread has to tell.
#[derive(Default)]
pub(crate) struct News {
    pub(crate) failure: Option<Failure>,
}

/// What a server is made of.
pub(crate) struct Parts {
    pub(crate) guard: Guard,
    pub(crate) max_viewers: usize,
    pub(crate) frame_rate: f64,
    pub(crate) listener: TcpListener,
    pub(crate) services: Vec<String>,
    pub(crate) requests: RequestSender,
    pub(crate) sight: Sight,
    pub(crate) wake: Wake,
    pub(crate) news: Arc<Mutex<News>>,
}

/// Everything the thread works with.
pub(crate) struct Server {
    guard: Guard,
    max_viewers: usize,
    poll: Poll,
    listener: TcpListener,
    visitors: BTreeMap<usize, Visitor>,
    viewers: BTreeMap<usize, Viewer>,
    leaving: BTreeMap<usize, Leaving>,
    /// Viewers that had said enough for one turn.
    unheard: BTreeSet<usize>,
    next: usize,
    scene: Vec<u8>,
    meshes: Vec<Vec<u8>>,
    watch: Watch,
    requests: Requests,
    knock: Arc<Knock>,
    wake: Wake,
    news: Arc<Mutex<News>>,
    tidied: Instant,
}

impl Server {
    pub(crate) fn new(parts: Parts) -> std::io::Result<Self> {
        let Parts {
            guard,
            max_viewers,
            frame_rate,
            mut listener,
            services,
            requests,
            sight,
            wake,
            news,
        } = parts;
        let poll = Poll::new()?;
        let knock = Arc::new(Knock::new(Waker::new(poll.registry(), WAKER)?));
        poll.registry()
            .register(&mut listener, LISTENER, Interest::READABLE)?;
        let hook = knock.clone();
        wake.also_call(move || hook.knock());
        let now = now();
        Ok(Self {
            guard,
            max_viewers,
            poll,
            listener,
            visitors: BTreeMap::new(),
            viewers: BTreeMap::new(),
            leaving: BTreeMap::new(),
            unheard: BTreeSet::new(),
            next: 2,
            scene: scene::json(&sight),
            meshes: sight.scenery.meshes.iter().map(scene::mesh).collect(),
            watch: Watch::new(sight, requests.clone(), frame_rate, now),
            requests: Requests::new(services, requests, knock.clone()),
            knock,
            wake,
            news,
            tidied: now,
        })
    }

    /// Serves until the simulation ends.
    pub(crate) fn run(mut self) {
        let mut events = Events::with_capacity(256);
        while !self.wake.is_over() {
            if let Err(error) = self.poll.poll(&mut events, Some(self.rest()))
                && error.kind() != ErrorKind::Interrupted
            {
                let text = format!("waiting for browsers failed: {error}");
                let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
                news.failure = Some(Failure::Environment(text));
                return;
            }
            self.knock.heard();
            for event in &events {
                match event.token() {
                    WAKER => {}
                    LISTENER => self.accept(),
                    Token(token) => self.event(token, event.is_writable()),
                }
            }
            for token in std::mem::take(&mut self.unheard) {
                self.hear(token);
            }
            self.pass_on();
            self.tidy();
        }
        // How it ended is shown to everybody, also to those who are not done with what was before.
        self.watch.take(now());
        for viewer in self.viewers.values_mut() {
            if let Some(frame) = self.watch.frame(&mut viewer.view) {
                viewer.show(frame);
            }
            viewer.dismiss(CloseCode::Away, "the simulation has ended");
        }
    }

    /// How long there is nothing to do unless something happens.
    fn rest(&self) -> Duration {
        if !self.unheard.is_empty() {
            Duration::ZERO
        } else if self.viewers.is_empty() {
            BEAT
        } else if self.viewers.values().any(Viewer::is_ready) {
            let left = self.watch.next().saturating_duration_since(now());
            if left.is_zero() { QUICK_BEAT } else { left }
        } else {
            QUICK_BEAT
        }
    }

    fn accept(&mut self) {
        loop {
            let mut stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // Too many open files, say: the browser waits in the queue until others have gone.
                Err(_) => return,
            };
            let token = self.next;
            self.next += 1;
            stream.set_nodelay(true).ok();
            let interest = Interest::READABLE | Interest::WRITABLE;
            let registered = self
                .poll
                .registry()
                .register(&mut stream, Token(token), interest);
            if registered.is_err() {
                continue;
            }
            let mut visitor = Visitor::new(stream, now());
            if self.visitors.len() + self.leaving.len() >= MOST_VISITORS {
                visitor.answer(http::line(Answer {
                    status: http::BUSY,
                    text: "too many connections",
                }));
                continue;
            }
            self.visitors.insert(token, visitor);
            // What was sent at once may have been there before it was registered.
            self.visit(token);
        }
    }

    fn event(&mut self, token: usize, is_writable: bool) {
        if let Some(leaving) = self.leaving.get_mut(&token) {
            if leaving.hear() == Fate::Gone {
                self.leaving.remove(&token);
            }
        } else if let Some(viewer) = self.viewers.get_mut(&token) {
            if is_writable && !viewer.flush() {
                self.close(token);
            } else {
                self.hear(token);
            }
        } else if let Some(visitor) = self.visitors.get_mut(&token) {
            if visitor.is_answered() {
                let fate = visitor.flush();
                self.part(token, &fate);
            } else {
                self.visit(token);
            }
        }
    }

    /// Hears what a visitor asks for, and answers.
    fn visit(&mut self, token: usize) {
        let Some(visitor) = self.visitors.get_mut(&token) else {
            return;
        };
        let answer = match visitor.hear() {
            Some(http::Heard::More) => return,
            Some(http::Heard::Wrong(answer)) => http::line(answer),
            Some(http::Heard::Request(head, length)) => match self.answer(&head) {
                Some(answer) => answer,
                None => {
                    self.welcome(token, &head, length);
                    return;
                }
            },
            None => {
                self.visitors.remove(&token);
                return;
            }
        };
        if let Some(visitor) = self.visitors.get_mut(&token) {
            let fate = visitor.answer(answer);
            self.part(token, &fate);
        }
    }

    /// The answer to a request; none if its sender is to be a viewer.
    fn answer(&self, head: &Head) -> Option<Vec<u8>> {
        let refused = |status, text| Some(http::line(Answer { status, text }));
        match self.guard.judge(head) {
            Verdict::Refused(why) => return refused(http::FORBIDDEN, why),
            Verdict::TakeCookie if head.key.is_none() => {
                let token = self.guard.token.as_deref().unwrap_or_default();
                let cookie = format!(
                    "{}={token}; HttpOnly; SameSite=Strict; Path=/",
                    self.guard.cookie
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
            Verdict::TakeCookie | Verdict::Welcome => {}
        }
        if head.path == "/ws" {
            if head.key.is_none() {
                return refused(http::BAD, "WebSocket is spoken here");
            }
            if self.viewers.len() >= self.max_viewers {
                return refused(http::BUSY, "too many viewers");
            }
            return None;
        }
        let found = match head.path.as_str() {
            "/scene.json" => Some(("application/json", self.scene.as_slice())),
            path => page::find(path).or_else(|| self.mesh(path)),
        };
        match found {
            Some((kind, body)) => Some(http::answer("200 OK", kind, &[], body, head.is_head)),
            None => refused(http::NOT_FOUND, "there is no such page"),
        }
    }

    fn mesh(&self, path: &str) -> Option<(&'static str, &[u8])> {
        let place: usize = path.strip_prefix("/mesh/")?.parse().ok()?;
        Some(("application/octet-stream", self.meshes.get(place)?))
    }

    /// From now on a visitor is a viewer.
    fn welcome(&mut self, token: usize, head: &Head, length: usize) {
        let (Some(mut visitor), Some(key)) = (self.visitors.remove(&token), &head.key) else {
            return;
        };
        // A fresh connection takes so few bytes at once, or never.
        if visitor.answer(http::switch(key)) == Fate::Leaves {
            let (stream, rest) = visitor.into_rest(length);
            self.viewers.insert(token, Viewer::new(stream, rest, now()));
            self.hear(token);
        }
    }

    /// Deals with what a viewer says.
    fn hear(&mut self, token: usize) {
        while let Some(viewer) = self.viewers.get_mut(&token) {
            match viewer.hear(now()) {
                Heard::Said(Said::Seen(frame)) => viewer.seen(frame),
                Heard::Said(Said::Watch(paths)) => self.watch.set(&mut viewer.view, &paths),
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
                        self.leaving.insert(token, Leaving::new(stream, now()));
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

    fn part(&mut self, token: usize, fate: &Fate) {
        if *fate == Fate::Stays {
            return;
        }
        if let Some(visitor) = self.visitors.remove(&token)
            && *fate == Fate::Leaves
        {
            let (stream, _) = visitor.into_rest(0);
            self.leaving.insert(token, Leaving::new(stream, now()));
        }
    }

    /// Passes on answers, and a frame to each viewer that has room for one.
    fn pass_on(&mut self) {
        let mut gone = Vec::new();
        for (token, text) in self.requests.answers() {
            if let Some(viewer) = self.viewers.get_mut(&token) {
                viewer.under_way = viewer.under_way.saturating_sub(1);
                if !viewer.tell(text) {
                    gone.push(token);
                }
            }
        }
        if !self.viewers.is_empty() {
            self.watch.take(now());
        }
        let mut is_wanted = false;
        for (token, viewer) in &mut self.viewers {
            if viewer.is_ready()
                && let Some(frame) = self.watch.frame(&mut viewer.view)
                && !viewer.show(frame)
            {
                gone.push(*token);
            }
            is_wanted |= viewer.is_ready();
        }
        if is_wanted {
            self.watch.ask(now());
        }
        for token in gone {
            self.close(token);
        }
    }

    /// Looks for those who say nothing, once a second.
    fn tidy(&mut self) {
        let now = now();
        if now.duration_since(self.tidied) < FAREWELL {
            return;
        }
        self.tidied = now;
        self.visitors
            .retain(|_, visitor| now.duration_since(visitor.since) < PATIENCE);
        self.leaving
            .retain(|_, leaving| now.duration_since(leaving.since) < FAREWELL);
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

#[expect(
    clippy::disallowed_methods,
    reason = "the time limits of viewers are real time"
)]
fn now() -> Instant {
    Instant::now()
}
