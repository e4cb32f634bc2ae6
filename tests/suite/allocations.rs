//! A tick that is like the one before it asks for no memory of ours: what the engine asks for is its own affair.
#![cfg(test)]
use std::{
    alloc::{GlobalAlloc, Layout, System},
    backtrace::Backtrace,
    cell::{Cell, RefCell},
    collections::BTreeMap,
    path::Path,
};

use super::golden_runs;

/// The system's allocator, which tells who asks for memory while somebody wants to know.
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
// SAFETY: all is handed on as it came.
unsafe impl GlobalAlloc for Told {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        tell();
        // SAFETY: as the caller says.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        tell();
        // SAFETY: as the caller says.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller says.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        tell();
        // SAFETY: as the caller says.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// Notes who asks for memory.
fn tell() {
    // What noting asks for itself is not noted. At the end of a thread there is nobody to be told.
    if IS_WATCHED.try_with(|is| is.replace(false)) == Ok(true) {
        let who = asker(&Backtrace::force_capture().to_string());
        ASKED.with_borrow_mut(|asked| *asked.entry(who).or_default() += 1);
        IS_WATCHED.set(true);
    }
}

/// The innermost function of a trace that names its crate, but for those of the allocator and of the standard library, also
/// where these are instances for a type of another crate.
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

/// Functions that ask for memory in some ticks of a scene that has run for a while, and how often.
fn askers(file: &Path) -> BTreeMap<String, u32> {
    let mut simulation = golden_runs::open(file);
    // At 300 ticks the Jido meets more contacts than ever before, and memory for them grows once.
    simulation.run(330).unwrap();
    ASKED.take();
    IS_WATCHED.set(true);
    let end = simulation.run(5);
    IS_WATCHED.set(false);
    end.unwrap();
    ASKED.take()
}

/// Scenes with pictures, texts in data and messages of objects: these are made anew each time.
const ANEW: [&str; 5] = ["inspection", "controllers", "cameras", "earth", "things"];

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
