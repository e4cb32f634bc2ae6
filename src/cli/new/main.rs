//! The complete command line of morse-sim, with the component of this crate: `cargo run --example sim -- list sensors`.
fn main() -> std::process::ExitCode {
    morse_sim::cli::main_with(|app| {
        app.add_plugins(new_component::plugin);
    })
}
