//! Dispatch of requests: answered here, or sent to the simulation.
use morse_api::{middleware::Failure, service::Reply};
use morse_server::requests::GLOBAL_COMPONENTS;
use serde_json::Value as Json;

use crate::{
    request::{Line, parse, reply_line},
    server::{Answer, Server},
    words::{as_morse_says, failed, unregistered},
};

impl Server {
    /// Processes one line of a client; false if the simulation cannot accept it yet, and the line was put back.
    pub(crate) fn request(&mut self, token: usize, line: &[u8]) -> bool {
        match parse(line) {
            Line::Wrong(id, why) => self.reply(token, &id, &failed(why)),
            Line::Cancel(id) => {
                let connection = self.connection(token);
                let number = connection.and_then(|known| known.under_way.get(&id).copied());
                // If no request is unanswered, or the simulation has ended, nothing is cancelled.
                let cancelled = number.map(|number| self.requests.cancel(number));
                if let Some(Err(Failure::Environment(_))) = cancelled {
                    return self.hold_up(token, line);
                }
            }
            Line::Call {
                id,
                component,
                service,
                arguments,
            } => {
                if let Some(reply) = self.directory.answer(&component, &service, &arguments) {
                    self.reply(token, &id, &reply);
                } else if !self.is_offered(&component) {
                    self.reply(token, &id, &unregistered(&service));
                } else {
                    return self.forward(token, line, &id, (&component, &service, arguments));
                }
            }
        }
        true
    }

    fn is_offered(&self, component: &str) -> bool {
        GLOBAL_COMPONENTS.contains(&component) || self.directory.offers(component)
    }

    fn forward(
        &mut self,
        token: usize,
        line: &[u8],
        id: &str,
        (component, service, arguments): (&str, &str, Json),
    ) -> bool {
        let is_details = (component, service) == ("simulation", "details");
        let (own, name) = (id.to_owned(), service.to_owned());
        let encode = move |reply: Reply| Answer {
            connection: token,
            id: own,
            is_details,
            reply: as_morse_says(reply, &name),
        };
        match self.requests.send((component, service), arguments, encode) {
            Ok(number) => {
                if let Some(connection) = self.connection(token) {
                    connection.under_way.insert(id.to_owned(), number);
                    connection.unanswered += 1;
                }
                true
            }
            Err(Failure::Environment(_)) => self.hold_up(token, line),
            Err(Failure::PeerLost(why)) => {
                self.reply(token, id, &failed(why));
                true
            }
        }
    }

    /// Puts the line back until the simulation has processed other requests.
    fn hold_up(&mut self, token: usize, line: &[u8]) -> bool {
        if let Some(connection) = self.connection(token) {
            connection.put_back(line);
        }
        self.held_up.insert(token);
        false
    }

    fn reply(&mut self, token: usize, id: &str, reply: &Reply) {
        self.say(token, reply_line(id, reply));
    }
}
