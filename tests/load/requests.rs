//! Requests of several clients, each with one under way: those that only read are not held to the tick rate, and
//! those that act are answered in the next tick.
use std::time::Duration;

use super::{Times, now, program::Program, side_by_side};

/// What became of the requests.
#[derive(Default)]
pub(crate) struct Answered {
    pub(crate) seconds: f64,
    /// From sending a request that only reads to its reply.
    pub(crate) reading: Times,
    /// The same for requests that act.
    pub(crate) acting: Times,
    /// The most ticks that passed from before a request that acts to after its reply.
    pub(crate) most_ticks: u64,
    pub(crate) mistakes: Vec<String>,
}

/// So many clients ask for so long, and one more acts.
pub(crate) fn measure(program: &Program, clients: usize, rate: f64, time: Duration) -> Answered {
    let start = now();
    let parts = side_by_side(clients + 1, |number| {
        let mut part = Answered::default();
        let mut client = program.connect("requests");
        let mut count = 0_u64;
        while now().duration_since(start) < time {
            count += 1;
            let asked = if number == 0 {
                act(&mut client, &mut part, count, rate)
            } else {
                read(&mut client, &mut part, &format!("{number}-{count}"))
            };
            if let Err(why) = asked {
                part.mistakes.push(why);
                break;
            }
        }
        part
    });
    let mut all = Answered {
        seconds: now().duration_since(start).as_secs_f64(),
        ..Answered::default()
    };
    for part in parts {
        all.reading.join(part.reading);
        all.acting.join(part.acting);
        all.most_ticks = all.most_ticks.max(part.most_ticks);
        all.mistakes.extend(part.mistakes);
    }
    all
}

fn read(client: &mut super::client::Client, part: &mut Answered, id: &str) -> Result<(), String> {
    let sent = now();
    let reply = client.ask(id, "rover_1.pose get_local_data []")?;
    part.reading.add(now().duration_since(sent).as_secs_f64());
    if reply.starts_with(r#"SUCCESS {"timestamp": "#) && reply.ends_with('}') {
        Ok(())
    } else {
        Err(format!("{id}: {reply}"))
    }
}

fn act(
    client: &mut super::client::Client,
    part: &mut Answered,
    count: u64,
    rate: f64,
) -> Result<(), String> {
    let before = client.time()?;
    let sent = now();
    let reply = client.ask(&format!("a{count}"), "rover_1.motion set_speed [0.5, 0.8]")?;
    part.acting.add(now().duration_since(sent).as_secs_f64());
    let ticks = ((client.time()? - before) * rate).round() as u64;
    part.most_ticks = part.most_ticks.max(ticks);
    if reply == "SUCCESS" {
        Ok(())
    } else {
        Err(reply)
    }
}
