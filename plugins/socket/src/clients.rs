//! Connections of clients: acceptance, reading and closing.
use morse_server::{clock::now, event_loop::Accepted};

use crate::{
    command,
    connection::{Connection, Heard, Role},
    server::{CLOSE_TIMEOUT, Server},
};

impl Server {
    pub(crate) fn accept(&mut self, listener: usize) {
        loop {
            let Some(role) = self.roles.get(listener).copied() else {
                return;
            };
            let (token, stream) = match self.event_loop.accept(listener) {
                Accepted::Connection(token, stream) => (token, stream),
                Accepted::NoneLeft => return,
                Accepted::Unable => {
                    self.crowded.insert(listener);
                    return;
                }
            };
            let is_open = self.settings.token.is_none();
            let mut connection = Connection::new(stream, role, is_open);
            connection.since = self.wake.whole_tick();
            if role == Role::Removed || !self.make_room(role) {
                connection.refuse();
                continue;
            }
            self.connections.insert(token, connection);
            if is_open {
                self.admit(token, role);
            }
            // Bytes that arrived before the registration cause no event.
            self.read_or_close(token);
        }
    }

    /// Makes room for one more client; returns false if there is none. A client that has presented a token, or has completed
    /// a line, keeps its connection. Of the other clients, which may use three quarters of the connections, the one that has
    /// been silent for longest is disconnected; clients of readings, which need not send anything, stay connected.
    fn make_room(&mut self, role: Role) -> bool {
        let most = self.settings.max_clients as usize;
        let strangers = self.connections.values().filter(|client| !client.is_known);
        let is_crowded = strangers.count() >= most - most / 4;
        let is_full = self.connections.len() >= most;
        if !is_full && !is_crowded {
            return true;
        }
        // Tokens increase in the order of acceptance.
        let mut clients = self.connections.iter();
        let silent = clients.find(|(_, client)| client.owes_a_line());
        if let Some(token) = silent.map(|(token, _)| *token) {
            if let Some(connection) = self.connections.get_mut(&token) {
                connection.refuse();
            }
            self.close(token);
            return true;
        }
        !is_full && !matches!(role, Role::Readings(_))
    }

    /// Starts the service of a client according to its role.
    fn admit(&mut self, token: usize, role: Role) {
        match role {
            Role::Readings(index) => {
                if let Some(output) = self.outputs.get_mut(index) {
                    output.clients.push(token);
                    output.observer.stay_ready();
                }
            }
            Role::Sync => {
                self.last_permit = now();
                self.gate.hold();
            }
            Role::Requests | Role::Commands(_) | Role::Removed => {}
        }
    }

    pub(crate) fn close(&mut self, token: usize) {
        let Some(connection) = self.connections.remove(&token) else {
            return;
        };
        self.held_up.remove(&token);
        match connection.role {
            Role::Readings(index) => {
                if let Some(output) = self.outputs.get_mut(index) {
                    output.clients.retain(|&client| client != token);
                    if output.clients.is_empty() {
                        output.observer.deassert_ready();
                    }
                    if connection.dropped > 0 {
                        let (path, dropped) = (&output.observer.info.path, connection.dropped);
                        let text = format!("`{path}`: a slow client missed {dropped} readings");
                        self.update_report(|report| report.warn(text));
                    }
                }
            }
            Role::Sync if connection.is_admitted => self.gate.leave(),
            Role::Sync | Role::Requests | Role::Commands(_) | Role::Removed => {}
        }
    }

    /// Sends a client the reason for its disconnection. The connection is closed with a delay: if it were closed with unread
    /// bytes, the reason could be lost.
    pub(crate) fn dismiss(&mut self, token: usize, why: &str) {
        if let Some(connection) = self.connections.get_mut(&token) {
            connection.dismiss(now() + CLOSE_TIMEOUT);
        }
        self.say(token, format!(" FAILED \"{why}\"\n").into_bytes());
    }

    /// Reads the bytes of a client, up to a limit, and closes the connection if the client has disconnected.
    pub(crate) fn read_or_close(&mut self, token: usize) {
        if !self.read_messages(token) {
            self.close(token);
        }
    }

    fn read_messages(&mut self, token: usize) -> bool {
        let Some(connection) = self.connections.get_mut(&token) else {
            return true;
        };
        if connection.is_choked() || connection.is_closing {
            return true;
        }
        let heard = connection.read_messages();
        if connection.is_dismissed {
            connection.swallow();
        } else {
            self.read_lines(token);
        }
        let is_held_up = self.held_up.contains(&token);
        let Some(connection) = self.connections.get_mut(&token) else {
            return true;
        };
        match heard {
            Heard::All => {}
            Heard::More if is_held_up => {}
            Heard::More => {
                self.busy.insert(token);
            }
            Heard::End if connection.is_awaiting() && !connection.is_dismissed => {
                // The client has ended its sending direction, but may still receive.
                connection.leaves.get_or_insert(now() + CLOSE_TIMEOUT);
            }
            Heard::End if is_held_up && matches!(connection.role, Role::Commands(_)) => {}
            Heard::End | Heard::Gone => return false,
        }
        if connection.is_dismissed {
            return true;
        }
        let unfinished = connection.unfinished();
        if !connection.is_admitted || unfinished > 0 {
            connection.begun.get_or_insert_with(now);
        } else {
            connection.begun = None;
        }
        if self.is_too_long(unfinished) {
            self.dismiss_long(token);
        }
        true
    }

    fn is_too_long(&self, line: usize) -> bool {
        line > self.settings.longest_line as usize
    }

    fn dismiss_long(&mut self, token: usize) {
        let longest = self.settings.longest_line;
        self.dismiss(token, &format!("a line is longer than {longest} bytes"));
    }

    /// Processes the complete lines of a client.
    fn read_lines(&mut self, token: usize) {
        while let Some(connection) = self.connections.get_mut(&token) {
            let role = connection.role;
            if role == Role::Sync && connection.is_admitted {
                if connection.swallow() {
                    connection.is_known = true;
                    self.last_permit = now();
                    self.gate.permit();
                }
                return;
            }
            if connection.is_choked() || connection.is_dismissed {
                return;
            }
            if matches!(role, Role::Commands(_)) && connection.since.is_some() {
                if connection.since == self.wake.whole_tick() {
                    self.held_up.insert(token);
                    return;
                }
                connection.since = None;
            }
            let Some(line) = connection.next_line() else {
                return;
            };
            let is_admitted = connection.is_admitted;
            if self.is_too_long(line.len()) {
                self.dismiss_long(token);
            } else if is_http(&line) {
                self.dismiss(
                    token,
                    "unexpected HTTP request: this port accepts lines of text",
                );
            } else if !is_admitted {
                let given = line.trim_ascii().strip_prefix(b"token ");
                if given.is_some_and(|given| self.settings.admits(given)) {
                    if let Some(connection) = self.connections.get_mut(&token) {
                        connection.is_admitted = true;
                        connection.is_known = true;
                    }
                    self.admit(token, role);
                } else {
                    self.dismiss(token, "the token is wrong");
                }
            } else {
                if let Some(connection) = self.connections.get_mut(&token) {
                    connection.is_known = true;
                }
                match role {
                    Role::Requests => {
                        if !self.request(token, &line) {
                            return;
                        }
                    }
                    Role::Commands(index) => self.command(token, index, &line),
                    // Clients of these roles need not send anything.
                    Role::Readings(_) | Role::Sync | Role::Removed => {}
                }
            }
        }
    }

    /// Sends the command in a line to its actuator. If it is refused, the client receives the reason as a line, provided that
    /// it has read the lines before: a client that never reads costs no memory.
    fn command(&mut self, token: usize, index: usize, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let sent = self
            .inputs
            .get(index)
            .map(|sender| command::send(sender, line));
        let Some(Err(error)) = sent else {
            return;
        };
        self.update_report(|report| report.warn(format!("a command was refused: {error}")));
        if self
            .connection(token)
            .is_some_and(|connection| connection.is_drained())
        {
            let reason = serde_json::Value::from(error.to_string());
            self.say(token, format!(" FAILED {reason}\n").into_bytes());
        }
    }

    pub(crate) fn connection(&mut self, token: usize) -> Option<&mut Connection> {
        self.connections.get_mut(&token)
    }

    /// Sends bytes to a client, as many as it accepts now.
    pub(crate) fn say(&mut self, token: usize, bytes: Vec<u8>) {
        let Some(connection) = self.connections.get_mut(&token) else {
            return;
        };
        connection.say(bytes.into());
        if !connection.flush() {
            self.close(token);
        }
    }
}

/// Returns true if a line is the first one of an HTTP request: a browser page on this machine may send such requests,
/// followed by lines of its choice.
fn is_http(line: &[u8]) -> bool {
    let last = line.trim_ascii().rsplit(|&byte| byte == b' ').next();
    matches!(last, Some([b'H', b'T', b'T', b'P', b'/', version @ ..]) if version.iter().all(|&byte| byte.is_ascii_digit() || byte == b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_browsers_are_known() {
        for line in ["GET / HTTP/1.1\r", "POST /a?b HTTP/1.0", "PRI * HTTP/2.0"] {
            assert!(is_http(line.as_bytes()), "{line}");
        }
        for line in [
            "",
            "0 time now",
            r#"1 a set_property ["page", "of HTTP/1.1"]"#,
            "1 a HTTP/x",
        ] {
            assert!(!is_http(line.as_bytes()), "{line}");
        }
    }
}
