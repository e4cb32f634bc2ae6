//! Declaration of messages.

/// Definition of a message.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Type of the message, such as `sensor_msgs/msg/Imu`.
    pub name: &'static str,
    /// Name of the Rust type.
    pub rust: &'static str,
    /// Names of the fields, and their Rust types.
    pub fields: &'static [(&'static str, &'static str)],
}

/// Two message names would hide Rust's own types.
macro_rules! message_name {
    (Text) => {
        "String"
    };
    (Vector) => {
        "Vector3"
    };
    (Flag) => {
        "Bool"
    };
    ($name:ident) => {
        stringify!($name)
    };
}

macro_rules! messages {
    ($($(#[$docs:meta])* $package:literal $name:ident { $($(#[$field_docs:meta])* $field:ident: $type:ty),+ $(,)? })+) => {
        /// Definitions of the messages.
        pub(super) const DEFINITIONS: &[Definition] = &[$(Definition {
            name: $name::TYPE,
            rust: stringify!($name),
            fields: &[$((stringify!($field), stringify!($type))),+],
        }),+];
    $(
        $(#[$docs])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $name { $($(#[$field_docs])* pub $field: $type),+ }

        impl Message for $name {
            const TYPE: &'static str = concat!($package, "/msg/", message_name!($name));
        }
    )+};
}

/// Declares messages of actions, whose types are written in full.
macro_rules! structures {
    ($($(#[$docs:meta])* $type:literal $name:ident { $($(#[$field_docs:meta])* $field:ident: $field_type:ty),+ $(,)? })+) => {
        /// Definitions of the messages.
        pub(super) const DEFINITIONS: &[Definition] = &[$(Definition {
            name: $type,
            rust: stringify!($name),
            fields: &[$((stringify!($field), stringify!($field_type))),+],
        }),+];
    $(
        $(#[$docs])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $name { $($(#[$field_docs])* pub $field: $field_type),+ }
    )+};
}
