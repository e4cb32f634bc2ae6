//! Ticks in which requests that act are served: the first one that begins after their arrival.
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bevy::prelude::App;
use morse_api::{
    component::Active,
    middleware::RequestSender,
    service::{AddService as _, NoArguments, Outcome, Service},
    tick::Clock,
};
use morse_sim::Simulation;
use serde_json::{Value as Json, json};

use super::{Client, ROVER};

/// Components return the tick in which they serve a request.
fn with_ticks(app: &mut App) {
    app.add_service::<Active>(Service::new(
        "which_tick",
        "The tick in which this is served.",
        |world, _, _: NoArguments| Ok(Outcome::Done(json!(world.resource::<Clock>().tick))),
    ));
}

fn connect(simulation: &Simulation, what: &str) -> Client {
    let ports = simulation.ports();
    let port = ports.iter().find(|(_, known, _)| known == what);
    Client::new(port.unwrap().2)
}

/// Waits between two ticks until a client has received a line.
fn read(client: &mut Client, mut wait: impl FnMut()) -> String {
    for _ in 0..2000 {
        wait();
        let short = Some(Duration::from_millis(1));
        client.stream.set_read_timeout(short).unwrap();
        let is_there = client.stream.peek(&mut [0]).is_ok();
        let long = Some(Duration::from_secs(20));
        client.stream.set_read_timeout(long).unwrap();
        if is_there {
            return client.line();
        }
    }
    panic!("no reply");
}

/// Repeats a request as soon as it is answered, without end.
fn ask_again(requests: RequestSender, answered: Arc<AtomicU64>) {
    let (sender, counter) = (requests.clone(), answered);
    let reply = move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        ask_again(requests, counter);
    };
    // At the end of the simulation the channel is closed.
    sender.send("time", "now", Json::Null, reply).ok();
}

#[test]
fn ticks_come_however_many_requests_there_are() {
    let mut simulation = Simulation::parse(ROVER, "scenes", &with_ticks).unwrap();
    let answered = Arc::<AtomicU64>::default();
    for _ in 0..200 {
        ask_again(simulation.requests(), answered.clone());
    }
    for tick in 1..=20 {
        let before = answered.load(Ordering::Relaxed);
        simulation.serve(Duration::from_millis(10));
        let between = answered.load(Ordering::Relaxed);
        assert!(between > before, "some are answered between two ticks");
        simulation.step().unwrap();
        assert_eq!(simulation.tick(), tick);
        // All pending requests are answered, each once.
        assert_eq!(answered.load(Ordering::Relaxed) - between, 200);
    }
}

fn time(tick: u64) -> String {
    if tick == 0 {
        String::new()
    } else {
        format!(" {}", json!(tick as f64 / 60.0))
    }
}

#[test]
fn what_arrives_between_two_ticks_is_served_and_answered_in_the_second() {
    let mut simulation = Simulation::parse(ROVER, "scenes", &with_ticks).unwrap();
    let mut clients = [(); 3].map(|()| connect(&simulation, "requests"));
    for tick in 0..30 {
        for client in &mut clients {
            client.send("act rover.motion which_tick\nread time now\n");
        }
        // Lines of a client are processed in order: once the second one is answered, the first one has been received, too.
        for client in &mut clients {
            let read = read(client, || simulation.serve(Duration::from_millis(10)));
            assert_eq!(read, format!("read SUCCESS{}", time(tick)));
        }
        simulation.step().unwrap();
        for client in &mut clients {
            assert_eq!(client.line(), format!("act SUCCESS {}", tick + 1));
        }
    }
}

#[test]
fn while_a_peer_holds_the_ticks_it_is_the_same() {
    let text = ROVER.replace("streams: 0", "streams: 0, time_sync: true, sync_port: 0");
    let mut simulation = Simulation::parse(&text, "scenes", &with_ticks).unwrap();
    let (mut peer, mut client) = (
        connect(&simulation, "sync"),
        connect(&simulation, "requests"),
    );
    let wait = Duration::from_millis(10);
    assert!((0..2000).any(|_| {
        simulation.serve(wait);
        simulation.is_held()
    }));
    for tick in 0..30 {
        client.send("act rover.motion which_tick\nread time now\n");
        let read = read(&mut client, || assert!(!simulation.may_step(wait)));
        assert_eq!(read, format!("read SUCCESS{}", time(tick)));
        peer.send("x");
        assert!((0..2000).any(|_| simulation.may_step(wait)));
        simulation.step().unwrap();
        assert_eq!(client.line(), format!("act SUCCESS {}", tick + 1));
    }
}
