//! F14: a client that holds the ticks: it freezes, sends twice, disconnects, and reconnects.
use std::time::Duration;

use super::{Scene, Server, Weakness, ensure, notices, survives};
use crate::load::{client::Client, now, wait_for};

/// Default time limit for an answer of the client.
const LIMIT: Duration = Duration::from_secs(5);

fn scene() -> Scene {
    let sync = "streams: 0, time_sync: true, sync_port: 0";
    Scene::of(super::ROVER.replace("streams: 0", sync))
}

/// Returns the number of ticks so far; requests that only read are answered also while the ticks are held.
fn ticks(client: &mut Client) -> Result<i64, String> {
    Ok((client.time()? * 50.0).round() as i64)
}

/// Checks that the simulation stops ticking.
fn rests(client: &mut Client) -> Result<i64, String> {
    let mut last = ticks(client)?;
    for _ in 0..50 {
        std::thread::sleep(Duration::from_millis(100));
        let now = ticks(client)?;
        if now == last {
            return Ok(now);
        }
        last = now;
    }
    Err("it does not wait for its peer".to_owned())
}

fn goes_on(client: &mut Client, from: i64) -> Result<(), String> {
    let goes_on = wait_for(Duration::from_secs(2), || {
        ticks(client).is_ok_and(|now| now > from + 20)
    });
    ensure(goes_on, || format!("it stays at tick {from}"))
}

fn check(server: &Server) -> Result<(), String> {
    let mut client = server.connect("requests")?;
    let first = server.connect("sync")?;
    let mut at = rests(&mut client)?;
    let mut peer = first;
    for _ in 0..10 {
        peer.send("x")?;
        let is_one = wait_for(Duration::from_secs(2), || {
            ticks(&mut client).is_ok_and(|now| now > at)
        });
        ensure(is_one, || format!("no tick after {at}"))?;
        let now = ticks(&mut client)?;
        ensure(now == at + 1, || {
            format!("{} ticks for one permit", now - at)
        })?;
        at = now;
    }
    // Two messages in a row are two ticks, or one if both arrive together; never more.
    peer.send("x")?;
    peer.send("x")?;
    let now = rests(&mut client)?;
    ensure((at + 1..=at + 2).contains(&now), || {
        format!("{} ticks for two permits", now - at)
    })?;
    // The client freezes for less than the time limit.
    std::thread::sleep(LIMIT / 2);
    peer.send("x")?;
    let is_one = wait_for(Duration::from_secs(2), || {
        ticks(&mut client).is_ok_and(|tick| tick > now)
    });
    ensure(is_one, || "it does not wake up".to_owned())?;
    let now = rests(&mut client)?;
    // After a disconnect the ticks run freely. After a reconnect they wait again.
    drop(peer);
    goes_on(&mut client, now)?;
    let peer = server.connect("sync")?;
    let now = rests(&mut client)?;
    drop(peer);
    goes_on(&mut client, now)?;
    server.answers()
}

#[test]
fn f14_a_peer_may_send_twice_die_and_come_back() {
    survives(&scene(), check);
}

#[test]
fn f14_notices_a_server_that_misses_the_end_of_its_peer() {
    notices(&scene(), Weakness::MissesTheEnd, check);
}

#[test]
fn f14_a_peer_that_freezes_ends_the_run_in_time() {
    let scene = scene();
    let mut program = crate::load::program::Program::start(&scene);
    let mut peer = program.connect("sync");
    for _ in 0..5 {
        peer.send("x").unwrap();
        std::thread::sleep(Duration::from_millis(50));
    }
    let silent = now();
    assert!(wait_for(LIMIT * 3, || program.has_ended()), "it hangs");
    assert!(now().duration_since(silent) > LIMIT / 2, "it does not wait");
    let ended = program.wait();
    assert_eq!(ended.code, Some(5), "{:?}", ended.said);
    assert!(
        ended
            .said
            .iter()
            .any(|line| line.contains("sync port sent nothing")),
        "{:?}",
        ended.said
    );
    assert_eq!(ended.hash, scene.hash_after(ended.steps));
}
