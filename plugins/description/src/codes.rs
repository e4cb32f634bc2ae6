//! Codes of the diagnostics that all formats share, and the macro with which each format declares its own.

/// Declares codes with a common prefix, and the list `ALL` of them.
macro_rules! declare {
    ($prefix:literal: $($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = concat!($prefix, "::", $code);)+

        /// All codes, in the order of this file.
        pub const ALL: &[&str] = &[$($name),+];
    };
}
pub(crate) use declare;

declare! { "description":
    /// The file cannot be opened or read.
    CANNOT_READ = "cannot-read";
    /// The file is not UTF-8.
    NOT_TEXT = "not-text";
    /// The file exceeds the size limit.
    TOO_LARGE = "too-large";
    /// A mesh or image file that does not exist.
    MISSING_FILE = "missing-file";
    /// A mesh or image file outside the allowed directories.
    OUTSIDE = "outside";
    /// Further diagnostics were omitted.
    AND_MORE = "and-more";
}
