//! F4: a line that does not end.
use std::{io::Write as _, time::Duration};

use super::{Bystander, ROVER, Scene, Server, Weakness, ensure, notices, survives};
use crate::load::client::NoLine;

/// What the client would send.
const LENGTH: usize = 256 << 20;
/// What it may cost, bytes.
const MOST_KEPT: u64 = 4 << 20;

fn check(server: &Server) -> Result<(), String> {
    let mut bystander = Bystander::of(server)?;
    bystander.listen(5)?;
    for what in ["requests", "rover.motion"] {
        let before = server.memory();
        let mut client = server.connect(what)?;
        let chunk = vec![b'7'; 64 << 10];
        let mut said = None;
        for _ in 0..LENGTH / chunk.len() {
            // Once it is closed it takes no more.
            if client.stream.write_all(&chunk).is_err() {
                break;
            }
            let kept = server.memory().saturating_sub(before);
            ensure(kept <= MOST_KEPT, || {
                format!("{what}: {kept} bytes are kept of a line")
            })?;
            match client.line_within(Duration::from_millis(1)) {
                Ok(line) => {
                    said = Some(line);
                    break;
                }
                Err(NoLine::Silence) => {}
                Err(closed) => return Err(format!("{what}: it closes without a word: {closed:?}")),
            }
        }
        let said = said.ok_or_else(|| format!("{what}: nothing is said"))?;
        ensure(said.contains("longer than 1048576 bytes"), || {
            format!("{what}: {said}")
        })?;
        bystander.listen(2)?;
    }
    bystander.listen(10)?;
    server.answers()
}

#[test]
fn f4_a_line_without_end_is_cut_off_and_told_the_limit() {
    survives(&Scene::of(ROVER), check);
}

#[test]
fn f4_notices_a_server_that_waits_for_the_end_of_a_line() {
    notices(&Scene::of(ROVER), Weakness::CollectsWholeLines, check);
}
