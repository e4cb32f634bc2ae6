//! Status values that handlers and calls return.
use std::fmt;

/// Status of a call or of a handler: a number, 0 for success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Status(pub u32);

macro_rules! statuses {
    ($($(#[$docs:meta])* $name:ident = $number:literal,)*) => {
        impl Status {
            $($(#[$docs])* pub const $name: Self = Self($number);)*

            /// Returns the name of the status, if it is a known one.
            #[must_use]
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}

statuses! {
    /// Success.
    SUCCESS = 0,
    /// Undefined result.
    UNDEF = 1,
    /// Unspecified failure.
    FAIL = 2,
    /// Call that is not supported.
    NOT_SUPPORTED = 3,
    /// Invalid argument.
    INVALID_ARG = 4,
    /// Shortage of memory.
    NO_MEMORY = 5,
    /// Item that does not exist.
    NOT_FOUND = 6,
    /// Item that already exists.
    ALREADY_EXIST = 7,
    /// Full mailbox.
    FULL_OF_QUEUE = 10,
    /// Message that could not be sent.
    SEND_FAIL = 13,
    /// Call before initialisation.
    NOT_INITIALIZED = 18,
    /// Refusal, for example of a connection.
    REFUSED = 19,
    /// Object that does not exist.
    INVALID_OID = 27,
    /// Item in use.
    BUSY = 33,
    /// Primitive that the robot does not have.
    INVALID_PRIMITIVE_ID = 4096,
    /// Vector that is not valid.
    INVALID_DATA_VECTOR_ID = 4097,
    /// Type of data that is not known, or does not fit.
    INVALID_DATA_TYPE = 4098,
    /// Lack of sync keys: all are in use.
    NO_SYNC_KEY = 4106,
    /// Sync key that is not in use.
    INVALID_SYNC_KEY = 4107,
    /// Gains of a joint whose servo is disabled.
    GAIN_DISABLED = 4108,
    /// Data file without contents.
    DESIGNDATA_SIZE_ZERO = 4110,
    /// Joint that cannot be controlled: a jam was detected.
    ALERT_JOINT_UNCONTROLLABLE = 8192,
}

impl Status {
    /// Returns true for success.
    #[must_use]
    pub const fn is_success(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "status {}", self.0),
        }
    }
}
