//! A memory stick: a directory with the files of a robot's objects.
//!
//! The layout is the original one. Next to the path of `OBJS/LEGS.BIN` there may be a directory `OBJS/LEGS` with the
//! object's `stub.cfg` and `.ocf`, as in its sources.
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use morse_diagnostics::{Diagnostic, SourceId, Sources, Span, one_line};

use crate::{
    files::{
        lists::{self, ObjectEntry},
        ocf::{self, Attributes},
        problem::{CODE, LARGEST_FILE, Parsed},
        settings, stub,
    },
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
}

/// Contents of a stick.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Objects, in the order of the file.
    pub objects: Vec<StickObject>,
    /// Connections, in the order of the file.
    pub connections: Vec<Connection>,
    /// Data files, by the keywords of objects.
    pub design: BTreeMap<String, String>,
    /// Settings of the wireless network.
    pub wireless: BTreeMap<String, String>,
    /// Settings of the joints.
    pub joints: BTreeMap<String, String>,
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
        let mut found = vec![self.root.clone()];
        for part in rest.split('/').filter(|part| !part.is_empty()) {
            found = found
                .iter()
                .flat_map(|folder| named(folder, part))
                .collect();
        }
        found.into_iter().next()
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
        let system = "/MS/OPEN-R/SYSTEM/CONF";
        let wireless = ["WLANDFLT.TXT", "WLANCONF.TXT"].map(|name| {
            self.parse(&format!("{system}/{name}"), &mut contents, |file, text| {
                settings::parse(file, text, &settings::WIRELESS)
            })
        });
        let joints = self.parse(
            &format!("{system}/VRCOMM.CFG"),
            &mut contents,
            |file, text| settings::parse(file, text, &settings::JOINTS),
        );
        let objects = objects.unwrap_or_default();
        let objects = objects
            .iter()
            .map(|entry| self.object(entry, &mut contents))
            .collect();
        contents.objects = objects;
        contents.connections = connections.unwrap_or_default();
        contents.design = design.unwrap_or_default();
        // Configured values take precedence over defaults.
        contents.wireless = wireless.into_iter().flatten().flatten().collect();
        contents.joints = joints.unwrap_or_default();
        contents
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
            Ok(text) => {
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
        StickObject {
            bin: bin.to_ascii_uppercase(),
            interface: self.parse(&of("stub.cfg"), contents, stub::parse),
            attributes: attributes.flatten(),
        }
    }
}

/// Returns the text of a file, or the reason why it cannot be read.
fn read(file: &Path) -> Result<String, String> {
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
    let bytes = fs::read(file).map_err(unreadable)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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
