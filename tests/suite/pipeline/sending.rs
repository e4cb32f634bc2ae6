//! Order in which a middleware sends readings, and the ticks in which clients of MORSE's protocol are served.
use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    time::Duration,
};

use bevy::prelude::Reflect;
use morse_api::middleware::{AddMiddleware as _, Failure, Middleware, MiddlewareContext, Running};
use morse_sim::{
    Simulation,
    simulation::{keep, no_extensions},
};
use serde::Deserialize;

/// A middleware that reports the readings it sends.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
struct Teller {}

/// No settings.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
struct Nothing {}

struct Told(Vec<String>);

impl Running for Told {
    fn failure(&mut self) -> Option<Failure> {
        None
    }

    fn notices(&self) -> Vec<String> {
        self.0.clone()
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        Ok(())
    }
}

impl Middleware for Teller {
    const KIND: &'static str = "teller";
    type Output = Nothing;
    type Input = Nothing;

    fn start(
        &self,
        context: MiddlewareContext<Nothing, Nothing>,
    ) -> Result<Box<dyn Running>, Failure> {
        let outputs = context.outputs.iter();
        let paths = outputs.map(|(observer, _)| observer.info.path.to_string());
        Ok(Box::new(Told(paths.collect())))
    }
}

#[test]
fn in_the_motion_of_morse_what_was_created_last_is_sent_first() {
    let teller = keep(|app| {
        app.add_middleware::<Teller>();
    });
    for (motion, expected) in [
        ("default", ["a.x", "b.x", "b.y", "b.z"]),
        ("morse", ["a.x", "b.z", "b.x", "b.y"]),
    ] {
        let text = format!(
            r#"Simulation(
                environment: (motion: {motion}),
                robots: {{
                    "b": (model: "robots/atrv.robray", sensors: {{
                        "y": (kind: "pose", outputs: {{ "teller": () }}),
                        "x": (kind: "gps", outputs: {{ "teller": () }}),
                        "z": (kind: "clock", outputs: {{ "teller": () }}),
                    }}),
                    "a": (model: "robots/atrv.robray", sensors: {{
                        "x": (kind: "pose", outputs: {{ "teller": () }}),
                    }}),
                }},
                middlewares: {{ "teller": (kind: "teller") }},
            )"#
        );
        let simulation = Simulation::parse(&text, ".", teller).unwrap();
        assert_eq!(simulation.notices(), expected, "{motion}");
    }
}

fn rover(motion: &str) -> Simulation {
    let text = format!(
        r#"Simulation(
            scene: "environments/empty.robray",
            environment: (motion: {motion}),
            robots: {{ "rover": (
                model: "robots/atrv.robray", at: (translation: (0, 0, 0.1)),
                sensors: {{ "pose": (kind: "pose", outputs: {{ "socket": () }}) }},
                actuators: {{ "motion": (kind: "v_omega", inputs: {{ "socket": () }}) }},
            ) }},
            middlewares: {{ "socket": (kind: "socket", port: 0, streams: 0) }},
        )"#
    );
    Simulation::parse(&text, ".", &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

fn connect(simulation: &Simulation, what: &str) -> TcpStream {
    let ports = simulation.ports();
    let port = ports.iter().find(|(_, known, _)| known == what);
    let stream = TcpStream::connect(("127.0.0.1", port.expect("a port").2)).expect("a server");
    stream.set_nodelay(true).expect("a socket");
    let patience = Some(Duration::from_secs(20));
    stream.set_read_timeout(patience).expect("a socket");
    stream
}

/// Returns the number of ticks until the robot moves.
fn ticks_until_it_drives(simulation: &mut Simulation) -> u64 {
    let first = simulation.tick();
    for _ in 0..10 {
        // The server receives it, and has the state of the previous tick.
        std::thread::sleep(Duration::from_millis(150));
        simulation.step().expect("a tick");
        let body = simulation.body("rover").expect("a rover");
        if body.linear_velocity.x > 0.05 {
            break;
        }
    }
    simulation.tick() - first
}

#[test]
fn in_the_motion_of_morse_who_connects_to_an_actuator_is_heard_a_tick_later() {
    for (motion, first) in [("default", 1), ("morse", 2)] {
        let mut simulation = rover(motion);
        simulation.run(3).unwrap();
        let mut client = connect(&simulation, "rover.motion");
        client.write_all(b"{\"v\": 1}\n").unwrap();
        assert_eq!(ticks_until_it_drives(&mut simulation), first, "{motion}");
        client.write_all(b"{\"v\": 0}\n").unwrap();
        std::thread::sleep(Duration::from_millis(150));
        simulation.run(60).unwrap();
        client.write_all(b"{\"v\": 1}\n").unwrap();
        assert_eq!(ticks_until_it_drives(&mut simulation), 1, "{motion}");
        // A client may disconnect at once after its last line.
        client.write_all(b"{\"v\": 0}\n").unwrap();
        std::thread::sleep(Duration::from_millis(150));
        simulation.run(60).unwrap();
        let mut client = connect(&simulation, "rover.motion");
        client.write_all(b"{\"v\": 1}\n").unwrap();
        drop(client);
        assert_eq!(ticks_until_it_drives(&mut simulation), first, "{motion}");
    }
}

#[test]
fn in_the_motion_of_morse_a_tick_is_answered_after_its_data() {
    let mut simulation = rover("morse");
    let mut readings = BufReader::new(connect(&simulation, "rover.pose"));
    let mut client = connect(&simulation, "requests");
    let mut replies = BufReader::new(client.try_clone().unwrap());
    std::thread::sleep(Duration::from_millis(150));
    for tick in 1..=20 {
        client.write_all(b"1 time now\n").unwrap();
        std::thread::sleep(Duration::from_millis(20));
        simulation.serve(Duration::from_millis(5));
        simulation.step().unwrap();
        let mut reply = String::new();
        replies.read_line(&mut reply).unwrap();
        let now: f64 = reply.trim().rsplit(' ').next().unwrap().parse().unwrap();
        assert!((now * 60.0 - f64::from(tick)).abs() < 1e-6, "{reply}");
        // Data sent before have arrived, and there is no need to wait for them.
        readings.get_ref().set_nonblocking(true).unwrap();
        let mut reading = String::new();
        readings.read_line(&mut reading).unwrap();
        let reading: serde_json::Value = serde_json::from_str(&reading).unwrap();
        let stamp = reading["timestamp"].as_f64().unwrap();
        assert!((stamp - now).abs() < 1e-6, "{stamp} {now}");
    }
}
