//! Passes `targets::ply_file` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| morse_fuzz::ply_file(bytes));
