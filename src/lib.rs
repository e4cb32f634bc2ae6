//! morse-sim.
