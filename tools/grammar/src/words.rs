//! Words of the language, from the tables of its parser.
use morse_robray::keywords;
use morse_scene::model::{ATTRIBUTES, ClosureKind, JOINT_WORDS, SHAPE_WORDS};

/// Constants among the keywords.
pub(crate) const CONSTANTS: [&str; 2] = ["pi", "deg"];

/// Returns all keywords.
pub(crate) fn all() -> Vec<&'static str> {
    keywords().collect()
}

/// Returns the keywords that are no constants, with those of loop closures.
pub(crate) fn statements() -> Vec<&'static str> {
    let keywords = keywords().filter(|word| !CONSTANTS.contains(word));
    keywords.chain(closures()).collect()
}

/// Returns the names of the attributes.
pub(crate) fn attributes() -> Vec<&'static str> {
    ATTRIBUTES.iter().map(|attribute| attribute.name).collect()
}

/// Returns the words of joint types and shapes.
pub(crate) fn values() -> Vec<&'static str> {
    JOINT_WORDS.iter().chain(SHAPE_WORDS).copied().collect()
}

/// Returns the keywords of loop closures.
pub(crate) fn closures() -> Vec<&'static str> {
    ClosureKind::WORDS.map(|(word, _)| word).to_vec()
}
