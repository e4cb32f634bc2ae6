//! Infrared range finder with a short range.
crate::laser::laser! {
    /// Range finder with 21 rays within 20 degrees, ten times per second (MORSE's `Infrared`).
    ///
    /// As in MORSE it reports every ray. At level `range` it reports the distance of the nearest hit, as the device does.
    Infrared, "infrared", every Some(10.0);
    20.0 deg by 1.0 deg to 2.0 m, 1 layers
}
