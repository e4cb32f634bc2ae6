//! F1: clients that are killed in the middle of a message. They are separate processes, which SIGKILL ends.
use std::{
    io::{BufRead as _, BufReader},
    os::unix::process::ExitStatusExt as _,
    process::{Child, Command, Stdio},
    time::Duration,
};

use super::{Bystander, ROVER, Scene, Server, Weakness, ensure, notices, survives};
use crate::load::wait_for;

/// Number of clients to kill.
const KILLED: usize = 1000;
/// Number of simultaneous clients.
const TOGETHER: usize = 20;
/// Number of the signal.
const KILL: i32 = 9;

const REQUEST: &str = "7 rover.motion set_speed [5.0, 0.0]\n";
const COMMAND: &str = "{\"v\": 5.0, \"w\": 0.0}\n";
/// Complete requests that change nothing; the replies are not read.
const READS: &str = "1 time now\n2 rover.pose get_local_data\n";

/// Sends some bytes, and then nothing more.
const STOPS: &str =
    r#"exec 3<>"/dev/tcp/127.0.0.1/$1"; printf %s "$2" >&3; echo said; read -r never"#;
/// Sends the same bytes repeatedly.
const GOES_ON: &str =
    r#"exec 3<>"/dev/tcp/127.0.0.1/$1"; echo said; while printf %s "$2" >&3; do :; done"#;

/// A client that is going to be killed.
struct Victim(Child);

/// Kills the process, so that it does not outlive the test.
impl Drop for Victim {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

impl Victim {
    fn start(script: &str, port: u16, bytes: &str) -> Result<Self, String> {
        let mut bash = Command::new("bash");
        bash.args(["-c", script, "victim"]);
        let started = bash
            .args([&port.to_string(), bytes])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        started
            .map(Self)
            .map_err(|error| format!("bash, which is the client: {error}"))
    }

    /// Waits until it has sent its bytes, or has begun to.
    fn wait(&mut self) -> Result<(), String> {
        let said = self.0.stdout.as_mut().ok_or("no output")?;
        let mut line = String::new();
        let read = BufReader::new(said).read_line(&mut line);
        ensure(read.is_ok() && line == "said\n", || {
            format!("a victim says `{line}`")
        })
    }

    fn kill(mut self) -> Result<(), String> {
        let died = self.0.kill().and_then(|()| self.0.wait());
        let signal = died.map_err(|error| error.to_string())?.signal();
        ensure(signal == Some(KILL), || {
            format!("a victim died of {signal:?}")
        })
    }
}

/// Starts a client; its number determines its bytes, and the byte after which it is killed.
fn victim(server: &Server, number: usize) -> Result<Victim, String> {
    // Never a complete message, which would take effect: the last byte is the end of the line.
    let prefix = |message: &str| message[..number * 31 % message.len()].to_owned();
    let requests = server.port("requests");
    match number % TOGETHER {
        // One of each group is killed at any moment.
        0 => Victim::start(GOES_ON, requests, READS),
        other if other % 3 == 0 => Victim::start(STOPS, requests, &prefix(REQUEST)),
        other if other % 3 == 1 => {
            Victim::start(STOPS, requests, &(READS.to_owned() + &prefix(REQUEST)))
        }
        _ => Victim::start(STOPS, server.port("rover.motion"), &prefix(COMMAND)),
    }
}

fn check(server: &Server) -> Result<(), String> {
    let mut bystander = Bystander::of(server)?;
    bystander.listen(5)?;
    let before = server.program.holds().files;
    for group in 0..KILLED / TOGETHER {
        let numbers = group * TOGETHER..(group + 1) * TOGETHER;
        let victims: Result<Vec<Victim>, String> =
            numbers.map(|number| victim(server, number)).collect();
        let mut victims = victims?;
        victims.iter_mut().try_for_each(Victim::wait)?;
        bystander.listen(1)?;
        victims.into_iter().try_for_each(Victim::kill)?;
        bystander.listen(1)?;
        server.answers()?;
    }
    bystander.listen(10)?;
    let said = server.program.said();
    ensure(said.len() <= KILLED, || {
        format!("{} lines were said", said.len())
    })?;
    let is_let_go = wait_for(Duration::from_secs(5), || {
        server.program.holds().files <= before
    });
    ensure(is_let_go, || {
        format!("{} files are open still", server.program.holds().files)
    })
}

#[test]
fn f1_killed_clients_cost_the_others_nothing() {
    survives(&Scene::of(ROVER), check);
}

#[test]
fn f1_notices_a_server_that_loses_messages_of_others() {
    notices(&Scene::of(ROVER), Weakness::LosesForOthers, check);
}
