//! The codes of everything this language can complain about. The golden tests show each of them.

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
    /// The file is not UTF-8, or holds NUL.
    NOT_TEXT = "not-text";
    /// A limit on sizes and numbers was reached.
    TOO_LARGE = "too-large";
    /// Blocks, parentheses, classes or includes are nested too deeply.
    TOO_DEEP = "too-deep";
    /// A character that has no meaning here.
    UNKNOWN_CHARACTER = "unknown-character";
    /// Digits that do not make a number.
    BAD_NUMBER = "bad-number";
    /// A name or string beyond all measure.
    NAME_TOO_LONG = "name-too-long";
    /// A string without its second quote.
    UNCLOSED_STRING = "unclosed-string";
    /// A block comment without its end.
    UNCLOSED_COMMENT = "unclosed-comment";
    /// A block without its brace.
    UNCLOSED_BLOCK = "unclosed-block";
    /// Something else was expected here.
    UNEXPECTED = "unexpected";
    /// A statement or attribute without its end.
    MISSING_SEMICOLON = "missing-semicolon";
    /// A `;` that ends nothing.
    STRAY_SEMICOLON = "stray-semicolon";
    /// An attribute or definition without a value.
    MISSING_VALUE = "missing-value";
    /// An attribute with two values.
    EXTRA_VALUE = "extra-value";
    /// Functions do not exist.
    NO_FUNCTIONS = "no-functions";
    /// A word that starts no statement.
    UNKNOWN_STATEMENT = "unknown-statement";
    /// A statement in a block that cannot hold it.
    MISPLACED = "misplaced";
    /// A word of the language where a name is expected.
    RESERVED = "reserved";
    /// A frame, class or variable without a name.
    EMPTY_NAME = "empty-name";
    /// An attribute that does not exist.
    UNKNOWN_ATTRIBUTE = "unknown-attribute";
    /// An attribute in a block that cannot have it.
    MISPLACED_ATTRIBUTE = "misplaced-attribute";
    /// An attribute that frame or geometry cannot be without.
    MISSING_ATTRIBUTE = "missing-attribute";
    /// A value that does not fit its attribute.
    WRONG_VALUE = "wrong-value";
    /// A number beyond the range of its attribute.
    OUT_OF_RANGE = "out-of-range";
    /// An angle of more than a full turn, probably in degrees.
    DEGREES = "degrees";
    /// A shape of kilometres, probably in millimetres.
    LARGE = "large";
    /// A shape without extent, which nothing can touch.
    NO_EXTENT = "no-extent";
    /// An extension, under `--strict-amino`.
    EXTENSION = "extension";
    /// A name in an expression that no `def` defines.
    UNDEFINED = "undefined";
    /// A definition with a name that is also used as a word.
    SHADOWED = "shadowed";
    /// Division by zero.
    DIVISION_BY_ZERO = "division-by-zero";
    /// A result that is too large or no real number.
    NOT_FINITE = "not-finite";
    /// A nested frame with a parent of its own choice.
    REPARENTED = "reparented";
    /// Frames that hang on each other in a circle, or on themselves.
    PARENT_CYCLE = "parent-cycle";
    /// A parent that does not exist.
    UNKNOWN_PARENT = "unknown-parent";
    /// A frame in `allow_collision` that does not exist.
    UNKNOWN_FRAME = "unknown-frame";
    /// A class in `isa` that does not exist, or not yet.
    UNKNOWN_CLASS = "unknown-class";
    /// Two frames of one name.
    DUPLICATE_FRAME = "duplicate-frame";
    /// Two classes of one name.
    DUPLICATE_CLASS = "duplicate-class";
    /// A revolute joint about a zero axis.
    ZERO_AXIS = "zero-axis";
    /// A quaternion that is no rotation.
    ZERO_QUATERNION = "zero-quaternion";
    /// A geometry without shape and mesh.
    MISSING_SHAPE = "missing-shape";
    /// A mesh that is not there.
    MISSING_MESH = "missing-mesh";
    /// A mesh outside the allowed directories.
    MESH_OUTSIDE = "mesh-outside";
    /// An image that is not there.
    MISSING_IMAGE = "missing-image";
    /// An image outside the allowed directories.
    IMAGE_OUTSIDE = "image-outside";
    /// A path in `include` that cannot be one.
    BAD_PATH = "bad-path";
    /// A kind of file that cannot be included yet.
    UNSUPPORTED_INCLUDE = "unsupported-include";
    /// Files that include each other in a circle.
    INCLUDE_CYCLE = "include-cycle";
    /// More inclusions than a sensible scene has.
    TOO_MANY_INCLUDES = "too-many-includes";
    /// Errors in a file whose text may not be shown.
    HIDDEN = "hidden";
    /// More is wrong than is shown.
    AND_MORE = "and-more";
}
