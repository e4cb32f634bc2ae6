//! Benchmarks: `cargo bench --bench speed`; `-- --test` runs each once, as a check.
//!
//! - [`scenes`]: reading scenes, and loading many bodies; [`compiled`]: reading a large one as text and compiled;
//! - [`ticks`]: an empty world, a thousand stacked boxes, fifty rovers with scanners;
//! - [`rays`]: rays alone; [`render`]: pictures alone.
mod compiled;
mod rays;
mod render;
mod scenes;
mod ticks;

use criterion::{criterion_group, criterion_main};

criterion_group!(
    benches,
    scenes::parse,
    scenes::load,
    compiled::reading,
    ticks::empty,
    ticks::stack,
    ticks::fleet,
    rays::fleet,
    render::arena,
    render::sizes
);
criterion_main!(benches);
