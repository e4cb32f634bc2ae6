//! Status values that handlers and calls return.
use std::fmt;

/// Status of a call or of a handler: a number, of which 0 is success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Status(pub u32);

macro_rules! statuses {
    ($($(#[$docs:meta])* $name:ident = $number:literal,)*) => {
        impl Status {
            $($(#[$docs])* pub const $name: Self = Self($number);)*

            /// Name of the status, if it is a known one.
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
    /// Failure of no particular kind.
    FAIL = 2,
    /// Call that does not exist here.
    NOT_SUPPORTED = 3,
    /// Argument that makes no sense.
    INVALID_ARG = 4,
    /// Shortage of memory.
    NO_MEMORY = 5,
    /// Thing that does not exist.
    NOT_FOUND = 6,
    /// Thing that exists already.
    ALREADY_EXIST = 7,
    /// Mailbox that is full.
    FULL_OF_QUEUE = 10,
    /// Message that could not be sent.
    SEND_FAIL = 13,
    /// Call that came before its time.
    NOT_INITIALIZED = 18,
    /// Refusal.
    REFUSED = 19,
    /// Object that does not exist.
    INVALID_OID = 27,
    /// Thing that somebody else uses.
    BUSY = 33,
    /// Lack of sync keys: all are in use.
    NO_SYNC_KEY = 4106,
    /// Sync key that is not, or no longer, in use.
    INVALID_SYNC_KEY = 4107,
}

impl Status {
    /// Tells whether this is success.
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
