//! Laser scanner LMS200 of Sick.
crate::laser::laser! {
    /// Laser scanner with a field of 180° in steps of 1°, ten times per second (MORSE's `Sick`).
    Sick, "sick", every Some(10.0);
    180.0 deg by 1.0 deg to 30.0 m, 1 layers
}
