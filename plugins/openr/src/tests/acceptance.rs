//! Acceptance tests on files of a stick: the exchange of two objects, and the shapes of `stub.cfg` in the samples.
use std::{fs, path::Path};

use super::*;
use crate::{
    files::{
        problem::{Parsed, parse_as},
        stub,
    },
    service::Interface,
    stick::Stick,
};

fn write(root: &Path, path: &str, text: &str) {
    let file = root.join("OPEN-R/MW").join(path);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(file, text).expect("a file");
}

#[test]
fn two_objects_of_a_stick_exchange_two_messages_and_three_credits() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path();
    let objects = "/MS/OPEN-R/MW/OBJS/SPEAKER.BIN\n/MS/OPEN-R/MW/OBJS/LISTENER.BIN\n";
    write(root, "CONF/OBJECT.CFG", objects);
    write(
        root,
        "CONF/CONNECT.CFG",
        "Speaker.Word.char.S Listener.Word.char.O\n",
    );
    let stub = "ObjectName : Speaker\nNumOfOSubject : 1\nNumOfOObserver : 1\n\
                Service : \"Speaker.Word.char.S\", null, Ready()\n\
                Service : \"Speaker.Dummy.DoNotConnect.O\", null, null\n";
    write(root, "OBJS/SPEAKER/stub.cfg", stub);
    let stub = "ObjectName : Listener\nNumOfOSubject : 1\nNumOfOObserver : 1\n\
                Service : \"Listener.Dummy.DoNotConnect.S\", null, null\n\
                Service : \"Listener.Word.char.O\", null, Notify()\n";
    write(root, "OBJS/LISTENER/stub.cfg", stub);
    let contents = Stick::open(root).expect("a stick").contents("ERS-7");
    assert!(contents.problems.is_empty(), "{:?}", contents.problems);
    let notes = Notes::default();
    let (ready, heard) = (notes.clone(), notes.clone());
    let mut words = ["Good morning", "Good night"].into_iter();
    let speaker = Scripted::default().ready(move |context, _| {
        ready.add("ready");
        if let Some(word) = words.next() {
            context.set_data(0, word);
            context.notify_observers(0);
        }
    });
    let listener = Scripted::default().notify(move |context, event| {
        heard.add(event.data[0].text());
        context.assert_ready(event.observer);
    });
    let interface = |index: usize| {
        contents.objects[index]
            .interface
            .clone()
            .expect("a stub.cfg")
    };
    let objects = vec![
        ObjectInstance::new(interface(0), speaker),
        ObjectInstance::new(interface(1), listener),
    ];
    let mut system = boot(objects, &contents.connections);
    system.advance(100 * MS);
    let expected = ["ready", "Good morning", "ready", "Good night", "ready"];
    assert_eq!(notes.all(), expected);
    assert!(system.take_warnings().is_empty() && system.take_faults().is_empty());
}

/// Objects of the robot's samples and of teams, by their shapes: number of subjects, of observers, and of extra entries, and
/// number of services with handlers of connections and of events.
#[rustfmt::skip]
const SHAPES: [(&str, usize, usize, usize, usize, usize); 51] = [
    ("BlinkingHead", 1, 1, 0, 0, 1), ("BlinkingTail", 1, 1, 0, 0, 1), ("MovingLegs", 1, 1, 0, 0, 1),
    ("MovingLegs7", 1, 1, 0, 0, 1), ("MovingHead", 2, 1, 0, 0, 2), ("MovingHead7", 2, 2, 0, 0, 3),
    ("MovingEars", 1, 1, 0, 0, 1), ("MovingEars7", 1, 1, 0, 0, 1), ("Gains", 1, 1, 0, 0, 2),
    ("Gains7", 1, 1, 0, 0, 2), ("Sensors", 1, 1, 0, 0, 1), ("Sensors7", 1, 1, 0, 0, 1),
    ("BallTracking", 2, 3, 0, 0, 4), ("BallTracking7", 2, 3, 0, 1, 5), ("Images", 1, 1, 0, 0, 1),
    ("Images7", 1, 1, 0, 0, 1), ("Colours", 1, 2, 0, 0, 2), ("FaceLights", 1, 1, 0, 0, 1),
    ("Speaker", 1, 1, 0, 1, 2), ("Listener", 1, 1, 0, 1, 2), ("Speaker1", 1, 1, 0, 1, 1),
    ("Speaker2", 1, 1, 0, 1, 1), ("Listener1", 1, 1, 0, 1, 1), ("Listener2", 1, 1, 0, 1, 1),
    ("Listener3", 1, 2, 0, 1, 2), ("Melody", 1, 1, 0, 0, 1), ("Recorder", 1, 1, 0, 0, 1),
    ("Player", 2, 1, 0, 0, 2), ("Echo", 1, 1, 5, 0, 0), ("EchoUdp", 1, 1, 4, 0, 0),
    ("Client", 1, 1, 4, 0, 0), ("Web", 1, 1, 6, 0, 1), ("Names", 1, 1, 2, 0, 0),
    ("Power", 1, 1, 1, 0, 0), ("Battery", 1, 1, 1, 0, 0), ("Shutdown", 1, 1, 1, 0, 0),
    ("Manager", 3, 2, 0, 2, 5), ("MotionAgent", 2, 2, 0, 1, 4), ("SoundAgent", 2, 2, 0, 1, 4),
    ("Commander", 1, 1, 0, 0, 2), ("Files", 1, 1, 0, 0, 0), ("Memory", 1, 1, 0, 0, 2),
    ("Clock", 1, 1, 0, 0, 0), ("Crash", 1, 1, 0, 0, 0), ("Vision", 9, 9, 4, 3, 18),
    ("Actuator", 8, 5, 0, 2, 13), ("Wireless", 6, 6, 7, 1, 12), ("Game", 3, 1, 3, 0, 4),
    ("Sound", 1, 1, 0, 0, 2), ("Everything", 8, 11, 7, 4, 19), ("Effects", 5, 2, 0, 0, 7),
];

/// Returns the text of a `stub.cfg` of a shape, in one of the ways in which people write it.
fn text(number: usize) -> String {
    let (name, subjects, observers, extras, connections, events) = SHAPES[number];
    // Of the two keys of a count both are in use, as are blanks, tabs, comments and line ends of all kinds.
    let [subject_key, observer_key] = match number % 2 {
        0 => ["NumOfOSubject", "NumOfOObserver"],
        _ => ["NumOfSubject", "NumOfObserver"],
    };
    let comma = [", ", ",", " ,\t", ",   "][number % 4];
    let colon = [" : ", ":", "\t:\t"][number % 3];
    let end = ["\n", "\r\n"][number / 2 % 2];
    let mut lines = vec![
        ["// An object.", "# An object.", "", "  "][number % 4].to_owned(),
        format!("ObjectName{colon}{name}"),
        format!("{subject_key}{colon}{subjects}"),
        format!("  {observer_key}{colon}{observers}"),
    ];
    let handler = |is_there: bool, what: &str, index: usize| match is_there {
        true => format!("{what}{index}()"),
        false => "null".to_owned(),
    };
    for index in 0..subjects + observers {
        let (side, about, event) = match index < subjects {
            true => ('S', "Control", "Ready"),
            false => ('O', "Connect", "Notify"),
        };
        // The first field need not be the name of the object.
        let object = if number.is_multiple_of(5) {
            "Other"
        } else {
            name
        };
        let first = handler(index < connections, about, index);
        let second = handler(index < events, event, index);
        lines.push(format!(
            "Service{colon}\"{object}.Service{index}.Data{index}.{side}\"{comma}{first}{comma}{second}"
        ));
    }
    lines.extend((0..extras).map(|at| format!("Extra{colon}Entry{at}()")));
    lines.join(end) + end
}

fn parse(text: &str) -> (Parsed<Interface>, Vec<String>) {
    parse_as("stub.cfg", text, stub::parse)
}

#[test]
fn the_shapes_of_all_samples_parse() {
    for (number, (name, subjects, observers, extras, connections, events)) in
        SHAPES.into_iter().enumerate()
    {
        let (parsed, reported) = parse(&text(number));
        assert!(reported.is_empty(), "{name}: {reported:?}");
        let interface = parsed.value;
        assert_eq!(interface.object, name);
        let services = || interface.subjects.iter().chain(&interface.observers);
        let counts = [
            interface.subjects.len(),
            interface.observers.len(),
            interface.extras.len(),
            services()
                .filter(|service| service.hears_connections)
                .count(),
            services().filter(|service| service.hears_events).count(),
        ];
        assert_eq!(
            counts,
            [subjects, observers, extras, connections, events],
            "{name}"
        );
    }
}

#[test]
fn mutations_of_all_samples_are_errors_with_their_lines() {
    let mut count = 0;
    for (number, (name, ..)) in SHAPES.into_iter().enumerate() {
        let good = text(number);
        let lines: Vec<&str> = good.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let is = |key: &str| line.trim_start().starts_with(key);
            let digits = |line: &str| {
                line.trim_end()
                    .chars()
                    .rev()
                    .take_while(char::is_ascii_digit)
                    .count()
            };
            let mut wrong = Vec::new();
            if is("NumOf") {
                // One more than there are; none; no number.
                let kept = &line.trim_end()[..line.trim_end().len() - digits(line)];
                wrong.extend([
                    format!("{kept}77"),
                    format!("{kept}0"),
                    format!("{kept}two"),
                ]);
            }
            if is("Service") {
                wrong.push(line.replacen(".S\"", ".Q\"", 1).replacen(".O\"", ".Q\"", 1));
                wrong.push(line.replacen('"', "", 1));
                wrong.push(line.rsplit_once(',').expect("handlers").0.to_owned());
                if line.contains("()") {
                    wrong.push(line.replacen("()", "", 1));
                    wrong.push(line.replacen("()", "(x)", 1));
                }
            }
            if is("Extra") {
                wrong.extend([line.replace("()", ""), line.replace("()", " ()")]);
            }
            for wrong in wrong {
                let mut mutated = lines.clone();
                mutated[index] = &wrong;
                let (parsed, reported) = parse(&mutated.join("\n"));
                let line = format!("stub.cfg:{}:", index + 1);
                assert!(parsed.has_errors(), "{name}: {wrong}");
                assert!(
                    reported.iter().any(|text| text.starts_with(&line)),
                    "{name}: {wrong}: {reported:?}"
                );
                count += 1;
            }
        }
    }
    println!("{count} mutations");
    assert!(count > 1000);
}
