//! Benchmarks.
use criterion::{criterion_group, criterion_main};

criterion_group!(benches,);
criterion_main!(benches);
