//! Passes `targets::socket_request` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| morse_fuzz::socket_request(bytes));
