//! Benchmarks: `cargo bench --bench speed`.
mod rays;

use criterion::{criterion_group, criterion_main};

criterion_group!(benches, rays::fleet);
criterion_main!(benches);
