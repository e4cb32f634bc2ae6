//! A memory stick: a directory with the files of a robot's objects.
//!
//! The layout is the original one. Next to the path of `OBJS/LEGS.BIN` there may be a directory `OBJS/LEGS` with the
//! object's `stub.cfg` and `.ocf`, as in its sources.
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use morse_diagnostics::{Diagnostic, SourceId, Sources, Span, one_line, printable};

use crate::{
    files::{
        lists::{self, DesignFile, ObjectEntry},
        ocf::{self, Attributes},
        problem::{CODE, LARGEST_FILE, Parsed},
        settings, stub, wireless,
    },
    region::Region,
    service::Interface,
    wiring::Connection,
};

/// Directory of the configuration files on the stick.
const CONF: &str = "/MS/OPEN-R/MW/CONF";

/// Object of a stick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StickObject {
    /// Name of its file without directories, in capitals: `LEGS.BIN`.
    pub bin: String,
    /// Interface, if the stick declares it.
    pub interface: Option<Interface>,
    /// Attributes, if the stick declares them.
    pub attributes: Option<Attributes>,
    /// Start of its `stub.cfg`, if there is one.
    pub stub: Option<Span>,
}

/// Contents of a stick.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Objects, in the order of the file.
    pub objects: Vec<StickObject>,
    /// Connections, in the order of the file.
    pub connections: Vec<Connection>,
    /// Names of the system objects, if the stick lists them.
    pub system: Option<Vec<String>>,
    /// Contents of the data files, by their keywords.
    pub design: BTreeMap<String, Region>,
    /// Settings of the wireless network.
    pub wireless: BTreeMap<String, String>,
    /// Duty of a motor from which its joint is jammed.
    pub jam_duty: Option<u16>,
    /// Problems of all files.
    pub problems: Vec<Diagnostic>,
    /// Texts of the files, to which the problems refer.
    pub sources: Sources,
}

impl Contents {
    /// Returns a problem in one line, with its file, line and column.
    #[must_use]
    pub fn describe(&self, problem: &Diagnostic) -> String {
        one_line(problem, &self.sources)
    }

    /// Adds an error at the start of a file or directory that cannot be read.
    fn refuse(&mut self, name: &Path, message: String, help: Option<&str>) {
        let source = self.sources.add(name.display().to_string(), "");
        let problem = Diagnostic::error(CODE, message).at(Span::new(source, 0..0), "");
        self.problems.push(match help {
            Some(help) => problem.help(help),
            None => problem,
        });
    }
}

/// A memory stick.
#[derive(Clone, Debug)]
pub struct Stick {
    root: PathBuf,
}

/// The directory of a stick cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the memory stick `{}`: {cause}", root.display())]
pub struct UnreadableStick {
    /// The directory.
    pub root: PathBuf,
    /// Error of the operating system.
    #[source]
    pub cause: io::Error,
}

impl Stick {
    /// Opens a directory as a stick.
    ///
    /// # Errors
    ///
    /// The directory cannot be read.
    pub fn open(root: &Path) -> Result<Self, UnreadableStick> {
        let root = root.to_owned();
        match fs::read_dir(&root) {
            Ok(_) => Ok(Self { root }),
            Err(cause) => Err(UnreadableStick { root, cause }),
        }
    }

    /// Returns a file or directory of the stick, by its path on the stick: `/MS/…`, ignoring case. Paths outside the stick
    /// yield `None`.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<PathBuf> {
        let rest = path.trim_start_matches('/');
        let rest = match rest.split_at_checked(3) {
            Some((start, rest)) if start.eq_ignore_ascii_case("MS/") => rest,
            _ => rest,
        };
        // If names differ in case alone, the first one in alphabetical order that contains the rest of the path is used.
        let mut matches = vec![self.root.clone()];
        for segment in rest.split('/').filter(|segment| !segment.is_empty()) {
            matches = matches
                .iter()
                .flat_map(|folder| named(folder, segment))
                .collect();
        }
        matches.into_iter().next()
    }

    /// Reads the contents of the stick for a robot.
    #[must_use]
    pub fn contents(&self, robot: &str) -> Contents {
        let mut contents = Contents::default();
        let conf = |name: &str| format!("{CONF}/{name}");
        let objects = self.parse(&conf("OBJECT.CFG"), &mut contents, |file, text| {
            lists::objects(file, text, robot)
        });
        if objects.is_none() {
            let message = "there is no OPEN-R/MW/CONF/OBJECT.CFG".to_owned();
            let help = "it lists the objects, `/MS/OPEN-R/MW/OBJS/NAME.BIN` a line";
            contents.refuse(&self.root, message, Some(help));
        }
        let connections = self.parse(&conf("CONNECT.CFG"), &mut contents, |file, text| {
            lists::connections(file, text, robot)
        });
        let design = self.parse(&conf("DESIGNDB.CFG"), &mut contents, |file, text| {
            lists::design(file, text, robot)
        });
        contents.objects = objects
            .unwrap_or_default()
            .iter()
            .map(|entry| self.object(entry, &mut contents))
            .collect();
        contents.connections = connections.unwrap_or_default();
        for (keyword, file) in design.unwrap_or_default() {
            self.data(keyword, &file, &mut contents);
        }
        self.system(&mut contents, robot);
        contents
    }

    /// Reads the files of the system: its objects, the network and the joints.
    fn system(&self, contents: &mut Contents, robot: &str) {
        let system = "/MS/OPEN-R/SYSTEM/CONF";
        let objects = self.parse(&format!("{system}/OBJECT.CFG"), contents, |file, text| {
            lists::system(file, text, robot)
        });
        let wireless = ["WLANDFLT.TXT", "WLANCONF.TXT"].map(|name| {
            self.parse(&format!("{system}/{name}"), contents, |file, text| {
                settings::parse(file, text, &settings::WIRELESS)
            })
        });
        let joints = self.parse(&format!("{system}/VRCOMM.CFG"), contents, |file, text| {
            settings::parse(file, text, &settings::JOINTS)
        });
        contents.system = objects;
        // Configured values take precedence over defaults.
        let wireless: BTreeMap<_, _> = wireless.into_iter().flatten().flatten().collect();
        contents.problems.extend(wireless::problems(&wireless));
        let values = wireless.into_iter();
        contents.wireless = values.map(|(key, setting)| (key, setting.value)).collect();
        let duties = joints.unwrap_or_default().into_values();
        contents.jam_duty = duties.filter_map(|duty| duty.value.parse().ok()).next();
    }

    /// Reads a data file.
    fn data(&self, keyword: String, file: &DesignFile, contents: &mut Contents) {
        let path = self.find(&file.path);
        let read = match &path {
            Some(path) => read(path),
            None => Err("there is no such file on the stick".to_owned()),
        };
        match read {
            Ok(bytes) => {
                contents.design.insert(keyword, bytes.into());
            }
            Err(why) => {
                let message = format!("`{}`: {why}", printable(&file.path));
                let problem = Diagnostic::warning(CODE, message).at(file.span, "");
                contents.problems.push(problem);
            }
        }
    }

    /// Parses a file of the stick and adds its problems to the contents; `None` if there is no such file, or if it cannot be
    /// read.
    fn parse<T>(
        &self,
        path: &str,
        contents: &mut Contents,
        parse: impl FnOnce(SourceId, &str) -> Parsed<T>,
    ) -> Option<T> {
        let file = self.find(path)?;
        match read(&file) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
                let source = contents.sources.add(file.display().to_string(), text);
                let parsed = parse(source, text);
                contents.problems.extend(parsed.problems);
                Some(parsed.value)
            }
            Err(why) => {
                contents.refuse(&file, why, None);
                None
            }
        }
    }

    fn object(&self, entry: &ObjectEntry, contents: &mut Contents) -> StickObject {
        let (folder, bin) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
        let stem = bin.rsplit_once('.').map_or(bin, |(stem, _)| stem);
        let of = |name: &str| format!("{folder}/{stem}/{name}");
        let attributes = self.parse(&of(&format!("{stem}.ocf")), contents, ocf::parse);
        let mut start = None;
        let interface = self.parse(&of("stub.cfg"), contents, |file, text| {
            start = Some(Span::new(file, 0..0));
            stub::parse(file, text)
        });
        StickObject {
            bin: bin.to_ascii_uppercase(),
            interface,
            attributes: attributes.flatten(),
            stub: start,
        }
    }
}

/// Returns the contents of a file, or the reason why it cannot be read.
fn read(file: &Path) -> Result<Vec<u8>, String> {
    let unreadable = |error| format!("cannot be read: {error}");
    let about = fs::metadata(file).map_err(unreadable)?;
    if !about.is_file() {
        return Err("not a regular file".to_owned());
    }
    if about.len() > LARGEST_FILE as u64 {
        return Err(format!(
            "the file has {} bytes; the limit is {LARGEST_FILE}",
            about.len()
        ));
    }
    fs::read(file).map_err(unreadable)
}

/// Returns the entries of a directory with a name, ignoring case.
fn named(folder: &Path, name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|known| known.eq_ignore_ascii_case(name))
        .collect();
    names.sort();
    names.iter().map(|name| folder.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let file = root.join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    }

    #[test]
    fn a_stick_is_read_in_any_case_and_nothing_outside_it() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().join("stick");
        write(
            &root,
            "open-r/mw/conf/Object.cfg",
            "/MS/OPEN-R/MW/OBJS/Legs.bin\n",
        );
        write(&root, "open-r/mw/conf/connect.cfg", "A.B.c.S D.B.c.O\n");
        write(
            &root,
            "OPEN-R/SYSTEM/CONF/WLANDFLT.TXT",
            "CHANNEL=3\nESSID=old\n",
        );
        write(&root, "open-r/mw/objs/legs/stub.cfg", "ObjectName : Legs\n");
        write(
            &root,
            "open-r/mw/objs/legs/legs.ocf",
            "object Legs 3072 16384 144 cache tlb user\n",
        );
        write(directory.path(), "secret.txt", "no");
        let stick = Stick::open(&root).expect("a stick");
        let contents = stick.contents("ERS-7");
        assert_eq!(contents.objects[0].bin, "LEGS.BIN");
        let attributes = contents.objects[0].attributes.as_ref();
        assert_eq!(attributes.map(|known| known.priority), Some(144));
        assert_eq!(contents.connections.len(), 1);
        let errors = contents.problems.iter();
        assert_eq!(
            errors.filter(|problem| problem.is_error()).count(),
            2,
            "counts are missing: {:?}",
            contents.problems
        );
        assert_eq!(stick.find("/MS/../secret.txt"), None);
        assert!(Stick::open(&root.join("none")).is_err());
    }

    #[test]
    fn data_files_system_objects_and_settings_are_read() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path();
        write(root, "OPEN-R/MW/CONF/OBJECT.CFG", "");
        let lines =
            "MOTION /MS/OPEN-R/MW/DATA/P/M.ODA\nNONE /MS/OPEN-R/MW/DATA/P/N.ODA\nOUT /MS/../x\n";
        write(root, "OPEN-R/MW/CONF/DESIGNDB.CFG", lines);
        write(root, "OPEN-R/MW/DATA/P/m.oda", "steps");
        let lines = "# system\nOVirtualRobotComm /MS/OPEN-R/SYSTEM/OBJS/VRCOMM.BIN\n";
        write(root, "OPEN-R/SYSTEM/CONF/OBJECT.CFG", lines);
        write(
            root,
            "OPEN-R/SYSTEM/CONF/VRCOMM.CFG",
            "JamDetectionHighThreshold 300\n",
        );
        write(
            root,
            "OPEN-R/SYSTEM/CONF/WLANDFLT.TXT",
            "HOSTNAME=AIBO\nCHANNEL 3\n",
        );
        write(root, "OPEN-R/SYSTEM/CONF/WLANCONF.TXT", "CHANNEL 11\n");
        let contents = Stick::open(root).expect("a stick").contents("ERS-7");
        assert_eq!(contents.design["MOTION"].text(), "steps");
        assert_eq!(contents.design.len(), 1);
        assert_eq!(
            contents.system.as_deref(),
            Some(&["OVirtualRobotComm".to_owned()][..])
        );
        assert_eq!(contents.jam_duty, Some(300));
        assert_eq!(
            [
                &contents.wireless["HOSTNAME"],
                &contents.wireless["CHANNEL"]
            ],
            ["AIBO", "11"]
        );
        let described = contents
            .problems
            .iter()
            .map(|problem| contents.describe(problem));
        let described: Vec<String> = described.collect();
        assert_eq!(described.len(), 3, "{described:?}");
        let missing =
            "DESIGNDB.CFG:2:6: `/MS/OPEN-R/MW/DATA/P/N.ODA`: there is no such file on the stick";
        assert!(described.iter().any(|text| text.ends_with(missing)));
        // The first of the settings is in the file of defaults.
        let inert = "WLANDFLT.TXT:1:10: no radio network is simulated: `HOSTNAME`, `CHANNEL` have no effect";
        assert!(
            described.iter().any(|text| text.contains(inert)),
            "{described:?}"
        );
    }

    #[test]
    fn a_stick_without_objects_says_so() {
        let directory = tempfile::tempdir().expect("a directory");
        let stick = Stick::open(directory.path()).expect("a stick");
        let first = || {
            let contents = stick.contents("ERS-7");
            contents.describe(&contents.problems[0])
        };
        assert!(first().contains("OBJECT.CFG"), "{}", first());
        write(
            directory.path(),
            "OPEN-R/MW/CONF/OBJECT.CFG",
            &"x".repeat(LARGEST_FILE + 1),
        );
        assert!(first().contains("the limit is"), "{}", first());
    }
}
