//! Refused requests: foreign pages, wrong host names, strange paths, and frames that violate the protocol.
use std::{io::Write as _, time::Duration};

use morse_sim::{
    run::{End, Pace},
    simulation::BuildError,
};
use serde_json::json;
use tungstenite::{
    Message, WebSocket,
    protocol::{
        Role,
        frame::Frame as Raw,
        frame::coding::{Control, Data, OpCode},
    },
};

use super::{
    ROVER,
    client::{Served, Viewer},
};

const UPGRADE: &str = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
    Sec-WebSocket-Version: 13\r\n";

#[test]
fn foreign_pages_and_names_are_refused() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let port = served.port;
    let own = format!("Host: localhost:{port}\r\n");
    for (path, headers, expected) in [
        ("/", own.clone(), 200),
        ("/", format!("Host: 127.0.0.1:{port}\r\n"), 200),
        (
            "/",
            format!("{own}Origin: http://localhost:{port}\r\n"),
            200,
        ),
        ("/", "Host: evil.example\r\n".to_owned(), 403),
        ("/scene.json", format!("Host: evil.example:{port}\r\n"), 403),
        (
            "/scene.json",
            format!("{own}Origin: http://evil.example\r\n"),
            403,
        ),
        (
            "/ws",
            format!("{own}Origin: http://evil.example\r\n{UPGRADE}"),
            403,
        ),
        ("/ws", format!("{own}Origin: null\r\n{UPGRADE}"), 403),
        (
            "/ws",
            format!("{own}Origin: http://localhost:{}\r\n{UPGRADE}", port ^ 1),
            403,
        ),
        (
            "/ws",
            format!("Host: evil.example\r\nOrigin: http://evil.example\r\n{UPGRADE}"),
            403,
        ),
        ("/ws", own.clone(), 400),
        (
            "/ws",
            format!("{own}Upgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"),
            400,
        ),
    ] {
        assert_eq!(served.get(path, &headers).0, expected, "{path} {headers}");
    }
    assert_eq!(
        served.exchange(b"GET / HTTP/1.1\r\n\r\n").get(9..12),
        Some("403"),
        "no name at all"
    );
    served.end();
}

#[test]
fn no_file_but_those_of_the_page_is_served() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    for (path, expected) in [
        ("/../Cargo.toml", 400),
        ("/../../../../../../etc/passwd", 400),
        ("/%2e%2e/Cargo.toml", 400),
        ("/%2e%2e%2fetc%2fpasswd", 400),
        ("/..\\Cargo.toml", 400),
        ("/page/../../Cargo.toml", 400),
        ("/.%00/", 400),
        ("//etc/passwd", 404),
        ("/etc/passwd", 404),
        ("/Cargo.toml", 404),
        ("/src/main.rs", 404),
        ("/index.html", 404),
        ("/mesh/1000", 404),
        ("/mesh/-1", 404),
        ("/mesh/99999999999999999999", 404),
    ] {
        let (status, body) = served.get(path, "");
        assert_eq!(status, expected, "{path}");
        assert!(body.len() < 100, "{path}: {body}");
    }
    for bytes in [
        &b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"1 simulation quit\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nquit",
    ] {
        let answer = served.exchange(bytes);
        assert!(answer.starts_with("HTTP/1.1 40"), "{answer}");
    }
    let endless = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(1 << 20));
    assert!(
        served
            .exchange(endless.as_bytes())
            .starts_with("HTTP/1.1 431")
    );
    assert_eq!(served.get("/", "").0, 200, "and it goes on");
    served.end();
}

/// Connects a viewer, sends bytes, and expects the code of the close frame.
fn closes(served: &Served, send: impl FnOnce(&mut Viewer), code: u16) {
    let mut viewer = served.viewer();
    send(&mut viewer);
    assert_eq!(viewer.farewell(), code);
}

fn raw(viewer: &mut Viewer, bytes: &[u8]) {
    viewer.socket.get_mut().write_all(bytes).unwrap();
}

#[test]
fn oversize_messages_end_their_connection_alone() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let mut witness = served.viewer();
    // Too large: sent completely, and only announced.
    closes(
        &served,
        |viewer| {
            viewer.socket.send(Message::text("x".repeat(1 << 20))).ok();
        },
        1009,
    );
    closes(
        &served,
        |viewer| raw(viewer, b"\x81\xff\x00\x00\x00\x10\x00\x00\x00\x00abcd{"),
        1009,
    );
    // Too large by fragments.
    closes(
        &served,
        |viewer| {
            for number in 0..64 {
                let code = if number == 0 {
                    Data::Text
                } else {
                    Data::Continue
                };
                let frame = Raw::message(vec![b'x'; 4096], OpCode::Data(code), false);
                if viewer.socket.send(Message::Frame(frame)).is_err() {
                    return;
                }
            }
        },
        1009,
    );
    let before = witness.see().tick;
    witness.until(|frame| frame.tick > before);
    served.end();
}

#[test]
fn messages_that_make_no_sense_end_their_connection_alone() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let mut witness = served.viewer();
    // Unmasked; a continuation of nothing; a fragmented ping; an unknown kind; reserved bits.
    for bytes in [
        &b"\x81\x02{}"[..],
        b"\x80\x81abcd\x00",
        b"\x09\x80abcd",
        b"\x83\x80abcd",
        b"\xf1\x80abcd",
    ] {
        closes(&served, |viewer| raw(viewer, bytes), 1002);
    }
    // Not UTF-8, not text, not of this protocol.
    closes(
        &served,
        |viewer| raw(viewer, b"\x81\x82\x00\x00\x00\x00\xff\xfe"),
        1007,
    );
    closes(
        &served,
        |viewer| viewer.socket.send(Message::binary(vec![1])).unwrap(),
        1003,
    );
    for text in [
        "",
        "{}",
        "[]",
        "{\"seen\":-1}",
        "{\"watch\":[1]}",
        "{\"seen\":1,\"watch\":[]}",
        "{\"run\":\"rm\"}",
    ] {
        closes(
            &served,
            |viewer| viewer.socket.send(Message::text(text)).unwrap(),
            1008,
        );
    }
    // A deep nesting is refused without recursion.
    closes(
        &served,
        |viewer| {
            viewer
                .socket
                .send(Message::text("[".repeat(60000)))
                .unwrap();
        },
        1008,
    );
    let before = witness.see().tick;
    witness.until(|frame| frame.tick > before);
    served.end();
}

#[test]
fn a_fragmented_message_is_one_message() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let mut viewer = served.viewer();
    let text = json!({ "watch": ["rover.pose"] }).to_string();
    let (one, two) = text.split_at(7);
    for (payload, code, is_last) in [(one, Data::Text, false), (two, Data::Continue, true)] {
        let frame = Raw::message(payload.to_owned(), OpCode::Data(code), is_last);
        viewer.socket.send(Message::Frame(frame)).unwrap();
        viewer.socket.send(Message::Ping("between".into())).unwrap();
    }
    viewer.until(|frame| !frame.readings.is_empty());
    served.end();
}

#[test]
fn a_flood_of_pings_ends_itself() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let mut witness = served.viewer();
    let mut flood = served.viewer();
    let ping = Raw::from_payload(
        tungstenite::protocol::frame::FrameHeader {
            opcode: OpCode::Control(Control::Ping),
            mask: Some([0; 4]),
            ..Default::default()
        },
        vec![b'x'; 100].into(),
    );
    let mut bytes = Vec::new();
    ping.format(&mut bytes).unwrap();
    let many = bytes.repeat(100_000);
    // It never reads the replies. The other end closes meanwhile, or later.
    flood.socket.get_mut().write_all(&many).ok();
    let before = witness.see().tick;
    witness.until(|frame| frame.tick > before + 5.0);
    drop(flood);
    served.end();
}

#[test]
fn floods_are_told_why() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    closes(
        &served,
        |viewer| {
            for _ in 0..5000 {
                if viewer.socket.send(Message::Ping("".into())).is_err() {
                    return;
                }
            }
        },
        1008,
    );
    served.end();
}

#[test]
fn who_says_nothing_holds_nobody_up() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    for says in ["", "GET / HTTP/1.1\r\nHost: local", "\r\n"] {
        let crowd: Vec<_> = (0..300)
            .map(|_| {
                let mut stream = served.stream();
                stream.write_all(says.as_bytes()).unwrap();
                stream
            })
            .collect();
        assert_eq!(
            served.get("/", "").0,
            200,
            "while they are all there: {says}"
        );
        served.viewer().see();
        // The oldest connections received the reason of their end.
        let mut buffer = String::new();
        let mut first = crowd.first().unwrap();
        std::io::Read::read_to_string(&mut first, &mut buffer).ok();
        assert!(buffer.starts_with("HTTP/1.1 503"), "{buffer}");
    }
    served.end();
}

/// Browsers that do not read their answers are disconnected, too.
#[test]
fn who_takes_no_answer_holds_nobody_up() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let request = b"GET /main.js HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let crowd: Vec<_> = (0..300)
        .map(|_| {
            let mut stream = served.stream();
            stream.write_all(request).unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(served.get("/", "").0, 200);
    drop(crowd);
    served.end();
}

#[test]
fn too_many_viewers_are_turned_away() {
    let text = ROVER.replace("kind: \"web\",", "kind: \"web\", max_viewers: 2,");
    let served = Served::new(&text, Pace::RealTime(1.0));
    let (mut one, two) = (served.viewer(), served.viewer());
    let third = served.get("/ws", UPGRADE);
    assert_eq!((third.0, third.1.as_str()), (503, "too many viewers\n"));
    one.see();
    drop(two);
    for _ in 0..100 {
        if served.stream().write_all(b"").is_ok() && served.get("/ws", "").0 == 400 {
            break;
        }
    }
    let (_, end) = served.end();
    assert_eq!(end, End::Signal(15));
}

#[test]
fn other_machines_need_the_token() {
    let open = ROVER.replace("kind: \"web\",", "kind: \"web\", listen: \"0.0.0.0\",");
    let refused =
        morse_sim::Simulation::parse(&open, "scenes", &morse_sim::simulation::no_extensions);
    let Err(BuildError::Scene(report)) = refused else {
        panic!("it listens without a token");
    };
    let text = report.to_string();
    assert!(text.contains("set a `token`"), "{text}");

    let text = open.replace("kind: \"web\",", "kind: \"web\", token: \"s3cret\",");
    let served = Served::new(&text, Pace::RealTime(1.0));
    let cookie = format!("Cookie: a=b; morse_{}=s3cret\r\n", served.port);
    for (path, headers, expected) in [
        ("/", "", 403),
        ("/scene.json", "", 403),
        ("/ws", UPGRADE, 403),
        ("/?token=wrong", "", 403),
        ("/?token=", "", 403),
        ("/?token=s3cret", "", 303),
        ("/", cookie.as_str(), 200),
        ("/scene.json", cookie.as_str(), 200),
        ("/", "Cookie: morse_1=s3cret\r\n", 403),
    ] {
        assert_eq!(served.get(path, headers).0, expected, "{path} {headers}");
    }
    let answer = served.exchange(b"GET /?token=s3cret HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let set = format!(
        "Set-Cookie: morse_{}=s3cret; HttpOnly; SameSite=Strict; Path=/\r\n",
        served.port
    );
    assert!(
        answer.contains(&set) && answer.contains("Location: /\r\n"),
        "{answer}"
    );
    let accepted = served.stream();
    let mut socket = WebSocket::from_raw_socket(accepted, Role::Client, None);
    let request = format!("GET /ws?token=s3cret HTTP/1.1\r\nHost: localhost\r\n{UPGRADE}\r\n");
    socket.get_mut().write_all(request.as_bytes()).unwrap();
    let mut head = [0; 12];
    std::io::Read::read_exact(socket.get_mut(), &mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 101");
    served.end();
}
