//! Codes of all diagnostics of MJCF models. The golden tests show each of them.

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = concat!("mjcf::", $code);)+

        /// All codes, in the order of this file.
        pub const ALL: &[&str] = &[$($name),+];
    };
}

codes! {
    /// The root element is not `<mujoco>`.
    NOT_A_MODEL = "not-a-model";
    /// An element of MJCF that is not read.
    NOT_TAKEN = "not-taken";
    /// An element that MJCF does not have.
    UNKNOWN_ELEMENT = "unknown-element";
    /// An attribute that the element does not have.
    UNKNOWN_ATTRIBUTE = "unknown-attribute";
    /// A required attribute is missing.
    MISSING_ATTRIBUTE = "missing-attribute";
    /// A value that is no number, or the wrong number of values.
    BAD_NUMBER = "bad-number";
    /// A word that the attribute does not accept.
    BAD_WORD = "bad-word";
    /// A class, body, joint, mesh or material that does not exist.
    UNKNOWN_NAME = "unknown-name";
    /// A repeated name.
    DUPLICATE_NAME = "duplicate-name";
    /// A name that a scene file cannot represent.
    BAD_NAME = "bad-name";
    /// A file that cannot be included.
    INCLUDE = "include";
    /// A joint where it is impossible.
    JOINT = "joint";
    /// An impossible mass or inertia.
    MASS = "mass";
    /// A model that exceeds a size limit.
    TOO_LARGE = "too-large";
}
