//! `stub.cfg`: name, services and extra entries of an object.
//!
//! As in the original, an unrecognised line is a comment; a warning is reported if it probably is not meant as one.
use morse_diagnostics::SourceId;

use super::problem::{Line, Parsed, Problems, quoted, suggestion};
use crate::service::{Interface, Service, ServiceName, Side};

/// Maximum number of services of one object.
pub const MOST_SERVICES: usize = 4096;

const KEYS: [&str; 7] = [
    "ObjectName",
    "NumOfOSubject",
    "NumOfSubject",
    "NumOfOObserver",
    "NumOfObserver",
    "Service",
    "Extra",
];

/// Declarations of a file: its interface, and the declared counts with their positions.
#[derive(Default)]
struct Draft<'a> {
    interface: Interface,
    subjects: Option<(usize, Line<'a>)>,
    observers: Option<(usize, Line<'a>)>,
    is_full: bool,
}

/// Parses a `stub.cfg`.
#[must_use]
pub fn parse(source: SourceId, text: &str) -> Parsed<Interface> {
    let mut problems = Problems::new(source);
    let mut draft = Draft::default();
    let mut last = Line::default();
    for line in problems.lines(text) {
        last = line;
        draft.read(line, &mut problems);
        if draft.is_full {
            break;
        }
    }
    if !draft.is_full {
        draft.finish(last, &mut problems);
    }
    problems.with(draft.interface)
}

impl<'a> Draft<'a> {
    fn read(&mut self, line: Line<'a>, problems: &mut Problems) {
        let text = line.text.trim();
        let split = text.split_once(':');
        let split = split.map(|(key, value)| (key.trim(), value.trim()));
        match split {
            Some(("ObjectName", name)) => self.name(line, name, problems),
            Some(("NumOfOSubject" | "NumOfSubject", number)) => {
                self.subjects = count(line, number, problems).or(self.subjects);
            }
            Some(("NumOfOObserver" | "NumOfObserver", number)) => {
                self.observers = count(line, number, problems).or(self.observers);
            }
            Some(("Service", service)) => self.service(line, service, problems),
            Some(("Extra", entry)) => self.extra(line, entry, problems),
            other => ignored(line, text, other.map(|(key, _)| key), problems),
        }
    }

    fn name(&mut self, line: Line<'_>, name: &str, problems: &mut Problems) {
        if name.is_empty() || name.len() > 63 || name.contains(char::is_whitespace) {
            let message = format!("expected the name of an object, found {}", quoted(name));
            problems.error(
                line,
                name,
                message,
                "one word of up to 63 characters".to_owned(),
            );
        }
        name.clone_into(&mut self.interface.object);
    }

    fn service(&mut self, line: Line<'_>, text: &str, problems: &mut Problems) {
        let Some((name, rest)) = text.strip_prefix('"').and_then(|rest| rest.split_once('"'))
        else {
            let message = "the service's name is not in quotes".to_owned();
            let help = "write `Service : \"Object.Name.Type.S\", null, Ready()`".to_owned();
            return problems.error(line, text, message, help);
        };
        let name: ServiceName = match name.parse() {
            Ok(name) => name,
            Err(why) => return problems.error(line, name, why.to_string(), None),
        };
        let mut functions = rest.split(',').map(str::trim).skip(1);
        let (first, second) = (functions.next(), functions.next());
        let of = |text: Option<&str>, what, problems: &mut Problems| {
            let text = text.unwrap_or_default();
            handler(text).unwrap_or_else(|| {
                let message = if text.is_empty() {
                    format!("the {what} handler of `{name}` is missing")
                } else {
                    format!("{} is no {what} handler", quoted(text))
                };
                let help = "write `null`, or a name followed by `()`".to_owned();
                problems.error(line, text, message, help);
                false
            })
        };
        let (about, event) = match name.side {
            Side::Subject => ("control", "ready"),
            Side::Observer => ("connect", "notify"),
        };
        let hears_connections = of(first, about, problems);
        let hears_events = of(second, event, problems);
        let list = match name.side {
            Side::Subject => &mut self.interface.subjects,
            Side::Observer => &mut self.interface.observers,
        };
        list.push(Service {
            name,
            hears_connections,
            hears_events,
        });
        self.bound(line, problems);
    }

    fn extra(&mut self, line: Line<'_>, text: &str, problems: &mut Problems) {
        match text.strip_suffix("()") {
            Some(name) if is_name(name) => self.interface.extras.push(name.to_owned()),
            _ => {
                let message = format!("expected a further entry, found {}", quoted(text));
                let help = "write a name followed by `()`, without a blank".to_owned();
                problems.error(line, text, message, help);
            }
        }
        self.bound(line, problems);
    }

    /// Reports an error if there are too many services.
    fn bound(&mut self, line: Line<'_>, problems: &mut Problems) {
        let Interface {
            subjects,
            observers,
            extras,
            ..
        } = &self.interface;
        if subjects.len() + observers.len() + extras.len() > MOST_SERVICES {
            let message = format!("more than {MOST_SERVICES} services and entries");
            problems.error(line, "", message, "split the object".to_owned());
            self.interface = Interface::default();
            self.is_full = true;
        }
    }

    /// Compares the declared counts with the actual ones.
    fn finish(&self, last: Line<'_>, problems: &mut Problems) {
        if self.interface.object.is_empty() {
            let message = "missing `ObjectName`".to_owned();
            problems.error(last, "", message, "write `ObjectName : Name`".to_owned());
        }
        let of = |list: &[Service]| list.len();
        let sides = [
            ("NumOfOSubject", self.subjects, of(&self.interface.subjects)),
            (
                "NumOfOObserver",
                self.observers,
                of(&self.interface.observers),
            ),
        ];
        for (key, stated, actual) in sides {
            match stated {
                None => {
                    let message = format!("there is no `{key}`");
                    problems.error(last, "", message, format!("write `{key} : {actual}`"));
                }
                Some((0, line)) => {
                    let message = format!("`{key}` is at least 1");
                    let help = "add a service such as \"X.Dummy.DoNotConnect.S\", null, null";
                    problems.error(line, "0", message, help.to_owned());
                }
                Some((stated, line)) if stated != actual => {
                    let message = format!("`{key}` is {stated}, and there are {actual} services");
                    problems.error(line, &stated.to_string(), message, None);
                }
                Some(_) => {}
            }
        }
    }
}

fn count<'a>(line: Line<'a>, text: &str, problems: &mut Problems) -> Option<(usize, Line<'a>)> {
    let number = text.parse::<usize>().ok();
    if number.is_none_or(|number| number > MOST_SERVICES) {
        let message = format!("expected the number of services, found {}", quoted(text));
        problems.error(
            line,
            text,
            message,
            format!("a number up to {MOST_SERVICES}"),
        );
    }
    number.map(|number| (number, line))
}

/// Returns true if a handler is implemented by the object; `None` if the text is neither form.
fn handler(text: &str) -> Option<bool> {
    if text == "null" {
        return Some(false);
    }
    let name = text.strip_suffix("()")?;
    is_name(name).then_some(true)
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let is_start = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    letters.next().is_some_and(is_start)
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Reports a line that is parsed as a comment but is probably meant as a declaration.
fn ignored(line: Line<'_>, text: &str, key: Option<&str>, problems: &mut Problems) {
    if text.is_empty()
        || ["//", "#", ";", "/*", "*"]
            .iter()
            .any(|mark| text.starts_with(mark))
    {
        return;
    }
    let word = key.or_else(|| text.split_whitespace().next());
    let help = word.and_then(|word| suggestion(word, &KEYS));
    problems.warning(line, text, format!("{} is ignored", quoted(text)), help);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::problem::parse_as;

    const PLAYER: &str = "// A player.\r\nObjectName : Player\r\n\
        \tNumOfOSubject   : 1\r\nNumOfOObserver : 2\r\n\
        Service : \"Player.Move.OCommandVectorData.S\", null, Ready()\r\n\
        Service: \"Ball.Image.OFbkImageVectorData.O\",Connected() ,  Seen()\r\n\
        Service : \"Player.Sensor.OSensorFrameVectorData.O\", null, null\r\n\
        Extra : PowerChanged()\r\n";

    #[test]
    fn services_are_read_in_their_order() {
        let (parsed, _) = parse_as("stub.cfg", PLAYER, parse);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let interface = parsed.value;
        assert_eq!(interface.object, "Player");
        let name = interface.observers[0].name.to_string();
        assert_eq!(name, "Ball.Image.OFbkImageVectorData.O");
        let hears = |service: &Service| (service.hears_connections, service.hears_events);
        assert_eq!(hears(&interface.subjects[0]), (false, true));
        assert_eq!(hears(&interface.observers[0]), (true, true));
        assert_eq!(hears(&interface.observers[1]), (false, false));
        assert_eq!(interface.extras, ["PowerChanged"]);
    }

    #[test]
    fn what_the_generator_refuses_is_an_error_with_its_position() {
        for (from, to, expected) in [
            (
                "OSubject   : 1",
                "OSubject : 2",
                "4:18: `NumOfOSubject` is 2, and there are 1 services",
            ),
            (
                "OSubject   : 1",
                "OSubject : 0",
                "4:18: `NumOfOSubject` is at least 1",
            ),
            (
                "OSubject   : 1",
                "OSubject : 99999999999999999999",
                "expected the number",
            ),
            ("Ready()", "Ready", "`Ready` is no ready handler"),
            (
                ", Ready()",
                "",
                "the ready handler of `Player.Move.OCommandVectorData.S` is missing",
            ),
            ("Data.S", "Data.Q", "`Q` in"),
            (
                "PowerChanged()",
                "PowerChanged ()",
                "expected a further entry",
            ),
            ("ObjectName : Player", "", "missing `ObjectName`"),
            (
                "\"Player.Move.OCommandVectorData.S\"",
                "Player.Move.S",
                "not in quotes",
            ),
        ] {
            let text = PLAYER.replacen(from, to, 1);
            let text = text.replacen("// A player.\r\n", "// A player.\r\n\r\n", 1);
            let (parsed, reported) = parse_as("stub.cfg", &text, parse);
            assert!(parsed.has_errors(), "{to}");
            assert!(
                reported.iter().any(|line| line.contains(expected)),
                "{reported:?}"
            );
        }
    }

    #[test]
    fn what_was_always_ignored_is_a_warning() {
        let text = PLAYER.replace("Extra :", "Extras :");
        let (parsed, reported) = parse_as("stub.cfg", &text, parse);
        assert!(!parsed.has_errors() && parsed.value.extras.is_empty());
        assert_eq!(
            reported[0],
            "stub.cfg:8:1: `Extras : PowerChanged()` is ignored; did you mean `Extra`?"
        );
    }

    #[test]
    fn a_hundred_thousand_services_are_too_many() {
        let line = "Service : \"A.B.C.S\", null, null\n";
        let read = |count| parse_as("stub.cfg", &line.repeat(count), parse).0;
        let parsed = read(5_000);
        assert!(parsed.has_errors());
        assert!(parsed.problems[0].message.contains("more than 4096"));
        assert!(parsed.value.subjects.is_empty());
        let parsed = read(100_000);
        assert!(
            parsed.problems[0].message.contains("too many"),
            "{:?}",
            parsed.problems
        );
    }
}
