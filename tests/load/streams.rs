//! Readings of many sensors to many clients, one each: nothing is lost, reordered or incomplete, and real time is kept.
//!
//! A record contains the simulated time of its state, and ticks are paced by the wall clock. The delay of a record is its
//! arrival time minus that time, relative to a start that is the same for all records of a run: the start for which the
//! fastest record has no delay.
use std::time::Duration;

use serde_json::Value as Json;

use super::{Times, client::NoLine, now, program::Program, side_by_side};

/// Results of the streams of readings.
#[derive(Default)]
pub(crate) struct Streamed {
    pub(crate) received: usize,
    pub(crate) lost: u64,
    pub(crate) reordered: u64,
    pub(crate) torn: u64,
    /// Simulated time over real time, of the slowest stream.
    pub(crate) pace: f64,
    pub(crate) late: Times,
}

/// Reads these sensors, each by a client of its own, for a duration.
pub(crate) fn measure(
    program: &Program,
    sensors: &[String],
    hertz: f64,
    time: Duration,
) -> Streamed {
    let start = now();
    let listened = side_by_side(sensors.len(), |number| {
        let mut client = program.connect(&sensors[number]);
        let mut heard = Vec::new();
        let mut torn = 0;
        while now().duration_since(start) < time {
            match client.line_within(Duration::from_secs(5)) {
                Ok(line) => match stamp(&line) {
                    Some(stamp) => heard.push((stamp, now().duration_since(start).as_secs_f64())),
                    None => torn += 1,
                },
                Err(NoLine::Silence | NoLine::Closed(_)) => {
                    torn += 1;
                    break;
                }
            }
        }
        (heard, torn)
    });
    let all = listened.iter().flat_map(|(heard, _)| heard);
    let base = all
        .map(|(stamp, arrival)| arrival - stamp)
        .fold(f64::INFINITY, f64::min);
    let mut result = Streamed {
        pace: f64::INFINITY,
        ..Streamed::default()
    };
    for (heard, torn) in &listened {
        result.torn += torn;
        result.received += heard.len();
        let count = |stamp: f64| (stamp * hertz).round() as i64;
        for pair in heard.windows(2) {
            let step = count(pair[1].0) - count(pair[0].0);
            if step < 1 {
                result.reordered += 1;
            } else {
                result.lost += u64::try_from(step - 1).unwrap_or(0);
            }
        }
        for (stamp, arrival) in heard {
            result.late.add(arrival - stamp - base);
        }
        if let (Some(first), Some(last)) = (heard.first(), heard.last()) {
            result.pace = result.pace.min((last.0 - first.0) / (last.1 - first.1));
        }
    }
    result
}

/// Returns the time of a pose, if its line is complete.
fn stamp(line: &str) -> Option<f64> {
    let record: Json = serde_json::from_str(line).ok()?;
    let fields = ["timestamp", "x", "y", "z", "yaw", "pitch", "roll"];
    let is_whole =
        record.as_object()?.keys().eq(fields) && fields.iter().all(|name| record[name].is_f64());
    is_whole.then(|| record["timestamp"].as_f64())?
}
