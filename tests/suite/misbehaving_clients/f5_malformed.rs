//! F5: malformed requests. Each is answered.
use std::time::Duration;

use super::{Bystander, ROVER, Scene, Server, Weakness, ensure, notices, survives};
use crate::load::client::Client;

/// Requests that only read, so that mutants that are still valid change nothing.
const VALID: [&str; 6] = [
    "1 simulation details []",
    "2 simulation get_stream_port [\"rover.pose\"]",
    "3 rover.pose get_local_data",
    "4 communication distance_and_view [\"rover\", \"rover\"]",
    "5 rover.motion get_properties []",
    "6 simulation get_scene_objects {\"a\": [1.5, null, true]}",
];
/// Number of mutants of each request.
const MUTANTS: usize = 250;
/// Byte sequences that are inserted.
const PIECES: [&[u8]; 16] = [
    b"\xff",
    b"\0",
    b"\"",
    b"[",
    b"}",
    b"{\"a\": 1, \"a\": 2}",
    b"1e999",
    b"-1e-999",
    b"123456789012345678901234567890",
    b"\xe2\x82",
    b" ",
    b"\t\t",
    b"\\u12",
    b"NaN",
    b"\r",
    b"rover",
];

/// Returns mistakes that random mutation would hardly produce.
fn chosen() -> Vec<Vec<u8>> {
    let mut deep = b"9 rover.motion set_speed ".to_vec();
    deep.extend(b"[".repeat(100_000));
    let mut objects = b"9 rover.motion set_speed ".to_vec();
    objects.extend(b"{\"a\":".repeat(100_000));
    let mut lines: Vec<Vec<u8>> = vec![deep, objects, vec![b'x'; 300_000]];
    lines.extend(
        [
            &b""[..],
            b" ",
            b"9",
            b"9 \xff\xfe",
            b"\xc3\x28 time now",
            b"9 time now \0",
            b"9 rover.motion",
            b"9 9 9 9",
            b"9 rover.motion set_speed [1e999, 0]",
            b"9 rover.motion set_speed [NaN, 0]",
            b"9 rover.motion set_speed",
            b"9 rover.motion set_speed [\"a\", \"b\"]",
            b"9 rover.motion set_speed [1, 2, 3]",
            b"9 rover.motion set_speed [[1], [2]]",
            b"9 rover.motion set_speed [1, 2",
            b"9 rover.motion set_property [\"control\", 99999999999999999999999]",
            b"9 rover.motion no_such_service [1]",
            b"9 nobody set_speed [1, 2]",
            b"9 simulation activate [\"nobody\"]",
            b"9 simulation activate [7]",
            b"9 time set_time_scale [-1]",
            b"9 time sleep [\"long\"]",
            b"9 rover.pose get_local_data [1]",
        ]
        .map(<[u8]>::to_vec),
    );
    lines
}

/// Deterministic random numbers (Marsaglia's xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end.max(1)
    }
}

/// Returns a valid request with some bytes changed, removed, doubled or inserted.
fn mutant(valid: &str, dice: &mut Dice) -> Vec<u8> {
    let mut line = valid.as_bytes().to_vec();
    let mut below = |end: usize| dice.below(end);
    for _ in 0..=below(3) {
        let index = below(line.len());
        match below(5) {
            0 => line.truncate(index),
            1 => drop(line.splice(index..index, PIECES[below(PIECES.len())].iter().copied())),
            2 if !line.is_empty() => line[index] = below(256) as u8,
            3 => line.extend_from_within(index..),
            _ => drop(line.drain(index..(index + below(6)).min(line.len()))),
        }
    }
    line.retain(|byte| *byte != b'\n');
    line
}

/// Sends lines, each a request, and receives as many answers.
fn are_answered(client: &mut Client, lines: &[Vec<u8>]) -> Result<(), String> {
    for (number, line) in lines.iter().enumerate() {
        client.send([line.as_slice(), b"\n"].concat())?;
        // A few at a time, so that neither side blocks on the other.
        if number % 20 == 19 || number + 1 == lines.len() {
            let sent = number % 20 + 1;
            for _ in 0..sent {
                let answer = client.line_within(Duration::from_secs(5));
                let answer = answer.map_err(|why| {
                    let asked = lines[number + 1 - sent..=number].iter();
                    let asked: Vec<_> = asked
                        .map(|line| line.get(..60).unwrap_or(line).escape_ascii().to_string())
                        .collect();
                    format!("one of {asked:?} is not answered: {why:?}")
                })?;
                let is_answer = [" SUCCESS", " FAILED \""]
                    .iter()
                    .any(|word| answer.contains(word));
                ensure(is_answer, || format!("this is no answer: {answer}"))?;
            }
        }
    }
    Ok(())
}

fn check(server: &Server) -> Result<(), String> {
    let mut bystander = Bystander::of(server)?;
    bystander.listen(5)?;
    let mut client = server.connect("requests")?;
    let mut dice = Dice(0x5eed);
    are_answered(&mut client, &chosen())?;
    for valid in VALID {
        let mutants: Vec<Vec<u8>> = (0..MUTANTS).map(|_| mutant(valid, &mut dice)).collect();
        // A cancellation, and a line of a browser, are not answered.
        let asks = |line: &&Vec<u8>| {
            !line
                .windows(6)
                .any(|window| window == b"cancel" || window == b"HTTP/1")
        };
        let mutants: Vec<Vec<u8>> = mutants.iter().filter(asks).cloned().collect();
        are_answered(&mut client, &mutants)?;
        bystander.listen(1)?;
    }
    // A missing id, and a duplicate one.
    client.send(" time mode\ntwice simulation list_robots\ntwice simulation list_robots\n")?;
    let mut answers = [client.line()?, client.line()?, client.line()?];
    answers.sort();
    let twice = r#"twice SUCCESS ["rover"]"#;
    ensure(answers[1..] == [twice, twice], || format!("{answers:?}"))?;
    bystander.listen(10)?;
    server.answers()
}

#[test]
fn f5_every_malformed_request_is_answered() {
    survives(&Scene::of(ROVER), check);
}

#[test]
fn f5_notices_a_server_that_is_silent_on_bad_text() {
    notices(&Scene::of(ROVER), Weakness::IsSilentOnBadText, check);
}
