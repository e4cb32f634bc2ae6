//! F1: clients that are killed in the middle of a message.
use super::{Bystander, ROVER, Scene, Server, Weakness, ensure, notices, survives};

/// Clients to be killed. What is left of a killed process is a socket that is closed.
const KILLED: usize = 150;

const REQUEST: &[u8] = b"7 rover.motion set_speed [5.0, 0.0]\n";
const COMMAND: &[u8] = b"{\"v\": 5.0, \"w\": 0.0}\n";

/// Each ends at another byte of a message that would act if it were whole; some leave replies unread.
fn check(server: &Server) -> Result<(), String> {
    let mut bystander = Bystander::of(server)?;
    bystander.listen(5)?;
    for number in 0..KILLED {
        let (what, message) = if number % 2 == 0 {
            ("requests", REQUEST)
        } else {
            ("rover.motion", COMMAND)
        };
        let mut victim = server.connect(what)?;
        if number % 3 == 0 && what == "requests" {
            victim.send("1 time now\n2 rover.pose get_local_data\n")?;
        }
        // Never all of it: the last byte is the end of the line.
        victim.send(&message[..number * 31 % message.len()])?;
        drop(victim);
        bystander.listen(if number % 10 == 0 { 1 } else { 0 })?;
    }
    bystander.listen(10)?;
    server.answers()?;
    let said = server.program.said();
    ensure(said.len() <= KILLED, || {
        format!("{} lines were said", said.len())
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
