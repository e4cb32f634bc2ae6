//! The window and the renderer `gpu`, for real: on an X server without a screen (Xvfb), with whatever Vulkan there is
//! (llvmpipe draws without a card). Run with `cargo test --features viewer --test window`.
mod card;
mod picture;
#[path = "../suite/require.rs"]
mod require;
mod screen;
mod seen;
