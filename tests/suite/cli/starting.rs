//! Middlewares that cannot start: the program reports the error and ends, whatever was started before. Paths in simulation
//! files.
use std::{
    io::Read,
    net::TcpListener,
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread::JoinHandle,
    time::Duration,
};

use super::{Ran, Room, binary};

/// Waits for the end of a program, whose output is read meanwhile; a program that hangs is killed, and the test fails.
#[track_caller]
pub(super) fn ended(mut child: Child, limit: Duration) -> Ran {
    const PAUSE: Duration = Duration::from_millis(10);
    let out = read_in_background(child.stdout.take().expect("a pipe"));
    let err = read_in_background(child.stderr.take().expect("a pipe"));
    let mut waited = Duration::ZERO;
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        waited += PAUSE;
        if waited > limit {
            child.kill().expect("it can be ended");
            child.wait().expect("it ends");
            let said = err.join().expect("it is read");
            panic!("it hangs; stderr:\n{}", String::from_utf8_lossy(&said));
        }
        std::thread::sleep(PAUSE);
    };
    Ran::of(&Output {
        status,
        stdout: out.join().expect("it is read"),
        stderr: err.join().expect("it is read"),
    })
}

/// Reads a pipe to its end, so that the program never waits for its reader.
fn read_in_background(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    let read = move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe");
        bytes
    };
    let thread = std::thread::Builder::new().name("pipe".to_owned());
    thread.spawn(read).expect("a thread")
}

/// Starts the program in a directory.
pub(super) fn start(directory: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(binary());
    command.args(arguments).current_dir(directory);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program runs")
}

/// Returns a block whose pose goes to two middlewares, of which the first starts first.
fn two(first: &str, second: &str) -> String {
    format!(
        r#"Simulation(
    scene: "blocks.robray",
    robots: {{
        "block": (frame: "block", sensors: {{ "pose": (kind: "pose", outputs: {{ "a": (), "b": () }}) }}),
    }},
    middlewares: {{ "a": ({first}), "b": ({second}) }},
)"#
    )
}

#[test]
fn a_middleware_that_cannot_start_is_an_error_whatever_was_started_before() {
    let room = Room::new();
    let busy = TcpListener::bind("127.0.0.1:0").expect("a port");
    let busy = busy.local_addr().expect("an address").port();
    let fine = [
        r#"kind: "text", directory: "out""#,
        r#"kind: "socket", port: 0, streams: 0"#,
        r#"kind: "web", port: 0"#,
        r#"kind: "rosbridge", port: 0"#,
        r#"kind: "openr""#,
    ];
    let broken = [
        (
            r#"kind: "text", directory: "blocks.robray/out""#.to_owned(),
            "cannot make the directory `blocks.robray/out`",
            3,
        ),
        (
            format!(r#"kind: "socket", port: {busy}"#),
            "cannot listen at",
            3,
        ),
        (
            format!(r#"kind: "web", port: {busy}"#),
            "cannot listen at",
            3,
        ),
        (
            format!(r#"kind: "rosbridge", port: {busy}"#),
            "cannot listen at",
            3,
        ),
        (
            r#"kind: "openr", directory: "nowhere""#.to_owned(),
            "cannot read the memory stick `nowhere`",
            3,
        ),
    ];
    for first in fine {
        for (second, message, code) in &broken {
            room.write("two.ron", &two(first, second));
            let child = start(room.path(), &["two.ron", "--until", "1s"]);
            let ran = ended(child, Duration::from_secs(60)).with_code(*code);
            assert!(ran.err.contains(message), "{first}, {second}: {}", ran.err);
            let errors = ran.err.lines().filter(|line| line.starts_with("error"));
            assert_eq!(errors.count(), 1, "{}", ran.err);
        }
    }
}

#[test]
fn paths_in_a_simulation_file_are_relative_to_that_file() {
    let room = Room::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = |name: &str| {
        let to = room.path().join("scenes").join(name);
        std::fs::create_dir_all(to.parent().expect("a directory")).expect("a directory");
        std::fs::copy(root.join("scenes").join(name), to).expect("a file");
    };
    copy("aibo.ron");
    copy("aibo.robray");
    for file in ["CONNECT.CFG", "OBJECT.CFG"] {
        copy(&format!("sticks/aibo/OPEN-R/MW/CONF/{file}"));
    }
    let states: Vec<String> = [
        ("", "scenes/aibo.ron"),
        ("scenes", "aibo.ron"),
        ("scenes/sticks", "../aibo.ron"),
    ]
    .into_iter()
    .map(|(directory, file)| {
        let log = room.path().join("out/aibo/aibo.pose.csv");
        std::fs::remove_file(&log).ok();
        let child = start(&room.path().join(directory), &[file, "--steps", "10"]);
        let ran = ended(child, Duration::from_secs(120)).with_code(0);
        assert!(
            log.is_file(),
            "the log is where the file says, from {directory}"
        );
        let state = ran.out.lines().find(|line| line.starts_with("state "));
        state.expect("a state").to_owned()
    })
    .collect();
    assert!(states.windows(2).all(|two| two[0] == two[1]), "{states:?}");
    // Arguments are relative to the working directory.
    let scenes = room.path().join("scenes");
    let arguments = ["aibo.ron", "--steps", "10", "--output", "csv:logs"];
    ended(start(&scenes, &arguments), Duration::from_secs(120)).with_code(0);
    assert!(scenes.join("logs/aibo.pose.csv").is_file());
}
