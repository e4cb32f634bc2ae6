//! Drift of selected numbers.
use bevy::reflect::structs::Struct;
use morse_api::{modifier::Site, numbers::Numbers, prelude::*};

/// Adds an error to each number that starts at 0 and drifts.
///
/// Without a correlation time it is a random walk, whose standard deviation grows with the square root of time. With one it
/// is a first-order Gauss–Markov process, a model of unstable biases: it tends to 0, its standard deviation to `sigma ·
/// √(correlation_time / 2)`, and its autocorrelation decays as `exp(-time / correlation_time)`.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RandomWalk {
    /// Fields to change, such as `["x", "velocity.0"]`; all numbers by default.
    pub fields: Vec<String>,
    /// Standard deviation after one second, in the unit of the field per √s.
    #[reflect(@Unit("field's/√s"), @ValueRange(0.0, 1e12))]
    pub sigma: f64,
    /// Correlation time; infinite by default.
    #[reflect(@Unit("s"), @ValueRange(1e-9, 1e9))]
    pub correlation_time: Option<f64>,
}

impl Default for RandomWalk {
    fn default() -> Self {
        Self {
            fields: Vec::new(),
            sigma: 0.05,
            correlation_time: None,
        }
    }
}

impl RandomWalk {
    /// Returns the fraction of the error that is left after a time (s), and the standard deviation of the increment.
    fn step(&self, seconds: f64) -> (f64, f64) {
        match self.correlation_time {
            None => (1.0, self.sigma * libm::sqrt(seconds)),
            Some(time) => {
                let added = -libm::expm1(-2.0 * seconds / time) * time / 2.0;
                (libm::exp(-seconds / time), self.sigma * libm::sqrt(added))
            }
        }
    }
}

impl Modifier for RandomWalk {
    const KIND: &'static str = "random_walk";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let numbers = Numbers::of(fields, &self.fields)?;
        let settings = self.clone();
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock| {
                let ModifierState { random, values, .. } = state;
                let now = clock.seconds();
                if values.is_empty() {
                    values.push(now);
                }
                let Some((before, walks)) = values.split_first_mut() else {
                    return;
                };
                let (left, sigma) = settings.step((now - *before).max(0.0));
                *before = now;
                for walk in walks {
                    *walk = *walk * left + random.gauss(sigma);
                }
                numbers.each(data, |index, number| {
                    if index + 1 >= values.len() {
                        values.push(0.0);
                    }
                    if let Some(walk) = values.get(index + 1) {
                        *number += walk;
                    }
                });
            },
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<RandomWalk>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::velocity::VelocityData;
    use morse_testing::{TestModifier, allan_variance, settings, spread};

    use super::*;

    /// The error of one number at 10 Hz.
    fn walked(settings: &RandomWalk, seed: u64, count: usize) -> Vec<f64> {
        let mut noisy = TestModifier::with_seed(seed, settings, None, World::new());
        (0..count)
            .map(|_| noisy.measure(VelocityData::default()).linear_velocity[0])
            .collect()
    }

    #[test]
    fn it_grows_with_the_root_of_time() {
        let walk: RandomWalk = settings("(sigma: 0.2, fields: [\"linear_velocity.0\"])");
        let all: Vec<Vec<f64>> = (0..3000).map(|seed| walked(&walk, seed, 91)).collect();
        let at = |index: usize| spread(all.iter().map(|walk| walk[index]));
        at(10).assert_gauss(0.0, 0.2);
        at(90).assert_gauss(0.0, 0.6);
        assert!(all.iter().all(|walk| walk[0] == 0.0));
    }

    #[test]
    fn its_allan_deviation_grows_as_the_root() {
        let walk: RandomWalk = settings("(sigma: 0.2, fields: [\"linear_velocity.0\"])");
        let draws = walked(&walk, 1, 1 << 16);
        // Steps of variance q: over means of m measurements q (2 m² + 1) / (6 m), which tends to q m / 3, a
        // deviation of slope +1/2.
        let q = 0.2 * 0.2 / 10.0;
        for m in [1.0_f64, 4.0, 16.0, 64.0, 256.0] {
            allan_variance(&draws, m as usize).assert_is(q * (2.0 * m * m + 1.0) / (6.0 * m));
        }
    }

    #[test]
    fn with_a_correlation_time_it_stays_and_forgets() {
        let text = "(sigma: 0.2, correlation_time: 0.5, fields: [\"linear_velocity.0\"])";
        let walk: RandomWalk = settings(text);
        let all: Vec<Vec<f64>> = (0..5000).map(|seed| walked(&walk, seed, 61)).collect();
        let variance = 0.2 * 0.2 * 0.5 / 2.0;
        spread(all.iter().map(|walk| walk[50])).assert_gauss(0.0, f64::sqrt(variance));
        for lag in [1, 5, 10] {
            let correlation = libm::exp(-(lag as f64) * 0.1 / 0.5);
            let products = all.iter().map(|walk| walk[50] * walk[50 + lag]);
            // Of two normal numbers of correlation r the product's variance is variance² (1 + r²).
            let sigma = variance * (1.0 + correlation * correlation).sqrt();
            spread(products).assert_mean(variance * correlation, sigma);
        }
    }
}
