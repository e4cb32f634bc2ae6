//! Laser scanner LD-MRS of Sick.
crate::laser::laser! {
    /// Laser scanner with four layers, four times per second (MORSE's `SickLDMRS`).
    SickLdmrs, "sick_ldmrs", every Some(4.0);
    100.0 deg by 0.25 deg to 30.0 m, 4 layers
}
