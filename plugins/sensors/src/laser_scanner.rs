//! Distances in many directions, in one plane or in several layers: lidars and range finders.
//!
//! Kinds with the numbers of known devices are `sick`, `hokuyo`, `sick_ldmrs` and `infrared`.
pub use crate::laser::LaserScannerData;

crate::laser::laser! {
    /// Casts one ray for each direction and reports what it meets first. The robot that carries the
    /// scanner is never met.
    ///
    /// x points forward, z up. In each layer the rays go from the right, at minus half the window, to the
    /// left; the layers follow each other from the top one down. As in MORSE, a ray at angle a of a layer
    /// at angle v goes along (cos a, sin a, sin v), so its elevation is atan(sin v). Unlike there, angles
    /// are multiples of the resolution without accumulated error, and a scanner of one layer is not
    /// shifted by `layer_offset`; the level `range`, which MORSE has for ROS alone, is there for all.
    LaserScanner, "laser_scanner", every None;
    180.0 deg by 1.0 deg to 30.0 m, 1 layers
}
