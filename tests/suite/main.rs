//! All integration tests, linked once: one module a topic.
mod arms;
mod cli;
mod determinism;
mod diagnostics;
mod external;
mod hostile_scenes;
mod language_rules;
mod physics;
mod pipeline;
mod rays;
mod robray;
mod scene_commands;
mod scene_text;
mod shipped;
mod simulation_file;
mod tidy;
