//! End-to-end tests of the window and the renderer `gpu`: on an X server without a screen (Xvfb), with any Vulkan driver
//! (llvmpipe draws without a card). Run with `cargo test --features viewer --test window`.
mod card;
mod picture;
#[path = "../suite/require.rs"]
mod require;
mod screen;
mod seen;
