//! The laser scanner LMS200 of Sick.
crate::laser::laser! {
    /// A laser scanner that sees half a circle in steps of a degree, ten times a second (MORSE's `Sick`).
    Sick, "sick", every Some(10.0);
    180.0 deg by 1.0 deg to 30.0 m, 1 layers
}
