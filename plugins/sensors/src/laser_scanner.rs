//! Laser scanners and range finders: distances in many directions, in one plane or in several layers.
//!
//! Kinds with the data of real devices are `sick`, `hokuyo`, `sick_ldmrs` and `infrared`.
pub use crate::laser::LaserScannerData;

crate::laser::laser! {
    /// Casts one ray per direction and reports its first hit. The robot that carries the scanner is ignored.
    ///
    /// x points forward, z up. In each layer the rays go from right, at minus half the window, to left; layers are ordered
    /// from top to bottom. As in MORSE, a ray at angle a of a layer at angle v has the direction (cos a, sin a, sin v), so
    /// its elevation is atan(sin v), unless the `convention` is `spherical`. Unlike in MORSE, angles are multiples of the resolution without accumulated error, and
    /// a scanner with one layer is not rotated by `layer_offset`; the level `range`, which MORSE has for ROS alone, is
    /// always available.
    LaserScanner, "laser_scanner", every None;
    180.0 deg by 1.0 deg to 30.0 m, 1 layers
}
