//! Models that the program carries in itself.
use crate::scene::simulation::Assets;

/// Path and text of each embedded model.
const EMBEDDED: &[(&str, &str)] = &[(
    "robots/atrv.robray",
    include_str!("../assets/robots/atrv.robray"),
)];

/// The embedded models.
pub struct Embedded;

impl Assets for Embedded {
    fn paths(&self) -> Vec<&str> {
        EMBEDDED.iter().map(|(path, _)| *path).collect()
    }
}

/// The text of an embedded model.
#[must_use]
pub fn text(path: &str) -> Option<&'static str> {
    EMBEDDED
        .iter()
        .find(|(known, _)| *known == path)
        .map(|(_, text)| *text)
}
