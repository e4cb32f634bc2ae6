//! Codes of the diagnostics of MJCF files. The golden tests show each of them.

crate::codes::declare! { "mjcf":
    /// The root element is not `<mujoco>`.
    NOT_A_MODEL = "not-a-model";
    /// An `<include>` whose file cannot be read or is included twice.
    INCLUDE = "include";
    /// A model that exceeds a size limit.
    TOO_LARGE = "too-large";
    /// An unknown element.
    UNKNOWN_ELEMENT = "unknown-element";
    /// An unknown attribute.
    UNKNOWN_ATTRIBUTE = "unknown-attribute";
    /// Elements that the simulator has no counterpart for.
    IGNORED = "ignored";
    /// A required attribute is missing.
    MISSING_ATTRIBUTE = "missing-attribute";
    /// A value that is no number, or the wrong number of values.
    BAD_NUMBER = "bad-number";
    /// A number out of the range of its attribute.
    OUT_OF_RANGE = "out-of-range";
    /// A keyword that the attribute does not have.
    BAD_WORD = "bad-word";
    /// A name, or a number, that a scene cannot represent.
    BAD_NAME = "bad-name";
    /// Two elements of one kind with the same name.
    DUPLICATE_NAME = "duplicate-name";
    /// A name of a class, body, joint, mesh or material that does not exist.
    UNKNOWN_NAME = "unknown-name";
    /// A zero axis, or a free joint where none is possible.
    JOINT = "joint";
    /// Limits whose lower one is above the upper one.
    CROSSED_LIMITS = "crossed-limits";
    /// Sensors, actuators and settings of joints that belong into a simulation file.
    COMPONENT = "component";
    /// An approximation of a feature of MuJoCo.
    APPROXIMATION = "approximation";
    /// A moving body without mass, or a mass that cannot be computed.
    MASS = "mass";
}
