//! A window on a running simulation, and pictures by the graphics card.
//!
//! The window is an `App` of its own, on the main thread, while the simulation runs on another one. It gets
//! what there is, once, and then poses and readings through ports; it acts by requests and commands alone. So
//! a simulation goes the same way with a window and without.
//!
//! - [`Window`], [`window_channel()`]: how a simulation reaches its window;
//! - `window`: the window's own `App`; `replica`: poses and readings, as they come; `requests`: what is asked of
//!   the simulation;
//! - `entities`: bodies and their shapes; `shape`: triangles for each; `appearance`: what is on them; `light`: sun
//!   and shadows; `sky`: what is behind everything;
//! - `camera`: from where it is looked; `pick`: what is under the pointer, and dragging it; `keys`: keyboard;
//!   `gamepads`: gamepads and joysticks;
//! - `bar`, `tree`, `inspector`, `plot`: the panels; `rows`, `camera_image`: what is read in them;
//!   `command_panel`: what actuators are told; `gizmos`: rays, frames, what cameras see, and the like; `labels`: names;
//! - `screenshots`: pictures of the window; `occlusion`: what is not drawn while nobody looks;
//! - [`Gpu`]: pictures by the graphics card, off-screen.
mod appearance;
mod bar;
mod camera;
mod camera_image;
mod channel;
mod command_panel;
mod entities;
mod gamepads;
mod gizmos;
pub mod gpu;
mod inspector;
mod keys;
mod labels;
mod light;
mod occlusion;
mod pick;
mod plot;
mod replica;
mod requests;
mod rows;
mod screenshots;
mod shape;
mod sky;
mod tree;
mod window;

pub use channel::{
    Window, WindowContext, WindowError, WindowReceiver, WindowSender, plugin, window_channel,
};
pub use gpu::Gpu;
pub use screenshots::ScreenshotRequest;
pub use window::show;
