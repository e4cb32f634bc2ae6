//! Passes `targets::simulation_file` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| morse_fuzz::simulation_file(bytes));
