//! Laser scanner UTM-30LX of Hokuyo.
crate::laser::laser! {
    /// Laser scanner with a field of 270° in steps of 0.25°, ten times per second (MORSE's `Hokuyo`).
    Hokuyo, "hokuyo", every Some(10.0);
    270.0 deg by 0.25 deg to 30.0 m, 1 layers
}
