//! Clients that connect, send one request, and disconnect: afterwards the program holds the same resources as before.
use std::time::Duration;

use super::{
    client::Client,
    now,
    program::{Holds, Program},
    wait_for,
};

/// Number of clients before the first reading of the resources, so that one-time allocations are done.
const WARM_UP: usize = 100;

/// Resources of the program.
pub(crate) struct Churned {
    pub(crate) before: Holds,
    pub(crate) after: Holds,
    pub(crate) seconds: f64,
    pub(crate) mistakes: Vec<String>,
}

/// Connects a number of clients, one after the other; some disconnect without a request, or in the middle of one.
pub(crate) fn measure(program: &Program, cycles: usize) -> Churned {
    let mut mistakes = Vec::new();
    let mut come_and_go = |cycles: usize| {
        for cycle in 0..cycles {
            if let Err(why) = visit(program, cycle) {
                mistakes.push(why);
            }
        }
    };
    let silent = program.holds();
    program.warm_up();
    come_and_go(WARM_UP);
    settle(program, silent.files);
    let before = program.holds();
    let start = now();
    come_and_go(cycles);
    let seconds = now().duration_since(start).as_secs_f64();
    settle(program, before.files);
    Churned {
        before,
        after: program.holds(),
        seconds,
        mistakes,
    }
}

/// Waits until the program has detected that a client has disconnected.
fn settle(program: &Program, files: usize) {
    wait_for(Duration::from_secs(5), || program.holds().files <= files);
}

fn visit(program: &Program, cycle: usize) -> Result<(), String> {
    let mut client: Client = program.connect("requests");
    match cycle % 10 {
        8 => return Ok(()),
        9 => return client.send("0 simulation li"),
        _ => {}
    }
    let reply = client.ask("0", "simulation list_robots")?;
    if reply.starts_with("SUCCESS [") {
        Ok(())
    } else {
        Err(reply)
    }
}
