//! morse-sim.
fn main() {}
