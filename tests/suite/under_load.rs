//! A short form of the load program: nothing is lost, reordered, incomplete or leaked. `cargo bench --bench load` measures
//! its speed.
#![cfg(test)]
use std::time::Duration;

use crate::load::{
    churn,
    program::{Program, Scene},
    requests, robots, streams,
};

#[test]
fn streams_lose_nothing() {
    let program = Program::start(&Scene::of(robots(4, 50)));
    let sensors: Vec<String> = program
        .ports()
        .keys()
        .filter(|what| what.ends_with(".pose"))
        .cloned()
        .collect();
    assert_eq!(sensors.len(), 4);
    let streamed = streams::measure(&program, &sensors, 50.0, Duration::from_secs(3));
    program.end();
    let how = format!("pace {}, {}", streamed.pace, streamed.late.summary());
    assert!(streamed.received > 100, "{}, {how}", streamed.received);
    assert_eq!(
        (streamed.lost, streamed.reordered, streamed.torn),
        (0, 0, 0),
        "{how}"
    );
}

#[test]
fn requests_get_their_own_answers() {
    let program = Program::start(&Scene::of(robots(2, 50)));
    let answered = requests::measure(&program, 4, 50.0, Duration::from_secs(2));
    program.end();
    assert_eq!(answered.mistakes, [""; 0]);
    let how = format!("{} in {} s", answered.reading.summary(), answered.seconds);
    assert!(
        answered.reading.count() > 50 && answered.acting.count() > 5,
        "{how}"
    );
    assert!(
        answered.most_ticks <= 1,
        "{} ticks until a request is served",
        answered.most_ticks
    );
}

#[test]
fn clients_that_have_gone_leave_nothing() {
    let program = Program::start(&Scene::of(robots(1, 50)));
    let churned = churn::measure(&program, 500);
    program.end();
    assert_eq!(churned.mistakes, [""; 0], "in {} s", churned.seconds);
    assert_eq!(
        (churned.after.files, churned.after.threads),
        (churned.before.files, churned.before.threads)
    );
    let more = churned.after.memory.saturating_sub(churned.before.memory);
    assert!(more <= 2 << 20, "{more} bytes more");
}
