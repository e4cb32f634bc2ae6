//! The codes of everything that can be wrong with a robot description. The golden tests show each of them.

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = concat!("urdf::", $code);)+

        /// All codes, in the order of this file.
        pub const ALL: &[&str] = &[$($name),+];
    };
}

codes! {
    /// The file cannot be opened or read.
    CANNOT_READ = "cannot-read";
    /// The file is not UTF-8.
    NOT_TEXT = "not-text";
    /// The first element is another one than `<robot>`.
    NOT_A_ROBOT = "not-a-robot";
    /// A robot beyond all measure.
    TOO_LARGE = "too-large";
    /// An element that nothing reads.
    UNKNOWN_ELEMENT = "unknown-element";
    /// An attribute that nothing reads.
    UNKNOWN_ATTRIBUTE = "unknown-attribute";
    /// Elements for other programs.
    IGNORED = "ignored";
    /// An element that is there twice.
    DUPLICATE_ELEMENT = "duplicate-element";
    /// An element that is needed and not there.
    MISSING_ELEMENT = "missing-element";
    /// An attribute that is needed and not there.
    MISSING_ATTRIBUTE = "missing-attribute";
    /// A value that is no number, or not as many as there have to be.
    BAD_NUMBER = "bad-number";
    /// A number beyond the range of its attribute.
    OUT_OF_RANGE = "out-of-range";
    /// A substitution of xacro in a file that is none.
    XACRO = "xacro";
    /// An empty name, or one that cannot be written.
    BAD_NAME = "bad-name";
    /// Two links of one name.
    DUPLICATE_LINK = "duplicate-link";
    /// Two joints of one name.
    DUPLICATE_JOINT = "duplicate-joint";
    /// A kind of joint that does not exist.
    UNKNOWN_JOINT_TYPE = "unknown-joint-type";
    /// A joint about a zero axis.
    ZERO_AXIS = "zero-axis";
    /// An axis that is not of unit length.
    LONG_AXIS = "long-axis";
    /// A joint without the limits that it has to have.
    NO_LIMIT = "no-limit";
    /// Limits of which the lower one is above the upper one.
    CROSSED_LIMITS = "crossed-limits";
    /// A robot without links.
    NO_LINKS = "no-links";
    /// A link that does not exist.
    UNKNOWN_LINK = "unknown-link";
    /// A link with two parents.
    TWO_PARENTS = "two-parents";
    /// Several links without a parent.
    TWO_ROOTS = "two-roots";
    /// Links that hang on each other in a circle.
    CYCLE = "cycle";
    /// A joint to mimic that does not exist or cannot be mimicked.
    UNKNOWN_MIMIC = "unknown-mimic";
    /// Joints that mimic each other in a circle.
    MIMIC_CYCLE = "mimic-cycle";
    /// Limits of a joint that mimics another one, out of the other one's reach.
    MIMIC_LIMITS = "mimic-limits";
    /// A material that is defined nowhere.
    UNKNOWN_MATERIAL = "unknown-material";
    /// Inertia that no body can have.
    INERTIA = "inertia";
    /// A base without mass.
    IMMOVABLE = "immovable";
    /// A mesh or image that is not there.
    MISSING_FILE = "missing-file";
    /// A mesh or image outside the allowed directories.
    OUTSIDE = "outside";
    /// More is wrong than is shown.
    AND_MORE = "and-more";
}
