//! Names of frames.
use std::collections::BTreeSet;

use crate::xml::Element;

/// Names that frames have. Geoms and sites may have the names of bodies in MJCF; their frames get other names.
#[derive(Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
    /// Names of all bodies.
    reserved: BTreeSet<String>,
}

impl Names {
    /// Reserves the names of the bodies below an element.
    pub(super) fn reserve(&mut self, element: &Element) {
        for child in element.elements() {
            if child.name == "body" {
                let name = child.attribute("name");
                self.reserved.extend(name.map(|name| name.value.clone()));
            }
            self.reserve(child);
        }
    }

    /// Takes the name of a body.
    pub(super) fn take(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// Returns a name that no frame has.
    pub(super) fn free(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        while self.reserved.contains(&free) || !self.taken.insert(free.clone()) {
            free.push_str("-geom");
        }
        free
    }
}
