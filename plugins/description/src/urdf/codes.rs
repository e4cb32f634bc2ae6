//! Codes of all diagnostics of robot descriptions. The golden tests show each of them.

crate::codes::declare! { "urdf":
    /// The root element is not `<robot>`.
    NOT_A_ROBOT = "not-a-robot";
    /// A robot that exceeds a size limit.
    TOO_LARGE = "too-large";
    /// An unknown element.
    UNKNOWN_ELEMENT = "unknown-element";
    /// An unknown attribute.
    UNKNOWN_ATTRIBUTE = "unknown-attribute";
    /// Elements for other programs, which are ignored.
    IGNORED = "ignored";
    /// A repeated element.
    DUPLICATE_ELEMENT = "duplicate-element";
    /// A required element is missing.
    MISSING_ELEMENT = "missing-element";
    /// A required attribute is missing.
    MISSING_ATTRIBUTE = "missing-attribute";
    /// A value that is no number, or the wrong number of values.
    BAD_NUMBER = "bad-number";
    /// A number out of the range of its attribute.
    OUT_OF_RANGE = "out-of-range";
    /// A substitution of xacro in a file without xacro.
    XACRO = "xacro";
    /// An empty name, or one that a scene file cannot represent.
    BAD_NAME = "bad-name";
    /// Two links with the same name.
    DUPLICATE_LINK = "duplicate-link";
    /// Two joints with the same name.
    DUPLICATE_JOINT = "duplicate-joint";
    /// An unknown type of joint.
    UNKNOWN_JOINT_TYPE = "unknown-joint-type";
    /// A spherical joint, which becomes three hinges.
    SPHERICAL = "spherical";
    /// A joint about a zero axis.
    ZERO_AXIS = "zero-axis";
    /// An axis whose length is not one.
    LONG_AXIS = "long-axis";
    /// Angles that are probably in degrees.
    DEGREES = "degrees";
    /// A joint without its required limits.
    NO_LIMIT = "no-limit";
    /// Limits whose lower one is above the upper one.
    CROSSED_LIMITS = "crossed-limits";
    /// A robot without links.
    NO_LINKS = "no-links";
    /// A link that does not exist.
    UNKNOWN_LINK = "unknown-link";
    /// A link with two parents.
    TWO_PARENTS = "two-parents";
    /// Several links without a parent.
    TWO_ROOTS = "two-roots";
    /// Links whose joints form a cycle.
    CYCLE = "cycle";
    /// A joint to mimic that does not exist or cannot be mimicked.
    UNKNOWN_MIMIC = "unknown-mimic";
    /// Joints that mimic each other in a cycle.
    MIMIC_CYCLE = "mimic-cycle";
    /// Limits of a mimic joint that its leader cannot reach.
    MIMIC_LIMITS = "mimic-limits";
    /// An undefined material.
    UNKNOWN_MATERIAL = "unknown-material";
    /// A physically impossible inertia.
    INERTIA = "inertia";
    /// Sensors, plugins and motors that belong into a simulation file.
    COMPONENT = "component";
    /// A base without mass.
    IMMOVABLE = "immovable";
}
