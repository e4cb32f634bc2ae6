//! Passes `targets::mjcf` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| morse_fuzz::mjcf(bytes));
