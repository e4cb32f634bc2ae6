//! Statistics of samples of noise: mean, standard deviation, Allan variance, and their confidence limits.

/// Mean and standard deviation of a sample.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    count: f64,
    mean: f64,
    sigma: f64,
}

/// Returns mean and standard deviation of a sample.
#[must_use]
pub fn spread(values: impl Iterator<Item = f64> + Clone) -> Spread {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares = values.map(|value| (value - mean) * (value - mean));
    let sigma = (squares.sum::<f64>() / (count - 1.0)).sqrt();
    Spread { count, mean, sigma }
}

impl Spread {
    /// Asserts that mean and standard deviation are within three sigma of the estimators of a normal distribution.
    ///
    /// # Panics
    ///
    /// They are not.
    #[track_caller]
    pub fn assert_gauss(self, mean: f64, sigma: f64) {
        let of_mean = sigma / self.count.sqrt();
        let of_sigma = sigma / (2.0 * (self.count - 1.0)).sqrt();
        assert!((self.mean - mean).abs() < 3.0 * of_mean, "{self:?}");
        assert!((self.sigma - sigma).abs() < 3.0 * of_sigma, "{self:?}");
    }

    /// Asserts that the mean is within three sigma of that of numbers with this mean and standard deviation.
    ///
    /// # Panics
    ///
    /// It is not.
    #[track_caller]
    pub fn assert_mean(self, mean: f64, sigma: f64) {
        let of_mean = sigma / self.count.sqrt();
        assert!((self.mean - mean).abs() < 3.0 * of_mean, "{self:?}");
    }
}

/// Estimate of an Allan variance, and the number of differences that it is computed from.
#[derive(Clone, Copy, Debug)]
pub struct Allan {
    variance: f64,
    count: f64,
}

/// Estimates an Allan variance: half the mean square difference of adjacent means of `m` values.
#[must_use]
pub fn allan_variance(values: &[f64], m: usize) -> Allan {
    let means: Vec<f64> = values
        .chunks_exact(m)
        .map(|chunk| chunk.iter().sum::<f64>() / m as f64)
        .collect();
    let squares = means.windows(2).map(|pair| (pair[1] - pair[0]).powi(2));
    let count = (means.len() - 1) as f64;
    Allan {
        variance: squares.sum::<f64>() / (2.0 * count),
        count,
    }
}

impl Allan {
    /// Asserts that the estimate is within three of its own sigma, which are at most √(3 / count) of the value: squares of
    /// normal numbers, of which neighbours are correlated by half.
    ///
    /// # Panics
    ///
    /// It is not.
    #[track_caller]
    pub fn assert_is(self, variance: f64) {
        let of_variance = variance * (3.0 / self.count).sqrt();
        assert!(
            (self.variance - variance).abs() < 3.0 * of_variance,
            "{self:?}, not {variance}"
        );
    }
}
