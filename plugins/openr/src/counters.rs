//! Counters of links and objects, and their table.
use std::fmt::{self, Write as _};

use serde::Serialize;

use crate::credit::Credit;

/// Counters of one link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinkCounters {
    /// Data that the subject set.
    pub set: u64,
    /// Messages sent.
    pub sent: u64,
    /// Data in the sent messages.
    pub delivered: u64,
    /// Data that were dropped: replaced by newer ones, or sent while the observer was deasserted.
    pub dropped: u64,
    /// Data skipped by the observer's sub-sampling.
    pub skipped: u64,
    /// Received credits.
    pub ready: u64,
    /// Messages refused by a full mailbox of the observer.
    pub refused: u64,
}

/// Statistics of the durations of an object's handlers: count, sum, maximum and histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerTimes {
    /// Number of handlers that ran.
    pub count: u64,
    /// Sum of the durations, ns.
    pub total: u64,
    /// Maximum duration, ns.
    pub max: u64,
    /// Number of handlers by the number of binary digits of their duration in ns.
    digits: [u64; 65],
}

impl Default for HandlerTimes {
    fn default() -> Self {
        Self {
            count: 0,
            total: 0,
            max: 0,
            digits: [0; 65],
        }
    }
}

impl HandlerTimes {
    /// Adds a duration, ns.
    pub fn add(&mut self, time: u64) {
        self.count += 1;
        self.total += time;
        self.max = self.max.max(time);
        self.digits[(u64::BITS - time.leading_zeros()) as usize] += 1;
    }

    /// Returns the 99th percentile of the durations, ns: a power of two, at most twice too large.
    #[must_use]
    pub fn p99(&self) -> u64 {
        let most = self.count - self.count / 100;
        let mut seen = 0;
        for (digits, count) in self.digits.iter().enumerate() {
            seen += count;
            if seen >= most {
                let limit = if digits == 0 {
                    0
                } else {
                    u64::MAX >> (64 - digits)
                };
                return limit.min(self.max);
            }
        }
        self.max
    }
}

/// Counters of one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectCounters {
    /// Durations of its handlers.
    pub handlers: HandlerTimes,
    /// Maximum number of queued messages.
    pub longest_queue: usize,
    /// Number of messages refused by the full mailbox.
    pub overflows: u64,
}

/// Report on one object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObjectReport {
    /// Name of the object.
    pub object: String,
    /// Class and share, as in an `.ocf`.
    pub priority: u8,
    /// Number of handled messages.
    pub handled: u64,
    /// Number of queued messages.
    pub queue: usize,
    /// Maximum number of queued messages.
    pub longest_queue: usize,
    /// Number of messages refused by the full mailbox.
    pub overflows: u64,
    /// Sum of the durations of handlers, s.
    pub handler_seconds: f64,
    /// Maximum duration of a handler, s.
    pub handler_max_seconds: f64,
    /// 99th percentile of the durations of handlers, s.
    pub handler_p99_seconds: f64,
    /// Fault that stopped the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// Report on one link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkReport {
    /// Name of the subject.
    pub subject: String,
    /// Name of the observer.
    pub observer: String,
    /// Number of data in the ring buffer.
    pub queued: usize,
    /// Readiness of the observer.
    pub credit: Credit,
    /// Indices of the objects that send and receive.
    #[serde(skip)]
    pub ends: [usize; 2],
    /// Counters of the link.
    #[serde(flatten)]
    pub counters: LinkCounters,
}

/// Report on all objects and links.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Objects, in the order of their start.
    pub objects: Vec<ObjectReport>,
    /// Links, by their subject.
    pub links: Vec<LinkReport>,
    /// Hash of all messages in their order: equal runs have equal hashes. Meaningless if objects run in threads.
    pub message_hash: String,
    /// Last lines of information that objects logged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
}

impl ObjectReport {
    pub(crate) fn new(object: &str, priority: u8, counters: &ObjectCounters) -> Self {
        let seconds = |nanos: u64| nanos as f64 / 1e9;
        Self {
            object: object.to_owned(),
            priority,
            handled: counters.handlers.count,
            queue: 0,
            longest_queue: counters.longest_queue,
            overflows: counters.overflows,
            handler_seconds: seconds(counters.handlers.total),
            handler_max_seconds: seconds(counters.handlers.max),
            handler_p99_seconds: seconds(counters.handlers.p99()),
            fault: None,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let objects = self.objects.iter().map(|object| {
            vec![
                object.object.clone(),
                object.priority.to_string(),
                object.handled.to_string(),
                format!("{} ({})", object.queue, object.longest_queue),
                object.overflows.to_string(),
                format!("{:.3}", object.handler_seconds * 1e3),
                format!("{:.3}", object.handler_p99_seconds * 1e3),
                format!("{:.3}", object.handler_max_seconds * 1e3),
                object.fault.clone().unwrap_or_default(),
            ]
        });
        let heads = [
            "object",
            "priority",
            "handled",
            "queue (most)",
            "overflows",
            "total ms",
            "p99 ms",
            "max ms",
            "fault",
        ];
        f.write_str(&table(&heads, objects.collect()))?;
        let links = self.links.iter().map(|link| {
            let LinkCounters {
                set,
                sent,
                delivered,
                dropped,
                skipped,
                ready,
                refused,
            } = link.counters;
            let counts = [set, sent, delivered, dropped, skipped, ready, refused];
            let names = [format!("{} > {}", link.subject, link.observer)];
            let queued = [link.queued.to_string()];
            let counts = counts.map(|count| count.to_string());
            names.into_iter().chain(counts).chain(queued).collect()
        });
        let heads = [
            "link",
            "set",
            "messages",
            "delivered",
            "dropped",
            "skipped",
            "ready",
            "refused",
            "queued",
        ];
        f.write_str(&table(&heads, links.collect()))?;
        self.log.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// Formats columns, the first one left-aligned.
fn table(heads: &[&str], rows: Vec<Vec<String>>) -> String {
    let head = heads.iter().map(|&head| head.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells
            .map(|object_runner| object_runner.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, (object_runner, &width)) in row.iter().zip(&widths).enumerate() {
            // Writing to a string cannot fail.
            if column == 0 {
                write!(line, "{object_runner:<width$}").ok();
            } else {
                write!(line, "  {object_runner:>width$}").ok();
            }
        }
        text += line.trim_end();
        text += "\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_99_in_100_is_not_that_of_the_slowest() {
        let mut times = HandlerTimes::default();
        (0..199).for_each(|_| times.add(1000));
        times.add(1_000_000);
        assert_eq!(
            (times.p99(), times.max, times.count),
            (1023, 1_000_000, 200)
        );
        assert_eq!(HandlerTimes::default().p99(), 0);
    }

    #[test]
    fn the_table_has_a_line_for_each_object_and_link() {
        let report = Report {
            objects: vec![ObjectReport::new("Eye", 128, &ObjectCounters::default())],
            links: vec![LinkReport {
                subject: "Eye.Image.px.S".to_owned(),
                observer: "Mind.Image.px.O".to_owned(),
                queued: 3,
                credit: Credit::Unknown,
                ends: [0, 1],
                counters: LinkCounters::default(),
            }],
            message_hash: String::new(),
            log: vec!["1.000 s, `Eye`: it sees".to_owned()],
        };
        let text = report.to_string();
        assert_eq!(text.lines().count(), 5, "{text}");
        assert!(
            text.contains("Eye.Image.px.S > Mind.Image.px.O    0"),
            "{text}"
        );
    }
}
