//! Passes `targets::socket_command` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| morse_fuzz::socket_command(bytes));
