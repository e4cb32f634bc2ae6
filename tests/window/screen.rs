//! An X server without a screen.
#![cfg(test)]
use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::require::left_out;

/// An X server for one test.
pub(crate) struct Screen {
    server: Child,
    name: String,
}

impl Screen {
    /// Starts an X server; returns `None` and prints a message if there is no Xvfb.
    pub(crate) fn start() -> Option<Self> {
        let started = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1400x900x24",
                "-nolisten",
                "tcp",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut server) = started else {
            left_out("screen", "there is no Xvfb: the window is not tried");
            return None;
        };
        let mut number = String::new();
        let mut out = BufReader::new(server.stdout.take().unwrap());
        out.read_line(&mut number).unwrap();
        Some(Self {
            server,
            name: format!(":{}", number.trim()),
        })
    }

    /// Returns the program, with this screen.
    pub(crate) fn program(&self, arguments: &[&str], directory: &Path) -> Command {
        let mut command = program(arguments, directory);
        command.env("DISPLAY", &self.name);
        command
    }

    /// Gives the window the keyboard focus, since there is no window manager.
    pub(crate) fn focus(&self) {
        self.xdotool(&["search", "--name", "morse-sim", "windowfocus"]);
    }

    /// Moves the window; at (3000, 3000) it is invisible.
    pub(crate) fn move_to(&self, x: i32, y: i32) {
        let (x, y) = (x.to_string(), y.to_string());
        self.xdotool(&["search", "--name", "morse-sim", "windowmove", &x, &y]);
    }

    /// Presses a key in the window.
    pub(crate) fn press(&self, key: &str) {
        self.xdotool(&["key", key]);
    }

    /// Moves the pointer and clicks.
    pub(crate) fn click(&self, x: i32, y: i32) {
        let (x, y) = (x.to_string(), y.to_string());
        self.xdotool(&["mousemove", &x, &y]);
        std::thread::sleep(Duration::from_millis(300));
        self.xdotool(&["click", "1"]);
    }

    fn xdotool(&self, arguments: &[&str]) {
        let done = Command::new("xdotool")
            .args(arguments)
            .env("DISPLAY", &self.name)
            .status();
        assert!(
            done.is_ok_and(|status| status.success()),
            "xdotool {arguments:?}"
        );
    }

    /// Returns true if key presses can be simulated.
    pub(crate) fn has_keys() -> bool {
        let is_there = Command::new("xdotool")
            .arg("version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok();
        if !is_there {
            left_out("screen", "there is no xdotool: no keys are pressed");
        }
        is_there
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

/// Returns the program without a screen.
pub(crate) fn program(arguments: &[&str], directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_morse-sim"));
    command
        .args(arguments)
        .current_dir(directory)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env("XDG_RUNTIME_DIR", directory);
    command
}

/// Waits for a file; fails after two minutes.
pub(crate) fn wait_for(file: &Path) {
    let is_there = (0..1200).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        file.exists()
    });
    assert!(is_there, "{} is missing", file.display());
    // The file is being written; the last byte follows soon.
    std::thread::sleep(Duration::from_millis(300));
}
