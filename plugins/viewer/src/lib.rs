//! A window on a running simulation, and pictures by the graphics card.
//!
//! The window is an `App` of its own, on the main thread, while the simulation runs on another one. It gets
//! what there is, once, and then poses and readings through ports; it acts by requests and commands alone. So
//! a simulation goes the same way with a window and without.
//!
//! - [`Window`], [`door`]: how a simulation reaches its window;
//! - `window`: the window's own `App`; `mirror`: poses and readings, as they come; `ask`: what is asked of the
//!   simulation;
//! - `stage`: bodies and their shapes; `shape`: triangles for each; `skin`: what is on them; `light`: sun and shadows;
//!   `sky`: what is behind everything;
//! - `eye`: from where it is looked; `pick`: what is under the pointer, and dragging it; `keys`: keyboard;
//!   `pads`: gamepads and joysticks;
//! - `bar`, `tree`, `facts`, `plot`: the panels; `rows`, `photo`: what is read in them; `orders`: what actuators are
//!   told; `sketch`: rays, frames, what cameras see, and the like; `labels`: names;
//! - `shot`: pictures of the window; `unseen`: what is not drawn while nobody looks;
//! - [`Gpu`]: pictures by the graphics card, off-screen.
mod ask;
mod bar;
mod door;
mod eye;
mod facts;
pub mod gpu;
mod keys;
mod labels;
mod light;
mod mirror;
mod orders;
mod pads;
mod photo;
mod pick;
mod plot;
mod rows;
mod shape;
mod shot;
mod sketch;
mod skin;
mod sky;
mod stage;
mod tree;
mod unseen;
mod window;

pub use door::{Door, Entrance, Looker, Window, door, plugin};
pub use gpu::Gpu;
pub use shot::Shot;
pub use window::show;
