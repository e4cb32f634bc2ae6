//! Overlays, one a file: services over those of a component.
//!
//! To add one: write the file, and put its name into the list below.
use bevy::prelude::App;

macro_rules! overlays {
    ($($name:ident),+ $(,)?) => {
        $(pub mod $name;)+

        /// Adds every built-in overlay.
        pub fn plugin(app: &mut App) {
            $($name::plugin(app);)+
        }

        /// The files of this folder, for the test that looks for a forgotten one.
        pub const FILES: &[&str] = &[$(stringify!($name)),+];
    };
}

overlays! {
    human,
    pr2,
    rename,
}
