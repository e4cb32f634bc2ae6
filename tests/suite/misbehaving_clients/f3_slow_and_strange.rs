//! F3: clients that send very slowly, that do not end their lines, that send garbage, or that are browsers.
use std::time::Duration;

use super::{Bystander, ROVER, Scene, Server, Weakness, ensure, notices, survives};
use crate::load::client::{Client, NoLine};

/// Number of clients of each sort.
const CLIENTS: usize = 60;
/// Maximum memory per client, bytes.
const MOST_EACH: u64 = 64 << 10;

/// Within twice the time limit of the scene it receives the reason, and the connection is closed.
fn is_sent_away(client: &mut Client, why: &str) -> Result<(), String> {
    for _ in 0..200 {
        match client.line_within(Duration::from_secs(4)) {
            Ok(line) if line.contains(why) => {
                let end = client.line_within(Duration::from_secs(4));
                return ensure(matches!(end, Err(NoLine::Closed(_))), || {
                    format!("it stays: {end:?}")
                });
            }
            Ok(_) => {}
            Err(silence) => return Err(format!("`{why}` was not said: {silence:?}")),
        }
    }
    Err("it goes on".to_owned())
}

fn check(server: &Server) -> Result<(), String> {
    let mut bystander = Bystander::of(server)?;
    bystander.listen(5)?;
    let before = server.memory();
    let mut crowd = Vec::new();
    for number in 0..3 * CLIENTS {
        let what = if number % 2 == 0 {
            "requests"
        } else {
            "rover.motion"
        };
        crowd.push(server.connect(what)?);
    }
    // Half-open clients send nothing at all; others have begun a line; others send a byte now and then.
    for (number, client) in crowd
        .iter_mut()
        .enumerate()
        .filter(|(number, _)| number % 3 > 0)
    {
        client.send(&b"0 rover.motion set_speed"[..number % 20 + 1])?;
    }
    for _ in 0..5 {
        for client in crowd.iter_mut().skip(2).step_by(3) {
            client.send("x")?;
        }
        bystander.listen(5)?;
    }
    let each = server.memory().saturating_sub(before) / crowd.len() as u64;
    ensure(each <= MOST_EACH, || {
        format!("{each} bytes for each client")
    })?;
    for (_, client) in crowd
        .iter_mut()
        .enumerate()
        .filter(|(number, _)| number % 3 > 0)
    {
        is_sent_away(client, "incomplete line after")?;
    }
    // A client that has begun no line is not disconnected.
    let reply = crowd
        .first_mut()
        .ok_or("no client")?
        .ask("0", "simulation list_robots")?;
    ensure(reply == r#"SUCCESS ["rover"]"#, || reply)?;
    strangers(server)?;
    bystander.listen(10)?;
    server.answers()
}

fn strangers(server: &Server) -> Result<(), String> {
    for what in ["requests", "rover.motion", "rover.pose"] {
        let mut browser = server.connect(what)?;
        // The body of a page's request would take effect.
        browser.send("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n0 rover.motion set_speed [5, 0]\n{\"v\": 5}\n")?;
        is_sent_away(&mut browser, "unexpected HTTP request")?;
    }
    let mut rubbish = server.connect("requests")?;
    let mut bytes: Vec<u8> = (0..100_000_u32)
        .map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    bytes.push(b'\n');
    rubbish.send(&bytes)?;
    rubbish.send("last time mode\n")?;
    loop {
        if rubbish.line()?.starts_with("last SUCCESS") {
            return Ok(());
        }
    }
}

#[test]
fn f3_slow_and_strange_clients_are_sent_away() {
    survives(&Scene::of(ROVER), check);
}

#[test]
fn f3_notices_a_server_that_sends_nobody_away() {
    notices(&Scene::of(ROVER), Weakness::SendsNobodyAway, check);
}
