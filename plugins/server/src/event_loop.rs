//! Event loop: one thread that waits for all sockets of a server (listeners and connections) and for notifications from
//! other threads.
use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

pub use mio::{
    Events,
    net::{TcpListener, TcpStream},
};
use mio::{Interest, Poll, Token, Waker, event::Event};
use morse_api::middleware::Wake;

use crate::notifier::Notifier;

/// Token of the waker. Those of listeners and connections follow, in the order of their registration.
const WAKER: usize = 0;

/// Opens a port, and returns the listener with its address.
///
/// # Errors
///
/// The error of the operating system.
pub fn listen(at: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(at)?;
    let at = listener.local_addr()?;
    Ok((listener, at))
}

/// Returns a list for the events of one round.
#[must_use]
pub fn events() -> Events {
    Events::with_capacity(256)
}

/// Source of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A notification.
    Notifier,
    /// The listener of this index.
    Listener(usize),
    /// The connection of this number.
    Connection(usize),
}

/// Result of accepting a connection.
#[derive(Debug)]
pub enum Accepted {
    /// A connection, registered, with its number. Numbers increase in the order of acceptance.
    Connection(usize, TcpStream),
    /// No connection is pending.
    NoneLeft,
    /// The operating system cannot accept a connection now, for example since too many files are open. The client stays in
    /// the queue.
    Unable,
}

/// Waits for the sockets of a server.
#[derive(Debug)]
pub struct EventLoop {
    poll: Poll,
    listeners: Vec<TcpListener>,
    /// Indices of the listeners by their tokens.
    listener_tokens: BTreeMap<usize, usize>,
    notifier: Arc<Notifier>,
    next: usize,
}

impl EventLoop {
    /// Registers listeners. From now on `wake` notifies the loop.
    ///
    /// # Errors
    ///
    /// The error of the operating system.
    pub fn new(listeners: Vec<TcpListener>, wake: &Wake) -> io::Result<Self> {
        let poll = Poll::new()?;
        let notifier = Arc::new(Notifier::new(Waker::new(poll.registry(), Token(WAKER))?));
        let mut event_loop = Self {
            poll,
            listeners: Vec::new(),
            listener_tokens: BTreeMap::new(),
            notifier,
            next: WAKER + 1,
        };
        for listener in listeners {
            event_loop.add_listener(listener)?;
        }
        event_loop.follow(wake);
        Ok(event_loop)
    }

    /// Registers another listener. Its index is the number of listeners before it.
    ///
    /// # Errors
    ///
    /// The error of the operating system.
    pub fn add_listener(&mut self, mut listener: TcpListener) -> io::Result<()> {
        let token = self.next;
        self.poll
            .registry()
            .register(&mut listener, Token(token), Interest::READABLE)?;
        self.next += 1;
        self.listener_tokens.insert(token, self.listeners.len());
        self.listeners.push(listener);
        Ok(())
    }

    /// Makes `wake` notify the loop, also that of another world.
    pub fn follow(&self, wake: &Wake) {
        let notified = self.notifier.clone();
        wake.also_call(move || notified.notify());
    }

    /// Returns the notifier, for other threads.
    #[must_use]
    pub fn notifier(&self) -> Arc<Notifier> {
        self.notifier.clone()
    }

    /// Waits for events, and clears the notification.
    ///
    /// # Errors
    ///
    /// The operating system can no longer wait for sockets.
    pub fn wait(&mut self, events: &mut Events, timeout: Duration) -> io::Result<()> {
        if let Err(error) = self.poll.poll(events, Some(timeout))
            && error.kind() != ErrorKind::Interrupted
        {
            return Err(error);
        }
        self.notifier.clear();
        Ok(())
    }

    /// Returns the source of an event.
    #[must_use]
    pub fn source(&self, event: &Event) -> Source {
        match event.token().0 {
            WAKER => Source::Notifier,
            token => match self.listener_tokens.get(&token) {
                Some(index) => Source::Listener(*index),
                None => Source::Connection(token),
            },
        }
    }

    /// Accepts the next connection of a listener, and registers it. For bytes that arrived before the registration there is
    /// no event.
    pub fn accept(&mut self, listener: usize) -> Accepted {
        let Some(listener) = self.listeners.get(listener) else {
            return Accepted::NoneLeft;
        };
        loop {
            let mut stream = match listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Accepted::NoneLeft,
                Err(_) => return Accepted::Unable,
            };
            let number = self.next;
            self.next += 1;
            stream.set_nodelay(true).ok();
            let interest = Interest::READABLE | Interest::WRITABLE;
            let registry = self.poll.registry();
            if registry
                .register(&mut stream, Token(number), interest)
                .is_ok()
            {
                return Accepted::Connection(number, stream);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn connections_are_numbered_after_the_listeners() {
        let open = || listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let ((first, _), (second, at)) = (open(), open());
        let (_waker, wake) = Wake::new();
        let mut event_loop = EventLoop::new(vec![first, second], &wake).unwrap();
        let mut client = std::net::TcpStream::connect(at).unwrap();
        let mut events = events();
        let mut sources = |event_loop: &mut EventLoop| {
            event_loop
                .wait(&mut events, Duration::from_secs(10))
                .unwrap();
            let sources = events.iter().map(|event| event_loop.source(event));
            sources.collect::<Vec<_>>()
        };
        assert_eq!(sources(&mut event_loop), [Source::Listener(1)]);
        assert!(matches!(event_loop.accept(0), Accepted::NoneLeft));
        let Accepted::Connection(number, _stream) = event_loop.accept(1) else {
            panic!("a client waits");
        };
        assert_eq!(number, 3);
        client.write_all(b"a").unwrap();
        assert_eq!(sources(&mut event_loop), [Source::Connection(3)]);
        let notifier = event_loop.notifier();
        notifier.notify();
        notifier.notify();
        assert!(sources(&mut event_loop).contains(&Source::Notifier));
        notifier.notify();
        assert!(sources(&mut event_loop).contains(&Source::Notifier));
    }
}
