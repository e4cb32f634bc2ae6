//! The laser scanner UTM-30LX of Hokuyo.
crate::laser::laser! {
    /// A laser scanner that sees three quarters of a circle in steps of a quarter of a degree, ten times a
    /// second (MORSE's `Hokuyo`).
    Hokuyo, "hokuyo", every Some(10.0);
    270.0 deg by 0.25 deg to 30.0 m, 1 layers
}
