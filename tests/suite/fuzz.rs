//! The corpora of the fuzz targets, and deterministic mutations of them.
//!
//! Inputs found by libFuzzer become files of the corpus, as regression tests.
#![cfg(test)]
use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use crate::fuzz_targets::{TARGETS, Target};

/// Number of mutations of each file.
const MUTATIONS: u64 = 150;

/// Byte sequences that often reveal faults of readers.
const PIECES: [&[u8]; 16] = [
    b"0",
    b"-1",
    b"1e308",
    b"1e-320",
    b"99999999999999999999",
    b"nan",
    b"inf",
    b"{",
    b"((((((((",
    b"\"",
    b"\n",
    b"\\u0000",
    b"\0",
    b"\xff",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
];

/// Deterministic random numbers (`SplitMix64`).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }

    /// Returns a number from 0 to below `end`, or 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Returns the bytes with one to four changes.
fn mutated(bytes: &[u8], other: &[u8], seed: u64) -> Vec<u8> {
    let mut numbers = Numbers(seed);
    let mut bytes = bytes.to_vec();
    for _ in 0..=numbers.below(4) {
        let start = numbers.below(bytes.len());
        let end = (start + 1 + numbers.below(16)).min(bytes.len());
        match numbers.below(7) {
            0 if !bytes.is_empty() => bytes[start] ^= 1 << numbers.below(8),
            1 if !bytes.is_empty() => bytes[start] = numbers.next() as u8,
            2 => drop(bytes.drain(start..end)),
            3 => bytes.truncate(start),
            4 => {
                let again = bytes[start..end].repeat(1 + numbers.below(64));
                bytes.splice(start..start, again);
            }
            5 => {
                let from = numbers.below(other.len());
                let to = (from + 1 + numbers.below(64)).min(other.len());
                bytes.splice(start..end, other[from..to].iter().copied());
            }
            _ => {
                let piece = PIECES[numbers.below(PIECES.len())];
                bytes.splice(start..end, piece.iter().copied());
            }
        }
    }
    bytes
}

/// Returns the files of a corpus, with their names.
fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fuzz/corpus")
        .join(name);
    let files =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<(String, Vec<u8>)> = files
        .map(|file| file.expect("an entry").path())
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), fs::read(&path).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

/// Returns the first input with which a target panics, stored as a file.
fn first_panic((name, body): Target) -> Option<String> {
    let files = corpus(name);
    assert!(files.len() > 1, "{name}: {} files", files.len());
    for (index, (file, bytes)) in files.iter().enumerate() {
        let (_, other) = &files[(index + 1) % files.len()];
        for mutation in 0..=MUTATIONS {
            let input = match mutation {
                0 => bytes.clone(),
                seed => mutated(bytes, other, seed + 1000 * index as u64),
            };
            if catch_unwind(AssertUnwindSafe(|| body(&input))).is_err() {
                let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}"));
                fs::write(&kept, &input).expect("a file");
                let kept = kept.display();
                return Some(format!("{name}: {file}, mutation {mutation}: see {kept}"));
            }
        }
    }
    None
}

#[test]
fn no_reader_is_brought_down() {
    let panics: Vec<String> = TARGETS.into_iter().filter_map(first_panic).collect();
    assert!(panics.is_empty(), "{}", panics.join("\n"));
}

#[test]
fn each_target_has_a_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let guide = fs::read_to_string(folder.join("../../CONTRIBUTING.md")).expect("a guide");
    for (name, _) in TARGETS {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        assert!(
            folder.join(format!("fuzz_targets/{name}.rs")).is_file(),
            "{name}"
        );
        assert!(guide.contains(name), "CONTRIBUTING.md does not name {name}");
    }
}

#[test]
fn a_panic_is_reported() {
    fn fragile(bytes: &[u8]) {
        assert!(!bytes.contains(&b'{') || bytes.contains(&b'}'), "planted");
    }
    let panic = first_panic(("robray", fragile));
    assert!(panic.is_some_and(|panic| panic.starts_with("robray: ")));
}
