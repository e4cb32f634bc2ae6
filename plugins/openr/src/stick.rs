//! A memory stick: a directory with the files of a robot's objects.
//!
//! The layout is the original one. Next to the path of `OBJS/LEGS.BIN` there may be a directory `OBJS/LEGS` with the
//! object's `stub.cfg` and `.ocf`, as in its sources.
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    files::{
        lists::{self, ObjectEntry},
        ocf::{self, Attributes},
        problem::{LARGEST_FILE, Parsed, Problem},
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    pub problems: Vec<Problem>,
}

/// A memory stick.
#[derive(Clone, Debug)]
pub struct Stick {
    root: PathBuf,
}

impl Stick {
    /// Opens a directory as a stick.
    ///
    /// # Errors
    ///
    /// The directory cannot be read.
    pub fn open(root: &Path) -> Result<Self, String> {
        match fs::read_dir(root) {
            Ok(_) => Ok(Self {
                root: root.to_owned(),
            }),
            Err(error) => Err(format!(
                "cannot read the memory stick `{}`: {error}",
                root.display()
            )),
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

    /// Returns the text of a file, and its name for messages; `None` if there is no such file.
    fn read(&self, path: &str) -> Option<Result<(String, String), Problem>> {
        let file = self.find(path)?;
        let name = file.display().to_string();
        let problem = |message: String| Problem {
            file: name.clone(),
            line: 1,
            column: 1,
            is_error: true,
            message,
            help: None,
        };
        let is_small = |size: u64| size <= LARGEST_FILE as u64;
        let text = match fs::metadata(&file) {
            Ok(about) if !about.is_file() => Err("not a regular file".to_owned()),
            Ok(about) if !is_small(about.len()) => Err(format!(
                "the file has {} bytes; the limit is {LARGEST_FILE}",
                about.len()
            )),
            Ok(_) => fs::read(&file).map_err(|error| format!("cannot be read: {error}")),
            Err(error) => Err(format!("cannot be read: {error}")),
        };
        let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Some(text.map_err(problem).map(|text| (name.clone(), text)))
    }

    /// Reads the contents of the stick for a robot.
    #[must_use]
    pub fn contents(&self, robot: &str) -> Contents {
        let mut contents = Contents::default();
        let Contents { problems, .. } = &mut contents;
        let conf = |name: &str| format!("{CONF}/{name}");
        let objects = self.parse(&conf("OBJECT.CFG"), problems, |file, text| {
            lists::objects(file, text, robot)
        });
        if objects.is_none() {
            problems.push(Problem {
                file: self.root.display().to_string(),
                line: 1,
                column: 1,
                is_error: true,
                message: "there is no OPEN-R/MW/CONF/OBJECT.CFG".to_owned(),
                help: Some("it lists the objects, `/MS/OPEN-R/MW/OBJS/NAME.BIN` a line".to_owned()),
            });
        }
        let connections = self.parse(&conf("CONNECT.CFG"), problems, |file, text| {
            lists::connections(file, text, robot)
        });
        let design = self.parse(&conf("DESIGNDB.CFG"), problems, |file, text| {
            lists::design(file, text, robot)
        });
        let system = "/MS/OPEN-R/SYSTEM/CONF";
        let wireless = ["WLANDFLT.TXT", "WLANCONF.TXT"].map(|name| {
            self.parse(&format!("{system}/{name}"), problems, |file, text| {
                settings::parse(file, text, &settings::WIRELESS)
            })
        });
        let joints = self.parse(&format!("{system}/VRCOMM.CFG"), problems, |file, text| {
            settings::parse(file, text, &settings::JOINTS)
        });
        let objects = objects.unwrap_or_default();
        let objects = objects.iter().map(|entry| self.object(entry, problems));
        contents.objects = objects.collect();
        contents.connections = connections.unwrap_or_default();
        contents.design = design.unwrap_or_default();
        // Configured values take precedence over defaults.
        contents.wireless = wireless.into_iter().flatten().flatten().collect();
        contents.joints = joints.unwrap_or_default();
        contents
    }

    fn parse<T>(
        &self,
        path: &str,
        problems: &mut Vec<Problem>,
        parse: impl FnOnce(&str, &str) -> Parsed<T>,
    ) -> Option<T> {
        match self.read(path)? {
            Ok((file, text)) => {
                let parsed = parse(&file, &text);
                problems.extend(parsed.problems);
                Some(parsed.value)
            }
            Err(problem) => {
                problems.push(problem);
                None
            }
        }
    }

    fn object(&self, entry: &ObjectEntry, problems: &mut Vec<Problem>) -> StickObject {
        let (folder, bin) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
        let stem = bin.rsplit_once('.').map_or(bin, |(stem, _)| stem);
        let of = |name: &str| format!("{folder}/{stem}/{name}");
        let attributes = self.parse(&of(&format!("{stem}.ocf")), problems, ocf::parse);
        StickObject {
            bin: bin.to_ascii_uppercase(),
            interface: self.parse(&of("stub.cfg"), problems, stub::parse),
            attributes: attributes.flatten(),
        }
    }
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
        let errors = contents.problems.iter().filter(|problem| problem.is_error);
        assert_eq!(
            errors.count(),
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
        let problems = stick.contents("ERS-7").problems;
        assert!(
            problems[0].to_string().contains("OBJECT.CFG"),
            "{problems:?}"
        );
        write(
            directory.path(),
            "OPEN-R/MW/CONF/OBJECT.CFG",
            &"x".repeat(LARGEST_FILE + 1),
        );
        let problems = stick.contents("ERS-7").problems;
        assert!(
            problems[0].to_string().contains("the limit is"),
            "{problems:?}"
        );
    }
}
