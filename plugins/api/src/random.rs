//! Reproducible randomness: every component and purpose has its own stream.
use bevy::prelude::*;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng as _, SeedableRng as _},
};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// A stream of random numbers that depends on the simulation's seed, a path and a purpose only, so that adding or removing
/// one component does not change the noise of another.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[doc(alias("rng", "seed"))]
pub struct Random(ChaCha8Rng);

impl Random {
    /// Returns the stream for `purpose` of the component at `path`.
    #[must_use]
    pub fn new(seed: u64, path: &str, purpose: &str) -> Self {
        let mut name = Vec::with_capacity(path.len() + purpose.len() + 1);
        name.extend_from_slice(path.as_bytes());
        name.push(0);
        name.extend_from_slice(purpose.as_bytes());
        let mut key = [0; 32];
        key[..16].copy_from_slice(&xxh3_128_with_seed(&name, seed).to_le_bytes());
        name.push(0);
        key[16..].copy_from_slice(&xxh3_128_with_seed(&name, seed).to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Returns a number that is uniformly distributed in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        const SCALE: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 * SCALE
    }

    /// Returns a normally distributed number with mean 0 and standard deviation 1 (Box and Muller, 1958; the second number
    /// of the pair is discarded, so that each draw advances the stream by the same amount).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// Returns a normally distributed number with mean 0 and the given standard deviation.
    pub fn gauss(&mut self, sigma: f64) -> f64 {
        sigma * self.normal()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_reproducible_and_apart() {
        let draw = |seed, path, purpose| Random::new(seed, path, purpose).uniform().to_bits();
        assert_eq!(draw(1, "rover.gps", "noise"), draw(1, "rover.gps", "noise"));
        assert_ne!(draw(1, "rover.gps", "noise"), draw(2, "rover.gps", "noise"));
        assert_ne!(draw(1, "rover.gps", "noise"), draw(1, "rover.imu", "noise"));
        assert_ne!(draw(1, "rover.gps", "noise"), draw(1, "rover.gps", "walk"));
        assert_ne!(draw(1, "ab", "c"), draw(1, "a", "bc"));
    }

    #[test]
    fn normal_has_its_moments() {
        let mut random = Random::new(3, "a", "b");
        let n = 200_000;
        let draws: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let moment = |p: i32| draws.iter().map(|x| (x - mean).powi(p)).sum::<f64>() / f64::from(n);
        let sigma_of_mean = 1.0 / f64::from(n).sqrt();
        assert!(mean.abs() < 3.0 * sigma_of_mean, "{mean}");
        assert!(
            (moment(2) - 1.0).abs() < 3.0 * (2.0_f64).sqrt() * sigma_of_mean,
            "{}",
            moment(2)
        );
        assert!(
            moment(3).abs() < 3.0 * (6.0_f64).sqrt() * sigma_of_mean,
            "{}",
            moment(3)
        );
        assert!(
            (moment(4) - 3.0).abs() < 3.0 * (96.0_f64).sqrt() * sigma_of_mean,
            "{}",
            moment(4)
        );
    }
}
