//! Common parts of noise and fault models: the time that a fault lasts, and the settings that make sense.

use morse_api::check::CheckError;

/// Tells whether a fault that lasts from a time until another (s) lasts at this one.
#[must_use]
pub fn lasts(from: f64, until: Option<f64>, now: f64) -> bool {
    from <= now && until.is_none_or(|until| now < until)
}

/// Refuses a time span that cannot be.
///
/// # Errors
///
/// What is wrong, and what would be right.
pub fn check_span(from_name: &str, from: f64, until: Option<f64>) -> Result<(), CheckError> {
    if !from.is_finite() {
        return Err(CheckError::setting(format!(
            "`{from_name}` must be a time in seconds, not {from}"
        )));
    }
    match until {
        Some(until) if until.is_nan() || until <= from => Err(CheckError::setting(format!(
            "`until` ({until}) must be later than `{from_name}` ({from})"
        ))),
        _ => Ok(()),
    }
}

/// Refuses a number that is negative or not finite.
///
/// # Errors
///
/// What is wrong, and what would be right.
pub fn check_size(name: &str, value: f64) -> Result<(), CheckError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(CheckError::setting(format!(
        "`{name}` must be a number of at least 0, not {value}"
    )))
}

/// Refuses a number that is not finite.
///
/// # Errors
///
/// What is wrong.
pub fn check_finite(name: &str, value: f64) -> Result<(), CheckError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(CheckError::setting(format!(
        "`{name}` must be a finite number, not {value}"
    )))
}

/// Refuses what is not a probability.
///
/// # Errors
///
/// What is wrong, and what would be right.
pub fn check_probability(name: &str, value: f64) -> Result<(), CheckError> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(CheckError::setting(format!(
        "`{name}` must be between 0 and 1, not {value}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_holds_its_beginning_and_not_its_end() {
        assert!(!lasts(1.0, Some(2.0), 0.999));
        assert!(lasts(1.0, Some(2.0), 1.0) && lasts(1.0, None, 1e9));
        assert!(!lasts(1.0, Some(2.0), 2.0));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(check_span("from", 0.0, None).is_ok());
        for (from, until) in [(f64::NAN, None), (1.0, Some(1.0)), (1.0, Some(f64::NAN))] {
            assert!(
                check_span("from", from, until)
                    .unwrap_err()
                    .to_string()
                    .contains("`from`")
            );
        }
        assert!(check_size("sigma", 0.0).is_ok());
        for value in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(check_size("sigma", value).is_err());
            assert!(check_probability("p", value).is_err());
        }
        assert!(check_finite("size", -2.0).is_ok() && check_finite("size", f64::NAN).is_err());
    }
}
