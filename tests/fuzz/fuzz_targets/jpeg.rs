//! Passes `targets::jpeg` to libFuzzer.
#![no_main]
#![allow(dead_code, reason = "one target of all")]
use morse_fuzz as fuzz_readers;

#[path = "../targets.rs"]
mod fuzz_targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::jpeg(bytes));
