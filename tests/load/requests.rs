//! Requests of several clients, each with one pending: requests that only read are not limited to the tick rate, and
//! requests that act are served in the next tick.
use std::time::Duration;

use serde_json::Value as Json;

use super::{Times, client::Client, now, program::Program, side_by_side};

/// Sensor that is deactivated and activated.
const SENSOR: &str = "rover_2.pose";
/// A request that is not limited to the tick rate.
const READS: &str = "time now";

/// Results of the requests.
#[derive(Default)]
pub(crate) struct Answered {
    pub(crate) seconds: f64,
    /// Durations from sending a request that only reads to its reply.
    pub(crate) reading: Times,
    /// Durations from sending a request that acts to its reply.
    pub(crate) acting: Times,
    /// Maximum number of ticks from the last one before a request that acts to the one in which it was served.
    pub(crate) most_ticks: u64,
    pub(crate) mistakes: Vec<String>,
}

/// A number of clients send requests for a duration, and one more sends requests that act.
pub(crate) fn measure(program: &Program, clients: usize, rate: f64, time: Duration) -> Answered {
    let start = now();
    let answered = side_by_side(clients + 1, |number| {
        let mut own = Answered::default();
        let mut client = program.connect("requests");
        let mut readings = (number == 0).then(|| program.connect(SENSOR));
        let mut count = 0_u64;
        while now().duration_since(start) < time {
            count += 1;
            let asked = match &mut readings {
                Some(readings) => act(&mut client, readings, &mut own, count, rate),
                None => read(&mut client, &mut own, &format!("{number}-{count}")),
            };
            if let Err(why) = asked {
                own.mistakes.push(why);
                break;
            }
        }
        own
    });
    let mut all = Answered {
        seconds: now().duration_since(start).as_secs_f64(),
        ..Answered::default()
    };
    for own in answered {
        all.reading.join(own.reading);
        all.acting.join(own.acting);
        all.most_ticks = all.most_ticks.max(own.most_ticks);
        all.mistakes.extend(own.mistakes);
    }
    all
}

fn read(client: &mut Client, answered: &mut Answered, id: &str) -> Result<(), String> {
    let sent = now();
    let reply = client.ask(id, "rover_1.pose get_local_data []")?;
    answered
        .reading
        .add(now().duration_since(sent).as_secs_f64());
    if reply.starts_with(r#"SUCCESS {"timestamp": "#) && reply.ends_with('}') {
        Ok(())
    } else {
        Err(format!("{id}: {reply}"))
    }
}

/// Deactivates a sensor and activates it again. Its first reading then has the tick in which the request was served:
/// independent of this process's clock and of the reply's delay.
fn act(
    client: &mut Client,
    readings: &mut Client,
    answered: &mut Answered,
    count: u64,
    rate: f64,
) -> Result<(), String> {
    let tick = |seconds: f64| (seconds * rate).round() as u64;
    let mut ask = |client: &mut Client, what: &str| {
        let sent = now();
        let reply = client.ask(&format!("{what}{count}"), &format!("{SENSOR} {what}"))?;
        answered
            .acting
            .add(now().duration_since(sent).as_secs_f64());
        if reply == "SUCCESS" {
            Ok(())
        } else {
            Err(reply)
        }
    };
    ask(client, "deactivate")?;
    // Readings before this time are old ones.
    let off = tick(client.time()?);
    // The request that reads was sent later: it returns the tick before the other one is served, or that very one.
    client.send(format!("on{count} {SENSOR} activate\nnow {READS}\n"))?;
    let mut last = None;
    for _ in 0..2 {
        let line = client.line()?;
        match line.strip_prefix("now SUCCESS ") {
            Some(time) => last = time.parse().ok().map(tick),
            None if line == format!("on{count} SUCCESS") => {}
            None => return Err(line),
        }
    }
    let last = last.ok_or("the time is not told")?;
    let served = loop {
        let record: Json =
            serde_json::from_str(&readings.line()?).map_err(|error| error.to_string())?;
        let at = record["timestamp"].as_f64().map(tick);
        if let Some(at) = at.filter(|at| *at >= off) {
            break at;
        }
    };
    answered.most_ticks = answered.most_ticks.max(served.saturating_sub(last));
    Ok(())
}
