//! Formats of scene files, by file name extension: `.urdf`, `.xacro`, `.xml` and `.mjcf`, `.sdf` and
//! `.world`, `.msc`, and `.robray` for all others.

use std::path::Path;

/// Format of a scene file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The scene language.
    Robray,
    /// A robot description of ROS.
    Urdf,
    /// A robot description of ROS with macros.
    Xacro,
    /// A model of MuJoCo.
    Mjcf,
    /// A world or model of Gazebo.
    Sdf,
    /// A compiled scene.
    Compiled,
}

impl Format {
    /// Returns the format of a file, by its extension.
    #[must_use]
    pub fn of(path: &Path) -> Self {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        match ending.to_str() {
            Some("urdf") => Self::Urdf,
            Some("xacro") => Self::Xacro,
            Some("msc") => Self::Compiled,
            Some("sdf" | "world") => Self::Sdf,
            Some("xml" | "mjcf") => Self::Mjcf,
            _ => Self::Robray,
        }
    }
}
