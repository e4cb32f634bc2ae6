//! Overlays, one per file: services in addition to those of a component.
//!
//! To add one, write the file and add its name to the list below.
use bevy::prelude::App;

macro_rules! overlays {
    ($($name:ident),+ $(,)?) => {
        $(pub mod $name;)+

        /// Adds every built-in overlay.
        pub fn plugin(app: &mut App) {
            $($name::plugin(app);)+
        }

        /// The files of this directory, for the test that looks for missing ones.
        pub const FILES: &[&str] = &[$(stringify!($name)),+];
    };
}

overlays! {
    human,
    pr2,
    rename,
}
