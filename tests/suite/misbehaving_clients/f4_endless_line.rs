//! F4: a line that does not end, and lines that are too long.
use std::{io::Write as _, time::Duration};

use super::{Bystander, ROVER, Scene, Server, Weakness, ensure, notices, survives};
use crate::load::client::{Client, NoLine};

/// Length of the line that the client would send: 4 GiB.
const LENGTH: u64 = 4 << 30;
/// Maximum memory for the line, bytes.
const MOST_KEPT: u64 = 4 << 20;
/// Default maximum length of a line.
const LONGEST: usize = 1 << 20;

/// Sends until the server stops reading; returns the reply, and the number of bytes sent.
fn send(server: &Server, client: &mut Client, before: u64) -> Result<(String, u64), String> {
    let chunk = vec![b'7'; 64 << 10];
    let (mut said, mut sent) = (None, 0);
    while sent < LENGTH {
        if client.stream.write_all(&chunk).is_err() {
            break;
        }
        sent += chunk.len() as u64;
        let kept = server.memory().saturating_sub(before);
        ensure(kept <= MOST_KEPT, || {
            format!("{kept} bytes are kept of a line")
        })?;
        if said.is_none() {
            match client.line_within(Duration::from_millis(1)) {
                Ok(line) => said = Some(line),
                Err(NoLine::Silence) => {}
                Err(closed) => return Err(format!("it closes without a word: {closed:?}")),
            }
        }
    }
    let said = said.ok_or("nothing is said")?;
    Ok((said, sent))
}

fn check(server: &Server) -> Result<(), String> {
    let mut bystander = Bystander::of(server)?;
    bystander.listen(5)?;
    for what in ["requests", "rover.motion"] {
        let before = server.memory();
        let mut client = server.connect(what)?;
        let (said, sent) =
            send(server, &mut client, before).map_err(|why| format!("{what}: {why}"))?;
        ensure(said.contains("longer than 1048576 bytes"), || {
            format!("{what}: {said}")
        })?;
        ensure(sent < LENGTH, || format!("{what}: it is never cut off"))?;
        bystander.listen(2)?;
    }
    bystander.listen(10)?;
    server.answers()
}

/// Returns a request of a number of bytes, without its end.
fn request(length: usize) -> String {
    let request = "1 simulation list_robots";
    format!("{request}{}\n", " ".repeat(length - request.len()))
}

/// A line of the maximum length is served; one more byte is too many.
fn to_the_byte(server: &Server, longest: usize) -> Result<(), String> {
    Bystander::of(server)?.listen(2)?;
    let mut client = server.connect("requests")?;
    client.send(request(longest))?;
    let reply = client.line()?;
    ensure(reply == r#"1 SUCCESS ["rover"]"#, || reply)?;
    client.send(request(longest + 1))?;
    let reply = client.line()?;
    let limit = format!("longer than {longest} bytes");
    ensure(reply.contains(&limit), || reply)?;
    let end = client.line_within(Duration::from_secs(5));
    ensure(matches!(end, Err(NoLine::Closed(_))), || {
        format!("it is not sent away: {end:?}")
    })
}

#[test]
fn f4_a_line_without_end_is_cut_off_and_told_the_limit() {
    survives(&Scene::of(ROVER), check);
}

#[test]
fn f4_the_limit_holds_to_the_byte() {
    survives(&Scene::of(ROVER), |server| to_the_byte(server, LONGEST));
}

#[test]
fn f4_the_limit_can_be_set() {
    let text = ROVER.replace("port: 0,", "port: 0, longest_line: 4096,");
    survives(&Scene::of(text), |server| to_the_byte(server, 4096));
}

#[test]
fn f4_notices_a_server_that_waits_for_the_end_of_a_line() {
    notices(&Scene::of(ROVER), Weakness::CollectsWholeLines, check);
}
