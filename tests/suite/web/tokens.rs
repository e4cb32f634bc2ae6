//! The token of the page: on the command line, in a file, or in the environment.
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// Starts the program in a folder with files `token` and `empty`.
fn program(room: &Path, variable: &str, arguments: &[&str]) -> Command {
    std::fs::write(room.join("token"), "s3cret\n").unwrap();
    std::fs::write(room.join("empty"), " \n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_morse-sim"));
    command
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/drop.ron"))
        .args(["--serve", "0"])
        .args(arguments)
        .current_dir(room)
        .env("MORSE_TOKEN", variable)
        .stdout(Stdio::null());
    command
}

/// It is killed whatever the result of the test is.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn port(room: &Path) -> u16 {
    for _ in 0..3000 {
        if let Ok(text) = std::fs::read_to_string(room.join("ports")) {
            let ports: serde_json::Value = serde_json::from_str(&text).unwrap();
            return ports[0]["port"].as_u64().unwrap().try_into().unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it does not serve");
}

/// Returns the status of the answer to a browser with a token.
fn status(port: u16, token: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let request = format!("GET /?token={token} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    String::from_utf8_lossy(&head[9..]).into_owned()
}

#[test]
fn the_token_is_given_in_three_ways() {
    for (variable, arguments, right) in [
        ("", &["--token", "s3cret"][..], Some("s3cret")),
        ("", &["--token-file", "token"], Some("s3cret")),
        ("fr0m-env", &[], Some("fr0m-env")),
        ("fr0m-env", &["--token-file", "token"], Some("s3cret")),
        ("", &[], None),
    ] {
        let room = tempfile::tempdir().unwrap();
        let mut command = program(room.path(), variable, arguments);
        let command = command.args(["--port-file", "ports"]).stderr(Stdio::null());
        let running = Ended(command.spawn().unwrap());
        let port = port(room.path());
        let wrong = if right.is_some() { "403" } else { "200" };
        assert_eq!(status(port, "wrong"), wrong, "{variable} {arguments:?}");
        if let Some(right) = right {
            assert_eq!(status(port, right), "303", "{variable} {arguments:?}");
        }
        drop(running);
    }
}

#[test]
fn a_token_that_cannot_be_had_is_2() {
    for (variable, arguments, words) in [
        (
            "",
            &["--token-file", "nowhere"][..],
            "`nowhere` cannot be read",
        ),
        ("", &["--token-file", "empty"], "`empty` is empty"),
        (
            "",
            &["--token-file", "token", "--token", "a"],
            "cannot be used with",
        ),
        ("fr0m-env", &["--token-file", "empty"], "`empty` is empty"),
    ] {
        let room = tempfile::tempdir().unwrap();
        let mut command = program(room.path(), variable, arguments);
        let output = command.args(["--steps", "1"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
}
