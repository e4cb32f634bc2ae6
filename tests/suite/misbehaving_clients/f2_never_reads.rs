//! F2: a client that never reads, while others do.
use std::time::Duration;

use super::{Bystander, Scene, Server, Weakness, ensure, notices, survives};

/// Memory for one client that does not read, and for overhead of the system's allocator, bytes.
const MOST_KEPT: u64 = 16 << 20;

/// Large readings: for a client that does not read, many megabytes accumulate soon.
fn scene() -> Scene {
    let text = super::ROVER.replace(
        "sensors: {",
        r#"sensors: {
            "scan": (kind: "laser_scanner", resolution: 0.0006, laser_range: 1, mount: (translation: (0, 0, 2)),
                     frequency: 25, outputs: { "socket": () }),"#,
    );
    Scene::of(text)
}

fn check(server: &Server) -> Result<(), String> {
    let mut bystander = Bystander::of(server)?;
    let reader = server.connect("rover.scan")?;
    bystander.listen(10)?;
    drop(reader);
    let before = server.memory();
    let silent = server.connect("rover.scan")?;
    rustix::net::sockopt::set_socket_recv_buffer_size(&silent.stream, 4096)
        .map_err(|error| error.to_string())?;
    for _ in 0..80 {
        bystander.listen(5)?;
        server.answers()?;
        let kept = server.memory().saturating_sub(before);
        ensure(kept <= MOST_KEPT, || format!("{kept} bytes are kept"))?;
    }
    drop(silent);
    let is_told = crate::load::wait_for(Duration::from_secs(5), || {
        server.has_said(&["rover.scan", "slow client missed", "readings"])
    });
    ensure(is_told, || {
        "nobody says that readings were missed".to_owned()
    })?;
    bystander.listen(10)
}

#[test]
fn f2_a_client_that_never_reads_costs_little_and_the_others_nothing() {
    survives(&scene(), check);
}

#[test]
fn f2_notices_a_server_that_keeps_everything() {
    notices(&scene(), Weakness::KeepsEverything, check);
}

#[test]
fn f2_notices_a_server_that_waits_for_the_slow() {
    notices(&scene(), Weakness::WaitsForTheSlow, check);
}
