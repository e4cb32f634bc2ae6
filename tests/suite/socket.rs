//! MORSE's socket protocol, with plain TCP clients.
#![cfg(test)]
mod crowd;
mod morse;
mod out_of_range;
mod ticks;

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use morse_sim::{
    Simulation,
    run::{End, Limits, Pace, Summary, run},
    simulation::no_extensions,
};
use serde_json::{Value as Json, json};

/// A simulation on its own thread, and the access to its ports.
struct Served {
    ports: Vec<(String, String, u16)>,
    signal: Arc<AtomicUsize>,
    thread: Option<JoinHandle<(Summary, End)>>,
}

impl Served {
    fn new(text: &str, pace: Pace) -> Self {
        let (send, ports) = crossbeam_channel::bounded(1);
        let signal = Arc::new(AtomicUsize::new(0));
        let limits = Limits {
            ticks: None,
            timeout: None,
            pace,
            signal: signal.clone(),
            strict: false,
        };
        let text = text.to_owned();
        let thread = std::thread::Builder::new().spawn(move || {
            let mut simulation = Simulation::parse(&text, "scenes", &no_extensions)
                .unwrap_or_else(|error| panic!("{error}"));
            simulation.hash_every_tick();
            send.send(simulation.ports()).unwrap();
            run(simulation, &limits, &mut |_| {})
        });
        Self {
            ports: ports.recv_timeout(Duration::from_secs(60)).unwrap(),
            signal,
            thread: thread.ok(),
        }
    }

    fn connect(&self, what: &str) -> Client {
        let port = self.ports.iter().find(|(_, known, _)| known == what);
        Client::new(port.unwrap_or_else(|| panic!("{:?}", self.ports)).2)
    }

    fn end(mut self) -> (Summary, End) {
        self.signal.store(15, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

/// A client that exchanges lines.
struct Client {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Client {
    fn new(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream.set_nodelay(true).unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap());
        Self { stream, lines }
    }

    fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    /// Returns the next line, without its end; empty when the server has closed.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line.trim_end_matches('\n').to_owned()
    }

    fn ask(&mut self, request: &str) -> String {
        self.send(&format!("{request}\n"));
        self.line()
    }

    fn json(&mut self) -> Json {
        serde_json::from_str(&self.line()).unwrap()
    }
}

const ROVER: &str = r#"Simulation(
    robots: { "rover": (
        model: "robots/atrv.robray", at: (translation: (0, 0, 0.1)),
        services: ["socket"],
        sensors: {
            "pose": (kind: "pose", frequency: 30, outputs: { "socket": () }, services: ["socket"]),
            "quiet": (kind: "pose"),
        },
        actuators: {
            "motion": (kind: "v_omega", inputs: { "socket": () }, services: ["socket"]),
            "way": (kind: "waypoint", services: ["socket"], active: false),
        },
    ) },
    middlewares: { "socket": (kind: "socket", port: 0, streams: 0) },
)"#;

/// Requests to an object are answered through the middlewares that it names, and no others.
#[test]
fn objects_answer_where_they_say() {
    let text = r#"Simulation(
        scene: "boxes.robray",
        bodies: { "RedBox": (kind: dynamic), "BlueBox": (kind: dynamic) },
        objects: {
            "RedBox": (properties: { "Injured": true, "Severity": 3 }, services: ["socket"]),
            "BlueBox": (properties: { "Injured": true }),
        },
        middlewares: { "socket": (kind: "socket", port: 0, streams: 0) },
    )"#;
    let served = Served::new(text, Pace::RealTime(1.0));
    let mut client = served.connect("requests");
    assert_eq!(client.ask("a RedBox heal"), "a SUCCESS");
    let refused = client.ask("b BlueBox heal");
    assert!(refused.starts_with("b FAILED"), "{refused}");
    served.end();
    let wrong = text.replace("services: [\"socket\"]", "services: [\"sockt\"]");
    let error = match Simulation::parse(&wrong, "scenes", &no_extensions) {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    };
    assert!(
        error.contains("there is no middleware `sockt`") && error.contains("did you mean `socket`"),
        "{error}"
    );
}

/// A sensor without an export has no data; zeros would look like a measurement.
#[test]
fn nothing_is_no_data() {
    let never = r#""quiet": (kind: "pose", services: ["socket"], modifiers: [(kind: "dropout", probability: 1)])"#;
    let text = ROVER.replace(r#""quiet": (kind: "pose")"#, never);
    let served = Served::new(&text, Pace::RealTime(1.0));
    let mut client = served.connect("requests");
    let refused = client.ask("a rover.quiet get_local_data []");
    let expected = "a FAILED \"`rover.quiet` has exported nothing yet";
    assert!(refused.starts_with(expected), "{refused}");
    served.end();
}

#[test]
fn requests_are_answered() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let mut client = served.connect("requests");
    assert_eq!(client.ask("a rover.motion set_speed [0.5, 0]"), "a SUCCESS");
    let pose = client.ask("b rover.pose get_local_data");
    assert!(
        pose.starts_with("b SUCCESS {") && pose.contains("\"yaw\": "),
        "{pose}"
    );
    let ports = client.ask("c simulation get_all_stream_ports []");
    let ports: Json = serde_json::from_str(ports.strip_prefix("c SUCCESS ").unwrap()).unwrap();
    assert_eq!(ports.as_object().unwrap().len(), 2);
    assert_eq!(
        client.ask("d simulation list_streams"),
        r#"d SUCCESS ["rover.motion", "rover.pose"]"#
    );
    assert_eq!(
        client.ask(r#"e simulation get_stream_port ["rover.pose"]"#),
        format!("e SUCCESS {}", ports["rover.pose"])
    );
    let text = "has not been registered in Socket service manager";
    for (request, expected) in [
        ("f rover.motion halt", text),
        ("f rover.quiet get_local_data", text),
        (
            "f rover.motion set_speed [1]",
            "wrong # of parameters for service set_speed. ",
        ),
        (
            "f rover.motion set_speed [1, \"a\"]",
            "wrong parameter type for service set_speed. ",
        ),
        ("f rover.motion set_speed [1,", "Invalid request syntax"),
        ("f rover.motion", "Malformed request"),
    ] {
        let reply = client.ask(request);
        assert!(
            reply.starts_with("f FAILED \"") && reply.contains(expected),
            "{reply}"
        );
    }
    assert!(matches!(served.end().1, End::Signal(15)));
}

#[test]
fn requests_may_come_in_pieces_and_in_heaps() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let mut client = served.connect("requests");
    for piece in [
        "0 rover.",
        "motion set_sp",
        "eed [1.0",
        ", 0.0]\n1 rover.motion stop\n2 ro",
    ] {
        client.send(piece);
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(client.line(), "0 SUCCESS");
    assert_eq!(client.line(), "1 SUCCESS");
    assert_eq!(client.ask("ver.motion stop"), "2 SUCCESS");
    // More simultaneous requests than the simulation's queue holds, each answered.
    let heap: String = (0..3000)
        .map(|id| format!("{id} rover.motion stop []\n"))
        .collect();
    client.send(&heap);
    let mut ids: Vec<u32> = (0..3000)
        .map(|_| {
            client
                .line()
                .strip_suffix(" SUCCESS")
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..3000));
    served.end();
}

#[test]
fn readings_are_streamed_and_commands_are_taken() {
    let text = ROVER.replace(
        "robots: {",
        "scene: \"environments/empty.robray\", robots: {",
    );
    let served = Served::new(&text, Pace::RealTime(1.0));
    let mut pose = served.connect("rover.pose");
    let mut motion = served.connect("rover.motion");
    let first = pose.json();
    let fields: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["timestamp", "x", "y", "z", "yaw", "pitch", "roll"]);
    // The missing field keeps its value.
    motion.send("{\"w\": 0.0, \"v\": 1.0}\n{\"timestamp\": 1.0, \"v\": 2.0}\n");
    let mut last = pose.json();
    for _ in 0..40 {
        let next = pose.json();
        let step = next["timestamp"].as_f64().unwrap() - last["timestamp"].as_f64().unwrap();
        assert!((step - 1.0 / 30.0).abs() < 1e-6, "{step}");
        last = next;
    }
    let gone = last["x"].as_f64().unwrap() - first["x"].as_f64().unwrap();
    assert!((1.5..2.8).contains(&gone), "{gone}");
    // Bad commands are dropped, and the simulation continues.
    motion.send("{\"v\": NaN}\n{\"v\": \"fast\"}\n{\"speed\": 1}\n[1]\nv=1\n\n{\"v\": 1e999}\n");
    motion.send("{\"v\": 0}\n");
    for _ in 0..30 {
        last = pose.json();
    }
    assert!((pose.json()["x"].as_f64().unwrap() - last["x"].as_f64().unwrap()).abs() < 1e-6);
    served.end();
}

#[test]
fn an_async_request_is_cancelled_by_its_id() {
    let served = Served::new(ROVER, Pace::RealTime(1.0));
    let (mut client, mut other) = (served.connect("requests"), served.connect("requests"));
    client.send("0 rover.way goto [30.0, 0.0, 0.0]\n");
    std::thread::sleep(Duration::from_millis(100));
    // Each client has its own ids.
    other.send("0 cancel\nunknown cancel\n");
    assert_eq!(other.ask("1 rover.motion stop"), "1 SUCCESS");
    client.send("0 cancel\n");
    assert_eq!(client.line(), "0 PREEMPTED");
    served.end();
}

#[test]
fn a_client_may_hold_the_ticks() {
    let text = ROVER.replace("streams: 0", "streams: 0, time_sync: true, sync_port: 0");
    let served = Served::new(&text, Pace::Max);
    let mut sync = served.connect("sync");
    let mut client = served.connect("requests");
    std::thread::sleep(Duration::from_millis(200));
    let now = |client: &mut Client| client.ask("0 rover.quiet2 nothing");
    now(&mut client);
    let mut pose = served.connect("rover.pose");
    std::thread::sleep(Duration::from_millis(200));
    let mut stamps = Vec::new();
    for _ in 0..20 {
        sync.send("x");
        std::thread::sleep(Duration::from_millis(5));
    }
    for _ in 0..9 {
        stamps.push(pose.json()["timestamp"].as_f64().unwrap());
    }
    let span = stamps.last().unwrap() - stamps.first().unwrap();
    assert!((span - 8.0 / 30.0).abs() < 1e-6, "{stamps:?}");
    // Nothing more arrives within twenty ticks.
    pose.stream
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let mut more = 0;
    let mut line = String::new();
    while pose.lines.read_line(&mut line).is_ok_and(|count| count > 0) {
        more += 1;
    }
    assert!(more <= 1, "{more}");
    drop(sync);
    pose.stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    assert!(!pose.line().is_empty(), "it runs free again");
    served.end();
}

#[test]
fn hash_is_the_same_with_clients() {
    let run_to = |is_watched: bool| {
        let mut simulation = Simulation::parse(ROVER, "scenes", &no_extensions).unwrap();
        simulation.hash_every_tick();
        let ports = simulation.ports();
        let clients: Vec<Client> = ports
            .iter()
            .filter(|(_, what, _)| is_watched && what == "rover.pose")
            .map(|(_, _, port)| Client::new(*port))
            .collect();
        simulation.run(120).unwrap();
        drop(clients);
        simulation.state_hash()
    };
    assert_eq!(run_to(true), run_to(false));
}

#[test]
fn other_machines_need_a_token() {
    let open = |middleware: &str| {
        let text = format!("Simulation(middlewares: {{ \"socket\": ({middleware}) }})");
        Simulation::parse(&text, ".", &no_extensions)
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let error = open(r#"kind: "socket", port: 0, listen: "0.0.0.0""#).unwrap_err();
    assert!(error.contains("token"), "{error}");
    let error = open(r#"kind: "socket", port: 0, listen: "here""#).unwrap_err();
    assert!(error.contains("invalid IP address `here`"), "{error}");
    let text = ROVER.replace("port: 0,", "port: 0, token: \"sesame\",");
    let served = Served::new(&text, Pace::RealTime(1.0));
    let mut stranger = served.connect("requests");
    stranger.send("0 rover.motion stop\n");
    assert_eq!(stranger.line(), r#" FAILED "the token is wrong""#);
    assert_eq!(stranger.line(), "");
    let mut friend = served.connect("requests");
    friend.send("token sesame\n");
    assert_eq!(friend.ask("0 rover.motion stop"), "0 SUCCESS");
    served.end();
}

#[test]
fn a_busy_port_is_named() {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let text = ROVER.replace("port: 0,", &format!("port: {port},"));
    let error = Simulation::parse(&text, ".", &no_extensions)
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains(&format!("127.0.0.1:{port}")), "{error}");
    assert_eq!(json!(port), port);
}

/// Starts the program on a simulation file, with its ports in `ports.json`.
fn program(folder: &std::path::Path, text: &str) -> std::process::Child {
    std::fs::write(folder.join("main.ron"), text).unwrap();
    std::process::Command::new(env!("CARGO_BIN_EXE_morse-sim"))
        .args(["main.ron", "--port-file", "ports.json"])
        .current_dir(folder)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_client_that_holds_the_ticks_and_falls_silent_ends_the_run_with_code_5() {
    let folder = tempfile::tempdir().unwrap();
    let sync = "streams: 0, time_sync: true, sync_port: 0, sync_timeout: 0.3";
    let child = program(folder.path(), &ROVER.replace("streams: 0", sync));
    let file = folder.path().join("ports.json");
    let ports = (0..400).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        let text = std::fs::read_to_string(&file).ok()?;
        serde_json::from_str::<Json>(&text).ok()
    });
    let ports = ports.expect("a port file");
    let mut open = ports.as_array().expect("a list").iter();
    let port = open.find(|port| port["what"] == "sync");
    let port = port
        .and_then(|port| port["port"].as_u64())
        .expect("the sync port");
    let silent = TcpStream::connect(("127.0.0.1", u16::try_from(port).unwrap())).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(silent);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("sync port sent nothing"), "{said}");
}

#[test]
fn a_busy_port_ends_the_program_with_code_3() {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let folder = tempfile::tempdir().unwrap();
    let child = program(
        folder.path(),
        &ROVER.replace("port: 0,", &format!("port: {port},")),
    );
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains(&format!("127.0.0.1:{port}")), "{said}");
}
