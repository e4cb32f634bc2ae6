//! Codes of all diagnostics of macros. The golden tests show each of them.

crate::codes::declare! { "xacro":
    /// An expression or substitution that cannot be evaluated.
    EXPRESSION = "expression";
    /// A required attribute is missing.
    MISSING = "missing";
    /// An undefined macro.
    UNKNOWN_MACRO = "unknown-macro";
    /// A parameter that a macro does not declare, or a declared parameter without a value.
    PARAMETER = "parameter";
    /// An undefined block.
    BLOCK = "block";
    /// A condition that is neither true nor false.
    CONDITION = "condition";
    /// A file that cannot be included.
    INCLUDE = "include";
    /// A size limit is exceeded, or the expansion does not end.
    TOO_LARGE = "too-large";
}
