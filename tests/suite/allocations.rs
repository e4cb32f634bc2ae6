//! A tick in a steady state makes no allocations of its own; allocations of the engine are not checked. Snapshots do not copy
//! the meshes of bodies.
#![cfg(test)]
use std::{
    alloc::{GlobalAlloc, Layout, System},
    backtrace::Backtrace,
    cell::{Cell, RefCell},
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::Path,
};

use super::golden_runs;

/// The system's allocator, which records the callers of allocations while recording is on.
struct Told;

#[global_allocator]
static ALLOCATOR: Told = Told;

thread_local! {
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    /// Number of bytes allocated since the start of the thread.
    static BYTES: Cell<usize> = const { Cell::new(0) };
    static ASKED: RefCell<BTreeMap<String, u32>> = const { RefCell::new(BTreeMap::new()) };
}

#[expect(
    unsafe_code,
    reason = "an allocator is unsafe by its nature; this one hands all on to the system's"
)]
// SAFETY: all calls are forwarded unchanged.
unsafe impl GlobalAlloc for Told {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        tell(layout.size());
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        tell(layout.size());
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        tell(size);
        // SAFETY: guaranteed by the caller.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// Records the size of an allocation, and its caller.
fn tell(size: usize) {
    // At the end of a thread there is no counter, and no record.
    if BYTES
        .try_with(|bytes| bytes.set(bytes.get() + size))
        .is_err()
    {
        return;
    }
    // Allocations of the recording itself are not recorded.
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
    let mut allocations = String::new();
    let mut others = 0;
    for scene in golden_runs::scenes() {
        let name = scene.file_stem().unwrap().to_str().unwrap();
        if ANEW.contains(&name) {
            continue;
        }
        for (who, count) in askers(&scene) {
            if who.contains("morse_") {
                allocations += &format!("{name}: {count} times {who}\n");
            } else {
                others += count;
            }
        }
    }
    assert_eq!(allocations, "");
    assert!(others > 0, "the engine asks for some: nobody was told");
}

/// Returns the numbers of bytes that a snapshot and its restoration allocate, of 50 bodies with a geometry.
fn snapshot_bytes(folder: &Path, geometry: &str) -> [usize; 2] {
    let mut scene = format!("class part {{ {geometry}; density 300; }}\n");
    for index in 0..50 {
        writeln!(
            scene,
            "frame b{index} {{ type floating; translation [{index}, 0, 1]; geometry {{ isa part; }} }}"
        )
        .unwrap();
    }
    let file = folder.join("parts.robray");
    fs::write(&file, scene).unwrap();
    let mut simulation = golden_runs::open(&file);
    simulation.run(2).unwrap();
    let start = BYTES.get();
    let snapshot = simulation.snapshot().unwrap();
    let taken = BYTES.get();
    simulation.restore(&snapshot).unwrap();
    [taken - start, BYTES.get() - taken]
}

#[test]
fn snapshots_do_not_copy_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let mut mesh = String::new();
    // Points on a sphere, on a golden spiral: all are corners of its hull.
    let count = 1000;
    for index in 0..count {
        let z = 1.0 - 2.0 * (f64::from(index) + 0.5) / f64::from(count);
        let (sin, cos) = libm::sincos(f64::from(index) * 2.399_963_229_728_653);
        let radius = 0.2 * (1.0 - z * z).sqrt();
        writeln!(mesh, "v {} {} {}", radius * cos, radius * sin, 0.2 * z).unwrap();
    }
    for index in 1..count - 1 {
        writeln!(mesh, "f {index} {} {}", index + 1, index + 2).unwrap();
    }
    fs::write(folder.path().join("ball.obj"), mesh).unwrap();
    let boxes = snapshot_bytes(folder.path(), "shape box; dimension [0.4, 0.4, 0.4]");
    let hulls = snapshot_bytes(folder.path(), "shape mesh; mesh \"ball.obj\"");
    for (hulls, boxes) in hulls.into_iter().zip(boxes) {
        // A hull with 1000 corners takes more than 50 000 bytes.
        assert!(hulls < boxes + 50_000, "{hulls} instead of {boxes} bytes");
    }
}
