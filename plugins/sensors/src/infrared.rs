//! Range finders of short reach.
crate::laser::laser! {
    /// A range finder of 21 rays within 20 degrees, ten times a second (MORSE's `Infrared`).
    ///
    /// As in MORSE it reports every ray, unless its level is `range`: then it says how far the nearest
    /// thing is, as the device does.
    Infrared, "infrared", every Some(10.0);
    20.0 deg by 1.0 deg to 2.0 m, 1 layers
}
