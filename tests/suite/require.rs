//! Tests that are skipped where a requirement is missing; those named in `MORSE_REQUIRE=screen,browser,python,ffmpeg` fail
//! instead.
#![cfg(test)]

use std::{env, io::Write as _};

/// Names of the requirements.
///
/// - `screen`: an X server, xdotool, and a Vulkan driver that draws without a graphics card;
/// - `browser`: Playwright and a Chromium;
/// - `python`: Python 3.9 or later, with pip, and the packages of its tests;
/// - `pymorse`: MORSE's own client (Debian's), and a Python before 3.12, which it requires;
/// - `ffmpeg`;
/// - `editors`: Neovim 0.7 or later, Emacs 27 or later, and Node.js with npm;
/// - `ray`: the Python package, for batches on clusters;
/// - `ros2`: a Python with rclpy of ROS 2 Jazzy and the usual messages;
/// - `kilted`: the same of ROS 2 Kilted.
const WORDS: [&str; 9] = [
    "screen", "browser", "python", "pymorse", "ffmpeg", "editors", "ray", "ros2", "kilted",
];

/// Reports that a test is skipped, or fails if it is required.
#[track_caller]
pub(crate) fn left_out(what: &str, why: &str) {
    check(&required(), what, why);
    say(why);
}

/// Prints a message, also where `cargo test` captures the output of tests.
pub(crate) fn say(why: &str) {
    writeln!(std::io::stderr(), "skipped: {why}").ok();
}

fn required() -> String {
    env::var("MORSE_REQUIRE").unwrap_or_default()
}

#[track_caller]
fn check(list: &str, what: &str, why: &str) {
    assert!(!words(list).contains(&what), "{what} is required: {why}");
    assert!(WORDS.contains(&what), "{what} cannot be required");
}

/// Returns the words of a list. An unknown word would require nothing, so it is an error.
#[track_caller]
fn words(list: &str) -> Vec<&str> {
    let words = list.split(',').map(str::trim);
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    for word in &words {
        assert!(WORDS.contains(word), "MORSE_REQUIRE knows no `{word}`");
    }
    words
}

#[test]
fn what_is_required_is_known() {
    words(&required());
}

#[test]
fn pythons_tests_accept_the_same_words() {
    let python = include_str!("../../plugins/python/tests/require.py");
    let listed = python.lines().find(|line| line.starts_with("WORDS ="));
    let quoted: Vec<&str> = listed.unwrap().split('"').skip(1).step_by(2).collect();
    assert_eq!(quoted, WORDS);
}

#[test]
fn what_is_not_required_may_be_left_out() {
    check("", "python", "there is no python3");
    check("screen, ffmpeg,", "python", "there is no python3");
}

#[test]
#[should_panic(expected = "ffmpeg is required: there is no ffmpeg")]
fn what_is_required_fails() {
    check("screen, ffmpeg,", "ffmpeg", "there is no ffmpeg");
}

#[test]
#[should_panic(expected = "knows no `fmpeg`")]
fn unknown_words_are_an_error() {
    check("screen,fmpeg", "python", "there is no python3");
}
