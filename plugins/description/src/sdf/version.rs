//! Versions of the format.

use std::path::PathBuf;

use morse_diagnostics::{Diagnostic, printable};

use super::codes;
use crate::{problems::Problems, xml::Element};

/// Newest version that the reader was written for.
pub(super) const NEWEST: Version = Version(1, 11);

/// Oldest version that is read.
const OLDEST: Version = Version(1, 4);

/// Major and minor number of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(pub(super) u32, pub(super) u32);

impl Version {
    /// Parses `1.6`, or `1.6.0`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.trim().split('.');
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next().unwrap_or("0").parse().ok()?;
        Some(Self(major, minor))
    }
}

/// A file of the description.
#[derive(Clone, Debug)]
pub(super) struct File {
    /// Directory from which its file names start.
    pub(super) directory: PathBuf,
    pub(super) version: Version,
}

/// Checks the root element of a file, and returns the version; `None` if the file is not read.
pub(super) fn read(root: &Element, problems: &mut Problems) -> Option<Version> {
    if root.name != "sdf" {
        let message = format!("`<{}>` is no root element of SDF", printable(&root.name));
        let help = match root.name.as_str() {
            "robot" => "this is a robot description of ROS: name the file `.urdf`",
            "mujoco" => "this is a model of MuJoCo: name the file `.xml`",
            "gazebo" => "this is a file of Gazebo before 1.0: convert it with `gzsdf` of that time",
            "world" | "model" => "put it into `<sdf version=\"1.9\">`",
            _ => "a description begins with `<sdf version=\"1.9\">`",
        };
        let diagnostic = Diagnostic::error(codes::NOT_A_MODEL, message);
        problems.push(diagnostic.at(root.span, "expected `<sdf>`").help(help));
        return None;
    }
    let Some(written) = root.attribute("version") else {
        let diagnostic = Diagnostic::warning(codes::VERSION, "`<sdf>` has no `version`")
            .at(root.span, "it is read as the newest one")
            .help("add it, for example `version=\"1.9\"`");
        problems.push(diagnostic);
        return Some(NEWEST);
    };
    let help = format!("versions {} to {} are read", shown(OLDEST), shown(NEWEST));
    let Some(version) = Version::parse(&written.value) else {
        let message = format!("`{}` is no version", printable(&written.value));
        let diagnostic = Diagnostic::error(codes::VERSION, message)
            .at(written.value_span, "expected two numbers")
            .help(help);
        problems.push(diagnostic);
        return None;
    };
    if version < OLDEST {
        let message = format!("version {} is too old", shown(version));
        let diagnostic = Diagnostic::error(codes::VERSION, message)
            .at(written.value_span, "too old")
            .note(help)
            .help("convert the file: `gz sdf --print FILE`");
        problems.push(diagnostic);
        return None;
    }
    if version > NEWEST {
        let message = format!("version {} is newer than this program", shown(version));
        let diagnostic = Diagnostic::warning(codes::VERSION, message)
            .at(written.value_span, "unknown elements are reported")
            .help(help);
        problems.push(diagnostic);
    }
    Some(version)
}

fn shown(Version(major, minor): Version) -> String {
    format!("{major}.{minor}")
}
