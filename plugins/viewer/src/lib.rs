//! Viewer window for a running simulation, and off-screen pictures by the graphics card.
//!
//! The window is an `App` of its own on the main thread, while the simulation runs on another thread. The window receives
//! the scenery once, and then poses and readings through ports; it acts only by requests and commands. Therefore a
//! simulation runs identically with and without a window.
//!
//! - [`Window`], [`window_channel()`]: connection of a simulation and its window;
//! - `window`: the window's own `App`; `replica`: poses and readings as they arrive; `requests`: requests to the simulation;
//! - `entities`: bodies and their shapes; `shape`: triangles of each shape; `appearance`: materials; `light`: sun and
//!   shadows; `lamps`: lamps of robots; `sky`: background;
//! - `camera`: viewpoint; `pick`: selection and dragging by the pointer; `keys`: keyboard; `gamepads`: gamepads and
//!   joysticks;
//! - `bar`, `tree`, `inspector`, `plot`: panels; `rows`, `camera_image`: display of readings; `command_panel`: commands to
//!   actuators; `gizmos`: overlays such as rays, frames and camera frustums; `labels`: names;
//! - `objects`: panel of objects and their links; `graph_layout`, `graph_routes`: positions of its boxes, and lines between them;
//! - `screenshots`: pictures of the window; `occlusion`: pause of drawing while the window is hidden;
//! - [`Gpu`]: off-screen pictures by the graphics card.
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
mod graph_layout;
mod graph_routes;
mod inspector;
mod keys;
mod labels;
mod lamps;
mod light;
mod objects;
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
