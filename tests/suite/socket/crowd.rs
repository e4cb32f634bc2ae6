//! Many idle clients, and one that sends requests.
use morse_sim::run::Pace;

use super::{Client, ROVER, Served};

/// Maximum number of clients, and the number of additional ones.
const ROOM: usize = 32;
const CROWD: usize = 80;

/// Additional clients: their port, the bytes that they send, and true if a token is required.
const STRANGERS: [(&str, &str, bool); 8] = [
    ("requests", "", false),
    ("requests", "1 rover.pose get_local", false),
    ("rover.pose", "", false),
    ("rover.motion", "", false),
    ("rover.motion", "{\"v\": 1", false),
    ("requests", "", true),
    ("requests", "token wrong\n", true),
    ("rover.pose", "", true),
];

fn served(needs_token: bool) -> Served {
    let token = if needs_token {
        ", token: \"sesame\""
    } else {
        ""
    };
    let settings = format!("port: 0{token}, max_clients: {ROOM},");
    Served::new(&ROVER.replace("port: 0,", &settings), Pace::RealTime(1.0))
}

/// Connects a client that sends a request at once.
fn friend(served: &Served, needs_token: bool) -> Client {
    let mut client = served.connect("requests");
    if needs_token {
        client.send("token sesame\n");
    }
    assert_eq!(
        client.ask("1 simulation list_robots"),
        r#"1 SUCCESS ["rover"]"#
    );
    client
}

#[test]
fn who_speaks_is_served_among_the_silent() {
    for (port, says, needs_token) in STRANGERS {
        let served = served(needs_token);
        let mut known = friend(&served, needs_token);
        let crowd: Vec<Client> = (0..CROWD)
            .map(|_| {
                let mut stranger = served.connect(port);
                stranger.send(says);
                stranger
            })
            .collect();
        // Each within its quota, and none disconnected because of the idle ones.
        let mut friends: Vec<Client> = (0..4).map(|_| friend(&served, needs_token)).collect();
        friends.push(known);
        for friend in &mut friends {
            let answer = friend.ask("2 rover.pose get_local_data");
            assert!(answer.starts_with("2 SUCCESS"), "{port} {says}: {answer}");
        }
        known = friends.swap_remove(0);
        drop(crowd);
        assert!(known.ask("3 time now").starts_with("3 SUCCESS"));
        served.end();
    }
}

#[test]
fn the_oldest_silent_client_goes_and_is_told_why() {
    let served = served(false);
    let mut crowd: Vec<Client> = (0..ROOM).map(|_| served.connect("requests")).collect();
    // A quarter of the connections is reserved for active clients.
    for client in &mut crowd[..ROOM / 4] {
        assert_eq!(client.line(), r#" FAILED "too many clients""#);
        assert_eq!(client.line(), "", "and it is closed");
    }
    for client in &mut crowd[ROOM / 4..] {
        assert_eq!(
            client.ask("1 simulation list_robots"),
            r#"1 SUCCESS ["rover"]"#
        );
    }
    served.end();
}

#[test]
fn a_room_full_of_known_clients_takes_no_more() {
    let served = served(false);
    let mut known: Vec<Client> = (0..ROOM).map(|_| friend(&served, false)).collect();
    assert_eq!(
        served.connect("requests").line(),
        r#" FAILED "too many clients""#
    );
    for client in &mut known {
        assert!(client.ask("2 time now").starts_with("2 SUCCESS"));
    }
    served.end();
}
