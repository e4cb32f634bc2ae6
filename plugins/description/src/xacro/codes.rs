//! The codes of everything that can be wrong with macros. The golden tests show each of them.

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = concat!("xacro::", $code);)+

        /// All codes, in the order of this file.
        pub const ALL: &[&str] = &[$($name),+];
    };
}

codes! {
    /// An expression or substitution that has no value.
    EXPRESSION = "expression";
    /// An attribute that is needed and not there.
    MISSING = "missing";
    /// A macro that does not exist.
    UNKNOWN_MACRO = "unknown-macro";
    /// A parameter that a macro does not have, or has and is not given.
    PARAMETER = "parameter";
    /// A block that is not there.
    BLOCK = "block";
    /// A condition that is neither true nor false.
    CONDITION = "condition";
    /// A file that cannot be included.
    INCLUDE = "include";
    /// More than any robot has, or no end.
    TOO_LARGE = "too-large";
}
