//! Generator of all random numbers in the scenes: easily implemented in any language, so that all simulators use the same
//! numbers.

/// Linear congruential generator with 64 bits (Knuth); the seed is its first state.
#[derive(Clone, Debug)]
pub(super) struct Generator(u64);

impl Generator {
    /// Returns a generator in its first state.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number between two bounds, from the upper 53 bits of the state.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_numbers_follow_from_the_formula() {
        // Computed by hand: the first state after 0 is the increment, whose upper 53 bits are these.
        let mut generator = Generator::new(0);
        let share = 704_440_937_934_064.0 / 9_007_199_254_740_992.0;
        assert_eq!(generator.between(0.0, 1.0), share);
        let mut again = Generator::new(0);
        assert_eq!(again.between(-2.0, 2.0), -2.0 + 4.0 * share);
        assert!(generator.between(0.0, 1.0) != share);
    }
}
