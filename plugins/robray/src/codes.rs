//! Codes of all diagnostics of the language. The golden tests show each of them.

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = concat!("robray::", $code);)+

        /// All codes, in the order of this file.
        pub const ALL: &[&str] = &[$($name),+];
    };
}

codes! {
    /// The file cannot be opened or read.
    CANNOT_READ = "cannot-read";
    /// The file is not UTF-8, or contains NUL.
    NOT_TEXT = "not-text";
    /// A limit on sizes or counts was reached.
    TOO_LARGE = "too-large";
    /// Blocks, parentheses, classes or includes are nested too deeply.
    TOO_DEEP = "too-deep";
    /// A character that is no part of the language.
    UNKNOWN_CHARACTER = "unknown-character";
    /// Digits that do not form a number.
    BAD_NUMBER = "bad-number";
    /// A name or string that exceeds the length limit.
    NAME_TOO_LONG = "name-too-long";
    /// A string without its closing quote.
    UNCLOSED_STRING = "unclosed-string";
    /// A block comment without its end.
    UNCLOSED_COMMENT = "unclosed-comment";
    /// A block without its closing brace.
    UNCLOSED_BLOCK = "unclosed-block";
    /// An unexpected token.
    UNEXPECTED = "unexpected";
    /// A statement or attribute without its semicolon.
    MISSING_SEMICOLON = "missing-semicolon";
    /// A `;` that ends no statement.
    STRAY_SEMICOLON = "stray-semicolon";
    /// An attribute or definition without a value.
    MISSING_VALUE = "missing-value";
    /// An attribute with two values.
    EXTRA_VALUE = "extra-value";
    /// A function call; the language has no functions.
    NO_FUNCTIONS = "no-functions";
    /// A word that starts no statement.
    UNKNOWN_STATEMENT = "unknown-statement";
    /// A statement in a block that cannot contain it.
    MISPLACED = "misplaced";
    /// A keyword where a name is expected.
    RESERVED = "reserved";
    /// A frame, class or variable without a name.
    EMPTY_NAME = "empty-name";
    /// An attribute that does not exist.
    UNKNOWN_ATTRIBUTE = "unknown-attribute";
    /// An attribute in a block that cannot have it.
    MISPLACED_ATTRIBUTE = "misplaced-attribute";
    /// A required attribute is missing in a frame or geometry.
    MISSING_ATTRIBUTE = "missing-attribute";
    /// A value that does not fit its attribute.
    WRONG_VALUE = "wrong-value";
    /// A number out of the range of its attribute.
    OUT_OF_RANGE = "out-of-range";
    /// An angle of more than a full turn, probably in degrees.
    DEGREES = "degrees";
    /// A shape of kilometres, probably in millimetres.
    LARGE = "large";
    /// A shape without extent, which has no contacts.
    NO_EXTENT = "no-extent";
    /// An extension of the language, under `--strict-amino`.
    EXTENSION = "extension";
    /// A name in an expression that no `def` defines.
    UNDEFINED = "undefined";
    /// A definition whose name is also used as a keyword.
    SHADOWED = "shadowed";
    /// Division by zero.
    DIVISION_BY_ZERO = "division-by-zero";
    /// A result that overflows or is not a real number.
    NOT_FINITE = "not-finite";
    /// A nested frame with an explicit parent.
    REPARENTED = "reparented";
    /// Frames whose parents form a cycle.
    PARENT_CYCLE = "parent-cycle";
    /// A parent that does not exist.
    UNKNOWN_PARENT = "unknown-parent";
    /// A frame in `allow_collision`, `connect` or `weld` that does not exist.
    UNKNOWN_FRAME = "unknown-frame";
    /// A class in `isa` that is undefined, or defined later.
    UNKNOWN_CLASS = "unknown-class";
    /// Two frames with the same name.
    DUPLICATE_FRAME = "duplicate-frame";
    /// Two classes with the same name.
    DUPLICATE_CLASS = "duplicate-class";
    /// A revolute joint about a zero axis.
    ZERO_AXIS = "zero-axis";
    /// A quaternion of zero length.
    ZERO_QUATERNION = "zero-quaternion";
    /// A geometry with neither shape nor mesh.
    MISSING_SHAPE = "missing-shape";
    /// A mesh file that does not exist.
    MISSING_MESH = "missing-mesh";
    /// A mesh file outside the allowed directories.
    MESH_OUTSIDE = "mesh-outside";
    /// An image file that does not exist.
    MISSING_IMAGE = "missing-image";
    /// An image file outside the allowed directories.
    IMAGE_OUTSIDE = "image-outside";
    /// An invalid path in `include`.
    BAD_PATH = "bad-path";
    /// Files that include each other.
    INCLUDE_CYCLE = "include-cycle";
    /// Too many inclusions.
    TOO_MANY_INCLUDES = "too-many-includes";
    /// Errors in a file whose text must not be shown.
    HIDDEN = "hidden";
    /// Further diagnostics were omitted.
    AND_MORE = "and-more";
}
