#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| weighbridge_oracles::configuration::parsing(text));
