//! Subset of HTTP/1.1 for the page: heads of requests, and responses after which the connection is closed.
use httparse::{EMPTY_HEADER, Request, Status};

/// Maximum length of a head, bytes.
pub(crate) const LONGEST_HEAD: usize = 16 << 10;
/// Maximum number of headers.
const MOST_HEADERS: usize = 64;

/// Head of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// True if only the head of the response is requested.
    pub is_head: bool,
    /// Path of the request: it begins with a slash and contains no `..`.
    pub path: String,
    /// Text after the `?`.
    pub query: String,
    /// Host name in the request.
    pub host: Option<String>,
    /// Origin of the requesting page, if any.
    pub origin: Option<String>,
    /// Cookies of the request.
    pub cookie: Option<String>,
    /// Key of a request to switch to WebSocket.
    pub key: Option<String>,
}

/// Result of parsing the bytes of a connection so far.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// The beginning of a request.
    More,
    /// A request, and its length in bytes.
    Request(Head, usize),
    /// An invalid request; the response to it.
    Wrong(Answer),
}

/// Response without a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Code and reason, such as `404 Not Found`.
    pub status: &'static str,
    /// Text for users.
    pub text: &'static str,
}

pub(crate) const BAD: &str = "400 Bad Request";
pub(crate) const FORBIDDEN: &str = "403 Forbidden";
pub(crate) const NOT_FOUND: &str = "404 Not Found";
pub(crate) const BUSY: &str = "503 Service Unavailable";

/// Parses the head of a request.
#[must_use]
pub fn read(bytes: &[u8]) -> Heard {
    let mut headers = [EMPTY_HEADER; MOST_HEADERS];
    let mut request = Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(Status::Complete(length)) if length <= LONGEST_HEAD => length,
        Ok(Status::Partial) if bytes.len() <= LONGEST_HEAD => return Heard::More,
        Ok(_) => {
            return Heard::Wrong(Answer {
                status: "431 Request Header Fields Too Large",
                text: "the head of the request is longer than 16 KiB",
            });
        }
        Err(_) => return wrong("invalid HTTP request"),
    };
    let is_head = match request.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => {
            return Heard::Wrong(Answer {
                status: "405 Method Not Allowed",
                text: "unsupported method: use GET or HEAD",
            });
        }
    };
    let target = request.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if !is_plain(path) {
        return wrong("invalid path");
    }
    let mut head = Head {
        is_head,
        path: path.to_owned(),
        query: query.to_owned(),
        ..Head::default()
    };
    match take_headers(&mut head, request.headers) {
        Ok(()) => Heard::Request(head, length),
        Err(why) => wrong(why),
    }
}

fn wrong(text: &'static str) -> Heard {
    Heard::Wrong(Answer { status: BAD, text })
}

/// Returns true if a path contains only letters, digits, dots, dashes and slashes, and no `..`.
fn is_plain(path: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    path.starts_with('/') && path.bytes().all(is_usual) && !path.contains("..")
}

fn take_headers(head: &mut Head, headers: &[httparse::Header<'_>]) -> Result<(), &'static str> {
    let (mut upgrades, mut version) = (false, false);
    let mut key = None;
    for header in headers {
        let value =
            std::str::from_utf8(header.value).map_err(|_letters| "a header is not valid text")?;
        let value = value.trim();
        let field = match header.name.to_ascii_lowercase().as_str() {
            "host" => &mut head.host,
            "origin" => &mut head.origin,
            "cookie" => &mut head.cookie,
            "sec-websocket-key" => &mut key,
            "upgrade" => {
                upgrades = value.eq_ignore_ascii_case("websocket");
                continue;
            }
            "sec-websocket-version" => {
                version = value == "13";
                continue;
            }
            "content-length" if value != "0" => return Err("a request for a page has no body"),
            "transfer-encoding" => return Err("a request for a page has no body"),
            _ => continue,
        };
        if field.replace(value.to_owned()).is_some() {
            return Err("duplicate header");
        }
    }
    if upgrades && !(version && key.is_some()) {
        return Err("invalid WebSocket request: version 13 is required");
    }
    head.key = key.filter(|_| upgrades);
    Ok(())
}

/// Returns a complete response. The page cannot be embedded in another one.
pub(crate) fn answer(
    status: &str,
    kind: &str,
    more: &[(&str, &str)],
    body: &[u8],
    is_head: bool,
) -> Vec<u8> {
    response((status, kind), more, body, is_head, "")
}

/// Returns a file of the page, which pages of the given origins may contain, separated by blanks.
pub(crate) fn page(kind: &str, body: &[u8], is_head: bool, frames: &str) -> Vec<u8> {
    response(("200 OK", kind), &[], body, is_head, frames)
}

fn response(
    (status, kind): (&str, &str),
    more: &[(&str, &str)],
    body: &[u8],
    is_head: bool,
    frames: &str,
) -> Vec<u8> {
    // Nothing is loaded from other servers.
    const ALWAYS: &str = "Connection: close\r\nCache-Control: no-cache\r\nReferrer-Policy: no-referrer\r\n\
        X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n\
        Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
        connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ";
    let frames = match frames {
        "" => "'none'\r\nX-Frame-Options: DENY",
        frames => frames,
    };
    let mut text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{ALWAYS}{frames}\r\n",
        body.len()
    );
    for (name, value) in more {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    if !is_head {
        bytes.extend(body);
    }
    bytes
}

/// Returns a response with one line of text.
pub(crate) fn line(answer: Answer) -> Vec<u8> {
    let text = format!("{}\n", answer.text);
    self::answer(
        answer.status,
        "text/plain; charset=utf-8",
        &[],
        text.as_bytes(),
        false,
    )
}

/// Returns the response that switches to WebSocket.
pub(crate) fn switch(key: &str) -> Vec<u8> {
    let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(text: &str) -> &'static str {
        match read(text.as_bytes()) {
            Heard::Wrong(answer) => answer.status,
            Heard::More => "more",
            Heard::Request(..) => "request",
        }
    }

    #[test]
    fn a_request() {
        let text = "GET /ws?token=a HTTP/1.1\r\nHost: localhost:8080\r\nOrigin: http://localhost:8080\r\n\
            Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: abc\r\nSec-WebSocket-Version: 13\r\n\r\nrest";
        let Heard::Request(head, length) = read(text.as_bytes()) else {
            panic!("a request");
        };
        assert_eq!(&text[length..], "rest");
        assert_eq!(
            (head.path.as_str(), head.query.as_str()),
            ("/ws", "token=a")
        );
        assert_eq!(head.host.as_deref(), Some("localhost:8080"));
        assert_eq!(head.origin.as_deref(), Some("http://localhost:8080"));
        assert_eq!(head.key.as_deref(), Some("abc"));
        assert_eq!(status(&text[..40]), "more");
    }

    #[test]
    fn what_is_no_request_for_a_page() {
        for (path, expected) in [
            ("/", "request"),
            ("/style.css", "request"),
            ("/../Cargo.toml", BAD),
            ("/%2e%2e/Cargo.toml", BAD),
            ("/..%2fCargo.toml", BAD),
            ("//etc/passwd", "request"),
            ("/\\..\\x", BAD),
            ("http://localhost/", BAD),
            ("*", BAD),
        ] {
            let text = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assert_eq!(status(&text), expected, "{path}");
        }
        assert_eq!(status("POST / HTTP/1.1\r\n\r\n"), "405 Method Not Allowed");
        assert_eq!(status("\u{16}\u{3}\u{1} TLS"), BAD);
        assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), BAD);
        assert_eq!(status("GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n"), BAD);
        assert_eq!(
            status("GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"),
            BAD
        );
        let endless = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(LONGEST_HEAD));
        assert_eq!(status(&endless), "431 Request Header Fields Too Large");
    }

    #[test]
    fn the_key_of_the_standard() {
        // Example of RFC 6455, section 1.3.
        let text = switch("dGhlIHNhbXBsZSBub25jZQ==");
        let text = String::from_utf8(text).unwrap();
        assert!(
            text.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"),
            "{text}"
        );
    }
}
