//! A tick in a steady state makes no allocations of its own; allocations of the engine are not checked.
#![cfg(test)]
use std::{
    alloc::{GlobalAlloc, Layout, System},
    backtrace::Backtrace,
    cell::{Cell, RefCell},
    collections::BTreeMap,
    path::Path,
};

use super::golden_runs;

/// The system's allocator, which records the callers of allocations while recording is on.
struct Told;

#[global_allocator]
static ALLOCATOR: Told = Told;

thread_local! {
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    static ASKED: RefCell<BTreeMap<String, u32>> = const { RefCell::new(BTreeMap::new()) };
}

#[expect(
    unsafe_code,
    reason = "an allocator is unsafe by its nature; this one hands all on to the system's"
)]
// SAFETY: all calls are forwarded unchanged.
unsafe impl GlobalAlloc for Told {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        tell();
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        tell();
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        tell();
        // SAFETY: guaranteed by the caller.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// Records the caller of an allocation.
fn tell() {
    // Allocations of the recording itself are not recorded. At the end of a thread there is no record.
    if IS_WATCHED.try_with(|is| is.replace(false)) == Ok(true) {
        let who = asker(&Backtrace::force_capture().to_string());
        ASKED.with_borrow_mut(|asked| *asked.entry(who).or_default() += 1);
        IS_WATCHED.set(true);
    }
}

/// Returns the innermost function of a trace that names its crate, except those of the allocator and of the standard
/// library, also where these are instances for a type of another crate.
fn asker(trace: &str) -> String {
    let functions = trace.lines().filter_map(|line| {
        let (number, function) = line.trim().split_once(": ")?;
        number.parse::<u32>().ok().map(|_| function)
    });
    let names_crate = |function: &&str| {
        let crates = [
            "morse_",
            "rapier3d::",
            "parry3d::",
            "bevy_",
            "crossbeam_channel::",
        ];
        let of_std = ["alloc::", "core::", "std::"];
        let is_of_std = of_std
            .iter()
            .any(|of| function.starts_with(of) || function.contains(&format!(" as {of}")));
        crates.iter().any(|of| function.contains(of))
            && !is_of_std
            && !function.contains("allocations::Told")
    };
    functions.filter(names_crate).take(1).collect()
}

/// Returns the functions that allocate in some ticks of a scene that has run for a while, with their numbers of allocations.
fn askers(file: &Path) -> BTreeMap<String, u32> {
    let mut simulation = golden_runs::open(file);
    // At 300 ticks the Jido has more contacts than ever before, and memory for them grows once.
    simulation.run(330).unwrap();
    ASKED.take();
    IS_WATCHED.set(true);
    let end = simulation.run(5);
    IS_WATCHED.set(false);
    end.unwrap();
    ASKED.take()
}

/// Scenes with pictures, texts in data and messages of objects: these are allocated anew each time.
const ANEW: [&str; 6] = [
    "inspection",
    "controllers",
    "cameras",
    "earth",
    "things",
    "aibo_ball",
];

#[test]
fn a_steady_tick_asks_for_no_memory() {
    let mut found = String::new();
    let mut others = 0;
    for scene in golden_runs::scenes() {
        let name = scene.file_stem().unwrap().to_str().unwrap();
        if ANEW.contains(&name) {
            continue;
        }
        for (who, count) in askers(&scene) {
            if who.contains("morse_") {
                found += &format!("{name}: {count} times {who}\n");
            } else {
                others += count;
            }
        }
    }
    assert_eq!(found, "");
    assert!(others > 0, "the engine asks for some: nobody was told");
}
