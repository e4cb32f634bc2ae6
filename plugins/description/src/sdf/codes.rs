//! Codes of the diagnostics of SDF files. The golden tests show each of them.

crate::codes::declare! { "sdf":
    /// The root element is not `<sdf>`, or there is neither a world nor a model in it.
    NOT_A_MODEL = "not-a-model";
    /// A version of the format that is too old, too new or missing.
    VERSION = "version";
    /// An `<include>` whose model cannot be found or read.
    INCLUDE = "include";
    /// A description that exceeds a size limit.
    TOO_LARGE = "too-large";
    /// An unknown element.
    UNKNOWN_ELEMENT = "unknown-element";
    /// Elements that the simulator has no counterpart for.
    IGNORED = "ignored";
    /// A sensor or plugin that is not simulated, or that belongs into a simulation file.
    COMPONENT = "component";
    /// A repeated element.
    DUPLICATE_ELEMENT = "duplicate-element";
    /// A required element is missing.
    MISSING_ELEMENT = "missing-element";
    /// A required attribute is missing.
    MISSING_ATTRIBUTE = "missing-attribute";
    /// A value that is no number, or the wrong number of values.
    BAD_NUMBER = "bad-number";
    /// A number out of the range of its element.
    OUT_OF_RANGE = "out-of-range";
    /// A keyword that the element does not have.
    BAD_WORD = "bad-word";
    /// A name, or a number, that a scene cannot represent.
    BAD_NAME = "bad-name";
    /// Two elements with the same name in one model.
    DUPLICATE_NAME = "duplicate-name";
    /// A name of a link, joint, frame or model that does not exist.
    UNKNOWN_NAME = "unknown-name";
    /// Frames whose poses, or whose links, depend on each other.
    CYCLE = "cycle";
    /// A joint with a zero axis, or one that connects a link with itself.
    JOINT = "joint";
    /// Limits whose lower one is above the upper one.
    CROSSED_LIMITS = "crossed-limits";
    /// A model without links.
    NO_LINKS = "no-links";
    /// An approximation of a feature of SDF.
    APPROXIMATION = "approximation";
    /// A moving body without mass.
    MASS = "mass";
    /// A physically impossible inertia.
    INERTIA = "inertia";
}
