//! Meshes: shells with materials.
use crate::{materials::Material, shell::Shell};

/// Mesh of a link of a robot.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    /// Name of the file, without its extension; it begins with the name of the robot.
    pub(crate) name: &'static str,
    /// Shells, in the order in which they were added.
    pub(crate) parts: Vec<(Material, Shell)>,
}

impl Mesh {
    /// Returns an empty mesh.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            parts: Vec::new(),
        }
    }

    /// Adds a shell.
    pub(crate) fn with(mut self, material: Material, shell: Shell) -> Self {
        self.parts.push((material, shell));
        self
    }

    /// Returns the number of triangles.
    #[cfg(test)]
    pub(crate) fn triangles(&self) -> usize {
        self.parts.iter().map(|(_, shell)| shell.faces.len()).sum()
    }
}
