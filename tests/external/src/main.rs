//! A program of a user: the whole command line, with one more sensor.
mod tilt;

fn main() -> std::process::ExitCode {
    morse_sim::cli::main_with(|app| {
        app.add_plugins(tilt::plugin);
    })
}
