//! All integration tests, linked once: one module a topic.
mod diagnostics;
mod robray;
mod scene_text;
mod simulation_file;
