//! Tests of when command vectors start: waiting times and sync keys.
use super::*;
use crate::{
    body::{
        comm::{self, CommSettings},
        robots::open,
        vectors::{Command, CommandVector, Commands, Format},
    },
    sync::SyncKey,
};

/// Returns an object that sends one vector, made by a function, after a delay, ns.
fn sender(
    name: &str,
    delay: u64,
    make: impl Fn(&mut Context<'_>) -> CommandVector + Send + 'static,
) -> ObjectInstance {
    let object = Scripted::default()
        .init(|context| {
            context.set_motor_power(true);
            Status::SUCCESS
        })
        .start(move |context| {
            context.wake_after(delay, 0);
            Status::SUCCESS
        })
        .extra(move |context, _| {
            let vector = make(context);
            context.set_region(0, &vector.region());
            context.notify_observers(0);
        });
    let interface = Interface::new(name).subject("Move", "OCommandVectorData");
    ObjectInstance::new(interface.extra("Clock"), object)
}

/// Runs a second; returns the times at which the targets of two joints change, ms.
fn run(senders: Vec<ObjectInstance>) -> (Vec<(u64, String)>, Vec<String>) {
    let notes = Notes::default();
    let motor = {
        let notes = notes.clone();
        Scripted::default().notify(move |context, event| {
            let json = event.data[0].json().expect("JSON");
            let names = json["names"].as_array().expect("names").iter();
            let positions = json["positions"].as_array().expect("positions");
            for (name, position) in names.zip(positions) {
                if position.as_f64().is_some_and(|position| position != 0.0) {
                    notes.add(format!(
                        "{} {}",
                        context.now() / MS,
                        name.as_str().expect("a name")
                    ));
                }
            }
            context.assert_ready(0);
        })
    };
    let mut connections = vec![join(
        "OVirtualRobotComm.Motors.joints.S",
        "Motor.In.joints.O",
    )];
    for instance in &senders {
        let from = format!("{}.Move.OCommandVectorData.S", instance.interface.object);
        connections.push(join(
            &from,
            "OVirtualRobotComm.Effector.OCommandVectorData.O",
        ));
    }
    let mut all = vec![comm::object(&CommSettings::default())];
    all.push(ObjectInstance::new(
        Interface::new("Motor").observer("In", "joints"),
        motor,
    ));
    all.extend(senders);
    let mut system = boot(all, &connections);
    system.advance(1000 * MS);
    let times = notes.all();
    let times = times.iter().map(|note| {
        let (time, name) = note.split_once(' ').expect("two words");
        (time.parse().expect("ms"), name.to_owned())
    });
    let log = system.take_log().into_iter().map(|line| line.text);
    (times.collect(), log.collect())
}

fn joint(locator: &str) -> CommandVector {
    let id = open(locator).expect("a joint");
    CommandVector::new(vec![Commands::joint(id, [300_000])])
}

const LEFT: &str = "PRM:/r2/c1-Joint2:21";
const RIGHT: &str = "PRM:/r4/c1-Joint2:41";

#[test]
fn a_vector_waits_for_its_number_of_frames() {
    let waiting = |frames: u32| {
        let make = move |_: &mut Context<'_>| {
            let mut vector = joint(LEFT);
            vector.header.wait = frames;
            vector
        };
        let (times, log) = run(vec![sender("Left", 100 * MS, make)]);
        assert!(log.is_empty(), "{log:?}");
        times
    };
    let name = || "lf_j1".to_owned();
    assert_eq!(waiting(0), [(104, name())]);
    assert_eq!(waiting(5), [(144, name())]);
}

#[test]
fn vectors_of_one_sync_key_start_together() {
    let senders = |count: u32| {
        let left = move |context: &mut Context<'_>| {
            let key = context.new_sync_key().expect("a key");
            assert_eq!(key, SyncKey(1));
            context.divide_sync_key(key, count).expect("divisions");
            let mut vector = joint(LEFT);
            vector.header.sync_key = key.0;
            vector
        };
        let right = |_: &mut Context<'_>| {
            let mut vector = joint(RIGHT);
            vector.header.sync_key = 1;
            vector
        };
        vec![
            sender("Left", 100 * MS, left),
            sender("Right", 300 * MS, right),
        ]
    };
    let (times, log) = run(senders(2));
    assert_eq!(
        times,
        [(304, "lf_j1".to_owned()), (304, "rf_j1".to_owned())]
    );
    assert!(log.is_empty(), "{log:?}");
    // The third division never comes.
    let (times, _) = run(senders(3));
    assert!(times.is_empty(), "{times:?}");
}

#[test]
fn wrong_vectors_are_reported_and_give_a_credit() {
    for (change, expected) in [
        (
            (|vector| vector.header.sync_key = 9) as fn(&mut CommandVector),
            "invalid command vector: INVALID_SYNC_KEY (4107): 9",
        ),
        (
            |vector| vector.entries[0].primitive = 99,
            "invalid command vector: INVALID_PRIMITIVE_ID (4096): 99",
        ),
        (
            |vector| vector.entries[0].format = Format::Led2,
            "primitive 12 takes no commands of type 260",
        ),
    ] {
        let make = move |_: &mut Context<'_>| {
            let mut vector = joint(LEFT);
            change(&mut vector);
            vector
        };
        let (times, log) = run(vec![sender("Left", 0, make)]);
        assert!(times.is_empty() && log[0].contains(expected), "{log:?}");
    }
}

#[test]
fn ears_keep_their_states_for_their_periods() {
    let make = |_: &mut Context<'_>| {
        let state = |value, period| Command {
            value,
            mode: 0,
            period,
        };
        CommandVector::new(vec![Commands {
            primitive: open("PRM:/r1/c1/c2/c3/e5-Joint4:15").expect("an ear"),
            format: Format::Joint4,
            frames: vec![state(0, 10), state(1, 20), state(0, 1)],
        }])
    };
    let (times, _) = run(vec![sender("Ear", 0, make)]);
    // Raised from the eleventh frame on.
    assert_eq!(times, [(88, "left_ear".to_owned())]);
}

#[test]
fn lights_are_switched_when_their_commands_change() {
    let seen = Notes::default();
    let lamp = |name: &str| {
        let (seen, lamp) = (seen.clone(), name.to_owned());
        let object = Scripted::default().notify(move |context, event| {
            let json = event.data[0].json().expect("JSON");
            let intensity = json["intensity"].as_f64().expect("a number");
            let state = format!("{} {intensity:.3}", json["emit"]);
            seen.add(format!("{} {lamp} {state}", context.now() / MS));
            context.assert_ready(0);
        });
        ObjectInstance::new(Interface::new(name).observer("In", "light"), object)
    };
    let ids = ["PRM:/r1/c1/c2/c3/l2-LED2:l2", "PRM:/lu-LED3:lu"]
        .map(|locator| open(locator).expect("a light"));
    let blink = sender("Blink", 0, move |_| {
        let frames = |values: [i32; 3], mode| {
            values
                .map(|value| Command {
                    value,
                    mode,
                    period: 10,
                })
                .to_vec()
        };
        CommandVector::new(vec![
            Commands {
                primitive: ids[0],
                format: Format::Led2,
                frames: frames([1, 0, 1], 0),
            },
            Commands {
                primitive: ids[1],
                format: Format::Led3,
                frames: frames([40, 255, 0], 0),
            },
        ])
    });
    let settings = CommSettings {
        lights: ids.to_vec(),
        ..CommSettings::default()
    };
    let objects = vec![comm::object(&settings), lamp("White"), lamp("Blue"), blink];
    let lights = "OVirtualRobotComm.Lights.light.S";
    let connections = [
        join(lights, "White.In.light.O"),
        join(lights, "Blue.In.light.O"),
        join(
            "Blink.Move.OCommandVectorData.S",
            "OVirtualRobotComm.Effector.OCommandVectorData.O",
        ),
    ];
    boot(objects, &connections).advance(1000 * MS);
    assert_eq!(seen.all(), LIGHTS);
}

/// Times, ms, and states of lights with their intensities.
const LIGHTS: [&str; 6] = [
    "8 White true 1.000",
    "8 Blue true 0.157",
    "88 White false 0.000",
    "88 Blue true 1.000",
    "168 White true 1.000",
    "168 Blue false 0.000",
];
