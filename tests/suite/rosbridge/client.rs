//! A minimal client of rosbridge.
use std::net::TcpStream;

use serde_json::{Value as Json, json};
use tungstenite::{Error, Message, WebSocket, client::IntoClientRequest as _};

use crate::web::client::Served;

pub(crate) struct Bridge {
    socket: WebSocket<TcpStream>,
    /// Messages that arrived while another one was awaited.
    others: Vec<Json>,
}

impl Bridge {
    pub(crate) fn new(served: &Served) -> Self {
        let address = format!("ws://localhost:{}/", served.port);
        let request = address.into_client_request().unwrap();
        let (socket, _) = tungstenite::client(request, served.stream()).unwrap();
        Self {
            socket,
            others: Vec::new(),
        }
    }

    /// Returns the HTTP status of a connection request.
    pub(super) fn status(served: &Served, path: &str, origin: Option<&str>) -> u16 {
        let address = format!("ws://localhost:{}{path}", served.port);
        let mut request = address.into_client_request().unwrap();
        if let Some(origin) = origin {
            request
                .headers_mut()
                .insert("Origin", origin.parse().unwrap());
        }
        match tungstenite::client(request, served.stream()) {
            Ok(_) => 101,
            Err(tungstenite::HandshakeError::Failure(Error::Http(answer))) => {
                answer.status().as_u16()
            }
            Err(other) => panic!("{other}"),
        }
    }

    pub(crate) fn say(&mut self, operation: Json) {
        self.socket
            .send(Message::text(operation.to_string()))
            .unwrap();
    }

    fn read(&mut self) -> Json {
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// Returns the next message of a kind.
    fn wait(&mut self, is_it: impl Fn(&Json) -> bool) -> Json {
        if let Some(index) = self.others.iter().position(&is_it) {
            return self.others.remove(index);
        }
        loop {
            let said = self.read();
            if is_it(&said) {
                return said;
            }
            self.others.push(said);
        }
    }

    /// Returns the next message of a subscribed topic.
    pub(crate) fn next(&mut self, topic: &str) -> Json {
        self.wait(|said| said["op"] == "publish" && said["topic"] == topic)["msg"].take()
    }

    /// Returns the next message of a topic that satisfies a predicate.
    pub(crate) fn until(&mut self, topic: &str, is_it: impl Fn(&Json) -> bool) -> Json {
        self.say(json!({ "op": "subscribe", "topic": topic }));
        // Ten seconds of a sensor that measures at each tick.
        for count in 0.. {
            let message = self.next(topic);
            if is_it(&message) {
                self.say(json!({ "op": "unsubscribe", "topic": topic }));
                self.call("/rosapi/nodes", json!({}));
                self.forget();
                return message;
            }
            assert!(count < 600, "the last message on {topic}: {message}");
        }
        unreachable!("the loop ends by itself")
    }

    /// Returns one message of a topic.
    pub(crate) fn one(&mut self, topic: &str) -> Json {
        self.until(topic, |_| true)
    }

    pub(super) fn forget(&mut self) {
        self.others.clear();
    }

    pub(crate) fn call(&mut self, service: &str, arguments: Json) -> Json {
        self.say(
            json!({ "op": "call_service", "id": "call", "service": service, "args": arguments }),
        );
        self.wait(|said| said["op"] == "service_response" && said["id"] == "call")
    }

    /// Waits for the reply to a call.
    pub(super) fn answer(&mut self, id: &str) -> Json {
        self.wait(|said| said["op"] == "service_response" && said["id"] == id)
    }

    /// Returns the next status message.
    pub(super) fn status_message(&mut self) -> Json {
        self.wait(|said| said["op"] == "status")
    }

    /// Returns the reason of a refusal.
    pub(super) fn refused(&mut self, said: &str) -> String {
        self.socket.send(Message::text(said.to_owned())).unwrap();
        self.wait(|said| said["op"] == "status")["msg"]
            .as_str()
            .unwrap()
            .to_owned()
    }
}
