//! Tests that are left out where something is missing, and those that must not be: what
//! `MORSE_REQUIRE=screen,browser,python,ffmpeg` names fails instead.
#![cfg(test)]

use std::{env, io::Write as _};

/// Names of what can be missing.
///
/// - `screen`: an X server, xdotool, and a Vulkan driver that draws without a graphics card;
/// - `browser`: Playwright and a Chromium;
/// - `python`: Python 3.9 or later, with pip, and what its tests talk to;
/// - `pymorse`: MORSE's own client (Debian's), and a Python before 3.12, which it needs;
/// - `ffmpeg`.
const WORDS: [&str; 5] = ["screen", "browser", "python", "pymorse", "ffmpeg"];

/// Says that a test is left out, or fails where it must not be.
#[track_caller]
pub(crate) fn left_out(what: &str, why: &str) {
    check(&required(), what, why);
    say(why);
}

/// Says what is left out, also where `cargo test` keeps what tests print to itself.
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

/// The words of a list. One that nobody knows would require nothing, so it is an error.
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
