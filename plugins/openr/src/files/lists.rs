//! Lists per robot: `OBJECT.CFG`, `CONNECT.CFG` and `DESIGNDB.CFG`.
//!
//! Lines before the first section apply to all robots, lines below `[ERS-7]` to that one.
use std::collections::BTreeMap;

use morse_diagnostics::{SourceId, Span};

use super::problem::{Line, Parsed, Problems, quoted, suggestion};
use crate::{
    service::{ServiceName, Side},
    wiring::Connection,
};

/// Maximum number of objects of a stick.
pub const MOST_OBJECTS: usize = 4096;
/// Maximum number of connections of a stick.
pub const MOST_CONNECTIONS: usize = 65_536;

/// Entry of an `OBJECT.CFG`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectEntry {
    /// Name of the object, in the format that has one.
    pub name: Option<String>,
    /// Path of its file on the stick.
    pub path: String,
}

/// Parses an `OBJECT.CFG`: each line has a path, or a name and a path.
#[must_use]
pub fn objects(source: SourceId, text: &str, robot: &str) -> Parsed<Vec<ObjectEntry>> {
    let mut problems = Problems::new(source);
    let mut entries: Vec<ObjectEntry> = Vec::new();
    for line in of_robot(&mut problems, text, robot) {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let (name, path) = match words[..] {
            [path] => (None, path),
            [name, path] => (Some(name.to_owned()), path),
            _ => {
                let message = format!("expected an object, found {}", quoted(line.text.trim()));
                let help = "write `/MS/OPEN-R/MW/OBJS/NAME.BIN`".to_owned();
                problems.error(line, line.text.trim(), message, help);
                continue;
            }
        };
        if entries
            .iter()
            .any(|known| known.path.eq_ignore_ascii_case(path))
        {
            let message = format!("{} is listed twice", quoted(path));
            problems.warning(line, path, message, "it is started once".to_owned());
            continue;
        }
        if entries.len() >= MOST_OBJECTS {
            problems.error(line, "", format!("more than {MOST_OBJECTS} objects"), None);
            break;
        }
        entries.push(ObjectEntry {
            name,
            path: path.to_owned(),
        });
    }
    problems.with(entries)
}

/// System objects of the robot. Those with services are simulated: the robot and its sound.
pub const SYSTEM_OBJECTS: [&str; 7] = [
    "ODesignedRobot",
    "OPowerManager",
    "OServiceManager",
    "OSystemLogger",
    "OVirtualRobot",
    "OVirtualRobotAudioComm",
    "OVirtualRobotComm",
];

/// Parses the `OBJECT.CFG` of the system: names of objects with their paths. Returns the names.
#[must_use]
pub fn system(source: SourceId, text: &str, robot: &str) -> Parsed<Vec<String>> {
    let mut problems = Problems::new(source);
    let mut names = Vec::new();
    for line in of_robot(&mut problems, text, robot) {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let [name, _] = words[..] else {
            let message = format!(
                "expected a system object, found {}",
                quoted(line.text.trim())
            );
            let help = "write `OVirtualRobotComm /MS/OPEN-R/SYSTEM/OBJS/VRCOMM.BIN`".to_owned();
            problems.error(line, line.text.trim(), message, help);
            continue;
        };
        if !SYSTEM_OBJECTS.contains(&name) {
            let message = format!("{} is no system object", quoted(name));
            problems.warning(line, name, message, suggestion(name, &SYSTEM_OBJECTS));
        }
        names.push(name.to_owned());
    }
    problems.with(names)
}

/// Parses a `CONNECT.CFG`.
#[must_use]
pub fn connections(source: SourceId, text: &str, robot: &str) -> Parsed<Vec<Connection>> {
    let mut problems = Problems::new(source);
    let mut connections = Vec::new();
    for line in of_robot(&mut problems, text, robot) {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let [subject, observer] = words[..] else {
            let message = format!("expected a connection, found {}", quoted(line.text.trim()));
            let help = "write a subject and an observer: `A.Move.Type.S B.Move.Type.O`".to_owned();
            problems.error(line, line.text.trim(), message, help);
            continue;
        };
        if connections.len() >= MOST_CONNECTIONS {
            let message = format!("more than {MOST_CONNECTIONS} connections");
            problems.error(line, "", message, None);
            break;
        }
        let subject = end(line, subject, Side::Subject, &mut problems);
        let observer = end(line, observer, Side::Observer, &mut problems);
        if let (Some(subject), Some(observer)) = (subject, observer) {
            connections.push((subject, observer));
        }
    }
    problems.with(connections)
}

fn end(line: Line<'_>, text: &str, side: Side, problems: &mut Problems) -> Option<ServiceName> {
    match text.parse::<ServiceName>() {
        Ok(name) if name.side == side => Some(name),
        Ok(_) => {
            let message = format!("{} is on the wrong side", quoted(text));
            let help = "the subject (`.S`) comes first, then the observer (`.O`)".to_owned();
            problems.error(line, text, message, help);
            None
        }
        Err(why) => {
            problems.error(line, text, why.to_string(), None);
            None
        }
    }
}

/// Data file of a `DESIGNDB.CFG`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesignFile {
    /// Path on the stick.
    pub path: String,
    /// Position of the path in `DESIGNDB.CFG`.
    pub span: Span,
}

/// Parses a `DESIGNDB.CFG`: keywords, and the files that objects access by them.
#[must_use]
pub fn design(source: SourceId, text: &str, robot: &str) -> Parsed<BTreeMap<String, DesignFile>> {
    let mut problems = Problems::new(source);
    let mut files = BTreeMap::new();
    for line in of_robot(&mut problems, text, robot) {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        match words[..] {
            [keyword, path] if keyword.len() <= 127 => {
                let file = DesignFile {
                    path: path.to_owned(),
                    span: problems.span(line, path),
                };
                if files.insert(keyword.to_owned(), file).is_some() {
                    let message = format!("{} is there twice", quoted(keyword));
                    problems.warning(line, keyword, message, "the last one counts".to_owned());
                }
            }
            _ => {
                let message = format!("expected an entry, found {}", quoted(line.text.trim()));
                let help = "write a keyword of up to 127 characters, and a path".to_owned();
                problems.error(line, line.text.trim(), message, help);
            }
        }
    }
    problems.with(files)
}

/// Returns the lines for a robot, without comments and sections.
fn of_robot<'t>(problems: &mut Problems, text: &'t str, robot: &str) -> Vec<Line<'t>> {
    let mut is_ours = true;
    let mut ours = Vec::new();
    for line in problems.lines(text) {
        let trimmed = line.text.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if let Some(rest) = trimmed.strip_prefix('[') {
            match rest.strip_suffix(']') {
                Some(name) => is_ours = name.trim() == robot,
                None => {
                    let message = format!("expected a section, found {}", quoted(trimmed));
                    problems.error(line, trimmed, message, "write `[ERS-7]`".to_owned());
                }
            }
        } else if is_ours {
            ours.push(line);
        }
    }
    ours
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::problem::parse_as;

    #[test]
    fn lines_are_for_all_robots_or_for_one() {
        let text = "# all\n/MS/OPEN-R/MW/OBJS/MIND.BIN\n[ERS-210]\n/MS/OPEN-R/MW/OBJS/OLD.BIN\n\
                    [ERS-7]\n/MS/OPEN-R/MW/OBJS/NEW.BIN\n/ms/open-r/mw/objs/mind.bin\n";
        let paths = |robot| {
            let (parsed, _) = parse_as("OBJECT.CFG", text, |file, text| objects(file, text, robot));
            let paths = parsed.value.into_iter().map(|entry| entry.path);
            (paths.collect::<Vec<_>>(), parsed.problems.len())
        };
        let path = |name: &str| format!("/MS/OPEN-R/MW/OBJS/{name}.BIN");
        assert_eq!(paths("ERS-7"), (vec![path("MIND"), path("NEW")], 1));
        assert_eq!(paths("ERS-210"), (vec![path("MIND"), path("OLD")], 0));
        assert_eq!(paths("rover"), (vec![path("MIND")], 0));
    }

    #[test]
    fn objects_of_the_system_have_names() {
        let text = "OServiceManager /MS/OPEN-R/SYSTEM/OBJS/SRVCMGR.BIN\n";
        let read = |text| {
            parse_as("OBJECT.CFG", text, |file, text| {
                objects(file, text, "ERS-7")
            })
            .0
        };
        let entry = &read(text).value[0];
        assert_eq!(entry.name.as_deref(), Some("OServiceManager"));
        let parsed = read("a b c\n[ERS-7\n");
        assert_eq!((parsed.problems.len(), parsed.has_errors()), (2, true));
    }

    #[test]
    fn system_objects_are_known_by_name() {
        let read = |text| parse_as("OBJECT.CFG", text, |file, text| system(file, text, "ERS-7"));
        let text = "OVirtualRobotComm /MS/VRCOMM.BIN\nOVirtualRobotCom /MS/X.BIN\nalone\n";
        let (parsed, reported) = read(text);
        assert_eq!(parsed.value, ["OVirtualRobotComm", "OVirtualRobotCom"]);
        let unknown = "OBJECT.CFG:2:1: `OVirtualRobotCom` is no system object; did you mean `OVirtualRobotComm`?";
        assert_eq!(reported[0], unknown);
        assert!(reported[1].starts_with("OBJECT.CFG:3:1: expected a system object"));
    }

    #[test]
    fn connections_go_from_subjects_to_observers() {
        let text =
            "A.Move.v.S\tB.Move.v.O\n  A.Move.v.S   C.Move.v.O  \n[ERS-210]\nX.Y.z.S Z.Y.z.O\n";
        let read = |text| {
            parse_as("CONNECT.CFG", text, |file, text| {
                connections(file, text, "ERS-7")
            })
        };
        let (parsed, _) = read(text);
        assert!(parsed.problems.is_empty());
        assert_eq!(parsed.value[1].1.to_string(), "C.Move.v.O");
        assert_eq!(parsed.value.len(), 2);
        let text = "A.Move.v.S\nB.Move.v.O A.Move.v.S\nA.v.S B.Move.v.O\n";
        let (_, reported) = read(text);
        assert!(
            reported[0].starts_with("CONNECT.CFG:1:1: expected a connection, found `A.Move.v.S`")
        );
        assert!(reported[1].starts_with("CONNECT.CFG:2:1: `B.Move.v.O` is on the wrong side"));
        assert!(
            reported[2].starts_with("CONNECT.CFG:2:12: "),
            "{reported:?}"
        );
        assert!(reported[3].contains("four fields"), "{reported:?}");
    }

    #[test]
    fn data_are_looked_up_by_keywords() {
        let text = "MOTION /MS/OPEN-R/MW/DATA/P/M.ODA\n[ERS-210]\nMOTION /MS/X.ODA\n";
        let read = |text| {
            parse_as("DESIGNDB.CFG", text, |file, text| {
                design(file, text, "ERS-7")
            })
            .0
        };
        let parsed = read(text);
        assert_eq!(parsed.value["MOTION"].path, "/MS/OPEN-R/MW/DATA/P/M.ODA");
        assert_eq!(read("ONE\n").problems.len(), 1);
    }
}
