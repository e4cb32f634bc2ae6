//! The whole command line of morse-sim, with this crate's part in it: `cargo run --example sim -- list sensors`.
fn main() -> std::process::ExitCode {
    morse_sim::cli::main_with(|app| {
        app.add_plugins(new_part::plugin);
    })
}
